"""What is released under a seed is byte by byte what is recorded.

To record anew:  python -m tests.golden.record [NAME ...]
"""

import pytest

from .configurations import CONFIGURATIONS
from .harness import RECORDED, differences, read, run

MAX_BYTES = 400_000
PACKAGES = {"docx": "lxml", "docx_entities": "lxml", "xlsx": "openpyxl"}  # of extras


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_releases_what_is_recorded(name):
    pytest.importorskip(PACKAGES.get(name, "spacy"))
    lines = differences(read(name), run(name))
    if lines:
        pytest.fail("\n".join([f"golden configuration {name!r}", *lines]), pytrace=False)


def test_records_are_those_of_the_configurations():
    assert {path.stem for path in RECORDED.iterdir()} == set(CONFIGURATIONS)
    assert sum(path.stat().st_size for path in RECORDED.iterdir()) < MAX_BYTES
