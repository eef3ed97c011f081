"""What the README says is what the package does; test_docs_run.py runs its commands."""

import re
from pathlib import Path

import pytest

from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG
from spacy_dxprivacy.privacy.levels import LEVELS

README = Path(__file__).parent.parent / "README.md"

if not README.exists():
    pytest.skip("the README is not beside the tests here", allow_module_level=True)
TEXT = README.read_text(encoding="utf8")


def test_it_is_read_in_a_few_minutes():
    assert len(TEXT.split()) <= 900


def test_the_default_epsilon_is_that_of_the_readme():
    assert f"{DEFAULT_CONFIG['mechanism']['epsilon']} nats per unit" in TEXT


def test_the_levels_are_those_of_the_package():
    rows = re.findall(r"^\| `(\w+)`.*?\| ([\d.]+) \| (\d+) % \| (\d+) % \| (\d+) % \|$", TEXT, re.M)
    assert [name for name, *_ in rows] == list(LEVELS)
    for (_, epsilon, *shares), level in zip(rows, LEVELS.values(), strict=True):
        assert float(epsilon) == level.epsilon
        expected = (level.found, level.rare_found, level.kept)
        assert [int(share) for share in shares] == [round(100 * one) for one in expected]
