"""The receipt of a run: counts and losses of its documents, and a summary without text."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any

from ..pipeline.count import Count
from ..pipeline.receipt import Receipt, ReceiptTerms, revealed_by_counts
from ..privacy.composition import Loss

WIDTH = 92
MAX_UNKNOWN_SHARE, MIN_UNKNOWN = 0.25, 20  # of English notes the built-in space lacks about 1 in 20


@dataclass
class Tally:
    """Counts and losses of a run, and the terms that the receipts of its documents share."""

    terms: ReceiptTerms
    count: Count = field(default_factory=Count)
    loss: Loss = field(default_factory=Loss)
    in_clear: list[str] = field(default_factory=list)  # in plaintext besides the terms' in_clear
    by_person: dict[str, Any] | None = None  # number of persons, and the largest loss of a person

    @property
    def failures(self) -> int:
        """Number of documents that could not be sanitised."""
        return sum(map(len, self.count.failed))

    @property
    def visible(self) -> list[str]:
        """Descriptions of what the output shows of the input in plaintext, without duplicates."""
        visible = [*self.terms.in_clear, *self.in_clear, *revealed_by_counts(self.count)]
        return list(dict.fromkeys(visible))

    @property
    def share_not_held(self) -> float:
        """Share of the words of all documents that are not in the space, 0 to 1."""
        words = self.count.perturbed + self.count.unknown
        return self.count.unknown / words if words else 0.0

    def add(self, receipt: Receipt) -> None:
        """Add the receipt of a document."""
        self.count += receipt.count
        self.loss += receipt.loss

    def to_dict(self) -> Receipt:
        """Return the receipt of the run, for JSON."""
        loss: dict[str, Any] = self.loss.to_dict()
        if self.by_person is not None:
            loss["by_person"] = self.by_person
        stages = self.terms.stages(self.visible)
        return Receipt(stages=stages, count=self.count.to_dict(), loss=loss)

    def summary(self) -> list[str]:
        """Return the summary for a terminal, at most six lines."""
        count, terms = self.count, self.terms
        failed = f"; {plural(self.failures, 'record')} failed, not written" if self.failures else ""
        title = f"Sanitised {plural(count.documents, 'document')}, {plural(count.tokens, 'token')}"
        by_label = {label: counts["replaced"] for label, counts in count.mentions.items()}
        parts_of_text = (
            (count.perturbed, f"{plural(count.perturbed, 'word')} sampled"),
            (count.unknown, f"{plural(count.unknown, 'word')} unknown"),
            (count.numbers, plural(count.numbers, "number")),
            *sorted(((n, f"{n:,} {label}") for label, n in by_label.items()), reverse=True),
            (count.uncovered, f"{plural(count.uncovered, 'passage')} redacted"),
        )
        replaced = [described for number, described in parts_of_text if number]
        parts = sum(count.dropped.values())
        dropped = f"{plural(parts, 'part')} not written, " if parts else ""
        measured, attacker = terms.attacker, "not measured at this setting: see `dx attack`"
        if by_label and not count.perturbed:
            attacker = "reads what the recogniser misses: `dx evaluate` measures that"
        elif measured is not None:
            attacker = (
                f"recovers {measured['found']:.0%} of the words of {measured['texts']}, "
                f"{measured['rare_found']:.0%} of the rare ones"
            )
        stays = [plural(count.kept, "token"), "the layout", *self.in_clear]
        rows = {
            "Replaced": f"{dropped}{', '.join(replaced) or 'nothing'}",
            "Guarantee": self._guarantee_summary(),
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

    def _guarantee_summary(self) -> str:
        """Return the guarantee in a few words: of sampled words, or else of surrogates."""
        guarantee, scale, surrogates = self.terms.guarantee, self.terms.scale, self.terms.surrogates
        replaced = [label for label, n in self.count.mentions.items() if n["replaced"]]
        if replaced and not self.count.perturbed:
            terms = surrogates or {}
            budgeted = [label for label in replaced if terms[label]["guarantee"]["epsilon"] != 0]
            if budgeted:
                return f"an epsilon for {', '.join(budgeted)}; all others reveal only what -v lists"
            return "surrogates reveal only what -v lists"
        if guarantee.kind == "none":
            return "none"
        epsilon = f"epsilon {guarantee.epsilon:.3g}, {guarantee.status}"
        if guarantee.kind != "metric-dp":
            return f"{epsilon}, {guarantee.unit} a word"
        diameter = "" if scale is None else f"; any two: {scale['diameter']['nats']:,.0f} nats"
        return f"near words are hard to tell apart ({epsilon}){diameter}"

    def alarms(self) -> list[str]:
        """Return warnings: seeded noise, no guarantee, or many unknown words."""
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
        # Text of another language would be sampled at the few words that the space shares with it.
        if self.count.unknown >= MIN_UNKNOWN and self.share_not_held >= MAX_UNKNOWN_SHARE:
            name = self.terms.space.rpartition(" (")[0]
            alarms.append(
                f"UNKNOWN WORDS: {self.share_not_held:.0%} of the words are not in the space "
                f"{name!r}. Check that the space has the language of these texts."
            )
        return alarms


def plural(number: int, noun: str) -> str:
    """Return "1 document" or "1,000 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
