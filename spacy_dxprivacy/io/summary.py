"""Summarise the receipt of a run for a terminal, without text of documents."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ..pipeline.describe import describe_guarantee, describe_replaced, plural
from ..privacy.guarantee import Guarantee
from ..text.language import NAMES
from .tally import Tally

WIDTH = 92
MAX_UNKNOWN_SHARE, MIN_UNKNOWN = 0.25, 20  # of English notes the built-in space lacks about 1 in 20
# Share of mentions of persons that the rules leave readable: docs/entities/languages.json.
READABLE = {"fr": 0.08, "es": 0.02}
# What makes a file of an unknown format readable.
TO_TEXT = {
    ".pdf files": "`pdftotext FILE.pdf` makes the text of a PDF.",
    **dict.fromkeys([".doc files", ".odt files", ".rtf files"], "Save documents as .docx."),
    ".msg files": "Save mails as .eml.",
    ".xls files": "Save sheets as .xlsx.",
    ".json files": "Make lines of JSON with `jq -c`.",
    **dict.fromkeys([".ics files", ".vcf files"], "Copy calendars and contacts to .txt files."),
    **dict.fromkeys([".gz files", ".zip files"], "Unpack archives."),
}


def summary(tally: Tally) -> list[str]:
    """Return the summary for a terminal, at most seven lines."""
    count, terms = tally.count, tally.terms
    failed = f"; {plural(tally.failures, 'record')} failed, not written" if tally.failures else ""
    title = f"Sanitised {plural(count.documents, 'document')}, {plural(count.tokens, 'token')}"
    if tally.encodings:
        title += f", read as {' and '.join(tally.encodings)}"
    replaced = describe_replaced(count)
    parts = sum(count.dropped.values())
    dropped = f"{plural(parts, 'part')} not written, " if parts else ""
    measured, attacker = terms.attacker, "not measured at this setting: see `dx attack`"
    if count.mentions and not count.perturbed:
        attacker = "reads what the recogniser misses: `dx evaluate` measures that"
        if tally.languages:
            attacker = f"reads {_missed(tally.languages)}: `dx evaluate` measures that"
    elif measured is not None:
        attacker = (
            f"recovers {measured['found']:.0%} of the words of {measured['texts']}, "
            f"{measured['rare_found']:.0%} of the rare ones"
        )
    stays = [plural(count.kept, "token"), "the layout", *tally.in_clear]
    rows = {
        "Columns": ", ".join(
            f"{head} {changed} of {plural(changed + left, 'cell')}"
            for head, (changed, left) in tally.columns.items()
        ),
        "Replaced": f"{dropped}{', '.join(replaced) or 'nothing'}",
        "Guarantee": describe_guarantee(
            terms.guarantee, terms.surrogates, terms.scale, count, listed="-v"
        ),
        "Attacker": attacker,
        "Visible": ", ".join(stays),
        "Receipt": "as JSON with -v, or in a file with --receipt FILE.json",
    }
    return [
        f"{title}{failed}.",
        *(
            f"  {name:<11}{textwrap.shorten(text, WIDTH - 13, placeholder=' ...')}"
            for name, text in rows.items()
            if count.documents and text
        ),
    ]


def _missed(languages: Iterable[str]) -> str:
    """Return what share of the persons the rules miss in these languages."""
    shares = [
        f"about {READABLE[code]:.0%} of the persons in {NAMES[code]} judgments, more in other texts"
        if code in READABLE
        else f"persons in {NAMES[code]} text that no rule knows"
        for code in languages
    ]
    return "; ".join(shares)


def alarms(tally: Tally) -> list[str]:
    """Return warnings: seeded noise, no guarantee, many unknown words, cells that stayed,
    files that were not read."""
    guarantees = tally.terms.guarantees or {tally.terms.mechanism: Guarantee("none")}
    warnings = []
    if tally.terms.seeded:
        warnings.append(
            "the random numbers were seeded, and anyone with the seed can undo the sampling."
        )
    for name, guarantee in guarantees.items():
        if guarantee.kind == "none":
            warnings.append(f"{name} gives no guarantee. {guarantee.notes}".strip())
        elif guarantee.status == "refuted":
            warnings.append(f"the published proof of {name} does not hold.")
    warnings = [f"NO PRIVACY: {warning}" for warning in warnings]
    # Text of another language would be sampled at the few words that the space shares with it.
    if tally.count.unknown >= MIN_UNKNOWN and tally.unknown_share >= MAX_UNKNOWN_SHARE:
        name = tally.terms.space.rpartition(" (")[0]
        warnings.append(
            f"UNKNOWN WORDS: {tally.unknown_share:.0%} of the words are not in the space "
            f"{name!r}. Check that the space has the language of these texts."
        )
    unread = [kind for kind in tally.count.dropped if kind.startswith(".")]
    if unread:
        listed = ", ".join(
            f"{plural(tally.count.dropped[kind], kind.removesuffix('s'))}" for kind in unread
        )
        remedies = [TO_TEXT[kind] for kind in unread if kind in TO_TEXT]
        warnings.append(f"NOT READ: {listed}. {' '.join(dict.fromkeys(remedies))}".strip())
    stayed = {head: left for head, (_, left) in tally.columns.items() if left}
    if stayed:
        listed = ", ".join(f"{head} ({left})" for head, left in stayed.items())
        warnings.append(
            f"CELLS THAT STAYED: {listed}. Their heads name personal data. Add labels with "
            "--entities, or check them."
        )
    return warnings
