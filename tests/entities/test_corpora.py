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


BODY = (
    "[[PERSON|Ada Lind]] ([[USERNAME|ada7]]) took {{40 mg}} on Monday,\n[[DATE|3 May 2021]], for "
    "[[ID|K-12]].\nSigned: [[PERSON|LIND]], Mr [[PERSON|Bo Lind]]\n"
)


def test_marks_of_documents_are_read_and_words_of_the_calendar_are_unknown(corpora):
    text, spans = corpora.parse_marks(BODY)
    assert text.startswith("Ada Lind (ada7) took 40 mg on Monday,\n3 May 2021, for K-12.\n")
    named = [(label, text[start:end]) for label, start, end in spans]
    assert named[:4] == [
        ("PERSON", "Ada Lind"),
        (corpora.UNKNOWN, "ada7"),
        (corpora.UNKNOWN, "Monday"),
        ("DATE", "3 May 2021"),
    ]
    assert corpora.documents()  # those of the project


class Names:
    """In the place of the writer of made text: each name is another one."""

    def __init__(self):
        self.number = 0

    def name(self):
        self.number += 1
        return f"Name{'abcdefghijklmnopqrstuvwxyz'[self.number % 26]}"

    first = last = place = organisation = name

    def noisy(self, marked):
        return marked


def test_a_document_has_other_names_each_the_same_throughout(corpora, monkeypatch):
    monkeypatch.setattr(corpora, "OTHER_NAMES", 1.0)
    monkeypatch.setattr(corpora, "WHOLE", 1.0)
    texts = corpora.Documents([corpora.parse_marks(BODY)], Names(), 0).texts()
    for _ in range(3):
        text, spans = next(texts)
        ada, lind, bo = (text[a:b] for label, a, b in spans if label == "PERSON")
        assert lind == ada.split()[1].upper() and bo.split()[1] == ada.split()[1]
        assert "Ada" not in text and "Lind" not in text and "40 mg on Monday" in text


def test_pieces_of_a_document_are_its_lines_with_their_marks(corpora, monkeypatch):
    monkeypatch.setattr(corpora, "OTHER_NAMES", 0.0)
    monkeypatch.setattr(corpora, "WHOLE", 0.0)
    whole, spans = corpora.parse_marks(BODY)
    texts, found = corpora.Documents([(whole, spans)], Names(), 1).texts(), []
    while sum(len(text) for text, _ in found) < len(whole):
        found.append(next(texts))
    assert sorted("".join(text for text, _ in found)) == sorted(whole)
    marked = sorted((label, text[a:b]) for text, inside in found for label, a, b in inside)
    assert marked == sorted((label, whole[a:b]) for label, a, b in spans)
