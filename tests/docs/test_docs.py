"""The docs: links lead somewhere, a site with one that does not is not built, and the example of
docs/universe.json, an entry of spaCy's website/meta/universe.json, runs."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import srsly

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)\s]+)\)")

pytestmark = pytest.mark.skipif(
    not (ROOT / "mkdocs.yml").exists(), reason="the docs are not beside the tests"
)
PARTS = ("mkdocs", "material", "mkdocstrings", "latex2mathml")
needs_extra = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in PARTS), reason="needs the extra 'docs'"
)


def links(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf8"), flags=re.S)
    found = [link for link in LINK.findall(text) if "://" not in link]
    return [link.partition("#")[::2] for link in found]


def anchors(path):
    heads = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf8"), re.M)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


def test_links_of_the_readme_lead_somewhere():
    for file, anchor in links(ROOT / "README.md"):
        target = ROOT / (file or "README.md")
        assert target.exists(), file
        assert not anchor or anchor in anchors(target), f"{file}#{anchor}"


def test_links_out_of_the_docs_lead_somewhere():
    for path in DOCS.rglob("*.md"):
        beyond = "../" * len(path.relative_to(DOCS).parts)
        out = [file for file, _ in links(path) if file.startswith(beyond)]
        assert [file for file in out if not (path.parent / file).exists()] == [], path.name


def test_every_test_that_the_docs_name_exists():
    named = {
        name
        for page in DOCS.rglob("*.md")
        for name in re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", page.read_text(encoding="utf8"))
    }
    assert len(named) > 40
    for file, _, test in (name.partition("::") for name in named):
        path = ROOT / file
        examples = file in (DOCS / "reference" / "architecture.md").read_text(encoding="utf8")
        assert path.exists() or examples, file
        assert not test or f"def {test}(" in path.read_text(encoding="utf8"), f"{file}::{test}"


def build(folder):
    # Not --quiet: mkdocs then hears no warning, and none stops it.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", "site"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.fixture
def copy(tmp_path):
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copytree(DOCS, tmp_path / "docs")
    ignored = shutil.ignore_patterns("data", "__pycache__")
    shutil.copytree(ROOT / "spacy_dxprivacy", tmp_path / "spacy_dxprivacy", ignore=ignored)
    return tmp_path


@needs_extra
@pytest.mark.slow
def test_the_site_is_built_and_asks_nobody_for_anything(copy):
    done = build(copy)
    assert done.returncode == 0, done.stderr[-2000:]
    api = (copy / "site" / "reference" / "api.html").read_text(encoding="utf8")
    assert "assert_sanitized" in api and "class_names" in api
    for page in (copy / "site").rglob("*.html"):
        html = page.read_text(encoding="utf8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]+src="([^"]+)"', html)
        loaded += re.findall(r'<link[^>]+rel="(?:stylesheet|preconnect)"[^>]+href="([^"]+)"', html)
        assert [where for where in loaded if "//" in where] == [], page.name
        assert "$$" not in html, page.name
    theorem = (copy / "site" / "explanation" / "sentences.html").read_text(encoding="utf8")
    assert theorem.count('<div class="formula"><math') >= 10 and "<mfrac>" in theorem


@pytest.mark.slow
def test_the_example_of_the_universe_runs():
    code = "\n".join(srsly.read_json(DOCS / "universe.json")["code_example"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-1000:]
    assert done.stdout.splitlines()[-1] == "0.8"


WRITTEN = re.compile(
    r"^dx sanitize \S+ (\S+)|^mkdir (?:-p )?(\S+)|--(?:receipt|output|table|key|table-key) (\S+)",
    re.M,
)


def test_pages_that_a_reader_follows_in_one_folder_write_to_different_places():
    """A file that exists is an error, and a key that exists is used."""
    pages = [
        ROOT / "README.md",
        ROOT / "docs" / "tutorial.md",
        *(ROOT / "docs/how-to").glob("*.md"),
    ]
    writers = {}
    for page in pages:
        text = "\n".join(
            block
            for block in re.findall(r"^```console\n(.*?)^```", page.read_text("utf8"), re.M | re.S)
        ) + "\n".join(re.findall(r"^    (dx .*)$", page.read_text("utf8"), re.M))
        for names in WRITTEN.findall(text):
            name = next(filter(None, names))
            if re.match(r"\w", name):
                writers.setdefault(name, set()).add(page.name)
    assert {name: found for name, found in writers.items() if len(found) > 1} == {}
