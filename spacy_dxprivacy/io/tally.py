"""What a run did, in numbers and in plain sentences. Nothing of the texts."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..about import __version__
from ..pipeline.receipt import COUNTS as COUNTS
from ..pipeline.receipt import Counted, Receipt, StoodIn, Terms
from ..privacy.guarantee import Guarantee
from ..privacy.levels import named

WIDTH = 92
MANY_NOT_HELD, FEW_WORDS = 0.25, 20  # of English notes the built-in space lacks about 1 in 20


@dataclass(kw_only=True)
class Sums:
    """What receipts add up to. nulls: rows without a text. most_draws: of a single document. told:
    what stands in, by label."""

    documents: int = 0
    nulls: int = 0
    most_draws: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    told: StoodIn = field(default_factory=StoodIn)

    def add(self, receipt: Receipt) -> None:
        """Count one more document, by its receipt."""
        numbers = {name: receipt[name] for name in COUNTS}
        self.merge({"documents": 1, "nulls": 0, "most_draws": receipt.draws, **numbers})
        self.told.add(receipt)

    def merge(self, other: Mapping[str, Any]) -> None:
        """Count what others have counted: plain values, see to_dict."""
        self.documents += other["documents"]
        self.nulls += other["nulls"]
        self.most_draws = max(self.most_draws, other["most_draws"])
        for name in COUNTS:
            self.counts[name] += other[name]
        self.told.merge(StoodIn.of(other))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for json."""
        numbers = {"documents": self.documents, "nulls": self.nulls, **self.counts}
        return {**numbers, "most_draws": self.most_draws, **self.told.to_dict()}


