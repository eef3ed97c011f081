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
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from tqdm import tqdm

from ..errors import DxError, Errors, UsageError
from ..io.files.atomic import new_folder
from .search.faiss_index import (
    ABOUT,
    CODES,
    FORMAT,
    REFINE,
    FaissIndex,
    build,
    default_factory,
    load_faiss,
)
from .sources import BUILTIN, load
from .space import Space
from .tables.folder import digest_of


def make_index(
    source: str,
    target: Path,
    chosen: FaissIndex,
    *,
    force: bool = False,
    bar: Any = None,
) -> Space:
    """Load a space by its name and write it with its index into the target; all or nothing.

    Args:
        source: As of `load`.
        target: A folder that is not there, or holds an index, with `force`.
        chosen: The settings, as make_faiss checks them: factory and refine.
        force: Replace an index that is there.
        bar: A tqdm bar of rows that have been added.

    Raises:
        UsageError: Something may not be written over.
        DxError: faiss refuses the factory, memory would not do, or there is no such space.
    """
    if source != BUILTIN and target.resolve() == Path(source).resolve():
        raise UsageError(f"{target}: is the space itself. Choose another folder for the index.")
    if target.exists() and not force:
        raise UsageError(f"{target}: exists already. `force` overwrites an index.")
    if target.exists() and not (target / ABOUT).is_file():
        raise DxError(Errors.DX050.format(path=target, why="it holds something else."))
    space = load(source)
    bar = tqdm(disable=True) if bar is None else bar
    bar.total = len(space)
    with new_folder(target) as folder:
        bar.set_description("copying the space")
        folder.rmdir()  # what copies the space makes its own
        # Space.save never writes into a folder, it puts a new one in its place, so files of a saved
        # space can be links. What is not saved, or not as float32, is written.
        if space.path is None or not isinstance(space.vectors, np.memmap):
            space.save(folder)
        else:
            ignored = shutil.ignore_patterns(ABOUT, CODES)
            shutil.copytree(space.path, folder, copy_function=_link, ignore=ignored)
        X = Space.load(folder).vectors
        bar.set_description("learning codes")
        factory = chosen.factory or default_factory(*X.shape)
        index = build(X, factory, bar.update)
        bar.set_description("writing")
        load_faiss().write_index(index, str(folder / CODES))
        about = {
            "format": FORMAT,
            "factory": factory,
            "refine": REFINE if chosen.refine is None else chosen.refine,
            "faiss": load_faiss().__version__,
            "rows": X.shape[0],
            "dims": X.shape[1],
            "table": digest_of([], X),
            "space": space.digest,
            "name": space.name,
        }
        srsly.write_json(folder / ABOUT, about)
    return space


def _link(source: str, target: str) -> None:
    try:
        os.link(os.path.realpath(source), target)
    except OSError:  # another disk, or one without links
        shutil.copy2(source, target)
