"""A Parquet file that unpacks to what no memory holds is refused before it is unpacked, and one
whose rows all point to one long text is read a few rows at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="needs the extra 'arrow'")
pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'arrow'")

from spacy_dxprivacy.files import parquet  # noqa: E402
from spacy_dxprivacy.files.limits import TooLarge  # noqa: E402

KINDS = [pa.string(), pa.large_string(), pa.string_view()]


def written(path: Path, table: Any, **how: Any) -> Path:
    pq.write_table(table, path, **how)
    return path


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    column = pa.array(["a" * 2**20 + str(i) for i in range(70)])
    bomb = written(tmp_path / "a.parquet", pa.table({"text": column}), compression="zstd")
    assert bomb.stat().st_size < 2**20 / 10
    tables = parquet.read_tables(bomb, ["text"])
    before = pa.total_allocated_bytes()
    with pytest.raises(TooLarge, match="DX096"):
        next(tables)
    assert pa.total_allocated_bytes() - before < 2**20


def test_a_row_group_that_does_not_fit_is_refused(tmp_path, monkeypatch):
    path = written(tmp_path / "a.parquet", pa.table({"text": ["abc" * 999], "other": ["x"]}))
    monkeypatch.setattr(parquet, "MOST_GROUP", 1000)
    assert len(list(parquet.read_tables(path, ["other"]))) == 2  # what is not read may be large
    with pytest.raises(TooLarge, match="row group 1"):
        next(parquet.read_tables(path, ["text"]))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_text_of_many_rows_is_written_out_for_a_few_at_a_time(tmp_path, monkeypatch, kind):
    texts = ["x" * 5000] * 1000 + [None, "", "é"]
    table = pa.table({"id": range(len(texts)), "text": pa.array(texts, kind)})
    path = written(tmp_path / "a.parquet", table)
    assert path.stat().st_size < 20_000
    monkeypatch.setattr(parquet, "AT_ONCE", 50_000)
    parts = list(parquet.read_tables(path, ["id", "text"]))
    assert max(part.num_rows for part in parts) == 10
    whole = pa.concat_tables(parts)
    assert whole.schema.equals(table.schema) and whole.to_pylist() == table.to_pylist()
