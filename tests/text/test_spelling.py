"""Output reads as a person would write it, by the output alone."""

import numpy as np
import pytest

from spacy_dxprivacy.text.spelling import article_before, spell


def text(words, blanks, drawn=None):
    drawn = np.ones(len(words), dtype=bool) if drawn is None else np.array(drawn)
    words, spaces = spell(words, np.array([c == " " for c in blanks]), drawn)
    return "".join(w + " " * s for w, s in zip(words, spaces.tolist(), strict=True))


@pytest.mark.parametrize(("words", "blanks", "spelled"), [
    (["the", "dog", "ran", "."], "  --", "The dog ran."),
    (["it", "ran", ".", "we", "hid"], " - --", "It ran. We hid"),
    (["oh", "!", "you"], "- -", "Oh! You"), (['"', "stop", "it", '"'], "- --", '"Stop it"'),
    (["the", "May", "of", "ICU"], "   -", "The May of ICU"),
    (["say", "...", "that"], "- -", "Say... that"),
    (["one", "\n\n", "two"], "---", "One\n\nTwo"), (["one", "\n", "two"], "---", "One\ntwo"),
    (["one", "\n", "-", "two"], "-- -", "One\n- Two"),  # a paragraph, a wrapped line, a bullet
])  # fmt: skip
def test_a_sentence_begins_with_a_capital(words, blanks, spelled):
    assert text(words, blanks) == spelled


@pytest.mark.parametrize(("words", "blanks", "spelled"), [
    (["do", "n't", "go"], "- -", "Don't go"), (["maybe", "n't", "go"], "- -", "Maybe not go"),
    (["it", "'ll", "go"], "- -", "It'll go"), (["stones", "'ll", "go"], "- -", "Stones will go"),
    (["ca", "never"], "--", "Can never"), (["we", "wo", "n't", "go"], " - -", "We won't go"),
    (["as", "'", "dog"], "---", "As' dog"),
    (["the", "dog", "'s", "tail"], "    ", "The dog's tail "),
    (["follow", "-", "up"], "---", "Follow-up"), (["five", "kilograms"], "--", "Five kilograms"),
    (["[REDACTED]", "years"], "--", "[REDACTED] years"), (["he", "'m", "ill"], "- -", "He am ill"),
    (["I", "'re", "ill"], "- -", "I are ill"),
    (["they", "could", "'ve", "gone"], " - -", "They could've gone"),
    (["ai", "n't", "so"], "- -", "Ain't so"), (["and", "'s", "tail"], "- -", "And is tail"),
    (["she", "'s", "ill"], "- -", "She's ill"), (["'s", "all"], " -", "Is all"),
    (["[REDACTED]", "'s", "dog"], "- -", "[REDACTED]'s dog"),
])  # fmt: skip
def test_clitics_stand_where_they_can_and_words_do_not_run_together(words, blanks, spelled):
    assert text(words, blanks) == spelled


@pytest.mark.parametrize(("words", "blanks", "spelled"), [
    (["constitution", "-", "the", "man"], "--  ", "Constitution - the man "),
    (["of", "-", "Connery"], "---", "Of - Connery"), (["so", "-", "called"], "---", "So-called"),
    (["saved", "-", "for"], "---", "Saved - for"), (["for", "-", "fun"], "---", "For-fun"),
    (["mother", "-", "in", "-", "law"], "-----", "Mother-in-law"),
    (["out", "-", "of", "-", "her"], "-----", "Out-of - her"),
    (["pre", "-", "and", "post"], "-   ", "Pre- and post "),
    (["anti", "-", "US"], "---", "Anti-US"), (["the", "\n", "-", "the"], "----", "The\n-The"),
])  # fmt: skip
def test_a_hyphen_is_a_dash_beside_what_stands_in_no_compound(words, blanks, spelled):
    drawn = [word != "-" for word in words]
    assert text(words, blanks, drawn) == spelled


@pytest.mark.parametrize(
    ("article", "words"),
    [
        ("an", "hour honest heir apple egg MRI X-ray x 8 80 8,000 11 18 11,000 F HIV ECG ulcer "
               "urgent uninsured unimportant unidentified usher only oneness école 11.5 1850 HIVs "
               "8th umbrella ice old NSAID un-American ugly unissued"),
        ("a", "house university one once European user useful urine uterus uvula unit UTI CT .8 "
              "1 10 180 110 118 1,100 118,000 [REDACTED] NASA year hospital horse U-turn ewe "
              "unique T-cell ones one-way Ugandan utility usual y 7th Ükraine herb union"),
    ],
)  # fmt: skip
def test_an_article_goes_by_sound(article, words):
    assert [w for w in words.split() if article_before(w) != article] == []


@pytest.mark.parametrize(("words", "blanks", "drawn", "spelled"), [
    (["saw", "a", "apple"], "  -", [1, 1, 1], "Saw an apple"),
    (["saw", "an", "dog"], "  -", [1, 1, 0], "Saw a dog"),
    (["saw", "a", "apple"], "  -", [1, 0, 1], "Saw a apple"),
    (["saw", "an", '"', "dog", '"'], "  ---", [1, 1, 0, 1, 0], 'Saw a "dog"'),
    (["an", "18", "-", "year", "-", "old"], " -----", [1] * 2 + [0, 1, 0, 1], "An 18-year-old"),
    (["a", "11", "dogs"], "  -", [1, 1, 1], "An 11 dogs"),
    (["vitamin", "A", "or", "an", ","], "   --", [1, 1, 1, 1, 0], "Vitamin A or an,"),
    (["he", "ca", "n't", "eat"], " - -", [0, 0, 0, 0], "he can't eat"),
    (["he", "saw", "paris"], "  -", [0, 0, 1], "he saw paris"),
])  # fmt: skip
def test_a_drawn_article_fits_what_follows_and_plaintext_stays(words, blanks, drawn, spelled):
    assert text(words, blanks, [bool(d) for d in drawn]) == spelled


@pytest.mark.parametrize(("words", "spelled"), [
    (["in", "new", "York", "city"], "In New York City "), (["his", "new", "dog"], "His new dog "),
    (["the", "united", "States"], "The United States "),
    (["a", "city", "in", "Kansas"], "A city in Kansas "),
])  # fmt: skip
def test_words_beside_names_have_their_capital(words, spelled):
    assert text(words, " " * len(words)) == spelled
    assert text(words, " " * len(words), [False] * len(words)) == " ".join(words) + " "


def test_documents_side_by_side_are_spelled_as_if_each_were_alone():
    texts = [
        (["he", "saw", "a"], "   "), (["apple", "'s"], "- "), (["'s", "n't", "new"], "-- "),
        (["York", "."], "- "), (["-", "one", "a", '"'], "    "), (["owl", "\n"], "--"),
    ]  # fmt: skip
    words = [word for some, _ in texts for word in some]
    spaces = np.array([blank == " " for _, blanks in texts for blank in blanks])
    sizes = [len(some) for some, _ in texts]
    firsts = np.cumsum(sizes) - sizes
    spelled, blanks = spell(words, spaces, np.ones(len(words), dtype=bool), firsts)
    for (some, alone), first, size in zip(texts, firsts, sizes, strict=True):
        part = slice(first, first + size)
        pairs = zip(spelled[part], blanks[part].tolist(), strict=True)
        assert "".join(word + " " * blank for word, blank in pairs) == text(some, alone)
