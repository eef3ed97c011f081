"""`dx serve` and `dx proxy`: services on this machine."""

from __future__ import annotations

import typer

from ..config import SanitizeConfig
from ..errors import UsageError
from ..validate import needs
from . import options
from .terminal import PIPELINE, SERVE, mistakes_in_a_line, setting_up

PROMPT_ENTITIES = ("person", "date", "gpe", "address", "org", "email", "phone", "url", "id")


@options.with_settings("serve", *SERVE, *PIPELINE, "code")
@options.described("serve")
def serve_cli(chosen: SanitizeConfig, new_token: str | None = None) -> None:
    """Serve sanitising over HTTP, with presidio's /anonymize.

    Routes: POST /sanitize, /anonymize; GET /health, /about, /budget, /openapi.json. No text is
    logged, cached or stored. Needs: pip install "spacy-dxprivacy[serve]".

    Example: python -m spacy dx serve --tokens callers --budget 5000 --ledger spent.db
    """
    from ..integrations.serve.callers import add_token

    service = chosen.service
    with mistakes_in_a_line("serve"):
        if new_token is not None:
            if service.tokens is None:
                raise UsageError("`new_token` needs `tokens`, the file to add it to.")
            return typer.echo(add_token(service.tokens, new_token))
        _serve(chosen)


@options.with_settings("proxy", "service.upstream", *SERVE, *PIPELINE, "code")
def proxy_cli(chosen: SanitizeConfig) -> None:
    """Send prompts to a model without the names in them, and restore the names in its answers.

    Give http://127.0.0.1:8000/v1 to a client of OpenAI's API as its base URL. The upstream reads
    surrogates of --entities (person, date, gpe, address, org, email, phone, url and id if left
    out); answers, streamed or not, come back with the originals. Which surrogate stands for whom is
    held in memory until the answer is complete. Images, audio and files are refused. Routes: POST
    /v1/chat/completions, /v1/responses; GET /health, /about, /budget. The key for the upstream is
    that of the client, or the environment variable DX_UPSTREAM_KEY. Needs: pip install
    "spacy-dxprivacy[serve]".

    Example: python -m spacy dx proxy --upstream https://api.openai.com/v1
    """
    with mistakes_in_a_line("proxy"):
        if not chosen.service.upstream:
            raise UsageError("`upstream` is missing: the URL of an API of OpenAI's kind.")
        if chosen.config is None and not chosen.entities and chosen.surrogates is None:
            chosen = chosen.with_settings({"entities": PROMPT_ENTITIES})
        _serve(chosen, "httpx")


def _serve(chosen: SanitizeConfig, *packages: str) -> None:
    from ..integrations.serve.run import check, serve
    from ..io.build import make_pipeline
    from ..machine.hosts import check_port

    with setting_up():
        for package in ("fastapi", "uvicorn", *packages):
            needs(package, "The service", extra="serve")
        check_port(chosen.service.address, chosen.service.port)
        guarantee = check(make_pipeline(chosen), chosen.service)

    def ready(where: str) -> None:
        typer.echo(f"{where}/openapi.json describes the API; Ctrl-C stops it.", err=True)

    serve(chosen, guarantee, ready=ready)
