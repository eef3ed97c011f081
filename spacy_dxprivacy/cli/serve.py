"""`dx serve` and `dx proxy`: an HTTP service, alone or in front of a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer
from typer import Option

from ..config import PROMPT_ENTITIES, PipelineOptions, ProxyOptions, ServiceOptions
from ..errors import UsageError
from ..validate import needs
from . import options
from .terminal import setup_errors


@options.from_settings()
def serve_cli(
    service: ServiceOptions,
    pipeline: PipelineOptions,
    new_token: Annotated[str | None, Option(
        "--new-token", metavar="NAME",
        help="Add a token for NAME to the tokens file, print it, and exit",
    )] = None,
) -> None:  # fmt: skip
    """Serve sanitising over HTTP, including presidio's /anonymize.

    Routes: POST /sanitize, /anonymize; GET /health, /about, /budget, /openapi.json. No text is
    logged, cached or stored. Other settings of the pipeline are overrides, as in `dx sanitize`.
    Needs: pip install "spacy-dxprivacy[serve]".

    Example: python -m spacy dx serve --tokens callers --budget 5000 --ledger spent.db
    """
    if new_token is not None:
        if service.tokens is None:
            raise UsageError("`new_token` needs `tokens`, the file to add it to.")
        needs("fastapi", "The service", extra="serve")
        from ..integrations.serve.service import add_token

        return typer.echo(add_token(service.tokens, new_token))
    _serve(service, pipeline)


@options.from_settings()
def proxy_cli(proxy: ProxyOptions, pipeline: PipelineOptions) -> None:
    """Replace names in prompts to a model with surrogates, and restore them in its answers.

    Set the base URL of a client: http://127.0.0.1:8000/v1 for OpenAI's API, http://127.0.0.1:8000
    for Anthropic's. The upstream reads surrogates of --entities (default: person, date, gpe,
    address, org, email, phone, url and id). Answers, streamed or not, get the originals back. A
    conversation keeps its surrogates: for an hour, sent texts are in memory, but no original.
    Nothing is restored in URLs, markup, or arguments of functions that --tools does not name.
    Images, audio and files are rejected without --images. --policy sets the action for a label.
    Routes: POST /v1/chat/completions, /v1/responses, /v1/messages; GET /health, /about, /budget.
    The upstream gets the client's key, or that of the environment variable DX_UPSTREAM_KEY. Each
    request is a line in the log, without text.
    Needs: pip install "spacy-dxprivacy[serve]".

    Example: python -m spacy dx proxy --upstream https://api.openai.com/v1
    """
    if not (pipeline.config or pipeline.entities or pipeline.surrogates):
        pipeline = replace(pipeline, entities=PROMPT_ENTITIES)
    _serve(ServiceOptions(**vars(proxy)), pipeline)


def _serve(service: ServiceOptions, pipeline: PipelineOptions) -> None:
    from ..io.build import make_pipeline
    from ..machine import check_port

    with setup_errors():
        for package in ("fastapi", "uvicorn", *(["httpx"] if service.upstream else [])):
            needs(package, "The service", extra="serve")
        from ..integrations.serve.app import check, serve

        check_port(service.address, service.port)
        guarantee = check(make_pipeline(pipeline), service)

    def ready(url: str) -> None:
        typer.echo(f"{url}/openapi.json describes the API; Ctrl-C stops it.", err=True)

    serve(pipeline, service, guarantee, ready=ready)
