"""What the README says is what the package does; test_docs_run.py runs its commands."""

import json
import re
from pathlib import Path

import pytest

from spacy_dxprivacy.io.build import make_pipeline
from spacy_dxprivacy.mechanisms.levels import LEVELS
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG

README = Path(__file__).parents[2] / "README.md"

if not README.exists():
    pytest.skip("the README is not beside the tests here", allow_module_level=True)
TEXT = README.read_text(encoding="utf8")


def test_the_default_epsilon_is_that_of_the_readme():
    assert f"{DEFAULT_CONFIG['mechanism']['epsilon']} nats per unit" in TEXT


def test_the_accuracies_are_those_of_the_result_file():
    tasks = json.loads((README.parent / "docs/experiments/tasks.json").read_text(encoding="utf8"))
    column = tasks["columns"].index("trained on release, tested on unmodified")
    measured = {row[0]: row[column].split()[0] for row in tasks["rows"]}
    for level in LEVELS:
        row = re.search(rf"^\| `{level}`.*% \| (\S+) \|$", TEXT, re.M)
        assert row is not None and row[1] == measured[f"dx.Path.v2 ({level})"]


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/choose.md"])
def test_the_usefulness_by_task_is_that_of_the_result_file(page):
    path = README.parent / "docs/experiments/usefulness.json"
    result = json.loads(path.read_text(encoding="utf8"))
    column = result["columns"].index("trained on release, tested on unmodified")
    measured = {(row[0], row[1]): row[column].split()[0] for row in result["rows"]}
    text = (README.parent / page).read_text(encoding="utf8")
    table = text.partition("| task, ")[2].partition("\n\n")[0]
    head, _, *rows = (line.strip("| ").split(" | ") for line in table.splitlines())
    releases = [re.sub("[`*]", "", name) for name in head[1:]]
    assert len(rows) == len({task for task, _ in measured}) and {*LEVELS} <= {*releases}
    for task, *cells in rows:
        name = task.partition(",")[0]
        assert cells == [measured[name, release] for release in releases]


def test_the_speed_beside_peers_is_that_of_the_result_file():
    path = README.parent / "docs/performance/peers.json"
    result = json.loads(path.read_text(encoding="utf8"))
    times = [row[3].split()[0] for row in result["rows"] if row[0] in TEXT and "times" in row[3]]
    assert "draw {}, {} and {} times as many".format(*times) in " ".join(TEXT.split())


def test_what_comes_out_is_what_the_pipelines_make():
    """With the seed 1, as the README says."""
    cells = dict(re.findall(r"^\| (before|every|both|entities)[^|]*\| ([^|]*) \|$", TEXT, re.M))
    options = {
        "every": {},
        "both": {"surrogates": "standard"},
        "entities": {"entities": "person,date,gpe,org,phone,id"},
    }
    for mode, settings in options.items():
        pipeline = make_pipeline(overrides={"seed": 1}, **settings)
        assert pipeline(cells["before"]).text == cells[mode]


def test_the_recognisers_are_compared_as_in_the_result_file():
    path = README.parent / "docs/entities/recognisers.json"
    result = json.loads(path.read_text(encoding="utf8"))
    written = {row[1]: row[2:] for row in result["rows"] if row[0] == "written"}
    table = TEXT.partition("| recogniser, on 200 written texts |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (.*?) \| (\..*) \|$", table, re.M)
    assert len(rows) == 3
    for name, cells in rows:
        *shares, others, speed = (written[name][i] for i in (0, 1, 2, 4, 5, 6))
        expected = [*(share.split()[0] for share in shares), f"{others:.2f}".lstrip("0"), speed]
        assert cells.split(" | ") == expected
