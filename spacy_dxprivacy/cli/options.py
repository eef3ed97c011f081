"""Options of commands: of the settings in config.py, of data/options.json, and shared ones."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_origin

from typer import Argument, Option

from ..about import DATA
from ..config import SETTINGS, parse_assignments, read_config
from .terminal import mistakes_in_a_line

TYPES: dict[str, Any] = {
    "str": str | None, "Path": Path | None, "float": float | None, "int": int | None,
    "bool": bool | None, "tuple[str, ...]": str | None,
}  # fmt: skip
DESCRIBED = json.loads((DATA / "options.json").read_bytes())
Command = TypeVar("Command", bound=Callable[..., None])
REPEATED = ("files.field", "service.host")  # may be given several times

Set = Annotated[list[str] | None, Option(
    "--set", metavar="KEY=VALUE", show_default=False,
    help="Set any other setting; `dx config --settings` lists them",
)]  # fmt: skip


def option(path: str) -> Any:
    """Return the annotation of the option for a setting, by its path. None: it is not given."""
    about = SETTINGS[path]
    flag = "--" + path.rpartition(".")[2].replace("_", "-")
    hint = list[str] | None if path in REPEATED else TYPES[about["kind"]]
    return Annotated[hint, Option(flag, *about["flags"], help=about["help"], show_default=False)]


def with_settings(name: str, *paths: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add options for the settings at `paths`, and --set, to a command that takes `chosen`."""
    settings = {path.rpartition(".")[2]: path for path in paths}

    def extend(command: Callable[..., None]) -> Callable[..., None]:
        def run(**given: Any) -> None:
            assigned = given.pop("set_") or ()
            values = {path: given.pop(argument) for argument, path in settings.items()}
            values = {path: value for path, value in values.items() if value not in (None, [])}
            with mistakes_in_a_line(name):
                config = values.pop("config", None)
                chosen = read_config(config, values | parse_assignments(assigned))
            command(**given, chosen=chosen)

        own = dict(inspect.signature(command, eval_str=True).parameters)
        del own["chosen"]
        parameters = [one.replace(kind=one.KEYWORD_ONLY) for one in own.values()]
        hints = {one: option(path) for one, path in settings.items()} | {"set_": Set}
        parameters += [
            inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
            for one, hint in hints.items()
        ]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        run.__doc__, run.__name__ = command.__doc__, command.__name__
        return run

    return extend


def described(name: str) -> Callable[[Command], Command]:
    """Add their flags and help texts to the arguments and options of a command."""

    def extend(command: Command) -> Command:
        parameters = []
        for one in inspect.signature(command, eval_str=True).parameters.values():
            about = dict(DESCRIBED[name].get(one.name) or DESCRIBED["shared"].get(one.name, {}))
            if about and get_origin(one.annotation) is not Annotated:
                kind: Any = Argument if about.pop("argument", False) else Option
                hint: Any = one.annotation
                hint = Annotated[hint, kind(*about.pop("flags", ()), **about)]
                one = one.replace(annotation=hint)
            parameters.append(one)
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return extend


Code = option("code")
Mechanism = option("mechanism")
Epsilon = option("epsilon")
Space = option("space")
Delimiter = option("files.delimiter")
Force = option("run.force")
