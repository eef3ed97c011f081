"""Rows of tables whose columns are aligned by blanks, as in a printout: Bed  Name       Seen.

A cell begins below its head, ends below it, as numbers do, or begins further right where the cell
before it is longer than its column. At least two blanks stand between two heads.
"""

from __future__ import annotations

import re

MAX_WORDS = 4  # of a head
MAX_OVER = 16  # characters that a cell may be longer than its column
MIN_INDENT = 4  # blanks before the first head, below which a column without a head may stand
_CELL = re.compile(r"(?:^|(?<=^ )|(?<=  ))\S")
_STOP = re.compile(r"\A((?:\S+ )?[^\W\d_]{2,5})\.\Z")  # of a short word: Lab no.
_NO_HEAD = re.compile(r"\A\d|[:=|\t;?!]|[.,]\Z")
_WITH_DIGITS = re.compile(r"\d")
FEW = 3  # heads of which one may have digits: E. coli/100 g


def columns_in(row: str) -> tuple[int, ...] | None:
    """Return where the columns below a row begin, if its words may be heads, two of them at
    least."""
    if "  " not in row.strip() or "\t" in row:
        return None
    starts = [match.start() for match in _CELL.finditer(row)]
    starts = [0, *starts] if starts[0] >= MIN_INDENT else [0, *starts[1:]]
    heads = [_STOP.sub(r"\1", head.strip()) for head in _split(row, starts) if head.strip()]
    if len(heads) < 2 or any(map(_NO_HEAD.search, heads)):
        return None
    if FEW * sum(_WITH_DIGITS.search(head) is not None for head in heads) > len(heads):
        return None
    return tuple(starts) if all(len(h.split()) <= MAX_WORDS for h in heads) else None


def cells_below(row: str, starts: tuple[int, ...]) -> list[str] | None:
    """Return the cells of a row, one for each column, or None if it is not aligned with them. One
    blank stands between two cells that are beside each other, as a delimiter does."""
    if not row.strip() or "\t" in row:
        return None
    edges = [0]
    for start in starts[1:]:
        edge = _edge(row, start, edges[-1])
        if edge is None:
            return None
        edges.append(edge)
    return _split(row.ljust(edges[-1]), edges)


def _split(row: str, edges: list[int]) -> list[str]:
    ends = [*(edge - 1 for edge in edges[1:]), len(row)]
    return [row[first:end] for first, end in zip(edges, ends, strict=True)]


def _edge(row: str, start: int, low: int) -> int | None:
    """Return where the cell of a column begins, behind a blank, or None if words go on there.

    start: Where the column begins. low: Where the cell before begins.
    """
    start = max(start, low + 1)
    if row[start - 1 : start].strip() == "":
        if row[start - 2 : start].strip() == "" or row[start : start + 1].strip():
            return start
    gap = row.rfind("  ", low, start)
    if gap >= 0 and " " not in row[gap + 2 : start]:  # a number that ends below its head
        return gap + 2
    gap = row.find("  ", start - 1, start + MAX_OVER)
    if gap < 0:
        return start if len(row) <= start else None
    return gap + len(row[gap:]) - len(row[gap:].lstrip())
