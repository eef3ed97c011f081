"""No privacy at all (dx.Identity.v1): every word comes out as it went in. For tests alone."""

from __future__ import annotations

import warnings

from ..errors import DxWarning, Warnings
from ..guarantee import Guarantee
from ..randomness import Rng
from ..registries import registry
from ..space import Space
from ..ty import Draw, Ints1d
from .noise import checked_rows, fitted


class Identity:
    name = "dx.Identity.v1"

    def __init__(self) -> None:
        self.guarantee = Guarantee("none", notes="Words come out as they went in.")
        self._space: Space | None = None

    def fit(self, space: Space) -> Identity:
        self.guarantee = self.guarantee.named(space.digest)
        self._space = space
        return self

    def sample(self, rows: Ints1d, rng: Rng) -> Draw:
        """rows: int64 (k,) -> the same rows, and their vectors of the table."""
        space = fitted(self._space, self.name)
        rows = checked_rows(rows, len(space))
        return Draw(rows, space.vectors[rows])


@registry.dx_mechanisms("dx.Identity.v1")
def make_identity() -> Identity:
    mechanism = Identity()
    notes, status = mechanism.guarantee.notes, mechanism.guarantee.status
    message = Warnings.DX101.format(mechanism=mechanism.name, status=status, notes=notes)
    warnings.warn(message, DxWarning, stacklevel=2)
    return mechanism
