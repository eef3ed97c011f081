"""What a writer of any format does with a record: its texts replaced, other fields kept or left
out, and its receipt added."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import IO, Any

from ..config import FileConfig
from ..errors import DxError, UsageError
from .record import Look, Record, names_of, pruned
from .stream import Sanitized

Names = list[str] | None


class Writer:
    """Takes documents as they come, each with the record it was made of. Of the record it uses
    the fields and the end of the line alone. needs_docs: it does not do with texts. by_row: it
    takes all texts of a row at once."""

    needs_docs = False
    by_row = False

    def __init__(self, handle: IO[bytes], files: FileConfig) -> None:
        self.handle, self.files = handle, files
        self.look = Look()

    def begin(self, names: list[str], look: Look) -> None:
        """Hear what the input looks like, where that is known before its records."""
        self.look = look

    def write(self, record: Record, *results: Sanitized) -> None:
        """Write one document, or one row with its texts. Raise DxError where the format cannot
        hold it, and then nothing of it is written."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write what comes at the end of a file."""


def written(record: Record, results: Sequence[Sanitized], files: FileConfig) -> tuple[Names, Any]:
    """Return what goes to the output for a record: the names of its columns and their cells, or
    None and a value of JSON. The texts of the row are replaced in their place, and what is not
    kept is left out."""
    row = record.row
    if row is None or row.bare:
        return None, _with_receipt({files.field[0]: results[0].text, **record.kept}, results, files)
    for (holder, place), result in zip(row.slots, results, strict=False):
        holder[place] = result.text
    if row.names is None:
        wanted = (*files.field, *(files.keep_fields or ()))
        kept = row.entry if files.keep_fields is None else pruned(row.entry, wanted)
        return None, _with_receipt(kept, results, files)
    pairs = kept_columns(row.names, row.entry, files)
    names, cells = [name for _, name in pairs], [cell for cell, _ in pairs]
    if not files.receipt_field:
        return names, cells
    return [*names, files.receipt_field], [*cells, json.dumps(receipt_of(results))]


def kept_columns(names: list[str], cells: list[Any], files: FileConfig) -> list[tuple[Any, str]]:
    """Return the cells that are written, each with the name of its column."""
    wanted = (*files.field, *(files.keep_fields or ()))
    return [
        (cell, name)
        for place, (name, cell) in enumerate(zip(names, cells, strict=True), 1)
        if files.keep_fields is None
        or name in wanted
        or (str(place) in wanted and str(place) not in names)
    ]


def _with_receipt(entry: Any, results: Sequence[Sanitized], files: FileConfig) -> Any:
    if not files.receipt_field or not isinstance(entry, dict):
        return entry
    return {**entry, files.receipt_field: receipt_of(results)}


def receipt_of(results: Sequence[Sanitized]) -> Any:
    """Return the receipt of a record: that of its text, or a list where it has several."""
    found = [dict(result.receipt) for result in results]
    return found[0] if len(found) == 1 else found


def names_of_entry(record: Record) -> list[str]:
    """Return the fields of a record of JSON; those of a table are known before."""
    row = record.row
    return [] if row is None or row.names is not None else names_of(row.entry)


def as_object(names: Names, entry: Any) -> Any:
    """Return cells with their names as an object. Raise UsageError where two have one name."""
    if names is None:
        return entry
    if len(set(names)) < len(names):
        raise UsageError("two columns have one name, and JSON would lose one of them.")
    return dict(zip(names, entry, strict=True))


def in_columns(names: list[str], cells: list[Any], columns: list[str]) -> list[Any]:
    """Return cells in the order of the columns, "" where there is none. Raise DxError where a cell
    has no column: the first record has no such field."""
    if names == columns:
        return cells
    given = dict(zip(names, cells, strict=True))
    if not set(names) <= set(columns):
        raise DxError("it has a field that the first record has not, so there is no column for it.")
    return [given.get(name, "") for name in columns]
