"""`dx tune` and `dx inspect`: what their figures are, and that a target holds where they say."""

import json
from functools import partial

import numpy as np
import pytest
from conftest import KNOWN_SECRETS, SECRET_TEXT, UNKNOWN_SECRETS, leaks, run_dx

from spacy_dxprivacy.lab.commands.inspect import nearest_others
from spacy_dxprivacy.lab.epsilons import (
    evenly,
    running_text,
    sampled,
)
from spacy_dxprivacy.lab.mechanisms import make_mechanism
from spacy_dxprivacy.lab.tuning import Bench, Study, Target, loss_of, solve
from spacy_dxprivacy.mechanisms.levels import scale_of

# Where about half of the words of the small space stay.
HALF = {"dx.Path.v1": 2.0, "dx.Exponential.v1": 4.0, "dx.Laplace.v1": 8.0}


@pytest.fixture(scope="module")
def bench(space):
    return Bench(space.vectors, running_text(len(space), 120), draws=20)


def tuner(name, space, bench):
    make = partial(make_mechanism, name, space)
    return lambda epsilon: Study(space, bench).point(make, epsilon)


class Hidden:
    """A choice mechanism that does not state its probabilities."""

    def __init__(self, mechanism):
        self.name, self.guarantee = mechanism.name, mechanism.guarantee
        self.fit, self.sample = mechanism.fit, mechanism.sample


@pytest.mark.parametrize("size", [1, 7, 100, 5000])
def test_a_sample_has_its_size_and_each_word_its_share_of_it(size):
    probes = sampled(np.array([3, 8, 5]), [2, 7, 1], 10)  # all tokens: the text itself
    assert probes.rows.tolist() == [3, 8, 5] and probes.counts.tolist() == [2, 7, 1]
    frequencies = np.random.default_rng(0).integers(1, 50, 300)
    probes = sampled(np.arange(300), frequencies, size)
    assert probes.size == size and probes.weights.sum() == pytest.approx(1)
    expected = size * frequencies / frequencies.sum()
    counts = np.zeros(300)
    counts[probes.rows] = probes.counts
    assert np.all(np.abs(counts - expected) <= 1)


@pytest.mark.parametrize("name", ["dx.Path.v1", "dx.Exponential.v1", "dx.TEM.v1"])
def test_exact_figures_are_what_a_simulation_counts(name, space):
    bench = Bench(space.vectors, running_text(len(space), 60), draws=1000)
    mechanism = make_mechanism(name, space, HALF.get(name, 4.0))
    exact, counted = bench.measure(mechanism), bench.measure(Hidden(mechanism))
    assert exact.exact and not counted.exact
    error = 5 * np.sqrt(0.25 / 1000)
    assert np.abs(exact.unchanged - counted.unchanged).max() < error
    assert np.abs(exact.similarity - counted.similarity).max() < 5 * np.sqrt(1 / 1000)
    # The guesser who learns does a little less than the one who knows.
    weights = bench.probes.weights
    learned, knows = weights @ counted.guesser, weights @ exact.guesser
    assert knows - 0.08 < learned < knows + 0.02


def test_the_guesser_is_blind_without_information_and_right_without_noise(space, bench):
    weights = bench.probes.weights
    blind = bench.measure(make_mechanism("dx.Exponential.v1", space, 1e-6))
    assert weights @ blind.guesser == pytest.approx(weights.max(), abs=1e-3)
    for name in ("dx.Exponential.v1", "dx.Laplace.v1"):
        clear = bench.measure(make_mechanism(name, space, 300.0))
        assert weights @ clear.guesser == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("name", ["dx.Path.v1", "dx.Exponential.v1", "dx.Laplace.v1"])
def test_the_loss_is_that_of_the_receipt(name, space):
    mechanism = make_mechanism(name, space, 2.0)
    scale = scale_of(mechanism, len(space))
    assert loss_of(mechanism, len(space)) == pytest.approx(scale["nearest"]["nats"])


