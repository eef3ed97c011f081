"""Settings of dx.Path.v2 by what was found in clinical notes at them: light, balanced, strong.

Measured on the built-in space, policy "general", word pairs: 1,157 words of 40 notes, 152 of them
rare, one release each, against the attacker of attacks/reading.py (docs/attacks.md, which has the
command). The level says nothing of other texts: measure these with `dx attack frontier`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

from ..validate import one_of

MECHANISM = "dx.Path.v2"
RARE_WORDS = 1e-5  # share of web text below which a word is rare


@dataclass(frozen=True)
class Level:
    """epsilon: nats per unit of path. kept, found, rare_found: shares of words, 0 to 1, that came
    out as they went in; that the attacker named; of rare words. cosine: of outputs to inputs."""

    epsilon: float
    kept: float
    found: float
    rare_found: float
    cosine: float

    def __str__(self) -> str:
        return (
            f"epsilon {self.epsilon:g}: on clinical notes {self.kept:.0%} of the words stay; an "
            f"attacker with a language model finds {self.found:.0%} of them, and "
            f"{self.rare_found:.0%} of the rare ones"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for json, with what they were measured on."""
        shares = {name: round(share, 3) for name, share in asdict(self).items()}
        return {"texts": "clinical notes", "attacker": "word pairs and the exact channel", **shares}


LEVELS = MappingProxyType(
    {
        "light": Level(1.2, 0.5869, 0.6188, 0.09868, 0.8246),
        "balanced": Level(0.9, 0.4564, 0.484, 0.05921, 0.7018),
        "strong": Level(0.65, 0.3181, 0.3423, 0.01316, 0.5626),
    }
)


@runtime_checkable
class Measured(Protocol):
    """A mechanism that knows whether the levels were measured with it."""

    @property
    def measured(self) -> bool:
        """Whether these are its settings, epsilon aside, and its space."""
        ...


def found_by(mechanism: object, epsilon: float) -> Level | None:
    """What the attacker found of texts that the mechanism drew at epsilon, by straight lines
    between the levels; None where nobody measured."""
    points = sorted(LEVELS.values(), key=lambda one: one.epsilon)
    if not isinstance(mechanism, Measured) or not mechanism.measured:
        return None
    for a, b in pairwise(points):
        if a.epsilon <= epsilon <= b.epsilon:
            share = (epsilon - a.epsilon) / (b.epsilon - a.epsilon)
            first, last = asdict(a), asdict(b)
            mixed = {f.name: (1 - share) * first[f.name] + share * last[f.name] for f in fields(a)}
            return Level(**{**mixed, "epsilon": epsilon})
    return None


def sentence(found: Mapping[str, Any] | None) -> str:
    """found: of a receipt, as Level.to_dict has it; None where nobody measured."""
    if found is None:
        return (
            "What an attacker finds at this setting was not measured: `dx attack frontier TEXT` "
            "measures it on texts of yours."
        )
    return (
        f"On other texts ({found['texts']}) at this setting, an attacker with a language model "
        f"({found['attacker']}) named {found['found']:.0%} of the words, and "
        f"{found['rare_found']:.0%} of the rare ones; {found['kept']:.0%} had come out as they "
        "were."
    )


def level(name: str) -> Level:
    """Raises DxError for a level that there is not."""
    return LEVELS[one_of("level", name, tuple(LEVELS))]
