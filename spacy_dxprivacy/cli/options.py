"""Options that several commands share, with their help texts, and overrides of a config."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.cli._util import parse_config_overrides
from typer import Argument, Option

from ..config import names_of

# -- what makes a pipeline -------------------------------------------------------------------------

Config = Annotated[Path | None, Option("--config", "-c", help="Config file of a spaCy pipeline")]
Model = Annotated[str | None, Option("--model", help="spaCy pipeline with a recogniser, or rules")]
Mechanism = Annotated[
    str | None,
    Option("--mechanism", "-m", help="Mechanism: path (default), 'mahalanobis lam=1', ..."),
]
Epsilon = Annotated[
    float | None, Option("--epsilon", "-e", help="Privacy parameter: smaller is more private")
]
Level = Annotated[str | None, Option("--level", help="Instead of epsilon: light, balanced, strong")]
Entities = Annotated[
    str | None, Option("--entities", help="Replace only these entities: person,date")
]
Surrogates = Annotated[
    str | None,
    Option("--surrogates", help="Of entities: standard, clinical, none, or a file"),
]
Key = Annotated[Path | None, Option("--key", help="Secret key: same original, same surrogate")]
Edit = Annotated[bool, Option("--edit", help="Edit the output by public knowledge, at no cost")]
Code = Annotated[
    Path | None, Option("--code", help="Python file to run first, with your own components")
]
Language = Annotated[
    str | None, Option("--language", help="Language of the texts: en, de, fr, es, nl, it")
]

# -- others ----------------------------------------------------------------------------------------

NProcess = Annotated[int, Option("--n-process", "-n", help="Worker processes; -1 for one per core")]
Force = Annotated[bool, Option("--force", "-F", help="Overwrite existing files")]
Field = Annotated[str, Option("--field", help="Field of .jsonl and .csv that holds the text")]
Receipt = Annotated[Path | None, Option("--receipt", help="Receipt of the release")]
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


def overrides_of(ctx: typer.Context) -> dict[str, Any]:
    """Return the values of `--dotted.path value` by path, read as `spacy train` reads them."""
    return dict(parse_config_overrides(list(ctx.args), env_var=None))


def names(given: list[str] | None) -> tuple[str, ...]:
    """Return the names of a repeated option, each of which may hold several with commas."""
    return names_of(given or ())


def kept(given: str | None) -> tuple[str, ...] | None:
    """Return the names of --keep-fields; () for none, and None, which is all, if it is left out."""
    if given is None:
        return None
    return () if given.strip() == "none" else names_of(given)
