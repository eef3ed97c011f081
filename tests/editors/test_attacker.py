"""The attacker with a causal model: near the exact posterior on small channels."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp
from sentences.distributions import KINDS, N, all_sentences, small_mechanism, small_space
from test_attacks_language import likelihoods

from spacy_dxprivacy import DxError, Rng
from spacy_dxprivacy.editors.model import word_tokens
from spacy_dxprivacy.lab.attacks import Corpus, Reader, Reading, Scene, Seen, Trial, attack
from spacy_dxprivacy.lab.attacks.guessing import auc, pairs_to_test, sentence_scores
from spacy_dxprivacy.lab.attacks.language import KNOWN, Language
from spacy_dxprivacy.lab.attacks.reading import causal_reading
from spacy_dxprivacy.lab.attacks.tries import LINK_LENGTH
from spacy_dxprivacy.lab.corpus import sanitised
from spacy_dxprivacy.prior.chain import alone_chain

from .fakes import FakeModel, small_law

LENGTH, TEXTS = 4, 250


def small_reader(beam=24):
    T, first = small_law(N)
    return Reader(word_tokens(FakeModel(T, first), small_space()), beam=beam), T, first


def knowing():
    known = np.random.default_rng(5).random(N) + 0.05
    return Language(alone_chain(known / known.sum()), known / known.sum())


def reading(text, out, mechanism, language):
    X = small_space().vectors
    return Reading(Seen(out, text.sentences), mechanism, X, language, Rng(seed=2))


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
    guess = causal_reading(text, reading(text, out, mechanism, language), reader).guess
    post = np.exp(likelihoods(mechanism, S) + prior[:, None])  # originals, outputs
    marginals = np.stack(
        [[post[S[:, i] == w].sum(axis=0) for w in range(N)] for i in range(LENGTH)]
    )
    number = out.reshape(-1, LENGTH) @ N ** np.arange(LENGTH)[::-1]
    best = marginals.argmax(axis=1)[:, number].T.ravel()
    assert (guess == text.rows).mean() > (best == text.rows).mean() - 0.02


def small_scene(shape, beam=2):
    reader, _, _ = small_reader(beam)
    text = Corpus.of(np.random.default_rng(0).integers(0, N, shape))
    return Scene(small_space().vectors, text, text, N, knowing(), reader)


@pytest.mark.parametrize("name", ["guess", pytest.param("membership", marks=pytest.mark.slow)])
def test_it_stands_beside_the_others_in_the_attack(name):
    found = attack(name, Trial(small_scene((30, 4)), small_mechanism("pairs")))
    assert "causal model" in {f.attacker for f in found} and len({f.attacker for f in found}) > 1


@pytest.mark.slow
def test_members_are_found_as_by_the_exact_posterior():
    mechanism, language = small_mechanism("pairs", beta=1.0), knowing()
    reader, T, first = small_reader()
    prior, S = law_of(T, first, language.known)
    drawn = np.random.default_rng(0).choice(len(S), TEXTS, p=np.exp(prior - logsumexp(prior)))
    text = Corpus.of(S[drawn])
    trial = Trial(Scene(small_space().vectors, text, text, N, language, reader), mechanism)
    found = {(f.attacker, f.setting, f.measure): f.value for f in attack("membership", trial)}
    words, members, others = pairs_to_test(text.starts, text.rows, 4, np.random.default_rng(0))
    logs = likelihoods(mechanism, S) + prior[:, None]
    post = np.exp(logs - logsumexp(logs, axis=0))
    holds = np.stack([(S == w).any(axis=1) for w in range(N)])
    number = trial.release.rows.reshape(-1, LENGTH) @ N ** np.arange(LENGTH)[::-1]
    score = np.log(holds @ post[:, number]) - np.log(holds @ np.exp(prior))[:, None]
    exact = auc(score[words, members], score[words, others])
    assert found["causal model", "any word", "AUC"] > exact - 0.04
    assert found["causal model", "any word", "AUC"] > found["likelihood ratio", "any word", "AUC"]


def test_originals_are_weighed_by_whole_sentences():
    mechanism, S = small_mechanism("pairs"), all_sentences(N, LENGTH)
    exact, some = likelihoods(mechanism, S), np.array([3, 77, 410])
    outputs, guess, starts = S[123], S[200], np.arange(LENGTH) == 0
    for cut in (LENGTH, LENGTH - 1):
        found = sentence_scores(mechanism, outputs, guess, starts, S[some, :cut])
        rows = S[some].copy()
        rows[:, cut:] = guess[cut:]
        numbers = rows @ N ** np.arange(LENGTH)[::-1]
        assert found - found[0] == pytest.approx(exact[numbers, 123] - exact[numbers[0], 123])


@pytest.mark.parametrize("kind", ["pairs", "alone"])
def test_documents_are_linked_as_often_as_word_by_word(kind):
    scene = small_scene((12, LINK_LENGTH + 3))

    def linked(beta):
        found = attack("link", Trial(scene, small_mechanism(kind, beta=beta)))
        return {f.attacker: f.value for f in found}

    found = linked(0.7)
    assert found["causal model"] >= found["likelihood"] - (0.1 if kind == "pairs" else 0)
    assert linked(9.0)["causal model"] == 1


def test_it_looks_at_the_layout_of_the_text_alone():
    reader, _, _ = small_reader(beam=2)
    mechanism = small_mechanism("pairs")
    text = Corpus.of(np.random.default_rng(0).integers(0, N, (10, 4)))
    other = Corpus.of(np.random.default_rng(1).integers(0, N, (10, 4)))
    out = sanitised(text, mechanism, Rng(seed=1)).rows
    one, two = (
        causal_reading(t, reading(t, out, mechanism, knowing()), reader).guess
        for t in (text, other)
    )
    assert one.tolist() == two.tolist()
    with pytest.raises(DxError, match="reader"):
        scene = replace(small_scene((3, 4)), reader=None)
        Trial(scene, mechanism).read_by_model()
