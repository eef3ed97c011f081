"""The project templates: their assets are those of their checksums, and they run to their end."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly

PROJECTS = Path(__file__).parents[2] / "projects"
TEMPLATES = sorted(PROJECTS.glob("*/project.yml"))
RESULTS = {
    "compare_mechanisms": "output/attack/frontier.csv",
    "papers": "output/beyond-all.json",
    "share_notes": "output/report.html",
    "train_on_a_release": "output/metrics.json",
}
# What makes a run of all commands one of minutes: the built-in space, and few draws.
SMALL = {
    "papers": {
        "space": "builtin",
        "max_words": 2000,
        "few": 500,
        "probes": 20,
        "words": 20,
        "draws": 4,
    },
}
pytestmark = pytest.mark.skipif(not TEMPLATES, reason="the templates are not beside the tests")
each = pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.parent.name)


def test_every_template_says_what_it_ends_with():
    assert {path.parent.name for path in TEMPLATES} == set(RESULTS)


@each
def test_assets_are_those_of_their_checksums(template):
    for asset in srsly.read_yaml(template)["assets"]:
        if asset.get("extra"):  # word vectors, which a user downloads
            continue
        content = (template.parent / asset["dest"]).read_bytes()
        assert hashlib.md5(content).hexdigest() == asset["checksum"]


def test_all_commands_of_the_papers_are_run():
    project = srsly.read_yaml(PROJECTS / "papers" / "project.yml")
    steps = {command["name"] for command in project["commands"]}
    apart = {"verify", "glove50", "glove300", "vectors", "unpack"}  # these make vectors and data
    assert set(project["workflows"]["all"]) == steps - apart


@pytest.mark.slow
@each
def test_a_template_runs_to_its_end(template, tmp_path):
    missing = [m for m in ("sklearn", "matplotlib") if not importlib.util.find_spec(m)]
    if missing and (template.parent / "requirements.txt").exists():
        pytest.skip(f"not installed: {', '.join(missing)}")
    copy = tmp_path / "project"
    shutil.copytree(template.parent, copy)
    workflows, small = srsly.read_yaml(template)["workflows"], SMALL.get(template.parent.name, {})
    names = ["all"] if small else [*workflows]  # of which `all` has every step
    changed = [word for name, value in small.items() for word in (f"--vars.{name}", str(value))]
    env = {**os.environ, "PIP_NO_INDEX": "1"} if small else None  # which downloads nothing
    for step in (["assets"], *(["run", name, ".", *changed] for name in names)):
        command = [sys.executable, "-m", "spacy", "project", *step]
        done = subprocess.run(
            command, cwd=copy, capture_output=True, text=True, timeout=900, env=env
        )
        assert done.returncode == 0, done.stderr[-2000:]
    result = copy / RESULTS[template.parent.name]
    assert result.stat().st_size
    if result.name == "metrics.json":  # of texts that were not sanitised
        assert srsly.read_json(result)["cats_macro_f"] > 0.9
        for model in ("model-best", "model-last"):
            assert private_strings(copy, copy / "output" / "model" / model) == set()


def private_strings(project, model):
    """Strings of a saved pipeline that are words of the originals, and of nothing that is public:
    neither of the release nor of a blank pipeline."""
    nlp = spacy.blank("en")
    public = set(nlp.vocab.strings)
    for row in srsly.read_jsonl(project / "corpus" / "release.jsonl"):
        public |= {str(value) for value in row.values()}  # its label, such as "router"
        for token in nlp.make_doc(row["text"]):
            public |= {token.text, token.lower_, token.norm_, token.shape_}
            public |= {token.prefix_, token.suffix_}
    private = set()
    for name in ("private", "test"):
        for row in srsly.read_jsonl(project / "assets" / f"{name}.jsonl"):
            private |= {token.text for token in nlp.make_doc(row["text"])}
    saved = set(srsly.read_json(model / "vocab" / "strings.json"))
    return {word for word in saved & (private - public) if word.isalpha()}


def test_no_step_of_training_reads_originals():
    """Training reads files of the release alone; a test of its model comes after it is saved."""
    steps = srsly.read_yaml(PROJECTS / "train_on_a_release" / "project.yml")["commands"]
    lines = {step["name"]: " ".join(step["script"]) for step in steps}
    made = [line.split() for line in lines["convert"].split("python ") if line]
    of_release = {word for line in made if "release.jsonl" in line[1] for word in line[2:]}
    paths = re.findall(r"--paths\.\w+ (\S+)", lines["train"])
    assert len(paths) == 2 and set(paths) <= of_release
