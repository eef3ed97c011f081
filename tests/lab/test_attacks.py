"""The attacks: the definition of each figure, and the properties of all of them."""

import csv
import itertools
from types import SimpleNamespace

import numpy as np
import pytest
import srsly
from conftest import SECRETS, leaks, ok, run_dx

from spacy_dxprivacy import Draw, DxError, Rng
from spacy_dxprivacy.lab.attacks import (
    ATTACKS,
    AttackTarget,
    AttackTrial,
    EncodedCorpus,
    attack,
    averaged_guess,
    bayes_guess,
    channel_of,
    sample_release,
    zipf,
)
from spacy_dxprivacy.lab.attacks.guessing import (
    auc,
    background,
    likelihood_scores,
    link_probabilities,
    membership_score,
    nearest_guess,
    rare_word_scores,
    true_positives,
)
from spacy_dxprivacy.lab.mechanisms import make_mechanism, parse_tunable
from spacy_dxprivacy.lab.results import share, share_by_document

CHOICE = ["dx.Path.v1", "dx.Exponential.v1", "dx.TEM.v1"]
# Where about half of the words of the small space stay.
HALF = {"dx.Path.v1": 2.0, "dx.Exponential.v1": 4.0, "dx.TEM.v1": 4.0, "dx.Laplace.v1": 8.0}
RARELY = 5  # words that may follow a word


def hidden(mechanism):
    """A mechanism that does not state its probabilities."""
    shown = ("name", "guarantee", "sample")
    return SimpleNamespace(**{name: getattr(mechanism, name) for name in shown})


class Same:
    """No noise at all."""

    def __init__(self, mechanism):
        self.name, self.guarantee = "same", mechanism.guarantee
        self.n = mechanism.distribution(np.array([0])).shape[1]

    def sample(self, rows, rng):
        return Draw(rows.copy())

    def distribution(self, rows):
        return np.eye(self.n)[rows]


def chain(n, documents, length, seed):
    """Documents in which each word is followed by one of RARELY others."""
    follows = np.random.default_rng(7).integers(0, n, (n, RARELY))
    generator = np.random.default_rng(seed)
    made = np.empty((documents, length), dtype=np.int64)
    made[:, 0] = generator.choice(n, documents, p=zipf(n))
    for i in range(1, length):
        made[:, i] = follows[made[:, i - 1], generator.integers(0, RARELY, documents)]
    return EncodedCorpus.of(made)


@pytest.fixture(scope="module")
def scene(space):
    n = len(space)
    text, public = chain(n, 60, 25, seed=1), chain(n, 300, 25, seed=2)
    return AttackTarget(space, text, public, candidates=n)


@pytest.fixture(scope="module")
def exact(space):
    """P (n, n) of a mechanism at an epsilon."""
    every = np.arange(len(space))
    return lambda name, epsilon: make_mechanism(name, space, epsilon).distribution(every)


def logs_of(P):
    return np.log(np.maximum(P, 1e-300)).astype(np.float32)


def expected(P, prior, guesses):
    """How often these guesses (one an output) are right."""
    return float((prior[guesses] * P[guesses, np.arange(P.shape[1])]).sum())


@pytest.mark.parametrize("name", CHOICE)
def test_a_channel_has_the_probabilities_of_the_mechanism(name, space, exact, monkeypatch):
    words, outputs = np.array([9, 2, 40]), np.array([7, 2, 100, 7])
    mechanism = make_mechanism(name, space, HALF[name])
    channel = channel_of(mechanism, space.vectors, words, outputs, Rng(seed=0))
    P = exact(name, HALF[name])[np.ix_(words, outputs)]
    assert np.exp(channel.of(words)[:, channel.columns(outputs)]) == pytest.approx(P, rel=1e-4)
    assert channel.exact
    with pytest.raises(DxError, match="DX001"):
        channel.columns(np.array([8]))
    monkeypatch.setattr("spacy_dxprivacy.lab.attacks.channel.MAX_NUMBERS", 8)
    with pytest.raises(DxError, match="DX091"):
        channel_of(mechanism, space.vectors, words, outputs, Rng(seed=0))


