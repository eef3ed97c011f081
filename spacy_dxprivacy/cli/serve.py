"""`dx serve`: a service on this machine, which sanitises or stands before a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer
from typer import Option

from ..config import PipelineOptions, ServiceOptions
from ..errors import UsageError
from ..validate import needs
from . import options
from .terminal import setting_up

PROMPT_ENTITIES = "person,date,gpe,address,org,email,phone,url,id"


@options.from_settings()
def serve_cli(
    service: ServiceOptions,
    pipeline: PipelineOptions,
    new_token: Annotated[str | None, Option(
        "--new-token", metavar="NAME",
        help="Add a token for NAME to the tokens file, print it, and exit",
    )] = None,
) -> None:  # fmt: skip
    """Serve sanitising over HTTP, or send prompts to a model without the names in them.

    Routes: POST /sanitize, /anonymize (presidio's); GET /health, /about, /budget, /openapi.json. No
    text is logged, cached or stored. Other settings of the pipeline are overrides, as in `dx
    sanitize`. Needs: pip install "spacy-dxprivacy[serve]".

    With --upstream, give http://127.0.0.1:8000/v1 to a client of OpenAI's API as its base URL.
    Routes: POST /v1/chat/completions, /v1/responses. The upstream reads surrogates of --entities
    (person, date, gpe, address, org, email, phone, url and id if left out); answers, streamed or
    not, come back with the originals. Which surrogate stands for whom is held in memory until the
    answer is complete. Nothing is restored in a URL, in markup, or in arguments of functions that
    --tools does not name. Images, audio and files are refused. The key for the upstream is that of
    the client, or the environment variable DX_UPSTREAM_KEY.

    Example: python -m spacy dx serve --tokens callers --budget 5000 --ledger spent.db
    """
    from ..integrations.serve.callers import add_token

    if new_token is not None:
        if service.tokens is None:
            raise UsageError("`new_token` needs `tokens`, the file to add it to.")
        return typer.echo(add_token(service.tokens, new_token))
    named = pipeline.config or pipeline.entities or pipeline.surrogates
    if service.upstream is not None and not named:
        pipeline = replace(pipeline, entities=PROMPT_ENTITIES)
    _serve(service, pipeline)


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
