"""What a run did, in numbers and in plain sentences. Nothing of the texts."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..about import __version__
from ..guarantee import Guarantee
from ..pipeline.receipt import COUNTS as COUNTS
from ..pipeline.receipt import Counted, Receipt, StoodIn, Terms
from ..privacy.levels import named

WIDTH = 92
MANY_NOT_HELD, FEW_WORDS = 0.25, 20  # of English notes the built-in space lacks about 1 in 20


@dataclass
class Tally:
    """Adds up the receipts of documents.

    terms: what all receipts say. in_clear: what is visible besides what the receipts name.
    failed: for each input, the numbers of the records of which nothing was written.
    written: the files that were written. most_draws: the largest number of draws for a single
    document. stood_in: how many tokens are of
    stand-ins. mentions: found, replaced and kept, by label. seconds: without set-up.
    """

    terms: Terms
    in_clear: list[str] = field(default_factory=list)
    documents: int = 0
    failed: list[list[int]] = field(default_factory=list)
    written: list[Path] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    most_draws: int = 0
    stood_in: int = 0
    mentions: dict[str, dict[str, int]] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, receipt: Receipt) -> None:
        """Counts one more document, by its receipt."""
        self.documents += 1
        self.most_draws = max(self.most_draws, receipt.draws)
        for name in COUNTS:
            self.counts[name] += receipt[name]
        if "stood_in" in receipt:
            told = StoodIn(self.stood_in, self.mentions)
            told.add(receipt)
            self.stood_in = told.tokens

    @property
    def failures(self) -> int:
        """How many documents could not be sanitised."""
        return sum(map(len, self.failed))

    @property
    def words_per_second(self) -> float:
        """Tokens, as spaCy counts them."""
        return self.counts["tokens"] / self.seconds if self.seconds else 0.0

    @property
    def visible(self) -> list[str]:
        """What of the input is in clear, each once."""
        return list(dict.fromkeys([*self.terms.in_clear, *self.in_clear]))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for json, to be handed on: without the speed, which tells how long texts
        and how rare their words are. `total` is that of the document with the most draws."""
        of_largest = self.terms.receipt(
            Counted(0, 0, 0, draws=self.most_draws, mentions=self.mentions)
        )
        terms = {k: v for k, v in of_largest.items() if k not in (*COUNTS, "earlier")}
        return {
            "spacy_dxprivacy": __version__,
            **terms,
            "in_clear": self.visible,
            "documents": self.documents,
            "failed": self.failed,
            **self.counts,
            **self._told_of_numbers(),
            **({} if self.terms.surrogates is None else {"stood_in": self.stood_in}),
        }

    def _told_of_numbers(self) -> dict[str, Any]:
        promise = self.terms.numbers
        if promise is None:
            return {}
        return {"numbers": {"guarantee": promise.to_dict(), "drawn": self.numbers}}

    @property
    def numbers(self) -> int:
        """How many tokens were drawn as numbers."""
        c = self.counts
        return c["tokens"] - c["perturbed"] - c["unknown"] - c["kept"] - self.stood_in

    def lines(self) -> list[str]:
        """The receipt that the person who runs it reads: the log of the run has its speed."""
        c = self.counts
        title = f"Sanitised {many(self.documents, 'document')}, {many(c['tokens'], 'token')}."
        rows = [*(self._of_documents() if self.documents else ()), *self._of_failures()]
        return [title, *(line for row in rows for line in wrapped(*row))]

    def _of_documents(self) -> list[tuple[str, str]]:
        return [
            ("Mechanism", self._mechanism()),
            ("Words", self._words()),
            ("Guarantee", " ".join(self._guarantee())),
            *self._attacker(),
            *self._numbers(),
            *self._stand_ins(),
            ("In clear", "; ".join(self.visible)),
            ("Speed", f"{self.words_per_second:,.0f} words a second, set-up not counted"),
        ]

    def _of_failures(self) -> list[tuple[str, str]]:
        failures = many(self.failures, "record")
        return [("Failed", f"{failures}, of which nothing was written")] if self.failures else []

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
        return [*(f"NO PRIVACY: {alarm}" for alarm in alarms), *self._not_held()]

    @property
    def share_not_held(self) -> float:
        """Of the words of the corpus, those that the space does not hold; 0 to 1."""
        words = self.counts["perturbed"] + self.counts["unknown"]
        return self.counts["unknown"] / words if words else 0.0

    def _not_held(self) -> list[str]:
        """Text of another language goes through as a few words that are written alike."""
        if self.counts["unknown"] < FEW_WORDS or self.share_not_held < MANY_NOT_HELD:
            return []
        name = self.terms.space.rpartition(" (")[0]
        return [
            f"NOT HELD: {self.share_not_held:.0%} of the words are not in the space {name!r}. "
            "Is it of the language of these texts? What it does not hold was not drawn from it."
        ]

    def _mechanism(self) -> str:
        name, _, digest = self.terms.space.rpartition(" (")
        each = "every occurrence" if self.terms.scope == "token" else "every distinct word"
        return (
            f"{self.terms.mechanism}, drawn anew for {each}, from the space {name!r} "
            f"(digest {digest[:12]})"
        )

    def _words(self) -> str:
        c = self.counts
        return (
            f"{c['perturbed']:,} perturbed; "
            f"{c['unknown']:,} unknown to the space, {self.share_not_held:.1%} of the words "
            f"(policy {self.terms.unknown_policy}); {c['kept']:,} tokens kept as they are. "
            "A perturbed word may come out as itself"
        )

    def _guarantee(self) -> list[str]:
        g = self.terms.guarantee
        if g.kind == "none":
            return ["none."]
        delta = f", delta = {g.delta:.3g}" if g.delta else ""
        what = f"epsilon = {g.epsilon:.6g} {g.unit}{delta} for each perturbed word ({g.status})."
        means = f"Covers {g.adjacency}. {g.notes}".strip()
        if g.kind == "metric-dp":
            near = "Near words are hard to tell apart, distant ones less so."
            means = f"{near} {means}"
        total = f"Words of a document add up: to {self.most_draws:,} times that here."
        return [what, means, *self._nats(), total]

    def _attacker(self) -> list[tuple[str, str]]:
        if not self.counts["perturbed"]:
            return []
        if self.terms.attacker is None:
            return [("Attacker", "not measured: `dx attack frontier` does, on texts of yours")]
        one = self.terms.attacker
        return [
            (
                "Attacker",
                f"of {one['texts']} drawn like this, one {named(one)} "
                "(docs/explanation/attacks.md). Of these texts: `dx attack frontier`",
            )
        ]

    def _numbers(self) -> list[tuple[str, str]]:
        g = self.terms.numbers
        if g is None:
            return []
        each = f"{self.numbers:,} drawn by their value, epsilon = {g.epsilon:.6g} {g.unit} each"
        return [("Numbers", f"{each} ({g.status}). {g.notes}")]

    def _stand_ins(self) -> list[tuple[str, str]]:
        """For each stand-in, its labels, its counts and its promise."""
        told: dict[str, list[str]] = {}
        for label, terms in (self.terms.surrogates or {}).items():
            counts = self.mentions.get(label)
            if counts is None or not counts["found"]:
                continue
            kept = f", {counts['kept']:,} kept" if counts["kept"] else ""
            promise = f"{terms['stand_in']}: {Guarantee.from_dict(terms['guarantee'])}"
            row = f"{label} {counts['replaced']:,} replaced{kept}"
            told.setdefault(promise, []).append(row)
        lines = [f"{', '.join(rows)} ({promise})" for promise, rows in told.items()]
        return [("Stand-ins", "; ".join(lines))] if lines else []

    def _nats(self) -> list[str]:
        """What epsilon means on this space."""
        scale = self.terms.scale
        if scale is None:
            return []
        near, middle, far = (scale[name]["nats"] for name in ("nearest", "median", "diameter"))
        return [
            f"That is {near:.3g} nats between a word and its nearest one, {middle:.3g} between two "
            f"at random, and {far:.3g} at most."
        ]


def many(number: int, noun: str) -> str:
    """ "1 document", "1,000 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def wrapped(label: str, text: str) -> list[str]:
    """A label and a text as lines of the receipt."""
    lines = textwrap.wrap(text, WIDTH - 13, break_long_words=False, break_on_hyphens=False)
    return [f"  {label if i == 0 else '':<11}{line}" for i, line in enumerate(lines)]
