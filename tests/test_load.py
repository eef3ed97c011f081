"""A process that lives long does not grow with what it reads. (benchmarks/load.py: minutes.)"""

import importlib.util
import sys
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest

from spacy_dxprivacy import trim_vocab
from spacy_dxprivacy.io.record import Record
from spacy_dxprivacy.io.stream import outcomes

LOAD = Path(__file__).parent.parent / "benchmarks" / "load.py"


@pytest.fixture(scope="module")
def load():
    if not LOAD.exists():
        pytest.skip("benchmarks/ is not part of the sdist")
    pytest.importorskip("psutil", reason="benchmarks/load.py needs psutil")
    spec = importlib.util.spec_from_file_location("load", LOAD)
    module = sys.modules["load"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.LONGEST_STEP = 0.1  # of all steps a second has 10 or more, on a busy machine too
    return module


@pytest.mark.slow
def test_vocabulary_and_receipts_do_not_grow_with_the_text(make_nlp, load, monkeypatch):
    nlp = make_nlp()
    monkeypatch.setattr(load, "ZONE", 8)
    samples, words = load.run(nlp, 2.0, seed=0, every=0.05, after=1)
    found = load.growth(samples, words)
    assert found.documents >= 8 and words > 700
    assert found.strings <= 0 and found.lexemes <= 0
    assert len(str(nlp("the dog")._.dx)) < 3000


@pytest.mark.slow
def test_the_bench_sees_a_vocabulary_that_grows(make_nlp, load, monkeypatch):
    nlp = make_nlp()
    monkeypatch.setattr(load, "ZONE", 8)
    monkeypatch.setattr(nlp, "memory_zone", nullcontext)
    samples, words = load.run(nlp, 1.0, seed=0, every=0.05, after=sys.maxsize)
    assert load.growth(samples, words).strings > 500


def test_trimming_makes_the_tables_anew_and_forgets_no_string(make_nlp):
    nlp = make_nlp(lang="en")
    nlp.vocab.strings.add("Zorblatt")
    flag = nlp.vocab.add_flag(lambda word: word == "dog")
    with nlp.memory_zone():
        list(nlp.pipe(["a quux", "b frobnitz"]))
        assert not trim_vocab(nlp)  # its words are in use
    strings, before = set(nlp.vocab.strings), len(nlp.vocab)
    assert before and trim_vocab(nlp) and len(nlp.vocab) == 0
    assert not trim_vocab(nlp, after=10)
    assert set(nlp.vocab.strings) == strings and "Zorblatt" in strings and "quux" not in strings
    doc = nlp("the dog can't")
    assert len(doc) == 4 and nlp.vocab["dog"].check_flag(flag) and nlp.vocab["Dog"].norm_ == "dog"


@pytest.mark.slow
def test_the_command_trims_by_itself(make_nlp, load, monkeypatch):
    monkeypatch.setattr("spacy_dxprivacy.io.stream.MANY_WORDS", 1000)
    nlp, stream = make_nlp(), load.texts(Random(0))
    most = 0
    for _ in range(12):
        records = [Record(i, text=next(stream)) for i in range(20)]
        assert len(list(outcomes(nlp, records, batch_size=20))) == 20
        most = max(most, len(nlp.vocab))
    assert most < 4 * len(nlp.vocab.strings) + 2500
