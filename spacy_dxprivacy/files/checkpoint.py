"""Arrays that are filled row by row, and kept on disk when the process stops, at any time.

checkpoint.json   what the rows are made of, and how many rows of each array are done
NAME.npy          an array, mapped into memory
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from numpy.typing import DTypeLike

from ..errors import UsageError
from .atomic import write_bytes
from .limits import read_json

ABOUT = "checkpoint.json"


@dataclass(eq=False)
class Rows:
    """An array whose first `done` rows are valid."""

    array: Any
    done: int
    _keep: Callable[[int], object]

    def mark(self, done: int) -> None:
        """State that the first `done` rows are valid."""
        self._keep(done)
        self.done = done


class Checkpoint:
    """The arrays of one computation: in a folder, or, without one, in memory alone.

    Args:
        folder: The folder, made at the first array; None for memory.
        basis: What determines the rows. A folder of another basis is emptied.

    Raises:
        UsageError: For a folder of anything else.
    """

    def __init__(self, folder: Path | None = None, basis: str = "") -> None:
        self.folder, self.basis = folder, basis
        self._done: dict[str, int] = {}
        if folder is None or not folder.exists():
            return
        if folder.is_symlink() or not (folder / ABOUT).is_file():
            raise UsageError(f"{folder}: is no checkpoint, and is not replaced.")
        try:
            about = read_json(folder / ABOUT)
            done = {str(name): int(count) for name, count in about["done"].items()}
            fits = about["basis"] == basis
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            fits = False
        if fits:
            self._done = done
        else:
            shutil.rmtree(folder)

    def rows(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> Rows:
        """Return the array of a name, with the rows that are done."""
        if self.folder is None:
            return Rows(np.zeros(shape, dtype), 0, lambda done: None)
        path = self.folder / f"{name}.npy"
        array = self._open(path, shape, np.dtype(dtype)) if name in self._done else None
        if array is None:
            self._write(name, 0)
            array = np.lib.format.open_memmap(path, "w+", dtype, shape)

        def keep(done: int) -> None:
            array.flush()
            self._write(name, done)

        return Rows(array, min(self._done[name], shape[0]), keep)

    def file(self, name: str, write: Callable[[str], object]) -> None:
        """Keep a file that a function writes to a path, atomically; nothing without a folder."""
        if self.folder is not None:
            self._write(name, 1)
            write(str(self.folder / f"{name}.part"))
            os.replace(self.folder / f"{name}.part", self.folder / name)

    def find(self, name: str) -> Path | None:
        """Return the path of a kept file, if there is one."""
        path = None if self.folder is None else self.folder / name
        return path if path is not None and name in self._done and path.is_file() else None

    def remove(self) -> None:
        """Delete the folder."""
        if self.folder is not None and self.folder.exists():
            shutil.rmtree(self.folder)

    def _write(self, name: str, done: int) -> None:
        self._done[name] = done
        folder = Path(str(self.folder))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = srsly.json_dumps({"basis": self.basis, "done": self._done})
        write_bytes(folder / ABOUT, text.encode(), force=True)

    @staticmethod
    def _open(path: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        try:
            array = np.lib.format.open_memmap(path, "r+")
        except (OSError, ValueError):
            return None
        return array if (array.shape, array.dtype) == (shape, dtype) else None
