"""The claim of a guarantee for pairs of words, and the findings of an audit."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ...errors import DxError
from ...privacy.guarantee import Guarantee
from ...space import Space
from ...space.search.exact import euclidean
from ...ty import CoversPairs, HasMetric, Mechanism

REFUTED, NOT_REFUTED, INCONCLUSIVE = "refuted", "not refuted", "inconclusive"
MEANING = {
    REFUTED: "the promise does not hold: see the pair, the event and the bound",
    NOT_REFUTED: "nothing against the promise was found, which does not prove it",
    INCONCLUSIVE: "this audit can say nothing for or against the promise",
}
LINE_WIDTH = 92


@dataclass(frozen=True)
class Claim:
    """A guarantee as numbers. delta: of every pair. of_rows: returns the epsilons, in nats, of rows
    (k,) and all words, float64 (k, n); infinite for pairs that are not covered."""

    delta: float
    of_rows: Callable[[Ints1d], Floats2d]

    def epsilons(self, rows: Any) -> Floats2d:
        """Return `of_rows` of rows (k,), float64 (k, n); inf for nan."""
        E = np.array(self.of_rows(np.asarray(rows, dtype=np.int64)), dtype=np.float64)
        E[np.isnan(E)] = np.inf
        return E

    def of_pairs(self, pairs: Ints2d) -> Floats1d:
        """Return the epsilons (p,) of pairs (p, 2)."""
        distinct, at = np.unique(pairs[:, 0], return_inverse=True)
        return np.array(self.epsilons(distinct)[at.reshape(-1), pairs[:, 1]])


def claim_of(mechanism: Mechanism, space: Space) -> Claim | str:
    """Return the claim of a mechanism that is fitted on this space, or why it has no numbers.

    Distances are those of the mechanism; if they are "euclidean", at most those of the space. The
    pairs of an (epsilon, delta) guarantee are those of guarantee.covers.
    """
    guarantee, stated = mechanism.guarantee, _distances(mechanism)
    epsilon, covers = guarantee.epsilon, guarantee.covers
    if guarantee.kind == "metric-dp":
        if guarantee.metric != "euclidean" and stated is None:
            return f"the distance {guarantee.metric!r} is not computed by the mechanism"

        def scaled(rows: Ints1d) -> Floats2d:
            D = np.asarray(np.inf if stated is None else stated(rows), dtype=np.float64)
            if guarantee.metric == "euclidean":
                E = euclidean(space.vectors, rows)
                D = E if stated is None else np.where(np.isfinite(D), np.minimum(D, E), np.inf)
            return np.where(np.isfinite(D), D * epsilon, np.inf)

        return Claim(0.0, scaled)
    if covers == "finite" and stated is not None:
        measure = stated
        return Claim(
            guarantee.delta, lambda rows: np.where(np.isfinite(measure(rows)), epsilon, np.inf)
        )
    if covers != "finite" and isinstance(mechanism, CoversPairs):
        related = mechanism.covers
        return Claim(guarantee.delta, lambda rows: np.where(related(rows), epsilon, np.inf))
    if covers == "all":
        return Claim(guarantee.delta, lambda rows: np.full((len(rows), len(space)), epsilon))
    return "the mechanism does not compute which pairs its promise covers"


def _distances(mechanism: Mechanism) -> Callable[[Ints1d], Floats2d] | None:
    """Return the mechanism's `distances`, or None if it has none or raises DX004."""
    if not isinstance(mechanism, HasMetric):
        return None
    try:
        mechanism.distances(np.zeros(1, dtype=np.int64))
    except DxError:
        return None
    return mechanism.distances


@dataclass(frozen=True)
class Finding:
    """The finding of one tier.

    Attributes:
        tier: "exact", "closed form", "plane", "black box", "radius", "sentences" or "independence".
        verdict: Of this tier.
        what: A sentence.
        event: The set of outputs that distinguishes the two words.
        claimed, bound: Epsilon in nats, as claimed for the pair, and as measured at delta.
        tests: Number of ordered pairs.
    """

    tier: str
    verdict: str
    what: str
    pair: tuple[str, str] | None = None
    event: str = ""
    claimed: float | None = None
    delta: float = 0.0
    bound: float | None = None
    tests: int = 0
    draws: int = 0
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; None for infinity."""
        return {
            k: None if isinstance(v, float) and not math.isfinite(v) else v
            for k, v in asdict(self).items()
        }

    def lines(self) -> list[str]:
        """Return the finding as lines for a terminal."""
        facts = [self.what]
        if self.pair is not None:
            facts.append(f"pair: {self.pair[0]}, {self.pair[1]}")
        if self.event:
            facts.append(f"event: {self.event}")
        if self.bound is not None and self.claimed is not None:
            delta = f" at delta {self.delta:.3g}" if self.delta else ""
            bound = "unbounded" if math.isinf(self.bound) else f"{self.bound:.4g}"
            facts.append(f"epsilon: {bound} found, {self.claimed:.4g} promised{delta}")
        rows = [f"  {self.tier}: {self.verdict} ({self.seconds:.1f} s)"]
        return rows + [line for fact in facts for line in _wrap(fact, 4)]


@dataclass(frozen=True)
class Report:
    """The findings of an audit. mechanism: its registered name. guarantee: Guarantee.to_dict.
    alpha: the probability that a sound mechanism is refuted by chance, over the whole audit."""

    mechanism: str
    guarantee: dict[str, Any]
    alpha: float
    findings: list[Finding] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Refuted if any tier refutes, else not refuted if any tier says so, else inconclusive."""
        # Independence alone says nothing of the amount of noise.
        verdicts = {
            f.verdict for f in self.findings if f.verdict == REFUTED or f.tier != "independence"
        }
        return next((v for v in (REFUTED, NOT_REFUTED) if v in verdicts), INCONCLUSIVE)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "mechanism": self.mechanism,
            "verdict": self.verdict,
            "meaning": MEANING[self.verdict],
            "alpha": self.alpha,
            "guarantee": self.guarantee,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def lines(self) -> list[str]:
        """Return the report as lines for a terminal."""
        g, promise = self.guarantee, "none"
        if g["kind"] != "none":
            # Before fit, a delta of 1 stands for 1/n.
            delta = f", delta {g['delta']:.3g}" if 0 < g["delta"] < 1 else ""
            epsilon = "no bound" if g["epsilon"] is None else f"{g['epsilon']:.6g}"
            covers = f"; {g['adjacency']}" if g["adjacency"] else ""
            unit = Guarantee.from_dict(g).unit
            promise = f"epsilon {epsilon} {unit}{delta} ({g['status']}){covers}"
        rows = [f"{self.mechanism}: {self.verdict}", *_wrap(MEANING[self.verdict], 2)]
        rows += _wrap(f"Promise: {promise}", 2)
        return rows + [line for finding in self.findings for line in finding.lines()]


def _wrap(text: str, indent: int) -> list[str]:
    space = " " * indent
    return textwrap.wrap(text, LINE_WIDTH, initial_indent=space, subsequent_indent=space)
