"""Output reads as a person would write it, by the output alone."""

from pathlib import Path

import numpy as np
import pytest
import srsly

from spacy_dxprivacy.text.spelling import article_before, spell

CASES = srsly.read_yaml(Path(__file__).with_suffix(".yaml"))


def text(words, blanks, drawn=None):
    drawn = np.ones(len(words), dtype=bool) if drawn is None else np.array(drawn)
    words, spaces = spell(words, np.array([c == " " for c in blanks]), drawn)
    return "".join(w + " " * s for w, s in zip(words, spaces.tolist(), strict=True))


@pytest.mark.parametrize(("words", "blanks", "spelled"), CASES["sentences"])
def test_a_sentence_begins_with_a_capital(words, blanks, spelled):
    assert text(words, blanks) == spelled


@pytest.mark.parametrize(("words", "blanks", "spelled"), CASES["clitics"])
def test_clitics_stand_where_they_can_and_words_do_not_run_together(words, blanks, spelled):
    assert text(words, blanks) == spelled


@pytest.mark.parametrize(("words", "blanks", "spelled"), CASES["hyphens"])
def test_a_hyphen_is_a_dash_beside_what_stands_in_no_compound(words, blanks, spelled):
    drawn = [word != "-" for word in words]
    assert text(words, blanks, drawn) == spelled


@pytest.mark.parametrize(("article", "words"), CASES["article before"].items())
def test_an_article_goes_by_sound(article, words):
    assert [w for w in words.split() if article_before(w) != article] == []


@pytest.mark.parametrize(("words", "blanks", "drawn", "spelled"), CASES["articles"])
def test_a_drawn_article_fits_what_follows_and_plaintext_stays(words, blanks, drawn, spelled):
    assert text(words, blanks, [bool(d) for d in drawn]) == spelled


@pytest.mark.parametrize(("words", "spelled"), CASES["names"])
def test_words_beside_names_have_their_capital(words, spelled):
    assert text(words, " " * len(words)) == spelled
    assert text(words, " " * len(words), [False] * len(words)) == " ".join(words) + " "


def test_documents_side_by_side_are_spelled_as_if_each_were_alone():
    texts = [
        (["he", "saw", "a"], "   "),
        (["apple", "'s"], "- "),
        (["'s", "n't", "new"], "-- "),
        (["York", "."], "- "),
        (["-", "one", "a", '"'], "    "),
        (["owl", "\n"], "--"),
    ]
    words = [word for some, _ in texts for word in some]
    spaces = np.array([blank == " " for _, blanks in texts for blank in blanks])
    sizes = [len(some) for some, _ in texts]
    firsts = np.cumsum(sizes) - sizes
    spelled, blanks = spell(words, spaces, np.ones(len(words), dtype=bool), firsts)
    for (some, alone), first, size in zip(texts, firsts, sizes, strict=True):
        part = slice(first, first + size)
        new = "".join(
            w + " " * s for w, s in zip(spelled[part], blanks[part].tolist(), strict=True)
        )
        assert new == text(some, alone)
