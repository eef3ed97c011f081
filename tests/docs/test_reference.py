"""The generated pages of the reference are what the code says, and hold every registered name."""

import importlib.util
import pkgutil
import re
from pathlib import Path

import pytest

from spacy_dxprivacy import registry
from spacy_dxprivacy.cli import COMMANDS
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG
from spacy_dxprivacy.registries import REGISTERED

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "reference.py"
PAGES = ROOT / "docs" / "reference"

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="scripts/ is not beside the tests")


@pytest.fixture(scope="module")
def reference():
    spec = importlib.util.spec_from_file_location("reference", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(name):
    return (PAGES / name).read_text(encoding="utf8")


def test_no_page_is_stale(reference):
    stale = [path.name for path, text in reference.pages() if path.read_text("utf8") != text]
    assert stale == [], "run python scripts/reference.py"


@pytest.mark.parametrize("name", REGISTERED)
def test_every_registered_name_has_a_line(name):
    page = read("mechanisms.md" if name == "dx_mechanisms" else "configuration.md")
    ours = [one for one in getattr(registry, name).get_all() if one.startswith("dx.")]
    assert ours and [one for one in ours if f"`{one}`" not in page] == []


def test_every_command_setting_and_message_has_a_line(reference):
    page = read("commands.md")
    assert [name for name in COMMANDS if f"### dx {name}" not in page] == []
    page = read("configuration.md")
    assert [name for name in DEFAULT_CONFIG if f"| `{name}` |" not in page] == []
    source = (ROOT / "spacy_dxprivacy" / "data" / "messages.txt").read_text(encoding="utf8")
    codes = set(re.findall(r"^(DX\d+) ", source, re.M))
    assert len(codes) > 50
    assert [code for code in codes if f"| `{code}` |" not in read("errors.md")] == []


def test_every_name_of_the_page_on_python_exists():
    pytest.importorskip("sklearn")  # of which one name is a class
    page = read("api.md")
    for whole in re.findall(r"^::: (\S+)$", page, re.M):
        assert pkgutil.resolve_name(whole) is not None
    for module, members in re.findall(r"^::: (\S+)\n.*\n.*members: \[(.*)\]", page, re.M):
        there = pkgutil.resolve_name(module)
        assert [name for name in members.split(", ") if not hasattr(there, name)] == []
