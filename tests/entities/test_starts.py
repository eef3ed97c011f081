"""The list of the characters with which forms begin fits the forms: no search loses by it."""

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
if not (SCRIPTS / "build_starts.py").is_file():
    pytest.skip("the scripts are not here", allow_module_level=True)
sys.path.insert(0, str(SCRIPTS))
import build_starts  # noqa: E402


def test_the_list_is_that_of_the_forms():
    is_fresh = build_starts.STARTS.read_text("utf8") == build_starts.content()
    assert is_fresh, "run python scripts/build_starts.py"


@pytest.mark.parametrize(
    ("form", "starts"),
    [
        ("Anna|Ada|A", {"A"}),
        (r"(?:the )?\d\d? May", {r"the", r"\d\d\ ", r"\d\ M"}),
        (r"(?<=on )(?!x)(?:Ma|Ju)\w+", {"Ma", "Ju"}),
        (r"(?i:ab)[A-Z]", {"AB[A-Z]", "Ab[A-Z]", "aB[A-Z]", "ab[A-Z]"}),
        (r"\bx?[1-3]{2,9}", {r"x\d\d", r"\d\d\d", r"\d\d"}),
        (r"(?P<a>m?)(?P=a)n", {""}),
        (r".n", {""}),
    ],
)
def test_starts_of_a_form(monkeypatch, form, starts):
    monkeypatch.setattr(build_starts, "expanded", {"FORM": form}.__getitem__)
    found = {*build_starts.starts_of("FORM")}
    # A start that begins with another one says no more.
    assert found == {s for s in starts if not any(s != t and s.startswith(t) for t in starts)}
