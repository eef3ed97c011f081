"""Dates, times and numbers of cells: read as text, moved or replaced, written as what they were."""

import io
import json
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pytest
from conftest import ok, run_dx, space_options

from spacy_dxprivacy.io.values import as_text, as_value

ROWS = [
    ["id", "seen", "admitted", "woke", "phone", "note"],
    [4471200, date(2023, 3, 14), datetime(2023, 3, 14, 23, 50), time(6, 5), 4915112345678, "Fine."],
    [4471201, date(2023, 3, 15), datetime(2023, 3, 15, 0, 20), time(7, 5), 4915112345679, None],
]
NAMES = ROWS[0]
COLUMNS = ",".join(NAMES)
ENTITIES = ["--entities", "date,id,phone", "--model", "rules", "--field", COLUMNS]


@pytest.fixture
def options(space_path):
    return [*ENTITIES, "-m", "laplace", "-e", "0.01", *space_options(space_path)]


def check(rows):
    """Types and intervals stay, and no value does."""
    for row, original in zip(rows, ROWS[1:], strict=True):
        assert [type(cell) for cell in row[:-1]] == [type(cell) for cell in original[:-1]]
        assert row[0] != original[0] and row[4] != original[4]
        gap = original[2] - datetime.combine(original[1], time())
        moved = row[2] - datetime.combine(row[1], time())
        assert abs(moved - gap) < timedelta(hours=24)
        assert (row[3].minute, row[2].minute) == (original[3].minute, original[2].minute)
        assert row[3].second == row[2].second == 0


def test_cells_of_a_sheet_are_written_as_what_they_were(options, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    formats = ["0", "dd.mm.yyyy", "dd.mm.yyyy hh:mm", "hh:mm", "0", "General"]
    for row in ROWS:
        book.active.append(row)
        for cell, form in zip(book.active[book.active.max_row], formats, strict=True):
            if cell.value is not None and not isinstance(cell.value, str):
                cell.number_format = form
    book.save(tmp_path / "in.xlsx")
    ok(run_dx("sanitize", tmp_path / "in.xlsx", tmp_path / "out.xlsx", *options))
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").worksheets[0]
    assert [cell.value for cell in sheet[1]] == NAMES
    found = []
    for row in list(sheet)[1:]:
        assert [cell.number_format for cell in row[:-1]] == formats[:-1]
        values = [cell.value for cell in row]
        found.append([values[0], values[1].date(), *values[2:]])
    check(found)


def test_cells_of_parquet_are_written_as_what_they_were(options, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table(dict(zip(NAMES, zip(*ROWS[1:], strict=True), strict=True)))
    pq.write_table(table, tmp_path / "in.parquet")
    ok(run_dx("sanitize", tmp_path / "in.parquet", tmp_path / "out.parquet", *options))
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.schema.types == table.schema.types
    check([list(row.values()) for row in found.to_pylist()])


def test_a_surrogate_that_is_no_value_of_a_column_of_parquet_is_left_out(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from spacy_dxprivacy.config.options import FileOptions
    from spacy_dxprivacy.io.formats import Header
    from spacy_dxprivacy.io.parquet import ParquetWriter

    raw = io.BytesIO()
    schema = pa.schema([("day", pa.date32()), ("id", pa.int16()), ("note", pa.string())])
    writer = ParquetWriter(raw, FileOptions(field="day"))
    writer.begin(Header(schema.names, schema=schema))
    writer.write_head(schema.names)
    for row in (["[DATE]", 99_999, "x"], [date(2023, 1, 2), 7, "y"]):
        writer.write_row(row)
    writer._write_group()
    writer.writer.close()
    import pyarrow.parquet as pq

    found = pq.read_table(io.BytesIO(raw.getvalue())).to_pylist()
    assert found[0] == {"day": None, "id": None, "note": "x"}
    assert found[1] == {"day": date(2023, 1, 2), "id": 7, "note": "y"}


def test_numbers_of_json_are_written_as_numbers(options, tmp_path):
    lines = [dict(zip(NAMES, map(str, row), strict=True)) for row in ROWS[1:]]
    for line, row in zip(lines, ROWS[1:], strict=True):
        line |= {"id": row[0], "phone": row[4]}
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ok(run_dx("sanitize", source, target, *options))
    for line, new in zip(lines, map(json.loads, target.read_text().splitlines()), strict=True):
        for name in ("id", "phone"):
            assert isinstance(new[name], int) and new[name] != line[name]


@pytest.mark.parametrize("value", [
    7, -12, 1.5, 4e15, 0.1, Decimal("12.50"), date(2023, 3, 14), datetime(2023, 3, 14, 23, 50, 1),
    datetime.fromisoformat("2023-03-14 23:50:00.123456+01:00"), time(6, 5), "text", "12",
])  # fmt: skip
def test_a_value_comes_back_from_its_text(value):
    text = as_text(value)
    back = as_value(text, value)
    assert isinstance(text, str) and back == value and type(back) is type(value)
    assert "e" not in text or text == "text"


def test_a_text_that_is_no_value_stays_text():
    assert as_value("[DATE]", date(2023, 3, 14)) == "[DATE]"
    assert as_value("1933 or earlier", datetime(1901, 1, 1)) == "1933 or earlier"
    assert as_value("12.5", 12) == "12.5" and as_value("K12", 12) == "K12"
    assert as_value("12", "7") == "12"
    for value in (True, None, [1], float("nan"), b"x", timedelta(1)):
        assert as_text(value) is value
