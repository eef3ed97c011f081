"""dx.diff: before and after, for the eyes of who holds the originals."""

from __future__ import annotations

import difflib
import os
import re
import sys
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ...errors import DxError, Errors
from .clean import is_missing, rows_of

Pieces = list[tuple[str, bool]]  # of a text, and whether each is in this text alone
_PIECES = re.compile(r"\w+|[^\w\s]|\s+")
MOST_ROWS, MOST_CHARACTERS = 20, 4000  # shown; the comparison takes quadratic time
RED, GREEN, PLAIN = "\x1b[1;31m", "\x1b[1;32m", "\x1b[0m"
STYLE = "background:{};color:#1a1a1a;border-radius:3px;padding:0 2px;text-decoration:none"
OLD, NEW = STYLE.format("#f9d0d0"), STYLE.format("#c9ecc9")
CELL = "text-align:left;vertical-align:top;white-space:pre-wrap;padding:4px 10px"


@dataclass(frozen=True)
class Diff:
    """The first rows of two columns, side by side.

    In colour in a notebook and in a terminal, else with [-old-]{+new+}. It holds the originals:
    show it on a screen, not in a log.

    Attributes:
        rows: Pieces before and after, for each row.
        left_out: How many rows are not shown.
    """

    rows: list[tuple[Pieces, Pieces]] = field(repr=False)
    left_out: int = 0

    @property
    def unchanged(self) -> float:
        """The share of the words before that are there after, from 0 to 1, of the rows shown."""
        words = [changed for before, _ in self.rows for piece, changed in before if piece.isalnum()]
        return 1 - sum(words) / len(words) if words else 1.0

    def __str__(self) -> str:
        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        old, new = ((RED, PLAIN), (GREEN, PLAIN)) if colour else (("[-", "-]"), ("{+", "+}"))
        lines = [
            line
            for before, after in self.rows
            for line in (f"- {_marked(before, *old)}", f"+ {_marked(after, *new)}", "")
        ]
        return "\n".join([*lines, self._foot()])

    __repr__ = __str__

    def _foot(self) -> str:
        more = f"; {self.left_out:,} more not shown" if self.left_out else ""
        return f"{self.unchanged:.0%} of the words are unchanged{more}."

    def _repr_html_(self) -> str:
        def cells(tag: str, *texts: str) -> str:
            some = "".join(f'<{tag} style="{CELL}">{text}</{tag}>' for text in texts)
            return f"<tr>{some}</tr>"

        old, new = (f'<del style="{OLD}">', "</del>"), (f'<ins style="{NEW}">', "</ins>")
        body = "".join(
            cells("td", _marked(before, *old, escape), _marked(after, *new, escape))
            for before, after in self.rows
        )
        head = cells("th", "before", "after")
        table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
        return f"{table}<p>{escape(self._foot())}</p>"


def diff(before: Any, after: Any) -> Diff:
    """Show what sanitising did to a text, or to the rows of a list or Series.

    Args:
        before: The originals; the first 20 rows, and 4,000 characters of each, are compared.
        after: As many sanitised texts.

    Raises:
        DxError: The two are of different lengths.
    """
    left, right = rows_of(before), rows_of(after)
    if len(left) != len(right):
        raise DxError(Errors.DX146.format(before=len(left), after=len(right)))
    pairs = zip(left[:MOST_ROWS], right[:MOST_ROWS], strict=True)
    rows = [compared(_printable(a), _printable(b)) for a, b in pairs]
    return Diff(rows, max(0, len(left) - MOST_ROWS))


def _printable(text: Any) -> str:
    if is_missing(text):
        return ""
    if not isinstance(text, str):
        raise DxError(Errors.DX140.format(given=type(text).__name__))
    # Control characters move the cursor, and worse.
    shown = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
    return shown if len(shown) <= MOST_CHARACTERS else shown[:MOST_CHARACTERS] + " ..."


def _marked(pieces: Pieces, start: str, end: str, escaped: Any = str) -> str:
    return "".join(
        f"{start}{escaped(p)}{end}" if changed and not p.isspace() else escaped(p)
        for p, changed in pieces
    )


def compared(before: str, after: str) -> tuple[Pieces, Pieces]:
    """Return the pieces of two texts, and whether each is only in its own.

    White space counts as common to both: matching it would take most of the time.
    """
    pieces = [_PIECES.findall(text) for text in (before, after)]
    words = [[i for i, piece in enumerate(some) if not piece.isspace()] for some in pieces]
    one, other = ([some[i] for i in which] for some, which in zip(pieces, words, strict=True))
    left, right = (set(which) for which in words)
    for block in difflib.SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        left -= set(words[0][block.a : block.a + block.size])
        right -= set(words[1][block.b : block.b + block.size])
    alone = zip(pieces, (left, right), strict=True)
    old, new = ([(p, i in which) for i, p in enumerate(some)] for some, which in alone)
    return old, new
