"""Output reads as a person would write it, by the output alone."""

import numpy as np
import pytest

from spacy_dxprivacy.doc.spelling import like, spell


def text(words, blanks, drawn=None):
    drawn = np.ones(len(words), dtype=bool) if drawn is None else np.array(drawn)
    words, spaces = spell(words, [c == " " for c in blanks], drawn)
    return "".join(w + " " * s for w, s in zip(words, spaces, strict=True))


@pytest.mark.parametrize(
    ("words", "blanks", "spelled"),
    [
        (["the", "dog", "ran", "."], "  --", "The dog ran."),
        (["it", "ran", ".", "we", "hid"], " - --", "It ran. We hid"),
        (["oh", "!", "you"], "- -", "Oh! You"),
        (['"', "stop", "it", '"'], "- --", '"Stop it"'),
        (["the", "May", "of", "ICU"], "   -", "The May of ICU"),
        (["say", "...", "that"], "- -", "Say... that"),
    ],
)
def test_a_sentence_begins_with_a_capital(words, blanks, spelled):
    assert text(words, blanks) == spelled


def test_a_new_paragraph_and_a_bullet_begin_a_sentence_and_a_wrapped_line_does_not():
    assert text(["one", "\n\n", "two"], "---") == "One\n\nTwo"
    assert text(["one", "\n", "two"], "---") == "One\ntwo"
    assert text(["one", "\n", "-", "two"], "-- -") == "One\n- Two"


@pytest.mark.parametrize(
    ("words", "blanks", "spelled"),
    [
        (["do", "n't", "go"], "- -", "Don't go"),
        (["maybe", "n't", "go"], "- -", "Maybe not go"),
        (["it", "'ll", "go"], "- -", "It'll go"),
        (["stones", "'ll", "go"], "- -", "Stones will go"),
        (["ca", "never"], "--", "Can never"),
        (["we", "wo", "n't", "go"], " - -", "We won't go"),
        (["as", "'", "dog"], "---", "As' dog"),
        (["the", "dog", "'s", "tail"], "    ", "The dog's tail "),
        (["follow", "-", "up"], "---", "Follow-up"),
        (["five", "kilograms"], "--", "Five kilograms"),
        (["[REDACTED]", "years"], "--", "[REDACTED] years"),
    ],
)
def test_clitics_stand_where_they_can_and_words_do_not_run_together(words, blanks, spelled):
    assert text(words, blanks) == spelled


def test_words_that_were_not_drawn_stay_as_they_are():
    assert text(["he", "ca", "n't", "eat"], " - -", [0, 0, 0, 0]) == "he can't eat"
    assert text(["he", "saw", "paris"], "  -", [0, 0, 1]) == "he saw paris"


def test_it_gives_new_lists():
    words, spaces = ["a", "b"], [False, False]
    spell(words, spaces, np.ones(2, dtype=bool))
    assert words == ["a", "b"] and spaces == [False, False]


@pytest.mark.parametrize(
    ("model", "spelled"), [("Tom", "Word"), ("TOM", "WORD"), ("tom", "word"), ("I", "Word")]
)
def test_preserving_case_copies_that_of_another_word(model, spelled):
    assert like("word", model) == spelled
