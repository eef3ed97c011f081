"""`dx serve`: a service on this machine."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Option

from ..config import SanitizeConfig
from ..errors import UsageError
from . import options
from .terminal import PIPELINE, SERVE, mistakes_in_a_line, setting_up


# fmt: off
@options.with_settings("serve", *SERVE, *PIPELINE, "code", "run.n_process")
def serve_cli(
    chosen: SanitizeConfig,
    new_token: Annotated[str | None, Option(
        "--new-token", metavar="NAME", show_default=False,
        help="Add a token for NAME to the tokens file, print it, and exit",
    )] = None,
) -> None:
    # fmt: on
    """Serve sanitising over HTTP, with presidio's /anonymize.

    Routes: POST /sanitize, /anonymize; GET /health, /about, /budget, /openapi.json. No text is
    logged, cached or stored. Needs: pip install "spacy-dxprivacy[serve]".

    Example: python -m spacy dx serve --tokens callers --budget 5000 --ledger spent.db
    """
    from ..integrations.front.clean import ready_of
    from ..integrations.serve.callers import add_token
    from ..integrations.serve.run import check_extra, serve
    from ..machine.hosts import check_port

    service = chosen.service
    with mistakes_in_a_line("serve"):
        if new_token is not None:
            if service.tokens is None:
                raise UsageError("`new_token` needs `tokens`, the file to add it to.")
            return typer.echo(add_token(service.tokens, new_token))
        with setting_up():
            check_extra()
            check_port(service.address, service.port)
            nlp = ready_of(chosen).nlp

        def ready(where: str) -> None:
            typer.echo(f"{where}/openapi.json describes the API; Ctrl-C stops it.", err=True)

        serve(nlp, service, chosen.run.processes, ready=ready)
