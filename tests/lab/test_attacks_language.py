"""The attacker with a language model: near the exact posterior on small spaces."""

import itertools
import json

import numpy as np
import pytest
from sampler.distributions import KINDS, N, all_sentences, small_chain, small_mechanism, small_space
from scipy.special import logsumexp

from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.lab.attacks import (
    AttackTrial,
    EncodedCorpus,
    attack,
    bayes_guess,
    reading,
    sample_release,
)
from spacy_dxprivacy.lab.attacks.frontier import AttackTarget, at_attacker, frontier, point
from spacy_dxprivacy.lab.attacks.language import Language, language_of, language_variants
from spacy_dxprivacy.lab.attacks.reading import (
    Lattice,
    ReleaseReading,
    SeenRelease,
    filled_guess,
    highest,
)
from spacy_dxprivacy.lab.corpus import read_corpus, repeat_release
from spacy_dxprivacy.lab.mechanisms import make_mechanism
from spacy_dxprivacy.mechanisms.levels import RECOVERED, measured_at
from spacy_dxprivacy.prior.registered import WordPairs
from spacy_dxprivacy.sampler.sentence_level import InputRows

LENGTH = 4
SENTENCES = 400


def small_language():
    known = np.random.default_rng(5).random(N) + 0.05
    return Language(small_chain("pairs", seed=3), known / known.sum())


@pytest.fixture(scope="module")
def language(space):
    return language_of(space)


def random_text(language, documents, length, seed=1):
    rng = np.random.default_rng(seed)
    p = language.usual / language.usual.sum()
    return EncodedCorpus.of(rng.choice(len(p), (documents, length), p=p))


def law_of(language):
    every = np.arange(N)
    return log_sentences(language.first(every), language.moves(every, every))


def log_sentences(first, T):
    """ln P of every sentence, (N ** LENGTH,), and the sentences."""
    S = all_sentences(N, LENGTH)
    return np.log(first)[S[:, 0]] + np.log(T)[S[:, :-1], S[:, 1:]].sum(axis=1), S


def likelihoods(mechanism, S):
    """float64 (originals, outputs): ln P(output | original) of all sentences, by its definition."""
    built, starts = mechanism.built, np.tile(np.arange(S.shape[1]) == 0, len(S))
    if mechanism.facts.draws_sentences:
        released = InputRows(S.ravel(), starts, np.ones(S.size, dtype=bool))
        q = built.likelihood.log_sums(released)
    else:
        q = np.log(built.words.weights)[S].sum(axis=1)
    D = built.kernel.distances(np.arange(N))
    path = sum(D[np.ix_(S[:, i], S[:, i])] for i in range(S.shape[1]))
    L = q - built.kernel.beta * path
    return L - logsumexp(L, axis=1, keepdims=True)


def posterior(mechanism, prior, S):
    """By brute force: joint of originals and outputs, and (place, word, output) of the words."""
    joint = np.exp(likelihoods(mechanism, S) + prior[:, None])
    places = range(S.shape[1])
    return joint, np.stack([[joint[S[:, i] == w].sum(axis=0) for w in range(N)] for i in places])


def best_words(marginals, out):
    """The likeliest word of each place of outputs, one after another."""
    length = len(marginals)
    number = out.reshape(-1, length) @ N ** np.arange(length)[::-1]
    return marginals.argmax(axis=1)[:, number].T.ravel()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", [0.7, 1.5])
