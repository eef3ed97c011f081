"""A long text is drawn in parts, and comes out as one record with the receipt of the whole."""

from random import Random

import numpy as np
import pytest
from conftest import LAPLACE

from spacy_dxprivacy.io import results as loop
from spacy_dxprivacy.io.build import get_sanitizer
from spacy_dxprivacy.io.records import Record
from spacy_dxprivacy.io.results import results
from spacy_dxprivacy.pipeline.selectors import words_of
from spacy_dxprivacy.text.spelling import spell

VECTORS = {"@dx_spaces": "dx.PipelineVectors.v1"}
ALONE = {"@dx_mechanisms": "dx.Path.v1", "epsilon": 40.0}  # so much that what goes in comes out
SENTENCES = {"@dx_mechanisms": "dx.Path.v2", "epsilon": 33.0}
SAID = ["He said: \"don't!\" to the Doctor's friend. ", "Dr. House is not there, e.g. in a house! ",
        "A house...\n\n- the house\n", "I can't. \n", "The house of Xyzzyq's friend (a doctor). ",
        ":) O. O who? "]  # fmt: skip
TEXT = "".join(SAID[i % len(SAID)] for i in range(120))


@pytest.fixture
def pipeline(make_nlp):
    def make(mechanism=ALONE, **settings):
        nlp = make_nlp(lang="en", mechanism=mechanism, **{"space": VECTORS, **settings})
        get_sanitizer(nlp).warm_up()
        return nlp

    return make


@pytest.fixture
def short(monkeypatch):
    """From its call on, hundreds of characters are long."""

    def use():
        monkeypatch.setattr(loop, "SPLIT_FROM", 500)
        monkeypatch.setattr(loop, "PART_CHARACTERS", 90)

    return use


def one(nlp, text=TEXT):
    records = [Record(1, ["the house"]), Record(2, [text]), Record(3, ["a house"])]
    released = list(results(nlp, records, batch_size=4))
    assert [result.record.number for result in released] == [1, 2, 3]
    return released[1]


@pytest.mark.parametrize("mechanism", [ALONE, SENTENCES])
def test_it_is_the_text_and_the_receipt_of_the_whole(pipeline, short, mechanism):
    nlp = pipeline(mechanism)
    whole = one(nlp)
    short()
    assert len(loop.split_points(nlp, TEXT)) > 10
    drawn = one(nlp)
    assert drawn.texts == whole.texts
    assert [*map(dict, drawn.receipts)] == [*map(dict, whole.receipts)]


def test_under_a_seed_all_is_drawn_at_once(pipeline, short):
    before = one(pipeline(seed=7)).texts
    short()
    assert one(pipeline(seed=7)).texts == before


def test_whatever_is_drawn_is_spelled_as_in_the_whole(pipeline, short):
    short()
    nlp, rng = pipeline(), Random(0)
    cut = [nlp.make_doc(part) for part in loop.split_at(TEXT, loop.split_points(nlp, TEXT))]
    for _ in range(20):
        drawn = [[_any(token, rng) for token in doc] for doc in cut]
        apart = [_spelled(doc, some) for doc, some in zip(cut, drawn, strict=True)]
        whole = _spelled(nlp.make_doc(TEXT), [word for some in drawn for word in some])
        assert "".join(apart) == whole


def _any(token, rng):
    """A word whose spelling looks at what is beside it, for most words."""
    beside = ["'s", "n't", "ca", "a", "new", "York", "city", "i", "'m", "is", "'", "house"]
    return rng.choice(beside) if token.is_alpha or rng.random() < 0.1 else token.text


def _spelled(doc, words):
    drawn = words_of(doc)
    words = [new if d else t.text for new, d, t in zip(words, drawn, doc, strict=True)]
    made = spell(words, np.array([bool(token.whitespace_) for token in doc]), drawn)
    return "".join(f"{word} " if blank else word for word, blank in zip(*made, strict=True))


@pytest.mark.parametrize(
    "settings",
    [{"scope": "type"}, {"carry": ["sents"]}, {"max_epsilon_per_doc": 1e6}, {"seed": 1},
     {"max_epsilon_per_person": 1e6}, {"numbers": {"@dx_surrogates": "dx.Number.v1"}},
     {"mechanism": LAPLACE, "vectors": "noisy"},
     {"selector": {"@dx_selectors": "dx.Entities.v1", "labels": ["PERSON"]}},
     {"unknown": {"@dx_unknowns": "dx.Raise.v1"}}, {"surrogates": "standard"}],
)  # fmt: skip
def test_what_looks_at_the_whole_text_gets_it(pipeline, short, settings):
    short()
    assert loop.is_split(pipeline(), TEXT)
    assert not loop.is_split(pipeline(**settings), TEXT)


def test_a_token_of_several_words_is_never_cut(pipeline, short):
    """The tokenizer is asked about each place: a mark and a blank may be within a token."""
    short()
    nlp, text = pipeline(), "He took the Fg. Ab home with him that day. " * 40
    inside = text.index("Ab")
    assert any((place - inside) % 43 == 0 for place in loop.split_points(nlp, text))
    nlp.tokenizer.add_special_case("Fg. Ab", [{"ORTH": "Fg. Ab"}])
    tokens = [token.text for token in nlp.make_doc(text)]
    cut = list(loop.split_at(text, loop.split_points(nlp, text)))
    assert len(cut) > 10 and not any(part.startswith("Ab") for part in cut)
    assert [token.text for part in cut for token in nlp.make_doc(part)] == tokens


def test_a_part_ends_with_a_sentence(pipeline, short):
    short()
    nlp, text = pipeline(), "Dr. Ab, Dr. Cd, Dr. Ef, Dr. Gh, Dr. Ij, Dr. Kl and Dr. Mn came. " * 40
    cut = list(loop.split_at(text, loop.split_points(nlp, text)))
    assert len(cut) > 10 and all(part.endswith("came. ") for part in cut)


@pytest.mark.parametrize("flood", ["a", "a ", "a. ", ".", "_", "\n", " ", ". ", "\n \n"])
def test_a_flood_is_looked_through_in_a_time_by_its_length(pipeline, flood):
    """Quadratic, a megabyte would take minutes."""
    nlp = pipeline()
    assert len(loop.split_points(nlp, flood * (2**20 // len(flood)))) < 4
