"""docs/universe.json is an entry of spaCy's website/meta/universe.json, and its example runs."""

import subprocess
import sys
from pathlib import Path

import pytest
import srsly

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the docs are not beside the tests")
# The fields of that file, and what each holds.
FIELDS = {
    "id": str, "title": str, "slogan": str, "description": str, "github": str, "pip": str,
    "cran": str, "url": str, "thumb": str, "image": str, "cover": str, "youtube": str,
    "code_example": list, "code_language": str, "author": str, "author_links": dict,
    "category": list, "tags": list, "spacy_version": int,
}  # fmt: skip
REQUIRED = ("id", "title", "description", "author", "author_links", "category", "tags")
CATEGORIES = {
    "pipeline", "training", "conversational", "research", "scientific", "biomedical",
    "visualizers", "nonpython", "standalone", "models", "apis", "extension", "education",
    "books", "courses", "videos", "podcasts",
}  # fmt: skip


def entry():
    return srsly.read_json(DOCS / "universe.json")


def test_the_entry_has_the_fields_of_the_format():
    found = entry()
    assert set(REQUIRED) <= set(found) <= set(FIELDS)
    assert all(isinstance(value, FIELDS[name]) for name, value in found.items())
    assert set(found["category"]) <= CATEGORIES
    assert (DOCS.parent / found["thumb"]).exists()


@pytest.mark.slow
def test_its_example_runs():
    code = "\n".join(entry()["code_example"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-1000:]
    assert done.stdout.splitlines()[-1] == "0.8"
