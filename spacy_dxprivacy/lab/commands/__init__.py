"""The commands of the lab, one file each. Flags and help texts are in data/lab_options.json."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from inspect import Signature, signature
from typing import Annotated, Any, TypeVar

from typer import Argument, Option

Command = TypeVar("Command", bound=Callable[..., None])
OPTIONS = json.loads((resources.files("spacy_dxprivacy") / "data/lab_options.json").read_bytes())


def described(name: str) -> Callable[[Command], Command]:
    """Add their flags and help texts to the arguments and options of a command."""

    def extend(command: Command) -> Command:
        parameters = []
        for one in signature(command, eval_str=True).parameters.values():
            about = dict(OPTIONS[name].get(one.name, {}))
            if about:
                kind: Any = Argument if about.pop("argument", False) else Option
                hint: Any = one.annotation
                hint = Annotated[hint, kind(*about.pop("flags", ()), **about)]
                one = one.replace(annotation=hint)
            parameters.append(one)
        command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        return command

    return extend
