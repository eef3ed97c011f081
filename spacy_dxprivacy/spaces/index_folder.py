"""The folder that `python -m spacy dx index` writes: a saved space with its index in it.

index.faiss   what faiss.write_index writes
index.json    format, factory, refine, version of faiss, and the digests below
...           the files of the space (see tables/folder.py), hard links where the disk allows

A pipeline names the folder twice: as its space (dx.FileSpace.v1) and as its index (dx.Faiss.v1).
The vectors are mapped into memory, so all processes of a machine share one copy. Codes of fast scan
have to be read, as faiss cannot map them: forked workers share those of their parent, spawned ones
have a copy each (75 bytes a row for 300 dimensions). Other codes are mapped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import srsly

from ..arrays import Floats2d
from ..errors import DxError, Errors, UsageError
from ..files.atomic import new_folder
from ..search.faiss_codes import REFINE, Progress, build, default_factory, load_faiss
from ..search.faiss_index import make_faiss
from ..search.saved_index import ABOUT, CODES, FORMAT, table_digest
from ..space import Space
from .sources import BUILTIN, load


def make_index(
    source: str,
    target: Path,
    *,
    factory: str | None = None,
    refine: int | None = None,
    force: bool = False,
    on_size: Callable[[int], Any] | None = None,
    on_rows: Progress | None = None,
    on_step: Callable[[str], Any] | None = None,
) -> Space:
    """Load a space by its name, and write it with its index into the target: the space that is
    there. on_size: called with the number of its rows; the others as in write_index.

    Raises UsageError where something may not be written over, DxError as write_index and load do.
    """
    make_faiss(factory, refine)  # checks the settings before hours of work
    if source != BUILTIN and target.resolve() == Path(source).resolve():
        raise UsageError(f"{target}: is the space itself. Give the index a folder of its own.")
    if target.exists() and not force:
        raise UsageError(f"{target}: exists already. `force` overwrites an index.")
    check_target(target)
    space = load(source)
    (on_size or (lambda n: None))(len(space))
    write_index(space, target, factory=factory, refine=refine, on_rows=on_rows, on_step=on_step)
    return space


def write_index(
    space: Space,
    path: Path,
    *,
    factory: str | None = None,
    refine: int | None = None,
    on_rows: Progress | None = None,
    on_step: Callable[[str], Any] | None = None,
) -> None:
    """Build the index of a space and write both; all or nothing. on_rows: called with each number
    of rows that have been added. on_step: called with what is done next.

    Raises DxError where faiss refuses the factory, memory would not do, or something other than
    such a folder is at the path.
    """
    check_target(path)
    say = on_step or (lambda step: None)
    with new_folder(path) as folder:
        say("copying the space")
        folder.rmdir()  # what copies the space makes its own
        _write_space(space, folder)
        X = Space.load(folder).vectors
        say("learning codes")
        factory = factory or default_factory(*X.shape)
        index = build(X, factory, on_rows)
        say("writing")
        load_faiss().write_index(index, str(folder / CODES))
        srsly.write_json(folder / ABOUT, _about(space, X, factory, refine))


def check_target(path: Path) -> None:
    """Raises DxError where something that is no saved index would be written over."""
    if path.exists() and not (path / ABOUT).is_file():
        raise DxError(Errors.DX050.format(path=path, why="something else is there."))


def _write_space(space: Space, folder: Path) -> None:
    """Links to the files of a saved space: Space.save never writes into one, it puts a new folder
    in its place. What is not saved, or not as float32, is written."""
    source = space.path
    if source is None or not isinstance(space.vectors, np.memmap):
        space.save(folder)
        return
    shutil.copytree(source, folder, copy_function=_link, ignore=_no_index)


def _no_index(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in (ABOUT, CODES)]


def _link(source: str, target: str) -> None:
    try:
        os.link(os.path.realpath(source), target)
    except OSError:  # another disk, or one without links
        shutil.copy2(source, target)


def _about(space: Space, X: Floats2d, factory: str, refine: int | None) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "factory": factory,
        "refine": REFINE if refine is None else refine,
        "faiss": load_faiss().__version__,
        "rows": X.shape[0],
        "dims": X.shape[1],
        "table": table_digest(X),
        "space": space.digest,
        "name": space.name,
    }
