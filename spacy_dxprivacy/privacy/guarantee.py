"""Privacy guarantees as values: pairs covered, epsilon and delta, proof."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

from ..validate import fail, one_of

GUARANTEE_KINDS = ("metric-dp", "approx-dp", "none")
STATUSES = ("proven", "computed", "claimed", "refuted", "none")
COVERS = ("all", "finite", "related", "stated", "none")
ALL_PAIRS = "all pairs of words of the space"
_RANGES = (("epsilon", math.inf), ("delta", 1.0), ("mu", math.inf), ("loss_range", 2.0))
OF_FILES = (
    "As trusted as the files of this space: what was learned from its vectors was read from there, "
    "and checked by samples; `relearn` (of Space.load and dx.FileSpace.v1) learns it again."
)


@dataclass(frozen=True)
class Guarantee:
    """The guarantee for one word, or, once composed, for a document.

    Attributes:
        kind: "metric-dp": P[M(w) in T] <= exp(epsilon * distance(w, v)) * P[M(v) in T] for all T;
            "approx-dp": P[M(w) in T] <= exp(epsilon) * P[M(v) in T] + delta; "none": nothing.
        epsilon: Nats per unit of the metric for "metric-dp", nats for "approx-dp"; 0 or more.
        delta: From 0 to 1; 0 for "metric-dp".
        metric: The distance, such as "euclidean"; "discrete" if it is 1 for all pairs.
        adjacency: The covered pairs of inputs, in words; from `covers` if left out.
        status: "proven", "computed" (on this space), "claimed" (by its authors, or by files of the
            space), "refuted" or "none".
        source: Paper and theorem.
        notes: Further notes for users.
        space: Digest of the space of the distances.
        mu: For Gaussian noise, the largest distance over its standard deviation; such guarantees
            compose exactly.
        covers: The pairs, for code: "all"; "finite": those at a finite distance by the mechanism's
            `distances(rows)`; "related": those of its `covers(rows)`; "stated": only adjacency
            states them; "none". If left out, "stated" with an adjacency, else "all".
        protects: The unit that is sampled and covered as a whole: a "word", or a "text" of known
            layout.
        loss_range: If delta is 0, the largest difference of the privacy losses of two outputs, in
            units of epsilon times distance: 1 if outputs have probabilities proportional to
            exp(-epsilon/2 distance), 2 for any other mechanism (Dong, Durfee and Rogers 2020).

    Raises:
        DxError: For an unknown kind, status, covers or protects, and for an epsilon, delta, mu or
            loss_range out of range.
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
    covers: str = ""
    protects: str = "word"
    loss_range: float = 2.0

    def __post_init__(self) -> None:
        one_of("kind", self.kind, GUARANTEE_KINDS)
        one_of("status", self.status, STATUSES)
        one_of("protects", self.protects, ("word", "text"))
        for name, limit in _RANGES:
            value = getattr(self, name)
            number = isinstance(value, Real) and not isinstance(value, bool)
            if not (number and 0 <= value <= limit):  # nan is in no range
                expected = "0 or more" if limit == math.inf else f"from 0 to {limit:g}"
                raise fail(name, f"a number, {expected}", value)
        covers = self.covers or ("stated" if self.adjacency else "all")
        if not self.covers and self.kind == "none":
            covers = "none"
        object.__setattr__(self, "covers", one_of("covers", covers, COVERS))
        if covers == "all" and not self.adjacency:
            object.__setattr__(self, "adjacency", ALL_PAIRS)

    def for_space(self, space: str) -> Guarantee:
        """Return the guarantee for the space with this digest."""
        return replace(self, space=space)

    def as_claimed(self) -> Guarantee:
        """Return the guarantee as "claimed": it depends on files that were at most sampled."""
        if self.status not in ("proven", "computed"):
            return self
        return replace(self, status="claimed", notes=f"{self.notes} {OF_FILES}".strip())

    @cached_property
    def holds(self) -> bool:
        """Whether there is a guarantee that is not refuted."""
        return self.kind != "none" and self.status != "refuted"

    @property
    def unit(self) -> str:
        """The unit of epsilon: "nats per unit of path distance", "nats", or ""."""
        units = {"metric-dp": f"nats per unit of {self.metric} distance", "approx-dp": "nats"}
        return units.get(self.kind, "")

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Guarantee:
        """Return the guarantee of to_dict; other keys are ignored.

        Raises:
            KeyError: Without a kind or an epsilon.
            DxError: For values out of range.
        """
        fields = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        epsilon = math.inf if data["epsilon"] is None else data["epsilon"]
        return cls(**{**fields, "kind": data["kind"], "epsilon": epsilon})

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON and Docs; None for infinity."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {k: None if v == math.inf else v for k, v in values.items()}

    def __str__(self) -> str:
        if self.kind == "none":
            return "no guarantee"
        delta = f", delta {self.delta:.3g}" if self.delta else ""
        return f"{self.kind}, epsilon {self.epsilon:.6g} {self.unit}{delta} ({self.status})"
