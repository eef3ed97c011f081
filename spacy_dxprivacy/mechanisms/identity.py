"""No privacy at all (dx.Identity.v1): every word comes out as it went in. For tests alone.

Use       to see what the rest of a pipeline does
"""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Bools1d, Ints1d
from ..guarantee import Guarantee
from ..randomness import Rng
from ..registries import registry
from ..space import Space
from ..ty import Draw
from .base.built import checked_rows, fitted, warn_if_void


@dataclass(frozen=True)
class IdentitySettings:
    """What make_identity was given, checked."""

    pass


class Identity:
    name = "dx.Identity.v1"
    in_clear = ("every word",)
    settings = IdentitySettings()

    def __init__(self) -> None:
        self.guarantee = Guarantee("none", notes="Words come out as they went in.")
        self._space: Space | None = None
        warn_if_void(self.name, self.guarantee)

    def fit(self, space: Space) -> Identity:
        self.guarantee = self.guarantee.named(space.digest)
        self._space = space
        return self

    def sample(
        self,
        rows: Ints1d,
        rng: Rng,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        between: list[str] | None = None,
    ) -> Draw:
        """rows: int64 (k,) -> the same rows, and their vectors of the table; the others say
        nothing here."""
        space = fitted(self._space, self.name)
        rows = checked_rows(rows, len(space))
        return Draw(rows, space.vectors[rows])


@registry.dx_mechanisms("dx.Identity.v1")
def make_identity() -> Identity:
    """The words themselves: to see what the rest of a pipeline does."""
    return Identity()
