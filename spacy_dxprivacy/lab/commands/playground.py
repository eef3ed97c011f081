"""`python -m spacy dx playground`: a local page to try mechanisms on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from ...cli import options
from ...cli.terminal import mistakes_in_a_line, setting_up
from ...io.build import make_pipeline

# fmt: off
Config = Annotated[Path | None, Option(
    "--config", "-c", help="A complete pipeline as for `spacy assemble`, in place of --space: the "
    "page starts with its mechanism, and keeps to its selector and its policy for unknown words",
)]
Port = Annotated[int, Option("--port", "-p", min=1, max=65535, help="Where the page is")]
Address = Annotated[str, Option(
    "--address", help="127.0.0.1, ::1 or localhost: this machine alone. All others are refused",
)]
# fmt: on


def playground_cli(
    space: options.Space = None,
    config: Config = None,
    code: options.Code = None,
    port: Port = 8501,
    address: Address = "127.0.0.1",
) -> None:
    """Open a page on this machine: text in, sanitised text out, what becomes of a word, the receipt
    in plain words, and what epsilon does. It keeps and logs nothing.

    It takes pip install "spacy-dxprivacy[playground]".

    Example: python -m spacy dx playground --space glove.6B.300d.txt
    """
    from ...machine.hosts import check_port
    from ..playground.workshop import Workshop, check_address, check_extra, serve

    with mistakes_in_a_line("playground"):
        with setting_up():
            address = check_address(address)
            check_extra()
            check_port(address, port)
            workshop = Workshop(make_pipeline(config=config, space=space, code=code))
        where = f"[{address}]" if ":" in address else address
        typer.echo(f"http://{where}:{port} shows the page; Ctrl-C ends it.", err=True)
        serve(workshop, address, port)
