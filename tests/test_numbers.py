"""dx.Numbers.v1: which tokens are numbers, the laws of the noise, and that nothing else stays."""

import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
import spacy
from conftest import CONSTANT, EXPONENTIAL, LAPLACE, leaks
from scipy.stats import chisquare, kstest
from spacy.tokens import Doc, DocBin

from spacy_dxprivacy import DxError, Guarantee, Rng, registry
from spacy_dxprivacy.batch.build import numbers_config
from spacy_dxprivacy.doc.numbers import noisy_logs, two_sided_geometric
from spacy_dxprivacy.doc.numerals import LARGEST, find_numbers, read_numeral
from spacy_dxprivacy.doc.passages import passage

RELATIVE = {"@dx_surrogates": "dx.Numbers.v1", "epsilon": 10.0}
ABSOLUTE = {"@dx_surrogates": "dx.Numbers.v1", "epsilon": 1.0, "scale": "absolute", "unit": 2.0}


def make(**settings):
    return registry.dx_surrogates.get("dx.Numbers.v1")(**settings)


# -- which tokens -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["0", "7", "98.6", ".5", "1,234.5", "12.5%", "120/80", "-5", "+3", "1499", "2100", "1987.5",
     "1,987", "0.05", "123456789012345", "10/10"],
)  # fmt: skip
def test_a_number_is_written_as_it_was_read(text):
    assert read_numeral(text).write() == text


@pytest.mark.parametrize(
    "text",
    ["", "x2", "3rd", "5mg", "1500", "1987", "2099", "07/29/2008", "07/2008", "2008-07-29", "8:30",
     "007", "05/12", "1,23", "1.2.3", "1e5", "1234567890123456", "٣٤", "３４", "½", "²", "5.",
     "--5", "$5", "12 5", "5\n"],
)  # fmt: skip
def test_other_tokens_are_no_numbers(text):
    assert read_numeral(text) is None


def test_parts_of_dates_and_telephone_numbers_are_no_numbers():
    nlp = spacy.blank("en")
    doc = nlp("On 2008-11-29 or 12-29-18 call 773-455-1209, take 10-20 of 5/8.")
    assert [token.text for token in doc if find_numbers(doc)[token.i]] == ["10", "20", "5/8"]


def test_numbers_are_written_alike_whatever_their_value():
    numeral = read_numeral("-1,234.50/7%")
    assert numeral.at([1, 1000]).write() == "-0.01/1000%"
    assert numeral.at([123456789, 0]).write() == "-1,234,567.89/0%"
    assert read_numeral(".50").at([3]).write() == ".03"
    assert read_numeral(".50").at([103]).write() == "1.03"


# -- the laws ---------------------------------------------------------------------------------


def geometric(rate, k):
    """ln P of the two-sided geometric distribution."""
    return math.log(math.tanh(rate / 2)) - rate * np.abs(k)


@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(5, 2), Fraction(0.3)])
def test_whole_noise_is_two_sided_geometric(rate):
    rng = Rng(seed=3)
    drawn = np.array([two_sided_geometric(rate, rng) for _ in range(6000)])
    k = np.arange(-60, 61)
    expected = np.exp(geometric(float(rate), k)) * len(drawn)
    common = expected >= 5
    counts = np.array([(drawn == i).sum() for i in k])
    rest = len(drawn) - expected[common].sum()
    found = chisquare(
        np.append(counts[common], len(drawn) - counts[common].sum()),
        np.append(expected[common], rest),
    )
    assert found.pvalue > 1e-4


def test_noise_of_the_logarithm_is_laplace():
    noise = noisy_logs(np.full(20000, 55.0), 4.0, Rng(seed=4)) - math.log(56)
    assert kstest(noise, "laplace", args=(0, 0.25)).pvalue > 1e-4


@pytest.mark.parametrize("scale", ["relative", "absolute"])
def test_what_comes_out_follows_the_law(scale):
    numbers = make(epsilon=5.0, scale=scale)
    drawn = np.array([float(t) for t in numbers.replace(["80.000"] * 3000, Rng(seed=5))])
    noise = (drawn - 80) if scale == "absolute" else np.log1p(drawn) - math.log(81)
    assert kstest(noise, "laplace", args=(0, 0.2)).pvalue > 1e-4


@pytest.mark.parametrize(("low", "high"), [(0, math.inf), (2, 9)])
def test_the_bound_holds_for_all_pairs_of_whole_numbers(low, high):
    """Of what comes out, bounds included: exactly, from the law."""
    rate, values = 0.4, np.arange(13)
    k = np.arange(-2000, 2000)
    high = min(high, 1500)
    P = []
    for value in values:
        out = np.clip(value + k, low, high).astype(int)
        P.append(np.bincount(out, np.exp(geometric(rate, k)), 1501)[low : high + 1])
    L = np.log(np.array(P))
    losses = np.abs(L[:, None] - L[None]).max(axis=2)
    assert (losses <= rate * np.abs(values[:, None] - values) + 1e-9).all()


