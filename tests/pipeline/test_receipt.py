"""What a receipt says of epsilon, and budgets that stop a document before it is drawn."""

import json
import warnings

import numpy as np
import pytest
import spacy
from conftest import on_space, pipeline_of, sanitizing
from spacy import displacy
from spacy.tokens import Doc

from spacy_dxprivacy import DxError, Space, assert_sanitized, registry, release
from spacy_dxprivacy.mechanisms.levels import LEVELS, scale_of
from spacy_dxprivacy.pipeline.receipt import COLORS, Receipt, earlier_stages
from spacy_dxprivacy.privacy.loss import Loss

LINE = Space.from_vectors([f"word{i}" for i in range(9)], np.arange(9.0)[:, None])


def make(tmp_path, mechanism, **settings):
    LINE.save(tmp_path / "line")
    space = on_space(tmp_path / "line", exclude=[])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sanitizing(mechanism=mechanism, space=space, **settings)


LAPLACE = {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": 2.0}
GAUSSIAN = {"@dx_mechanisms": "dx.Gaussian.v1", "epsilon": 0.5}


def test_a_receipt_says_what_epsilon_means_in_nats_on_its_space(tmp_path):
    scale = make(tmp_path, LAPLACE)("word1 word3")._.dx.scale
    # Eight rows of words at 1, 2, ... 8 (row 0 holds only zeros, and is no candidate).
    assert scale["nearest"] == {"distance": 1.0, "nats": 2.0, "nats_at_delta": pytest.approx(2.0)}
    assert scale["median"]["nats"] == 2 * scale["median"]["distance"]
    true = 7 * 2.0
    assert true <= scale["diameter"]["nats"] <= 2 * true
    json.dumps(scale)
    point = Space.from_vectors(["a", "b"], [[1.0], [1.0]])
    assert scale_of(registry.resolve({"m": LAPLACE})["m"].fit(point), 2) is None


@pytest.mark.parametrize(
    ("scope", "text", "fits"),
    [
        ("token", "word1 word2 word3", True),
        ("token", "word1 word2 word3 word4", False),
        ("token", "word1 word1 word1 word1", False),
        ("type", "word1 word1 word1 word1", True),
        ("token", "unheard words cost nothing at all", True),
    ],
)
def test_a_document_over_the_budget_is_refused_before_it_is_drawn(tmp_path, scope, text, fits):
    nlp = make(tmp_path, LAPLACE, max_epsilon_per_doc=6.0, scope=scope)
    nlp.get_pipe("dx_sanitizer").warm_up()
    if fits:
        assert nlp(text)._.dx.total["epsilon"] <= 6.0
        return
    nlp.get_pipe("dx_sanitizer").settings.mechanism.sample = None  # drawing would fail otherwise
    with pytest.raises(DxError, match=r"DX006.*max_epsilon_per_doc"):
        nlp(text)


def test_a_budget_counts_what_composition_says(tmp_path):
    """20 words of Gaussian noise cost far less than 20 times one."""
    nlp = make(tmp_path, GAUSSIAN, max_epsilon_per_doc=5.0)
    total = nlp(" ".join(["word1"] * 20))._.dx.total
    assert 0.5 < total["epsilon"] < 5.0 and "Gaussian" in total["notes"]


@pytest.mark.parametrize("sentences", [[48], [48, 1], [48, 48], [48, 48, 4]], ids=str)
def test_what_is_drawn_together_is_what_the_loss_counts_as_one_sentence(sentences):
    """rho grows with the square of the words that are drawn together."""
    nlp = sanitizing()
    component = nlp.get_pipe("dx_sanitizer")
    component.warm_up()
    mechanism, begins = component.settings.mechanism, []
    draw = mechanism.sample

    def heard(*rows, starts, **more):
        begins.extend(np.flatnonzero(starts).tolist())
        return draw(*rows, starts=starts, **more)

    mechanism.sample = heard
    receipt = nlp("dog " * sum(sentences))._.dx
    assert np.diff([*begins, sum(sentences)]).tolist() == sentences
    stated = Loss.of(mechanism.guarantee, [float(words) for words in sentences])
    assert receipt.loss.rho == pytest.approx(stated.rho)


ONLY_DOGS = {"@dx_selectors": "dx.WordList.v1", "words": ["dog"]}


@pytest.mark.parametrize(
    "settings",
    [{}, {"selector": ONLY_DOGS}, {"scope": "type"}, {"casing": "preserve"}, {"carry": ["sents"]}],
    ids=str,
)
def test_attackers_are_stated_for_the_settings_under_which_they_were_measured(settings):
    """Whoever sees more of a text recovers more of it than was measured."""
    component = sanitizing(**settings).get_pipe("dx_sanitizer")
    assert (component.terms.attacker is None) == bool(settings)


def test_an_index_that_was_chosen_for_the_space_is_named(make_nlp):
    index = {"@dx_indexes": "dx.AutoIndex.v1"}
    projection = {"@dx_projections": "dx.Nearest.v1", "index": index}
    receipt = make_nlp(mechanism=LAPLACE | {"projection": projection})("the dog")._.dx
    assert receipt.found == {"index": "dx.Exact.v1"}


def test_two_sanitizers_leave_two_receipts(tmp_path):
    nlp = make(tmp_path, LAPLACE)
    again = {key: nlp.get_pipe_config("dx_sanitizer")[key] for key in ("mechanism", "space")}
    nlp.add_pipe("dx_sanitizer", name="again", config=again)
    receipt = nlp("word1 word2")._.dx
    (earlier,) = map(Receipt, receipt.earlier)
    assert earlier.total["epsilon"] == earlier.loss.plain == 4.0 and not earlier.earlier
    assert receipt.total["epsilon"] == receipt.loss.plain == 4.0
    assert earlier.mechanism == receipt.mechanism == "dx.Laplace.v1"


def test_a_receipt_that_came_with_the_input_is_a_claim(tmp_path):
    """A forged receipt neither declares leaks, nor carries text into what is released."""
    nlp = make(tmp_path, LAPLACE)
    own = dict(nlp("word1")._.dx)
    words = {"stage": "words", "mechanism": "Zorblattovich"}
    release = {"stage": "release", "in_clear": ["every word"]}
    count = {**own["count"], "tokens": "Quuxington", "draws": 7, "Zorblatt": 1}
    doc = nlp.make_doc("word1 word2")
    stages = [{"stage": "earlier", **own}, words, release]
    doc.user_data["dx_receipt"] = own | {"stages": stages, "count": count}
    doc.user_data["dx_uncovered"] = "Zorblatt"
    receipt = nlp(doc)._.dx
    (claim,) = receipt.earlier
    assert claim["claimed"] is True and set(claim) == {"stage", "claimed", "count", "loss"}
    expected = {"perturbed": 1, "unknown": 0, "kept": 0, "draws": 7}
    assert expected.items() <= claim["count"].items() and "tokens" not in claim["count"]
    assert claim["loss"]["epsilon"] == 2.0 and claim["loss"]["delta"] == 0.0
    assert receipt.total["epsilon"] == 4.0 and "Zorblatt" not in str(receipt)
    again = Doc(nlp.vocab).from_bytes(nlp("word1").to_bytes())
    assert [r["claimed"] for r in nlp(again)._.dx.earlier] == [True]


def test_a_mechanism_that_was_fitted_on_another_space_is_refused(tmp_path):
    nlp = make(tmp_path, LAPLACE)
    nlp("word1")
    other = Space.from_vectors(["a", "b"], [[1.0], [2.0]])
    nlp.get_pipe("dx_sanitizer").settings.mechanism.fit(other)
    with pytest.raises(DxError, match="DX041"):
        nlp("word1")


@pytest.mark.parametrize(
    ("mechanism", "says"),
    [
        ({"@dx_mechanisms": "dx.SanTextPlus.v1", "epsilon": 1.0}, "not among the rarest"),
        ({"@dx_mechanisms": "dx.CusText.v1", "epsilon": 1.0, "k": 3}, "which group"),
        ({"@dx_mechanisms": "dx.Identity.v1"}, "every word"),
    ],
)
def test_what_a_mechanism_lets_through_is_in_the_receipt(tmp_path, mechanism, says):
    receipt = make(tmp_path, mechanism)("word1")._.dx
    assert any(says in line for line in receipt.in_clear)
    assert receipt.scale is None  # some words are not protected from each other at all


@pytest.mark.parametrize("seed", [None, 7])
def test_a_receipt_says_whether_the_noise_can_be_foreseen(tmp_path, seed):
    assert make(tmp_path, LAPLACE, seed=seed)("word1")._.dx.seeded is (seed is not None)


@pytest.mark.parametrize("scope", ["token", "type"])
def test_a_receipt_says_whether_equal_words_are_seen_to_be_equal(tmp_path, scope):
    shown = make(tmp_path, LAPLACE, scope=scope)("word1")._.dx.in_clear
    assert ("which words of a document are the same" in shown) == (scope == "type")


@pytest.mark.slow
def test_what_an_attacker_found_stands_beside_the_default_epsilon_alone():
    """Of other settings, or epsilons beyond what was measured, nobody measured it."""

    def told(config=None, **mechanism):
        block = {"@dx_mechanisms": "dx.Path.v2", "epsilon": 0.8, **mechanism}
        return sanitizing(mechanism=block, **(config or {}))("the dog sat")._.dx.attacker

    balanced = LEVELS["balanced"]
    assert told()["found"] == pytest.approx(balanced.found, abs=1e-3)
    assert balanced.found < told(epsilon=0.9)["found"] < LEVELS["light"].found
    assert told(epsilon=3.0) is None and told(policy="strict") is None
    listed = {"@dx_selectors": "dx.WordList.v1", "words": ["dog"]}  # all else is in plaintext
    for config in ({"casing": "preserve"}, {"carry": ["sents"]}, {"selector": listed}):
        assert told(config) is None


def test_a_forged_receipt_is_refused(tmp_path):
    released = release(make(tmp_path, LAPLACE)("word1 word3"), spacy.blank("en").vocab)
    for forged in ({}, {"stages": []}, {"stages": [], "count": {}, "loss": {"epsilon": 0.0}}):
        doc = spacy.blank("en")("the secret text")
        doc.user_data["dx_receipt"] = forged
        with pytest.raises(DxError, match="DX032"):
            assert_sanitized(doc)
    doc = spacy.blank("en")("the secret text")  # more tokens than were released
    doc.user_data |= dict(released.user_data)
    with pytest.raises(DxError, match="DX032"):
        assert_sanitized(doc)
    assert_sanitized(Doc(released.vocab).from_bytes(released.to_bytes()))


@pytest.mark.parametrize("attribute", ["dx", "private"])
@pytest.mark.parametrize("component", ["dx_sanitizer", "dx_entity_sanitizer"])
def test_json_keeps_the_receipt_that_it_is_asked_for(component, attribute):
    nlp = pipeline_of("dx_entity_ruler")
    nlp.add_pipe(component, config={"attribute": attribute, "carry": ["ents"]})
    doc = nlp("Mary Hollis came on March 5, 2021.")
    data = json.loads(json.dumps(doc.to_json(underscore=[attribute])))
    read = Doc(spacy.blank("en").vocab).from_json(data, validate=True)
    assert read._.dx == doc._.dx and read.text == doc.text
    assert [(ent.text, ent.label_) for ent in read.ents] == [(e.text, e.label_) for e in doc.ents]
    assert_sanitized(read)
    (stage,) = earlier_stages(read)
    assert stage["claimed"]  # anybody may have written it


def test_json_without_the_receipt_is_no_release_and_the_error_says_how_to_keep_it():
    doc = sanitizing()("Maria sleeps badly.")
    of_another = sanitizing()("Maria sleeps.").to_json(underscore=["dx"])
    for data in (doc.to_json(), doc.to_json() | {"_": of_another["_"]}):
        read = Doc(spacy.blank("en").vocab).from_json(data)
        with pytest.raises(DxError, match=r"DX032.*store_user_data=True.*underscore=\['dx'\]"):
            assert_sanitized(read)


def test_a_receipt_that_code_sets_is_a_claim():
    nlp = sanitizing()
    doc = nlp("Maria sleeps badly.")
    doc._.dx = {"stages": []}
    with pytest.raises(DxError, match="DX032"):
        assert_sanitized(doc)
    doc._.dx = None
    assert doc._.dx is None
    with pytest.raises(DxError, match="DX032"):
        assert_sanitized(doc)


def test_a_receipt_of_entities_states_their_surrogates_and_no_unused_mechanism():
    """A mechanism is stated where it may draw a word, and nowhere else."""
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_sanitizer")
    receipt = nlp("Dr. Mary Hollis saw him on March 5, 2021.")._.dx
    assert receipt.mechanism == "dx.Contact.v1, dx.DateShift.v1, dx.Name.v1"
    assert "guarantee" not in receipt.stage("surrogates")
    assert receipt.perturbed == receipt.draws == 0
    for name in ("attacker", "scale", "odds", "any_two_texts"):
        assert getattr(receipt, name) is None
    assert not [what for what in receipt.in_clear if "how many words the space" in what]

    nlp = pipeline_of("dx_entity_ruler")
    surrogates = {"PERSON": {"@dx_surrogates": "dx.Words.v1"}}
    selector = {"@dx_selectors": "dx.Entities.v1", "labels": ["PERSON"]}
    nlp.add_pipe("dx_sanitizer", config={"selector": selector, "surrogates": surrogates})
    assert nlp("Mary Hollis came.")._.dx.mechanism == "dx.Path.v2"


def test_a_guarantee_of_entities_is_stated_by_label_and_never_as_one_epsilon():
    """The epsilon of dates is not that of the document, whose other words stay."""
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_sanitizer")
    receipt = nlp("Dr. Mary Hollis and Ann Hollis saw him on March 5, 2021 and May 6, 2021.")._.dx
    for stated in (receipt.guarantee, receipt.total):
        assert "epsilon" not in stated and "kind" not in stated
        assert stated["PERSON"]["epsilon"] == 0.0 and stated["PERSON"]["status"] == "proven"
        assert stated["DATE"]["metric"] == "days"
        assert stated["DATE"]["epsilon"] == 0.01  # all dates of a document shift together
        assert stated["other words"]["kind"] == "none"
        assert stated["other words"]["epsilon"] is None
    assert "DATE" not in nlp("Mary Hollis came.")._.dx.total
    assert "DATE epsilon 0.01 (days)" in repr(receipt) and "none for other words" in repr(receipt)


@pytest.mark.parametrize("text", ["", "No name.", "Mary Hollis came."])
def test_a_receipt_of_entities_describes_no_words_that_are_near(text):
    nlp = pipeline_of("dx_entity_ruler", "dx_entity_sanitizer")
    described = repr(nlp(text)._.dx)
    assert "near words" not in described and "each word" not in described


def test_the_losses_of_mentions_add_up_within_their_label():
    number = {"@dx_surrogates": "dx.Number.v1", "epsilon": 0.5}
    nlp = pipeline_of("entity_ruler")
    nlp.get_pipe("entity_ruler").add_patterns([{"label": "AGE", "pattern": [{"IS_DIGIT": True}]}])
    selector = {"@dx_selectors": "dx.Entities.v1", "labels": ["AGE"]}
    config = {"selector": selector, "surrogates": {"AGE": number}}
    nlp.add_pipe("dx_entity_sanitizer", config=config)
    receipt = nlp("She is 41 , and he is 52 .")._.dx
    assert receipt.guarantee["AGE"]["epsilon"] == 0.5 and receipt.total["AGE"]["epsilon"] == 1.0


def test_the_name_of_the_attribute_can_be_chosen():
    nlp = sanitizing(attribute="private")
    doc = nlp("Maria sleeps badly.")
    assert doc._.private == doc._.dx and doc[0]._.private == "SAMPLED"
    assert spacy.util.load_model_from_config(nlp.config)("She sleeps.")._.private.tokens == 3


@pytest.mark.parametrize("name", ["", "a b", "taken"])
def test_a_name_that_is_none_or_that_others_have_is_refused(name):
    Doc.set_extension("taken", default=None, force=True)
    with pytest.raises(DxError, match="attribute"):
        sanitizing(attribute=name)


def test_displacy_has_colours_for_the_labels_of_a_release():
    nlp = sanitizing()
    html = displacy.render(nlp("Maria sleeps badly."), style="span", options={"spans_key": "dx"})
    assert COLORS["SAMPLED"] in html
