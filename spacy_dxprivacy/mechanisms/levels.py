"""What epsilon means: nats between the words of a space, and what attackers recovered.

Epsilon is nats per unit of distance, so epsilon = 10 where words are 8 apart is 80 nats.

`LEVELS` are settings of dx.Path.v2: light, balanced, strong. Measured on the built-in space, policy
"general", dx.WordPairs.v1: 1,121 words of 40 clinical notes, 156 of them rare, one release each,
by attackers with the exact channel: word pairs of English, of clinical text and of the prior, and
a causal model (docs/reference/figures.md has the command). At each epsilon the one that recovers
more counts. A level says nothing of other texts: measure these with `dx attack frontier`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..about import DATA
from ..ty import HasMetric, Mechanism, facts_of


def scale_of(mechanism: Mechanism, n: int) -> dict[str, dict[str, float]] | None:
    """Return what epsilon amounts to between words of a space of n, at three distances.

    "nearest": a word and its nearest one, the median of probed words; "median": two words at
    random; "diameter": any two, the largest distance where the mechanism knows it, else an upper
    bound that is at most twice too high. Each has "distance", "nats" (epsilon times it), and for
    Laplace noise "nats_at_delta", the epsilon at delta = 1e-6. None where the guarantee is not in a
    metric on the whole space, or all words are at one point.
    """
    if mechanism.guarantee.kind != "metric-dp" or not isinstance(mechanism, HasMetric) or n < 2:
        return None
    facts = facts_of(mechanism)
    distances = facts.distance_quantiles or measured_apart(mechanism, n)
    if distances is None:
        return None
    distances = {**distances, "diameter": facts.longest or distances["diameter"]}
    scale = {}
    for name, distance in distances.items():
        scale[name] = {"distance": distance, "nats": mechanism.guarantee.epsilon * distance}
        if (at_delta := facts.approximate(distance)) is not None:
            scale[name]["nats_at_delta"] = at_delta
    return scale


def measured_apart(mechanism: HasMetric, n: int) -> dict[str, float] | None:
    """Return the distances of scale_of from probed words; "diameter" is an upper bound."""
    # Spread evenly over the table: public, and the same every time. At most 2^26 distances.
    probes = np.linspace(0, n - 1, min(n, max(8, min(128, 2**26 // n))))
    D = mechanism.distances(np.unique(probes.astype(np.int64)))
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


MECHANISM = "dx.Path.v2"

Points = Sequence[tuple[float, float, float]]  # epsilon, rising, and two shares from 0 to 1

# srsly's parser of JSON rounds 0.6 to another number.
_MEASURED = json.loads((DATA / "levels.json").read_text(encoding="utf8"))
# Share of words that are unchanged; cosine of outputs to inputs.
UNCHANGED: Points = _MEASURED["unchanged"]
# Share of words, and of rare words, that each attacker recovers; of equals the first is named.
FOUND: Mapping[str, Points] = _MEASURED["recovered"]


@dataclass(frozen=True)
class Level:
    """What was measured of dx.Path.v2 at one epsilon, in nats per unit of path length.

    Shares of words from 0 to 1: kept, unchanged; found, recovered by the best attacker, `attacker`;
    rare_found, of rare words, by the one who is best at these. cosine: of outputs to inputs.
    """

    epsilon: float
    kept: float
    found: float
    rare_found: float
    cosine: float
    attacker: str
    rare_attacker: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, with the texts they were measured on."""
        fields = asdict(self).items()
        rounded = {name: round(v, 3) if isinstance(v, float) else v for name, v in fields}
        return {"texts": "clinical notes", **rounded}


def _interpolated(points: Points, epsilon: float) -> tuple[float, float] | None:
    """Return both shares, linear between points; None below the first.

    Above the last, its shares: attackers recover no less at a larger epsilon.
    """
    epsilons, *shares = zip(*points, strict=True)
    if epsilon < epsilons[0]:
        return None
    one, two = (float(np.interp(epsilon, epsilons, some)) for some in shares)
    return one, two


def measured_at(epsilon: float) -> Level | None:
    """Return what attackers recovered at an epsilon; None where nobody measured."""
    kept = None if epsilon > UNCHANGED[-1][0] else _interpolated(UNCHANGED, epsilon)
    tried = {name: _interpolated(points, epsilon) for name, points in FOUND.items()}
    found = {name: some for name, some in tried.items() if some is not None}
    if kept is None or not found:
        return None
    best, of_rare = (max(found, key=lambda name: found[name][i]) for i in (0, 1))
    most = found[best][0], found[of_rare][1]
    return Level(epsilon, kept[0], *most, kept[1], best, of_rare)


_levels = {name: measured_at(epsilon) for name, epsilon in _MEASURED["settings"].items()}
LEVELS = {name: found for name, found in _levels.items() if found is not None}


def found_by(mechanism: Mechanism, epsilon: float) -> Level | None:
    """Return what attackers recovered from a mechanism at epsilon; None where nobody measured."""
    return measured_at(epsilon) if facts_of(mechanism).measured else None


def named(found: Mapping[str, Any]) -> str:
    """Return the clause "with word pairs recovered 48% of the words, ..." of a receipt."""
    rare = found["rare_attacker"]
    other = "" if rare == found["attacker"] else f"one with {rare} "
    return (
        f"with {found['attacker']} recovered {found['found']:.0%} of the words, and {other}"
        f"{found['rare_found']:.0%} of the rare words; "
        f"{found['kept']:.0%} of the words were unchanged"
    )
