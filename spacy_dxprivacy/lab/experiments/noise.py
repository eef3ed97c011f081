r"""How far noise goes: towards a word (margins, dot-product), and by its shape (mahalanobis).

All that decides between two words is T = z . u, z being Laplace noise of density
exp(-epsilon ||z||) and u the line between them: it passes from w to a word at distance D, of these
two alone, where T > D / 2.

F         P(T <= a) = E[Phi(a / sqrt V)], an integral in one dimension, since z = sqrt(V) g with
          V ~ Gamma((n + 1)/2, 2/epsilon^2). Var T = (n + 1)/epsilon^2, and the fourth moment is
          3 (n + 1)(n + 3)/epsilon^4
N_w       the share of draws of a word that are the word itself; low is private
S_w       how many different words come out in some draws of a word; high is private

Half-distance a = d_1 / 2: noise that goes farther towards the nearest word leaves the word. Margin
b = (d_j^2 - d_1^2) / (2 ||x_1 - x_j||): noise that goes farther from the first neighbour towards
the j-th leads to the j-th rather than to the first. F(a) near 1: the word stays; F(b) near 1/2: the
first neighbour is hardly likelier than the j-th.

Elliptical noise has a lambda; 0 is dx.Laplace.v1. Two comparisons: at the same nominal epsilon, as
the paper has it, and at the same guarantee per unit of Euclidean distance, for which epsilon is
multiplied by sqrt(lambda lambda_min + 1 - lambda), lambda_min the least eigenvalue of the scaled
covariance.

Papers  Asghar, Carpentier, Zhao, Kaafar 2024 (arXiv 2411.13784), section 4 and table 2. Xu,
        Aggarwal, Feyisetan, Teissier 2020 (arXiv 2010.11947), figures 2 and 3
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from ...arrays import Floats1d, blocks
from ...mechanisms.mahalanobis import regularised_covariance
from ...privacy.noise import laplace_noise
from ...privacy.randomness import Rng
from ...space import Space
from ...space.search.metric import neighbours
from ..mechanisms import Once, make_mechanism
from ..results import COLOURS, Result, Row, draw_lines, finish
from ..tuning.bench import Bench
from .options import Options, experiment, of_space, random_probes

DIMENSIONS = (2, 50, 100, 200, 300)
DEVIATIONS = (0.25, 0.5, 1.0, 2.0)  # where the law is looked at
NODES = 400
SIMULATED_AT_ONCE = 5000
LATER = (2, 101)  # ranks of the neighbours that are compared with the first
EPSILONS = (5.0, 10.0, 20.0)
LAMBDAS = (0.0, 0.25, 0.5, 0.75, 1.0)
SAME = ("nominal", "euclidean")  # what is the same for all lambdas
PERCENTS = (5, 25, 50, 75, 95)
PAPER = "Asghar et al. 2024, arXiv 2411.13784"


@experiment(
    "margins", "mean half-distances to the nearest word and margins, for one space or several",
    PAPER, words=500,
)  # fmt: skip
def margins(space: Space, options: Options) -> Result:
    """Half-distances and margins of the space and of those to compare it with, a row each."""
    spaces = [options.first_words(each) for each in (space, *options.others)]
    rows = [_margins_of(each, options) for each in options.progress(spaces, "spaces")]
    notes = [f"{of_space(each)}; means of {options.words:,} of them" for each in spaces]
    return Result(rows, partial(_draw_margins, rows=rows), (7.0, 1.0 + 0.8 * len(rows)), notes)


def _margins_of(space: Space, options: Options) -> Row:
    """Means over the words of one space, in units of its distance, and the law at these."""
    n, d = space.vectors.shape
    words = random_probes(space, options.words).rows
    half, by_rank = distances_of(space, words)
    means = {"half-distance": float(np.mean(half))}
    means |= {f"margin 1-{j}": float(np.nanmean(by_rank[j])) for j in LATER}
    laws = {
        f"F({what}), epsilon {epsilon:g}": cdf(mean, d, epsilon)
        for epsilon in options.epsilons or EPSILONS
        for what, mean in means.items()
    }
    return {"space": space.name, "words": n, "dimensions": d, **means, **laws}


def distances_of(space: Space, words: Any) -> tuple[Floats1d, dict[int, Floats1d]]:
    """The half-distances (k,) of words, and for each of LATER their margins (k,); neighbours at
    the same point as the first are left out of the mean, as nan."""
    X = space.vectors
    near, apart = neighbours(X[words], X, min(LATER[-1] + 1, len(X)))
    margins = {}
    for j in LATER:
        at = min(j, near.shape[1] - 1)
        between = np.linalg.norm(X[near[:, 1]].astype(float) - X[near[:, at]], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            margin = (apart[:, at] ** 2 - apart[:, 1] ** 2) / (2 * between)
        margins[j] = np.where(between > 0, margin, np.nan)
    return apart[:, 1] / 2, margins


def _draw_margins(figure: Any, *, rows: list[Row]) -> None:
    """A bar for each space and column."""
    axes = figure.subplots()
    columns = ["half-distance", *(f"margin 1-{j}" for j in LATER)]
    places = np.arange(len(rows))
    for i, column in enumerate(columns):
        at = places + (i - 1) * 0.26
        bars = axes.barh(at, [row[column] for row in rows], 0.24, color=COLOURS[i], label=column)
        axes.bar_label(bars, fmt="%.3f", padding=3, fontsize=8)
    axes.set_yticks(places, [f"{row['space']} ({row['dimensions']}d)" for row in rows])
    axes.invert_yaxis()
    finish(axes, "how far the next words are", "distance", "", log=False)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)


@experiment(
    "dot-product", "the distribution of the noise towards a word: closed form and simulation",
    PAPER, draws=20,
)  # fmt: skip
def dot_product(space: Space, options: Options) -> Result:
    """The law of T at epsilon = 1, simulated and in closed form, in several dimensions."""
    rows: list[Row] = []
    times = options.draws * 1000
    for n in options.progress((*DIMENSIONS, space.vectors.shape[1]), "dimensions"):
        rows += law(n, times)
    notes = [f"at epsilon = 1: T goes with 1/epsilon; simulated {times:,} times"]
    return Result(rows, partial(_draw_dot_product, rows=rows), (5.0, 3.2), notes)


def cdf(a: Any, n: int, epsilon: float) -> Any:
    """P(T <= a), a: a number or an array, in n dimensions."""
    from scipy.special import ndtr

    V, weights = _scales(n)
    values = ndtr(np.reshape(a, (-1, 1)) * epsilon / np.sqrt(V)) @ weights
    return values.reshape(np.shape(a)) if np.shape(a) else float(values[0])


@cache
def _scales(n: int) -> tuple[Floats1d, Floats1d]:
    """Nodes and weights of V at epsilon = 1, by Gauss and Legendre between its far quantiles."""
    from scipy.stats import gamma

    law = gamma((n + 1) / 2, scale=2)
    low, high = law.ppf(1e-15), law.isf(1e-15)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    V = low + (high - low) * (nodes + 1) / 2
    weights = weights * law.pdf(V)
    return V, weights / weights.sum()


def law(n: int, times: int) -> list[Row]:
    """Rows of T along a fixed direction with no zero coordinate, at epsilon = 1."""
    rng, std = Rng(seed=0), np.sqrt(n + 1)
    u = np.arange(1, n + 1) / np.linalg.norm(np.arange(1, n + 1))
    sizes = [part.stop - part.start for part in blocks(times, SIMULATED_AT_ONCE)]
    T = np.concatenate([laplace_noise(k, n, rng, epsilon=1.0) @ u for k in sizes])
    figures = [
        ("P(T <= a)", a, cdf(a, n, 1.0), np.mean(a >= T), np.sqrt(0.25 / times))
        for a in np.multiply(DEVIATIONS, std)
    ]
    for name, power, closed in (
        ("variance", 2, n + 1.0),
        ("fourth moment", 4, 3.0 * (n + 1) * (n + 3)),
    ):
        figures.append((name, None, closed, np.mean(T**power), np.std(T**power) / np.sqrt(times)))
    columns = ("quantity", "at", "closed form", "simulated", "standard error")
    rows = [dict(zip(columns, figure, strict=True)) for figure in figures]
    return [{"dimensions": n} | row for row in rows]


def _draw_dot_product(figure: Any, *, rows: list[Row]) -> None:
    """P(T <= a) with the simulated figures on it."""
    axes = figure.subplots()
    for i, n in enumerate(dict.fromkeys(r["dimensions"] for r in rows)):
        a = np.linspace(0, 3 * np.sqrt(n + 1), 100)
        axes.plot(a, cdf(a, n, 1.0), color=f"C{i}", linewidth=1.2, label=f"{n} dimensions")
        seen = [r for r in rows if r["quantity"] == "P(T <= a)" and r["dimensions"] == n]
        axes.plot([r["at"] for r in seen], [r["simulated"] for r in seen], "x", color=f"C{i}")
    finish(axes, "P(T <= a), closed form; x: simulated", "a, at epsilon = 1", "", log=False)
    axes.legend(frameon=False, fontsize=8)


@experiment(
    "mahalanobis", "N_w and S_w of Laplace and Mahalanobis noise over lambda",
    "Xu et al. 2020, arXiv 2010.11947", words=100, draws=50, steps=6, max_words=5_000,
)  # fmt: skip
def mahalanobis(space: Space, options: Options) -> Result:
    """N_w and S_w for each epsilon and lambda, with the noise of the paper and with that of
    dx.Mahalanobis.v1."""
    space = options.first_words(space)
    index = Once()
    probes = random_probes(space, options.words)
    bench = Bench(space.vectors, probes, k=1, draws=options.draws)
    epsilons = options.range_of("dx.Laplace.v1", space, index)
    cases = [(same, lam, e) for same in SAME for lam in LAMBDAS for e in epsilons]
    # "nominal": epsilon is that of the mechanism; "euclidean": that of a unit of distance.
    rows: list[Row] = []
    for same, lam, epsilon in options.progress(cases, "lambda and epsilon"):
        shrink = float(np.sqrt(regularised_covariance(space.vectors, lam)[0][0]))
        own = epsilon if same == "nominal" else epsilon * shrink
        name, settings = ("dx.Mahalanobis.v1", {"lam": lam}) if lam else ("dx.Laplace.v1", {})
        figures = bench.measure(make_mechanism(name, space, own, index=index, **settings))
        row = {"same": same, "lambda": lam, "epsilon": epsilon}
        row |= {"epsilon of the mechanism": own, "euclidean epsilon": own / shrink}
        rows.append(row | _spread("N_w", figures.unchanged) | _spread("S_w", figures.distinct))
    notes = [
        f"{of_space(space)}; {len(probes.rows):,} of them, drawn uniformly",
        f"S_w: different words in {bench.draws} draws",
    ]
    return Result(rows, partial(_draw_mahalanobis, rows=rows), (8.4, 5.6), notes)


def _spread(name: str, values: Any) -> Row:
    """Mean and percentiles of words."""
    values = np.asarray(values, dtype=np.float64)
    percents = zip(PERCENTS, np.percentile(values, PERCENTS).tolist(), strict=True)
    return {f"{name} mean": float(values.mean()), **{f"{name} p{p}": v for p, v in percents}}


def _draw_mahalanobis(figure: Any, *, rows: list[Row]) -> None:
    """N_w and S_w over epsilon, a line for each lambda."""
    panels = figure.subplots(2, 2, sharey="col")
    for line, same in zip(panels, SAME, strict=True):
        some = [row for row in rows if row["same"] == same]
        for axes, what in zip(line, ("N_w", "S_w"), strict=True):
            draw_lines(axes, some, ("epsilon", f"{what} mean"), "lambda")
            for lam, colour in ((0.0, "#4477aa"), (1.0, "#66ccee")):
                ends = [row for row in some if row["lambda"] == lam]
                axes.fill_between(
                    [row["epsilon"] for row in ends],
                    [row[f"{what} p5"] for row in ends],
                    [row[f"{what} p95"] for row in ends],
                    color=colour, alpha=0.12, linewidth=0,
                )  # fmt: skip
            finish(axes, f"{what}, the same {same} epsilon", "epsilon", "")
    panels[0, 0].legend(title="lambda", frameon=False, fontsize=8)
