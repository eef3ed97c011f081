"""Options that several commands share, with their help texts, and overrides of a config."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.cli._util import parse_config_overrides
from typer import Argument, Option

from ..config import PipelineOptions, names_of

# What makes a pipeline, by the names of PipelineOptions.
PIPELINE: dict[str, Any] = {
    "config": Annotated[
        Path | None, Option("--config", "-c", help="Config file of a spaCy pipeline")
    ],
    "model": Annotated[
        str | None, Option("--model", help="spaCy pipeline with a recogniser, or rules")
    ],
    "mechanism": Annotated[
        str | None,
        Option("--mechanism", "-m", help="Mechanism: path (default), 'mahalanobis lam=1', ..."),
    ],
    "epsilon": Annotated[
        str | None,
        Option(
            "--epsilon", "-e", metavar="NUMBER",
            help="Smaller is more private; or light, balanced, strong",
        ),
    ],
    "entities": Annotated[
        str | None, Option("--entities", help="Replace only these entities: person,date")
    ],
    "surrogates": Annotated[
        str | None,
        Option("--surrogates", help="Of entities: standard, clinical, none, or a file"),
    ],
    "key": Annotated[
        Path | None, Option("--key", help="Secret key: same original, same surrogate")
    ],
    "language": Annotated[
        str | None, Option("--language", help="Language of the texts: en, de, fr, es, nl, it")
    ],
    "code": Annotated[
        Path | None, Option("--code", help="Python file to run first, with your own components")
    ],
}  # fmt: skip
Mechanism, Code = PIPELINE["mechanism"], PIPELINE["code"]

NProcess = Annotated[int, Option("--n-process", "-n", help="Worker processes; -1 for one per core")]
Force = Annotated[bool, Option("--force", "-F", help="Overwrite existing files")]
Field = Annotated[str, Option("--field", help="Field of .jsonl and .csv that holds the text")]
Receipt = Annotated[Path | None, Option("--receipt", help="Receipt of the release")]
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


def takes_pipeline(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options with these names (all if none is named), and overrides.

    It gets one argument for them, `pipeline`, of the type PipelineOptions.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        shared = [
            inspect.Parameter(name, context.kind, default=None, annotation=PIPELINE[name])
            for name in names or PIPELINE
        ]
        own = [
            parameter.replace(kind=context.kind)
            for parameter in signature.parameters.values()
            if parameter.name != "pipeline"
        ]

        @wraps(command)
        def with_pipeline(ctx: typer.Context, **values: Any) -> None:
            settings = {parameter.name: values.pop(parameter.name) for parameter in shared}
            overrides = parse_config_overrides(list(ctx.args), env_var=None)
            command(pipeline=PipelineOptions(**settings, overrides=overrides), **values)

        parameters = [context, *own, *shared]
        with_pipeline.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        with_pipeline.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_pipeline

    return decorate


def names(given: list[str] | None) -> tuple[str, ...]:
    """Return the names of a repeated option, each of which may hold several with commas."""
    return names_of(given or ())
