"""No privacy at all (dx.Identity.v1): every word is unchanged. For tests only.

Use       to see what the rest of a pipeline does
"""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Ints1d
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..ty import Draw, Facts
from .built import BuiltMechanism


@registry.dx_mechanisms("dx.Identity.v1")
def make_identity() -> Identity:
    """Create a mechanism that leaves all words in plaintext, to inspect the rest of a pipeline."""
    guarantee = Guarantee("none", notes="Words are unmodified.")
    facts = Facts(in_clear=("every word",))
    return Identity("dx.Identity.v1", guarantee, build, facts)


@dataclass(frozen=True)
class NoPrivacy:
    guarantee: Guarantee


def build(space: Space, guarantee: Guarantee) -> NoPrivacy:
    return NoPrivacy(guarantee)


class Identity(BuiltMechanism[NoPrivacy]):
    """Return the input rows, with their vectors."""

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        return Draw(rows, self.space.vectors[rows])
