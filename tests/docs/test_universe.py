"""docs/universe.json is an entry of spaCy's website/meta/universe.json, and its example runs."""

import subprocess
import sys
from pathlib import Path

import pytest
import srsly

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the docs are not beside the tests")


def entry():
    return srsly.read_json(DOCS / "universe.json")


@pytest.mark.slow
def test_its_example_runs():
    code = "\n".join(entry()["code_example"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-1000:]
    assert done.stdout.splitlines()[-1] == "0.8"
