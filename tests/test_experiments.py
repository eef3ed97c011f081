"""`dx experiment`: the figures are those of the mathematics, and of the mechanisms themselves."""

import csv
import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import DxError, Rng, Space
from spacy_dxprivacy.lab.experiments import EXPERIMENTS, Options, noise, outputs, tasks, utility
from spacy_dxprivacy.lab.experiments.tasks import make_documents, odd_found, sanitized_pairs
from spacy_dxprivacy.lab.mechanisms import Once, make_mechanism
from spacy_dxprivacy.projection.rank_sampling import make_rank_sampling
from spacy_dxprivacy.search.metric import neighbours

NEEDS = {"sklearn": "report", "sacrebleu": "report", "rouge_score": "report", "matplotlib": "plots"}


def need(*modules):
    for module in modules:
        pytest.importorskip(module, reason=f"{module} is not installed: the extra {NEEDS[module]}")


def small(name, **settings):
    return replace(EXPERIMENTS[name].defaults, words=30, draws=5, steps=3, documents=20, **settings)


def columns(rows, name):
    return np.array([row[name] for row in rows], dtype=float)


# -- outputs ---------------------------------------------------------------------------------------


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
    options = Options(epsilons=(epsilon,), c=c, draws=draws, index="exact")
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
    assert np.array_equal(outputs.at_rank(X, pivots, ranks, Options()), expected)


def test_what_is_certainly_far_is_none_of_the_close_words(space):
    X, random = space.vectors, np.random.default_rng(0)
    words, pivots = random.integers(len(X), size=500), random.integers(len(X), size=500)
    ranks = random.integers(1, 30, size=500)
    close = outputs.nearest(X, words, 6, Options())
    far = outputs.certainly_far(X, pivots, ranks, close)
    found = outputs.at_rank(X, pivots, ranks, Options())
    assert far.mean() > 0.2
    assert not (found[:, None] == close)[far].any()


def test_shares_add_up_for_every_series(space):
    rows = outputs.run(space, small("outputs", c=0.1)).rows
    assert {row["mechanism"] for row in rows} == set(outputs.SERIES)
    total = sum(columns(rows, kind) for kind in outputs.KINDS)
    assert total == pytest.approx(np.ones(len(rows)), abs=1e-9)
    for name in outputs.SERIES:
        stay = columns([row for row in rows if row["mechanism"] == name], "original")
        assert stay[0] < 0.2 < 0.8 < stay[-1]


# -- margins and the dot product -------------------------------------------------------------------


def test_margins_of_three_words_by_hand():
    words = Space.from_vectors(["a", "b", "c"], [[0.0], [1.0], [3.0]])
    half, by_rank = noise.distances_of(words, np.arange(3))
    assert half == pytest.approx([0.5, 0.5, 1.0])
    # a: (3^2 - 1^2) / (2 * 2); b: (2^2 - 1^2) / (2 * 3); c: (3^2 - 2^2) / (2 * 1)
    assert by_rank[2] == pytest.approx([2.0, 0.5, 2.5])


def test_several_spaces_have_a_row_each(space):
    rows = (
        EXPERIMENTS["margins"]
        .run(space, small("margins", others=(space.filtered(max_words=50),)))
        .rows
    )
    assert [row["words"] for row in rows] == [len(space), 50]


@pytest.mark.parametrize(
    "n, epsilon, apart, keeps",
    [(50, 5, 3, 0.85539), (300, 5, 5.8, 0.79881), (300, 10, 5.8, 0.95272), (300, 20, 5.8, 0.99955),
     (2, 1, 1, 0.64798), (1, 2, 1, 1 - np.exp(-1) / 2)],
)  # fmt: skip
def test_the_closed_form_of_two_words(n, epsilon, apart, keeps):
    assert noise.cdf(apart / 2, n, epsilon) == pytest.approx(keeps, abs=1.1e-5)


@pytest.mark.parametrize(
    "n, exact, bound", [(25, 13.57, 31.13), (100, 26.12, 47.13), (300, 44.82, 71.92)]
)
def test_99_percent_exactly_and_by_theorem_8(n, exact, bound):
    assert noise.quantile(0.99, n, 1.0) == pytest.approx(exact, abs=0.006)
    c, b = noise.theorem_8(0.99, n)
    assert c * b * np.sqrt(n) == pytest.approx(bound, abs=0.006)


@pytest.mark.slow
def test_simulation_agrees_with_the_closed_form(space):
    rows = EXPERIMENTS["dot-product"].run(space, small("dot-product")).rows
    for row in rows:
        if row["standard error"] is not None and not row["quantity"].endswith("of N_w"):
            assert abs(row["closed form"] - row["simulated"]) < 6 * row["standard error"]
    upper = [row for row in rows if row["quantity"] == "upper bound of N_w"]
    lower = [row for row in rows if row["quantity"] == "lower bound of N_w"]
    for above, below in zip(upper, lower, strict=True):
        slack = 5 * above["standard error"] + 1e-3
        assert below["closed form"] - slack <= above["simulated"] <= above["closed form"] + slack


# -- mechanisms side by side -----------------------------------------------------------------------


