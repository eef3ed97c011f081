"""dx.Number.v1: which tokens are numbers, exact distributions at every border of a form, leaks."""

import json
import math
import pickle

import pytest
import spacy
from conftest import CONSTANT, EXPONENTIAL, LAPLACE, leaks
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_dxprivacy import DxError, Guarantee, Rng, registry
from spacy_dxprivacy.surrogates import Draws, Mention, number
from spacy_dxprivacy.surrogates.number import MAX_NUMBER

RELATIVE = {"@dx_surrogates": "dx.Number.v1", "epsilon": 10.0}
ABSOLUTE = {"@dx_surrogates": "dx.Number.v1", "epsilon": 1.0, "scale": "absolute", "unit": 2.0}


def make(**settings):
    return registry.dx_surrogates.get("dx.Number.v1")(**settings)


def draw(surrogate, texts, rng):
    return surrogate.replace([Mention(text, "NUMBER") for text in texts], Draws(rng))


VOCAB = Vocab()


def is_number(text):
    return make().find(Doc(VOCAB, words=[text])).all()


NUMBERS = [
    "0", "7", "98.6", ".5", "1,234.5", "12.5%", "120/80", "-5", "+3", "1987", "2100", "1987.5",
    "0.05", "007", "05/12", "0,234", "1234567890123456", "9" * 5000,
]  # fmt: skip
NO_NUMBERS = [
    "x2", "3rd", "5mg", "07/29/2008", "2008-07-29", "8:30", "1,23", "1.2.3", "1e5", "٣٤", "３４",
    "½", "²", "5.", "--5", "$5", "12 5", "5\n", ".1234567890123456",
]  # fmt: skip


def test_a_number_is_one_by_its_form():
    assert all(map(is_number, NUMBERS)) and not any(map(is_number, NO_NUMBERS))
    doc = spacy.blank("en")("On 2008-11-29 or 12-29-18 call 773-455-1209, take 10-20 of 5/8.")
    assert [token.text for token in doc if make().find(doc)[token.i]] == ["10", "20", "5/8"]


FORM = r"[+-]?([0-9]{1,3}(,[0-9]{3})*|[0-9]{0,20})(\.[0-9]{0,17})?(/[0-9]+)?%?[a-z]?"


@settings(max_examples=100, deadline=None)
@given(st.from_regex(FORM, fullmatch=True).filter(bool), st.data())
def test_whether_a_token_is_a_number_is_the_same_for_all_digits(text, data):
    other = "".join(data.draw(st.sampled_from("0123456789")) if c.isdigit() else c for c in text)
    assert is_number(text) == is_number(other)


@pytest.mark.parametrize(
    ("text", "written"),
    [("1,234.50", "1234.50"), ("007", "7"), (".50", "0.50"), ("000.0", "0.0"),
     ("999999999999999", "999999999999999"), ("1000000000000000", "999999999999999"),
     ("999999999999999.9", "999999999999999.0")],
)  # fmt: skip
def test_a_number_is_written_by_its_value_and_decimals_alone(text, written, monkeypatch):
    monkeypatch.setattr(number, "discrete_laplace", lambda rate, stream: 0)  # no step of noise
    assert draw(make(), [text], Rng(seed=1)) == [written]


def test_numbers_stay_within_bounds_and_what_can_be_written():
    found = [float(t) for t in draw(make(epsilon=0.001), ["5", "0.5"] * 200, Rng(seed=6))]
    assert min(found) >= 0 and max(found) <= MAX_NUMBER
    bounded = make(epsilon=0.1, scale="absolute", low=3.05, high=8)
    found = {float(t) for t in draw(bounded, ["5.0"] * 300, Rng(seed=6))}
    assert min(found) == 3.1 and max(found) == 8.0


@pytest.mark.parametrize(("given", "name"), [
    ({"epsilon": 0.0}, "epsilon"), ({"epsilon": math.nan}, "epsilon"),
    ({"epsilon": 1.0, "scale": "logarithmic"}, "scale"), ({"epsilon": 1.0, "unit": 2.0}, "unit"),
    ({"epsilon": 1.0, "scale": "absolute", "unit": 0.0}, "unit"),
    ({"epsilon": 1.0, "low": -1.0}, "low"), ({"epsilon": 1.0, "low": 3.0, "high": 2.0}, "high"),
])  # fmt: skip
def test_settings_out_of_range_are_refused(given, name):
    with pytest.raises(DxError, match=name):
        make(**given)