@dataclass
class Tally(Sums):
    """The sums of a run, with what the receipts of all documents say.

    terms: what all receipts say. in_clear: what is visible besides what the receipts name.
    failed: for each input, the numbers of the records of which nothing was written.
    written: the files that were written. seconds: without set-up. speed: what these hold.
    """

    terms: Terms
    in_clear: list[str] = field(default_factory=list)
    failed: list[list[int]] = field(default_factory=list)
    written: list[Path] = field(default_factory=list)
    seconds: float = 0.0
    speed: str = "set-up not counted"

    @property
    def failures(self) -> int:
        """How many documents could not be sanitised."""
        return sum(map(len, self.failed))

    @property
    def visible(self) -> list[str]:
        """What of the input is in clear, each once."""
        return list(dict.fromkeys([*self.terms.in_clear, *self.in_clear]))

    @property
    def numbers(self) -> int:
        """How many tokens were drawn as numbers."""
        c = self.counts
        return c["tokens"] - c["perturbed"] - c["unknown"] - c["kept"] - self.told.tokens

    @property
    def share_not_held(self) -> float:
        """Of the words of the corpus, those that the space does not hold; 0 to 1."""
        words = self.counts["perturbed"] + self.counts["unknown"]
        return self.counts["unknown"] / words if words else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for json, to be handed on: without the speed, which tells how long texts
        and how rare their words are. `total` is that of the document with the most draws."""
        of_largest = self.terms.receipt(
            Counted(0, 0, 0, draws=self.most_draws, mentions=self.told.mentions)
        )
        terms = {k: v for k, v in of_largest.items() if k not in (*COUNTS, "earlier")}
        promise = self.terms.numbers
        found = {
            "spacy_dxprivacy": __version__,
            **terms,
            "in_clear": self.visible,
            "documents": self.documents,
            "failed": self.failed,
            **self.counts,
        }
        if promise is not None:
            found["numbers"] = {"guarantee": promise.to_dict(), "drawn": self.numbers}
        if self.terms.surrogates is not None:
            found["stood_in"] = self.told.tokens
        return found

    # -- in sentences --------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """The receipt that the person who runs it reads: the log of the run has its speed."""
        title = (
            f"Sanitised {many(self.documents, 'document')}, {many(self.counts['tokens'], 'token')}."
        )
        rows = self._of_documents() if self.documents else []
        if self.failures:
            rows.append(
                ("Failed", f"{many(self.failures, 'record')}, of which nothing was written")
            )
        return [title, *(line for row in rows for line in wrapped(*row))]

    def _of_documents(self) -> list[tuple[str, str]]:
        c, space, _, digest = self.counts, *self.terms.space.rpartition(" (")
        each = "every occurrence" if self.terms.scope == "token" else "every distinct word"
        mechanism = (
            f"{self.terms.mechanism}, drawn anew for {each}, from the space {space!r} "
            f"(digest {digest[:12]})"
        )
        words = (
            f"{c['perturbed']:,} perturbed; "
            f"{c['unknown']:,} unknown to the space, {self.share_not_held:.1%} of the words "
            f"(policy {self.terms.unknown_policy}); {c['kept']:,} tokens kept as they are. "
            "A perturbed word may come out as itself"
        )
        speed = c["tokens"] / self.seconds if self.seconds else 0.0  # tokens, as spaCy counts them
        rows = [
            ("Mechanism", mechanism),
            ("Words", words),
            ("Guarantee", " ".join(self._guarantee())),
            ("Attacker", self._attacker() if c["perturbed"] else ""),
            ("Numbers", self._numbers()),
            ("Stand-ins", self._stand_ins()),
            ("In clear", "; ".join(self.visible)),
            ("Speed", f"{speed:,.0f} words a second, {self.speed}"),
        ]
        return [row for row in rows if row[1] or row[0] == "In clear"]

    def _guarantee(self) -> list[str]:
        g, scale = self.terms.guarantee, self.terms.scale
        if g.kind == "none":
            return ["none."]
        delta = f", delta = {g.delta:.3g}" if g.delta else ""
        near = "Near words are hard to tell apart, distant ones less so."
        found = [
            f"epsilon = {g.epsilon:.6g} {g.unit}{delta} for each perturbed word ({g.status}).",
            *([near] if g.kind == "metric-dp" else []),
            f"Covers {g.adjacency}. {g.notes}".strip(),
        ]
        if scale is not None:  # what epsilon means on this space
            nats = [f"{scale[name]['nats']:.3g}" for name in ("nearest", "median", "diameter")]
            found.append(
                f"That is {nats[0]} nats between a word and its nearest one, {nats[1]} between two "
                f"at random, and {nats[2]} at most."
            )
        total = f"Words of a document add up: to {self.most_draws:,} times that here."
        return [*found, total]

    def _attacker(self) -> str:
        one = self.terms.attacker
        if one is None:
            return "not measured: `dx attack frontier` does, on texts of yours"
        return (
            f"of {one['texts']} drawn like this, one {named(one)} "
            "(docs/explanation/attacks.md). Of these texts: `dx attack frontier`"
        )

    def _numbers(self) -> str:
        g = self.terms.numbers
        if g is None:
            return ""
        each = f"{self.numbers:,} drawn by their value, epsilon = {g.epsilon:.6g} {g.unit} each"
        return f"{each} ({g.status}). {g.notes}"

    def _stand_ins(self) -> str:
        """For each stand-in, its labels, its counts and its promise."""
        told: dict[str, list[str]] = {}
        for label, terms in (self.terms.surrogates or {}).items():
            counts = self.told.mentions.get(label)
            if counts is None or not counts["found"]:
                continue
            kept = f", {counts['kept']:,} kept" if counts["kept"] else ""
            promise = f"{terms['stand_in']}: {Guarantee.from_dict(terms['guarantee'])}"
            row = f"{label} {counts['replaced']:,} replaced{kept}"
            told.setdefault(promise, []).append(row)
        return "; ".join(f"{', '.join(rows)} ({promise})" for promise, rows in told.items())

    def alarms(self) -> list[str]:
        """What must not be overlooked."""
        guarantee = self.terms.guarantee
        alarms = []
        if self.terms.seeded:
            alarms.append("the random numbers were seeded, and whoever has the seed can undo them.")
        if guarantee.kind == "none":
            alarms.append(f"{self.terms.mechanism} gives no guarantee. {guarantee.notes}".strip())
        elif guarantee.status == "refuted":
            alarms.append(f"the published proof of {self.terms.mechanism} does not hold.")
        found = [f"NO PRIVACY: {alarm}" for alarm in alarms]
        # Text of another language goes through as a few words that are written alike.
        if self.counts["unknown"] >= FEW_WORDS and self.share_not_held >= MANY_NOT_HELD:
            name = self.terms.space.rpartition(" (")[0]
            found.append(
                f"NOT HELD: {self.share_not_held:.0%} of the words are not in the space {name!r}. "
                "Is it of the language of these texts? What it does not hold was not drawn from it."
            )
        return found


def many(number: int, noun: str) -> str:
    """ "1 document", "1,000 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def wrapped(label: str, text: str) -> list[str]:
    """A label and a text as lines of the receipt."""
    lines = textwrap.wrap(text, WIDTH - 13, break_long_words=False, break_on_hyphens=False)
    return [f"  {label if i == 0 else '':<11}{line}" for i, line in enumerate(lines)]
