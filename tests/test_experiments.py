"""`dx experiment`: the figures are those of the mathematics, and of the mechanisms themselves."""

import csv
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import Rng, Space
from spacy_dxprivacy.lab.experiments import EXPERIMENTS, Options, outputs
from spacy_dxprivacy.lab.mechanisms import Once, make_mechanism
from spacy_dxprivacy.mechanisms.projection.rank_sampling import make_rank_sampling
from spacy_dxprivacy.space.search.metric import neighbours


def small(name, **settings):
    return replace(EXPERIMENTS[name].defaults, words=30, draws=5, steps=3, documents=20, **settings)


def columns(rows, name):
    return np.array([row[name] for row in rows], dtype=float)


def test_one_dimension_is_laplace_noise_on_evenly_spaced_words():
    spacing, epsilon = 0.7, 0.8
    line = Space.from_vectors([f"w{i}" for i in range(1001)], spacing * np.arange(1001)[:, None])
    middle = np.full(20_000, 500)
    drawn = make_mechanism("dx.Laplace.v1", line, epsilon).sample(middle, Rng(seed=0)).rows
    away = np.abs(drawn - middle)
    seen = {"original": away == 0, "close": (away > 0) & (away <= 50), "distant": away > 50}
    row = outputs.on_a_line(epsilon, spacing)
    for kind, hits in seen.items():
        assert np.mean(hits) == pytest.approx(row[kind], abs=5 * np.sqrt(0.25 / 20_000))
    assert row["close"] > 0.5  # what many dimensions do not have


def test_shared_draws_have_the_law_of_the_two_mechanisms(space):
    words, epsilon, c, draws = np.arange(40), 4.0, 0.1, 400
    options = Options(epsilons=(epsilon,), c=c, draws=draws)
    rows, _ = outputs.noisy(space, words, options)
    shares = {row["mechanism"]: row["original"] for row in rows}
    asked = np.repeat(words, draws)
    for name, more in (("laplace", {}), ("rank-sampling", {"projection": make_rank_sampling(c)})):
        mechanism = make_mechanism("dx.Laplace.v1", space, epsilon, **more)
        seen = np.mean(mechanism.sample(asked, Rng(seed=1)).rows == asked)
        assert shares[name] == pytest.approx(seen, abs=6 * np.sqrt(0.5 / len(asked)))


def test_ranks_are_those_of_the_pivot(space):
    X, random = space.vectors, np.random.default_rng(0)
    pivots, ranks = random.integers(len(X), size=300), random.integers(len(X), size=300)
    expected = neighbours(X[pivots], X, len(X))[0][np.arange(300), ranks]
    assert np.array_equal(outputs.at_rank(X, pivots, ranks), expected)


def test_shares_add_up_for_every_series(space):
    rows = outputs.run(space, small("outputs", c=0.1)).rows
    assert {row["mechanism"] for row in rows} == set(outputs.SERIES)
    total = sum(columns(rows, kind) for kind in outputs.KINDS)
    assert total == pytest.approx(np.ones(len(rows)), abs=1e-9)
    for name in outputs.SERIES:
        stay = columns([row for row in rows if row["mechanism"] == name], "original")
        assert stay[0] < 0.2 < 0.8 < stay[-1]


def test_mahalanobis_is_compared_at_equal_euclidean_guarantees(space):
    rows = EXPERIMENTS["mahalanobis"].run(space, small("mahalanobis")).rows
    for row in rows:
        same = "euclidean epsilon" if row["same"] == "euclidean" else "epsilon of the mechanism"
        assert row[same] == pytest.approx(row["epsilon"])
        assert row["N_w p5"] <= row["N_w p50"] <= row["N_w p95"]
        assert 1 <= row["S_w mean"] <= 5
    plain = [row["N_w mean"] for row in rows if row["lambda"] == 0]
    assert plain[:3] == plain[3:]  # for Laplace noise the two comparisons are one


def test_an_index_is_built_once_for_a_table(space, monkeypatch):
    index, fits = Once(), []
    monkeypatch.setattr(index.index, "fit", fits.append)
    assert index.fit(space.vectors) is index.fit(space.vectors) and len(fits) == 1


def dx(*args):
    return CliRunner().invoke(app, ["dx", "experiment", *map(str, args)])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*EXPERIMENTS} - {"tasks"}))
def test_each_writes_its_table_and_figure(name, space_path, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: the extra plots")
    done = dx(name, "--quick", "--space", space_path, "--out", tmp_path, "--documents", 20)
    assert done.exit_code == 0, done.output
    with (tmp_path / f"{name}.csv").open() as file:
        assert len(list(csv.DictReader(file))) >= 1
    ElementTree.parse(tmp_path / f"{name}.svg")
    again = dx(name, "--quick", "--space", space_path, "--out", tmp_path)
    assert again.exit_code == 2 and "--force" in again.output
