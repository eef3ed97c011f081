"""`dx tune` and `dx inspect`: what their figures are, and that a target holds where they say."""

import importlib.util
import json
import warnings

import numpy as np
import pytest
from conftest import KNOWN_SECRETS, SECRET_TEXT, UNKNOWN_SECRETS, leaks
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import DxError, registry
from spacy_dxprivacy.lab.mechanisms import make_mechanism, parse_epsilons
from spacy_dxprivacy.lab.tuning.bench import (
    Bench,
    Probes,
    epsilon_range,
    evenly,
    nearest_others,
    running_text,
    sampled,
)
from spacy_dxprivacy.lab.tuning.inspected import look_at
from spacy_dxprivacy.lab.tuning.targets import SHARES, Losses, Target, Tuner, solve
from spacy_dxprivacy.privacy.levels import scale_of

NAMES = sorted(
    name
    for name in registry.dx_mechanisms.get_all()
    if name.startswith("dx.") and name != "dx.Identity.v1"
)
# Where about half of the words of the small space stay.
HALF = {"dx.Path.v1": 2.0, "dx.Exponential.v1": 4.0, "dx.Laplace.v1": 8.0}


@pytest.fixture(scope="module")
def bench(space):
    return Bench(space.vectors, running_text(len(space), 120), k=5, draws=20)


def tuner(name, space, bench):
    return Tuner(lambda epsilon: make_mechanism(name, space, epsilon), bench, Losses(len(space)))


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


def test_words_of_running_text_follow_zipfs_law():
    probes = running_text(50_000, 1000)
    shares = 1 / np.arange(1, 50_001)
    assert probes.weights[0] == pytest.approx(shares[0] / shares.sum(), abs=0.001)
    assert np.median(np.repeat(probes.rows, probes.counts)) == pytest.approx(169, rel=0.05)


@pytest.mark.parametrize("name", NAMES)
def test_what_becomes_of_words_adds_up(name, space, bench):
    figures = bench.measure(make_mechanism(name, space, 20.0))
    sums = sum(figures[share] for share in ("unchanged", "near", "farther"))
    assert sums == pytest.approx(np.ones(len(sums)), abs=1e-6)
    for share in SHARES:
        assert np.all((figures[share] >= 0) & (figures[share] <= 1 + 1e-6))
    assert np.all((figures.distinct >= 1 - 1e-6) & (figures.distinct <= bench.draws))
    assert np.all(np.abs(figures.similarity) <= 1 + 1e-6)


@pytest.mark.parametrize("name", ["dx.Path.v1", "dx.Exponential.v1", "dx.TEM.v1"])
def test_exact_figures_are_what_a_simulation_counts(name, space):
    bench = Bench(space.vectors, running_text(len(space), 60), k=5, draws=1000)
    mechanism = make_mechanism(name, space, HALF.get(name, 4.0))
    exact, counted = bench.measure(mechanism), bench.measure(Hidden(mechanism))
    assert exact.exact and not counted.exact
    error = 5 * np.sqrt(0.25 / 1000)
    for figure in ("unchanged", "near", "farther"):
        assert np.abs(exact[figure] - counted[figure]).max() < error
    assert np.abs(exact.similarity - counted.similarity).max() < 5 * np.sqrt(1 / 1000)
    assert np.abs(exact.distinct - counted.distinct).max() < 5 * np.sqrt(len(space) / 4)
    # The guesser who learns does a little less than the one who knows.
    weights = bench.probes.weights
    learned, knows = weights @ counted.guesser, weights @ exact.guesser
    assert knows - 0.08 < learned < knows + 0.02


def test_the_best_guesser_takes_the_likeliest_word_of_each_output(space, bench):
    mechanism = make_mechanism("dx.Exponential.v1", space, 3.0)
    weights = bench.probes.weights
    joint = weights[:, None] * mechanism.distribution(bench.probes.rows)
    success = weights @ bench.measure(mechanism).guesser
    assert success == pytest.approx(joint.max(axis=0).sum(), rel=1e-5)
    assert success >= max(weights.max(), weights @ bench.measure(mechanism).unchanged) - 1e-6


