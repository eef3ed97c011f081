"""Tables and forms: find values by the head of their column or the key of their line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ..text.mentions import Entity
from .tables import sections

# Bounded: else a search goes over the same blanks from each of them.
BLANKS = r"[ \t]{0,40}"
MOST_TABLES = 16  # tables above a line, as each line may read as the head of the next ones

Labels = tuple[str | None, ...]

_HEADS = {
    label: " ".join(sections("words")[f"HEAD {label}"])
    for label in "PERSON GPE ORG ADDRESS PHONE DATE ID".split()
}
_DIGITS = frozenset({"PHONE", "DATE", "ID"})  # labels whose values have a digit
_EMPTY = re.compile(r"[\W_]*(?:n/?a|none|nil|null|unknown|nan|yes|no)?[\W_]*", re.IGNORECASE)
_RULE = re.compile(r"[\s|:+=-]*")  # below the head of a table
_WRITTEN = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: (?:[a-z'’]{1,4} ){0,2}[^\W\d_a-zß-öø-ÿ][\w'’.-]*){0,5}"
_TO_END = rf"(?=[\"'][,}}\]]|[\"']?,?{BLANKS}(?:[\t|;]|  |\n|\Z))"


@lru_cache(maxsize=1)
def _label_of() -> dict[str, str]:
    """Head in lower case -> label."""
    return {
        head.strip(): label for label, heads in _HEADS.items() for head in re.split("[,|]", heads)
    }


def _longest_first(keys: Iterable[str]) -> str:
    return "|".join(sorted((re.escape(key.strip()) for key in keys), key=len, reverse=True))


@lru_cache(maxsize=1)
def _head() -> re.Pattern[str]:
    heads = _longest_first(_label_of())
    return re.compile(
        rf"[|,;\t][ \t\"']{{0,40}}(?:{heads})[ \t\"']{{0,40}}(?=[|,;\t]|$)", re.M | re.I
    )


@lru_cache(maxsize=1)
def _line() -> re.Pattern[str]:
    forms = []
    for label in ("PERSON", "GPE", "ORG", "ADDRESS"):
        keys = _longest_first(_HEADS[label].partition("|")[0].split(","))
        value = r"(?=[^\n]{0,12}\d)[^\n|;\t\"]{3,12}?" if label == "ADDRESS" else _WRITTEN
        named = rf"(?P<{label}>{value})"
        forms.append(rf"(?i:{keys})[\"']?{BLANKS}[:=]{BLANKS}[\"']?{named}{_TO_END}")
    return re.compile(rf"(?:^|[\t|;,{{]|  )[ \t>*•\"'-]{{0,40}}(?:{'|'.join(forms)})", re.M)


def cells(text: str) -> Iterator[Entity]:
    """Yield (label, start, end) in the text of each value whose column or line names its label."""
    if ":" in text or "=" in text:
        for match in _line().finditer(text):
            label = str(match.lastgroup)
            yield label, *match.span(label)
    if "\n" in text:
        yield from _columns(text)


def _columns(text: str) -> Iterator[Entity]:
    """Cells below each line with two heads or more, for as long as lines have as many cells."""
    first = _head().search(text)
    if first is None:
        return
    start = text.rfind("\n", 0, first.start()) + 1
    tables: dict[tuple[str, Labels], None] = {}
    for row in text[start:].split("\n"):
        if tables and not (_RULE.fullmatch(row) and row.strip()):
            tables = {(mark, of): None for mark, of in tables if row.count(mark) + 1 == len(of)}
            for mark, labels in tables:
                yield from _labelled(start, row.split(mark), labels)
        if _head().search(row):
            mark = max("|\t;,", key=row.count)
            names = [name.strip(" \t\"'").lower() for name in row.split(mark)]
            labels = tuple(map(_label_of().get, names))
            if len(labels) - labels.count(None) > 1:
                tables[mark, labels] = None
                if len(tables) > MOST_TABLES:
                    del tables[next(iter(tables))]
        start += len(row) + 1


def _labelled(start: int, values: list[str], labels: Labels) -> Iterator[Entity]:
    for value, label in zip(values, labels, strict=True):
        bare = value.strip(" \t\"'\r")
        fits = label not in _DIGITS or any(map(str.isdigit, bare))
        if label and fits and not _EMPTY.fullmatch(value):
            first = start + value.index(bare)
            yield label, first, first + len(bare)
        start += len(value) + 1
