"""The tour as a notebook: its cells run, and show what stands in it."""

import json
import re
import warnings
from pathlib import Path

import pytest
from conftest import module_of

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "tour.ipynb"
SCRIPT = ROOT / "scripts" / "notebook.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="the scripts are not in this tree")


def shown(output):
    """What a reader sees of an output: its text, without the marks of HTML."""
    text = "".join(output.get("text", output.get("data", {}).get("text/html", ())))
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


@pytest.mark.slow
def test_the_cells_print_what_the_notebook_shows():
    notebook, script = json.loads(NOTEBOOK.read_text(encoding="utf8")), module_of(SCRIPT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outputs = script.run(notebook)
    for cell, found in zip(script.cells(notebook), outputs, strict=True):
        assert list(map(shown, cell["outputs"])) == list(map(shown, found)), cell["source"]


def test_the_notebook_shows_all_that_it_tells_of():
    text = NOTEBOOK.read_text(encoding="utf8")
    for part in (
        "displacy.render",
        "receipt",
        "strong",
        "entity_ruler",
        "Space",
        "dx.Laplace.v1",
        "restore",
    ):
        assert part in text, part
    assert "Whitcombe" in text and '"seed": 1' in text.replace("\\", "")
