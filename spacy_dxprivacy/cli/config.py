"""`dx config`: a full config from options, the defaults, or what is wrong with one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..config import SETTINGS, SanitizeConfig
from ..errors import UsageError
from ..io.build import config_text, make_pipeline, the_sanitizer
from ..io.files.atomic import write_bytes
from . import options
from .terminal import PIPELINE, mistakes_in_a_line, setting_up


# fmt: off
@options.with_settings(
    "config", *(name for name in PIPELINE if name != "model"), "code", "run.force"
)
def config_cli(
    chosen: SanitizeConfig,
    output: Annotated[Path | None, Argument(
        metavar="[OUT]", show_default=False, help="Where the config goes; stdout if left out",
    )] = None,
    check: Annotated[Path | None, Option(
        "--check", show_default=False, help="Make, load and fit everything that this config names, "
        "and say what it is or what is wrong with it",
    )] = None,
    settings: Annotated[bool, Option(
        "--settings", help="List every setting that --set takes",
    )] = False,
) -> None:
    # fmt: on
    """Write a full config from options, check one, or print the defaults (without options).

    Example: dx config my.cfg --mechanism laplace --epsilon 10
    """
    with mistakes_in_a_line("config"), setting_up():
        if settings:
            return typer.echo("\n".join(f"{path:<22}{a['help']}" for path, a in SETTINGS.items()))
        if check is not None:
            if output is not None or chosen.pipeline_settings() or chosen.config:
                raise UsageError("`check` looks at a config as it is: leave the rest out.")
            terms = the_sanitizer(make_pipeline(config=check, code=chosen.code)).terms
            told = f"{terms.mechanism} on the space {terms.space}: {terms.guarantee}"
            return typer.echo(f"{check}: good. {told}")
        text = config_text(chosen)
        if output is None:
            return typer.echo(text, nl=False)
        write_bytes(output, text.encode(), force=chosen.run.force)
        typer.echo(f"{output}: written. `dx config --check {output}` fits it.", err=True)
