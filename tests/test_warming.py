"""Public words that a tokenizer knows before a memory zone begins."""

import pytest
import spacy

from spacy_dxprivacy import Space
from spacy_dxprivacy.io.record import Record
from spacy_dxprivacy.io.stream import in_zone
from spacy_dxprivacy.text import vocabulary
from spacy_dxprivacy.text.vocabulary import AT_ONCE, SHARE, warm_up

TEXT = "Zyzzyva's mother, Dr. O'Neil-Zqx, can't pay $5.50 for \"vitamins\" (p.o.); u.s.a."
ENOUGH = AT_ONCE * SHARE


@pytest.fixture
def nlp():
    return spacy.blank("en")


def tokens(nlp, text):
    with nlp.memory_zone():
        return [(t.text, t.whitespace_, t.norm_, t.lower_, t.is_stop) for t in nlp(text)]


def test_words_are_read_by_the_length_of_the_texts_alone(nlp):
    before = set(nlp.vocab.strings)
    warm_up(nlp, ENOUGH - 1)
    assert set(nlp.vocab.strings) == before
    warm_up(nlp, 1)
    first = set(nlp.vocab.strings) - before
    warm_up(nlp, 4 * ENOUGH)
    assert 0 < len(first) < len(set(nlp.vocab.strings) - before)


def test_tokens_are_the_same_and_no_word_of_a_text_stays(nlp):
    text = f"{TEXT} {' '.join(f'{w}, {w.title()}' for w in Space.builtin().words[:90])}."
    cold = tokens(nlp, text)
    warm_up(nlp, 9 * ENOUGH)
    assert tokens(nlp, text) == cold
    assert not {"Zyzzyva", "Zqx"} & set(nlp.vocab.strings)
    assert nlp.tokenizer.max_cache_size == spacy.blank("en").tokenizer.max_cache_size


def test_it_ends_with_the_public_words(nlp, monkeypatch):
    monkeypatch.setattr(vocabulary, "MOST", 2 * AT_ONCE)
    warm_up(nlp, 100 * ENOUGH)
    held = len(nlp.vocab.strings)
    warm_up(nlp, 100 * ENOUGH)
    assert len(nlp.vocab.strings) == held < 2 * AT_ONCE + len(spacy.blank("en").vocab.strings)


def test_other_languages_tokenizers_and_zones_are_left_alone(nlp):
    german = spacy.blank("de")
    held = len(german.vocab.strings)
    warm_up(german, 9 * ENOUGH)
    assert len(german.vocab.strings) == held
    with nlp.memory_zone():
        held = len(nlp.vocab.strings)
        warm_up(nlp, 9 * ENOUGH)
        assert len(nlp.vocab.strings) == held
    nlp.tokenizer = lambda text: spacy.tokens.Doc(nlp.vocab, words=text.split())
    warm_up(nlp, 9 * ENOUGH)


def test_a_zone_with_docs_begins_warm(nlp):
    before = len(nlp.vocab.strings)
    list(in_zone(nlp, [Record(1, text="the " * ENOUGH)], batch_size=1))
    assert len(nlp.vocab.strings) > before
