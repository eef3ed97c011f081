"""Summarise the receipt of a run for a terminal, without text of documents."""

from __future__ import annotations

import textwrap

from ..pipeline.describe import plural
from .statements import rewritten, statements
from .tally import Tally

WIDTH = 92


def summary(tally: Tally) -> list[str]:
    """Return the summary for a terminal: headlines of the statements, a line or two each."""
    count, guarantee, stated = tally.count, tally.terms.guarantee, statements(tally)
    title = f"Sanitised {plural(count.documents, 'document')}, {plural(count.tokens, 'token')}"
    if count.perturbed and guarantee is not None and guarantee.kind != "none":
        title += f", at epsilon {guarantee.epsilon:.3g} ({guarantee.status})"
    if tally.encodings:
        title += f", read as {' and '.join(tally.encodings)}"
    failed = f"; {plural(tally.failures, 'record')} failed, not written" if tally.failures else ""
    use = "for training and counting, not for reading" if count.perturbed else "for readers"
    rows = {
        "Use": use,
        "Columns": ", ".join(
            f"{head} {changed} of {plural(changed + left, 'cell')}"
            for head, (changed, left) in tally.columns.items()
        ),
        "Replaced": stated.replaced.headline,
        "Rewritten": rewritten(tally),
        "Stays": stated.stays.headline,
        "Unchecked": stated.unchecked.headline,
        "Linked by": stated.linked.headline,
        "Receipt": "--receipt FILE.html is a page to sign, FILE.json or -v the receipt in full",
    }
    lines = [f"{title}{failed}."]
    for name, text in rows.items() if count.documents else ():
        lines += textwrap.wrap(
            text, WIDTH, initial_indent=f"  {name:<11}", subsequent_indent=" " * 13
        )
    return lines
