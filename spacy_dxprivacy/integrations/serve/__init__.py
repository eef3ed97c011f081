"""An HTTP service: requests in, sanitised text out. `dx serve`; see docs/how-to/service.md.

app (uvicorn, routes, models) -> service (guard of requests, draws, charges) -> callers (tokens,
budgets). With an upstream: proxy (routes of OpenAI's API, answers) -> prompts (texts of requests).
Nothing here logs, caches or stores a text, a token or the path of a request.
"""
