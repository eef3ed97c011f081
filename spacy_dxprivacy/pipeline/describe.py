"""Describe a receipt in a few words, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..privacy.guarantee import Guarantee
from .count import Count

# Label -> a word for one mention; in the plural that word with an s, if the second is empty.
NOUNS = {
    "PERSON": ("name of a person", "names of persons"),
    "USERNAME": ("user name", ""),
    "DATE": ("date or age", "dates and ages"),
    "TIME": ("time", ""),
    "GPE": ("place", ""),
    "FAC": ("building", ""),
    "ADDRESS": ("postal address", "postal addresses"),
    "ORG": ("organisation", ""),
    "PHONE": ("telephone number", ""),
    "EMAIL": ("e-mail address", "e-mail addresses"),
    "URL": ("web address", "web addresses"),
    "ID": ("identifying number", ""),
    "SECRET": ("password or key", "passwords and keys"),
    "NORP": ("nationality or religion", "nationalities and religions"),
    **dict.fromkeys(
        ("QUANTITY", "CARDINAL", "MONEY", "PERCENT", "ORDINAL"), ("other number", "")
    ),
}  # fmt: skip


def describe_replaced(count: Count) -> list[str]:
    """Return what was replaced, such as "2 names of persons"; the most frequent mentions first."""
    mentions: dict[tuple[str, str], tuple[int, int]] = {}
    for label, counts in count.mentions.items():
        replaced, found = mentions.get(nouns_of(label), (0, 0))
        mentions[nouns_of(label)] = replaced + counts["replaced"], found + counts["found"]
    by_number = sorted(mentions.items(), key=lambda item: -item[1][0])
    parts_of_text = (
        (count.perturbed, f"{plural(count.perturbed, 'word')} drawn anew"),
        (count.unknown, plural(count.unknown, "unknown word")),
        (count.numbers, plural(count.numbers, "number")),
        *((replaced, _of_found(nouns, replaced, found)) for nouns, (replaced, found) in by_number),
        (count.uncovered, f"{plural(count.uncovered, 'passage')} blacked out"),
    )
    return [described for number, described in parts_of_text if number]


def _of_found(nouns: tuple[str, str], replaced: int, found: int) -> str:
    noun = nouns[0] if found == replaced == 1 else nouns[1]
    return f"{replaced:,} {noun}" if found == replaced else f"{replaced:,} of {found:,} {noun}"


def nouns_of(label: str) -> tuple[str, str]:
    """Return plain words for one and for several mentions with a label."""
    # Here, so that a Doc with a receipt can be read without the words of the package.
    from ..text.mentions import plain_label

    one, several = NOUNS.get(label) or NOUNS.get(plain_label(label)) or (f"{label} entry", "")
    several = several or (f"{label} entries" if one.endswith(" entry") else f"{one}s")
    return one, several


def describe_guarantee(
    guarantee: Guarantee | None,
    surrogates: Mapping[str, Mapping[str, Any]] | None,
    scale: Mapping[str, Any] | None,
    count: Count,
) -> str:
    """Return the guarantee in a few words: of sampled words, or else of surrogates by label.

    Args:
        guarantee: Of a sampled word; None where no word can be sampled.
        surrogates: The terms of each label.
        scale: What epsilon means, see ReceiptTerms.
        count: What was replaced.
    """
    replaced = [label for label, n in count.mentions.items() if n["replaced"]]
    if guarantee is None or (replaced and not count.perturbed):
        labels = {label: surrogates[label] for label in replaced} if surrogates else {}
        return _describe_surrogates(labels or surrogates or {})
    if guarantee.kind == "none":
        return "none"
    epsilon = f"epsilon {guarantee.epsilon:.3g}, {guarantee.status}"
    if guarantee.kind != "metric-dp":
        return f"{epsilon}, {guarantee.unit} a word"
    diameter = "" if scale is None else f"; any two: {scale['diameter']['nats']:,.0f} nats"
    return f"near words are hard to tell apart ({epsilon}){diameter}"


def _describe_surrogates(terms: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what holds for these labels, those with an epsilon by name."""
    guarantees = {
        label: Guarantee.from_dict(stated["guarantee"]) for label, stated in terms.items()
    }
    void = ["other words", *(label for label, g in guarantees.items() if not g.holds)]
    parts = [
        f"{label} epsilon {g.epsilon:.3g} ({g.metric})"
        for label, g in guarantees.items()
        if g.holds and g.epsilon
    ]
    if any(g.holds and not g.epsilon for g in guarantees.values()):
        parts.append(f"{'others' if parts else 'surrogates reveal'} only what in_clear lists")
    return "; ".join([*parts, f"none for {' and '.join(void)}"])


def plural(number: int, noun: str) -> str:
    """Return "1 document" or "1,000 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
