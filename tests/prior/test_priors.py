"""Built-in language, words alone, and models carried to other spaces by spelling."""

import inspect
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from thinc.api import Config

from spacy_dxprivacy import DxError, Space, registry
from spacy_dxprivacy.prior.builtin import builtin_model, frequency_of
from spacy_dxprivacy.prior.chain import (
    PairModel,
    Prior,
    chain_of,
    check_chain,
    from_fields,
    map_to_space,
    to_fields,
)
from spacy_dxprivacy.prior.registered import make_uniform, make_word_frequency

from .conftest import weight


def make(name, **settings):
    return registry.resolve({"p": {"@dx_priors": name, **settings}})["p"]


@pytest.mark.parametrize("name", ["dx.Uniform.v1", "dx.WordFrequency.v1", "dx.WordPairs.v1"])
def test_every_word_of_any_english_space_can_come_out(name, space):
    prior = make(name)
    assert isinstance(prior, Prior) and prior.name == name
    assert prior.draws == ("sentence" if name == "dx.WordPairs.v1" else "alone")
    for some in (space, Space.builtin()):
        chain = prior.fit(some)
        check_chain(chain)
        assert chain.emit.shape[0] == len(some) and (chain.unigram > 0).all()
        assert (np.diff(chain.emit.indptr) > 0).all() and (chain.totals <= 1 + 1e-4).all()
        assert chain.digest == prior.fit(some).digest


def test_uniform_is_uniform(space):
    chain = make_uniform().fit(space)
    assert chain.is_unigram and np.ptp(chain.unigram) == 0
    assert chain.unigram.sum() == pytest.approx(1, abs=1e-4)


def test_word_frequency_is_that_of_public_text_to_a_power(space):
    one, half = (make_word_frequency(gamma=g).fit(space) for g in (1.0, 0.5))
    the, child = space.find("the"), space.find("child")
    ratio = one.unigram[the] / one.unigram[child]
    assert ratio > 50 and half.unigram[the] / half.unigram[child] == pytest.approx(ratio**0.5)
    assert np.ptp(make_word_frequency(gamma=0).fit(space).unigram) == 0
    for wrong in (-1, 5, "x", True):
        with pytest.raises(DxError, match="gamma"):
            make_word_frequency(gamma=wrong)


@pytest.mark.slow
def test_word_frequency_of_another_language():
    pytest.importorskip("wordfreq")
    words = ["und", "die", "Haus", "Wirbelsturm", "zzxq"]
    space = Space.from_vectors(words, np.eye(5))
    often = dict(zip(words, make_word_frequency(lang="de").fit(space).unigram, strict=True))
    assert often["die"] > often["und"] > often["Haus"] > often["Wirbelsturm"] >= often["zzxq"] > 0
    with pytest.raises(DxError, match="lang"):
        make_word_frequency(lang="klingon")
    with pytest.raises(DxError, match="path"):
        make_word_frequency(lang="de", path="somewhere")


def test_a_word_that_is_there_in_capitals_alone_is_as_frequent_as_without():
    eye = np.eye(3)
    alone = frequency_of(Space.from_vectors(["A", "of", "child"], eye))
    both = frequency_of(Space.from_vectors(["A", "a", "child"], eye))
    assert alone[0] == both[1] > 1000 * both[0]


def test_pairs_are_english():
    space, chain = Space.builtin(), builtin_model().chain
    assert chain.states == 12001 and chain.one_state is not None

    def rows(text):
        return [space.find(word) for word in text.split()]

    B, alone = chain.emit.tocsr(), chain.unigram

    def log(text):
        found, ahead = 0.0, chain.begin.astype(float)
        for row in rows(text):
            M = ahead * B[[row]].toarray().reshape(-1)
            found += np.log(M.sum())
            ahead = chain.forward((M / M.sum())[:, None])[:, 0]
        return found

    assert log("the patient has a fever") > log("fever a has patient the") + 8
    assert log("she was in the hospital") > np.log(alone[rows("she was in the hospital")]).sum() + 5


