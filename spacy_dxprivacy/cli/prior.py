"""`python -m spacy dx prior`: public texts in, a law of sentences out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..priors.corpus import read_texts
from ..priors.make import PAIRS, TYPES, Made, Recipe, make_prior
from ..priors.saved import check_target
from ..spaces import BUILTIN, load
from . import options
from .mistakes import REMOVED, mistakes_in_a_line, setting_up

# fmt: off
Texts = Annotated[Path, Argument(
    metavar="PUBLIC_TEXTS", show_default=False,
    help="A .txt or .jsonl file, plain or .gz, or a folder of such files. Anyone may read out of "
    "the prior what they hold: public texts alone, never those to be sanitised",
)]
Target = Annotated[Path, Argument(
    metavar="OUT", show_default=False,
    help="A folder to write, for dx.WordPairs.v1",
)]
Types = Annotated[int, Option(min=2, help="The commonest words, which are told apart")]
Pairs = Annotated[int, Option(min=0, help="Pairs that are listed: those that tell most")]
Field = Annotated[str, Option(help="The field of .jsonl that holds the text")]
Lang = Annotated[str, Option(help="The language, whose tokenizer cuts the texts")]
SpaceName = Annotated[str, Option(
    "--space", help="Whose words the texts should hold: 'builtin', a file of word vectors, or a "
    "saved space",
)]
# fmt: on


def prior_cli(
    texts: Texts,
    target: Target,
    types: Types = TYPES,
    pairs: Pairs = PAIRS,
    field: Field = "text",
    lang: Lang = "en",
    space: SpaceName = BUILTIN,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Make public language of texts that you declare public: a prior for dx.Path.v2.

    Example: python -m spacy dx prior wikipedia.txt.gz medicine --types 20000
    """
    with mistakes_in_a_line("prior", REMOVED):
        with setting_up():
            check_target(target, force=force)
            recipe = Recipe(types=types, pairs=pairs, lang=lang, name=target.name)
            words = load(space)
        made = make_prior(read_texts(texts, field), recipe, words, partial(_say, quiet))
        made.save(target, force=force)
    typer.echo(told(made, target), err=True)


def _say(quiet: bool, line: str) -> None:
    if not quiet:
        typer.echo(line, err=True)


def told(made: Made, target: Path) -> str:
    """What the prior is worth, in two lines."""
    return (
        f"{target}: {len(made.law.words):,} types, of which the space holds "
        f"{made.in_space:.1%}\n"
        f"held-out text ({made.held_out_words:,} words): perplexity {made.perplexity:.1f} on the "
        f"{made.coverage:.1%} of words that it knows"
    )
