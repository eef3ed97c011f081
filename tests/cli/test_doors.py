"""The command line is one interface: packages below do not import it, and serve Python too."""

import subprocess
import sys

import pytest

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.cli.options import name_options
from spacy_dxprivacy.config.options import FileOptions, process_count
from spacy_dxprivacy.lab.mechanisms import parse_epsilons

WORKER = """
import sys, spacy
before = set(sys.modules)
from spacy_dxprivacy.io import results
from spacy_dxprivacy.integrations import table
print(*(set(sys.modules) - before))
"""


@pytest.mark.slow
def test_a_worker_loads_what_it_works_with_and_no_more():
    command = [sys.executable, "-W", "ignore", "-c", WORKER]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    loaded = done.stdout.split()
    packages = {name.split(".")[1] for name in loaded if name.startswith("spacy_dxprivacy.")}
    assert "integrations" in packages and not packages & {"cli", "lab"}
    heavy = {"faiss", "scipy", "pandas", "pyarrow", "ray", "pyspark", "matplotlib"}
    assert not heavy & {name.split(".")[0] for name in loaded}


@pytest.mark.parametrize(
    "raising, python, command",
    [
        (lambda: process_count(0), "`n_process` must be 1 or more", "--n-process must be"),
        (lambda: FileOptions(field=("a",), keep_fields=("a",)),
         "`keep_fields` cannot keep 'a'", "--keep-fields cannot keep 'a'"),
        (lambda: parse_epsilons("x"), "`epsilon` must be LOW:HIGH", "--epsilon must be LOW:HIGH"),
    ],
)  # fmt: skip
def test_a_mistake_names_the_argument_and_the_option(raising, python, command):
    with pytest.raises(UsageError) as caught:
        raising()
    assert str(caught.value).startswith(python)
    assert name_options(str(caught.value)).startswith(command)
