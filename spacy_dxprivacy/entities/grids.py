"""Tables and forms: what the head of a column or the key of a line says about its values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from .tables import sections

# Bounded: else a search goes over the same blanks from each of them.
BLANKS = r"[ \t]{0,40}"

Cell = tuple[str, int, int]  # label, start and end in the text
Labels = tuple[str | None, ...]
MOST_TABLES = 16  # that stand above a line, where each line may read as a head of the next ones

_CALLED = {
    label: " ".join(sections("words")[f"HEAD {label}"])
    for label in "PERSON GPE ORG ADDRESS PHONE DATE ID".split()
}
_DIGITS = frozenset({"PHONE", "DATE", "ID"})  # a value without a digit is none
_MARKS = "|\t;,"
_EMPTY = re.compile(r"[\W_]*(?:n/?a|none|nil|null|unknown|nan|yes|no)?[\W_]*", re.IGNORECASE)
_RULE = re.compile(r"[\s|:+=-]*")  # below the head of a table
_WRITTEN = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: (?:[a-z'’]{1,4} ){0,2}[^\W\d_a-zß-öø-ÿ][\w'’.-]*){0,5}"
_TO_END = rf"(?=[\"'][,}}\]]|[\"']?,?{BLANKS}(?:[\t|;]|  |\n|\Z))"


@lru_cache(maxsize=1)
def _heads() -> dict[str, str]:
    """Head in small letters -> label."""
    return {
        head.strip(): label
        for label, called in _CALLED.items()
        for head in re.split("[,|]", called)
    }


def _longest_first(keys: Iterable[str]) -> str:
    return "|".join(sorted((re.escape(key.strip()) for key in keys), key=len, reverse=True))


@lru_cache(maxsize=1)
def _head() -> re.Pattern[str]:
    heads = _longest_first(_heads())
    return re.compile(
        rf"[|,;\t][ \t\"']{{0,40}}(?:{heads})[ \t\"']{{0,40}}(?=[|,;\t]|$)", re.M | re.I
    )


@lru_cache(maxsize=1)
def _line() -> re.Pattern[str]:
    forms = []
    for label in ("PERSON", "GPE", "ORG", "ADDRESS"):
        keys = _longest_first(_CALLED[label].partition("|")[0].split(","))
        value = r"(?=[^\n]{0,12}\d)[^\n|;\t\"]{3,12}?" if label == "ADDRESS" else _WRITTEN
        named = rf"(?P<{label}>{value})"
        forms.append(rf"(?i:{keys})[\"']?{BLANKS}[:=]{BLANKS}[\"']?{named}{_TO_END}")
    return re.compile(rf"(?:^|[\t|;,{{]|  )[ \t>*•\"'-]{{0,40}}(?:{'|'.join(forms)})", re.M)


def cells(text: str) -> Iterator[Cell]:
    """(label, start, end) of each value whose column or line says what it is."""
    if ":" in text or "=" in text:
        for match in _line().finditer(text):
            label = str(match.lastgroup)
            yield label, *match.span(label)
    if "\n" in text:
        yield from _columns(text)


def _columns(text: str) -> Iterator[Cell]:
    """Below each line that two heads or more stand in, for as long as the lines have as many
    cells."""
    heads = set(_lines_of_heads(text))
    tables: dict[tuple[str, Labels], None] = {}
    for start, row in _rows(text, min(heads, default=len(text))):
        if tables and not (_RULE.fullmatch(row) and row.strip()):
            tables = {(mark, of): None for mark, of in tables if row.count(mark) + 1 == len(of)}
            for mark, labels in tables:
                yield from _labelled(start, row.split(mark), labels)
        if start in heads and (table := _table(row)):
            tables[table] = None
            if len(tables) > MOST_TABLES:
                del tables[next(iter(tables))]


def _lines_of_heads(text: str) -> Iterator[int]:
    """Where each line begins that has a head after a mark."""
    line = 0
    while match := _head().search(text, line):
        yield text.rfind("\n", line, match.start()) + 1 or line
        line = text.find("\n", match.start()) + 1
        if not line:
            return


def _table(head: str) -> tuple[str, Labels] | None:
    """What stands between the cells below a line of heads, and the label of each cell."""
    mark = max(_MARKS, key=head.count)
    labels = tuple(_heads().get(name.strip(" \t\"'").lower()) for name in head.split(mark))
    return None if len(labels) - labels.count(None) < 2 else (mark, labels)


def _rows(text: str, begin: int) -> Iterator[tuple[int, str]]:
    """(where it begins, line) of each line from `begin` on."""
    while begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        yield begin, text[begin:end]
        begin = end + 1


def _labelled(start: int, values: list[str], labels: Labels) -> Iterator[Cell]:
    for value, label in zip(values, labels, strict=True):
        bare = value.strip(" \t\"'\r")
        told = label not in _DIGITS or any(map(str.isdigit, bare))
        if label and told and not _EMPTY.fullmatch(value):
            first = start + value.index(bare)
            yield label, first, first + len(bare)
        start += len(value) + 1
