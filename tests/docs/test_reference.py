"""The generated pages of the reference are what the code says, and hold every registered name."""

import pkgutil
import re
from pathlib import Path

import pytest
from conftest import module_of

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "reference.py"
PAGES = ROOT / "docs" / "reference"

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="scripts/ is not beside the tests")


@pytest.fixture(scope="module")
def reference():
    return module_of(SCRIPT)


def test_no_page_is_stale(reference):
    stale = [path.name for path, text in reference.pages() if path.read_text("utf8") != text]
    assert stale == [], "run python scripts/reference.py"


def test_every_name_of_the_page_on_python_exists():
    pytest.importorskip("sklearn")  # of which one name is a class
    page = (PAGES / "api.md").read_text(encoding="utf8")
    for whole in re.findall(r"^::: (\S+)$", page, re.M):
        assert pkgutil.resolve_name(whole) is not None
    for module, members in re.findall(r"^::: (\S+)\n.*\n.*members: \[(.*)\]", page, re.M):
        there = pkgutil.resolve_name(module)
        assert [name for name in members.split(", ") if not hasattr(there, name)] == []
