"""dx.diff: before and after, for the eyes of who holds the originals."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ..batch.trial import compared
from ..errors import DxError, Errors
from .clean import is_missing, rows_of

Pieces = list[tuple[str, bool]]  # of a text, and whether each is in this one alone
MOST_ROWS, MOST_CHARACTERS = 20, 4000  # what is shown; comparing takes the square of it
RED, GREEN, PLAIN = "\x1b[1;31m", "\x1b[1;32m", "\x1b[0m"
STYLE = "background:{};color:#1a1a1a;border-radius:3px;padding:0 2px;text-decoration:none"
OLD, NEW = STYLE.format("#f9d0d0"), STYLE.format("#c9ecc9")
CELL = "text-align:left;vertical-align:top;white-space:pre-wrap;padding:4px 10px"


@dataclass(frozen=True)
class Diff:
    """The first rows of both, side by side: in colour in a notebook and in a terminal, else with
    [-what was-]{+what came+}. It holds the originals: it is for the screen, not for a log.

    rows: pieces before and after, of each row. left_out: how many rows are not shown.
    """

    rows: list[tuple[Pieces, Pieces]] = field(repr=False)
    left_out: int = 0

    @property
    def unchanged(self) -> float:
        """The share of the words before that are there after, from 0 to 1, of the rows shown."""
        words = [changed for before, _ in self.rows for piece, changed in before if piece.isalnum()]
        return 1 - sum(words) / len(words) if words else 1.0

    def __str__(self) -> str:
        return self._text(_has_colour())

    def __repr__(self) -> str:
        return str(self)

    def _text(self, colour: bool) -> str:
        marks = ((RED, PLAIN), (GREEN, PLAIN)) if colour else (("[-", "-]"), ("{+", "+}"))
        lines = []
        for before, after in self.rows:
            lines += [f"- {_marked(before, *marks[0])}", f"+ {_marked(after, *marks[1])}", ""]
        return "\n".join([*lines, self._foot()])

    def _foot(self) -> str:
        more = f"; {self.left_out:,} more not shown" if self.left_out else ""
        return f"{self.unchanged:.0%} of the words came out as they were{more}."

    def _repr_html_(self) -> str:
        body = "".join(
            f'<tr><td style="{CELL}">{_html(before, "del", OLD)}</td>'
            f'<td style="{CELL}">{_html(after, "ins", NEW)}</td></tr>'
            for before, after in self.rows
        )
        head = "".join(
            f'<th scope="col" style="{CELL}">{name}</th>' for name in ("before", "after")
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"{table}<p>{escape(self._foot())}</p>"


def diff(before: Any, after: Any) -> Diff:
    """What sanitising did to a text, or to the rows of a list or Series; the first 20 rows, and
    4,000 characters of each, are compared. Raises DxError for two of different lengths."""
    left, right = rows_of(before), rows_of(after)
    if len(left) != len(right):
        raise DxError(Errors.DX146.format(before=len(left), after=len(right)))
    pairs = zip(left[:MOST_ROWS], right[:MOST_ROWS], strict=True)
    return Diff(
        [compared(_shown(a), _shown(b)) for a, b in pairs],
        max(0, len(left) - MOST_ROWS),
    )


def _shown(text: Any) -> str:
    if is_missing(text):
        return ""
    if not isinstance(text, str):
        raise DxError(Errors.DX140.format(given=type(text).__name__))
    # Control characters move the cursor, and worse.
    shown = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
    return shown if len(shown) <= MOST_CHARACTERS else shown[:MOST_CHARACTERS] + " ..."


def _marked(pieces: Sequence[tuple[str, bool]], start: str, end: str) -> str:
    return "".join(
        f"{start}{p}{end}" if changed and not p.isspace() else p for p, changed in pieces
    )


def _html(pieces: Sequence[tuple[str, bool]], tag: str, style: str) -> str:
    return "".join(
        f'<{tag} style="{style}">{escape(p)}</{tag}>' if changed and not p.isspace() else escape(p)
        for p, changed in pieces
    )


def _has_colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ
