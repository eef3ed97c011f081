"""Sanitized documents into a file of some kind."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO, Any, Protocol
from weakref import finalize
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from spacy.tokens import DocBin

from ..errors import DxError, UsageError
from .fields import Fields, names_of, pruned
from .record import Look, Record
from .stream import Sanitized
from .tables import NUL, need_openpyxl

Names = list[str] | None
MOST_CELL = 32_767  # characters of a cell of .xlsx
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # none of .xlsx
_TIMES = re.compile(rb"(<dcterms:\w+[^>]*>)[^<]*")  # when a sheet was made and changed


class Writer(Protocol):
    """Takes documents as they come, each with the record it was made of. Of the record it uses
    the kept fields and the end of the line alone. needs_docs: it does not do with texts. by_row:
    it takes all texts of a row at once."""

    needs_docs: bool
    by_row: bool

    def begin(self, names: list[str], look: Look) -> None:
        """Hears what the input looks like, where that is known before its records."""
        ...

    def write(self, record: Record, *results: Sanitized) -> None:
        """Writes one document, or one row with its texts. Raises DxError where the format cannot
        hold it, and then nothing of it is written."""
        ...

    def finish(self) -> None:
        """Writes what comes at the end of a file."""
        ...


class TextWriter:
    """The text of one document."""

    needs_docs = False
    by_row = False

    def __init__(self, handle: IO[bytes], fields: Fields) -> None:
        self.handle = handle
        self.fields = fields
        self.look = Look()

    def begin(self, names: list[str], look: Look) -> None:
        """Keeps the look."""
        self.look = look

    def write(self, record: Record, *results: Sanitized) -> None:
        """Writes the text as it is."""
        self.handle.write(results[0].text.encode())

    def finish(self) -> None:
        """There is nothing at the end."""
        pass


class LinesWriter(TextWriter):
    """A document a line. Line breaks within a document become blanks."""

    def write(self, record: Record, *results: Sanitized) -> None:
        """Writes the text as one line, with the ending that the line had."""
        for result in results:
            self.handle.write((one_line(result.text) + (record.ending or "\n")).encode())


class JsonlWriter(TextWriter):
    """A line of JSON for each record: its texts in their place, and what is kept."""

    by_row = True

    def write(self, record: Record, *results: Sanitized) -> None:
        """Writes one line."""
        entry = as_object(*written(record, results, self.fields))
        self.handle.write(as_json(entry) + b"\n")


class JsonWriter(TextWriter):
    """An array of records, or the one record that the input was."""

    by_row = True

    def __init__(self, handle: IO[bytes], fields: Fields) -> None:
        super().__init__(handle, fields)
        self.count = 0

    def write(self, record: Record, *results: Sanitized) -> None:
        """Writes one record."""
        entry = as_object(*written(record, results, self.fields))
        bare = record.row is not None and record.row.bare
        raw = as_json(results[0].text if bare else entry, self.look.indent)
        if self.look.array:
            self.handle.write(b",\n" if self.count else b"[\n")
        self.handle.write(raw)
        self.count += 1

    def finish(self) -> None:
        """Writes the end of the array."""
        if not self.look.array:
            self.handle.write(b"\n")
        else:
            self.handle.write(b"\n]\n" if self.count else b"[]\n")


class CsvWriter:
    """A row for each record, under the names of the columns."""

    needs_docs = False
    by_row = True
    delimiter = ","

    def __init__(self, handle: IO[bytes], fields: Fields) -> None:
        self.handle, self.fields = handle, fields
        self.names: Names = None
        self.look = Look()
        self.rows: Any = None

    def begin(self, names: list[str], look: Look) -> None:
        """Writes the names of the columns, where the input has some."""
        self.look = look
        if names:
            kept = [name for _, name in kept_columns(names, names, self.fields)]
            self._head([*kept, *([self.fields.receipt] if self.fields.receipt else [])])

    def _head(self, names: list[str]) -> None:
        # Before Python 3.11, csv.writer refuses NUL where there is no character to escape with.
        # This one is never needed, as quotes are doubled, and is no character of a text.
        self.rows = csv.writer(
            _Encoded(self.handle),
            escapechar=NUL,
            delimiter=self.fields.delimiter or self.delimiter,
            lineterminator=self.look.ending,
            quoting=csv.QUOTE_ALL if self.look.quoted else csv.QUOTE_MINIMAL,
        )
        self.names = names
        self.rows.writerow(names)

    def write(self, record: Record, *results: Sanitized) -> None:
        """Writes one row."""
        names, cells = flat(*written(record, results, self.fields))
        if self.names is None:
            self._head(names)
        self.rows.writerow([_cell(cell) for cell in in_columns(names, cells, self.names or [])])

    def finish(self) -> None:
        """Writes the names, where no row came."""
        if self.names is None:
            self._head([*self.fields.texts, *(self.fields.keep or ())])


class TsvWriter(CsvWriter):
    """The same, with tabs."""

    delimiter = "\t"


class XlsxWriter:
    """A sheet: the names of the columns, and a row for each record. Texts are never formulas."""

    needs_docs = False
    by_row = True

    def __init__(self, handle: IO[bytes], fields: Fields) -> None:
        self.handle, self.fields = handle, fields
        self.book = need_openpyxl().Workbook(write_only=True)
        self.sheet = self.book.create_sheet("sanitized")
        # A sheet that is dropped half-way would write a traceback to stderr.
        finalize(self, _close, self.sheet)
        self.names: Names = None

    def begin(self, names: list[str], look: Look) -> None:
        """Writes the names of the columns, where the input has some."""
        if names:
            kept = [name for _, name in kept_columns(names, names, self.fields)]
            self._head([*kept, *([self.fields.receipt] if self.fields.receipt else [])])

    def _head(self, names: list[str]) -> None:
        self.names = names
        self.sheet.append([self._cell(name) for name in names])

    def write(self, record: Record, *results: Sanitized) -> None:
        """Writes one row."""
        names, cells = flat(*written(record, results, self.fields))
        if self.names is None:
            self._head(names)
        cells = in_columns(names, cells, self.names or [])
        if any(isinstance(cell, str) and len(cell) > MOST_CELL for cell in cells):
            raise DxError(f"a cell of .xlsx holds {MOST_CELL:,} characters at most.")
        self.sheet.append([self._cell(cell) for cell in cells])

    def _cell(self, value: Any) -> Any:
        from openpyxl.cell import WriteOnlyCell

        if not isinstance(value, str):
            plain = not isinstance(value, (list, dict))
            return value if plain else _cell(value)
        cell = WriteOnlyCell(self.sheet, _CONTROL.sub(" ", value))
        cell.data_type = "s"
        return cell

    def finish(self) -> None:
        """Writes all of it, without the time of the run."""
        made = io.BytesIO()
        self.book.save(made)
        with ZipFile(made) as dated, ZipFile(self.handle, "w", ZIP_DEFLATED) as archive:
            for name in dated.namelist():
                undated = ZipInfo(name)  # of 1980
                undated.compress_type = ZIP_DEFLATED
                with dated.open(name) as part, archive.open(undated, "w") as copy:
                    if name == "docProps/core.xml":
                        copy.write(_TIMES.sub(rb"\g<1>1980-01-01T00:00:00Z", part.read()))
                    else:
                        shutil.copyfileobj(part, copy)


def _close(sheet: Any) -> None:
    with suppress(Exception):
        if not sheet.closed:
            sheet.close()


class _Encoded:
    """What csv.writer writes to. A TextIOWrapper would close stdout when it goes."""

    def __init__(self, handle: IO[bytes]) -> None:
        self.handle = handle

    def write(self, text: str) -> int:
        return self.handle.write(text.encode("utf8", "replace"))


class DocBinWriter(TextWriter):
    """Documents with their receipts (doc._.dx), in memory until the end."""

    needs_docs = True

    def __init__(self, handle: IO[bytes], fields: Fields) -> None:
        super().__init__(handle, fields)
        self.docbin = DocBin(store_user_data=True)

    def write(self, record: Record, *results: Sanitized) -> None:
        """Keeps the Doc for the end."""
        if results[0].doc is None:
            raise DxError("A worker sent no document, and this format needs it.")
        self.docbin.add(results[0].doc)

    def finish(self) -> None:
        """Writes all Docs."""
        self.handle.write(self.docbin.to_bytes())


WRITERS: dict[str, Callable[[IO[bytes], Fields], Writer]] = {
    "txt": TextWriter,
    "lines": LinesWriter,
    "jsonl": JsonlWriter,
    "json": JsonWriter,
    "csv": CsvWriter,
    "tsv": TsvWriter,
    "xlsx": XlsxWriter,
    "spacy": DocBinWriter,
}


def written(record: Record, results: Sequence[Sanitized], fields: Fields) -> tuple[Names, Any]:
    """What goes to the output for a record: the names of its columns and their cells, or None and a
    value of JSON. The texts of the row are replaced in their place, and what is not kept is left
    out."""
    row = record.row
    if row is None or row.bare:
        entry: Any = {fields.text: results[0].text, **record.kept}
        return None, _with_receipt(entry, results, fields)
    for (holder, place), result in zip(row.slots, results, strict=False):
        holder[place] = result.text
    if row.names is None:
        kept = row.entry if fields.keep is None else pruned(row.entry, _wanted(fields))
        return None, _with_receipt(kept, results, fields)
    pairs = kept_columns(row.names, row.entry, fields)
    names, cells = [name for _, name in pairs], [cell for cell, _ in pairs]
    if not fields.receipt:
        return names, cells
    return [*names, fields.receipt], [*cells, json.dumps(receipt_of(results))]


def _wanted(fields: Fields) -> tuple[str, ...]:
    return (*fields.texts, *(fields.keep or ()))


def kept_columns(names: list[str], cells: list[Any], fields: Fields) -> list[tuple[Any, str]]:
    """The cells that are written, each with the name of its column."""
    wanted = _wanted(fields)
    return [
        (cell, name)
        for place, (name, cell) in enumerate(zip(names, cells, strict=True), 1)
        if fields.keep is None or name in wanted or _is_number(place, names, wanted)
    ]


def _is_number(place: int, names: list[str], wanted: tuple[str, ...]) -> bool:
    return str(place) in wanted and str(place) not in names


def _with_receipt(entry: Any, results: Sequence[Sanitized], fields: Fields) -> Any:
    if not fields.receipt or not isinstance(entry, dict):
        return entry
    return {**entry, fields.receipt: receipt_of(results)}


def receipt_of(results: Sequence[Sanitized]) -> Any:
    """The receipt of a record: that of its text, or a list where it has several."""
    found = [dict(result.receipt) for result in results]
    return found[0] if len(found) == 1 else found


def names_of_entry(record: Record) -> list[str]:
    """The fields of a record of JSON; those of a table are known before."""
    row = record.row
    return [] if row is None or row.names is not None else names_of(row.entry)


def as_object(names: Names, entry: Any) -> Any:
    """Cells with their names as an object. Raises UsageError where two have one name."""
    if names is None:
        return entry
    if len(set(names)) < len(names):
        raise UsageError("two columns have one name, and JSON would lose one of them.")
    return dict(zip(names, entry, strict=True))


def flat(names: Names, entry: Any) -> tuple[list[str], list[Any]]:
    """An object as cells with their names."""
    return (list(entry), list(entry.values())) if names is None else (names, entry)


def in_columns(names: list[str], cells: list[Any], columns: list[str]) -> list[Any]:
    """Cells in the order of the columns, "" where there is none. Raises DxError where a cell has no
    column: the first record has no such field."""
    if names == columns:
        return cells
    given = dict(zip(names, cells, strict=True))
    if not set(names) <= set(columns):
        raise DxError("it has a field that the first record has not, so there is no column for it.")
    return [given.get(name, "") for name in columns]


def as_json(value: Any, indent: int | None = None) -> bytes:
    """As UTF-8, or ASCII where a kept field holds half of a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, default=str).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent, default=str).encode()


def one_line(text: str) -> str:
    """The text with a blank for each run of newlines."""
    return re.sub(r"[\r\n]+", " ", text)


def _cell(value: Any) -> str:
    """What is nested becomes JSON."""
    if isinstance(value, str) or value is None:
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str).strip('"')