@pytest.mark.parametrize("name", CHOICE)
def test_a_channel_that_is_learned_comes_near_to_the_exact_one(name, scene, space):
    """Simulation does not beat knowledge, and is not much worse."""
    mechanism = make_mechanism(name, space, HALF[name])
    known, learned = AttackTrial(scene, mechanism), AttackTrial(scene, hidden(mechanism))
    assert not learned.channel.exact
    right = [
        (bayes_guess(t.logs, scene.log_prior)[t.columns] == scene.places).mean()
        for t in (known, learned)
    ]
    assert right[0] - 0.05 < right[1] < right[0] + 0.02


NOISY = {
    "dx.Laplace.v1": 8.0, "dx.Mahalanobis.v1": 8.0, "dx.RandomProjection.v1": 20.0,
    "dx.ClippedLaplace.v1": 100.0, "dx.TruncatedLaplace.v1": 100.0, "dx.Gaussian.v1": 30.0,
    "dx.Jaccard.v1": 40.0, "dx.NADP.v1": 30.0, "dx.Laplace.v1 projection=vickrey": 8.0,
}  # fmt: skip


@pytest.mark.parametrize("setting", NOISY)
@pytest.mark.filterwarnings("ignore:.*DX101")
def test_an_estimated_channel_has_the_probabilities_that_many_draws_have(setting, space):
    """Few draws of each word estimate what 1,000 draws of it count, also of outputs that none of
    its own few draws became."""
    mechanism = make_mechanism(parse_tunable(setting)[1], space, NOISY[setting])
    words, times = np.array([2, 9, 40, 41]), 1_000
    seen = mechanism.sample(np.repeat(words, times), Rng(seed=1)).rows.reshape(-1, times)
    outputs = np.union1d(words, np.unique(seen)[::8])
    counted = (seen[:, :, None] == outputs).mean(axis=1)
    channel = channel_of(mechanism, space.vectors, words, outputs, Rng(seed=2), draws=800)
    estimated = np.exp(channel.of(words))
    unchanged = counted[np.arange(4), np.searchsorted(outputs, words)].mean()
    assert not channel.exact and 0.02 < unchanged < 0.98
    # Both sides are samples; the pseudo-draws of an output move what is rare.
    error = np.sqrt(counted * (1 - counted) / times) + np.sqrt(estimated / (100 + 32))
    assert (np.abs(estimated - counted) < 5 * error + 0.02).all()
    often = counted > 0.05
    assert np.abs(estimated - counted)[often].mean() < 0.06


@pytest.mark.parametrize("name", ["dx.Laplace.v1", "dx.Gaussian.v1", "dx.NADP.v1"])
@pytest.mark.filterwarnings("ignore:.*DX101")
def test_stated_densities_recover_what_simulation_recovers(name, scene, space):
    """With an eighth of the draws: equal within the intervals of both."""
    mechanism = make_mechanism(name, space, NOISY[name])
    stated, simulated = AttackTrial(scene, mechanism), AttackTrial(scene, hidden(mechanism))
    rates = []
    for trial in (stated, simulated):
        guesses = bayes_guess(trial.logs, scene.log_prior)[trial.columns]
        rates.append(share_by_document(guesses == scene.places, scene.text.doc_of))
    (right, low, high, _), (as_simulated, least, most, _) = rates
    assert low <= most and high >= least and right > as_simulated - 0.03


