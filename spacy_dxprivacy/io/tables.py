"""Tables: read and write .csv, .tsv and the sheets of .xlsx."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import IO, Any
from weakref import finalize

from ..config import FileOptions
from ..errors import DxError, UsageError
from .files.limits import MB, MOST_RECORD, TooLarge, check_ratio
from .plain import Writer, carried_columns, module_of, written
from .record import (
    NOT_UNICODE,
    NOT_UTF8,
    OnHead,
    Record,
    Row,
    is_unicode,
    look_like_names,
    of_user,
    records_of_row,
    shown,
)
from .source import Readable, decode, numbered_lines, whole
from .stream import Sanitized

NUL = "\ud800"  # stands for "\0", which csv refuses before Python 3.11; no UTF-8 decodes to it
BROKEN: list[str] = []  # stands for a row that is not valid CSV; compared by identity
ENOUGH = 2**16  # bytes that a format is guessed from
DELIMITERS = {",": "csv", ";": "csv", "|": "csv", "\t": "tsv"}  # and the format of each
MOST_SHEET = 256 * MB
MOST_CELL = 32_767  # characters of a cell of .xlsx
_TIMES = re.compile(rb"(<dcterms:\w+[^>]*>)[^<]*")  # when a sheet was made and changed
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # none of .xlsx


# -- reading ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """The names of the columns of a table, and the places of its texts and of the user."""

    names: list[str]
    places: list[int]
    user: int | None
    files: FileOptions

    @classmethod
    def of(cls, header: list[str] | None, files: FileOptions) -> Columns:
        """Return the columns by the first row. Raise UsageError if one is missing or ambiguous."""
        if header is None:
            raise UsageError("it is empty: expected a first row of names.")
        if header is BROKEN:
            raise UsageError("its first row is not valid CSV.")
        if not all(map(is_unicode, header)):
            raise UsageError(f"its first row is not valid Unicode; {NOT_UTF8}")
        places = [_place(name, header) for name in files.field]
        for name in files.keep_fields or ():
            _place(name, header)
        if len(set(places)) < len(places):
            raise UsageError("`field` names a column twice.")
        person = files.person_field
        return cls(header, places, None if person is None else _place(person, header), files)

    def records(
        self, number: int, size: int, cells: list[Any], *, ending: str = "", schema: Any = None
    ) -> list[Record]:
        """Return the records of a row, one a text; a text that is None stays so."""
        slots = [(cells, place) for place in self.places if cells[place] is not None]
        row = Row(cells, slots, self.names, schema)
        names = [name for name in self.files.keep_fields or () if name in self.names]
        kept = {name: cells[self.names.index(name)] for name in names}
        records = records_of_row(number, size, row, kept=kept, ending=ending)
        return records if self.user is None else of_user(records, cells[self.user])


def _place(name: str, names: list[str]) -> int:
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


def has_line(head: bytes) -> bool:
    """Return whether the first bytes of a file show its format, and the delimiter of a table."""
    return len(head) >= ENOUGH or b"\n" in head.lstrip()


def first_line(head: bytes) -> str:
    """Return the first line that is not blank, without blanks around it."""
    return (decode(head).lstrip().splitlines() or [""])[0].strip()


def delimiter_of(line: str, files: FileOptions) -> str | None:
    """Return the delimiter by which the first row of a table names the fields, if any does."""
    for delimiter in [files.delimiter] if files.delimiter else DELIMITERS:
        try:
            names = next(csv.reader([line], delimiter=delimiter), [])
        except csv.Error:
            continue
        if len(names) > 1 and all(name in names for name in files.field):
            return delimiter
    return None


def read_csv(
    handle: Readable, files: FileOptions, on_head: OnHead | None = None, delimiter: str = ","
) -> Iterator[Record]:
    """Yield the records of .csv or .tsv."""
    csv.field_size_limit(MOST_RECORD)
    lines = _Lines(handle)
    head = list(islice(lines, 1))
    guessed = delimiter_of("".join(head).strip(), files) if delimiter == "," else None
    delimiter = files.delimiter or guessed or delimiter
    # strict: otherwise a stray quote makes csv.reader join fields and rows without a word.
    rows = csv.reader(chain(head, lines), strict=True, delimiter=delimiter)
    columns = Columns.of(_next_row(rows), files)
    if on_head is not None:
        on_head(columns.names)
    width = len(columns.names)
    for number in count(1):
        row = _next_row(rows)
        if row is None:
            return
        if row == [] and row is not BROKEN:
            continue
        size, lines.size = lines.size, 0
        if row is BROKEN:
            yield Record(number, size, problem="it is not valid CSV.")
        elif len(row) != width:
            # Its fields are not where they should be: a kept one may hold a part of the text.
            why = f"it has {len(row)} fields, and the first row has {width}."
            yield Record(number, size, problem=why)
        elif not all(map(is_unicode, row)):
            yield Record(number, size, problem=NOT_UNICODE, hint=NOT_UTF8)
        else:
            yield from columns.records(number, size, row, ending=lines.ending)


def _next_row(rows: Iterator[list[str]]) -> list[str] | None:
    try:
        row = next(rows, None)
    except csv.Error:
        return BROKEN
    return None if row is None else [cell.replace(NUL, "\0") for cell in row]


class _Lines:
    """The lines of a table, as csv takes them."""

    def __init__(self, handle: Readable) -> None:
        self._lines = numbered_lines(handle)
        self.size = 0  # bytes that came since it was set to 0
        self.ending = ""  # of the last line

    def __iter__(self) -> Iterator[str]:
        for _, raw, size in self._lines:
            self.size += size
            # One that is too long is shown to csv as what it refuses: a quote within a field.
            line = decode(raw or b'"x"x\n')
            self.ending = "\r\n" if line.endswith("\r\n") else "\n"
            yield line.replace("\0", NUL)


def read_xlsx(
    handle: Readable, files: FileOptions, on_head: OnHead | None = None
) -> Iterator[Record]:
    """Yield the rows of the first sheet: its values, and no formulas, comments or other sheets."""
    rows = _sheet(handle)
    header = next(rows, None)
    names = None if header is None else ["" if one is None else str(one) for one in header]
    columns = Columns.of(names, files)
    if on_head is not None:
        on_head(columns.names)
    width = len(columns.names)
    for number, found in enumerate(rows, 1):
        cells = [*found[:width], *[None] * (width - len(found))]
        if any(cell is not None for cell in found[width:]):
            yield Record(number, problem="it has cells beyond the columns of the first row.")
        elif any(cell is not None for cell in cells):
            for place in columns.places:
                cells[place] = "" if cells[place] is None else cells[place]
            yield from columns.records(number, 0, cells)


def _sheet(handle: Readable) -> Iterator[list[Any]]:
    openpyxl = module_of("openpyxl", ".xlsx", "xlsx")
    raw = whole(handle, MOST_SHEET)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            check_ratio("the .xlsx file", len(raw), sum(i.file_size for i in archive.infolist()))
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        for row in book.worksheets[0].iter_rows(values_only=True):
            yield list(row)
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except Exception:  # what openpyxl raises of a damaged file may be anything, and quote it
        raise UsageError("it is not an .xlsx file with a sheet, or it is damaged.") from None


# -- writing ---------------------------------------------------------------------------------------


class TableWriter(Writer):
    """A row for each record, under the names of the columns."""

    names: list[str] | None = None  # what the first row holds, once it is written
    known: list[str] | None = None  # the same, if the input has said it
    ending = ""  # of the lines of the input

    def begin(self, names: list[str]) -> None:
        self.known = [name for _, name in carried_columns(names, names, self.files)]

    def write(self, record: Record, *results: Sanitized) -> None:
        names, cells = written(record, results, self.files)
        if names is None:
            names, cells = list(cells), list(cells.values())
        self.ending = self.ending or record.ending
        columns = self._head(self.known or names)
        if not set(names) <= set(columns):
            raise DxError(
                "it has a field that the first record lacks, so there is no column for it."
            )
        if names != columns:
            given = dict(zip(names, cells, strict=True))
            cells = [given.get(name, "") for name in columns]
        self.write_row(cells)

    def finish(self) -> None:
        self._head(self.known or [*self.files.field, *(self.files.keep_fields or ())])

    def _head(self, names: list[str]) -> list[str]:
        if self.names is None:
            self.names = names
            self.write_head(names)
        return self.names

    def write_head(self, names: list[str]) -> None:
        """Write the names of the columns."""
        self.write_row(names)

    def write_row(self, cells: list[Any]) -> None:
        """Write cells, one a column, or raise DxError if one of them does not fit."""
        raise NotImplementedError


class CsvWriter(TableWriter):
    """Lines of cells with a delimiter between them."""

    def __init__(self, handle: IO[bytes], files: FileOptions, delimiter: str = ",") -> None:
        super().__init__(handle, files)
        self.delimiter = files.delimiter or delimiter
        self.rows: Any = None

    def write_row(self, cells: list[Any]) -> None:
        if self.rows is None:
            # Before Python 3.11, csv.writer refuses NUL where there is no character to escape with.
            # This one is never needed, as quotes are doubled, and is no character of a text. Unlike
            # a TextIOWrapper, what writes the bytes does not close stdout when it goes.
            self.rows = csv.writer(
                codecs.getwriter("utf8")(self.handle, "replace"),
                escapechar=NUL,
                delimiter=self.delimiter,
                lineterminator=self.ending or "\r\n",
            )
        self.rows.writerow(map(as_cell, cells))


def as_cell(value: Any) -> str:
    """Return text; what is nested becomes JSON."""
    if isinstance(value, str) or value is None:
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str).strip('"')


class XlsxWriter(TableWriter):
    """A sheet. Texts are never formulas."""

    def __init__(self, handle: IO[bytes], files: FileOptions) -> None:
        super().__init__(handle, files)
        self.book = module_of("openpyxl", ".xlsx", "xlsx").Workbook(write_only=True)
        self.sheet = self.book.create_sheet("sanitized")
        # A sheet that is dropped half-way would write a traceback to stderr.
        finalize(self, _close, self.sheet)

    def write_row(self, cells: list[Any]) -> None:
        from openpyxl.cell import WriteOnlyCell

        row: list[Any] = []
        for value in cells:
            if isinstance(value, (list, dict)):
                value = as_cell(value)
            elif isinstance(value, str):
                if len(value) > MOST_CELL:
                    raise DxError(
                        f"its text is longer than a cell of .xlsx, {MOST_CELL:,} characters."
                    )
                value = WriteOnlyCell(self.sheet, _CONTROL.sub(" ", value))
                value.data_type = "s"
            row.append(value)
        self.sheet.append(row)

    def finish(self) -> None:
        """Write all of it, without the time of the run."""
        super().finish()
        made, out = io.BytesIO(), io.BytesIO()
        self.book.save(made)
        with zipfile.ZipFile(made) as dated, zipfile.ZipFile(out, "w") as archive:
            for name in dated.namelist():
                undated = zipfile.ZipInfo(name)  # of 1980
                undated.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(
                    undated, _TIMES.sub(rb"\g<1>1980-01-01T00:00:00Z", dated.read(name))
                )
        self.handle.write(out.getvalue())


def _close(sheet: Any) -> None:
    with suppress(Exception):
        if not sheet.closed:
            sheet.close()
