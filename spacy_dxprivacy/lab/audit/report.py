"""What an audit found, as values, as json, as lines for a terminal and as a page."""

from __future__ import annotations

import html
import math
import textwrap
from dataclasses import asdict, dataclass, field
from typing import Any

from ...guarantee import Guarantee

REFUTED, NOT_REFUTED, INCONCLUSIVE = "refuted", "not refuted", "inconclusive"
MEANING = {
    REFUTED: "the promise does not hold: see the pair, the event and the bound",
    NOT_REFUTED: "nothing against the promise was found, which does not prove it",
    INCONCLUSIVE: "this audit can say nothing for or against the promise",
}
WIDTH = 92


@dataclass(frozen=True)
class Finding:
    """What one tier found.

    Attributes:
        tier: "exact", "closed form", "plane", "black box", "law", "sentences" or "independence".
        verdict: Of this tier alone.
        what: A sentence.
        pair: The two words.
        event: The set of outputs that tells them apart best.
        claimed, delta: What is promised for the pair (of sentences), in nats.
        bound: The epsilon that the audit is sure of (exact tiers: that holds), at that delta.
        tests: How many pairs and directions were tried.
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
        """Plain values, for json, which has no infinity."""
        infinite = (
            k for k, v in asdict(self).items() if isinstance(v, float) and not math.isfinite(v)
        )
        return {**asdict(self), **dict.fromkeys(infinite)}


@dataclass(frozen=True)
class Report:
    """mechanism: its registered name. guarantee: Guarantee.to_dict of what was audited. alpha: the
    probability that a sound mechanism is refuted by chance, over the whole audit."""

    mechanism: str
    guarantee: dict[str, Any]
    alpha: float
    findings: list[Finding] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """One refutation is enough; a tier that can say nothing does not count against others."""
        # That words do not share their noise says nothing of how much there is.
        told = (f for f in self.findings if f.verdict == REFUTED or f.tier != "independence")
        verdicts = {finding.verdict for finding in told}
        return next((v for v in (REFUTED, NOT_REFUTED) if v in verdicts), INCONCLUSIVE)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for json."""
        return {
            "mechanism": self.mechanism,
            "verdict": self.verdict,
            "meaning": MEANING[self.verdict],
            "alpha": self.alpha,
            "guarantee": self.guarantee,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def lines(self) -> list[str]:
        """For a terminal."""
        rows = [f"{self.mechanism}: {self.verdict}", *_wrapped(MEANING[self.verdict], 2)]
        rows += _wrapped(f"Promise: {promise(self.guarantee)}", 2)
        for finding in self.findings:
            title = f"{finding.tier}: {finding.verdict} ({finding.seconds:.1f} s)"
            rows += [f"  {title}", *_wrapped(finding.what, 4)]
            rows += [line for fact in facts(finding) for line in _wrapped(fact, 4)]
        return rows

    def page(self) -> str:
        """One html page that needs nothing else."""
        rows = []
        for f in self.findings:
            made = f"{f.tests:,} tests, {f.draws:,} draws, {f.seconds:.1f} s"
            rows.append((f.tier, f.verdict, f.what, "; ".join(facts(f)), made))
        head = f"{self.verdict}: {MEANING[self.verdict]}."
        lines = ("tier", "verdict", "what", "evidence", "effort"), *rows
        table = "\n".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>"
            for line in lines
        )
        name, promised = html.escape(self.mechanism), html.escape(promise(self.guarantee))
        return PAGE.format(name=name, head=head, promise=promised, alpha=self.alpha, rows=table)


def promise(guarantee: dict[str, Any]) -> str:
    """A guarantee in a sentence."""
    if guarantee["kind"] == "none":
        return "none"
    unit = Guarantee.from_dict(guarantee).unit
    # A delta of 1 says nothing: it waits for the space, where 1/n takes its place.
    delta = f", delta {guarantee['delta']:.3g}" if 0 < guarantee["delta"] < 1 else ""
    epsilon = "no bound" if guarantee["epsilon"] is None else f"{guarantee['epsilon']:.6g}"
    covers = f"; {guarantee['adjacency']}" if guarantee["adjacency"] else ""
    return f"epsilon {epsilon} {unit}{delta} ({guarantee['status']}){covers}"


def facts(finding: Finding) -> list[str]:
    """The pair, the event and the bound, a line each."""
    found = []
    if finding.pair is not None:
        found.append(f"pair: {finding.pair[0]}, {finding.pair[1]}")
    if finding.event:
        found.append(f"event: {finding.event}")
    if finding.bound is not None and finding.claimed is not None:
        delta = f" at delta {finding.delta:.3g}" if finding.delta else ""
        bound = "unbounded" if math.isinf(finding.bound) else f"{finding.bound:.4g}"
        found.append(f"epsilon: {bound} found, {finding.claimed:.4g} promised{delta}")
    return found


def _wrapped(text: str, indent: int) -> list[str]:
    space = " " * indent
    return textwrap.wrap(text, WIDTH, initial_indent=space, subsequent_indent=space)


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Audit of {name}</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto }}
table {{ border-collapse: collapse }} tr:first-child {{ font-weight: 600 }}
td {{ border-bottom: 1px solid #ccc; padding: .4rem; vertical-align: top }}
</style></head><body>
<h1>Audit of {name}</h1>
<p><strong>{head}</strong></p>
<p>Promise: {promise}.</p>
<table>
{rows}
</table>
<p>A sound mechanism would be refuted by chance with probability {alpha:g} at most.</p>
</body></html>
"""
