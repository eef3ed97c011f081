"""An HTTP service: requests in, sanitised text out. `dx serve`; see docs/how-to/service.md.

run (uvicorn and its workers) -> guard (caller, deadline, size, errors) -> app (routes) -> service
(pipelines, charges); callers (tokens, budgets); proxy (routes of OpenAI's API). Nothing here logs,
caches or stores a text, a token or the path of a request.
"""
