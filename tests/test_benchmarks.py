"""benchmarks/run.py measures what it lists, says what it did not measure, and compares fairly."""

import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from spacy_dxprivacy import Space, registry

FOLDER = Path(__file__).parents[1] / "benchmarks"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the benchmarks are not packed")


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((200, 10)).astype(np.float32)


@pytest.mark.slow
def test_a_quick_run_measures_every_line_of_its_table(tmp_path, module):
    command = [sys.executable, str(FOLDER / "run.py"), "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "performance" / "results.json").read_text())["cases"]
    wanted = module("cases").cases((10_000,), os.cpu_count(), quick=True)
    assert [result["key"] for result in results] == [case.key for case in wanted]
    every = [row for result in results for row in result["figures"]["rows"]]
    assert all(row["words_s"] > 0 and row["peak_mb"] > 0 for row in every)
    report = module("report")
    rows = json.loads((tmp_path / "performance" / "results.json").read_text())["rows"]
    assert rows == report.table_rows(results)
    assert "not measured" not in done.stdout
    assert all(report.line(row) in done.stdout for row in rows)


@pytest.mark.slow
def test_a_run_that_is_stopped_leaves_a_page_that_says_so(tmp_path):
    command = [sys.executable, str(FOLDER / "run.py"), "--quick", "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while "dx.Laplace.v1" not in process.stdout.readline():
            assert process.poll() is None
        process.terminate()
        assert process.wait(timeout=60) == 0
    rows = json.loads((tmp_path / "performance" / "results.json").read_text())["rows"]
    assert any("not measured: the run was stopped before" in row for row in rows)
    assert any(row[:3] == ["dx.Laplace.v1", "dx.Exact.v1", "10,000"] for row in rows)


def test_the_table_of_the_docs_is_that_of_its_cases(tmp_path, module):
    """`python benchmarks/report.py` writes it again."""
    docs = FOLDER.parent / "docs"
    shutil.copytree(docs / "performance", tmp_path / "performance")
    module("report").rewrite(tmp_path)
    file = Path("performance") / "results.json"
    assert (tmp_path / file).read_text() == (docs / file).read_text()


def test_the_table_has_every_mechanism_index_and_peer_at_every_size(module):
    cases = module("cases")
    for n in cases.SIZES:
        rows = {
            (row.label, row.index)
            for case in cases.cases(cases.SIZES, 2, quick=False)
            for row in case.rows
            if row.shown and case.n == n
        }
        labels = {label for label, _ in rows}
        assert {"dx.Path.v1", "dx.TEM.v1", *cases.CHOICE, *module("peers").PEERS} <= labels
        assert {("dx.Laplace.v1", index) for index in cases.indexes()} <= rows


@pytest.mark.parametrize("name", ["one word, cdist", "one word, heap", "probability matrix"])
def test_peers_keep_words_where_there_is_hardly_any_noise(name, X, module):
    rows = np.arange(len(X))
    assert np.mean(module("peers").PEERS[name](X, 1e6)(rows) == rows) > 0.99


def test_the_probability_matrix_is_that_of_the_exponential_mechanism(X, module):
    block = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 2.0}
    mechanism = registry.resolve({"m": block})["m"]
    mechanism.fit(Space.from_vectors([f"w{i}" for i in range(len(X))], X))
    P = module("peers").ProbabilityMatrix(X, 2.0).P
    np.testing.assert_allclose(P, mechanism.distribution(np.arange(len(X))), rtol=1e-4)