def test_it_comes_near_to_the_exact_posterior(kind, beta):
    """Over all originals, by brute force; texts are drawn from the attacker's prior."""
    mechanism, language = small_mechanism(kind, beta=beta), small_language()
    prior, S = law_of(language)
    assert logsumexp(prior) == pytest.approx(0, abs=1e-5)
    drawn = np.random.default_rng(0).choice(len(S), SENTENCES, p=np.exp(prior - logsumexp(prior)))
    text = EncodedCorpus.of(S[drawn])
    out = sample_release(text, mechanism, Rng(seed=1)).rows
    seen, X = SeenRelease(out, text.sentences), small_space().vectors
    guess = ReleaseReading.of(seen, mechanism, X, language, Rng(seed=2)).guess()
    right = (guess == text.rows).mean()
    joint, marginals = posterior(mechanism, prior, S)
    assert right > (best_words(marginals, out) == text.rows).mean() - 0.02
    # and of all outputs, weighed by how likely they are: no more than the best there is
    assert right < marginals.max(axis=1).sum() / LENGTH / joint.sum() + 0.05


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", [0.3, 1.5, 6.0])
def test_bounds_of_unlikely_candidates_leave_the_guess_as_it_is(kind, beta, monkeypatch):
    mechanism, language = small_mechanism(kind, beta=beta), small_language()
    text = random_text(language, 50, LENGTH)
    out = sample_release(text, mechanism, Rng(seed=1)).rows

    def guess():
        seen, X = SeenRelease(out, text.sentences), small_space().vectors
        return ReleaseReading.of(seen, mechanism, X, language, Rng(seed=2)).guess()

    bounded = guess()
    monkeypatch.setattr(reading, "NEGLIGIBLE", -1.0)  # all are exact
    assert np.array_equal(bounded, guess())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", [0.3, 1.5, 6.0])
def test_bounds_of_sums_leave_the_bayes_guess_as_it_is(kind, beta):
    mechanism, language = small_mechanism(kind, beta=beta), small_language()
    text = random_text(language, 50, LENGTH)
    trial = AttackTrial(AttackTarget(small_space(), text), mechanism)
    of_logs = bayes_guess(trial.logs, trial.target.log_prior)[trial.columns]
    assert np.array_equal(trial.bayes, of_logs)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_over_their_sums_are_the_word_level_probabilities(kind):
    mechanism, rows, outputs = small_mechanism(kind, beta=1.5), np.arange(N), np.array([4, 0, 2])
    logs, log_least = mechanism.log_weights(rows, outputs)
    sums = mechanism.log_sums(rows)
    expected = np.log(mechanism.distribution(rows)[:, outputs])
    np.testing.assert_allclose(logs - sums[:, None], expected, rtol=1e-9)
    assert (log_least <= sums + 1e-12).all()


def test_the_law_is_the_mixture_that_it_says():
    language, every = small_language(), np.arange(N)
    T = language.moves(every, every)
    assert T.sum(axis=1) == pytest.approx(np.ones(N), abs=1e-5)
    assert np.stack([language.moves_from(row) for row in every]) == pytest.approx(T)
    some = np.array([3, 1, 3, 0])
    assert language.moves(some, some[::-1]) == pytest.approx(T[np.ix_(some, some[::-1])])
    assert language.first(every).sum() == pytest.approx(1, abs=1e-5)
    assert language.usual.sum() == pytest.approx(1, abs=1e-5)
    known_language = Language(language.chain, language.frequencies, share=0.0)
    rows, starts = np.array([1, 3, 2, 0]), np.array([True, False, False, True])
    first, T = known_language.first(every), known_language.moves(every, every)
    wanted = -np.log([first[1], T[1, 3], T[3, 2], first[0]]).mean()
    assert language.nats(rows, starts) == pytest.approx(wanted)  # without what was read


def test_it_does_not_worse_than_one_who_reads_no_context(space, language):
    text = random_text(language, 40, 20)
    scene = AttackTarget(space, text, text, candidates=len(space))
    vars(scene)["language"] = language
    mechanism = make_mechanism("dx.Exponential.v1", space, 3.0)
    found = {f.attacker: f.value for f in attack("guess", AttackTrial(scene, mechanism))
             if f.measure == "words recovered"}  # fmt: skip
    assert found[language.name] > found["Bayes"] - 0.05