def test_numbers_stay_within_bounds_and_what_can_be_written():
    rng = Rng(seed=6)
    wild = make(epsilon=0.001)
    found = [float(t) for t in wild.replace(["5", "0.5"] * 200, rng)]
    assert min(found) >= 0 and max(found) <= LARGEST
    bounded = make(epsilon=0.1, scale="absolute", low=3.05, high=8)
    found = {float(t) for t in bounded.replace(["5.0"] * 300, rng)}
    assert min(found) == 3.1 and max(found) == 8.0


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"epsilon": 1.0, "scale": "logarithmic"}, "scale"),
        ({"epsilon": 1.0, "unit": 2.0}, "unit"),
        ({"epsilon": 1.0, "scale": "absolute", "unit": 0.0}, "unit"),
        ({"epsilon": 1.0, "low": -1.0}, "low"),
        ({"epsilon": 1.0, "low": 3.0, "high": 2.0}, "high"),
    ],
)
def test_settings_out_of_range_are_refused(settings, name):
    with pytest.raises(DxError, match=name):
        make(**settings)


# -- documents --------------------------------------------------------------------------------

TEXT = "The doctor saw 77123 of 98,765.4 on 2008-11-29 and 127/83 in 1987."
NUMBERS = ("77123", "98,765.4", "127/83")


def test_receipts_tell_of_numbers_beside_words(make_nlp):
    receipt = make_nlp(mechanism=EXPONENTIAL, numbers=RELATIVE)(TEXT)._.dx
    assert receipt.numbers["drawn"] == 3
    promise = Guarantee.from_dict(receipt.numbers["guarantee"])
    assert (promise.epsilon, promise.metric, promise.status) == (10.0, "relative", "proven")
    assert receipt.numbers["total"]["epsilon"] == 30.0
    counted = receipt.perturbed + receipt.unknown + receipt.kept + receipt.numbers["drawn"]
    assert counted == receipt.tokens
    assert any("which words are numbers" in line for line in receipt.in_clear)
    json.dumps(receipt)


def test_receipts_without_numbers_read_as_before(make_nlp):
    receipt = make_nlp(mechanism=EXPONENTIAL)(TEXT)._.dx
    assert "numbers" not in receipt
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
        assert not leaks(data, NUMBERS)
    assert leaks(TEXT, NUMBERS) == sorted(NUMBERS)
    assert not doc.tensor[find_numbers(nlp.make_doc(TEXT))].any()


def test_two_documents_that_differ_in_numbers_become_one(make_nlp):
    """With words that are forgotten and bounds that leave one number."""
    one = {**ABSOLUTE, "low": 7.0, "high": 7.0}
    nlp = make_nlp(mechanism=CONSTANT, numbers=one)
    texts = ["the dog has 5 of 120/80, 1 cat", "the cat has 10000 of 3/14, 88 dog"]
    assert len({nlp(text).to_bytes() for text in texts}) == 1
    assert "7/7" in nlp(texts[0]).text


def test_a_number_is_drawn_once_for_each_token_or_each_text(make_nlp):
    doc = Doc(make_nlp().vocab, words=["55"] * 20)
    for scope, draws in (("token", 20), ("type", 1)):
        made = make_nlp(mechanism=CONSTANT, numbers=RELATIVE, scope=scope)(doc)
        assert (len({token.text for token in made}) > 1) == (scope == "token")
        assert made._.dx.numbers["total"]["epsilon"] == draws * 10.0
        assert made._.dx.numbers["drawn"] == 20


def test_a_budget_is_refused_beside_numbers(make_nlp):
    with pytest.raises(ValueError, match="max_epsilon_per_doc"):
        make_nlp(mechanism=EXPONENTIAL, numbers=RELATIVE, max_epsilon_per_doc=5.0)


def test_a_mechanism_for_numbers_that_gives_back_too_few_is_refused(make_nlp):
    nlp = make_nlp(mechanism=CONSTANT, numbers=RELATIVE)
    component = nlp.get_pipe("dx_sanitizer")

    class Short:
        in_clear = ()
        guarantee = component.numbers.guarantee
        find = staticmethod(find_numbers)

        def replace(self, texts, rng):
            return texts[1:]

    component.numbers = Short()
    with pytest.raises(DxError, match="DX038") as caught:
        nlp(TEXT)
    assert not leaks(str(caught.value), NUMBERS)


def test_numbers_are_no_context_of_a_sentence_and_do_not_cut_it():
    doc = spacy.blank("en")("we saw 55 of 66. Then 7 left")
    mask = np.array([not token.is_punct for token in doc])
    numbers = find_numbers(doc)
    told = passage(doc, mask & ~numbers, numbers)
    words = [doc.vocab.strings[orth] for orth in told.ids[:, 0].tolist()]
    assert words == ["we", "saw", "of", "Then", "left"] and told.drawn.all()
    assert told.starts.tolist() == [True, False, False, True, False]


def test_selected_numbers_alone_are_drawn(make_nlp):
    words = {"@dx_selectors": "dx.WordList.v1", "words": ["55"]}
    made = make_nlp(mechanism=CONSTANT, numbers=RELATIVE | {"epsilon": 1e-6}, selector=words)
    doc = made("the 55 of 66")
    assert doc[0].text == "the" and doc[1].text != "55" and doc[3].text == "66"


@pytest.mark.parametrize(
    ("given", "scale", "unit"),
    [("relative", "relative", 1.0), ("absolute", "absolute", 1.0), ("absolute:5", "absolute", 5.0)],
)
def test_the_option_makes_the_block(given, scale, unit):
    made = registry.resolve({"numbers": numbers_config(given)})["numbers"]
    assert (made.scale, made.unit) == (scale, unit)
    assert numbers_config(None) == {}


@pytest.mark.parametrize("given", ["", "most", "relative:2", "absolute:no", "absolute:0"])
def test_another_option_is_a_mistake(given):
    with pytest.raises(DxError, match="`numbers`"):
        numbers_config(given)
