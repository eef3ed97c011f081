"""A graph that is being learned, in a folder: a fit of many words that ended early is taken up.

about.json   format, digest of the space, kept classes, reach, digests of the three files of edges
starts.npy ends.npy steps.npy   edges of each word
counts.npy   (n, reach), how many words are at each distance, of the words that are done
done.json    how many words are done

It is only taken up for the same space and classes, and where some of the counts, walked to again,
are what stands there; else all begins anew.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from numpy.lib.format import open_memmap

from ..arrays import Numbers1d
from ..files.atomic import write_bytes
from ..files.limits import read_array, read_json
from ..files.seals import SMALL, check_sealed, sealed

FORMAT = 1
EDGES = ("starts", "ends", "steps")
FILES = tuple(f"{name}.npy" for name in EDGES)
SECONDS = 10.0  # between two notes of how far it is
WRONG = (OSError, ValueError, KeyError, TypeError)

Edges = tuple[Numbers1d, Numbers1d, Numbers1d]


class Unfinished:
    """folder: made where it is missing. digest: of the space."""

    def __init__(self, folder: Path, digest: str, keep: Sequence[str], reach: int) -> None:
        self.folder = folder
        self.about = {"format": FORMAT, "digest": digest, "keep": list(keep), "reach": reach}
        self.done, self._noted = 0, time.monotonic()

    def edges(self) -> Edges | None:
        """Those that were found before; None where there are none for this space."""
        try:
            about = read_json(self.folder / "about.json")
            files = about.pop("files")
            if about != self.about:
                return None
            check_sealed(self.folder, files, FILES, SMALL)
            starts, ends, steps = (np.array(read_array(self.folder / name)) for name in FILES)
            return starts, ends, steps
        except WRONG:
            return None

    def keep_edges(self, edges: Edges) -> None:
        """Whatever was kept in the folder before goes."""
        clear(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, some in zip(FILES, edges, strict=True):
            np.save(self.folder / name, some)
        about = {**self.about, "files": sealed(self.folder, FILES)}
        srsly.write_json(self.folder / "about.json", about)

    def counts(self, shape: tuple[int, int], dtype: Any) -> Any:
        """The counts (n, reach), on disk; those of the first `done` words are made already."""
        self.done = self._done(shape, dtype)
        if self.done:
            self._counts: Any = open_memmap(self._path, mode="r+")
        else:
            self._counts = open_memmap(self._path, mode="w+", dtype=dtype, shape=shape)
        return self._counts

    def _done(self, shape: tuple[int, int], dtype: Any) -> int:
        try:
            done, found = read_json(self.folder / "done.json")["done"], read_array(self._path)
        except WRONG:
            return 0
        fits = found.shape == shape and found.dtype == dtype and type(done) is int
        return done if fits and 0 <= done <= shape[0] else 0

    def note(self, done: int, *, now: bool = False) -> None:
        """So many words are done; on disk at the end, and every few seconds."""
        self.done = done
        if now or time.monotonic() > self._noted + SECONDS:
            self._counts.flush()
            write_bytes(self.folder / "done.json", b'{"done": %d}' % done, force=True)
            self._noted = time.monotonic()

    @property
    def _path(self) -> Path:
        return self.folder / "counts.npy"


def clear(folder: Path) -> None:
    """Nothing is left of what was kept there; other files stay, and so does the folder then."""
    if not folder.is_dir():
        return
    for name in (*FILES, "about.json", "counts.npy", "done.json"):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
