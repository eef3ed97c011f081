"""Tables: read and write .csv, .tsv and the sheets of .xlsx."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date, datetime
from itertools import chain, count, dropwhile, islice, zip_longest
from typing import IO, Any
from weakref import finalize

from ..config.options import FileOptions
from ..errors import DxError, UsageError
from ..files.limits import (
    ENCRYPTED,
    MAX_RECORD,
    MB,
    TooLarge,
    check_ratio,
    decode,
    numbered_lines,
    read_all,
)
from ..validate import needs
from .formats import (
    Fields,
    Header,
    OnHeader,
    Writer,
    check_heads,
    fill_entry,
    format_names,
    is_column,
    row_record,
    zipped,
)
from .records import NOT_UNICODE, NOT_UTF8, Failed, Input, Released, is_unicode
from .tally import SHEETS

INVALID_ROW: list[str] = []  # stands for a row that is not valid CSV; compared by identity
DELIMITERS = {",": "csv", ";": "csv", "|": "csv", "\t": "tsv"}  # formats by delimiter
MAX_SHEET = 256 * MB
_MERGED = re.compile(rb'<mergeCell ref="([A-Z]{1,3}1:[A-Z]{1,3}1)"')
MAX_CELL = 32_767  # characters of a cell of .xlsx
_TIMES = re.compile(rb"(<dcterms:\w+[^>]*>)[^<]*")  # times of creation and change of a sheet
_SEPARATOR = re.compile("sep=([,;|\t])")
_LITERAL = re.compile(r'"[^"]*"|\[[^]]*\]|\\.')  # of a number format: no h of it is an hour
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # not allowed in .xlsx


# -- reading ---------------------------------------------------------------------------------------


def delimiter_of(line: str, files: FileOptions) -> str | None:
    """Return the delimiter that splits a first row into names with all `field`s, or None."""
    for delimiter in DELIMITERS:
        try:
            names = next(csv.reader([line], delimiter=delimiter), [])
        except csv.Error:
            continue
        if len(names) > 1 and all(is_column(name, names) for name in files.field):
            with suppress(UsageError):
                check_heads(files, names)
                return delimiter
    return None


def read_csv(
    handle: IO[bytes], files: FileOptions, on_header: OnHeader, delimiter: str | None = None
) -> Iterator[Input]:
    """Yield the records of .csv or .tsv. If no delimiter is given, the first row shows it."""
    csv.field_size_limit(MAX_RECORD)
    lines = _Lines(handle)
    filled = dropwhile(lambda line: not line.strip("\ufeff \r\n"), lines)
    head = list(islice(filled, 1))
    if named := _SEPARATOR.fullmatch("".join(head).strip("\ufeff\r\n")):  # a line of Excel
        head = list(islice(filled, 1))
    shown = named[1] if named else delimiter_of("".join(head).strip(), files)
    separator = delimiter or shown or ","
    # strict: otherwise csv.reader silently joins fields and rows at a stray quote.
    rows = csv.reader(chain(head, filled), strict=True, delimiter=separator)
    first = _next_row(rows)
    if first is INVALID_ROW:
        raise UsageError("its first row is not valid CSV.")
    names = columns_of(first)
    fields = Fields.of(files).in_columns(names)
    check_heads(files, names)
    # A .tsv input sets no delimiter for a .csv output.
    written_by = "" if delimiter else separator
    on_header(Header(fields.output_columns(names), delimiter=written_by, ending=lines.ending))
    for number in count(1):
        row = _next_row(rows)
        if row is None:
            return
        if row == [] and row is not INVALID_ROW:
            continue
        size, lines.size = lines.size, 0
        if row is INVALID_ROW:
            yield Failed(number, "it is not valid CSV.", size)
        elif len(row) != len(names):
            # Its fields are shifted: a kept field may hold a part of the text.
            why = f"it has {len(row)} fields, and the first row has {len(names)}."
            yield Failed(number, why, size)
        elif not all(map(is_unicode, row)):
            yield Failed(number, NOT_UNICODE, size, NOT_UTF8)
        else:
            yield row_record(number, size, dict(zip(names, row, strict=True)), fields)


def columns_of(first: Sequence[Any] | None) -> list[str]:
    """Return the names of columns; a column without a name is named by its number."""
    if first is None:
        raise UsageError("it is empty: expected a first row of names.")
    return [str(name or number) for number, name in enumerate(first, 1)]


def _next_row(rows: Iterator[list[str]]) -> list[str] | None:
    try:
        return next(rows, None)
    except csv.Error:
        return INVALID_ROW


class _Lines:
    """The lines of a table, for csv.reader."""

    def __init__(self, handle: IO[bytes]) -> None:
        self._lines = numbered_lines(handle)
        self.size = 0  # bytes read since it was last reset to 0
        self.ending = ""  # line ending of the last line

    def __iter__(self) -> Iterator[str]:
        for _, raw, size in self._lines:
            self.size += size
            # A line that is too long is replaced by one that csv rejects: a quote within a field.
            line = decode(raw or b'"x"x\n')
            self.ending = "\r\n" if line.endswith("\r\n") else "\n"
            yield line.replace("\0", " ")  # before Python 3.11, csv rejects NUL


def read_xlsx(handle: IO[bytes], files: FileOptions, on_header: OnHeader) -> Iterator[Input]:
    """Yield the rows of the first sheet: its values, without formulas and comments."""
    book, merged = _read_book(handle)
    sheet, others = _read_sheet(book), [str(other.title) for other in book.worksheets[1:]]
    first = [value for value, _ in next(sheet, ())]
    names = columns_of(_with_merged(first, merged) or None)
    try:
        fields, width = Fields.of(files).in_columns(names), len(names)
        check_heads(files, names)
    except UsageError as error:
        if not others:
            raise
        unread = format_names(others)
        raise UsageError(f"{error} Only its first sheet is read, not {unread}.") from None
    row_below = next(sheet, [])
    formats = {name: form for name, (_, form) in zip(names, row_below, strict=False) if form}
    left_out = {f"{SHEETS} ({format_names(others)})": len(others)} if others else {}
    on_header(Header(fields.output_columns(names), formats=formats, unread=left_out))
    for number, cells in enumerate(chain([row_below], sheet), 1):
        row = [value for value, _ in cells]
        if any(cell is not None for cell in row[width:]):
            yield Failed(number, "it has cells beyond the columns of the first row.")
        elif any(cell is not None for cell in row):
            yield row_record(number, 0, dict(zip_longest(names, row[:width])), fields)


def _with_merged(first: Sequence[Any], merged: dict[int, int]) -> list[Any]:
    """Return a row of heads in which each column below a cell that spans several has its head, with
    a number: "Patient" over two columns is the head of the second, too."""
    names = list(first)
    for column, start in merged.items():
        if column < len(names) and names[column] is None and names[start] is not None:
            names[column] = f"{names[start]} {column - start + 1}"
    return names if len(set(names)) == len(names) else list(first)


def _merged_heads(raw: bytes, sheet: Any) -> dict[int, int]:
    """Return for each column below a cell of the first row that spans several, but not all, the
    column of that cell, from 0. openpyxl does not read them from a file that it streams."""
    from openpyxl.utils.cell import range_boundaries

    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        found = _MERGED.findall(archive.read(sheet._worksheet_path))
    spans = [range_boundaries(reference.decode()) for reference in found]
    return {
        column: first - 1
        for first, top, last, bottom in spans
        if top == bottom == 1 and last - first + 1 < (sheet.max_column or 0)
        for column in range(first, last)
    }


def _read_book(handle: IO[bytes]) -> tuple[Any, dict[int, int]]:
    """Return the sheets of a file, and the merged heads of the first. Raise UsageError if there is
    none."""
    needs("openpyxl", ".xlsx", extra="xlsx")
    import openpyxl

    raw = read_all(handle, MAX_SHEET)
    if raw.startswith(ENCRYPTED):
        why = "it is encrypted, or from Excel before 2007"
        raise UsageError(f"{why}: save it as .xlsx, without a password.")
    with _damage():
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            check_ratio("the .xlsx file", len(raw), sum(i.file_size for i in archive.infolist()))
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        return book, _merged_heads(raw, book.worksheets[0])


@contextmanager
def _damage() -> Iterator[None]:
    """Raise UsageError for any error of a damaged file, whose message may quote the file."""
    try:
        yield
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except Exception:  # openpyxl raises many types
        raise UsageError("it is not an .xlsx file with a sheet, or it is damaged.") from None


def _read_sheet(book: Any) -> Iterator[list[tuple[Any, str]]]:
    """Yield the value and the number format of each cell of a row of the first sheet."""
    with _damage():
        for row in book.worksheets[0].iter_rows():
            yield [_value_of(cell.value, getattr(cell, "number_format", "")) for cell in row]


def _value_of(value: Any, number_format: str) -> tuple[Any, str]:
    """Return the value of a cell and its number format: a date if the format shows no time."""
    if isinstance(value, datetime) and not _shows_time(number_format):
        value = value.date()
    is_text = isinstance(value, str) or value is None
    return value, "" if is_text or number_format == "General" else number_format


def _shows_time(number_format: str) -> bool:
    return "h" in _LITERAL.sub("", number_format).lower()


# -- writing ---------------------------------------------------------------------------------------


class TableWriter(Writer):
    """Base class: writes a head with the names of the columns, and a row for each record."""

    header = Header()  # header of the input, if it is a table
    has_head = False

    def begin(self, header: Header) -> None:
        self.header = header

    def write(self, released: Released) -> None:
        entry = fill_entry(released, self.files)
        self._write_head(list(entry))
        if not entry.keys() <= set(self.header.names):
            raise DxError(
                "it has a field that the first record lacks, so there is no column for it."
            )
        self.write_row([entry.get(name) for name in self.header.names])

    def finish(self) -> None:
        self._write_head([*self.files.field, *(self.files.keep_fields or ())])

    def _write_head(self, names: list[str]) -> None:
        """Write the first row once: the columns of the input, or else these names."""
        if not self.has_head:
            self.header = replace(self.header, names=self.header.names or names)
            self.has_head = True
            self.write_head(self.header.names)

    def write_head(self, names: list[str]) -> None:
        """Write the names of the columns."""
        self.write_row(names)

    def write_row(self, cells: list[Any]) -> None:
        """Write one cell per column. Raise DxError if a value does not fit into a cell."""
        raise NotImplementedError


class CsvWriter(TableWriter):
    """Writes .csv and .tsv; the default delimiter is that of the input, or a comma."""

    def __init__(self, handle: IO[bytes], files: FileOptions, delimiter: str | None = None) -> None:
        super().__init__(handle, files)
        self.delimiter = delimiter
        self.rows: Any = None

    def write_row(self, cells: list[Any]) -> None:
        if self.rows is None:
            # Unlike a TextIOWrapper, a codecs writer does not close stdout when it is deleted.
            self.rows = csv.writer(
                codecs.getwriter("utf8")(self.handle, "replace"),
                delimiter=self.delimiter or self.header.delimiter or ",",
                lineterminator=self.header.ending or "\r\n",
            )
        self.rows.writerow(map(as_cell, cells))


def as_cell(value: Any) -> str:
    """Return a cell as text without NUL. Lists and objects become JSON."""
    if isinstance(value, str) or value is None:
        return (value or "").replace("\0", " ")
    return json.dumps(value, ensure_ascii=False, default=str).strip('"')


class XlsxWriter(TableWriter):
    """Writes a sheet whose texts are never formulas."""

    def __init__(self, handle: IO[bytes], files: FileOptions) -> None:
        super().__init__(handle, files)
        needs("openpyxl", ".xlsx", extra="xlsx")
        import openpyxl

        self.book = openpyxl.Workbook(write_only=True)
        self.sheet = self.book.create_sheet("sanitized")
        # Deleting an unfinished sheet would print a traceback on stderr.
        finalize(self, _close, self.sheet)

    def write_row(self, cells: list[Any]) -> None:
        from openpyxl.cell import WriteOnlyCell

        row: list[Any] = []
        for name, value in zip(self.header.names, cells, strict=True):
            if isinstance(value, (list, dict)):
                value = as_cell(value)
            elif isinstance(value, str):
                if len(value) > MAX_CELL:
                    raise DxError(
                        f"its text is longer than a cell of .xlsx, {MAX_CELL:,} characters."
                    )
                value = WriteOnlyCell(self.sheet, _CONTROL.sub(" ", value))
                value.data_type = "s"
            elif number_format := self._format_of(name, value):
                value = WriteOnlyCell(self.sheet, value)
                value.number_format = number_format
            row.append(value)
        self.sheet.append(row)

    def _format_of(self, name: str, value: Any) -> str:
        """Return the number format of the input's column, if it shows values of this type."""
        number_format = self.header.formats.get(name, "")
        is_dated = isinstance(value, date)  # or a datetime
        if is_dated and _shows_time(number_format) is not isinstance(value, datetime):
            return ""
        return number_format

    def finish(self) -> None:
        """Write the file without the time of the run."""
        super().finish()
        book = io.BytesIO()
        self.book.save(book)
        with zipfile.ZipFile(book) as dated:
            parts = {name: dated.read(name) for name in dated.namelist()}
        day = rb"\g<1>1980-01-01T00:00:00Z"
        undated = {name: _TIMES.sub(day, data) for name, data in parts.items()}
        self.handle.write(zipped(undated))


def _close(sheet: Any) -> None:
    with suppress(Exception):
        if not sheet.closed:
            sheet.close()
