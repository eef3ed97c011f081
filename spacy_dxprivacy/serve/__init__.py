"""The HTTP service of `dx serve` and `dx proxy`; see docs/how-to/service.md.

app (uvicorn, routes, models) -> service (callers and tokens, guard, sanitising, charges).
With an upstream: proxy (routes of OpenAI and Anthropic) -> prompts (requests), answers.
No module logs, caches or stores a text, a token or the path of a request.
"""
