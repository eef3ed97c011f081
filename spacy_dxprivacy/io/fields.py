"""Rows of a file: which of their fields are texts, whose they are, and what is written of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ..config import FileOptions
from ..entities.surrogates.replacements import USER
from ..errors import DxError, UsageError
from ..text.users import identity, is_nobody
from .records import NOT_UTF8, Failed, Input, Record, checked, is_unicode

MOST_NAMES = 12  # that a message shows
# What a column may be called. The first row of a file without names is a text, and is not shown.
_NAME = re.compile(r"[^\W\d][\w.:/()#%&+-]*( [\w.:/()#%&+-]+){0,2}(\[\])?")
LONGEST_NAME = 40

Slot = tuple[Any, Any]  # a list or a dict, and the index or key of a text in it
Steps = tuple[str, ...]


# -- rows ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Header:
    """What stands before the rows of a table.

    Attributes:
        names: Of the columns.
        places: The columns of the texts.
        person: The column of the person; None without one.
        schema: Of a .parquet file.
        delimiter: Of the lines of a .csv file.
        ending: Of these lines.
    """

    names: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    person: int | None = None
    schema: Any = field(default=None, repr=False)
    delimiter: str = ""
    ending: str = ""

    @classmethod
    def of(cls, names: list[str] | None, files: FileOptions, **layout: Any) -> Header:
        """Return a header. Raise UsageError where a wanted column is missing or ambiguous."""
        if names is None:
            raise UsageError("it is empty: expected a first row of names.")
        if not all(map(is_unicode, names)):
            raise UsageError(f"its first row is not valid Unicode; {NOT_UTF8}")
        places = [place_of(name, names) for name in files.field]
        if len(set(places)) < len(places):
            raise UsageError("`field` names a column twice.")
        for name in files.keep_fields or ():
            place_of(name, names)
        person = None if files.person_field is None else place_of(files.person_field, names)
        return cls(names, places, person, **layout)

    def record(self, number: int, size: int, cells: list[Any]) -> Input:
        """Return the record of a row; a text that is None stays so."""
        slots = [(cells, place) for place in self.places if cells[place] is not None]
        users = None if self.person is None else [cells[self.person]]
        return record_of_row(number, size, Row(cells, slots, self), users)


OnHeader = Callable[[Header], Any]  # takes the header of a table, before its records


@dataclass(frozen=True)
class Row:
    """The origin of a record: an object of JSON, or the cells of a table under their header."""

    entry: Any = field(repr=False)
    slots: list[Slot] = field(repr=False)  # where its texts are
    header: Header | None = field(default=None, repr=False)

    def fields(self) -> list[str]:
        """Return its fields: columns, or paths into JSON."""
        return self.header.names if self.header is not None else names_of(self.entry)

    def value(self, name: str) -> Any:
        """Return the value of a field; None where there is none."""
        if self.header is None:
            return self.entry.get(name)
        names = self.header.names
        return self.entry[names.index(name)] if name in names else None


def record_of_object(number: int, size: int, entry: dict[str, Any], files: FileOptions) -> Input:
    """Return the record of an object of JSON."""
    slots: list[Slot] = []
    for path in files.field:
        try:
            slots += slots_of(entry, path)
        except KeyError:
            return Failed(number, f"it has no field {path!r}.", size, has(entry))
    if files.person_field is None:
        return record_of_row(number, size, Row(entry, slots), None)
    users: list[Any] = []
    with suppress(KeyError):
        users = [holder[key] for holder, key in slots_of(entry, files.person_field)]
    return record_of_row(number, size, Row(entry, slots), users)


def record_of_row(number: int, size: int, row: Row, users: list[Any] | None) -> Input:
    """Return the record of a row, with an empty text if it has none.

    users: as the row names them, where it has to name one; `text.users.identity` says who it is.
    """
    texts = [holder[key] for holder, key in row.slots] or [""]
    record = checked(number, size, texts, origin=row)
    if users is None or isinstance(record, Failed):
        return record
    with suppress(DxError):
        if len(users) == 1 and not is_nobody(users[0]):
            return Record(number, texts, size, {USER: identity(users[0])}, row)
    return Failed(number, "it has no user.", size)


def place_of(name: str, names: list[str]) -> int:
    """Return the index of a column, by its name or its number from 1. Raise UsageError."""
    n = len(names)
    if names.count(name) > 1:
        raise UsageError(
            f"the first row has several columns {name!r}: name one by its number, from 1 to {n}."
        )
    if name in names:
        return names.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= n:
        return int(name) - 1
    if any("\0" in name for name in names):
        help = NOT_UTF8
    elif look_like_names([name for name in names if name]):
        help = f"the file has: {shown(names)}."
    else:  # the first row may be a text, and is not shown
        help = (
            f"it has {n} column(s), and its first row does not look like names. Give the number "
            f"of the column, from 1 to {n}."
        )
    raise UsageError(f"the first row has no column {name!r}; {help}")


# -- what is written -------------------------------------------------------------------------------


def written(
    record: Record, texts: Sequence[str], files: FileOptions
) -> tuple[list[str] | None, Any]:
    """Return the names and cells of a row, or None and a value of JSON, as they are written.

    The texts of the row are replaced in their place, and what is not kept is left out.
    """
    row = record.origin
    if not isinstance(row, Row):
        return None, {files.field[0]: texts[0]}
    for (holder, key), text in zip(row.slots, texts, strict=False):
        holder[key] = text
    if row.header is not None:
        places = written_places(row.header.names, files)
        return [row.header.names[i] for i in places], [row.entry[i] for i in places]
    if files.keep_fields is None:
        return None, row.entry
    return None, pruned(row.entry, (*files.field, *files.keep_fields))


def written_places(names: list[str], files: FileOptions) -> list[int]:
    """Return the indices of the columns that are written."""
    wanted = (*files.field, *(files.keep_fields or ()))
    return [
        place
        for place, name in enumerate(names)
        if files.keep_fields is None
        or name in wanted
        or (str(place + 1) in wanted and str(place + 1) not in names)
    ]


def written_object(record: Record, texts: Sequence[str], files: FileOptions) -> Any:
    """Return what is written as JSON. Raise UsageError if two columns have one name."""
    names, entry = written(record, texts, files)
    if names is None:
        return entry
    if len(set(names)) < len(names):
        raise UsageError("two columns have the same name: rename one, or write another format.")
    return dict(zip(names, entry, strict=True))


# -- paths into JSON -------------------------------------------------------------------------------


def steps(path: str) -> Steps:
    """Return ("items", "[]", "text") for "items[].text"."""
    return tuple(re.findall(r"\[\]|[^.\[\]]+", path))


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
        values = [holder[key] for holder, key in slots]
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
