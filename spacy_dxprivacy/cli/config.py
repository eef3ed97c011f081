"""`dx config`: a full config from options, the defaults, or what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import typer

from ..config import SETTINGS, SanitizeConfig
from ..errors import UsageError
from ..io.build import config_text, make_pipeline, the_sanitizer
from ..io.files.atomic import write_bytes
from . import options
from .terminal import PIPELINE, mistakes_in_a_line, setting_up


@options.with_settings(
    "config", *(name for name in PIPELINE if name != "model"), "code", "run.force"
)
@options.described("config")
def config_cli(
    chosen: SanitizeConfig,
    output: Path | None = None,
    check: Path | None = None,
    settings: bool = False,
) -> None:
    """Write a full config, check one, or print the defaults.

    Example: dx config my.cfg --mechanism laplace --epsilon 10
    """
    with mistakes_in_a_line("config"), setting_up():
        if settings:
            return typer.echo("\n".join(f"{path:<22}{a['help']}" for path, a in SETTINGS.items()))
        if check is not None:
            if output is not None or chosen.pipeline_settings() or chosen.config:
                raise UsageError("`check` takes a config as it is: leave the other options out.")
            terms = the_sanitizer(make_pipeline(config=check, code=chosen.code)).terms
            description = f"{terms.mechanism} on the space {terms.space}: {terms.guarantee}"
            return typer.echo(f"{check}: valid. {description}")
        text = config_text(chosen)
        if output is None:
            return typer.echo(text, nl=False)
        write_bytes(output, text.encode(), force=chosen.run.force)
        typer.echo(f"{output}: written. `dx config --check {output}` checks it.", err=True)
