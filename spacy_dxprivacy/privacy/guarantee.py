"""What a mechanism promises, as a value: for which pairs of words, how much, and who says so.

Code asks the fields and methods; the sentences here are made from them, for people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from ..validate import fail, one_of

KINDS = ("metric-dp", "approx-dp", "none")
STATUSES = ("proven", "computed", "claimed", "refuted", "none")
COVERS = ("all", "finite", "related", "stated", "none")
PROTECTS = ("word", "text")
ALL_PAIRS = "all pairs of words of the space"
# What version 0.1 had in adjacency where it meant all pairs: it had no `covers` beside it.
OF_ALL_PAIRS = ("", ALL_PAIRS, "all pairs of words", "all pairs")

OF_FILES = (
    "As trusted as the files of this space: what was learned from its vectors was read from there, "
    "and checked by samples; `relearn` (of Space.load and dx.FileSpace.v1) learns it again."
)


@dataclass(frozen=True)
class Guarantee:
    """A promise about one word, or, once composed, about a document.

    kind: "metric-dp": P[M(w) in T] <= exp(epsilon * distance(w, v)) * P[M(v) in T] for all T;
        "approx-dp": P[M(w) in T] <= exp(epsilon) * P[M(v) in T] + delta; "none": nothing.
    epsilon: nats per unit of the metric for "metric-dp", nats for "approx-dp". 0 or more.
    delta: from 0 to 1, the probability by which "approx-dp" may fall short.
    metric: the name of the distance, such as "euclidean"; "discrete" for all pairs alike.
    adjacency: the pairs of inputs that the promise covers, in words, for people; made from `covers`
        where it is left out.
    status: "proven", "computed" (on the very space), "claimed" (by its authors, or by files of the
        space), "refuted" or "none".
    source: paper and theorem. notes: what a user should know besides.
    space: the digest of the table of words and vectors that distances are taken in. mu: for
    Gaussian noise, the largest distance over its standard deviation; its sums are exact then.
    covers: the same pairs, for code: "all"; "finite": those at a finite distance by the mechanism's
        `distances(rows)`; "related": those that its `covers(rows)` names; "stated": adjacency
        alone says which; "none". Where it is left out, adjacency is "stated" unless it is empty or
        is the sentence for all pairs, as in receipts of version 0.1.
    protects: what is drawn at once, and takes the promise as a whole: a "word", or a "text" of
        which only the layout is known.

    Raises DxError for a kind, status, covers or protects that is not known, and for an epsilon,
    delta or mu out of range.
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

    def __post_init__(self) -> None:
        one_of("kind", self.kind, KINDS)
        one_of("status", self.status, STATUSES)
        one_of("protects", self.protects, PROTECTS)
        for name, most in (("epsilon", math.inf), ("delta", 1.0), ("mu", math.inf)):
            _at_most(name, getattr(self, name), most)
        object.__setattr__(self, "covers", one_of("covers", self.covers or _covers(self), COVERS))
        if self.covers == "all" and not self.adjacency:
            object.__setattr__(self, "adjacency", ALL_PAIRS)

    def named(self, space: str) -> Guarantee:
        """The same promise, tied to the space with this digest."""
        return replace(self, space=space)

    def as_trusted_as_files(self) -> Guarantee:
        """The same promise, where it rests on files that were checked by samples at most."""
        if self.status not in ("proven", "computed"):
            return self
        return replace(self, status="claimed", notes=f"{self.notes} {OF_FILES}".strip())

    @property
    def holds(self) -> bool:
        """Whether something is promised, and nobody has shown that it is not kept."""
        return self.kind != "none" and self.status != "refuted"

    @property
    def unit(self) -> str:
        """Of epsilon: "nats per unit of path distance", or "nats"; "" where nothing is promised."""
        units = {"metric-dp": f"nats per unit of {self.metric} distance", "approx-dp": "nats"}
        return units.get(self.kind, "")

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> Guarantee:
        """What to_dict wrote, here or in version 0.1; names that are not known are left out. Raises
        KeyError without a kind or an epsilon, DxError for values that are none."""
        known = {name: told[name] for name in cls.__dataclass_fields__ if name in told}
        epsilon = math.inf if told["epsilon"] is None else told["epsilon"]
        return cls(**{**known, "kind": told["kind"], "epsilon": epsilon})

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for json and for a Doc. No bound is None, as json has no inf."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {k: None if v == math.inf else v for k, v in values.items()}

    def __str__(self) -> str:
        if self.kind == "none":
            return "no guarantee"
        delta = f", delta {self.delta:.3g}" if self.delta else ""
        return f"{self.kind}, epsilon {self.epsilon:.6g} {self.unit}{delta} ({self.status})"


def _at_most(name: str, value: Any, most: float) -> None:
    # A number that is none (nan) is not in any range.
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (number and 0 <= value <= most):
        expected = "0 or more" if most == math.inf else f"from 0 to {most:g}"
        raise fail(name, f"a number, {expected}", value)


def _covers(guarantee: Guarantee) -> str:
    if guarantee.kind == "none":
        return "none"
    return "all" if guarantee.adjacency in OF_ALL_PAIRS else "stated"
