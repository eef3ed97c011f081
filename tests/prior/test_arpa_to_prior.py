"""scripts/arpa_to_prior.py: the prior has the probabilities that the ARPA file states."""

import gzip
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from spacy_dxprivacy import Space, registry
from spacy_dxprivacy.prior.builtin import frequency_of
from spacy_dxprivacy.prior.chain import map_to_space

from .conftest import AFTER, AFTER_TWO, ARPA, TRIPLES, sentences, weight

SCRIPTS = Path(__file__).parents[2] / "scripts"
pytestmark = pytest.mark.skipif(not SCRIPTS.is_dir(), reason="scripts/ is not beside the tests")


@pytest.fixture
def convert(monkeypatch):
    """convert(path, space, order): the chain of an ARPA file on the words of a space."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    script = import_module("arpa_to_prior")

    def chain_of(path, space, order=2, **settings):
        arpa = script.read_arpa(path, order)
        return map_to_space(script.model_of(arpa, "small", **settings), space, frequency_of(space))

    return chain_of


def by_hand(words, order=2):
    p, before = 1.0, ("", "<s>")
    for word in [*words, "</s>"]:
        longer = AFTER_TWO if order == 3 else {}
        p *= longer.get(before, AFTER[before[1]])[word]
        before = before[1], word
    return p


@pytest.fixture
def two():
    return Space.from_vectors(["a", "b"], np.eye(2, dtype=np.float32), name="two")


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("by", ["script", "command"])
def test_sentences_weigh_what_the_file_says(convert, two, tmp_path, order, by):
    """Although back-off forgets the word before: what follows a context makes up for it."""
    path = TRIPLES if order == 3 else ARPA
    if by == "script":
        chain = convert(path, two, order=order)
    else:
        command = [sys.executable, SCRIPTS / "arpa_to_prior.py", path, tmp_path / "out"]
        subprocess.run([*map(str, command), "--order", str(order)], check=True)
        chain = registry.dx_priors.get("dx.WordPairs.v1")(path=str(tmp_path / "out")).fit(two)
    assert chain.states == (2 + 2 if order == 3 else 2)
    for rows in sentences(2, 5):
        expected = by_hand([two.words[r] for r in rows], order=order)
        assert weight(chain, rows) * (1 - AFTER["<s>"]["</s>"]) == pytest.approx(expected, rel=1e-5)


def test_of_many_contexts_those_that_tell_most_are_kept(convert, two):
    chain = convert(TRIPLES, two, order=3, most_contexts=1)
    assert chain.states == 2 + 1
    pairs = convert(ARPA, two)
    a, b = (two.words.index(word) for word in "ab")
    assert weight(chain, [a, a]) == pytest.approx(weight(pairs, [a, a]), rel=1e-5)
    assert weight(chain, [b, a, b]) < 0.9 * weight(pairs, [b, a, b])


def test_gzip_crlf_tabs_and_any_order_of_lines_are_read(convert, two, tmp_path):
    lines = ARPA.read_text().split("\n")
    first, last = lines.index("\\2-grams:") + 1, lines.index("\\end\\") - 1
    lines[first:last] = lines[first:last][::-1]
    packed = tmp_path / "small.arpa.gz"
    packed.write_bytes(gzip.compress("\r\n".join(lines).replace(" ", "\t").encode()))
    expected, found = (convert(p, two) for p in (ARPA, packed))
    assert found.digest != "" and weight(found, [0, 1, 1]) == weight(expected, [0, 1, 1])