@pytest.mark.parametrize("name", ["dx.Path.v1", "dx.Exponential.v1"])
@pytest.mark.parametrize(
    "text",
    ["unchanged <= 0.3", "unchanged>=30%", "similarity >= 0.6", "guesser <= 0.5", "loss <= 5"],
)
def test_a_target_is_met_at_its_epsilon_and_not_a_little_farther(name, text, space, bench):
    target, measure = Target.parse(text), tuner(name, space, bench)
    points = list(map(measure, evenly(HALF[name] / 8, HALF[name] * 8, 8)))
    answer = solve(target, points, measure)
    assert answer is not None and answer.bounded and target.met(answer.point)
    most_private_first = target.met(points[0])
    beyond = answer.point.epsilon * (1.01 if most_private_first else 1 / 1.01)
    assert not target.met(measure(beyond))


def test_a_target_that_nothing_or_everything_meets(space, bench):
    measure = tuner("dx.Exponential.v1", space, bench)
    points = list(map(measure, [3.0, 4.0, 5.0]))
    assert solve(Target.parse("unchanged <= 0"), points, measure) is None
    answer = solve(Target.parse("unchanged <= 1"), points, measure)
    assert answer.point.epsilon == 5.0 and not answer.bounded
    refuted = tuner("dx.Jaccard.v1", space, bench)
    assert solve(Target.parse("loss <= 9"), [refuted(5.0)], refuted) is None


@pytest.fixture
def dx(space_path):
    def run(*args, **kwargs):
        chosen = [] if "--space" in args else ["--space", space_path]
        return run_dx(*args, *chosen, **kwargs)

    return run


@pytest.mark.slow
def test_tune_prints_a_table_and_an_epsilon_and_writes_the_same(dx, tmp_path):
    path = tmp_path / "tune.json"
    args = ("-m", "path", "-m", "laplace", "--target", "unchanged <= 0.3", "--json", path)
    result = dx("tune", *args)
    assert result.exit_code == 0, result.stderr
    report = json.loads(path.read_text())
    assert [m["mechanism"] for m in report["mechanisms"]] == ["dx.Path.v2", "dx.Laplace.v1"]
    for entry in report["mechanisms"]:
        assert entry["points"][0]["unchanged"] < 0.05 and entry["points"][-1]["unchanged"] > 0.95
        assert entry["target"]["unchanged"] <= 0.3
        assert f"epsilon = {entry['target']['epsilon']:g}. There" in result.stdout
    assert result.stderr == ""  # no progress bar in a pipe
    assert dx("tune", *args).exit_code == 2  # the file is there
    again = dx("tune", *args, "--force")
    assert again.stdout == result.stdout


def test_a_text_is_measured_and_none_of_its_words_shown(dx, tmp_path):
    text, out = tmp_path / "note.txt", tmp_path / "out.json"
    text.write_text(SECRET_TEXT)
    args = ("tune", "-m", "exponential", "-e", "2:8:3", "--json", out, "--text")
    result = dx(*args, text)
    assert result.exit_code == 0, result.stderr
    assert "lacks" in result.stdout and "not private" in result.stdout
    shown = result.stdout + result.stderr + out.read_text()
    assert not leaks(shown, (*UNKNOWN_SECRETS, *KNOWN_SECRETS))
    same = dx(*args, "-", "--force", input=SECRET_TEXT)
    assert same.stdout == result.stdout


def test_inspect_shows_neighbours_and_outputs(dx, space):
    result = dx("inspect", "Doctor", "--epsilon", 2)
    assert result.exit_code == 0, result.stderr
    nearest = space.words[nearest_others(space.vectors, np.array([space.find("doctor")]), 1)[0, 0]]
    assert nearest in result.stdout and "exact" in result.stdout
    P = make_mechanism("dx.Path.v2", space, 2.0).distribution([space.find("doctor")])[0]
    (line,) = (line for line in result.stdout.splitlines() if "(unchanged)" in line)
    assert f"{P[space.find('doctor')]:.2%}" in line
    assert f"{len(space) - 20:,} others" in result.stdout
    # One that states no probabilities is simulated.
    result = dx("inspect", "doctor", "-m", "laplace", "-e", 8, "--draws", 300)
    assert result.exit_code == 0 and "in 300 draws" in result.stdout