TEXT = "The doctor saw 77123 of 98,765.4 on 2008-11-29 and 127/83 in 1987."
SECRETS = ("77123", "98,765.4", "127/83", "1987")


def test_receipts_tell_of_numbers_beside_words(make_nlp):
    receipt = make_nlp(mechanism=EXPONENTIAL, numbers=RELATIVE)(TEXT)._.dx
    assert receipt.numbers == 4
    promise = Guarantee.from_dict(receipt.stage("numbers")["guarantee"])
    assert (promise.epsilon, promise.metric, promise.status) == (10.0, "relative", "proven")
    assert promise.epsilon * receipt.number_draws == 40.0
    assert receipt.loss.plain == pytest.approx(receipt.total["epsilon"] + 40.0)
    assert receipt.perturbed + receipt.unknown + receipt.kept + 4 == receipt.tokens
    assert any("which words are numbers" in line for line in receipt.in_clear)
    json.dumps(receipt)
    receipt = make_nlp(mechanism=EXPONENTIAL)(TEXT)._.dx
    assert not receipt.stage("numbers") and receipt.numbers == 0
    assert receipt.perturbed + receipt.unknown + receipt.kept == receipt.tokens


@pytest.mark.filterwarnings("ignore:.*W109")
@pytest.mark.parametrize("scope", ["token", "type"])
@pytest.mark.parametrize("numbers", [RELATIVE, ABSOLUTE], ids=["relative", "absolute"])
def test_no_number_is_anywhere_in_what_is_released(make_nlp, scope, numbers):
    wild = numbers | {"epsilon": 1e-6}
    nlp = make_nlp(mechanism=LAPLACE, numbers=wild, scope=scope, vectors="noisy")
    doc = nlp(TEXT)
    stored = DocBin(docs=[doc], store_user_data=True).to_bytes()
    component = pickle.dumps(nlp.get_pipe("dx_sanitizer"))
    for data in (doc.to_bytes(), str(doc._.dx), stored, component):
        assert not leaks(data, SECRETS)
    assert leaks(TEXT, SECRETS) == sorted(SECRETS)
    assert not doc.tensor[make().find(nlp.make_doc(TEXT))].any()


def test_two_documents_that_differ_in_numbers_become_one(make_nlp):
    """With words that are forgotten and bounds that leave one number."""
    one = {**ABSOLUTE, "low": 7.0, "high": 7.0}
    nlp = make_nlp(mechanism=CONSTANT, numbers=one)
    texts = ["the dog has 5 of 120/80, 1 cat", "the cat has 10000 of 3/14, 88 dog"]
    assert len({nlp(text).to_bytes() for text in texts}) == 1
    assert "7/7" in nlp(texts[0]).text


def test_a_budget_is_refused_beside_numbers(make_nlp):
    with pytest.raises(ValueError, match="max_epsilon_per_doc"):
        make_nlp(mechanism=EXPONENTIAL, numbers=RELATIVE, max_epsilon_per_doc=5.0)


def test_a_mechanism_for_numbers_that_gives_back_too_few_is_refused(make_nlp):
    nlp = make_nlp(mechanism=CONSTANT, numbers=RELATIVE)
    component = nlp.get_pipe("dx_sanitizer")

    class Short:
        in_clear = ()
        guarantee = component.settings.numbers.guarantee
        find = component.settings.numbers.find

        def replace(self, mentions, draws):
            return [mention.text for mention in mentions[1:]]

    component.settings.numbers = Short()
    with pytest.raises(DxError, match="DX038") as caught:
        nlp(TEXT)
    assert not leaks(str(caught.value), SECRETS)


def test_selected_numbers_alone_are_drawn(make_nlp):
    words = {"@dx_selectors": "dx.WordList.v1", "words": ["55"]}
    made = make_nlp(mechanism=CONSTANT, numbers=RELATIVE | {"epsilon": 1e-6}, selector=words)
    doc = made("the 55 of 66")
    assert doc[0].text == "the" and doc[1].text != "55" and doc[3].text == "66"
