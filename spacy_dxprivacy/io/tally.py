"""What a run did, in numbers and in sentences, without anything of the texts."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..about import __version__
from ..pipeline.receipt import COUNTS as COUNTS
from ..pipeline.receipt import Counted, Receipt, SurrogateCounts, Terms
from ..privacy.guarantee import Guarantee
from ..privacy.levels import named

WIDTH = 92
MANY_NOT_HELD, FEW_WORDS = 0.25, 20  # of English notes the built-in space lacks about 1 in 20


@dataclass(kw_only=True)
class Sums:
    """The sums of receipts."""

    documents: int = 0
    nulls: int = 0  # rows without a text
    most_draws: int = 0  # of a single document
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    surrogates: SurrogateCounts = field(default_factory=SurrogateCounts)  # surrogates, by label

    def add(self, receipt: Receipt) -> None:
        """Add one document, by its receipt."""
        numbers = {name: receipt[name] for name in COUNTS}
        self.merge({"documents": 1, "nulls": 0, "most_draws": receipt.draws, **numbers})
        self.surrogates.add(receipt)

    def merge(self, other: Mapping[str, Any]) -> None:
        """Add the sums of others, as to_dict returns them."""
        self.documents += other["documents"]
        self.nulls += other["nulls"]
        self.most_draws = max(self.most_draws, other["most_draws"])
        for name in COUNTS:
            self.counts[name] += other[name]
        self.surrogates.merge(SurrogateCounts.of(other))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for json."""
        numbers = {"documents": self.documents, "nulls": self.nulls, **self.counts}
        return {**numbers, "most_draws": self.most_draws, **self.surrogates.to_dict()}