def test_mahalanobis_is_compared_at_equal_euclidean_guarantees(space):
    rows = EXPERIMENTS["mahalanobis"].run(space, small("mahalanobis")).rows
    for row in rows:
        same = "euclidean epsilon" if row["same"] == "euclidean" else "epsilon of the mechanism"
        assert row[same] == pytest.approx(row["epsilon"])
        assert row["N_w p5"] <= row["N_w p50"] <= row["N_w p95"]
        assert 1 <= row["S_w mean"] <= 5
    plain = [row["N_w mean"] for row in rows if row["lambda"] == 0]
    assert plain[:3] == plain[3:]  # for Laplace noise the two comparisons are one


@pytest.mark.slow
def test_without_noise_to_speak_of_tasks_are_as_before(space):
    need("sklearn", "sacrebleu", "rouge_score")
    options = small("utility", mechanisms=("laplace", "nadp-global"), epsilons=(0.5, 1e6))
    before, *rows = utility.run(space, options).rows
    for row in rows:
        for task in ("word similarity", "sentence similarity", "odd man out"):
            assert (row[task] == pytest.approx(before[task], abs=0.02)) == (row["epsilon"] > 1)
    assert before["word similarity"] == pytest.approx(1)


def test_skewness_counts_shared_neighbours():
    one, other = np.array([[0, 1, 2], [0, 1, 2]]), np.array([[2, 1, 0], [0, 3, 4]])
    assert utility.overlap(one, other) == pytest.approx([1.0, 0.2])


def test_the_odd_man_is_the_one_least_like_the_others():
    X = np.array([[1.0, 0.1], [1.0, 0.0], [1.0, -0.1], [-1.0, 0.3]])
    assert odd_found(X, rows=np.array([[0, 1, 2, 3]])) == 1
    assert odd_found(X, rows=np.array([[0, 1, 3, 2]])) == 0


@pytest.mark.slow
def test_noise_of_the_public_code_changes_nothing_and_clipped_noise_does(space):
    need("sklearn", "sacrebleu", "rouge_score")
    options = small("text-quality", epsilons=(0.05, 1.0))
    rows = {
        (r["mechanism"], r["epsilon"]): r
        for r in EXPERIMENTS["text-quality"].run(space, options).rows
    }
    for epsilon in options.epsilons:
        assert rows["truncated-code", epsilon]["N_w"] == 1
        assert rows["truncated-code", epsilon]["bleu"] == pytest.approx(100)
        assert rows["truncated-paper", epsilon]["N_w"] < 0.1


@pytest.mark.slow
def test_classification_rises_from_chance_to_the_original(space):
    need("sklearn", "sacrebleu", "rouge_score")
    options = small("classification", mechanisms=("exponential",), epsilons=(0.01, 200.0))
    low, high = EXPERIMENTS["classification"].run(space, replace(options, documents=60)).rows
    assert low["sanitised"] < 0.75 < high["sanitised"] == high["original"]
    assert low["words that stay"] < 0.1 and high["words that stay"] == 1


# -- texts, files and the command ------------------------------------------------------------------


def test_words_that_the_space_lacks_are_left_out_and_punctuation_stays(space):
    corpus = make_documents(tasks.Texts(["Zorb, the doctor!"], None, False), space)
    mechanism = make_mechanism("dx.Exponential.v1", space, 0.01)
    (pair,) = sanitized_pairs(corpus, mechanism, space, Rng(seed=0))
    assert [token.text for token in pair.after if not token.word] == [",", "!"]
    assert [old for old, _ in pair.words()] == ["the", "doctor"]
    assert len(corpus.rows) == 2 and corpus.left_out == 1 and pair.aligned


def test_an_index_is_built_once_for_a_table(space):
    index = Once("exact")
    assert index.fit(space.vectors).index._X is index.fit(space.vectors).index._X


def test_made_data_are_the_same_each_time(space):
    assert tasks.made_texts(space, 9) == tasks.made_texts(space, 9)
    assert np.array_equal(tasks.made_sets(space, 9).rows, tasks.made_sets(space, 9).rows)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_files_of_every_kind_are_read(tmp_path, suffix, space):
    path = tmp_path / f"pairs{suffix}"
    entries = [{"word1": "man", "word2": "woman", "score": s} for s in (1.5, 2.0, 3.0)]
    with path.open("w") as file:
        if suffix == ".jsonl":
            file.writelines(json.dumps(entry) + "\n" for entry in entries)
        else:
            writer = csv.DictWriter(file, entries[0], delimiter="\t" if suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(entries)
    pairs = tasks.word_pairs_of(Options(word_pairs=path), space)
    assert pairs.sides[0] == ["man"] * 3 and pairs.scores.tolist() == [1.5, 2.0, 3.0]


def test_a_space_without_the_topics_asks_for_texts():
    strange = Space.from_vectors(["x", "y", "z"], np.eye(3))
    with pytest.raises(DxError, match="DX082"):
        tasks.made_texts(strange, 5)


def dx(*args):
    return CliRunner().invoke(app, ["dx", "experiment", *map(str, args)])


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_writes_its_table_and_figure(name, space_path, tmp_path):
    need("matplotlib", "sklearn", "sacrebleu", "rouge_score")
    done = dx(name, "--quick", "--space", space_path, "--out", tmp_path, "--documents", 20)
    assert done.exit_code == 0, done.output
    with (tmp_path / f"{name}.csv").open() as file:
        assert len(list(csv.DictReader(file))) >= 1
    ElementTree.parse(tmp_path / f"{name}.svg")
    again = dx(name, "--quick", "--space", space_path, "--out", tmp_path)
    assert again.exit_code == 2 and "--force" in again.output
