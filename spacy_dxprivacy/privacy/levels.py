"""What epsilon means: nats between the words of a space, and what attackers recovered.

Epsilon is nats per unit of distance, so epsilon = 10 where words are 8 apart is 80 nats.

`LEVELS` are settings of dx.Path.v2: light, balanced, strong. Measured on the built-in space, policy
"general", word pairs: 1,157 words of 40 clinical notes, 152 of them rare, one release each, by
three attackers with the exact channel: word pairs of English, word pairs of clinical text, and a
causal model (docs/reference/figures.md has the command). At each epsilon the one that recovers more
counts. A level says nothing of other texts: measure these with `dx attack frontier`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from ..arrays import Ints1d
from ..ty import HasMetric, Mechanism
from ..validate import one_of

# -- nats between words ----------------------------------------------------------------------------

PROBES = 128
NUMBERS = 2**26  # distances that a look at the space may cost


def scale_of(mechanism: Mechanism, n: int) -> dict[str, dict[str, float]] | None:
    """For "nearest" (a word and its nearest one, the median of probed words), "median" (two words
    at random) and "diameter" (any two: the largest distance where the mechanism knows it, else an
    upper bound that is at most twice too high): their distance, the nats that epsilon makes of it,
    and, for Laplace noise, nats_at_delta, the epsilon of an (epsilon, 1e-6) guarantee for such a
    pair. None where the guarantee is not in a metric on the whole space, or all words are at one
    point."""
    if mechanism.guarantee.kind != "metric-dp" or not isinstance(mechanism, HasMetric) or n < 2:
        return None
    known = getattr(mechanism, "apart", None)
    apart = measured_apart(mechanism, n) if known is None else dict(known)
    if apart is None:
        return None
    apart["diameter"] = getattr(mechanism, "longest", None) or apart["diameter"]
    return {name: _nats(mechanism, distance) for name, distance in apart.items()}


def measured_apart(mechanism: HasMetric, n: int) -> dict[str, float] | None:
    """The distances of scale_of, from probed words; "diameter" is a bound. None as there."""
    D = mechanism.distances(_probes(n))
    if np.isinf(D).any():
        return None  # some words are not protected from each other, whatever epsilon
    D = D[(D > 0).any(axis=1)]
    if not len(D):
        return None
    return {
        "nearest": float(np.median(D.min(axis=1, where=D > 0, initial=np.inf))),
        "median": float(np.median(D[D > 0])),
        "diameter": 2 * float(D.max(axis=1).min()),
    }


def _nats(mechanism: Mechanism, distance: float) -> dict[str, float]:
    nats = {"distance": distance, "nats": mechanism.guarantee.epsilon * distance}
    known = getattr(mechanism, "approximate", None)
    at_delta = None if known is None else known(distance)
    return nats if at_delta is None else {**nats, "nats_at_delta": at_delta}


def _probes(n: int) -> Ints1d:
    """Rows spread evenly over the table: public, and the same every time."""
    count = min(n, max(8, min(PROBES, NUMBERS // n)))
    return np.unique(np.linspace(0, n - 1, count).astype(np.int64))


# -- what attackers recovered ----------------------------------------------------------------------

MECHANISM = "dx.Path.v2"

Points = Sequence[tuple[float, float, float]]  # epsilon, rising, and two shares from 0 to 1

# Words that came out as they went in; cosine of outputs to inputs.
KEPT: Points = ((0.65, 0.3181, 0.5626), (0.9, 0.4564, 0.7018), (1.2, 0.5869, 0.8246))
# Words that each attacker named; of rare words. Of attackers that find as much, the first is named.
FOUND: Mapping[str, Points] = {
    "word pairs of clinical text": (
        (0.65, 0.3691, 0.00658), (0.9, 0.5056, 0.05921), (1.05, 0.5670, 0.05921),
        (1.2, 0.6353, 0.08553),
    ),
    "word pairs": ((0.65, 0.3423, 0.01316), (0.9, 0.484, 0.05921), (1.2, 0.6188, 0.09868)),
    "a causal model of 135 million parameters": (
        (0.9, 0.4901, 0.05263), (1.05, 0.567, 0.079), (1.1, 0.572, 0.072), (1.17, 0.612, 0.118),
        (1.2, 0.6249, 0.09868),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Level:
    """epsilon: nats per unit of path. kept: the share of words, 0 to 1, that came out as they went
    in. cosine: of outputs to inputs. found: the share that `attacker` named, who found most; of
    rare words, rare_attacker named most."""

    epsilon: float
    kept: float
    found: float
    rare_found: float
    cosine: float
    attacker: str
    rare_attacker: str

    def __str__(self) -> str:
        other = "" if self.rare_attacker == self.attacker else f"one with {self.rare_attacker} "
        return (
            f"epsilon {self.epsilon:g}: on clinical notes {self.kept:.0%} of the words stay; an "
            f"attacker with {self.attacker} finds {self.found:.0%} of them, and {other}"
            f"{self.rare_found:.0%} of the rare ones"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for json, with what they were measured on."""
        told = asdict(self).items()
        rounded = {name: round(v, 3) if isinstance(v, float) else v for name, v in told}
        return {"texts": "clinical notes", **rounded}


