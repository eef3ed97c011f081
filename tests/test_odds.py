"""Odds of a secret: below the bound, and exactly what an informed attacker succeeds in."""

import itertools

import numpy as np
import pytest
import spacy
from sentences.laws import log_q, small_mechanism, starts_of

import spacy_dxprivacy as dx
from spacy_dxprivacy.lab.odds import odds
from spacy_dxprivacy.sampler.draw import Text
from spacy_dxprivacy.text.spelling import spell

DRAWS = 100_000
NAMES = ("Maria", "Diana", "Paul")
WORDS = [*NAMES, "met", "saw", "the"]
LEVELS = {
    "sentence-level": {"@dx_mechanisms": "dx.Path.v2", "epsilon": 1.2},
    "word-level": {
        "@dx_mechanisms": "dx.Path.v2", "epsilon": 4.0,
        "prior": {"@dx_priors": "dx.WordFrequency.v1"},
    },
    "exponential": {"@dx_mechanisms": "dx.Exponential.v1", "epsilon": 0.4},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("odds") / "space"
    dx.Space.builtin().of_words(WORDS).save(path)
    return path


def pipeline(folder, mechanism, **settings):
    nlp = spacy.blank("en")
    block = {"@dx_spaces": "dx.FileSpace.v1", "path": str(folder)}
    nlp.add_pipe("dx_sanitizer", config={"mechanism": mechanism, "space": block, **settings})
    return nlp


@pytest.mark.parametrize("mechanism", LEVELS.values(), ids=LEVELS)
def test_an_informed_attacker_succeeds_as_the_posteriors_say_and_below_the_bound(folder, mechanism):
    """The secret is mentioned twice in one sentence, and each release is read as a text."""
    nlp = pipeline(folder, mechanism)
    sanitizer = nlp.get_pipe("dx_sanitizer")
    sanitizer.warm_up()
    fitted, space, rng = sanitizer.mechanism, sanitizer.space, np.random.default_rng(5)
    texts = [f"{name} met {name}" for name in NAMES]
    rows = np.stack([space.find_all(text.split()) for text in texts])
    truth = rng.integers(len(NAMES), size=DRAWS)
    starts = np.tile(np.arange(3) == 0, DRAWS)
    drawn = fitted.sample(rows[truth].ravel(), dx.Rng(seed=3), starts).rows.reshape(DRAWS, 3)
    distinct, which = np.unique(drawn, axis=0, return_inverse=True)

    def written(words):
        every = np.ones(3, dtype=bool)
        return " ".join(spell([space.words[row] for row in words], every, every)[0])

    released = [written(words) for words in distinct.tolist()]
    found = {
        (text, name): odds(original, text, name, NAMES, nlp=nlp)
        for text in set(released)
        for original, name in zip(texts, NAMES, strict=True)
    }
    posteriors = np.array([[found[text, name].posterior for name in NAMES] for text in released])
    assert np.allclose(posteriors.sum(axis=1), 1)
    bounds = np.array([found[released[0], name].bound for name in NAMES])
    assert (posteriors <= bounds + 1e-9).all() and bounds.max() < 0.999

    guess, error = posteriors.argmax(axis=1)[which.ravel()], 4 * (0.25 / DRAWS) ** 0.5
    right = guess == truth
    assert 1 / 3 + 0.02 < right.mean() < bounds.max() + error
    assert right.mean() == pytest.approx(posteriors.max(axis=1)[which.ravel()].mean(), abs=error)
    for name, bound in enumerate(bounds):
        named = right[guess == name]
        assert not len(named) or named.mean() < bound + 2 / len(named) ** 0.5


@pytest.mark.parametrize("kind", ["pairs", "pairs of types", "many words a state"])
def test_likelihoods_of_variants_are_those_of_brute_force(kind):
    """With an unknown word, and one that stays, among those that change together."""
    mechanism = small_mechanism(kind)
    chain, n = mechanism.built.chain, len(mechanism.built.graph)
    rows, fixed = np.array([0, 1, -1, 3, 2]), np.array([False, True, False, False, False])
    outputs = np.array([2, 1, 0, 4, 1])
    variants = np.repeat(rows[:, None], 3, axis=1)
    variants[0], variants[3] = [0, 2, 4], [3, 0, 1]
    text = Text(rows, starts_of(5), fixed)
    found = mechanism.log_likelihood_of_variants(text, outputs, variants)[0]

    def weight(row, out):
        return 1.0 if row == -1 else mechanism.built.kernel.weights(row, np.array([out]))[0]

    expected = []
    for some in variants.T.tolist():
        total = 0.0
        for words in itertools.product(range(n), repeat=5):
            if words[1] == 1:
                each = [
                    weight(a, b) for i, (a, b) in enumerate(zip(some, words, strict=True)) if i != 1
                ]
                total += np.exp(log_q(chain, words)) * np.prod(each)
        seen = [weight(some[i], outputs[i]) for i in (0, 3)]
        expected.append(np.log(seen).sum() - np.log(total))
    assert np.allclose(found - found[0], np.array(expected) - expected[0], atol=1e-5)
