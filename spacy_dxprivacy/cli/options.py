"""Options of commands, made of the settings in config.py; those of several commands besides."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from ..config import SETTINGS, SanitizeConfig, parse_assignments, read_config
from ..errors import UsageError
from ..io.files.keys import read_key
from ..io.files.signed import check_signed
from .terminal import mistakes_in_a_line, settings_that_fail

TYPES: dict[str, Any] = {
    "text": str | None, "path": Path | None, "number": float | None, "count": int | None,
    "flag": bool | None, "names": str | None,
}  # fmt: skip
REPEATED = ("files.field", "service.host")  # may be given several times

Set = Annotated[list[str] | None, Option(
    "--set", metavar="KEY=VALUE", show_default=False,
    help="Any other setting; `dx config --settings` lists all",
)]  # fmt: skip


def option(path: str) -> Any:
    """Return the annotation of the option for a setting, by its path. None: it is not given."""
    about = SETTINGS[path]
    flag = "--" + path.rpartition(".")[2].replace("_", "-")
    hint = list[str] | None if path in REPEATED else TYPES[about["kind"]]
    return Annotated[hint, Option(flag, *about["flags"], help=about["help"], show_default=False)]


def with_settings(name: str, *paths: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add options for settings, and --set, to a command, which gets one SanitizeConfig as `chosen`.

    Args:
        name: The command, for its error messages.
        paths: The settings that have an option; all others are given by --set.
    """
    arguments = {path.rpartition(".")[2]: path for path in paths}

    def extend(command: Callable[..., None]) -> Callable[..., None]:
        def run(**given: Any) -> None:
            assigned = given.pop("set_") or ()
            options = {path: given.pop(argument) for argument, path in arguments.items()}
            with mistakes_in_a_line(name):
                chosen = settings_of(options, parse_assignments(assigned))
            command(**given, chosen=chosen)

        own = inspect.signature(command, eval_str=True).parameters
        given = {argument: one for argument, one in own.items() if argument != "chosen"}
        hints = {argument: one.annotation for argument, one in given.items()}
        hints |= {argument: option(path) for argument, path in arguments.items()} | {"set_": Set}
        defaults = {argument: one.default for argument, one in given.items()}
        kind = inspect.Parameter.KEYWORD_ONLY
        run.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
            inspect.Parameter(one, kind, default=defaults.get(one), annotation=hint)
            for one, hint in hints.items()
        ])  # fmt: skip
        run.__annotations__, run.__doc__, run.__name__ = hints, command.__doc__, command.__name__
        return run

    return extend


def settings_of(options: Mapping[str, Any], assigned: Mapping[str, Any]) -> SanitizeConfig:
    """Return the settings of a config file, with the options in their place, and then what was
    assigned. Options that are None were not given."""
    given = {path: value for path, value in options.items() if value not in (None, [])}
    config = given.pop("config", None)
    return read_config(config, {**given, **assigned})


Code = option("code")
Mechanism = option("mechanism")
Epsilon = option("epsilon")
Space = option("space")
Surrogates = option("surrogates")
Delimiter = option("files.delimiter")
Force = option("run.force")
# fmt: off
Entities = Annotated[str, Option("--entities", help=SETTINGS["entities"]["help"])]
Lines = Annotated[bool, Option("--lines", help="Every line of a .txt file is a document")]
Field = Annotated[str, Option("--field", help="The field of .jsonl and .csv to sanitise")]
Mechanisms = Annotated[list[str] | None, Option(
    "--mechanism", "-m", help="A mechanism, such as laplace; may be repeated",
)]
SpaceName = Annotated[str, Option("--space", help=SETTINGS["space"]["help"])]
MaxWords = Annotated[int | None, Option(
    "--max-words", min=2, help="Take the first N words of the space",
)]
SignedBy = Annotated[Path | None, Option(
    "--key", show_default=False, help="The key that `dx sanitize` signed the receipt with",
)]
# fmt: on


def check_signature(receipt: Path | None, key: Path | None, release: Path) -> None:
    """Print that receipt and files are as they were signed; do nothing without a key.

    Raises:
        UsageError: There is no receipt, or a key or file cannot be read.
        DxError: The receipt was not signed with this key, or a file was changed since.
    """
    if key is None:
        return
    if receipt is None:
        raise UsageError("`key` checks the signature of a receipt: name one by `receipt`.")
    with settings_that_fail():
        secret = read_key(key)
    count = check_signed(receipt, secret, release)
    typer.echo(f"{receipt}: signed with this key, and {count} file(s) are as it says.", err=True)
