"""An HTTP service: requests in, sanitised text out. `dx serve`; see docs/how-to/service.md.

connection (deadlines and places of what arrives) -> guard (who asks, no text in errors) -> app
(routes; models: bodies) -> desk (whose turn it is; callers: budgets) -> workers (processes)

Nothing here logs, caches or stores a text, a token or the path of a request.
"""
