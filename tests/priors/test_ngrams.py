"""ARPA files: the law is the one that the file states, and what cannot be read is told."""

import gzip
import re

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Space
from spacy_dxprivacy.prior import arpa as reader
from spacy_dxprivacy.prior import make_ngrams

from .conftest import AFTER, AFTER_TWO, ARPA, TRIGRAMS, sentences, weight


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


def test_sentences_weigh_what_the_file_says(arpa, two):
    chain = make_ngrams(str(arpa)).fit(two)
    for rows in sentences(2, 5):
        expected = by_hand([two.words[r] for r in rows])
        assert weight(chain, rows) * (1 - AFTER["<s>"]["</s>"]) == pytest.approx(expected, rel=1e-5)


@pytest.fixture
def three(tmp_path):
    path = tmp_path / "three.arpa"
    path.write_text(TRIGRAMS)
    return path


def test_triples_weigh_what_the_file_says(three, two):
    """Although back-off forgets the word before: what follows the context makes up for it."""
    chain = make_ngrams(str(three), order=3).fit(two)
    assert chain.states == 2 + 2
    for rows in sentences(2, 6):
        expected = by_hand([two.words[r] for r in rows], order=3)
        assert weight(chain, rows) * (1 - AFTER["<s>"]["</s>"]) == pytest.approx(expected, rel=1e-5)


def test_triples_are_carried_to_spaces_that_lack_words(three, two, letters):
    whole = make_ngrams(str(three), order=3).fit(two)
    only = Space.from_vectors(["b"], np.ones((1, 2), dtype=np.float32), name="only")
    part = make_ngrams(str(three), order=3).fit(only)
    for n in (1, 2, 4):
        ratio = weight(part, [0] * n) / weight(part, [0])
        assert ratio == pytest.approx(weight(whole, [1] * n) / weight(whole, [1]), rel=1e-5)
    joined = make_ngrams(str(three), order=3).fit(letters)
    assert 0 < weight(joined, [0, 3]) < 0.02 * weight(joined, [0, 1])


def test_of_many_contexts_those_that_tell_most_are_kept(three, arpa, two, monkeypatch):
    monkeypatch.setattr(reader, "MOST_CONTEXTS", 1)
    chain = make_ngrams(str(three), order=3).fit(two)
    assert chain.states == 2 + 1
    pairs = make_ngrams(str(arpa)).fit(two)
    a, b = (two.words.index(word) for word in "ab")
    assert weight(chain, [a, a]) == pytest.approx(weight(pairs, [a, a]), rel=1e-5)
    assert weight(chain, [b, a, b]) < 0.9 * weight(pairs, [b, a, b])


def test_a_model_without_its_contexts_is_that_of_the_pairs(three, arpa, two):
    chain, pairs = make_ngrams(str(three), order=3).fit(two), make_ngrams(str(arpa)).fit(two)
    for rows in sentences(2, 4):
        assert weight(chain.pairs, rows) == pytest.approx(weight(pairs, rows), rel=1e-5)


def test_sentences_of_all_lengths_add_up(arpa, two):
    chain = make_ngrams(str(arpa)).fit(two)
    shorter, longer = (sum(weight(chain, s) for s in sentences(2, n)) for n in (9, 11))
    assert shorter < longer < 1 + 1e-5
    assert longer > 0.93


def test_words_alone_are_those_of_the_file(arpa, two):
    chain = make_ngrams(str(arpa)).fit(two)
    assert chain.unigram[0] / chain.unigram[1] == pytest.approx(0.5 / 0.3, rel=1e-5)
    alone = make_ngrams(str(arpa), order=1).fit(two)
    ratio = weight(alone, [0, 0]) / weight(alone, [1, 1])
    assert ratio == pytest.approx((0.5 / 0.3) ** 2, rel=1e-5)


