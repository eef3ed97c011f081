"""The attacker with a causal model: near the exact posterior on small channels."""

import numpy as np
import pytest
from scipy.special import logsumexp
from sentences.laws import KINDS, N, all_sentences, small_mechanism, small_space
from test_attacks_language import likelihoods

from spacy_dxprivacy import Rng
from spacy_dxprivacy.attacks import Corpus, Reader, Scene, Trial, attack, causal_guess, sanitised
from spacy_dxprivacy.attacks.language import KNOWN, Language
from spacy_dxprivacy.language.words import word_tokens
from spacy_dxprivacy.priors.chain import alone_chain

from .fakes import FakeModel, small_law

LENGTH, TEXTS = 4, 250


def small_reader(beam=24):
    T, first = small_law(N)
    return Reader(word_tokens(FakeModel(T, first), small_space()), beam=beam), T, first


def knowing():
    known = np.random.default_rng(5).random(N) + 0.05
    return Language(alone_chain(known / known.sum()), known / known.sum())


def law_of(T, first, known):
    S = all_sentences(N, LENGTH)
    mixed = (1 - KNOWN) * T + KNOWN * known
    begins = (1 - KNOWN) * first + KNOWN * known
    return np.log(begins)[S[:, 0]] + np.log(mixed)[S[:, :-1], S[:, 1:]].sum(axis=1), S


@pytest.mark.parametrize(
    "kind", [KINDS[0], *(pytest.param(k, marks=pytest.mark.slow) for k in KINDS[1:])]
)
def test_it_comes_near_to_the_exact_posterior(kind):
    mechanism, language = small_mechanism(kind, beta=1.0), knowing()
    reader, T, first = small_reader()
    prior, S = law_of(T, first, language.known)
    assert logsumexp(prior) == pytest.approx(0, abs=1e-6)
    drawn = np.random.default_rng(0).choice(len(S), TEXTS, p=np.exp(prior - logsumexp(prior)))
    text = Corpus.of(S[drawn])
    out = sanitised(text, mechanism, Rng(seed=1)).rows
    X = small_space().vectors
    guess = causal_guess(text, out, mechanism, X, language, reader, Rng(seed=2))
    post = np.exp(likelihoods(mechanism, S) + prior[:, None])  # originals, outputs
    marginals = np.stack(
        [[post[S[:, i] == w].sum(axis=0) for w in range(N)] for i in range(LENGTH)]
    )
    number = out.reshape(-1, LENGTH) @ N ** np.arange(LENGTH)[::-1]
    best = marginals.argmax(axis=1)[:, number].T.ravel()
    assert (guess == text.rows).mean() > (best == text.rows).mean() - 0.02


def test_it_stands_beside_the_others_in_the_attack():
    reader, _, _ = small_reader(beam=2)
    text = Corpus.of(np.random.default_rng(0).integers(0, N, (30, 4)))
    scene = Scene(small_space().vectors, text, text, N, knowing(), reader)
    found = attack("guess", Trial(scene, small_mechanism("pairs")))
    assert {f.attacker for f in found} >= {"language model", "causal model"}


def test_it_looks_at_the_layout_of_the_text_alone():
    reader, _, _ = small_reader(beam=2)
    mechanism = small_mechanism("pairs")
    text = Corpus.of(np.random.default_rng(0).integers(0, N, (10, 4)))
    other = Corpus.of(np.random.default_rng(1).integers(0, N, (10, 4)))
    out = sanitised(text, mechanism, Rng(seed=1)).rows
    X = small_space().vectors
    one, two = (
        causal_guess(t, out, mechanism, X, knowing(), reader, Rng(0)) for t in (text, other)
    )
    assert one.tolist() == two.tolist()
