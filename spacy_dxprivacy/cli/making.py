"""`dx space` and `dx index`: make spaces of word vectors, and their indexes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..errors import UsageError
from ..metric import graph_of
from ..space import Space
from ..space.search.faiss_index import FOLDER, write_index
from ..space.sources import Filter, check_space_folder, load
from . import options
from .terminal import setup_errors


def space_cli(
    vectors: Annotated[str, Argument(
        metavar="VECTORS", help="Word vectors: a pipeline, a saved space, or 'builtin'"
    )],
    target: options.Target,
    max_words: Annotated[int | None, Option(
        "--max-words", min=2, help="Use the first N words, the most frequent ones"
    )] = None,
    pattern: Annotated[str | None, Option(
        "--pattern", help="Regular expression that whole words must match"
    )] = None,
    exclude: Annotated[str, Option(
        "--exclude", help="Words never to output: offensive, nothing, or a file"
    )] = "offensive",
    graph: Annotated[bool, Option(
        "--graph/--no-graph", help="Learn the word graph that dx.Path.v2 draws on"
    )] = True,
    force: options.Force = False,
) -> None:  # fmt: skip
    """Make a space of word vectors, from which replacements are sampled.

    VECTORS is a pipeline with vectors (a folder or an installed package), a saved space, or
    'builtin'. `python -m spacy init vectors` makes a pipeline from a file of word vectors.

    Example: python -m spacy dx space en_core_web_md my_space --max-words 50000
    """
    start = time.perf_counter()
    with setup_errors():
        check_space_folder(target, force=force)
        chosen = Filter(max_words, pattern, [] if exclude == "nothing" else exclude)
        space = load(vectors, chosen)
        if graph:
            graph_of(space)
        space.save(target)
        n, d = space.vectors.shape
        size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
        typer.echo(
            f"{n} words of {d} dimensions, {size / 2**20:.0f} MB, in "
            f"{time.perf_counter() - start:.0f} s: {target}\ndigest {space.digest}",
            err=True,
        )


def index_cli(
    space: Annotated[Path, Argument(
        metavar="SPACE", show_default=False, help="Folder of a saved space, which takes the index"
    )],
    force: options.Force = False,
) -> None:  # fmt: skip
    """Build a fast nearest-neighbour index in the folder of a saved space.

    To use it, set this folder as `path` of dx.Faiss.v1, and load the space with dx.FileSpace.v1
    from the same folder, with all of its words.
    """
    with setup_errors():
        table = Space.load(space)
        if (space / FOLDER).exists() and not force:
            raise UsageError(f"{space}: has an index already. `force` builds it again.")
        recall = write_index(table.vectors, space)
    typer.echo(
        f"{space / FOLDER}: {len(table)} words; the nearest word is found for {recall:.1%} of "
        "noisy vectors.",
        err=True,
    )
