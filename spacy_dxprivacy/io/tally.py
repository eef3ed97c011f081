"""What a run did, in numbers and in a few lines, without anything of the texts."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any

from ..pipeline.count import Count
from ..pipeline.receipt import Receipt, ReceiptTerms, revealed_by_counts
from ..privacy.composition import Loss

WIDTH = 92
MANY_NOT_HELD, FEW_WORDS = 0.25, 20  # of English notes the built-in space lacks about 1 in 20


@dataclass
class Tally:
    """The counts of a run, with what the receipts of all documents say."""

    terms: ReceiptTerms
    count: Count = field(default_factory=Count)
    loss: Loss = field(default_factory=Loss)
    in_clear: list[str] = field(default_factory=list)  # visible besides what the receipts name
    by_person: dict[str, Any] | None = None  # how many persons there are, and the largest loss

    @property
    def failures(self) -> int:
        """How many documents could not be sanitised."""
        return sum(map(len, self.count.failed))

    @property
    def visible(self) -> list[str]:
        """What of the input is in plaintext, each once."""
        shown = [*self.terms.in_clear, *self.in_clear, *revealed_by_counts(self.count)]
        return list(dict.fromkeys(shown))

    @property
    def share_not_held(self) -> float:
        """The share of words of the corpus that are not in the space, 0 to 1."""
        words = self.count.perturbed + self.count.unknown
        return self.count.unknown / words if words else 0.0

    def add(self, receipt: Receipt) -> None:
        """Add a document, by its receipt."""
        self.count += receipt.count
        self.loss += receipt.loss

    def to_dict(self) -> Receipt:
        """Return the receipt of the run, for JSON, to be handed on."""
        loss: dict[str, Any] = self.loss.to_dict()
        if self.by_person is not None:
            loss["by_person"] = self.by_person
        stages = self.terms.stages(self.visible)
        return Receipt(stages=stages, count=self.count.to_dict(), loss=loss)

    def summary(self) -> list[str]:
        """Return at most six lines for a person at a terminal."""
        count, terms = self.count, self.terms
        failed = f"; {many(self.failures, 'record')} failed, not written" if self.failures else ""
        title = f"Sanitised {many(count.documents, 'document')}, {many(count.tokens, 'token')}"
        by_label = {label: counts["replaced"] for label, counts in count.mentions.items()}
        parts_of_text = (
            (count.perturbed, f"{many(count.perturbed, 'word')} sampled"),
            (count.unknown, f"{many(count.unknown, 'word')} unknown"),
            (count.numbers, many(count.numbers, "number")),
            *sorted(((n, f"{n:,} {label}") for label, n in by_label.items()), reverse=True),
            (count.uncovered, f"{many(count.uncovered, 'passage')} redacted"),
        )
        replaced = [described for number, described in parts_of_text if number]
        parts = sum(count.dropped.values())
        dropped = f"{many(parts, 'part')} not written, " if parts else ""
        measured, attacker = terms.attacker, "not measured at this setting: see `dx attack`"
        if by_label and not count.perturbed:
            attacker = "reads what the recogniser misses: `dx evaluate` measures that"
        elif measured is not None:
            attacker = (
                f"recovers {measured['found']:.0%} of the words of {measured['texts']}, "
                f"{measured['rare_found']:.0%} of the rare ones"
            )
        stays = [many(count.kept, "token"), "the layout", *self.in_clear]
        rows = {
            "Replaced": f"{dropped}{', '.join(replaced) or 'nothing'}",
            "Guarantee": self._in_short(),
            "Attacker": attacker,
            "Unmodified": ", ".join(stays),
            "Receipt": "as JSON with -v, or in a file with --receipt FILE.json",
        }
        return [
            f"{title}{failed}.",
            *(
                f"  {name:<11}{textwrap.shorten(text, WIDTH - 13, placeholder=' ...')}"
                for name, text in rows.items()
                if count.documents
            ),
        ]

    def _in_short(self) -> str:
        """Return the guarantee in a few words: of words, or of mentions where no word was drawn."""
        guarantee, scale, surrogates = self.terms.guarantee, self.terms.scale, self.terms.surrogates
        replaced = [label for label, n in self.count.mentions.items() if n["replaced"]]
        if replaced and not self.count.perturbed:
            terms = surrogates or {}
            near = [label for label in replaced if terms[label]["guarantee"]["epsilon"] != 0]
            if near:
                return f"an epsilon for {', '.join(near)}; all others reveal only what -v lists"
            return "surrogates reveal only what -v lists"
        if guarantee.kind == "none":
            return "none"
        epsilon = f"epsilon {guarantee.epsilon:.3g}, {guarantee.status}"
        if guarantee.kind != "metric-dp":
            return f"{epsilon}, {guarantee.unit} a word"
        most = "" if scale is None else f"; any two: {scale['diameter']['nats']:,.0f} nats"
        return f"near words are hard to tell apart ({epsilon}){most}"

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
        if self.count.unknown >= FEW_WORDS and self.share_not_held >= MANY_NOT_HELD:
            name = self.terms.space.rpartition(" (")[0]
            alarms.append(
                f"UNKNOWN WORDS: {self.share_not_held:.0%} of the words are not in the space "
                f"{name!r}. Check that the space has the language of these texts."
            )
        return alarms


def many(number: int, noun: str) -> str:
    """Return "1 document" or "1,000 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
