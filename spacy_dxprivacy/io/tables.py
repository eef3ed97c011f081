"""Tables: what reads and writes .csv, .tsv and the sheets of .xlsx."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import IO, Any
from weakref import finalize

from ..config import FileConfig
from ..errors import DxError, Errors, UsageError
from .files.limits import MB, MOST_RECORD, TooLarge, check_ratio
from .plain import Writer, kept_columns, written
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
MOST_SHEET = 256 * MB
MOST_CELL = 32_767  # characters of a cell of .xlsx
_TIMES = re.compile(rb"(<dcterms:\w+[^>]*>)[^<]*")  # when a sheet was made and changed
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # none of .xlsx


# -- columns ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """Those of a table: their names, and the places of what is sanitised, and of the user."""

    names: list[str]
    places: list[int]
    user: int | None
    files: FileConfig

    @classmethod
    def of(cls, header: list[str] | None, files: FileConfig) -> Columns:
        """Raise UsageError where what is named is not there, or is there twice."""
        if header is None:
            raise UsageError("it is empty: it should begin with a row of names.")
        if header is BROKEN:
            raise UsageError("its first row is not valid CSV with this `delimiter`.")
        if not all(map(is_unicode, header)):
            raise UsageError(f"its first row is not valid Unicode; {NOT_UTF8}")
        places = [_place(name, header) for name in files.field]
        for name in files.keep_fields or ():
            _place(name, header)
        if len(set(places)) < len(places):
            raise UsageError("`field` names a column twice.")
        receipt, person = files.receipt_field, files.person_field
        if receipt and receipt in header:
            raise UsageError(f"it has a column {receipt!r} already, where receipts should go.")
        user = None if person is None else _place(person, header)
        return cls(header, places, user, files)

    def records(self, number: int, size: int, cells: list[Any], ending: str = "") -> list[Record]:
        """Return the records of a row, one a text."""
        row = Row(cells, [(cells, place) for place in self.places], self.names)
        names = [name for name in self.files.keep_fields or () if name in self.names]
        kept = {name: cells[self.names.index(name)] for name in names}
        found = records_of_row(number, size, row, kept=kept, ending=ending)
        return found if self.user is None else of_user(found, cells[self.user])


def _place(name: str, names: list[str]) -> int:
    if names.count(name) > 1:
        raise UsageError(
            f"the first row has several columns {name!r}: name one by its number, from 1 to "
            f"{len(names)}."
        )
    if name in names:
        return names.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(names):
        return int(name) - 1
    raise UsageError(f"the first row has no column {name!r}; {_there_is(names)}")


def _there_is(names: list[str]) -> str:
    """What the file has; not its first row where that is none of names."""
    if any("\0" in name for name in names):
        return NOT_UTF8
    if look_like_names([name for name in names if name]):
        return f"the file has: {shown(names)}."
    return (
        f"it has {len(names)} column(s), and its first row does not look like names: is it another "
        f"`delimiter`? Or say which one by its number, from 1 to {len(names)}."
    )


# -- reading ---------------------------------------------------------------------------------------


def read_csv(
    handle: Readable, files: FileConfig, on_head: OnHead | None = None, delimiter: str = ","
) -> Iterator[Record]:
    """Yield the records of .csv or .tsv. on_head: called with the names of the columns first."""
    csv.field_size_limit(MOST_RECORD)
    lines = _Lines(handle)
    # strict: otherwise a stray quote makes csv.reader join fields and rows without a word.
    rows = csv.reader(lines, strict=True, delimiter=files.delimiter or delimiter)
    columns = Columns.of(_next_row(rows), files)
    if on_head is not None:
        on_head(columns.names)
    for number in count(1):
        row = _next_row(rows)
        if row is None:
            return
        if row == [] and row is not BROKEN:
            continue
        size, lines.size = lines.size, 0
        if row is BROKEN:
            yield Record(number, size, problem="it is not valid CSV.")
        elif len(row) != len(columns.names):
            # Its fields are not where they should be: a kept one may hold a part of the text.
            why = (
                f"it has another number of fields ({len(row)}) than the first row "
                f"({len(columns.names)})."
            )
            yield Record(number, size, problem=why)
        elif not all(map(is_unicode, row)):
            yield Record(number, size, problem=NOT_UNICODE, hint=NOT_UTF8)
        else:
            yield from columns.records(number, size, row, lines.ending)


def _next_row(rows: Iterator[list[str]]) -> list[str] | None:
    """The next row, BROKEN, or None at the end."""
    try:
        row = next(rows, None)
    except csv.Error:
        return BROKEN
    return None if row is None else [cell.replace(NUL, "\0") for cell in row]


class _Lines:
    """The lines of a table, as csv takes them. size: how many bytes came since it was set to 0.
    ending: of the last one."""

    def __init__(self, handle: Readable) -> None:
        self._lines = numbered_lines(handle)
        self.size = 0
        self.ending = ""

    def __iter__(self) -> Iterator[str]:
        for _, raw, size in self._lines:
            self.size += size
            # One that is too long is shown to csv as what it refuses: a quote within a field.
            line = decode(raw or b'"x"x\n')
            self.ending = "\r\n" if line.endswith("\r\n") else "\n"
            yield line.replace("\0", NUL)


def read_tsv(
    handle: Readable, files: FileConfig, on_head: OnHead | None = None
) -> Iterator[Record]:
    """Yield the records of .tsv."""
    return read_csv(handle, files, on_head, "\t")


def read_xlsx(
    handle: Readable, files: FileConfig, on_head: OnHead | None = None
) -> Iterator[Record]:
    """Yield the rows of the first sheet, values alone: what formulas, comments and other sheets
    hold stays behind. Raise UsageError where it cannot be read, or the extra is missing."""
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
    openpyxl = _openpyxl()
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


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        missing = Errors.DX074.format(what=".xlsx", package="openpyxl", extra="xlsx")
        raise UsageError(missing) from None
    return openpyxl


# -- writing ---------------------------------------------------------------------------------------


class TableWriter(Writer):
    """A row for each record, under the names of the columns."""

    by_row = True
    names: list[str] | None = None  # what the first row holds, once it is written
    known: list[str] | None = None  # the same, where the input has said it

    def begin(self, names: list[str]) -> None:
        """Hear the names of the columns."""
        kept = [name for _, name in kept_columns(names, names, self.files)]
        self.known = [*kept, *([self.files.receipt_field] if self.files.receipt_field else [])]

    def write(self, record: Record, *results: Sanitized) -> None:
        """Write one row."""
        names, cells = written(record, results, self.files)
        if names is None:
            names, cells = list(cells), list(cells.values())
        self._head(self.known or names, record.ending)
        self._row(self._in_columns(names, cells))

    def finish(self) -> None:
        """Write the names, where no row came."""
        self._head(self.known or [*self.files.field, *(self.files.keep_fields or ())])

    def _head(self, names: list[str], ending: str = "") -> None:
        if self.names is None:
            self.names = names
            self._open(ending)
            self._row(names)

    def _in_columns(self, names: list[str], cells: list[Any]) -> list[Any]:
        """ "" where there is none. Raise DxError where a cell has no column."""
        columns = self.names or []
        if names == columns:
            return cells
        if not set(names) <= set(columns):
            raise DxError(
                "it has a field that the first record has not, so there is no column for it."
            )
        given = dict(zip(names, cells, strict=True))
        return [given.get(name, "") for name in columns]

    def _open(self, ending: str) -> None:
        """Hear of the end of a line, before the first row."""

    def _row(self, cells: list[Any]) -> None:
        raise NotImplementedError


class CsvWriter(TableWriter):
    """Lines of cells with a delimiter between them."""

    delimiter = ","

    def _open(self, ending: str) -> None:
        # Before Python 3.11, csv.writer refuses NUL where there is no character to escape with.
        # This one is never needed, as quotes are doubled, and is no character of a text. Unlike a
        # TextIOWrapper, what writes the bytes does not close stdout when it goes.
        self.rows: Any = csv.writer(
            codecs.getwriter("utf8")(self.handle, "replace"),
            escapechar=NUL,
            delimiter=self.files.delimiter or self.delimiter,
            lineterminator=ending or "\r\n",
        )

    def _row(self, cells: list[Any]) -> None:
        self.rows.writerow([_cell(cell) for cell in cells])


class TsvWriter(CsvWriter):
    """Lines of cells with tabs between them."""

    delimiter = "\t"


def _cell(value: Any) -> str:
    """What is nested becomes JSON."""
    if isinstance(value, str) or value is None:
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str).strip('"')


class XlsxWriter(TableWriter):
    """A sheet. Texts are never formulas."""

    def __init__(self, handle: IO[bytes], files: FileConfig) -> None:
        super().__init__(handle, files)
        self.book = _openpyxl().Workbook(write_only=True)
        self.sheet = self.book.create_sheet("sanitized")
        # A sheet that is dropped half-way would write a traceback to stderr.
        finalize(self, _close, self.sheet)

    def _row(self, cells: list[Any]) -> None:
        if any(isinstance(cell, str) and len(cell) > MOST_CELL for cell in cells):
            raise DxError(f"a cell of .xlsx holds {MOST_CELL:,} characters at most.")
        self.sheet.append([self._as_cell(cell) for cell in cells])

    def _as_cell(self, value: Any) -> Any:
        from openpyxl.cell import WriteOnlyCell

        if not isinstance(value, str):
            return _cell(value) if isinstance(value, (list, dict)) else value
        cell = WriteOnlyCell(self.sheet, _CONTROL.sub(" ", value))
        cell.data_type = "s"
        return cell

    def finish(self) -> None:
        """Write all of it, without the time of the run."""
        super().finish()
        made = io.BytesIO()
        self.book.save(made)
        out = zipfile.ZipFile(self.handle, "w", zipfile.ZIP_DEFLATED)
        with zipfile.ZipFile(made) as dated, out as archive:
            for name in dated.namelist():
                undated = zipfile.ZipInfo(name)  # of 1980
                undated.compress_type = zipfile.ZIP_DEFLATED
                with dated.open(name) as part, archive.open(undated, "w") as copy:
                    if name == "docProps/core.xml":
                        copy.write(_TIMES.sub(rb"\g<1>1980-01-01T00:00:00Z", part.read()))
                    else:
                        shutil.copyfileobj(part, copy)


def _close(sheet: Any) -> None:
    with suppress(Exception):
        if not sheet.closed:
            sheet.close()