def test_without_the_outputs_the_likeliest_words_are_guessed():
    language = small_language()
    seen = SeenRelease(np.zeros(3, dtype=np.int64), np.array([True, False, True]))
    guess = filled_guess(seen, np.ones(3, dtype=bool), language)
    post, S = law_of(language)
    first = [np.exp(logsumexp(post[S[:, 0] == w])) for w in range(N)]
    assert guess[0] == guess[2] == int(np.argmax(first))


def test_a_corpus_keeps_the_sentences_of_its_file(tmp_path, space):
    a, b, c = space.words[3:6]
    path = tmp_path / "notes.jsonl"
    text = f"{a} {b}. Zorblattovich {c} {a}\n{b}, {c}"
    path.write_text(json.dumps({"text": text}) + "\n" + json.dumps({"text": c}) + "\n")
    corpus = read_corpus(str(path), space)
    assert [space.words[r] for r in corpus.rows] == [a, b, c, a, b, c, c]
    assert corpus.sentences.tolist() == [True, False, True, False, True, False, True]
    assert corpus.opening(3).sentences.tolist() == [True, False, True, True]
    assert corpus.first(1).sentences.tolist() == corpus.sentences.tolist()[:6]
    assert corpus.halves()[1].sentences.tolist() == [True]
    whole = EncodedCorpus.of([np.arange(100), np.arange(3)])  # cut where mechanisms cut it
    assert np.flatnonzero(whole.sentences).tolist() == [0, 48, 96, 100]


def test_repeated_releases_are_of_the_sentence_around_a_word():
    """By the likelihood of all sentences."""
    mechanism, n = small_mechanism("pairs"), 3000
    text = EncodedCorpus.of([np.array([0, 1, 2]), np.array([3, 4])])
    out = repeat_release(text, mechanism, (np.array([1]), np.array([4])), n, Rng(seed=0)).rows
    S = np.array(list(itertools.product(range(N), repeat=3)))
    starts = np.tile([True, False, False], len(S))
    P = np.exp(mechanism.log_likelihood(np.tile([0, 4, 2], len(S)), S.ravel(), starts))
    wanted = np.bincount(S[:, 1], P, N)
    assert np.bincount(out, minlength=N) / n == pytest.approx(wanted, abs=0.04)


@pytest.mark.slow
def test_the_frontier_rises_with_epsilon_and_meets_attackers_between(space, language):
    text = random_text(language, 20, 20)
    target = AttackTarget(space, text)
    assert target.nats(text.rows) == 0 and target.cosine(text.rows) == pytest.approx(1, abs=1e-5)
    makers = {"a": lambda e: make_mechanism("dx.Path.v2", space, e)}
    points = frontier(makers, {"a": (0.2, 1.5, 4.0)}, target)
    assert np.all(np.diff([p.found for p in points]) > 0)
    assert np.all(np.diff([p.cosine for p in points]) > 0)
    for p in points:
        assert p.low <= p.found <= p.high and p.words == 400
    half = (points[0].found + points[1].found) / 2
    (met,) = at_attacker(points, half)
    assert met.found == pytest.approx(half)
    assert met.kept == pytest.approx((points[0].kept + points[1].kept) / 2)
    assert at_attacker(points, 0.9999) == []


def test_at_every_epsilon_the_better_attacker_counts_and_is_named():
    for epsilon in np.linspace(0.55, 1.1, 23):
        found = measured_at(epsilon)
        for points in RECOVERED.values():
            known = [p for p in points if p[0] <= epsilon]
            assert all(found.found >= p[1] - 0.01 for p in known)
            assert all(found.rare_found >= p[2] - 0.02 for p in known)
        assert {found.attacker, found.rare_attacker} <= set(RECOVERED)
    assert measured_at(0.5) is None and measured_at(1.11) is None


