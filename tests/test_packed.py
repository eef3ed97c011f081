"""Compressed files (.gz) as shards, in a report and in an audit."""

from __future__ import annotations

import gzip
import json

import pytest
from conftest import EPSILON
from typer.testing import CliRunner

from spacy_dxprivacy.cli import dx_cli


def lines(name):
    texts = [{"id": i, "text": f"the dog saw Zorblatt by the old river {name}"} for i in range(3)]
    return "".join(json.dumps(text) + "\n" for text in texts).encode()


def dx(*args):
    return CliRunner().invoke(dx_cli, list(map(str, args)))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (tmp_path / "in" / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines(name)))
    (tmp_path / "in" / "c.jsonl").write_bytes(lines("c"))
    return tmp_path / "in"


@pytest.fixture
def sanitize(folder, tmp_path, space_path):
    options = ["-m", "exponential", "-e", EPSILON, "--space", space_path, "--keep-fields", "id"]
    return lambda: dx("sanitize", *sorted(folder.iterdir()), tmp_path / "out", *options)


def test_shards_are_read_and_written_as_they_are_named(sanitize, folder, tmp_path, space_path):
    done, out = sanitize(), tmp_path / "out"
    assert done.exit_code == 0 and "Zorblatt" not in done.output, done.output
    for name in ("a.jsonl.gz", "b.jsonl.gz", "c.jsonl"):
        raw = (out / name).read_bytes()
        found = (gzip.decompress(raw) if name.endswith("gz") else raw).decode()
        assert [json.loads(line)["id"] for line in found.splitlines()] == [0, 1, 2]
        assert "Zorblatt" not in found
    page = dx("report", folder, out, "-o", tmp_path / "s.html", "--space", space_path)
    assert page.exit_code == 0, page.output
    assert "of 9 document(s)" in (tmp_path / "s.html").read_text()
    audit = dx("audit", "release", out, "--against", folder, "--space", space_path)
    assert audit.exit_code == 0, audit.output
    clear = dx("audit", "release", folder, "--against", folder, "--space", space_path)
    assert clear.exit_code == 1 and "LEAKED" in clear.output


def test_the_same_text_compressed_is_the_same_text(sanitize, folder):
    (folder / "a.jsonl").write_bytes(lines("a"))
    done = sanitize()
    assert done.exit_code == 1 and "DX079" in done.output


@pytest.mark.parametrize("raw", [b"no", gzip.compress(b"x" * 999)[:20]], ids=["other", "cut"])
def test_a_damaged_file_is_named_in_a_sentence(sanitize, folder, tmp_path, raw):
    (folder / "a.jsonl.gz").write_bytes(raw)
    done = sanitize()
    assert done.exit_code == 1 and "a.jsonl.gz: it" in done.output
    assert not (tmp_path / "out" / "a.jsonl.gz").exists()
    assert (tmp_path / "out" / "b.jsonl.gz").exists()
    audit = dx("audit", "release", folder / "a.jsonl.gz", "--against", folder / "c.jsonl")
    assert audit.exit_code == 2 and audit.output.count("\n") == 1


def test_parquet_is_compressed_by_itself(sanitize, folder):
    (folder / "a.parquet.gz").write_bytes(b"x")
    done = sanitize()
    assert done.exit_code == 2 and "its own compression" in done.output
