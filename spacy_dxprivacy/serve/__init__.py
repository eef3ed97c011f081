"""A service: requests in, sanitised text out. `python -m spacy dx serve`; see docs/serve.md.

guard (who may ask, how much, and that no error tells text) -> app (the routes) -> bodies (what was
asked) -> engine (draws in batches) -> ledger (what each caller was given)

Nothing here logs, caches or stores a text, a token or a name of a path that somebody asked for.
"""
