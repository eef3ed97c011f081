"""Figures of the docs: each is that of its result file, and what was measured still exists."""

import json
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest
import spacy
import typer

from spacy_dxprivacy import registry
from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.mechanisms.levels import LEVELS
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG
from spacy_dxprivacy.surrogates.plain import PRESETS

ROOT = Path(__file__).parents[2]
RESULTS = sorted((ROOT / "docs").glob("*/**/*.json"))
NAMES = {"commit", "command", "settings", "data", "attacker"}
pytestmark = pytest.mark.skipif(not RESULTS, reason="the docs are not beside the tests")


def gone(value, name=""):
    if isinstance(value, dict) and name != "default":
        return [lost for key, inner in value.items() for lost in gone(inner, key)]
    if isinstance(value, list):
        return [lost for inner in value for lost in gone(inner)]
    there = True
    if name.startswith("@"):
        group = getattr(registry, name[1:], None)
        there = group is not None and value in group.get_all()
    elif name == "factory":
        there = spacy.blank("en").has_factory(value)
    elif name == "preset":
        there = value in PRESETS
    elif name == "default":  # what was measured because it is the default
        there = value == DEFAULT_CONFIG["mechanism"]
    elif name == "command":
        return gone_of_command(value)
    return [] if there else [f"{name} = {value}"]


def gone_of_command(command):
    program, first, *rest = shlex.split(command)
    options = {word for word in rest if re.match(r"--?[a-z]", word)}
    if program == "python":
        path = ROOT / first
        source = path.read_text(encoding="utf8") if path.is_file() else ""
        lost = {option for option in options if f'"{option}"' not in source}
        return [*([] if source else [first]), *sorted(lost)]
    group = typer.main.get_command(dx_cli)
    found = group.get_command(typer.Context(group), first)
    if program != "dx" or found is None:
        return [f"{program} {first}"]
    known = {name for param in found.params for name in (*param.opts, *param.secondary_opts)}
    return sorted(options - known)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_result_file_names_what_still_exists(path):
    result = json.loads(path.read_text(encoding="utf8"))
    assert set(result) >= NAMES and all(result[name] != "" for name in NAMES)
    assert not gone(result), f"measure again: {result['command']}"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_the_tables_of_a_page_are_those_of_its_result_files(page, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    text = page.read_text(encoding="utf8")
    assert import_module("figures").with_tables(text) == text, "run benchmarks/figures.py"


def test_the_levels_of_the_docs_are_those_of_the_package():
    rows = json.loads((ROOT / "docs/attacks/levels.json").read_text(encoding="utf8"))["rows"]
    assert [row[0].split()[0] for row in rows] == list(LEVELS)
    for row, level in zip(rows, LEVELS.values(), strict=True):
        recovered = max(share for share in row[3:6] if share != "–")
        assert (float(row[1]), row[2], recovered) == (level.epsilon, level.kept, level.found)
        assert row[6:] == [level.rare_found, level.cosine]


@pytest.mark.parametrize("page", ["README.md", "docs/explanation/guarantees.md"])
def test_how_often_a_release_is_linked_is_that_of_the_result_file(page):
    rows = json.loads((ROOT / "docs/attacks/linked.json").read_text(encoding="utf8"))["rows"]
    default = DEFAULT_CONFIG["mechanism"]["epsilon"]
    low, high = sorted(row[3] for row in rows if row[1] == str(default))
    assert f"{low * 100:.0f} to {high * 100:.0f} %" in (ROOT / page).read_text(encoding="utf8")


SHARES = {
    "words unchanged": "kept", "words recovered": "found", "rare words recovered": "rare_found",
}  # fmt: skip


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md", "docs/how-to/choose.md"])
def test_the_levels_of_a_table_in_prose_are_those_of_the_package(page):
    lines = (ROOT / page).read_text(encoding="utf8").splitlines()
    (head,) = (n for n, line in enumerate(lines) if line.startswith("| level | epsilon |"))
    columns, _, *rows = (re.split(r" *\| *", line.strip("| ")) for line in lines[head : head + 5])
    assert [row[0].split("`")[1] for row in rows] == list(LEVELS)
    assert set(SHARES) <= set(columns) or page == "docs/tutorial.md"
    for row, level in zip(rows, LEVELS.values(), strict=True):
        cells = dict(zip(columns, row, strict=True))
        assert float(cells["epsilon"]) == level.epsilon
        for name, field in SHARES.items():
            assert cells.get(name) in (None, f"{100 * getattr(level, field):.0f} %")


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda p: p.stem)
def test_every_benchmark_can_be_imported(path, monkeypatch):
    monkeypatch.syspath_prepend(str(path.parent))
    needed = r"^(?:from|import) (psutil|pyarrow|presidio_analyzer|flat)"
    text = path.read_text(encoding="utf8")
    names = re.findall(needed, text, re.M)
    if re.search(r"^ *from entity_recognisers ", text, re.M):
        names.append("presidio_analyzer")
    for name in names:
        pytest.importorskip(name)
    import_module(path.stem)