def test_gzip_crlf_tabs_and_any_order_of_lines_are_read(arpa, two, tmp_path):
    lines = ARPA.split("\n")
    first, last = lines.index("\\2-grams:") + 1, lines.index("\\end\\") - 1
    lines[first:last] = lines[first:last][::-1]
    packed = tmp_path / "small.arpa.gz"
    packed.write_bytes(gzip.compress("\r\n".join(lines).replace(" ", "\t").encode()))
    expected, found = (make_ngrams(str(p)).fit(two) for p in (arpa, packed))
    assert found.digest != "" and weight(found, [0, 1, 1]) == weight(expected, [0, 1, 1])


def test_words_that_the_file_lacks_can_come_out(arpa, letters):
    chain = make_ngrams(str(arpa)).fit(letters)
    assert (np.diff(chain.emit.indptr) > 0).all()
    assert (chain.totals <= 1 + 1e-6).all()
    assert 0 < weight(chain, [0, 3]) < 0.02 * weight(chain, [0, 1])


def test_states_without_words_are_left_out_and_change_nothing(arpa, two):
    only = Space.from_vectors(["b"], np.ones((1, 2), dtype=np.float32), name="only")
    whole, part = (make_ngrams(str(arpa)).fit(s) for s in (two, only))
    assert part.states == 1
    for n in (1, 2, 4):
        ratio = weight(part, [0] * n) / weight(part, [0])
        assert ratio == pytest.approx(weight(whole, [1] * n) / weight(whole, [1]), rel=1e-5)


def test_of_a_file_of_longer_ngrams_the_pairs_are_taken(arpa, three, two):
    whole, pairs = (make_ngrams(str(p)).fit(two) for p in (three, arpa))
    assert whole.digest == pairs.digest


def without(pattern):
    return re.sub(pattern, "", ARPA, flags=re.S)


BAD = {
    "empty": ("", "no section"),
    "no header": (without(r"\\data\\"), "no section"),
    "no counts": (without(r"ngram .=\d+\n"), "has no 1-grams"),
    "a count that is none": (ARPA.replace("1=5", "1=many"), "how many"),
    "a length left out": (ARPA.replace("ngram 2=", "ngram 3="), "has no 2-grams"),
    "no 1-grams": (without(r"\\1-grams:.*?(?=\\2)"), "section of 1-grams is missing"),
    "no 2-grams": (without(r"\\2-grams:.*?(?=\\end)"), "section of 2-grams is missing"),
    "cut in a section": (ARPA[: ARPA.index("a </s>") - 4], "cut"),
    "cut before its end": (without(r"\\end\\\n"), "cut off among its 2-grams"),
    "another count": (ARPA.replace("2=3", "2=4"), "3 2-grams and announces 4"),
    "more than announced": (ARPA.replace("2=3", "2=2"), "more 2-grams"),
    "a word twice": (ARPA.replace("-99 <unk>", "-0.1 a"), "it repeats a word"),
    "a pair twice": (ARPA.replace(" a </s>", " a b"), "are repeated"),
    "a probability above 1": (ARPA.replace("-99 <unk>", "0.5 <unk>"), "above 1"),
    "no number": (ARPA.replace("-99 <unk>", "x <unk>"), "no 1-gram of its words"),
    "nan": (ARPA.replace("-99 <unk>", "nan <unk>"), "above 1"),
    "a pair above 1": (re.sub(r"\S+ a </s>", "0.2 a </s>", ARPA), "above 1"),
    "an unknown word": (ARPA.replace(" a </s>", " a zzz"), "no 2-gram of its words"),
    "too many cells": (ARPA.replace(" a </s>", " a </s> 0 0"), "no 2-gram of its words"),
    "no back-off": (re.sub(r"(?m)^(\S+ \S+) [-\d.]+$", r"\1", ARPA), "no back-off weights"),
    "a weight out of range": (re.sub(r" b 0\n", " b inf\n", ARPA), "out of range"),
    "words that do not add up": (
        re.sub(r"\S+ b 0\n", "-0.01 b 0\n", ARPA), "its words add up to 1.677"
    ),
    "pairs that do not add up": (re.sub(r"\S+ a b\n", "-0.01 a b\n", ARPA), "the worst to 1.477"),
}  # fmt: skip


