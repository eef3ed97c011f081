"""What epsilon means: nats between words of a space, and attackers' recovery rates.

Epsilon is nats per unit of distance, so epsilon = 10 where words are 8 apart is 80 nats.

`LEVELS` are settings of dx.Path.v2: light, balanced, strong. Measured on the built-in space, policy
"general", dx.WordPairs.v1: 1,121 words of 40 clinical notes, 156 of them rare, one release each,
by attackers with the exact channel: word pairs of English, of clinical text and of the prior, and
a causal model (docs/reference/figures.md has the command). At each epsilon, the attacker that
recovers most counts. A level holds for these texts: measure others with `dx attack frontier`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..about import DATA
from ..errors import UsageError
from ..ty import HasMetric, Mechanism, facts_of
from ..validate import positive


def scale_of(mechanism: Mechanism, n: int) -> dict[str, dict[str, float]] | None:
    """Return the loss between words of a space of n, at three distances.

    "nearest": from a word to its nearest, the median of probed words; "median": between two random
    words; "diameter": the largest distance if the mechanism states it, else an upper bound, at most
    twice too high. Each has "distance", "nats" (epsilon times the distance), and for Laplace noise
    "nats_at_delta", the epsilon at delta = 1e-6. None if the guarantee is not in a metric on the
    whole space, or all words are one point.
    """
    if mechanism.guarantee.kind != "metric-dp" or not isinstance(mechanism, HasMetric) or n < 2:
        return None
    facts = facts_of(mechanism)
    distances = facts.distance_quantiles or probed_distances(mechanism, n)
    if distances is None:
        return None
    distances = {**distances, "diameter": facts.longest or distances["diameter"]}
    scale = {}
    for name, distance in distances.items():
        scale[name] = {"distance": distance, "nats": mechanism.guarantee.epsilon * distance}
        if (at_delta := facts.approximate(distance)) is not None:
            scale[name]["nats_at_delta"] = at_delta
    return scale


def probed_distances(mechanism: HasMetric, n: int) -> dict[str, float] | None:
    """Return the distances of scale_of from probed words; "diameter" is an upper bound."""
    # Evenly spaced rows: public, and equal in every run. At most 2^26 distances.
    probes = np.linspace(0, n - 1, min(n, max(8, min(128, 2**26 // n))))
    D = mechanism.distances(np.unique(probes.astype(np.int64)))
    if np.isinf(D).any():
        return None  # some pairs of words are not protected at any epsilon
    D = D[(D > 0).any(axis=1)]
    if not len(D):
        return None
    return {
        "nearest": float(np.median(D.min(axis=1, where=D > 0, initial=np.inf))),
        "median": float(np.median(D[D > 0])),
        "diameter": 2 * float(D.max(axis=1).min()),
    }


MECHANISM = "dx.Path.v2"

Points = Sequence[tuple[float, float, float]]  # epsilon, rising, and two rates from 0 to 1

# srsly's JSON parser reads 0.6 as another number.
_MEASURED = json.loads((DATA / "levels.json").read_text(encoding="utf8"))
# Retention rate of words; cosine of outputs to inputs.
UNCHANGED: Points = _MEASURED["unchanged"]
# Recovery rate of words and of rare words, by attacker; on a tie the first is reported.
RECOVERED: Mapping[str, Points] = _MEASURED["recovered"]


@dataclass(frozen=True)
class Level:
    """Measurements of dx.Path.v2 at one epsilon, in nats per unit of path length.

    kept: the retention rate. found, rare_found: the recovery rate of words and of rare words, each
    by the attacker that recovers most of them. cosine: of outputs to inputs.
    """

    epsilon: float
    kept: float
    found: float
    rare_found: float
    cosine: float
    attacker: str
    rare_attacker: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, with the kind of texts that were measured."""
        fields = asdict(self).items()
        rounded = {name: round(v, 3) if isinstance(v, float) else v for name, v in fields}
        return {"texts": "clinical notes", **rounded}


def _interpolated(points: Points, epsilon: float) -> tuple[float, float] | None:
    """Return both rates, linear between points; None below the first point.

    Above the last point, its rates: attackers recover no less at a larger epsilon.
    """
    epsilons, *rates = zip(*points, strict=True)
    if epsilon < epsilons[0]:
        return None
    of_words, of_rare_words = (float(np.interp(epsilon, epsilons, rate)) for rate in rates)
    return of_words, of_rare_words


def measured_at(epsilon: float) -> Level | None:
    """Return the measurements at an epsilon; None outside of the measured range."""
    unchanged = None if epsilon > UNCHANGED[-1][0] else _interpolated(UNCHANGED, epsilon)
    measured = {name: _interpolated(points, epsilon) for name, points in RECOVERED.items()}
    rates = {name: pair for name, pair in measured.items() if pair is not None}
    if unchanged is None or not rates:
        return None
    best, best_at_rare = (max(rates, key=lambda name: rates[name][i]) for i in (0, 1))
    recovered = rates[best][0], rates[best_at_rare][1]
    return Level(epsilon, unchanged[0], *recovered, unchanged[1], best, best_at_rare)


_levels = {name: measured_at(epsilon) for name, epsilon in _MEASURED["settings"].items()}
LEVELS = {name: level for name, level in _levels.items() if level is not None}


def level_of(mechanism: Mechanism, epsilon: float) -> Level | None:
    """Return the measurements of a mechanism at epsilon; None if there are none."""
    return measured_at(epsilon) if facts_of(mechanism).measured else None


def to_epsilon(given: str | float, mechanism: str) -> float:
    """Return epsilon as a number, for a number or the name of a level. Raise UsageError."""
    is_level = isinstance(given, str) and given in LEVELS
    if is_level and mechanism == MECHANISM:
        return LEVELS[str(given)].epsilon
    if is_level:
        raise UsageError(f"`epsilon` must be a number: {given!r} is a level of {MECHANISM} alone.")
    try:
        number = float(given) if isinstance(given, str) else given
    except ValueError:
        names = ", ".join(LEVELS)
        raise UsageError(f"`epsilon` must be a number or one of {names}, got {given!r}.") from None
    return positive("epsilon", number)
