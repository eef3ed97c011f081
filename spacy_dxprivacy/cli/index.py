"""`python -m spacy dx index`: a space and its fast index, ready to be mapped into memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm
from typer import Argument, Option

from ..search.faiss_index import make_faiss
from ..spaces.index_folder import make_index
from . import options
from .mistakes import REMOVED, mistakes_in_a_line

# fmt: off
Source = Annotated[str, Argument(
    metavar="SPACE", show_default=False,
    help="Where replacements come from: 'builtin', a file of word vectors, or a saved Space",
)]
Target = Annotated[Path, Argument(
    metavar="OUT", show_default=False,
    help="A folder to write: the space as a pipeline would filter it, and its index",
)]
Factory = Annotated[str | None, Option(
    "--factory", help="A factory string of faiss, such as PQ150x4fs or OPQ150,PQ150x4fs; if left "
    "out, 4 bits for every 2 dimensions",
)]
Refine = Annotated[int | None, Option(
    "--refine", help="How many candidates are compared exactly; 512 if left out",
)]
# fmt: on


def index_cli(
    source: Source,
    target: Target,
    factory: Factory = None,
    refine: Refine = None,
    force: options.Force = False,
) -> None:
    """Build a fast nearest-neighbour index of a space, on disk.

    OUT serves as the space (dx.FileSpace.v1) and as the index (dx.Faiss.v1) of a pipeline.
    """
    with (
        mistakes_in_a_line("index", REMOVED),
        tqdm(unit="row", leave=False, disable=None, file=sys.stderr) as bar,
    ):
        chosen = make_faiss(factory, refine)  # checks the settings before hours of work
        space = make_index(source, target, chosen, force=force, bar=bar)
    typer.echo(f"{target}: {len(space)} words, digest {space.digest[:12]}", err=True)