def test_the_guesser_is_blind_without_information_and_right_without_noise(space, bench):
    weights = bench.probes.weights
    blind = bench.measure(make_mechanism("dx.Exponential.v1", space, 1e-6))
    assert weights @ blind.guesser == pytest.approx(weights.max(), abs=1e-3)
    for name in ("dx.Exponential.v1", "dx.Laplace.v1"):
        clear = bench.measure(make_mechanism(name, space, 300.0))
        assert weights @ clear.guesser == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("name", HALF)
def test_more_epsilon_leaves_more_as_it_is(name, space, bench):
    points = tuner(name, space, bench).curve(evenly(HALF[name] / 4, HALF[name] * 4, 6)).points
    for figure in ("unchanged", "guesser", "similarity", "loss"):
        values = [point[figure] for point in points]
        assert np.all(np.diff(values) > -0.01), figure
    assert np.all(np.diff([point["farther"] for point in points]) < 0.01)


def test_the_nearest_words_are_those_of_euclid_without_the_word_itself(space):
    X = np.concatenate([space.vectors, space.vectors[:3], space.vectors[:3]])  # three at one point
    rows = np.array([0, 7, len(space)])
    near = nearest_others(X, rows, 6)
    for row, found in zip(rows, near, strict=True):
        apart = np.linalg.norm(X - X[row], axis=1)
        apart[row] = np.inf
        assert row not in found and len(set(found)) == 6
        assert np.sort(apart[found]) == pytest.approx(np.sort(apart)[:6], abs=1e-6)


def test_an_interval_is_that_of_a_mean_of_independent_words(space, bench):
    point = tuner("dx.Laplace.v1", space, bench)(8.0)
    probes = bench.probes
    low, high = point.interval("unchanged", probes.replicates())
    spread = np.sqrt(
        probes.weights @ (point.words.unchanged - point["unchanged"]) ** 2 / probes.size
    )
    assert low < point["unchanged"] < high
    assert (high - low) / 2 == pytest.approx(1.96 * spread, rel=0.1)


@pytest.mark.parametrize("name", ["dx.Path.v1", "dx.Exponential.v1", "dx.Laplace.v1"])
def test_losses_are_those_of_the_receipt(name, space):
    losses = Losses(len(space))
    for epsilon in (2.0, 5.0):  # the second from what the first found
        mechanism = make_mechanism(name, space, epsilon)
        scale = scale_of(mechanism, len(space))
        assert losses(mechanism) == pytest.approx({k: v["nats"] for k, v in scale.items()})


def test_a_guarantee_for_all_pairs_is_one_loss_and_a_refuted_one_is_none(space):
    losses = Losses(len(space))
    assert set(losses(make_mechanism("dx.Gaussian.v1", space, 7.0)).values()) == {7.0}
    assert losses(make_mechanism("dx.Jaccard.v1", space, 7.0)) is None
    assert losses(make_mechanism("dx.CusText.v1", space, 7.0)) is None  # within groups alone


@pytest.mark.parametrize("scale", [1e-6, 0.3, 1.0, 4e5])
def test_a_range_goes_from_2_to_98_percent(scale):
    low, high = epsilon_range(lambda e: 1 / (1 + (scale / e) ** 3))
    assert 1 / (1 + (scale / low) ** 3) == pytest.approx(0.02, abs=0.005)
    assert 1 / (1 + (scale / high) ** 3) == pytest.approx(0.98, abs=0.005)


