"""Options that several commands share, and options generated from settings dataclasses."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from spacy.cli._util import parse_config_overrides
from typer import Argument, Option

from ..config import FileOptions, PipelineOptions, ProxyOptions, ServiceOptions

Force = Annotated[bool, Option("--force", "-F", help="Overwrite existing files")]
Field = Annotated[str, Option("--field", help="Field of .jsonl and .csv that holds the text")]
Receipt = Annotated[Path | None, Option("--receipt", help="Receipt of the release")]
Code = Annotated[
    Path | None, Option("--code", help="Python file to run first, with your own components")
]
Mechanism = Annotated[
    str | None,
    Option("--mechanism", "-m", help="Mechanism: path (default), 'mahalanobis lam=1', ..."),
]
Epsilon = Annotated[
    float | None, Option("--epsilon", "-e", help="Privacy parameter: smaller is more private")
]
Space = Annotated[
    str, Option("--space", help="Word vectors: builtin, a saved space, or a pipeline")
]
MaxWords = Annotated[
    int | None, Option("--max-words", min=2, help="Use the first N words of the space")
]
Mechanisms = Annotated[
    list[str] | None,
    Option("--mechanism", "-m", help="Mechanism, such as 'nadp tau=0.5'; may be repeated"),
]
Epsilons = Annotated[
    str | None,
    Option("--epsilon", "-e", help="Values of epsilon: LOW:HIGH:STEPS, or a list 1.8,2.2,3"),
]
AsJson = Annotated[bool, Option("--json", help="Print JSON")]
Target = Annotated[Path, Argument(metavar="OUT", show_default=False, help="Folder to write")]

# -- settings as options ---------------------------------------------------------------------------

SETTINGS = (FileOptions, PipelineOptions, ServiceOptions, ProxyOptions)


def from_settings(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace parameters of a command whose type is in SETTINGS with an option for each setting.

    names: the pipeline settings that get an option; all if empty. Overrides also become settings of
    the pipeline.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        keyword = inspect.Parameter.KEYWORD_ONLY
        kinds = {p.name: p.annotation for p in signature.parameters.values()
                 if p.annotation in SETTINGS}  # fmt: skip
        options = {
            name: {
                option.name: option.replace(kind=keyword)
                for option in options_of(kind)
                if kind is not PipelineOptions or option.name in (names or (option.name,))
            }
            for name, kind in kinds.items()
        }

        @wraps(command)
        def with_settings(ctx: typer.Context, **values: Any) -> None:
            for name, kind in kinds.items():
                settings = {key: values.pop(key) for key in options[name]}
                if kind is PipelineOptions:
                    settings["overrides"] = parse_config_overrides(list(ctx.args), env_var=None)
                values[name] = kind(**settings)
            command(**values)

        parameters = [inspect.Parameter("ctx", keyword, annotation=typer.Context)]
        for parameter in signature.parameters.values():
            shared = options.get(parameter.name)
            parameters += shared.values() if shared else [parameter.replace(kind=keyword)]
        with_settings.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        with_settings.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_settings

    return decorate


def options_of(settings: type) -> list[inspect.Parameter]:
    """Return options for the fields of a dataclass that are annotated with help text and flags."""
    hints, options = get_type_hints(settings, include_extras=True), []
    for setting in fields(settings):
        if get_origin(hints[setting.name]) is not Annotated:
            continue
        hint, text, *flags = get_args(hints[setting.name])
        is_list = get_origin(hint) is tuple
        kind: Any = list[str] if is_list else (get_args(hint) or (hint,))[0]
        default = None if is_list or setting.default is MISSING else setting.default
        flags = [f"--{setting.name.replace('_', '-')}", *flags]
        option = Option(*flags, help=text, show_default=default not in (None, ""))
        annotation: Any = Annotated[kind if default is not None else kind | None, option]
        options.append(
            inspect.Parameter(
                setting.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
        )
    return options
