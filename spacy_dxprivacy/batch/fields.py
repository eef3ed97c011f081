"""Which fields of a record are sanitised, which are written as they are, and how they are found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..config import FileConfig
from ..errors import UsageError

DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
MOST_NAMES = 12  # that a message shows
# What a column may be called. The first row of a file without names is a text, and is not shown.
_NAME = re.compile(r"[^\W\d][\w.:/()#%&+-]*( [\w.:/()#%&+-]+){0,2}(\[\])?")
LONGEST_NAME = 40

Slot = tuple[Any, Any]  # a list or a dict, and where in it a text is
Steps = tuple[str, ...]


@dataclass(frozen=True)
class Fields:
    """Of formats with fields: those to sanitise, and those to keep.

    text: what to sanitise: the name of a field, a way into it (`a.b`, `items[].text`), or the
    number of a column, from 1. more: further ones. keep: the names of others, or ways, to write as
    they are; None for all others. receipt: a field to add, with the receipt of the record; ""
    for none. delimiter: what stands between the fields of .csv; None for that of the format. user:
    the field that says whose document it is, or the way to it; a record without one fails.
    """

    text: str = "text"
    keep: tuple[str, ...] | None = ()
    more: tuple[str, ...] = ()
    receipt: str = ""
    delimiter: str | None = None
    user: str | None = None

    def __post_init__(self) -> None:
        for name in self.texts:
            if self.keep is not None and name in self.keep:
                raise UsageError(f"`keep` cannot keep {name!r}, the field to sanitise.")
            if self.texts.count(name) > 1 or name in ("", self.receipt):
                raise UsageError(f"`field` names {name!r} twice, or it is taken.")
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise UsageError(
                f"`delimiter` must be one character, or one of {', '.join(DELIMITERS)}, "
                f"got {self.delimiter!r}."
            )
        if self.delimiter in ('"', "\n", "\r"):
            raise UsageError("`delimiter` cannot be a quote or the end of a line.")

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is sanitised."""
        return (self.text, *self.more)


def fields_of(files: FileConfig) -> Fields:
    """Return the fields that settings name. Raises UsageError where they do not fit together."""
    if not files.field:
        raise UsageError("`field` is empty: name what is to be sanitised.")
    first, *more = files.field
    keep = () if files.keep_fields == ("none",) else files.keep_fields
    delimiter = delimiter_of(files.delimiter)
    receipt = files.receipt_field or ""
    return Fields(first, keep, tuple(more), receipt, delimiter, files.person_field)


def delimiter_of(given: str | None) -> str | None:
    """The character that "tab", "semicolon" and the like stand for."""
    return None if given is None else DELIMITERS.get(given, given)


def steps(way: str) -> Steps:
    """("items", "[]", "text") for "items[].text"."""
    return tuple(re.findall(r"\[\]|[^.\[\]]+", way))


def slots_of(entry: Any, way: str) -> list[Slot]:
    """Where the texts are that a way leads to. Raises KeyError where it leads nowhere."""
    if isinstance(entry, dict) and way in entry:
        return [(entry, way)]
    found = steps(way)
    if not found:
        raise KeyError(way)
    return list(_walk(entry, found))


def _walk(value: Any, way: Steps) -> Iterator[Slot]:
    head, rest = way[0], way[1:]
    if head == "[]" and isinstance(value, list):
        keys: Iterable[Any] = range(len(value))
    elif isinstance(value, dict) and head in value:
        keys = [head]
    else:
        raise KeyError(head)
    for key in keys:
        if rest:
            yield from _walk(value[key], rest)
        else:
            yield value, key


def pruned(entry: Any, names: Sequence[str]) -> Any:
    """What names and ways lead to, and nothing beside it."""
    whole = entry if isinstance(entry, dict) else {}
    return _pruned(entry, [(name,) if name in whole else steps(name) for name in names])


def _pruned(value: Any, ways: list[Steps]) -> Any:
    if any(not way for way in ways):
        return value
    if isinstance(value, list):
        below = [way[1:] for way in ways if way[0] == "[]"]
        return [_pruned(one, below) for one in value] if below else []
    if not isinstance(value, dict):
        return None
    heads = {way[0] for way in ways}
    return {
        key: _pruned(one, [way[1:] for way in ways if way[0] == key])
        for key, one in value.items()
        if key in heads
    }


def names_of(entry: Any, before: str = "", depth: int = 3) -> list[str]:
    """The ways to all that a value holds: "id", "a.b", "items[].text"."""
    if isinstance(entry, list) and entry and depth:
        return names_of(entry[0], f"{before}[]", depth - 1)
    if isinstance(entry, dict) and entry and depth:
        start = f"{before}." if before else ""
        return [n for key in entry for n in names_of(entry[key], f"{start}{key}", depth - 1)]
    return [before] if before else []


def look_like_names(names: Sequence[str]) -> bool:
    """Whether all of them can be shown: a first row without names holds texts."""
    return bool(names) and all(len(n) <= LONGEST_NAME and _NAME.fullmatch(n) for n in names)


def shown(names: Sequence[str]) -> str:
    """ "note, id, date", of those that look like names."""
    good = [re.sub(r"\s", " ", n) for n in names if _is_way(n)]
    rest = len(names) - len(good[:MOST_NAMES])
    told = ", ".join(good[:MOST_NAMES])
    if not rest:
        return told
    return f"{told} and {rest} more" if told else f"{rest} whose names are not shown"


def _is_way(name: str) -> bool:
    return len(name) <= 3 * LONGEST_NAME and all(
        _NAME.fullmatch(step) for step in steps(name) if step != "[]"
    )
