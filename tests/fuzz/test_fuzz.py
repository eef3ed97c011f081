"""Anything at all: no crash without a coded error, no hang, no leak, no text in an error.

Some hundred examples of each here; all of scripts/fuzz.py with DXPRIVACY_FULL_FUZZ=1.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import corpora, generate, laws

# Generated configs name mechanisms without a guarantee, which say so.
pytestmark = pytest.mark.filterwarnings("ignore:.*DX10:UserWarning")
SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz.py"
FEW = settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
RANDOM = st.randoms(use_true_random=False)
MECHANISMS = [
    {"@dx_mechanisms": "dx.Path.v1", "epsilon": 1.0},
    {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 3.0},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module", params=MECHANISMS, ids=["path", "laplace"])
def nlp(request, folder):
    return laws.make_nlp(folder / "space", mechanism=request.param)


@pytest.fixture(scope="module")
def requests(folder):
    asked = pytest.importorskip("fuzz.asked", reason="needs the extra 'serve'")
    mechanism = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 1.0}
    service = asked.service(laws.make_nlp(folder / "space", mechanism=mechanism))
    return lambda rng, many: asked.check_requests(service, rng, many)


@pytest.mark.slow
@FEW
@given(rng=RANDOM)
def test_documents(nlp, rng):
    laws.check_documents(nlp, [generate.text(rng) for _ in range(3)], checked=False)


@pytest.mark.slow
@FEW
@given(texts=st.lists(st.text(st.characters(codec="utf-8")), max_size=3))
def test_texts(nlp, texts):
    laws.check_documents(nlp, texts)


@FEW
@given(rng=RANDOM)
def test_configs(nlp, folder, rng):
    laws.check_config(folder / "space", generate.config(rng))


@settings(FEW, max_examples=150)
@given(rng=RANDOM)
def test_documents_in_files(folder, rng):
    laws.check_readers(folder / "r.spacy", generate.docbin(rng), "spacy")
    for kind in ("jsonl", "csv"):
        laws.check_readers(folder / f"r.{kind}", generate.lines(rng), kind)


@settings(FEW, max_examples=200)
@given(rng=RANDOM)
def test_msgpack(rng):
    laws.check_packed(generate.packed(rng))


@pytest.mark.slow
@settings(FEW, max_examples=4)
@given(rng=RANDOM)
def test_files_and_folders(folder, rng):
    mechanism = {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 1.0}
    nlp = laws.make_nlp(folder / "space", mechanism=mechanism)
    corpora.check_file(nlp, folder / "whole", rng, 50)
    corpora.check_folder(nlp, folder / "whole", rng, 8)


@pytest.mark.slow
@settings(FEW, max_examples=20)
@given(rng=RANDOM)
def test_requests(requests, rng):
    requests(rng, 20)


@pytest.mark.skipif("DXPRIVACY_FULL_FUZZ" not in os.environ, reason="set DXPRIVACY_FULL_FUZZ=1")
def test_all_of_it():
    subprocess.run([sys.executable, str(SCRIPT)], check=True)
