"""The attacker with a causal model: near the exact posterior on small channels."""

import numpy as np
import pytest
from sampler.distributions import KINDS, N, small_mechanism, small_space
from scipy.special import logsumexp

from spacy_dxprivacy import Rng
from spacy_dxprivacy.lab.attacks import (
    AttackTarget,
    AttackTrial,
    EncodedCorpus,
    Reader,
    ReleaseReading,
    SeenRelease,
    attack,
)
from spacy_dxprivacy.lab.attacks.language import FREQUENCY_SHARE, Language
from spacy_dxprivacy.lab.attacks.reading import causal_guess
from spacy_dxprivacy.lab.causal import word_tokens
from spacy_dxprivacy.lab.corpus import sample_release
from spacy_dxprivacy.prior.chain import unigram_chain

from .fakes import FakeModel, small_law
from .test_attacks_language import best_words, log_sentences, posterior

TEXTS = 250


def small_reader(beam=24):
    T, first = small_law(N)
    return Reader(word_tokens(FakeModel(T, first), small_space()), beam=beam), T, first


def knowing():
    known = np.random.default_rng(5).random(N) + 0.05
    return Language(unigram_chain(known / known.sum()), known / known.sum())


def reading(text, out, mechanism, language):
    X = small_space().vectors
    return ReleaseReading.of(SeenRelease(out, text.sentences), mechanism, X, language, Rng(seed=2))


def law_of(T, first, known):
    begins, mixed = ((1 - FREQUENCY_SHARE) * P + FREQUENCY_SHARE * known for P in (first, T))
    return log_sentences(begins, mixed)


@pytest.mark.parametrize(
    "kind", [KINDS[0], *(pytest.param(k, marks=pytest.mark.slow) for k in KINDS[1:])]
)
def test_it_comes_near_to_the_exact_posterior(kind):
    mechanism, language = small_mechanism(kind, beta=1.0), knowing()
    reader, T, first = small_reader()
    prior, S = law_of(T, first, language.frequencies)
    assert logsumexp(prior) == pytest.approx(0, abs=1e-6)
    drawn = np.random.default_rng(0).choice(len(S), TEXTS, p=np.exp(prior - logsumexp(prior)))
    text = EncodedCorpus.of(S[drawn])
    out = sample_release(text, mechanism, Rng(seed=1)).rows
    guess = causal_guess(text, reading(text, out, mechanism, language), reader)
    best = best_words(posterior(mechanism, prior, S)[1], out)
    assert (guess == text.rows).mean() > (best == text.rows).mean() - 0.02


def small_scene(shape, beam=2):
    reader, _, _ = small_reader(beam)
    text = EncodedCorpus.of(np.random.default_rng(0).integers(0, N, shape))
    target = AttackTarget(small_space(), text, text, reader, candidates=N)
    vars(target)["language"] = knowing()
    return target


def test_it_stands_beside_the_others_in_the_attack():
    found = attack("guess", AttackTrial(small_scene((30, 4)), small_mechanism("pairs")))
    assert "causal model" in {f.attacker for f in found} and len({f.attacker for f in found}) > 1


def test_it_looks_at_the_layout_of_the_text_alone():
    reader, _, _ = small_reader(beam=2)
    mechanism = small_mechanism("pairs")
    text = EncodedCorpus.of(np.random.default_rng(0).integers(0, N, (10, 4)))
    other = EncodedCorpus.of(np.random.default_rng(1).integers(0, N, (10, 4)))
    out = sample_release(text, mechanism, Rng(seed=1)).rows
    one, two = (reading(some, out, mechanism, knowing()) for some in (text, other))
    assert np.array_equal(causal_guess(text, one, reader), causal_guess(other, two, reader))
