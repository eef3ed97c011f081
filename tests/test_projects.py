"""The project templates: their assets are those of their checksums, and they run to their end."""

import hashlib
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import srsly

PROJECTS = Path(__file__).parent.parent / "projects"
TEMPLATES = sorted(PROJECTS.glob("*/project.yml"))
RESULTS = {
    "compare_mechanisms": "output/attack/frontier.csv",
    "papers": "output/beyond-all.json",
    "share_notes": "output/report.html",
    "train_on_a_release": "output/metrics.json",
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


@pytest.mark.slow
@each
def test_a_template_runs_to_its_end(template, tmp_path):
    missing = [m for m in ("sklearn", "matplotlib") if not importlib.util.find_spec(m)]
    if missing and (template.parent / "requirements.txt").exists():
        pytest.skip(f"not installed: {', '.join(missing)}")
    copy = tmp_path / "project"
    shutil.copytree(template.parent, copy)
    workflows = srsly.read_yaml(template)["workflows"]
    for step in (["assets"], *(["run", name] for name in workflows)):
        command = [sys.executable, "-m", "spacy", "project", *step]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr[-2000:]
    result = copy / RESULTS[template.parent.name]
    assert result.stat().st_size
    if result.name == "metrics.json":  # of texts that were not sanitised
        assert srsly.read_json(result)["cats_macro_f"] > 0.9
