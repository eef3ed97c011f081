"""`python -m spacy dx playground`: a local page to try mechanisms on."""

from __future__ import annotations

from pathlib import Path

import typer

from ...cli import options
from ...cli.terminal import mistakes_in_a_line, setting_up
from ...io.build import make_pipeline
from ...validate import needs
from . import described


@described("playground")
def playground_cli(
    space: options.Space = None,
    config: Path | None = None,
    code: options.Code = None,
    port: int = 8501,
) -> None:
    """Open a local web page to try mechanisms on.

    The page sanitises text, and shows the receipt and the effect of epsilon. It stores and logs
    nothing. Needs: pip install "spacy-dxprivacy[playground]".

    Example: python -m spacy dx playground --space glove.6B.300d.txt
    """
    from ...machine.hosts import check_port
    from ..playground.workshop import ADDRESS, Workshop, serve

    with mistakes_in_a_line("playground"):
        with setting_up():
            needs("streamlit", "The playground", extra="playground")
            check_port(ADDRESS, port)
            workshop = Workshop(make_pipeline(config=config, space=space, code=code))
        typer.echo(f"http://{ADDRESS}:{port} shows the page; Ctrl-C stops it.", err=True)
        serve(workshop, port)