def _between(points: Points, epsilon: float) -> tuple[float, float] | None:
    """The two shares there, by straight lines between the points; above the last one at least what
    is there, as more is found with more epsilon; None below the first."""
    if epsilon > points[-1][0]:
        return points[-1][1:]
    for (low, *first), (high, *last) in pairwise(points):
        if low <= epsilon <= high:
            share = (epsilon - low) / (high - low)
            one, two = ((1 - share) * a + share * b for a, b in zip(first, last, strict=True))
            return one, two
    return None


def measured_at(epsilon: float) -> Level | None:
    """None where nobody measured."""
    kept = None if epsilon > KEPT[-1][0] else _between(KEPT, epsilon)
    tried = {name: _between(points, epsilon) for name, points in FOUND.items()}
    found = {name: some for name, some in tried.items() if some is not None}
    if kept is None or not found:
        return None
    best, of_rare = (max(found, key=lambda name: found[name][i]) for i in (0, 1))
    most = found[best][0], found[of_rare][1]
    return Level(epsilon, kept[0], *most, kept[1], best, of_rare)


LEVELS = MappingProxyType(
    {
        name: found
        for name, epsilon in {"light": 1.2, "balanced": 0.9, "strong": 0.65}.items()
        if (found := measured_at(epsilon)) is not None
    }
)


def found_by(mechanism: object, epsilon: float) -> Level | None:
    """What attackers found of texts that the mechanism drew at epsilon; None where nobody
    measured."""
    return measured_at(epsilon) if getattr(mechanism, "measured", False) else None


def sentence(found: Mapping[str, Any] | None) -> str:
    """found: of a receipt, as Level.to_dict has it, or as earlier versions had it, by one attacker;
    None where nobody measured."""
    if found is None:
        return (
            "What an attacker finds at this setting was not measured: `dx attack frontier TEXT` "
            "measures it on texts of yours."
        )
    return f"On other texts ({found['texts']}) at this setting, an attacker {named(found)}."


def named(found: Mapping[str, Any]) -> str:
    """What who found most named: "with word pairs named 48% of the words, ..." """
    rare = found.get("rare_attacker", found["attacker"])
    other = "" if rare == found["attacker"] else f"one with {rare} "
    return (
        f"with {found['attacker']} named {found['found']:.0%} of the words, and {other}"
        f"{found['rare_found']:.0%} of the rare ones; {found['kept']:.0%} had come out as they were"
    )


def level(name: str) -> Level:
    """Raises DxError for a level that there is not."""
    return LEVELS[one_of("level", name, tuple(LEVELS))]
