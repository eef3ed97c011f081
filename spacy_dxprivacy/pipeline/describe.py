"""Describe a receipt in a few words, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..privacy.guarantee import Guarantee
from .count import Count


def describe_replaced(count: Count) -> list[str]:
    """Return what was replaced, such as "2 PERSON"; the most frequent labels first."""
    by_label = {label: counts["replaced"] for label, counts in count.mentions.items()}
    parts_of_text = (
        (count.perturbed, f"{plural(count.perturbed, 'word')} sampled"),
        (count.unknown, f"{plural(count.unknown, 'word')} unknown"),
        (count.numbers, plural(count.numbers, "number")),
        *sorted(((n, f"{n:,} {label}") for label, n in by_label.items()), reverse=True),
        (count.uncovered, f"{plural(count.uncovered, 'passage')} redacted"),
    )
    return [described for number, described in parts_of_text if number]


def describe_guarantee(
    guarantee: Guarantee | None,
    surrogates: Mapping[str, Mapping[str, Any]] | None,
    scale: Mapping[str, Any] | None,
    count: Count,
    *,
    listed: str,
) -> str:
    """Return the guarantee in a few words: of sampled words, or else of surrogates by label.

    Args:
        guarantee: Of a sampled word; None where no word can be sampled.
        surrogates: The terms of each label.
        scale: What epsilon means, see ReceiptTerms.
        count: What was replaced.
        listed: Where all that stays visible is listed.
    """
    replaced = [label for label, n in count.mentions.items() if n["replaced"]]
    if guarantee is None or (replaced and not count.perturbed):
        labels = {label: surrogates[label] for label in replaced} if surrogates else {}
        return _describe_surrogates(labels or surrogates or {}, listed)
    if guarantee.kind == "none":
        return "none"
    epsilon = f"epsilon {guarantee.epsilon:.3g}, {guarantee.status}"
    if guarantee.kind != "metric-dp":
        return f"{epsilon}, {guarantee.unit} a word"
    diameter = "" if scale is None else f"; any two: {scale['diameter']['nats']:,.0f} nats"
    return f"near words are hard to tell apart ({epsilon}){diameter}"


def _describe_surrogates(terms: Mapping[str, Mapping[str, Any]], listed: str) -> str:
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
        parts.append(f"{'others' if parts else 'surrogates reveal'} only what {listed} lists")
    return "; ".join([*parts, f"none for {' and '.join(void)}"])


def plural(number: int, noun: str) -> str:
    """Return "1 document" or "1,000 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
