"""What a run did, in numbers and in sentences, without anything of the texts."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from typing import Any

from ..mechanisms.levels import named
from ..pipeline.count import Count
from ..pipeline.receipt import Receipt, Terms, shown_of
from ..privacy.composition import Loss
from ..privacy.guarantee import Guarantee

WIDTH = 92
MANY_NOT_HELD, FEW_WORDS = 0.25, 20  # of English notes the built-in space lacks about 1 in 20


@dataclass
class Tally:
    """The counts of a run, with what the receipts of all documents say."""

    terms: Terms
    count: Count = field(default_factory=Count)
    loss: Loss = field(default_factory=Loss)
    in_clear: list[str] = field(default_factory=list)  # visible besides what the receipts name
    by_person: dict[str, Any] | None = None  # how many persons there are, and the largest loss
    seconds: float = 0.0  # without set-up

    @property
    def failures(self) -> int:
        """How many documents could not be sanitised."""
        return sum(map(len, self.count.failed))

    @property
    def visible(self) -> list[str]:
        """What of the input is in plaintext, each once."""
        shown = [*self.terms.in_clear, *self.in_clear, *shown_of(self.count)]
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
        """Return the receipt of the run, for JSON, to be handed on.

        Without the speed, which tells how long texts and how rare their words are.
        """
        loss: dict[str, Any] = self.loss.to_dict()
        if self.by_person is not None:
            loss["by_person"] = self.by_person
        stages = self.terms.stages(self.visible)
        return Receipt(stages=stages, count=self.count.to_dict(), loss=loss)

    # -- in sentences --------------------------------------------------------------------------

    def summary(self) -> list[str]:
        """Return at most six lines for a person at a terminal."""
        count, terms = self.count, self.terms
        failed = f"; {many(self.failures, 'record')} failed, not written" if self.failures else ""
        title = f"Sanitised {many(count.documents, 'document')}, {many(count.tokens, 'token')}"
        by_label = {label: counts["replaced"] for label, counts in count.mentions.items()}
        replaced = [
            f"{number:,} {what}"
            for what, number in (
                ("words sampled", count.perturbed),
                ("unknown words", count.unknown),
                ("numbers", count.numbers),
                *sorted(by_label.items(), key=lambda pair: -pair[1]),
                ("passages redacted", count.uncovered),
            )
            if number
        ]
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
            "Receipt": "in full with -v, as a file with --receipt FILE.json",
        }
        shown = {name: text for name, text in rows.items() if text and count.documents}
        short = (
            (name, textwrap.shorten(text, WIDTH - 13, placeholder=" ..."))
            for name, text in shown.items()
        )
        return [f"{title}{failed}.", *(line for row in short for line in wrapped(*row))]

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

    def lines(self) -> list[str]:
        """Return the receipt for the person who runs it, which has the speed."""
        count, (space, _, digest) = self.count, self.terms.space.rpartition(" (")
        documents = many(count.documents, "document")
        title = f"Sanitised {documents}, {many(count.tokens, 'token')}."
        occasion = "every occurrence" if self.terms.scope == "token" else "every distinct word"
        mechanism = (
            f"{self.terms.mechanism}, sampled for {occasion}, on the space {space!r} "
            f"(digest {digest[:12]})"
        )
        words = (
            f"{count.perturbed:,} perturbed; "
            f"{count.unknown:,} unknown to the space, {self.share_not_held:.1%} of the words "
            f"(policy {self.terms.unknown_policy}); {count.kept:,} tokens unmodified"
            f"{'. A perturbed word may be sampled as itself' * bool(count.perturbed)}"
        )
        speed = count.tokens / self.seconds if self.seconds else 0.0  # tokens, as spaCy counts them
        failed = f"{many(self.failures, 'record')}, not written"
        rows = {
            "Odds": self._odds(),
            "Guarantee": self._guarantee(),
            "Mechanism": mechanism,
            "Words": words,
            "Attacker": self._attacker() if count.perturbed else "",
            "Edited": self._edited(),
            "Numbers": self._numbers(),
            "Surrogates": self._surrogates(),
            "Redacted": self._uncovered(),
            "Visible": "; ".join(self.visible),
            "Speed": f"{speed:,.0f} words a second, set-up not counted",
        }
        if rows["Surrogates"] and not count.perturbed:  # the word mechanism was not used
            unused = dict.fromkeys(("Mechanism", "Guarantee", "Attacker"), "")
            rows = {"Odds": rows["Odds"], "Surrogates": rows["Surrogates"], **rows, **unused}
        shown = {k: v for k, v in rows.items() if count.documents and (v or k == "Visible")}
        dropped = ", ".join(f"{kind} {count:,}" for kind, count in sorted(count.dropped.items()))
        shown |= {"Dropped": f"{dropped}; not written"} if dropped else {}
        shown |= {"Failed": failed} if self.failures else {}
        return [title, *(line for row in shown.items() for line in wrapped(*row))]

    def _odds(self) -> str:
        """Return how often an informed attacker names a person at most, in plain words."""
        odds, persons = self.terms.odds, self.count.persons
        top = None if persons is None else persons.listed[0]
        if top is not None and top["epsilon"] == 0:
            return "nothing is learned of names: their surrogates are drawn without a look at them"
        guess = "whoever knows all else, and that a name is one of 100 near names, is right"
        typical = "for a name like most (the rarest are easier to guess)"
        if top is not None and "right" in top:
            whom = f"about the person with the most mentions ({top['mentions']}), {typical}"
            return (
                f"{guess} {times(top['right'])} {whom}. Against any other name, these mentions "
                f"come to epsilon = {top['epsilon']:.3g}"
            )
        if odds is None or top is not None or not self.count.perturbed:
            return ""
        once, thrice = (times(odds["right"][number]) for number in ("1", "3"))
        return f"{guess} {once} if it is mentioned once, and {thrice} if three times, {typical}"

    def _edited(self) -> str:
        if self.terms.editor is None:
            return ""
        return (
            f"by {self.terms.editor} with word pairs, after the draws and by public knowledge "
            "alone: it costs no privacy and adds none, and the attacker's success is unchanged"
        )

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
                f"between two random words (median), and {nats[2]} at most, for any two texts of "
                "one layout. (Mechanisms such as DP-Prompt state 62 to 125 nats a token.)"
            )
        draws = self.count.most_draws
        total = f"The losses of words add up, here to {draws:,} times epsilon a document."
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
        guarantee = f"epsilon = {g.epsilon:.6g} {g.unit} each ({g.status})"
        return f"{self.count.numbers:,} sampled near their value, {guarantee}. {g.notes}"

    def _uncovered(self) -> str:
        passages = many(self.count.uncovered, "passage")
        why = "in languages or scripts in which no rule finds anything"
        return f"{passages} {why}" if self.count.uncovered else ""

    def _surrogates(self) -> str:
        """Return the labels, counts and guarantee of each kind of surrogate."""
        by_kind: dict[str, list[str]] = {}
        for label, terms in (self.terms.surrogates or {}).items():
            counts = self.count.mentions.get(label)
            if counts is None or not counts["found"]:
                continue
            unchanged = f", {counts['kept']:,} unchanged" if counts["kept"] else ""
            kind = f"{terms['surrogate']}: {Guarantee.from_dict(terms['guarantee'])}"
            by_kind.setdefault(kind, []).append(
                f"{label} {counts['replaced']:,} replaced{unchanged}"
            )
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
        if self.count.unknown >= FEW_WORDS and self.share_not_held >= MANY_NOT_HELD:
            name = self.terms.space.rpartition(" (")[0]
            alarms.append(
                f"UNKNOWN WORDS: {self.share_not_held:.0%} of the words are not in the space "
                f"{name!r}. Check that the space has the language of these texts."
            )
        return alarms


def times(chance: float, most: str = "at most ") -> str:
    """Return a bound, rounded up, as people say it: "at most 1 time in 7", "at most 2 times in
    3"."""
    if chance > 0.98:
        return "practically always"
    if chance <= 1 / 3:
        return f"{most}1 time in {math.floor(1 / chance + 1e-9):,}"
    up = {of: math.ceil(chance * of - 1e-9) for of in range(2, 51)}
    of = min((of for of in up if up[of] < of), key=lambda of: up[of] / of + of / 150)
    return f"{most}{up[of]} time{'s' * (up[of] > 1)} in {of}"


def many(number: int, noun: str) -> str:
    """Return "1 document" or "1,000 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def wrapped(label: str, text: str) -> list[str]:
    """Return a label and a text as lines of the receipt."""
    lines = textwrap.wrap(text, WIDTH - 13, break_long_words=False, break_on_hyphens=False)
    return [f"  {label if i == 0 else '':<11}{line}" for i, line in enumerate(lines)]