def test_chains_that_cannot_be_are_told(model):
    fields = to_fields(model.chain)
    nothing = np.zeros(2, dtype=np.float32)
    wrong = {
        "no sentence can end": {"end": nothing},
        "leads nowhere": {"back": nothing, "delta_data": 0 * fields["delta_data"]},
        "0.1 off": {"begin": np.array([0.7, 0.4], dtype=np.float32)},
        "not negative": {"u": np.array([1.5, -0.5], dtype=np.float32)},
        "end should be 2 numbers": {"end": np.ones(3, dtype=np.float32)},
        "no word of the space": {"emit_data": 0 * fields["emit_data"]},
    }
    for why, changed in wrong.items():
        with pytest.raises(DxError, match=why):
            from_fields({**fields, **changed}, 3)


CONFIGS = sorted((Path(__file__).parents[2] / "configs" / "priors").glob("*.cfg"))


@pytest.mark.skipif(not CONFIGS, reason="configs/ is not beside the tests")
def test_every_prior_has_a_config_with_all_its_settings():
    blocks = [Config().from_disk(path)["prior"] for path in CONFIGS]
    made = [registry.resolve({"prior": block})["prior"] for block in blocks]
    assert all(isinstance(prior, Prior) for prior in made)
    ours = {n for n in registry.dx_priors.get_all() if n.startswith("dx.")}
    assert {prior.name for prior in made} == ours
    for block in blocks:
        settings = inspect.signature(registry.dx_priors.get(block["@dx_priors"])).parameters
        assert set(block) - {"@dx_priors"} == set(settings)


@pytest.fixture
def model():
    """Words a, b and C; two states, the first of a and C."""
    emit = csr_array(np.array([[0.6, 0], [0, 1], [0.4, 0]]))
    delta = csr_array(np.array([[0.1, 0.5], [0.3, 0]]))
    chain = chain_of(
        begin=[0.7, 0.3], alone=[0.5, 0.5], end=[0.2, 0.4], back=[0.4, 0.7], u=[0.5, 0.5],
        delta=delta, emit=emit,
    )  # fmt: skip
    return PairModel(["a", "b", "C"], chain, "small")


def table(*words):
    X = np.zeros((len(words), 2), dtype=np.float32)
    X[:, 0] = np.arange(len(words))
    return Space.from_vectors(list(words), X, name="some")


def test_exact_case_comes_first_then_lower_case(model):
    chain = map_to_space(model, table("A", "a", "B", "c"), np.array([1.0, 3.0, 1.0, 1.0]))
    expected = [[0.15, 0], [0.45, 0], [0, 1], [0.4, 0]]  # A and a share a by frequency
    assert chain.emit.toarray() == pytest.approx(np.array(expected))
    rare = map_to_space(model, table("A", "a", "B", "c"), np.array([1e-9, 1.0, 1.0, 1.0]))
    assert rare.emit.toarray()[0, 0] == pytest.approx(0.6e-3, rel=1e-2)


def test_words_that_the_model_lacks_join_the_nearest_with_a_small_share(model):
    chain = map_to_space(model, table("a", "x", "b", "C"), np.ones(4))
    emit = chain.emit.toarray()
    assert emit[1, 0] == pytest.approx(0.6 * 0.01 / 1.01)
    assert emit[0, 0] == pytest.approx(0.6 / 1.01)
    many = map_to_space(model, table("a", *(f"x{i}" for i in range(50)), "C", "b"), np.ones(53))
    assert many.totals == pytest.approx([1, 1])
    assert many.emit.toarray()[1:26, 0].sum() <= 0.1 * 0.6


def test_words_that_the_space_lacks_never_come_and_the_rest_weighs_the_same(model):
    chain = map_to_space(model, table("b", "a"), np.ones(2))
    assert (chain.totals <= 1).all() and chain.totals[0] == pytest.approx(0.6)
    for one, two in (([0, 1], [0]), ([1, 1, 0], [0, 0]), ([1], [0])):
        theirs = [[1, 0][r] for r in one], [[1, 0][r] for r in two]
        ratio = weight(chain, one) / weight(chain, two)
        expected = weight(model.chain, theirs[0]) / weight(model.chain, theirs[1])
        assert ratio == pytest.approx(expected, rel=1e-5)


def test_a_model_that_knows_nothing_of_a_space_is_told(model):
    for prior in (make("dx.WordPairs.v1"), make("dx.WordFrequency.v1")):
        with pytest.raises(DxError, match="no word of the space 'some'"):
            prior.fit(table("λόγος", "μῦθος"))
    with pytest.raises(DxError, match="'small' holds no word"):
        map_to_space(model, table("x", "y"), np.ones(2))
