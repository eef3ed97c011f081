"""`dx serve`: a service on this machine, which sanitises or stands before a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from ..config import PipelineOptions, ServiceOptions, process_count
from ..errors import UsageError
from ..validate import needs
from . import options
from .terminal import mistakes_in_a_line, setting_up

PROMPT_ENTITIES = "person,date,gpe,address,org,email,phone,url,id"
USUAL = ServiceOptions()


@options.takes_pipeline()
def serve_cli(
    pipeline: PipelineOptions,
    address: Annotated[str, Option(
        "--address", help="Address to listen on; others than loopback need tokens, host"
    )] = USUAL.address,
    port: Annotated[int, Option(
        "--port", "-p", min=0, max=65535, help="Port to listen on"
    )] = USUAL.port,
    host: Annotated[list[str] | None, Option(
        "--host", help="Host names to accept besides loopback; * for any"
    )] = None,
    tokens: Annotated[Path | None, Option(
        "--tokens", help="File of callers (mode 600), one NAME TOKEN per line"
    )] = None,
    new_token: Annotated[str | None, Option(
        "--new-token", metavar="NAME",
        help="Add a token for NAME to the tokens file, print it, and exit",
    )] = None,
    budget: Annotated[float | None, Option(
        "--budget", help="Privacy budget of each caller, as epsilon"
    )] = None,
    ledger: Annotated[Path | None, Option(
        "--ledger", help="SQLite file that records what each caller spent"
    )] = None,
    max_requests: Annotated[int, Option(
        "--max-requests", min=1, help="Maximum number of connections of a worker"
    )] = USUAL.max_requests,
    max_bytes: Annotated[int, Option(
        "--max-bytes", min=1, help="Maximum size of a request body in bytes"
    )] = USUAL.max_bytes,
    max_seconds: Annotated[float, Option(
        "--max-seconds", min=0.001, help="Seconds until a request times out"
    )] = USUAL.max_seconds,
    workers: Annotated[int, Option(
        "--workers", "-n", help="Worker processes; -1 for one per core"
    )] = 1,
    upstream: Annotated[str | None, Option(
        "--upstream", help="OpenAI-compatible API to send prompts to"
    )] = None,
    upstream_seconds: Annotated[float, Option(
        "--upstream-seconds", min=0.001, help="Seconds until the upstream times out"
    )] = USUAL.upstream_seconds,
    tools: Annotated[list[str] | None, Option(
        "--tools", help="Functions whose arguments get originals; * for all"
    )] = None,
    models: Annotated[list[str] | None, Option(
        "--models", help="Model names to pass on whose words are in no public list"
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

    with mistakes_in_a_line("serve"):
        if new_token is not None:
            if tokens is None:
                raise UsageError("`new_token` needs `tokens`, the file to add it to.")
            return typer.echo(add_token(tokens, new_token))
        service = ServiceOptions(
            address=address, port=port, host=options.names(host), tokens=tokens, budget=budget,
            ledger=ledger, max_requests=max_requests, max_bytes=max_bytes, max_seconds=max_seconds,
            upstream=upstream, upstream_seconds=upstream_seconds, tools=options.names(tools),
            models=options.names(models), workers=process_count(workers),
        )  # fmt: skip
        named = pipeline.config or pipeline.entities or pipeline.surrogates
        if upstream is not None and not named:
            pipeline = replace(pipeline, entities=PROMPT_ENTITIES)
        _serve(service, pipeline)


def _serve(service: ServiceOptions, pipeline: PipelineOptions) -> None:
    from ..integrations.serve.run import check, serve
    from ..io.build import make_pipeline
    from ..machine import check_port

    with setting_up():
        for package in ("fastapi", "uvicorn", *(["httpx"] if service.upstream else [])):
            needs(package, "The service", extra="serve")
        check_port(service.address, service.port)
        guarantee = check(make_pipeline(pipeline), service)

    def ready(where: str) -> None:
        typer.echo(f"{where}/openapi.json describes the API; Ctrl-C stops it.", err=True)

    serve(pipeline, service, guarantee, ready=ready)
