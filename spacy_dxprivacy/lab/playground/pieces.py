"""Texts and receipts as HTML. All that is not ours is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..report import Pair


def marked(pair: Pair, *, marks: bool) -> str:
    """The sanitised text; marks: whether words that came out as other ones are marked."""
    changed = pair.changes()[1]
    words = (
        f"<mark>{escape(token.text)}</mark>{escape(token.blank)}"
        if mark and marks and not token.text.isspace()
        else escape(token.text + token.blank)
        for token, mark in zip(pair.after, changed, strict=True)
    )
    return f'<div data-testid="sanitised" style="white-space: pre-wrap">{"".join(words)}</div>'


def bullets(lines: Sequence[str]) -> str:
    """One line an item."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>"
