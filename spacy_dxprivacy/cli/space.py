"""`python -m spacy dx space`: a file of word vectors in, a folder that loads at once out."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm
from typer import Argument, Option

from ..graph import graph_of
from ..graph.word_graph import clear
from ..space import Space
from ..spaces import Filter
from ..spaces.join import join as join_to_builtin
from ..spaces.sources import check_space_folder, make_space
from . import options
from .mistakes import mistakes_in_a_line, setting_up

FOUND_FEW = 0.25  # of the words that were held out

Source = Annotated[
    str,
    Argument(
        metavar="VECTORS",
        help="A file of word vectors (GloVe and word2vec text, .gz, .zip, "
        "archive.zip!member; word2vec binary), a saved space, or 'builtin'",
    ),
]
Target = Annotated[Path, Argument(metavar="OUT", help="The folder to write")]
MaxWords = Annotated[int | None, Option(help="Take the first N words, the most frequent")]
Pattern = Annotated[str | None, Option(help="A regular expression that whole words have to match")]
Exclude = Annotated[
    str,
    Option(
        help="Words never to put out: 'offensive' for the list of the package, a file with one "
        "word a line, or 'nothing'",
    ),
]
Graph = Annotated[
    bool,
    Option(
        help="Learn the graph of near words that dx.Path.v2, the default mechanism, draws on",
    ),
]
Join = Annotated[
    bool,
    Option(
        "--join",
        help="Join these words to the built-in space, which English text is best drawn from, and "
        "write both as one",
    ),
]


def space_cli(
    vectors: Source,
    target: Target,
    max_words: MaxWords = None,
    pattern: Pattern = None,
    exclude: Exclude = "offensive",
    graph: Graph = True,
    join: Join = False,
    force: options.Force = False,
) -> None:
    """Make a space of word vectors: the words that may come out, and what is learned from them.

    Example: python -m spacy dx space glove.6B.zip!glove.6B.300d.txt glove --max-words 50000
    """
    start = time.perf_counter()
    with mistakes_in_a_line("space"), setting_up():
        check_space_folder(target, force=force)
        chosen = Filter(max_words, pattern, [] if exclude == "nothing" else exclude)
        # Of many words the graph takes long: what is done lies beside the target until all is.
        unfinished = target.with_name(f"{target.name}.unfinished")
        make = _joined if join else _made
        space = make(vectors, chosen, unfinished if graph else None)
        space.save(target)
        if graph:
            clear(unfinished)
        n, d = space.vectors.shape
        size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
        typer.echo(
            f"{n} words of {d} dimensions, {size / 2**20:.0f} MB, in "
            f"{time.perf_counter() - start:.0f} s: {target}\ndigest {space.digest}",
            err=True,
        )


def _joined(vectors: str, chosen: Filter, unfinished: Path | None) -> Space:
    """Says how well the words fit."""
    found = join_to_builtin(_made(vectors, chosen, None))
    typer.echo(
        f"{found.new:,} words joined, by {found.shared:,} that both have; of those held out, "
        f"{found.found:.0%} came to lie beside themselves.",
        err=True,
    )
    if found.found < FOUND_FEW:
        typer.echo(
            "dx space: that is few: the map hardly knows where the joined words belong, and words "
            "of another meaning may be drawn for them. Vectors of more dimensions or of more text "
            "help.",
            err=True,
        )
    if unfinished:
        typer.echo("Learning which words are near, which may take minutes (--no-graph).", err=True)
        graph_of(found.space, unfinished=unfinished)
    return found.space


def _made(vectors: str, chosen: Filter, unfinished: Path | None) -> Space:
    """unfinished: where a graph lies while it is learned; None for none."""
    with tqdm(unit="B", unit_scale=True, disable=None, leave=False, file=sys.stderr) as bar:
        learn, show = unfinished is not None, partial(_show, bar)
        return make_space(vectors, chosen, graph=learn, unfinished=unfinished, progress=show)


def _show(bar: tqdm[None], done: int, total: int | None) -> None:
    bar.total = total
    bar.update(done - bar.n)
