"""`dx config`: a full config from options, the defaults, or what is wrong with one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.language import Language
from typer import Argument, Option

from ..batch.build import the_sanitizer
from ..batch.config import checked_config, config_text
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
# fmt: on


def config_cli(
    output: Out = None,
    check: Check = None,
    mechanism: options.Mechanism = None,
    epsilon: options.Epsilon = None,
    level: options.Level = None,
    policy: options.Policy = None,
    prior: options.Prior = None,
    space: options.Space = None,
    entities: options.Entities = "",
    unknown: options.Unknown = None,
    scope: options.Scope = None,
    numbers: options.Numbers = None,
    code: options.Code = None,
    surrogates: options.Surrogates = None,
    key: options.Key = None,
    force: options.Force = False,
) -> None:
    """Write a full config from options, check one, or print the defaults (without options).

    Example: dx config my.cfg --mechanism laplace --epsilon 10
    """
    chosen: dict[str, Any] = {
        "mechanism": mechanism,
        "epsilon": epsilon,
        "level": level,
        "policy": policy,
        "prior": prior,
        "space": space,
        "entities": tuple(name.strip() for name in entities.split(",") if name.strip()),
        "unknown": unknown,
        "scope": scope,
        "numbers": numbers,
        "surrogates": surrogates,
        "key": None if key is None else str(key),
    }
    with mistakes_in_a_line("config"), setting_up():
        if check is not None:
            if output is not None or any(chosen.values()):
                raise UsageError("`check` looks at a config as it is: leave the rest out.")
            typer.echo(_told(check, checked_config(check, code)))
            return
        text = config_text(**chosen, code=code)
        if output is None:
            typer.echo(text, nl=False)
        else:
            write_bytes(output, text.encode(), force=force)
            typer.echo(f"{output}: written. `dx config --check {output}` fits it.", err=True)


def _told(path: Path, nlp: Language) -> str:
    terms = the_sanitizer(nlp).terms
    return f"{path}: good. {terms.mechanism} on the space {terms.space}: {terms.guarantee}"
