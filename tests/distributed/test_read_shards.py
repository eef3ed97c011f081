"""Audits and reports read the shards that `dx sanitize` writes, with their manifest as receipt."""

from __future__ import annotations

import pytest
from conftest import EPSILON, UNKNOWN_SECRETS
from spacy.cli._util import app
from typer.testing import CliRunner

from .corpus import pq, write_corpus


def dx(*args):
    return CliRunner().invoke(app, ["dx", *map(str, args)])


@pytest.fixture(scope="module")
def folders(tmp_path_factory, space_path):
    folder = tmp_path_factory.mktemp("shards")
    sources = write_corpus(folder / "in", shards=2, documents=4)
    out = folder / "out"
    done = dx("sanitize", *sources, out, "--space", space_path, "-m", "exponential", "-e", EPSILON)
    assert done.exit_code == 0, done.stderr
    return folder / "in", out


@pytest.mark.parametrize("receipt", [True, False])
def test_an_audit_reads_shards(folders, space_path, receipt):
    before, out = folders
    more = ["--receipt", out / "_manifest.json"] if receipt else []
    done = dx("audit", "release", out, "--against", before, "--space", space_path, *more)
    assert done.exit_code == 0, done.stdout + done.stderr
    assert "nothing undeclared" in done.stdout


def test_an_audit_finds_what_leaks_into_a_shard(folders, space_path, tmp_path):
    before, out = folders
    table = pq.read_table(out / "part-000.parquet")
    texts = table.column("text").to_pylist()
    texts[0] += f" {UNKNOWN_SECRETS[0]}"
    table = table.set_column(table.schema.get_field_index("text"), "text", [texts])
    pq.write_table(table, tmp_path / "a.parquet")
    done = dx(
        "audit", "release", tmp_path / "a.parquet", "--against", before, "--space", space_path,
        "--receipt", out / "_manifest.json",
    )  # fmt: skip
    assert done.exit_code == 1 and UNKNOWN_SECRETS[0] not in done.stdout


@pytest.mark.slow
def test_a_report_reads_shards(folders, space_path, tmp_path):
    page = tmp_path / "r.html"
    done = dx("report", *folders, "-o", page, "--space", space_path)
    assert done.exit_code == 0, done.stdout + done.stderr
    assert "dx.Exponential.v1" in page.read_text() and "8 document" in page.read_text()
