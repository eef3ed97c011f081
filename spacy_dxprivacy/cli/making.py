"""`dx space`, `dx index` and `dx prior`: what pipelines draw from, of public data."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..metric import graph_of
from ..prior.make import PAIRS, TYPES, Recipe, make_prior, read_texts
from ..prior.pairs import check_target
from ..space.index_folder import make_index
from ..space.join import join as join_to_builtin
from ..space.search.faiss_index import make_faiss
from ..space.sources import BUILTIN, Filter, check_space_folder, load
from . import options
from .terminal import REMOVED, bar, mistakes_in_a_line, setting_up

Folder = Annotated[Path, Argument(metavar="OUT", show_default=False, help="The folder to write")]
FOUND_FEW = 0.25  # of the words that were held out
FITS_BADLY = (
    "dx space: that is few: the map hardly knows where the joined words belong, and words of "
    "another meaning may be drawn for them. Vectors of more dimensions or of more text help."
)


# fmt: off
def space_cli(
    vectors: Annotated[str, Argument(
        metavar="VECTORS", help="A file of word vectors (GloVe and word2vec text, .gz, .zip, "
        "archive.zip!member; word2vec binary), a saved space, or 'builtin'",
    )],
    target: Folder,
    max_words: Annotated[int | None, Option(
        help="Take the first N words, the most frequent",
    )] = None,
    pattern: Annotated[str | None, Option(
        help="A regular expression that whole words have to match",
    )] = None,
    exclude: Annotated[str, Option(
        help="Words never to put out: 'offensive' for the list of the package, a file with one "
        "word a line, or 'nothing'",
    )] = "offensive",
    graph: Annotated[bool, Option(
        help="Learn the graph of near words that dx.Path.v2, the default mechanism, draws on",
    )] = True,
    join: Annotated[bool, Option(
        "--join", help="Join these words to the built-in space, which English text is best drawn "
        "from, and write both as one",
    )] = False,
    force: options.Force = False,
) -> None:
    # fmt: on
    """Make a space of word vectors: the words that may come out, and what is learned from them.

    Example: python -m spacy dx space glove.6B.zip!glove.6B.300d.txt glove --max-words 50000
    """
    start = time.perf_counter()
    with mistakes_in_a_line("space"), setting_up():
        check_space_folder(target, force=force)
        chosen = Filter(max_words, pattern, [] if exclude == "nothing" else exclude)
        space = load(vectors, chosen)
        if join:
            fit = join_to_builtin(space)
            typer.echo(
                f"{fit.new:,} words joined, by {fit.shared:,} that both have; of those held out, "
                f"{fit.found:.0%} came to lie beside themselves.",
                err=True,
            )
            if fit.found < FOUND_FEW:
                typer.echo(FITS_BADLY, err=True)
            space = fit.space
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


# fmt: off
def index_cli(
    source: Annotated[str, Argument(
        metavar="SPACE", help="'builtin', a file of word vectors, or a saved space",
    )],
    target: Folder,
    factory: Annotated[str | None, Option(
        help="A factory string of faiss, such as PQ150x4fs or OPQ150,PQ150x4fs; if left out, 4 "
        "bits for every 2 dimensions",
    )] = None,
    refine: Annotated[int | None, Option(
        help="How many candidates are compared exactly; 512 if left out",
    )] = None,
    force: options.Force = False,
) -> None:
    # fmt: on
    """Build a fast nearest-neighbour index of a space, on disk.

    OUT serves as the space (dx.FileSpace.v1) and as the index (dx.Faiss.v1) of a pipeline.
    """
    with mistakes_in_a_line("index", REMOVED), bar(unit="row") as shown:
        chosen = make_faiss(factory, refine)  # checks the settings before hours of work
        space = make_index(source, target, chosen, force=force, bar=shown)
    typer.echo(f"{target}: {len(space)} words, digest {space.digest[:12]}", err=True)


# fmt: off
def prior_cli(
    texts: Annotated[Path, Argument(
        metavar="PUBLIC_TEXTS", show_default=False, help="A .txt or .jsonl file, plain or .gz, or "
        "a folder of such files. Anyone may read out of the prior what they hold: public texts "
        "alone, never those to be sanitised",
    )],
    target: Folder,
    types: Annotated[int, Option(min=2, help="The commonest words, which are told apart")] = TYPES,
    pairs: Annotated[int, Option(
        min=0, help="Pairs that are listed: those that tell most",
    )] = PAIRS,
    field: Annotated[str, Option(help="The field of .jsonl that holds the text")] = "text",
    lang: Annotated[str, Option(help="The language, whose tokenizer cuts the texts")] = "en",
    space: Annotated[str, Option(
        help="Whose words the texts should hold: 'builtin', a file of vectors, or a saved space",
    )] = BUILTIN,
    force: options.Force = False,
) -> None:
    # fmt: on
    """Make public language of texts that you declare public: a prior for dx.Path.v2.

    Example: python -m spacy dx prior wikipedia.txt.gz medicine --types 20000
    """
    with mistakes_in_a_line("prior", REMOVED):
        with setting_up():
            check_target(target, force=force)
            recipe = Recipe(types=types, pairs=pairs, lang=lang, name=target.name)
            words = load(space)
        made = make_prior(read_texts(texts, field), recipe, words, partial(typer.echo, err=True))
        made.save(target, force=force)
    typer.echo(
        f"{target}: {len(made.law.words):,} types, of which the space holds {made.in_space:.1%}\n"
        f"held-out text ({made.held_out_words:,} words): perplexity {made.perplexity:.1f} on the "
        f"{made.coverage:.1%} of words that it knows",
        err=True,
    )
