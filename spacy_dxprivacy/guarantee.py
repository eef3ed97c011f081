"""What a mechanism promises, as a value: for which pairs of words, how much, and who says so."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

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
