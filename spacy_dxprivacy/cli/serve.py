"""`python -m spacy dx serve`: a service on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from ..config import SanitizeConfig
from ..errors import UsageError
from . import options
from .mistakes import mistakes_in_a_line, setting_up

# fmt: off
Address = Annotated[str, Option(
    "--address", help="Where it listens. Another one than this machine takes --tokens and --host",
)]
Port = Annotated[int, Option("--port", "-p", min=1, max=65535)]
Host = Annotated[list[str] | None, Option(
    "--host", show_default=False, help="A name besides those of this machine by which it may be "
    "asked; may be given several times. * for any",
)]
Tokens = Annotated[Path | None, Option(
    "--tokens", show_default=False, help="Who may ask: a file (mode 600) with lines NAME TOKEN",
)]
NewToken = Annotated[str | None, Option(
    "--new-token", metavar="NAME", show_default=False,
    help="Add a token for NAME to the file --tokens, print it, and end",
)]
Budget = Annotated[float | None, Option(
    "--budget", show_default=False,
    help="The most epsilon that a caller is given in all; then it is refused",
)]
Ledger = Annotated[Path | None, Option(
    "--ledger", show_default=False,
    help="The SQLite file that keeps what each caller was given. Kept over restarts",
)]
Rate = Annotated[float | None, Option(
    "--rate", show_default=False, help="Requests a second of one caller; any number if left out",
)]
Requests = Annotated[int, Option("--max-requests", min=1, help="Answered at a time")]
Body = Annotated[int, Option("--max-bytes", min=1, help="Of the body of a request")]
Characters = Annotated[int, Option("--max-characters", min=1, help="Of a text")]
Seconds = Annotated[float, Option(
    "--max-seconds", min=0.1, help="From when a connection is accepted until its request is "
    "answered. Then the request is given up, its worker killed and the caller charged",
)]
Cpu = Annotated[float | None, Option(
    "--max-cpu", min=0.1, show_default=False, help="Processor seconds a minute of one caller; half "
    "of what all processes have if left out, with --tokens",
)]
Tick = Annotated[float, Option(
    "--tick", min=0, help="Seconds: answers leave at multiples of it, so that the time of a draw "
    "tells less of its words. 0: at once",
)]
# fmt: on


@options.with_settings("serve", *options.PIPELINE, "code", "run.n_process")
def serve_cli(
    chosen: SanitizeConfig,
    address: Address = "127.0.0.1",
    port: Port = 8000,
    host: Host = None,
    tokens: Tokens = None,
    new_token: NewToken = None,
    budget: Budget = None,
    ledger: Ledger = None,
    rate: Rate = None,
    max_requests: Requests = 256,
    max_bytes: Body = 2**20,
    max_characters: Characters = 100_000,
    max_seconds: Seconds = 30.0,
    max_cpu: Cpu = None,
    tick: Tick = 0.025,
) -> None:
    """Answer requests on this machine: POST /sanitize, /anonymize (as presidio's), GET /health,
    /metrics, /about, /budget, /docs. No text is logged, cached or stored.

    It takes pip install "spacy-dxprivacy[serve]".

    Example: python -m spacy dx serve --tokens callers --budget 5000 --ledger spent.db
    """
    from ..front.settings import ready_of
    from ..machine.hosts import check_port
    from ..serve.callers import Limits, add_token
    from ..serve.run import Service, check_extra, serve

    with mistakes_in_a_line("serve"):
        if new_token is not None:
            return typer.echo(add_token(_needed(tokens), new_token))
        with setting_up():
            check_extra()
            limits = Limits(
                body=max_bytes, characters=max_characters, requests=max_requests, rate=rate,
                tick=tick, seconds=max_seconds, cpu=max_cpu,
            )  # fmt: skip
            processes = chosen.run.processes
            service = Service(
                address, port, tuple(host or ()), tokens, budget, ledger, processes, limits
            )
            check_port(address, port)
            pipeline = ready_of(chosen)
        serve(pipeline.nlp, service, ready=_ready)


def _ready(where: str) -> None:
    typer.echo(f"{where}/docs says how to ask; Ctrl-C ends it.", err=True)


def _needed(tokens: Path | None) -> Path:
    if tokens is None:
        raise UsageError("`new_token` needs `tokens`, the file to add it to.")
    return tokens
