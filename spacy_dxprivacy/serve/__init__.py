"""An HTTP service: requests in, sanitised text out. `python -m spacy dx serve`; see docs/serve.md.

connection (time and places before a request is read) -> guard (who asks, one deadline, no text in
errors) -> app (routes; models: bodies) -> desk (budgets) -> engine (whose turn it is) -> workers
(processes that hold the pipeline)

Nothing here logs, caches or stores a text, a token or the path of a request.
"""