@dataclass
class Tally(Sums):
    """The sums of a run, with what the receipts of all documents say."""

    terms: Terms
    in_clear: list[str] = field(default_factory=list)  # visible besides what the receipts name
    failed: list[list[int]] = field(default_factory=list)  # numbers of records, for each input
    written: list[Path] = field(default_factory=list)
    seconds: float = 0.0  # without set-up
    speed: str = "set-up not counted"

    @property
    def failures(self) -> int:
        """How many documents could not be sanitised."""
        return sum(map(len, self.failed))

    @property
    def visible(self) -> list[str]:
        """What of the input is in plaintext, each once."""
        return list(dict.fromkeys([*self.terms.in_clear, *self.in_clear]))

    @property
    def numbers(self) -> int:
        """How many tokens were drawn as numbers."""
        c = self.counts
        return c["tokens"] - c["perturbed"] - c["unknown"] - c["kept"] - self.surrogates.tokens

    @property
    def share_not_held(self) -> float:
        """The share of words of the corpus that are not in the space, 0 to 1."""
        words = self.counts["perturbed"] + self.counts["unknown"]
        return self.counts["unknown"] / words if words else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for json, to be handed on.

        Without the speed, which tells how long texts and how rare their words are. `total` is that
        of the document with the most draws.
        """
        of_largest = self.terms.receipt(
            Counted(0, 0, 0, draws=self.most_draws, mentions=self.surrogates.mentions)
        )
        payload = {
            "spacy_dxprivacy": __version__,
            **{k: v for k, v in of_largest.items() if k not in (*COUNTS, "earlier")},
            "in_clear": self.visible,
            "documents": self.documents,
            "failed": self.failed,
            **self.counts,
        }
        if self.terms.numbers is not None:
            guarantee = self.terms.numbers.to_dict()
            payload["numbers"] = {"guarantee": guarantee, "drawn": self.numbers}
        if self.terms.surrogates is not None:
            payload["stood_in"] = self.surrogates.tokens
        return payload

    # -- in sentences --------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """Return the receipt for the person who runs it, which has the speed."""
        c, space, _, digest = self.counts, *self.terms.space.rpartition(" (")
        title = f"Sanitised {many(self.documents, 'document')}, {many(c['tokens'], 'token')}."
        each = "every occurrence" if self.terms.scope == "token" else "every distinct word"
        mechanism = (
            f"{self.terms.mechanism}, sampled for {each}, on the space {space!r} "
            f"(digest {digest[:12]})"
        )
        words = (
            f"{c['perturbed']:,} perturbed; "
            f"{c['unknown']:,} unknown to the space, {self.share_not_held:.1%} of the words "
            f"(policy {self.terms.unknown_policy}); {c['kept']:,} tokens unmodified"
            f"{'. A perturbed word may be sampled as itself' * bool(c['perturbed'])}"
        )
        speed = c["tokens"] / self.seconds if self.seconds else 0.0  # tokens, as spaCy counts them
        failed = f"{many(self.failures, 'record')}, not written"
        rows = {
            "Mechanism": mechanism,
            "Words": words,
            "Guarantee": self._guarantee(),
            "Attacker": self._attacker() if c["perturbed"] else "",
            "Numbers": self._numbers(),
            "Surrogates": self._surrogates(),
            "Visible": "; ".join(self.visible),
            "Speed": f"{speed:,.0f} words a second, {self.speed}",
        }
        if rows["Surrogates"] and not c["perturbed"]:  # the word mechanism was not used
            unused = dict.fromkeys(("Mechanism", "Guarantee", "Attacker"), "")
            rows = {"Surrogates": rows["Surrogates"], **rows, **unused}
        shown = {k: v for k, v in rows.items() if self.documents and (v or k == "Visible")}
        shown |= {"Failed": failed} if self.failures else {}
        return [title, *(line for row in shown.items() for line in wrapped(*row))]

    def _guarantee(self) -> str:
        g, scale = self.terms.guarantee, self.terms.scale
        if g.kind == "none":
            return "none."
        delta = f", delta = {g.delta:.3g}" if g.delta else ""
        sentences = [
            f"epsilon = {g.epsilon:.6g} {g.unit}{delta} for each perturbed word ({g.status})."
        ]
        if g.kind == "metric-dp":
            sentences.append("Near words are hard to distinguish, and distant words are easy.")
        sentences.append(f"Covers {g.adjacency}. {g.notes}".strip())
        if scale is not None:  # what epsilon means on this space
            nats = [f"{scale[name]['nats']:.3g}" for name in ("nearest", "median", "diameter")]
            sentences.append(
                f"That is {nats[0]} nats between a word and its nearest neighbour, {nats[1]} "
                f"between two random words (median), and {nats[2]} at most."
            )
        total = f"The losses of words add up, here to {self.most_draws:,} times epsilon a document."
        return " ".join([*sentences, total])

    def _attacker(self) -> str:
        measured = self.terms.attacker
        if measured is None:
            return "not measured at this setting. `dx attack frontier` measures your texts"
        return (
            f"on {measured['texts']} at this setting, one {named(measured)} "
            "(docs/explanation/attacks.md). `dx attack frontier` measures your texts"
        )

    def _numbers(self) -> str:
        g = self.terms.numbers
        if g is None:
            return ""
        each = f"{self.numbers:,} sampled near their value, epsilon = {g.epsilon:.6g} {g.unit} each"
        return f"{each} ({g.status}). {g.notes}"

    def _surrogates(self) -> str:
        """Return the labels, counts and guarantee of each kind of surrogate."""
        by_kind: dict[str, list[str]] = {}
        for label, terms in (self.terms.surrogates or {}).items():
            counts = self.surrogates.mentions.get(label)
            if counts is None or not counts["found"]:
                continue
            same = f", {counts['kept']:,} unchanged" if counts["kept"] else ""
            kind = f"{terms['stand_in']}: {Guarantee.from_dict(terms['guarantee'])}"
            by_kind.setdefault(kind, []).append(f"{label} {counts['replaced']:,} replaced{same}")
        return "; ".join(f"{', '.join(rows)} ({kind})" for kind, rows in by_kind.items())

    def alarms(self) -> list[str]:
        """Return what must not be overlooked."""
        guarantee = self.terms.guarantee
        alarms = []
        if self.terms.seeded:
            alarms.append(
                "the random numbers were seeded, and anyone with the seed can undo the sampling."
            )
        if guarantee.kind == "none":
            alarms.append(f"{self.terms.mechanism} gives no guarantee. {guarantee.notes}".strip())
        elif guarantee.status == "refuted":
            alarms.append(f"the published proof of {self.terms.mechanism} does not hold.")
        alarms = [f"NO PRIVACY: {alarm}" for alarm in alarms]
        # Text of another language goes through as a few words that are written alike.
        if self.counts["unknown"] >= FEW_WORDS and self.share_not_held >= MANY_NOT_HELD:
            name = self.terms.space.rpartition(" (")[0]
            alarms.append(
                f"UNKNOWN WORDS: {self.share_not_held:.0%} of the words are not in the space "
                f"{name!r}. Check that the space has the language of these texts."
            )
        return alarms


def many(number: int, noun: str) -> str:
    """Return "1 document" or "1,000 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def wrapped(label: str, text: str) -> list[str]:
    """Return a label and a text as lines of the receipt."""
    lines = textwrap.wrap(text, WIDTH - 13, break_long_words=False, break_on_hyphens=False)
    return [f"  {label if i == 0 else '':<11}{line}" for i, line in enumerate(lines)]
