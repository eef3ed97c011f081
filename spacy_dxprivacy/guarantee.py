"""What a mechanism promises, as a value: for which pairs of words, how much, and who says so."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from .errors import DxError, Errors
from .privacy.accounting import BASIC, total
from .validate import one_of

KINDS = ("metric-dp", "approx-dp", "none")
STATUSES = ("proven", "computed", "claimed", "refuted", "none")


@dataclass(frozen=True)
class Guarantee:
    """A promise about one word, or, once composed, about a document.

    kind: "metric-dp": P[M(w) in T] <= exp(epsilon * distance(w, v)) * P[M(v) in T] for all T;
        "approx-dp": P[M(w) in T] <= exp(epsilon) * P[M(v) in T] + delta; "none": nothing.
    epsilon: nats per unit of the metric for "metric-dp", nats for "approx-dp".
    delta: the probability by which "approx-dp" may fall short.
    metric: the name of the distance, such as "euclidean"; "discrete" for all pairs alike.
    adjacency: the pairs of inputs that the promise covers, in words.
    status: "proven", "computed" (on the very space), "claimed", "refuted" or "none".
    source: paper and theorem. notes: what a user should know besides.
    space: the digest of the table of words and vectors that distances are taken in. mu: for
    Gaussian noise, the largest distance over its standard deviation; its sums are exact then.
    """

    kind: str
    epsilon: float = math.inf
    delta: float = 0.0
    metric: str = ""
    adjacency: str = ""
    status: str = "none"
    source: str = ""
    notes: str = ""
    space: str = ""
    mu: float = 0.0

    def __post_init__(self) -> None:
        one_of("kind", self.kind, KINDS)
        one_of("status", self.status, STATUSES)

    def named(self, space: str) -> Guarantee:
        """The same promise, tied to the space with this digest."""
        return replace(self, space=space)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for json and for a Doc. No bound is None, as json has no inf."""
        return {k: None if v == math.inf else v for k, v in asdict(self).items()}

    def __str__(self) -> str:
        if self.kind == "none":
            return "no guarantee"
        delta = f", delta {self.delta:.3g}" if self.delta else ""
        unit = f" nats per unit of {self.metric} distance" if self.kind == "metric-dp" else " nats"
        return f"{self.kind}, epsilon {self.epsilon:.6g}{unit}{delta} ({self.status})"


def compose(guarantees: Iterable[Guarantee]) -> Guarantee:
    """The promise for a document whose words were each drawn under one of these promises.

    For "metric-dp" epsilons add up (Chatzikokolakis et al. 2013, section 4), and the sum is nats
    per unit of the largest distance between two words at one place. For "approx-dp" see
    accounting.total. One word without a promise leaves none.

    Raises DxError for promises that differ in kind, metric, space or in the pairs they cover.
    """
    parts = list(guarantees)
    if not parts:
        raise DxError(Errors.DX040.format(why="there are none"))
    counts: dict[Guarantee, int] = {}
    for part in parts:
        counts[part] = counts.get(part, 0) + 1
    return _add(counts)


def repeat(guarantee: Guarantee, times: int) -> Guarantee:
    """compose([guarantee] * times), for a document of `times` perturbed words; 0 is allowed."""
    return _add({guarantee: times})


def _add(counts: dict[Guarantee, int]) -> Guarantee:
    first = next(iter(counts))
    if any(g.kind == "none" for g in counts):
        return Guarantee("none", adjacency=_DOCUMENT, notes="A part of it has no guarantee.")
    for name in ("kind", "metric", "adjacency", "space"):
        if len({getattr(g, name) for g in counts}) > 1:
            raise DxError(Errors.DX040.format(why=f"they differ in their {name}"))
    how = BASIC
    epsilon = math.fsum(g.epsilon * n for g, n in counts.items())
    delta = 0.0
    if first.kind == "approx-dp":
        epsilon, delta, how = total(counts)
    worst = max(counts, key=lambda g: STATUSES.index(g.status))
    return replace(
        first,
        epsilon=epsilon,
        delta=delta,
        adjacency=f"{_DOCUMENT}; at each place: {first.adjacency}",
        status=worst.status,
        source=worst.source,
        notes=f"Added up over the perturbed words by {how}; a word said twice counts twice. "
        f"{first.notes}".strip(),
        mu=math.hypot(*(g.mu * math.sqrt(n) for g, n in counts.items())),
    )


_DOCUMENT = (
    "documents of the same length that differ in the perturbed words alone; all else that is "
    "released (the receipt's in_clear) is alike"
)
