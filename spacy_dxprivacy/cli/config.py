"""`dx config`: a full config from options, the defaults, or what is wrong with one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..config import PipelineOptions
from ..errors import UsageError
from ..io.build import config_text, make_pipeline, the_sanitizer
from ..io.files.atomic import write_bytes
from . import options
from .terminal import mistakes_in_a_line, setting_up


def config_cli(
    ctx: typer.Context,
    output: Annotated[Path | None, Argument(
        metavar="OUT", show_default=False, help="Config file to write; stdout if left out"
    )] = None,
    check: Annotated[Path | None, Option(
        "--check", help="Load and fit what this config names, and report problems"
    )] = None,
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
    force: options.Force = False,
) -> None:  # fmt: skip
    """Write a full spaCy config from options, or check one.

    Example: dx config my.cfg --mechanism laplace --epsilon 10
    """
    with mistakes_in_a_line("config"), setting_up():
        chosen = PipelineOptions(
            model=model, mechanism=mechanism, epsilon=epsilon, level=level, entities=entities,
            surrogates=surrogates, key=key, edit=edit, code=code, language=language,
            overrides=options.overrides_of(ctx),
        )  # fmt: skip
        if check is not None:
            if output is not None or chosen != PipelineOptions(code=code):
                raise UsageError("`check` takes a config as it is: leave the other options out.")
            terms = the_sanitizer(make_pipeline(config=check, code=code)).terms
            description = f"{terms.mechanism} on the space {terms.space}: {terms.guarantee}"
            return typer.echo(f"{check}: valid. {description}")
        text = config_text(chosen)
        if output is None:
            return typer.echo(text, nl=False)
        write_bytes(output, text.encode(), force=force)
        typer.echo(f"{output}: written. `dx config --check {output}` checks it.", err=True)
