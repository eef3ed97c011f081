"""A page on this machine to try mechanisms on: `python -m spacy dx playground`.

workshop (what is computed, and the server) -> page (what Streamlit shows)

Nothing that is typed is kept: texts are read inside a memory zone, are in no cache, no log and no
address. They are in the memory of the process, until it ends at the latest.
"""
