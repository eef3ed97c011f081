"""Words that are drawn alone: texts without Docs are the texts of Docs, and as safe."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from conftest import MakeNlp
from spacy.language import Language

from spacy_dxprivacy.batch.build import the_sanitizer
from spacy_dxprivacy.batch.plain import plain_texts
from spacy_dxprivacy.batch.records import Record
from spacy_dxprivacy.batch.stream import outcomes
from spacy_dxprivacy.batch.workers import lanes, outcomes_of_workers

PATH = {"@dx_mechanisms": "dx.Path.v1", "epsilon": 2.2}
SENTENCES = {"@dx_mechanisms": "dx.Path.v2", "epsilon": 2.2}
VECTORS = {"@dx_spaces": "dx.PipelineVectors.v1"}
RANDOM_WORD = {"@dx_unknowns": "dx.RandomWord.v1"}
TEXTS = ["He said: \"don't!\" to the Doctor's friend.", "", "a b\n\n- the house, Xyzzyq's one",
         *[f"The house {i} is not there." for i in range(20)]]  # fmt: skip


@pytest.fixture
def pipeline(make_nlp: MakeNlp) -> MakeNlp:
    def make(**settings: Any) -> Language:
        nlp = make_nlp(lang="en", **{"mechanism": PATH, "seed": 7, "space": VECTORS, **settings})
        the_sanitizer(nlp).warm_up()
        return nlp

    return make


def made(nlp: Language, *, with_docs: bool, texts: list[str] = TEXTS) -> list[Any]:
    records = [Record(i, text=text) for i, text in enumerate(texts)]
    found = outcomes(nlp, records, batch_size=8, with_docs=with_docs)
    return [o if isinstance(o, str) else (o.text, dict(o.receipt)) for _, o in found]


@pytest.mark.parametrize(
    "settings",
    [{}, {"scope": "type"}, {"unknown": RANDOM_WORD},
     {"selector": {"@dx_selectors": "dx.WordList.v1", "words": ["house", "said", "friend"]}}],
)  # fmt: skip
def test_texts_and_receipts_are_those_of_docs(pipeline: MakeNlp, settings: dict[str, Any]) -> None:
    assert plain_texts(pipeline(**settings)) is not None
    plain = made(pipeline(**settings), with_docs=False)
    assert plain == made(pipeline(**settings), with_docs=True)
    assert len(plain) == len(TEXTS) and plain[0][0] != TEXTS[0]


@pytest.mark.parametrize(
    "settings",
    [
        {"casing": "preserve"},
        {"carry": ["sents"]},
        {"mechanism": SENTENCES},
        {"max_epsilon_per_doc": 10.0},
        {"surrogates": "standard"},
    ],
)
def test_more_than_words_needs_docs(pipeline: MakeNlp, settings: dict[str, Any]) -> None:
    assert plain_texts(pipeline(**settings)) is None


def test_another_component_a_disabled_one_and_another_way_need_docs(pipeline: MakeNlp) -> None:
    first, second, third = pipeline(), pipeline(), pipeline()
    first.add_pipe("sentencizer", first=True)
    second.disable_pipe("dx_sanitizer")
    third.make_doc = lambda text: third.tokenizer(text)  # type: ignore[method-assign]
    assert [plain_texts(nlp) for nlp in (first, second, third)] == [None] * 3


def test_nothing_that_was_read_stays(pipeline: MakeNlp) -> None:
    nlp = pipeline()
    made(nlp, with_docs=False, texts=["the zyzzyva of Nowhereville"] * 3)
    held = plain_texts(nlp)
    assert held is not None and "zyzzyva" not in nlp.vocab.strings
    assert not any("zyzzyva" in piece for piece in held.cutter._table.numbers)


def test_words_have_all_their_attributes_afterwards(pipeline: MakeNlp) -> None:
    nlp = pipeline()
    vocab: Any = nlp.vocab
    before = vocab.lex_attr_getters
    made(nlp, with_docs=False, texts=["the zyzzyva of Nowhereville"] * 3)
    assert vocab.lex_attr_getters is before
    with nlp.memory_zone():  # somebody else's: other words of it are read by others
        held = plain_texts(nlp)
        assert held is not None
        with held:
            held.sanitized([Record(1, text="the zyzzyva")])
            assert nlp.vocab["Nowhereville"].shape_ == "Xxxxx"


def test_a_special_case_that_comes_later_counts(pipeline: MakeNlp) -> None:
    nlp = pipeline(selector={"@dx_selectors": "dx.WordList.v1", "words": ["house"]})
    assert made(nlp, with_docs=False, texts=["a bcd e"])[0][1]["tokens"] == 3
    nlp.tokenizer.add_special_case("bcd", [{"ORTH": "b"}, {"ORTH": "cd"}])
    assert made(nlp, with_docs=False, texts=["a bcd e"])[0][1]["tokens"] == 4


def test_a_record_that_fails_is_alone(pipeline: MakeNlp) -> None:
    nlp = pipeline(unknown={"@dx_unknowns": "dx.Raise.v1"})
    found = made(nlp, with_docs=False, texts=["the house", "the zyzzyvax", "a house"])
    assert [isinstance(one, str) for one in found] == [False, True, False]
    assert "zyzzyvax" not in found[1]


def test_workers_send_receipts_whole(pipeline: MakeNlp) -> None:
    nlp = pipeline(seed=None)
    records = [Record(i, text=text) for i, text in enumerate(TEXTS * 20)]
    found = outcomes_of_workers(nlp, records, batch_size=8, n_process=2, with_docs=False)
    expected = made(nlp, with_docs=True, texts=TEXTS * 20)
    told = ("tokens", "perturbed", "unknown", "kept", "draws", "total", "guarantee", "in_clear")
    for (_, outcome), (_, receipt) in zip(found, expected, strict=True):
        assert not isinstance(outcome, str)
        assert {k: outcome.receipt[k] for k in told} == {k: receipt[k] for k in told}


@pytest.mark.parametrize("frozen_before", [False, True])
def test_objects_are_frozen_while_there_are_workers(pipeline: MakeNlp, frozen_before: bool) -> None:
    """What they share with their parent would be copied by a collection of garbage. Who froze
    objects before keeps them frozen."""
    if frozen_before:
        gc.freeze()
    try:
        with lanes(pipeline(), 2):
            assert gc.get_freeze_count() > 0
        assert (gc.get_freeze_count() > 0) == frozen_before
    finally:
        gc.unfreeze()
