"""`dx serve` and `dx proxy`: a service on this machine, by itself or before a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer
from typer import Option

from ..config import PROMPT_ENTITIES, PipelineOptions, ProxyOptions, ServiceOptions
from ..errors import UsageError
from ..validate import needs
from . import options
from .terminal import setting_up


@options.from_settings()
def serve_cli(
    service: ServiceOptions,
    pipeline: PipelineOptions,
    new_token: Annotated[str | None, Option(
        "--new-token", metavar="NAME",
        help="Add a token for NAME to the tokens file, print it, and exit",
    )] = None,
) -> None:  # fmt: skip
    """Serve sanitising over HTTP, with presidio's /anonymize.

    Routes: POST /sanitize, /anonymize; GET /health, /about, /budget, /openapi.json. No text is
    logged, cached or stored. Other settings of the pipeline are overrides, as in `dx sanitize`.
    Needs: pip install "spacy-dxprivacy[serve]".

    Example: python -m spacy dx serve --tokens callers --budget 5000 --ledger spent.db
    """
    from ..integrations.serve.callers import add_token

    if new_token is not None:
        if service.tokens is None:
            raise UsageError("`new_token` needs `tokens`, the file to add it to.")
        return typer.echo(add_token(service.tokens, new_token))
    _serve(service, pipeline)


@options.from_settings()
def proxy_cli(proxy: ProxyOptions, pipeline: PipelineOptions) -> None:
    """Send prompts to a model without the names in them, and restore the names in its answers.

    Give http://127.0.0.1:8000/v1 to a client of OpenAI's API as its base URL, and
    http://127.0.0.1:8000 to one of Anthropic's. The upstream reads surrogates of --entities
    (person, date, gpe, address, org, email, phone, url and id if left out); answers, streamed or
    not, come back with the originals. A conversation keeps its surrogates; for an hour, what was
    sent is in memory, and no original. Nothing is restored in a URL, in markup, or in arguments of
    functions that --tools does not name. Images, audio and files are refused without --images.
    --policy says what becomes of a label. Routes: POST /v1/chat/completions, /v1/responses,
    /v1/messages; GET /health, /about, /budget. The key for the upstream is that of the client, or
    the environment variable DX_UPSTREAM_KEY. Each request is one line of the log, without text.
    Needs: pip install "spacy-dxprivacy[serve]".

    Example: python -m spacy dx proxy --upstream https://api.openai.com/v1
    """
    if not (pipeline.config or pipeline.entities or pipeline.surrogates):
        pipeline = replace(pipeline, entities=PROMPT_ENTITIES)
    _serve(ServiceOptions(**vars(proxy)), pipeline)


def _serve(service: ServiceOptions, pipeline: PipelineOptions) -> None:
    from ..io.build import make_pipeline
    from ..machine import check_port

    with setting_up():
        for package in ("fastapi", "uvicorn", *(["httpx"] if service.upstream else [])):
            needs(package, "The service", extra="serve")
        from ..integrations.serve.app import check, serve

        check_port(service.address, service.port)
        guarantee = check(make_pipeline(pipeline), service)

    def ready(where: str) -> None:
        typer.echo(f"{where}/openapi.json describes the API; Ctrl-C stops it.", err=True)

    serve(pipeline, service, guarantee, ready=ready)