def test_a_range_ends_where_the_share_levels_out_or_no_mechanism_is():
    def share(e):
        if not 0.5 < e < 900:
            raise DxError("no solution")
        return 0.2 + 0.5 * e / (e + 20)

    low, high = epsilon_range(share)
    assert 0.5 < low < 4 and 100 < high < 900
    low, high = epsilon_range(lambda e: 0.2 + 0.5 * e / (e + 20))
    assert low < 2 and high > 200
    with pytest.raises(DxError, match="no solution"):
        epsilon_range(lambda e: share(0))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_mechanism_has_a_range(name, space, bench):
    low, high = epsilon_range(lambda e: bench.unchanged(make_mechanism(name, space, e)))
    shares = [bench.unchanged(make_mechanism(name, space, e)) for e in (low, high)]
    assert low < high and shares[0] < shares[1]


@pytest.mark.parametrize("name", HALF)
@pytest.mark.parametrize(
    "text",
    ["unchanged <= 0.3", "unchanged>=30%", "similarity >= 0.6", "near >= 0.04", "guesser <= 0.5",
     "loss <= 5", "farther <= 0.4", "distinct >= 5"],
)  # fmt: skip
def test_a_target_is_met_at_its_epsilon_and_not_a_little_farther(name, text, space, bench):
    target, measure = Target.parse(text), tuner(name, space, bench)
    curve = measure.curve(evenly(HALF[name] / 8, HALF[name] * 8, 8))
    answer = solve(target, curve, measure, bench.probes)
    assert answer is not None and answer.bounded
    assert target.met(measure(answer.epsilon)[target.figure])
    most_private_first = target.met(curve.points[0][target.figure])
    beyond = answer.epsilon * (1.01 if most_private_first else 1 / 1.01)
    if name != "dx.Laplace.v1":  # whose simulated figures go in steps
        assert not target.met(measure(beyond)[target.figure])
    if target.figure == "loss":
        assert answer.interval is None
    else:
        low, high = answer.interval
        assert low <= answer.epsilon * 1.001 and answer.epsilon <= high * 1.001


def test_a_target_that_nothing_or_everything_meets(space, bench):
    measure = tuner("dx.Exponential.v1", space, bench)
    curve = measure.curve([3.0, 4.0, 5.0])
    assert solve(Target.parse("unchanged <= 0"), curve, measure, bench.probes) is None
    answer = solve(Target.parse("unchanged <= 1"), curve, measure, bench.probes)
    assert answer.epsilon == 5.0 and not answer.bounded
    refuted = tuner("dx.Jaccard.v1", space, bench)
    assert solve(Target.parse("loss <= 9"), refuted.curve([5.0]), refuted, bench.probes) is None


@pytest.mark.slow
def test_other_words_give_an_epsilon_within_the_interval_nearly_always(space):
    everything = Bench(space.vectors, Probes(np.arange(len(space)), np.ones(len(space), int)), k=1)
    target, grid = Target.parse("unchanged <= 0.5"), evenly(2, 10, 6)
    measure = tuner("dx.Exponential.v1", space, everything)
    curve = measure.curve(grid)
    truth = solve(target, curve, measure, everything.probes).epsilon
    rng, hits = np.random.default_rng(1), 0
    for _ in range(40):
        rows, counts = np.unique(rng.integers(len(space), size=60), return_counts=True)
        probes = Probes(rows, counts)
        mine = tuner("dx.Exponential.v1", space, Bench(space.vectors, probes, k=1))
        low, high = solve(target, mine.curve(grid), mine, probes).interval
        hits += low <= truth <= high
    assert hits >= 34


@pytest.mark.parametrize(
    "text", ["", "unchanged", "unchanged < 0.3", "unchanged = 0.3", "words <= 3", "near <= 30",
             "near >= -1", "unchanged <= 120%", "0.3 >= unchanged"],
)  # fmt: skip
def test_targets_that_are_none(text):
    with pytest.raises(DxError, match=r"target|share"):
        Target.parse(text)