@pytest.mark.parametrize("name", CHOICE)
def test_the_bayes_guesser_is_the_best(name, space, exact):
    n, prior = len(space), zipf(len(space))
    D = make_mechanism(name, space, 1.0).distances(np.arange(n))
    rows, found = np.arange(n), []
    for epsilon in (1e-6, 0.05, 0.2, 1.0, 3.0, 8.0):
        P = exact(name, epsilon)
        best = expected(P, prior, bayes_guess(logs_of(P), np.log(prior)))
        assert best == pytest.approx((P * prior[:, None]).max(axis=0).sum(), rel=1e-5)
        assert best >= expected(P, prior, nearest_guess(space.vectors, rows, rows))
        assert best <= prior.max() * np.exp(epsilon * D.max()) * (1 + 1e-6)
        found.append(best)
    assert found[0] == pytest.approx(prior.max(), rel=1e-4)  # as without the output
    assert np.all(np.diff(found) > -1e-9) and found[-1] > 0.99  # falls as epsilon falls


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_averaging_over_more_draws_never_does_worse(epsilon, exact):
    """By summation over all outputs of one, two and three draws of six words."""
    P = exact("dx.Exponential.v1", epsilon)[:6]
    P = np.stack([P[:, :3].sum(1), P[:, 3:6].sum(1), P[:, 6:].sum(1)], axis=1)  # three kinds
    prior, found = zipf(6), [zipf(6).max()]
    for k in (1, 2, 3):
        outputs = np.array(list(itertools.product(range(3), repeat=k)))
        groups = np.repeat(np.arange(len(outputs)), k)
        guesses = averaged_guess(logs_of(P), np.log(prior), outputs.ravel(), groups)
        joint = prior[guesses] * np.prod(P[guesses[:, None], outputs], axis=1)
        every = prior[:, None] * np.prod(P[:, outputs], axis=2)
        assert joint.sum() == pytest.approx(every.max(axis=0).sum(), rel=1e-5)
        found.append(joint.sum())
    assert np.all(np.diff(found) > -1e-9)


@pytest.mark.parametrize("name", CHOICE)
def test_scope_type_leaves_nothing_to_average_over(name, space):
    n = len(space)
    words = np.random.default_rng(0).choice(n, 400, p=zipf(n))
    mechanism = make_mechanism(name, space, HALF[name] / 2)
    right = {}
    for times in (1, 16):
        text = EncodedCorpus.of(np.repeat(words[:, None], times, axis=1))
        scene = AttackTarget(space, text, candidates=n)
        firsts = np.arange(400) * times
        for scope in ("token", "type"):
            outputs = sample_release(scene.text, mechanism, Rng(seed=5), scope=scope).rows
            some = np.arange(400 * times) if scope == "token" else firsts
            channel = channel_of(mechanism, space.vectors, np.arange(n), outputs, Rng(seed=0))
            guesses = averaged_guess(
                channel.logs, np.log(zipf(n)), channel.columns(outputs[some]),
                scene.text.doc_of[some],
            )  # fmt: skip
            right[scope, times] = (guesses == words).mean()
    assert right["token", 16] > right["token", 1] + 0.2
    assert right["type", 16] == pytest.approx(right["type", 1], abs=0.07)


def test_the_score_is_the_likelihood_ratio_of_one_place_of_the_document(exact):
    P, prior = exact("dx.Exponential.v1", 2.0)[:8], zipf(8)
    columns, word = np.array([3, 3, 17, 60]), 5
    usual = background(logs_of(P), np.log(prior))
    assert np.exp(usual) == pytest.approx(prior @ P, rel=1e-4)
    places = [
        np.prod([P[word, y] if i == at else prior @ P[:, y] for i, y in enumerate(columns)])
        for at in range(4)
    ]
    ratio = np.mean(places) / np.prod(prior @ P[:, columns])
    score = membership_score(logs_of(P)[word, columns], usual[columns])
    assert score == pytest.approx(np.log(ratio), abs=1e-4)


def test_the_curve_counts_pairs_and_false_alarms():
    members, others = np.array([3.0, 1.0]), np.array([2.0, 1.0, 0.0, 0.0])
    assert auc(members, others) == pytest.approx((4 + 2.5) / 8)
    assert auc(others, others) == 0.5
    assert true_positives(members, others, alarms=0) == 0.5
    assert true_positives(members, others, alarms=0.25) == 0.5  # a tie with an other is no hit
    assert true_positives(np.ones(5), np.ones(500)) == 0


def test_scores_of_links(exact):
    originals = np.array([[1, 2, 3], [1, 4, 5], [1, 4, 2]])
    outputs = np.array([[3, 1, 9], [4, 8, 7], [0, 0, 0]])
    scores = rare_word_scores(outputs, originals)
    assert scores[0].tolist() == pytest.approx([np.log(3), 0, 0])  # all have 1; 3 says more
    assert scores[1].tolist() == pytest.approx([0, np.log(1.5), np.log(1.5)])
    assert link_probabilities(scores).tolist() == pytest.approx(
        [1, 1 / 2, 1 / 3]
    )  # ties are guesses
    P = exact("dx.Path.v1", 2.0)
    scores = likelihood_scores(logs_of(P), outputs, originals)
    wanted = np.log(P[originals[1], outputs[0]]).sum()
    assert scores.shape == (3, 3) and scores[0, 1] == pytest.approx(wanted, rel=1e-4)


