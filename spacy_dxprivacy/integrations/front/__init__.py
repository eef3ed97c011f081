"""Text as people hold it in Python: strings, lists, series, data sets, steps of scikit-learn.

settings (the one place of what may be set) -> clean (texts in, texts and receipts out) -> on_* (one
file a library, which alone imports it)

Nothing here keeps a text: pipelines read in memory zones, and what is cached are pipelines alone.
"""
