"""The texts with human labels that the recogniser learns from, as its training reads them."""

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
TWEETS = "@\tB-PER\nana_x\tB-PER\nloves\tO\nLund\tB-location\nPop\tB-product\n\nHi\tO\n!\tO\n"
AGREEMENT = (
    "-DOCSTART- -X- O O\n\nThe DT - O\nLender NN - I-PER\nof IN - O\nPellworth NN - I-ORG\n"
    "Ltd NN - I-ORG\nand CC - O\nBank NN - I-ORG\n\n-DOCSTART- -X- O O\n\nHeld NN - O\n"
)


@pytest.fixture
def corpora(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    import recogniser.corpora as module

    yield module
    for name in [name for name in sys.modules if name.split(".")[0] == "recogniser"]:
        del sys.modules[name]


def test_labels_of_corpora_become_those_of_the_network(corpora, tmp_path):
    (tmp_path / "a.conll").write_text(TWEETS, "utf8")
    ((first, second),) = corpora.training_part(tmp_path / "a.conll")
    assert first[0] == ["@", "ana_x", "loves", "Lund", "Pop"]
    assert first[1] == [("PERSON", 0, 2), ("GPE", 3, 4)]
    assert second == (["Hi", "!"], [])


def test_the_last_agreement_is_held_out_and_terms_are_no_names(corpora, tmp_path):
    (tmp_path / "b.conll").write_text(AGREEMENT, "utf8")
    assert len(corpora.read(tmp_path / "b.conll")) == 2
    (((words, spans),),) = corpora.training_part(tmp_path / "b.conll")
    assert words[1] == "Lender"
    assert spans == [("ORG", 3, 5), (corpora.UNKNOWN, 6, 7)]


def test_words_are_written_as_people_write_them(corpora):
    words, spans = ["Ask", "@", "ana_x", "or", "Lund", "!"], [("PERSON", 1, 3), ("GPE", 4, 5)]
    text, marks = corpora.spaced(words, spans, is_tidy=True)
    assert text == "Ask @ana_x or Lund!"
    # The rules find user names: the network learns nothing from them.
    expected = [(corpora.UNKNOWN, "@ana_x"), ("GPE", "Lund")]
    assert [(label, text[start:end]) for label, start, end in marks] == expected
    assert corpora.spaced(words, spans, is_tidy=False)[0] == "Ask @ ana_x or Lund !"