def test_without_noise_everything_is_found(scene, space):
    trial = AttackTrial(scene, Same(make_mechanism("dx.Path.v1", space, 1.0)))
    found = [f for name in ATTACKS for f in attack(name, trial)]
    assert {f.attack for f in found} == set(ATTACKS)
    for f in found:
        assert f.value > 0.98, f


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CHOICE, "dx.Laplace.v1"])
def test_attacks_do_worse_at_a_smaller_epsilon_and_end_at_the_baseline(name, scene, space):
    epsilons = [1e-4, HALF[name] / 2, 3 * HALF[name]]
    trials = [AttackTrial(scene, make_mechanism(name, space, epsilon)) for epsilon in epsilons]
    for which in ATTACKS:
        for least, middle, most in zip(*(attack(which, t) for t in trials), strict=False):
            assert (least.attacker, least.setting) == (most.attacker, most.setting)
            assert least.value <= middle.value + 0.05 <= most.value + 0.1
            assert least.low <= least.value <= least.high
            if least.attacker != "nearest word":
                apart = 0.04 + 3 * (least.baseline * (1 - least.baseline) / least.n) ** 0.5
                assert least.value == pytest.approx(least.baseline, abs=apart), least


def test_intervals_hold_the_truth_and_get_narrower():
    generator = np.random.default_rng(0)
    hit = 0
    for _ in range(200):
        right = generator.random(300) < 0.3
        _, low, high, _ = share_by_document(right, np.repeat(np.arange(60), 5))
        hit += low <= 0.3 <= high
    assert hit >= 180
    assert share(np.ones(10))[1] == pytest.approx(0.025 ** (1 / 10))
    assert share_by_document(np.ones(10), np.arange(10)) == share(np.ones(10))


def test_attacks_that_have_nothing_to_work_on_say_so(space):
    alone = AttackTarget(space, EncodedCorpus.of([np.array([1, 2, 3])]), candidates=50)
    trial = AttackTrial(alone, make_mechanism("dx.Path.v1", space, 1.0))
    for name in ("membership", "link"):
        with pytest.raises(DxError, match=f"DX090.*{name}"):
            attack(name, trial)
    with pytest.raises(DxError, match="DX001"):
        attack("bribery", trial)


@pytest.mark.slow
def test_the_command_writes_figures_and_no_word(space_path, tmp_path, space):
    """Of documents of the words of the space, each with a word that it lacks."""
    pytest.importorskip("matplotlib", reason="plots (matplotlib)")
    some = np.random.default_rng(3).choice(space.words, (12, 25))
    notes, out = tmp_path / "notes.jsonl", tmp_path / "out"
    srsly.write_jsonl(notes, ({"text": " ".join([*words, "Zorblattovich"])} for words in some))
    args = ["attack", "all", notes, "-m", "path", "-m", "laplace", "-e", "2", "--out", out]
    args += ["--space", space_path]
    result = ok(run_dx(*args))
    assert "6 documents were attacked" in result.output
    assert {p.name for p in out.iterdir()} == {f"{a}.{x}" for a in ATTACKS for x in ("csv", "svg")}
    for name in ATTACKS:
        rows = list(csv.DictReader((out / f"{name}.csv").read_text().splitlines()))
        assert {row["mechanism"] for row in rows} == {"dx.Path.v2", "dx.Laplace.v1"}
        assert all(float(row["low"]) <= float(row["value"]) <= float(row["high"]) for row in rows)
        assert (out / f"{name}.svg").read_bytes().startswith(b"<?xml")
    everything = result.output + "".join(p.read_text() for p in out.iterdir())
    assert not leaks(everything, SECRETS)
    again = run_dx(*args)
    assert again.exit_code == 2 and "--force" in again.output
