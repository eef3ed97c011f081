"""Find the labels in the first column of a table whose rows each say something else: City | Bath.

Such a label names nobody, although City and Hope look alike in their cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from ..text.mentions import Entity
from .cells import is_young, values_of_cell
from .heads import MAX_HEAD, Head, head_of
from .words import is_only_ordinary

MARKS = "|\t;,:"
MIN_ROWS = 3  # of a run of rows, and of these with a head
MIN_SURE = 2  # different labels of heads that are not weak
MIN_SHARE = 0.5  # of such rows in a run
_FIRST = re.compile(
    rf"^[ >•-]{{0,9}}\|?[ \"*_]{{0,9}}(?P<cell>[^\W\d_][^\n|\t;,\"*]{{0,{MAX_HEAD}}}?)"
    r"(?:[ \"*_:]{0,9}(?P<mark>[|\t;,]|:(?=[ \t*_]))|:?(?P<gap>[ ]{2,40})(?=[^\s|;,]))",
    re.M,
)
# The only cell beside a label.
_VALUE = re.compile(
    r"[ \t*_]{0,40}(?P<cell>[^\n|\t;]{1,200}?)[ ]{0,40}[|\t;]?[ ]{0,9}(?=\r?\n|\r?\Z)"
)
_WORD = re.compile(r"[^\W\d_]+")
_GAP = re.compile(r"\S[ ]{2,}(?=\S)")  # between two columns of a plain text
_RULED = re.compile(r"[\s|:+=-]*")


def labels_in(text: str) -> list[tuple[int, int]]:
    """Return the labels of first columns, in characters, in order."""
    return [span for run in _runs(text) for span in _labels_of(run)]


def values_beside_labels(text: str) -> Iterator[Entity]:
    """Yield the values of rows of a label and one cell, in characters."""
    for run in _runs(text):
        for match in run if next(_labels_of(run), None) else ():
            head, value = head_of(match["cell"]), _VALUE.match(text, match.end())
            if head is not None and value is not None and not _is_number(head, value["cell"]):
                for label, first, last in values_of_cell(head, value["cell"]):
                    yield Entity(label, value.start("cell") + first, value.start("cell") + last)


def _is_number(head: Head, cell: str) -> bool:
    """Return whether a cell is an age that may stay, or a number below a weak head."""
    return (head.label == "AGE" and is_young(cell)) or (head.is_weak and cell.isdigit())


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield the first cells of rows in a row, of which each has as many cells; none of a text that
    is too short for such a table."""
    has_marks = "  " in text or any(mark in text for mark in MARKS)
    if text.count("\n") < MIN_ROWS - 1 or not has_marks:
        return
    rows = list[tuple[object, re.Match[str]]]()
    last, number = 0, 0
    for match in _FIRST.finditer(text):
        end = text.find("\n", match.end())
        row = text[match.start() : end if end >= 0 else len(text)]
        number += not _RULED.fullmatch(text, last, match.start())
        last = match.start() + len(row)
        mark = match["mark"]
        # Columns of a plain text begin below each other.
        columns = row.count(mark) if mark else (len(match[0]), len(_GAP.findall(row)))
        rows.append(((number, mark, columns), match))
    for _, run in groupby(rows, key=lambda row: row[0]):
        yield [match for _, match in run]


def _labels_of(run: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Yield the cells that are heads or ordinary words, if most of a column are heads, and two of
    them say different things by themselves: Land and Child are names, too."""
    heads = {match["cell"]: head for match in run if (head := head_of(match["cell"])) is not None}
    sure = {head.label for head in heads.values() if not head.is_weak}
    if len(sure) < MIN_SURE or len(heads) < max(MIN_ROWS, MIN_SHARE * len(run)):
        return
    for match in run:
        words = _WORD.findall(match["cell"])
        if match["cell"] in heads or all(map(is_only_ordinary, words)):
            yield match.span("cell")
