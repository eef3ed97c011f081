"""`dx config`: a full config from options, the defaults, or what is wrong with one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from typer import Argument, Option

from ..batch.build import config_text, make_pipeline, the_sanitizer
from ..config import SETTINGS, SanitizeConfig
from ..errors import UsageError
from ..files.atomic import write_bytes
from . import options
from .mistakes import mistakes_in_a_line, setting_up

# fmt: off
Out = Annotated[Path | None, Argument(
    metavar="[OUT]", show_default=False, help="Where the config goes; stdout if left out",
)]
Check = Annotated[Path | None, Option(
    "--check", show_default=False,
    help="Make, load and fit everything that this config names, and say what it is or what is "
    "wrong with it",
)]
Settings = Annotated[bool, Option("--settings", help="List every setting that --set takes")]
# fmt: on


@options.with_settings(
    "config", *(name for name in options.PIPELINE if name != "model"), "code", "run.force"
)
def config_cli(
    chosen: SanitizeConfig, output: Out = None, check: Check = None, settings: Settings = False
) -> None:
    """Write a full config from options, check one, or print the defaults (without options).

    Example: dx config my.cfg --mechanism laplace --epsilon 10
    """
    with mistakes_in_a_line("config"), setting_up():
        if settings:
            return typer.echo("\n".join(f"{path:<22}{a['help']}" for path, a in SETTINGS.items()))
        if check is not None:
            if output is not None or chosen.pipeline_settings() or chosen.config:
                raise UsageError("`check` looks at a config as it is: leave the rest out.")
            nlp = make_pipeline(config=check, code=chosen.code)
            return typer.echo(_told(check, nlp))
        text = config_text(chosen)
        if output is None:
            typer.echo(text, nl=False)
        else:
            write_bytes(output, text.encode(), force=chosen.run.force)
            typer.echo(f"{output}: written. `dx config --check {output}` fits it.", err=True)


def _told(path: Path, nlp: Language) -> str:
    terms = the_sanitizer(nlp).terms
    return f"{path}: good. {terms.mechanism} on the space {terms.space}: {terms.guarantee}"
