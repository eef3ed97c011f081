"""A built table, read back without the package."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass
class Table:
    """``vectors`` are float32 rows; ``masks`` hold one bit for each of ``class_names``."""

    words: list[str]
    vectors: NDArray[np.float32]
    masks: NDArray[np.uint64]
    class_names: list[str]
    row: dict[str, int]

    def has(self, name: str) -> NDArray[np.bool_]:
        bit = np.uint64(1 << self.class_names.index(name))
        return (self.masks & bit) != 0

    def members(self, name: str) -> list[int]:
        return [int(i) for i in np.flatnonzero(self.has(name))]


def read_table(folder: Path) -> Table:
    """Reads the files that ``finish.write`` writes."""
    meta = json.loads((folder / "space.json").read_text(encoding="utf-8"))
    words = (folder / "words.txt").read_text(encoding="utf-8").splitlines()
    rows = np.load(folder / "vectors.npy").astype(np.float32)
    vectors = rows * np.load(folder / "scales.npy")[:, None]
    masks = np.load(folder / "classes.npy")
    return Table(words, vectors, masks, meta["class_names"], {w: i for i, w in enumerate(words)})
