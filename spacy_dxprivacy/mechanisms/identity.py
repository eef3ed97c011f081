"""No privacy at all (dx.Identity.v1): every word comes out unchanged. For tests alone.

Use       to see what the rest of a pipeline does
"""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Ints1d
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..ty import Draw
from .built import BuiltMechanism, checked_rows


@registry.dx_mechanisms("dx.Identity.v1")
def make_identity() -> Identity:
    """Create a mechanism that leaves words unmodified, to inspect the rest of a pipeline."""
    guarantee = Guarantee("none", notes="Words are unmodified.")
    return Identity("dx.Identity.v1", guarantee, _Settings(), ("every word",))


@dataclass(frozen=True, eq=False, repr=False)
class _Table:
    space: Space
    guarantee: Guarantee


@dataclass(frozen=True)
class _Settings:
    def build(self, space: Space, guarantee: Guarantee) -> _Table:
        return _Table(space, guarantee)


class Identity(BuiltMechanism[_Table]):
    """Rows in, the same rows out, with their vectors of the table."""

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        space = self.built.space
        rows = checked_rows(rows, len(space))
        return Draw(rows, space.vectors[rows])
