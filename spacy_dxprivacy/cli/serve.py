"""`dx serve` and `dx proxy`: services on this machine."""

from __future__ import annotations

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

Address = Annotated[
    str, Option("--address", help="Address to listen on; others than loopback need tokens, host")
]
Port = Annotated[int, Option("--port", "-p", min=0, max=65535, help="Port to listen on")]
Host = Annotated[
    list[str] | None,
    Option("--host", help="Host names to accept besides loopback; * for any"),
]
Tokens = Annotated[
    Path | None, Option("--tokens", help="File of callers (mode 600), one NAME TOKEN per line")
]
Budget = Annotated[
    float | None, Option("--budget", help="Privacy budget of each caller, as epsilon")
]
Ledger = Annotated[
    Path | None, Option("--ledger", help="SQLite file that records what each caller spent")
]
MaxRequests = Annotated[
    int, Option("--max-requests", min=1, help="Maximum number of connections of a worker")
]
MaxBytes = Annotated[
    int, Option("--max-bytes", min=1, help="Maximum size of a request body in bytes")
]
MaxSeconds = Annotated[
    float, Option("--max-seconds", min=0.001, help="Seconds until a request times out")
]
Workers = Annotated[int, Option("--workers", "-n", help="Worker processes; -1 for one per core")]
USUAL = ServiceOptions()


def serve_cli(
    ctx: typer.Context,
    address: Address = USUAL.address,
    port: Port = USUAL.port,
    host: Host = None,
    tokens: Tokens = None,
    new_token: Annotated[str | None, Option(
        "--new-token", metavar="NAME",
        help="Add a token for NAME to the tokens file, print it, and exit",
    )] = None,
    budget: Budget = None,
    ledger: Ledger = None,
    max_requests: MaxRequests = USUAL.max_requests,
    max_bytes: MaxBytes = USUAL.max_bytes,
    max_seconds: MaxSeconds = USUAL.max_seconds,
    workers: Workers = 1,
    config: options.Config = None,
    model: options.Model = None,
    mechanism: options.Mechanism = None,
    epsilon: options.Epsilon = None,
    level: options.Level = None,
    entities: options.Entities = None,
    surrogates: options.Surrogates = None,
    key: options.Key = None,
    language: options.Language = None,
    edit: options.Edit = False,
    code: options.Code = None,
) -> None:  # fmt: skip
    """Serve sanitising over HTTP, with presidio's /anonymize.

    Routes: POST /sanitize, /anonymize; GET /health, /about, /budget, /openapi.json. No text is
    logged, cached or stored. Other settings of the pipeline are overrides, as in `dx sanitize`.
    Needs: pip install "spacy-dxprivacy[serve]".

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
            workers=process_count(workers),
        )  # fmt: skip
        pipeline = PipelineOptions(
            config=config, model=model, mechanism=mechanism, epsilon=epsilon, level=level,
            entities=entities, surrogates=surrogates, key=key, language=language, edit=edit,
            code=code, overrides=options.overrides_of(ctx),
        )  # fmt: skip
        _serve(service, pipeline)


def proxy_cli(
    ctx: typer.Context,
    upstream: Annotated[str | None, Option(
        "--upstream", help="OpenAI-compatible API to send the prompts to"
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
    address: Address = USUAL.address,
    port: Port = USUAL.port,
    host: Host = None,
    tokens: Tokens = None,
    budget: Budget = None,
    ledger: Ledger = None,
    max_requests: MaxRequests = USUAL.max_requests,
    max_bytes: MaxBytes = USUAL.max_bytes,
    max_seconds: MaxSeconds = USUAL.max_seconds,
    workers: Workers = 1,
    config: options.Config = None,
    model: options.Model = None,
    mechanism: options.Mechanism = None,
    epsilon: options.Epsilon = None,
    level: options.Level = None,
    entities: options.Entities = None,
    surrogates: options.Surrogates = None,
    key: options.Key = None,
    language: options.Language = None,
    edit: options.Edit = False,
    code: options.Code = None,
) -> None:  # fmt: skip
    """Send prompts to a model without the names in them, and restore the names in its answers.

    Give http://127.0.0.1:8000/v1 to a client of OpenAI's API as its base URL. The upstream reads
    surrogates of --entities (person, date, gpe, address, org, email, phone, url and id if left
    out); answers, streamed or not, come back with the originals. Which surrogate stands for whom is
    held in memory until the answer is complete. Nothing is restored in a URL, in markup, or in
    arguments of functions that --tools does not name. Images, audio and files are refused. Routes:
    POST /v1/chat/completions, /v1/responses; GET /health, /about, /budget. The key for the upstream
    is that of the client, or the environment variable DX_UPSTREAM_KEY. Needs: pip install
    "spacy-dxprivacy[serve]".

    Example: python -m spacy dx proxy --upstream https://api.openai.com/v1
    """
    with mistakes_in_a_line("proxy"):
        if not upstream:
            raise UsageError("`upstream` is missing: the URL of an API of OpenAI's kind.")
        if config is None and not entities and surrogates is None:
            entities = PROMPT_ENTITIES
        service = ServiceOptions(
            address=address, port=port, host=options.names(host), tokens=tokens, budget=budget,
            ledger=ledger, max_requests=max_requests, max_bytes=max_bytes, max_seconds=max_seconds,
            upstream=upstream, upstream_seconds=upstream_seconds, tools=options.names(tools),
            models=options.names(models), workers=process_count(workers),
        )  # fmt: skip
        pipeline = PipelineOptions(
            config=config, model=model, mechanism=mechanism, epsilon=epsilon, level=level,
            entities=entities, surrogates=surrogates, key=key, language=language, edit=edit,
            code=code, overrides=options.overrides_of(ctx),
        )  # fmt: skip
        _serve(service, pipeline, "httpx")


def _serve(service: ServiceOptions, pipeline: PipelineOptions, *packages: str) -> None:
    from ..io.build import make_pipeline
    from ..machine import check_port

    with setting_up():
        for package in ("fastapi", "uvicorn", *packages):
            needs(package, "The service", extra="serve")
        from ..integrations.serve.app import check, serve

        check_port(service.address, service.port)
        guarantee = check(make_pipeline(pipeline), service)

    def ready(where: str) -> None:
        typer.echo(f"{where}/openapi.json describes the API; Ctrl-C stops it.", err=True)

    serve(pipeline, service, guarantee, ready=ready)
