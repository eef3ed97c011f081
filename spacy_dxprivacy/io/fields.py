"""Rows of a file: which of their fields are texts, whose they are, and what is written of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from ..config import FileOptions
from ..entities.surrogates.replacements import USER
from ..errors import DxError, UsageError
from ..text.users import identity, is_nobody
from .records import NOT_UTF8, Failed, Input, Released, checked, is_unicode

MOST_NAMES = 12  # that a message shows
# What a column may be called. The first row of a file without names is a text, and is not shown.
_NAME = re.compile(r"[^\W\d][\w.:/()#%&+-]*( [\w.:/()#%&+-]+){0,2}(\[\])?")
LONGEST_NAME = 40

Slot = tuple[Any, Any]  # a list or a dict, and the index or key of a text in it
Steps = tuple[str, ...]


@dataclass(frozen=True)
class Header:
    """What of a table stays: the names of the columns that are written, and the layout of the file.

    schema: of a .parquet file. delimiter, ending: of the lines of a .csv file.
    """

    names: list[str] = field(default_factory=list)
    schema: Any = field(default=None, repr=False)
    delimiter: str = ""
    ending: str = ""


OnHeader = Callable[[Header], Any]  # takes the header of a table, before its records


@dataclass(frozen=True)
class Fields:
    """Names of fields, or paths into JSON. kept: those written unmodified; all if None."""

    texts: tuple[str, ...]
    person: str | None
    kept: tuple[str, ...] | None

    @classmethod
    def of(cls, files: FileOptions) -> Fields:
        """Return the fields as they are named in the options."""
        kept = None if files.keep_fields is None else tuple(files.keep_fields)
        return cls(files.field, files.person_field, kept)

    def in_columns(self, names: Sequence[str]) -> Fields:
        """Return the same fields by name, where one is the number of a column, from 1.

        Raise UsageError where a column is missing, or two have one name.
        """
        if not all(map(is_unicode, names)):
            raise UsageError(f"its first row is not valid Unicode; {NOT_UTF8}")
        texts = tuple(_column(name, names) for name in self.texts)
        if len(set(texts)) < len(texts):
            raise UsageError("`field` names a column twice.")
        if len(set(names)) < len(names):
            raise UsageError("two columns have the same name: rename one.")
        kept = None if self.kept is None else tuple(_column(name, names) for name in self.kept)
        person = None if self.person is None else _column(self.person, names)
        return replace(self, texts=texts, kept=kept, person=person)

    def written(self, names: Sequence[str]) -> list[str]:
        """Return the columns that are written."""
        kept = names if self.kept is None else self.kept
        return [name for name in names if name in self.texts or name in kept]


def _column(name: str, names: Sequence[str]) -> str:
    """Return the name of a column for its name or its number from 1. Raise UsageError."""
    n = len(names)
    if name in names:
        return name
    if name.isascii() and name.isdigit() and 1 <= int(name) <= n:
        return names[int(name) - 1]
    if look_like_names([name for name in names if not name.isdigit()]):
        help = f"the file has: {shown(names)}."
    else:  # the first row may be a text, and is not shown
        help = (
            f"it has {n} column(s), and its first row does not look like names. Give the number "
            f"of the column, from 1 to {n}."
        )
    raise UsageError(f"the first row has no column {name!r}; {help}")


@dataclass(frozen=True)
class Row:
    """The origin of a record: what is written of it, by field, and where its texts are in there."""

    entry: dict[str, Any] = field(repr=False)
    slots: list[Slot] = field(repr=False)
    fields: Fields

    def unmodified(self) -> list[str]:
        """Return the fields that are written as they are: columns, or paths into JSON."""
        return [name for name in names_of(self.entry) if name not in self.fields.texts]


def record_of(number: int, size: int, entry: dict[str, Any], fields: Fields) -> Input:
    """Return the record of a row, with an empty text if it has none. Nulls stay so."""
    wanted = (*fields.texts, *(fields.kept or ()))
    row = Row(entry if fields.kept is None else pruned(entry, wanted), [], fields)
    for path in fields.texts:
        try:
            row.slots.extend(
                slot for slot in slots_of(row.entry, path) if value_in(slot) is not None
            )
        except KeyError:
            return Failed(number, f"it has no field {path!r}.", size, has(entry))
    texts = [value_in(slot) for slot in row.slots] or [""]
    if fields.person is None:
        return checked(number, size, texts, origin=row)
    with suppress(KeyError, DxError):
        users = [value_in(slot) for slot in slots_of(entry, fields.person)]
        if len(users) == 1 and not is_nobody(users[0]):
            return checked(number, size, texts, data={USER: identity(users[0])}, origin=row)
    return Failed(number, "it has no user.", size)


def written(released: Released, files: FileOptions) -> dict[str, Any]:
    """Return what is written of a record, by field, with its texts in their places."""
    row = released.record.origin
    if not isinstance(row, Row):
        return {files.field[0]: released.texts[0]}
    for (holder, key), text in zip(row.slots, released.texts, strict=False):
        holder[key] = text
    return row.entry


# -- paths into JSON -------------------------------------------------------------------------------


def steps(path: str) -> Steps:
    """Return ("items", "[]", "text") for "items[].text"."""
    return tuple(re.findall(r"\[\]|[^.\[\]]+", path))


def value_in(slot: Slot) -> Any:
    """Return what is in a slot."""
    holder, key = slot
    return holder[key]


def slots_of(entry: Any, path: str) -> list[Slot]:
    """Return the slots that a path leads to. Raise KeyError if it leads nowhere."""
    if isinstance(entry, dict) and path in entry:
        return [(entry, path)]
    if not steps(path):
        raise KeyError(path)
    slots, values = list[Slot](), [entry]
    for step in steps(path):
        slots = []
        for value in values:
            if step == "[]" and isinstance(value, list):
                slots += [(value, index) for index in range(len(value))]
            elif isinstance(value, dict) and step in value:
                slots.append((value, step))
            else:
                raise KeyError(step)
        values = [value_in(slot) for slot in slots]
    return slots


def pruned(entry: Any, names: Sequence[str]) -> Any:
    """Return what names and paths lead to, and nothing beside it."""
    fields = entry if isinstance(entry, dict) else {}
    return _pruned(entry, [(name,) if name in fields else steps(name) for name in names])


def _pruned(value: Any, paths: list[Steps]) -> Any:
    if any(not path for path in paths):
        return value
    if isinstance(value, list):
        below = [path[1:] for path in paths if path[0] == "[]"]
        return [_pruned(item, below) for item in value] if below else []
    if not isinstance(value, dict):
        return None
    heads = {path[0] for path in paths}
    return {
        key: _pruned(item, [path[1:] for path in paths if path[0] == key])
        for key, item in value.items()
        if key in heads
    }


def names_of(entry: Any, before: str = "", depth: int = 3) -> list[str]:
    """Return the paths to all that a value holds: "id", "a.b", "items[].text"."""
    if isinstance(entry, list) and entry and depth:
        return names_of(entry[0], f"{before}[]", depth - 1)
    if isinstance(entry, dict) and entry and depth:
        start = f"{before}." if before else ""
        return [n for key in entry for n in names_of(entry[key], f"{start}{key}", depth - 1)]
    return [before] if before else []


# -- names in messages: a first row without names holds texts --------------------------------------


def has(entry: Any) -> str:
    """Return "the file has: note, id, date."."""
    return f"the file has: {shown(names_of(entry)) or 'no field'}."


def look_like_names(names: Sequence[str]) -> bool:
    """Return whether all of them can be shown."""
    return bool(names) and all(len(n) <= LONGEST_NAME and _NAME.fullmatch(n) for n in names)


def shown(names: Sequence[str]) -> str:
    """Return "note, id, date", of those that look like names."""
    printable = [
        re.sub(r"\s", " ", name)
        for name in names
        if len(name) <= 3 * LONGEST_NAME
        and all(_NAME.fullmatch(step) for step in steps(name) if step != "[]")
    ][:MOST_NAMES]
    listed, hidden = ", ".join(printable), len(names) - len(printable)
    if not hidden:
        return listed
    return f"{listed} and {hidden} more" if listed else f"{hidden} whose names are not shown"