def test_the_outputs_of_a_word_are_its_distribution(space):
    mechanism = make_mechanism("dx.Exponential.v1", space, 4.0)
    exact, counted = (
        look_at(space, 9, given, k=5, draws=4000) for given in (mechanism, Hidden(mechanism))
    )
    assert exact.exact and not counted.exact
    P = mechanism.distribution(np.array([9]))[0]
    words, shares = zip(*exact.becomes, strict=True)
    assert np.all(np.diff(shares) <= 0) and sum(shares) == pytest.approx(1)
    assert shares == pytest.approx(P[[space.find(word) for word in words]])
    for word, share in counted.becomes:
        assert share == pytest.approx(P[space.find(word)], abs=0.03)


@pytest.fixture
def dx(space_path):
    def run(*args, **kwargs):
        chosen = [] if "--space" in args else ["--space", space_path]
        return CliRunner().invoke(app, ["dx", *map(str, args), *chosen], **kwargs)

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
        low, high = entry["target"]["interval"]
        assert low <= entry["target"]["epsilon"] <= high
        assert f"epsilon = {entry['target']['epsilon']:g} (95%" in result.stdout
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


def test_a_target_that_is_not_met_is_the_exit_status_and_a_refuted_mechanism_is_marked(dx):
    result = dx("tune", "-m", "exponential", "-e", "4,5", "--target", "unchanged <= 1%")
    assert result.exit_code == 1 and "no epsilon of this range" in result.stdout
    result = dx("tune", "-m", "jaccard", "-e", "10,20")
    assert "NO PRIVACY: its published proof does not hold" in result.stdout
    assert "nats between words" not in result.stdout


@pytest.mark.slow
def test_a_plot_is_drawn(dx, tmp_path):
    pytest.importorskip("matplotlib")
    for kind, start in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        path = tmp_path / f"curve.{kind}"
        args = ("-m", "exponential", "-m", "jaccard", "-e", "2:8:3", "-t", "unchanged <= .5")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            result = dx("tune", *args, "--plot", path)
        assert result.exit_code == 0, result.stderr
        assert path.read_bytes().startswith(start)


def test_a_plot_without_matplotlib_is_refused_at_once(dx, tmp_path, monkeypatch):
    find = importlib.util.find_spec
    hidden = lambda name, *rest: None if name == "matplotlib" else find(name, *rest)  # noqa: E731
    monkeypatch.setattr("spacy_dxprivacy.lab.results.find_spec", hidden)
    result = dx("tune", "--plot", tmp_path / "curve.svg")
    assert result.exit_code == 2 and "spacy-dxprivacy[plots]" in result.stderr


def test_inspect_shows_neighbours_outputs_and_how_often_a_word_stays(dx, tmp_path, space):
    path = tmp_path / "doctor.json"
    result = dx("inspect", "Doctor", "--json", path, "--epsilon", 2)
    assert result.exit_code == 0, result.stderr
    report = json.loads(path.read_text())
    assert report["word"] == "doctor" and report["exact"]
    outputs = dict(report["outputs"])
    assert sum(outputs.values()) == pytest.approx(1) and len(outputs) == len(space)
    stays = [share for _, share in report["stays"]]
    assert stays == sorted(stays) and stays[0] < 0.05 and stays[-1] > 0.9
    nearest = space.words[nearest_others(space.vectors, np.array([space.find("doctor")]), 1)[0, 0]]
    assert report["nearest_by_euclid"][0][0] == nearest
    distances = [d for _, d in report["nearest_by_metric"]]
    assert distances == sorted(distances)
    (line,) = (line for line in result.stdout.splitlines() if "(unchanged)" in line)
    assert f"{outputs['doctor']:.2%}" in line
    assert f"{len(space) - 20:,} others" in result.stdout
    # One that states no probabilities is simulated.
    result = dx("inspect", "doctor", "-m", "laplace", "-e", 8, "--draws", 300, "--over", "4,8,16")
    assert result.exit_code == 0 and "in 300 draws" in result.stdout


def test_epsilons_are_ranges_and_lists():
    assert parse_epsilons("1:4:3") == [1, 2, 4]
    assert parse_epsilons("2.2, 1.8") == [1.8, 2.2]
