"""What stands around the code: workflows, templates, the citation. They name what there is."""

import configparser
import re
from pathlib import Path

import pytest

from spacy_dxprivacy import __version__

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
yaml = pytest.importorskip("yaml")
pytestmark = pytest.mark.skipif(not GITHUB.exists(), reason="the tests are not in a checkout")


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf8"))


@pytest.mark.parametrize("path", sorted(GITHUB.rglob("*.yml")), ids=lambda path: path.name)
def test_a_workflow_or_template_is_yaml_and_names_files_that_exist(path):
    read(path)
    text = path.read_text(encoding="utf8")
    named = re.findall(
        r"(?<![\w./-])((?:scripts|spacy_dxprivacy|examples|docs|\.ci)/[\w./-]+)", text
    )
    assert all((ROOT / name).exists() for name in named), named
    extras = re.findall(r'pip install "\.\[([\w,]+)\]"', text)
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf8")
    assert {name for names in extras for name in names.split(",")} <= {
        *setup["options.extras_require"]
    }


def test_every_job_has_a_limit_of_time_and_no_more_rights_than_it_needs():
    for path in (GITHUB / "workflows").glob("*.yml"):
        for name, job in read(path)["jobs"].items():
            assert name == "publish" or job["timeout-minutes"] <= 90, path.name
        # Who may write, and only where something is published.
        writes = re.findall(r"^ +(\S+): write", path.read_text(encoding="utf8"), re.M)
        assert not writes or path.name in ("publish.yml", "docs.yml")


def test_the_citation_is_of_this_version_and_its_files_exist():
    citation = read(ROOT / "CITATION.cff")
    assert citation["version"] == __version__
    assert all((ROOT / name).exists() for name in re.findall(r"\((docs/[^)]*)\)", str(citation)))


def test_the_workflow_of_a_tag_takes_the_version_from_where_it_stands():
    (step,) = [
        step["run"]
        for step in read(GITHUB / "workflows" / "publish.yml")["jobs"]["build"]["steps"]
        if "tag is the version" in step.get("name", "")
    ]
    assert "about.py" in step and "__version__" in step
