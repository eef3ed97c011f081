"""A process that lives long does not grow with what it reads. (benchmarks/flat.py: minutes.)"""

from random import Random

import pytest
from spacy.language import Language

from spacy_dxprivacy import trim_vocab
from spacy_dxprivacy.io.records import Record
from spacy_dxprivacy.io.results import results


def texts(count, words=80):
    """Texts of random letters, which no process has met."""
    random = Random(0)
    for _ in range(count):
        yield " ".join("".join(random.choices("bcdfgklmnprst", k=7)) for _ in range(words))


def sanitized(nlp, count):
    records = [Record(i, [text]) for i, text in enumerate(texts(count))]
    return list(results(nlp, records, batch_size=20, with_docs=True))


class Backwards:
    """A component of somebody else that returns documents in another order."""

    def __call__(self, doc):
        return doc

    def pipe(self, stream, *, batch_size=128):
        return iter([*stream][::-1])


Language.factory("test_backwards", func=lambda nlp, name: Backwards())


@pytest.mark.parametrize("where", ["before", "after"])
def test_a_text_stays_with_its_record_whatever_order_a_component_returns(make_nlp, where):
    nlp = make_nlp(**{where: ["test_backwards"]})
    records = [Record(i, ["dog " * i]) for i in range(1, 6)]
    found = [(result.record.number, *result.texts) for result in results(nlp, records)]
    assert [(number, len(text.split())) for number, text in found] == [(i, i) for i in range(1, 6)]


def test_strings_and_receipts_do_not_grow_with_the_text(make_nlp):
    nlp = make_nlp()
    sanitized(nlp, 20)
    strings = len(nlp.vocab.strings)
    assert len(sanitized(nlp, 60)) == 60 and len(nlp.vocab.strings) == strings
    assert len(str(nlp("the dog")._.dx)) < 3000


@pytest.mark.slow
def test_lexemes_are_trimmed_by_the_way(make_nlp, monkeypatch):
    monkeypatch.setattr("spacy_dxprivacy.io.results.MANY_WORDS", 1000)
    nlp, most = make_nlp(), 0
    for _ in range(12):
        assert len(sanitized(nlp, 20)) == 20
        most = max(most, len(nlp.vocab))
    assert most < 4 * len(nlp.vocab.strings) + 2500


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
