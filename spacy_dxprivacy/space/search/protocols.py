"""Protocols of nearest-neighbour search."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from ...arrays import Floats2d, Ints1d


@runtime_checkable
class Index(Protocol):
    """Nearest-neighbour search."""

    def fit(self, X: Floats2d) -> object:
        """Index the table X to search, float32 (n, d)."""
        ...

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Return the nearest row to each query in Z (k, d), int64 (k,)."""
        ...


@runtime_checkable
class FindsSettings(Protocol):
    """A projection or index that chooses settings by the space."""

    def found(self) -> dict[str, Any]:
        """Return the settings that fit chose, for receipts."""
        ...
