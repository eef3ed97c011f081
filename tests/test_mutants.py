"""The table of scripts/mutants.py fits the code: each text once, with a change that compiles."""

import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
if not (ROOT / "scripts").is_dir():
    pytest.skip("the scripts are not here", allow_module_level=True)
sys.path.insert(0, str(ROOT / "scripts"))

from mutants import MUTANTS, chosen, mutated  # noqa: E402


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits_the_code_and_names_its_tests(mutant):
    compile(mutated(mutant, ROOT), mutant.file, "exec")
    files = [part for part in shlex.split(mutant.tests) if part.endswith(".py")]
    assert files and all((ROOT / file).is_file() for file in files)


def test_there_are_many_of_different_names():
    assert len(chosen([])) >= 40


def test_the_page_has_each_of_them():
    page = (ROOT / "docs/reference/mutants.md").read_text(encoding="utf8")
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert listed == [mutant.name for mutant in MUTANTS]
