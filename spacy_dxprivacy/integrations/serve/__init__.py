"""An HTTP service: requests in, sanitised text out. `dx serve`; see docs/how-to/service.md.

connection (deadlines) -> guard (who asks; errors) -> app (routes, bodies) -> scheduler -> workers
(processes); callers (tokens, budgets). Nothing here logs, caches or stores a text, a token or the
path of a request.
"""
