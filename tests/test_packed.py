"""Packed files (.gz) as shards, in a report and in an audit."""

from __future__ import annotations

import gzip
import json

import pytest
from conftest import EPSILON
from typer.testing import CliRunner

from spacy_dxprivacy.cli import dx_cli

TEXT = "the dog saw Zorblatt by the old river"


@pytest.fixture
def dx():
    return lambda *args: CliRunner().invoke(dx_cli, list(map(str, args)))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (tmp_path / "in" / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines(name)))
    (tmp_path / "in" / "c.jsonl").write_bytes(lines("c"))
    return tmp_path / "in"


def lines(name):
    texts = [{"id": i, "text": f"{TEXT} {name}"} for i in range(3)]
    return "".join(json.dumps(text) + "\n" for text in texts).encode()


@pytest.fixture
def out(dx, folder, tmp_path, space_path):
    options = ["-m", "exponential", "-e", EPSILON, "--space", space_path, "--keep-fields", "id"]
    done = dx("sanitize", *sorted(folder.iterdir()), tmp_path / "out", *options)
    return done, tmp_path / "out"


def test_shards_are_read_and_written_as_they_are_named(out):
    done, folder = out
    assert done.exit_code == 0 and "Zorblatt" not in done.output, done.output
    for name in ("a.jsonl.gz", "b.jsonl.gz", "c.jsonl"):
        raw = (folder / name).read_bytes()
        found = (gzip.decompress(raw) if name.endswith("gz") else raw).decode()
        assert [json.loads(line)["id"] for line in found.splitlines()] == [0, 1, 2]
        assert "Zorblatt" not in found


def test_the_same_text_packed_is_the_same_text(dx, folder, tmp_path, space_path):
    (folder / "a.jsonl").write_bytes(lines("a"))
    options = ["-m", "exponential", "-e", EPSILON, "--space", space_path, "-q"]
    done = dx("sanitize", *sorted(folder.iterdir()), tmp_path / "out", *options)
    assert done.exit_code == 1 and "DX079" in done.output


def test_report_and_audit_read_them(dx, folder, out, tmp_path, space_path):
    page = dx("report", folder, out[1], "-o", tmp_path / "s.md", "--statement")
    assert page.exit_code == 0, page.output
    assert "in 9 document(s)" in (tmp_path / "s.md").read_text()
    told = dx("audit", "release", out[1], "--against", folder, "--space", space_path)
    assert told.exit_code == 0, told.output
    clear = dx("audit", "release", folder, "--against", folder, "--space", space_path)
    assert clear.exit_code == 1 and "LEAKED" in clear.output


@pytest.mark.parametrize("raw", [b"no", gzip.compress(b"x" * 999)[:20]], ids=["other", "cut"])
def test_what_is_damaged_is_named_in_a_sentence(dx, folder, tmp_path, space_path, raw):
    (folder / "a.jsonl.gz").write_bytes(raw)
    options = ["-m", "exponential", "-e", EPSILON, "--space", space_path, "-q"]
    done = dx("sanitize", *sorted(folder.iterdir()), tmp_path / "out", *options)
    assert done.exit_code == 1 and "a.jsonl.gz: it" in done.output
    assert not (tmp_path / "out" / "a.jsonl.gz").exists()
    assert (tmp_path / "out" / "b.jsonl.gz").exists()
    told = dx("audit", "release", folder / "a.jsonl.gz", "--against", folder / "c.jsonl")
    assert told.exit_code == 2 and told.output.count("\n") == 1


def test_parquet_is_packed_by_itself(dx, folder, tmp_path):
    (folder / "a.parquet.gz").write_bytes(b"x")
    done = dx("sanitize", *sorted(folder.iterdir()), tmp_path / "out")
    assert done.exit_code == 2 and "packed by itself" in done.output