def test_who_attacks_goes_by_every_public_law_of_pairs():
    space = Space.builtin()
    path = registry.dx_mechanisms.get("dx.Path.v2")
    prior = registry.dx_priors.get("dx.WordPairs.v1")
    texts = ["She denies any chest pain", "The patient has a history of diabetes and asthma"]
    rows = [[space.find(word) for word in text.split()] for text in texts]
    language = language_of(space, EncodedCorpus.of(rows))
    clinical = prior(domain="clinical").fit(space).digest

    def digests(known_language):
        variants = language_variants(language, path(epsilon=1.0, prior=known_language).fit(space))
        assert all((one.frequencies == language.frequencies).all() for one in variants)
        return [one.chain.digest for one in variants]

    english = language.chain.digest
    pairs = WordPairs(domain=None)
    assert digests(pairs) == digests(prior(domain="clinical")) == [english, clinical]
    assert digests(None)[:2] == [english, clinical] and len(digests(None)) == 3
    assert digests(prior(domain="dialogues"))[:2] == [english, clinical]
    assert len(digests(prior(domain="dialogues"))) == 3
    uniform = registry.dx_priors.get("dx.Uniform.v1")()
    assert digests(uniform) == [english, clinical]


@pytest.mark.parametrize("ties", [1, 1000])
@pytest.mark.parametrize("count", [1, 7, 300, 1000])
def test_the_highest_scores_are_those_of_a_sort(count, ties):
    scores = np.round(np.random.default_rng(count).normal(size=1000) * ties) / ties
    scores[::3] = -np.inf
    found = highest(scores, count)
    assert len({*found.tolist()}) == count
    assert np.sort(scores[found]).tolist() == np.sort(scores)[-count:].tolist()


def test_a_narrower_lattice_has_the_posteriors_of_its_candidates(language):
    rng = np.random.default_rng(2)
    C = np.stack([rng.choice(len(language.frequencies), 12, replace=False) for _ in range(6)])
    lattice, logs = Lattice.of(C, language), rng.normal(size=C.shape)
    best = lattice.best(lattice.posteriors(logs), 5)
    columns = np.stack(
        [[row.tolist().index(w) for w in few] for row, few in zip(C, best.C, strict=True)]
    )
    narrow = np.take_along_axis(logs, columns, axis=1)
    expected = Lattice.of(best.C, language).posteriors(narrow)
    assert best.posteriors(narrow) == pytest.approx(expected, rel=1e-4)


# What was recovered of this text when no step was left out or shared: all transitions of all
# candidates, and the channel to the outputs of two releases. By nearest words, by Bayes, by word
# pairs; and by word pairs at one point of the frontier.
RECOVERED_SLOWLY = {
    ("dx.Laplace.v1", 8.0): (0.450, 0.536, 0.486, 0.544),
    ("dx.Exponential.v1", 4.0): (0.822, 0.867, 0.842, 0.800),
    ("dx.Path.v1", 1.5): (0.317, 0.494, 0.428, 0.431),
    ("dx.Path.v2", 0.8): (0.214, 0.253, 0.219, 0.231),
    ("dx.NADP.v1", 150.0): (0.747, 0.814, 0.797, 0.822),
    ("dx.CusText.v1", 4.0): (0.239, 0.517, 0.397, 0.364),
    ("dx.TruncatedGumbel.v1", 1e4): (0.464, 0.672, 0.614, 0.608),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*DX101")
@pytest.mark.parametrize(("name", "epsilon"), RECOVERED_SLOWLY)
def test_fast_attacks_recover_what_slow_ones_did(name, epsilon):
    """Within their intervals."""
    whole = Space.builtin()
    space = Space.from_vectors(whole.words[:2000], np.array(whole.vectors[:2000]))
    text = random_text(language_of(space), 30, 12, seed=4)
    target = AttackTarget(space, text, candidates=1000)
    mechanism = make_mechanism(name, space, epsilon)
    found = attack("guess", AttackTrial(target, mechanism))
    last = point(name, mechanism, target)
    intervals = [(f.low, f.high) for f in found if f.measure == "words recovered"]
    intervals.append((last.low, last.high))
    for recorded, (low, high) in zip(RECOVERED_SLOWLY[name, epsilon], intervals, strict=True):
        assert low <= recorded <= high
