"""Summarise the receipt of a run for a terminal, without text of documents."""

from __future__ import annotations

import textwrap

from .tally import Tally

WIDTH = 92
MAX_UNKNOWN_SHARE, MIN_UNKNOWN = 0.25, 20  # of English notes the built-in space lacks about 1 in 20


def summary(tally: Tally) -> list[str]:
    """Return the summary for a terminal, at most six lines."""
    count, terms = tally.count, tally.terms
    failed = f"; {plural(tally.failures, 'record')} failed, not written" if tally.failures else ""
    title = f"Sanitised {plural(count.documents, 'document')}, {plural(count.tokens, 'token')}"
    if tally.encodings:
        title += f", read as {' and '.join(tally.encodings)}"
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
    stays = [plural(count.kept, "token"), "the layout", *tally.in_clear]
    rows = {
        "Replaced": f"{dropped}{', '.join(replaced) or 'nothing'}",
        "Guarantee": _guarantee_summary(tally),
        "Attacker": attacker,
        "Visible": ", ".join(stays),
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


def _guarantee_summary(tally: Tally) -> str:
    """Return the guarantee in a few words: of sampled words, or else of surrogates."""
    guarantee, scale = tally.terms.guarantee, tally.terms.scale
    replaced = [label for label, n in tally.count.mentions.items() if n["replaced"]]
    if replaced and not tally.count.perturbed:
        surrogates = tally.terms.surrogates or {}
        budgeted = [label for label in replaced if surrogates[label]["guarantee"]["epsilon"] != 0]
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


def alarms(tally: Tally) -> list[str]:
    """Return warnings: seeded noise, no guarantee, or many unknown words."""
    guarantee = tally.terms.guarantee
    warnings = []
    if tally.terms.seeded:
        warnings.append(
            "the random numbers were seeded, and anyone with the seed can undo the sampling."
        )
    if guarantee.kind == "none":
        warnings.append(f"{tally.terms.mechanism} gives no guarantee. {guarantee.notes}".strip())
    elif guarantee.status == "refuted":
        warnings.append(f"the published proof of {tally.terms.mechanism} does not hold.")
    warnings = [f"NO PRIVACY: {warning}" for warning in warnings]
    # Text of another language would be sampled at the few words that the space shares with it.
    if tally.count.unknown >= MIN_UNKNOWN and tally.unknown_share >= MAX_UNKNOWN_SHARE:
        name = tally.terms.space.rpartition(" (")[0]
        warnings.append(
            f"UNKNOWN WORDS: {tally.unknown_share:.0%} of the words are not in the space "
            f"{name!r}. Check that the space has the language of these texts."
        )
    return warnings


def plural(number: int, noun: str) -> str:
    """Return "1 document" or "1,000 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
