"""Mechanisms of experiments: made by their registered names, with settings and one index."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ...arrays import Floats2d, Ints1d
from ...errors import DxWarning
from ...randomness import Rng
from ...registries import registry
from ...space import Space
from ...ty import Index, Mechanism

T = TypeVar("T")
INDEXES = {"exact": "dx.Exact.v1", "faiss": "dx.Faiss.v1", "auto": "dx.AutoIndex.v1"}


class Once:
    """An index that is built once for each table, however many mechanisms are fitted on it."""

    def __init__(self, name: str) -> None:
        self.index: Index = registry.resolve({"i": {"@dx_indexes": INDEXES[name]}})["i"]
        self._table: Floats2d | None = None

    def fit(self, X: Floats2d) -> Once:
        """Fits the index unless it holds this very table: X float (n, d)."""
        if X is not self._table:
            self.index.fit(X)
            self._table = X
        return self

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Z float (k, d) -> the nearest rows, int64 (k,)."""
        return self.index.nearest(Z)


class VectorsAlone:
    """A projection for experiments that look at noisy vectors: all words become the first one."""

    def fit(self, X: Floats2d, *, epsilon: float) -> VectorsAlone:
        """There is nothing to learn of X (n, d)."""
        return self

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Z (k, d) -> row 0 for each, int64 (k,): the vectors alone are wanted."""
        return np.zeros(len(Z), dtype=np.int64)


def make(
    name: str, space: Space, *, epsilon: float, index: Once | None = None, projection: Any = None,
    **settings: Any,
) -> Mechanism:  # fmt: skip
    """Fitted on the space. Its warnings are left out: the documents say what has no guarantee.

    index: of the nearest rule; projection: in place of that rule.
    """
    maker = registry.dx_mechanisms.get(name)
    if index is not None:
        projection = registry.dx_projections.get("dx.Nearest.v1")(index)
    if projection is not None:
        settings["projection"] = projection

    def fitted() -> Mechanism:
        mechanism: Mechanism = maker(epsilon=epsilon, **settings)
        mechanism.fit(space)
        return mechanism

    return quietly(fitted)


def quietly(making: Callable[[], T]) -> T:
    """What it makes; warnings of mechanisms without a guarantee are left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        return making()
