"""The rows of tables: .csv and .tsv, and the sheets of .xlsx."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from ..errors import Errors, UsageError
from ..files.limits import MB, MOST_RECORD, TooLarge, check_ratio
from .fields import Fields, Slot, look_like_names, shown
from .lines import Readable, decode, numbered_lines, whole
from .record import NOT_UNICODE, NOT_UTF8, Look, Record, Row, is_unicode, of_user, records_of_row

NUL = "\ud800"  # stands for "\0", which csv refuses before Python 3.11; no UTF-8 decodes to it
BROKEN: list[str] = []  # stands for a row that is not valid CSV; compared by identity
MOST_SHEET = 256 * MB

OnHead = Callable[[list[str], Look], Any]


@dataclass(frozen=True)
class Columns:
    """Those of a table: their names, and the places of what is sanitised, and of the user."""

    names: list[str]
    places: list[int]
    user: int | None = None

    def row(self, cells: list[Any]) -> Row:
        """A row of the table, its texts found."""
        slots: list[Slot] = [(cells, place) for place in self.places]
        return Row(cells, slots, self.names)

    def records(self, number: int, size: int, cells: list[Any], fields: Fields) -> list[Record]:
        """Those of a row, one a text."""
        found = records_of_row(number, size, self.row(cells), kept=self.kept(cells, fields))
        return found if self.user is None else of_user(found, cells[self.user])

    def kept(self, cells: list[Any], fields: Fields) -> dict[str, Any]:
        """The cells that are kept by the names of their columns."""
        names = [name for name in fields.keep or () if name in self.names]
        return {name: cells[self.names.index(name)] for name in names}


def read_csv(
    handle: Readable, fields: Fields, on_head: OnHead | None = None, delimiter: str = ","
) -> Iterator[Record]:
    """The records of .csv or .tsv. on_head: called with the names and the look, before any."""
    sizes, first = [0], list[str]()
    csv.field_size_limit(MOST_RECORD)
    between = fields.delimiter or delimiter
    # strict: otherwise a stray quote makes csv.reader join fields and rows without a word.
    rows = csv.reader(_counted(handle, sizes, first), strict=True, delimiter=between)
    names = _next_row(rows)
    if names is BROKEN:
        names = _unquoted("".join(first), between)
    columns = _columns(names, fields, between)
    if on_head is not None:
        on_head(columns.names, _look("".join(first), columns.names, between))
    del first[:]
    for number in count(1):
        row = _next_row(rows)
        if row is None:
            return
        if row is BROKEN:
            yield Record(number, _taken(sizes), problem="it is not valid CSV.")
        elif row and len(row) != len(columns.names):
            # Its fields are not where they should be: a kept one may hold a part of the text.
            why = (
                f"it has another number of fields ({len(row)}) than the first row "
                f"({len(columns.names)})."
            )
            yield Record(number, _taken(sizes), problem=why)
        elif row:
            yield from _of_cells(number, _taken(sizes), row, columns, fields)


def _of_cells(
    number: int, size: int, cells: list[str], columns: Columns, fields: Fields
) -> list[Record]:
    if not all(map(is_unicode, cells)):
        return [Record(number, size, problem=NOT_UNICODE, hint=NOT_UTF8)]
    return columns.records(number, size, cells, fields)


def _next_row(rows: Iterator[list[str]]) -> list[str] | None:
    """The next row, BROKEN, or None at the end."""
    try:
        row = next(rows, None)
    except csv.Error:
        return BROKEN
    return None if row is None else [cell.replace(NUL, "\0") for cell in row]


def _unquoted(raw: str, between: str) -> list[str]:
    """A first row with quotes that do not fit the delimiter, as one column where another one may
    stand between its fields; else it is BROKEN."""
    others = any(d in raw for d in ",;\t|" if d != between)
    return [raw.strip()] if others and between not in raw else BROKEN


def _columns(header: list[str] | None, fields: Fields, between: str = "") -> Columns:
    """Raises UsageError where what is named is not there, or is there twice."""
    names = header or []
    if header is None:
        raise UsageError("it is empty: it should begin with a row of names.")
    if header is BROKEN:
        raise UsageError(f"its first row is not valid CSV with the `delimiter` {between!r}.")
    if not all(map(is_unicode, names)):
        raise UsageError(f"its first row is not valid Unicode; {NOT_UTF8}")
    places = [_place(name, names, between) for name in fields.texts]
    for name in fields.keep or ():
        _place(name, names, between)
    if len(set(places)) < len(places):
        raise UsageError("`field` names a column twice.")
    if fields.receipt in names and fields.receipt:
        raise UsageError(f"it has a column {fields.receipt!r} already, where receipts should go.")
    user = None if fields.user is None else _place(fields.user, names, between)
    return Columns(names, places, user)


def _place(name: str, names: list[str], between: str) -> int:
    if names.count(name) > 1:
        raise UsageError(
            f"the first row has several columns {name!r}: name one by its number, from 1 to "
            f"{len(names)}."
        )
    if name in names:
        return names.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(names):
        return int(name) - 1
    raise UsageError(f"the first row has no column {name!r}; {_there_is(names, between)}")


def _there_is(names: list[str], between: str) -> str:
    """What the file has; not its first row where that is none of names."""
    others = [d for d in ",;\t|" if d != between and len(names) == 1 and d in names[0]]
    if others:
        told = ["tab" if d == "\t" else d for d in others]
        return f"it is one column with the `delimiter` {between!r}: is it {' or '.join(told)}?"
    if any("\0" in name for name in names):
        return NOT_UTF8
    if look_like_names([name for name in names if name]):
        return f"the file has: {shown(names)}."
    return (
        f"it has {len(names)} column(s), and its first row does not look like names: say which one "
        f"by its number, from 1 to {len(names)}."
    )


def _look(raw: str, names: list[str], between: str) -> Look:
    line = raw.rstrip("\r\n")
    quoted = line == between.join('"' + name.replace('"', '""') + '"' for name in names)
    return Look("\r\n" if raw.endswith("\r\n") else "\n", quoted)


def _counted(handle: Readable, sizes: list[int], first: list[str]) -> Iterator[str]:
    for _, raw, size in numbered_lines(handle):
        sizes[0] += size
        # One that is too long is shown to csv as what it refuses: a quote within a field.
        line = decode(raw or b'"x"x\n')
        if first or sizes[0] == size:
            first.append(line)
        yield line.replace("\0", NUL)


def _taken(sizes: list[int]) -> int:
    size, sizes[0] = sizes[0], 0
    return size


def read_tsv(handle: Readable, fields: Fields, on_head: OnHead | None = None) -> Iterator[Record]:
    """The same, with tabs."""
    return read_csv(handle, fields, on_head, "\t")


# -- sheets ----------------------------------------------------------------------------------------


def read_xlsx(handle: Readable, fields: Fields, on_head: OnHead | None = None) -> Iterator[Record]:
    """The rows of the first sheet, values alone: what formulas, comments and other sheets hold
    stays behind. Raises UsageError where it cannot be read, or the extra is missing."""
    rows = _sheet(handle)
    header = next(rows, None)
    names = None if header is None else ["" if one is None else str(one) for one in header]
    columns = _columns(names, fields)
    if on_head is not None:
        on_head(columns.names, Look())
    width = len(columns.names)
    for number, found in enumerate(rows, 1):
        cells = [*found[:width], *[None] * (width - len(found))]
        if any(cell is not None for cell in found[width:]):
            yield Record(number, problem="it has cells beyond the columns of the first row.")
        elif any(cell is not None for cell in cells):
            for place in columns.places:
                cells[place] = "" if cells[place] is None else cells[place]
            yield from columns.records(number, 0, cells, fields)


def _sheet(handle: Readable) -> Iterator[list[Any]]:
    openpyxl = need_openpyxl()
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


def need_openpyxl() -> Any:
    """The package. Raises UsageError with the extra that brings it."""
    try:
        import openpyxl
    except ImportError:
        missing = Errors.DX074.format(what=".xlsx", package="openpyxl", extra="xlsx")
        raise UsageError(missing) from None
    return openpyxl