BAD_TRIPLES = {
    "no pair": (TRIGRAMS.replace(" <s> a b\n", " b a b\n"), "begin with no 2-gram"),
    "twice": (TRIGRAMS.replace(" <s> a b\n", " a b b\n"), "n-grams are repeated"),
    "no back-off": (re.sub(r"(?m)^(\S+ \S+ [ab]) [-\d.]+$", r"\1", TRIGRAMS), "no back-off"),
    "too much": (
        re.sub(r"\S+ a b b\n", "-0.01 a b b\n", TRIGRAMS), "of 2 contexts of length 2"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_TRIPLES)
def test_triples_that_cannot_be_used_are_told_in_a_sentence(name, tmp_path, two):
    text, why = BAD_TRIPLES[name]
    path = tmp_path / "bad.arpa"
    path.write_text(text)
    with pytest.raises(DxError, match=why):
        make_ngrams(str(path), order=3).fit(two)


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_used_is_told_in_a_sentence(name, tmp_path, two):
    text, why = BAD[name]
    path = tmp_path / "bad.arpa"
    path.write_text(text)
    with pytest.raises(DxError) as error:
        make_ngrams(str(path)).fit(two)
    assert why in str(error.value) and "\n" not in str(error.value)


def test_other_encodings_and_damage_are_told(tmp_path, two, arpa):
    latin = tmp_path / "latin.arpa"
    latin.write_bytes(ARPA.replace("<unk>", "é").encode("latin-1"))
    wide = tmp_path / "wide.arpa"
    wide.write_bytes(ARPA.encode("utf-16"))
    cut = tmp_path / "cut.arpa.gz"
    cut.write_bytes(gzip.compress(ARPA.encode())[:-12])
    for path, why in ((latin, "UTF-8"), (wide, "no section"), (cut, "cut off")):
        with pytest.raises(DxError, match=why):
            make_ngrams(str(path)).fit(two)
    for path in (tmp_path / "nowhere.arpa", tmp_path):
        with pytest.raises(DxError, match="DX026"):
            make_ngrams(str(path)).fit(two)


def test_limits(arpa, two, monkeypatch):
    monkeypatch.setattr(reader, "MOST_NGRAMS", 4)
    with pytest.raises(DxError, match="more than 4"):
        make_ngrams(str(arpa)).fit(two)
    monkeypatch.undo()
    arpa.write_text("x" * (reader.LONGEST_LINE + 1))
    with pytest.raises(DxError, match="no section"):
        make_ngrams(str(arpa)).fit(two)


def test_orders_that_there_are_not(arpa, two):
    for order in (0, 2.5):
        with pytest.raises(DxError, match="order"):
            make_ngrams(str(arpa), order=order)
    with pytest.raises(DxError, match="at most 3, which uses the triples of any file"):
        make_ngrams(str(arpa), order=4)
    with pytest.raises(DxError, match="no 3-grams"):
        make_ngrams(str(arpa), order=3).fit(two)
    words = ARPA[: ARPA.index("\\2-grams")].replace("ngram 2=3\n", "") + "\\end\\\n"
    arpa.write_text(words)
    with pytest.raises(DxError, match="no 2-grams"):
        make_ngrams(str(arpa), order=2).fit(two)
    assert make_ngrams(str(arpa), order=1).fit(two).words == 2


def test_a_space_of_another_language_is_told(arpa):
    greek = Space.from_vectors(["λόγος", "μῦθος"], np.eye(2, dtype=np.float32), name="greek")
    with pytest.raises(DxError, match="no word of the space 'greek'"):
        make_ngrams(str(arpa)).fit(greek)
