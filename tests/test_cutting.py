"""Texts cut by pieces have the tokens of the whole text, and nothing of them stays."""

from __future__ import annotations

import random

import numpy as np
import pytest
import spacy
from spacy.attrs import LOWER, NORM, ORTH
from spacy.language import Language
from spacy.symbols import ORTH as ORTH_NAME

from spacy_dxprivacy.doc.cutting import MOST_PIECES, Cutter
from spacy_dxprivacy.doc.tokens import tokenized
from spacy_dxprivacy.selection import AllWords

TEXTS = [
    "", " ", "  two  blanks \n and\ta tab\u00a0here \u3000", "a\n\nb\r\n c",
    "He said: \"don't!\" (twice)",
    "at 5 a.m. or 5a.m., U.S. v. O'Neill's ma'am", ": ) :) : -( :-) ( : ) 8 ) 8) ' s it 's n't",
    "d. o. e. C ' mon c'mon 'cause ' cause",
    "http://x.org/a?b=c e-mail@x.org 3,000 $5.00 10km 5'10\"",
    "O.K. a.m .a . m . -- --- ... \u2026",
    "\ud7ff\U0001f600 caf\u00e9 na\u00efve \u4e2d\u6587 \u0130",
    "((((((((((a)))))))))) " + "-" * 300 + " end " + "x" * 300,
]  # fmt: skip
PARTS = [
    *"abs:;()'-.,8D \n\t",
    "  ",
    "n't",
    "'s",
    "'",
    ":)",
    ":-(",
    "a.m.",
    "p",
    "m.",
    "word",
    "The",
]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Public words are cut after a few tokens, and not after thousands."""
    monkeypatch.setattr("spacy_dxprivacy.doc.cutting.PUBLIC_AT_ONCE", 2)
    monkeypatch.setattr("spacy_dxprivacy.doc.cutting.ALL_PUBLIC_AFTER", 100)


@pytest.fixture
def nlp() -> Language:
    return spacy.blank("en")


def same(nlp: Language, texts: list[str], cutter: Cutter) -> None:
    with nlp.memory_zone():
        cutter.warm_up()
        cuts = cutter.cut(texts)
        for text, cut in zip(texts, cuts, strict=True):
            doc = tokenized(nlp, text)
            assert cut.words.tolist() == [token.text for token in doc]
            assert cut.spaces.tolist() == [bool(token.whitespace_) for token in doc]
            assert cut.mask.tolist() == AllWords().select(doc).tolist()
            assert np.array_equal(cut.ids, doc.to_array([ORTH, NORM, LOWER]).reshape(len(doc), 3))
        cutter.forget()


def test_the_tokens_are_those_of_the_tokenizer(nlp: Language) -> None:
    cutter = Cutter(nlp, AllWords().select, ["the", "word", "it"])
    for _ in range(2):
        same(nlp, TEXTS, cutter)


def test_so_they_are_for_texts_of_symbols(nlp: Language) -> None:
    draw, cutter = random.Random(0), Cutter(nlp, AllWords().select, ["the", "word", "it"])
    texts = ["".join(draw.choices(PARTS, k=draw.randrange(1, 12))) for _ in range(600)]
    texts += [" ".join(draw.choices(PARTS, k=draw.randrange(1, 12))) for _ in range(600)]
    same(nlp, texts, cutter)


def test_special_cases_across_a_blank_are_cut_as_spacy_does(nlp: Language) -> None:
    nlp.tokenizer.add_special_case("x:y", [{ORTH_NAME: "x:"}, {ORTH_NAME: "y"}])
    same(nlp, ["x :y", "x: y", "x : y", "x:y x", "ax:y"], Cutter(nlp, AllWords().select))


def test_only_public_words_are_kept(nlp: Language) -> None:
    cutter = Cutter(nlp, AllWords().select, ["the", "word", "it", "of"])
    strings, lexemes = len(nlp.vocab.strings), set(nlp.vocab.strings)
    same(nlp, ["secret words " * 500], cutter)
    same(nlp, ["other ones"], cutter)
    kept = set(cutter._table.numbers)
    assert kept and all(piece.strip(" .,").lower() in {"the", "word", "it", "of"} for piece in kept)
    words = {word.lower() for word in cutter._table.tokens.words.tolist()}
    assert words <= {"the", "word", "it", "of", ",", "."}
    assert (len(nlp.vocab.strings), set(nlp.vocab.strings)) == (strings, lexemes)


def test_what_is_kept_does_not_hang_on_what_was_read(nlp: Language) -> None:
    tables = []
    for word in ("secret", "public"):
        cutter = Cutter(nlp, AllWords().select, ["the", "word", "it", "of"])
        same(nlp, [f"{word} the " * 100], cutter)
        same(nlp, [word], cutter)
        tables.append(set(cutter._table.numbers))
    assert tables[0] and tables[0] == tables[1]


def test_many_different_words_do_not_fill_memory(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spacy_dxprivacy.doc.cutting.MOST_PIECES", 50)
    cutter, most = Cutter(nlp, AllWords().select), 0
    with nlp.memory_zone():
        for i in range(30):
            cutter.cut([" ".join(f"w{i}x{j}" for j in range(20))])
            most = max(most, len(cutter._table))
    assert MOST_PIECES > 50 and most <= 80


def test_a_text_that_is_too_long_is_refused(nlp: Language) -> None:
    nlp.max_length = 5
    with pytest.raises(ValueError, match="too long"):
        Cutter(nlp, AllWords().select).cut(["secret"])
