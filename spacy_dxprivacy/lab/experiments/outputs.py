"""What words become: themselves, close words, distant ones (the curse of dimensionality).

The CLOSE words nearest to the input are close. Laplace noise and rank sampling share their draws:
the word nearest to the noisy vector is the output of the one and the pivot of the other, whose
output is the pivot's neighbour of rank k, with P(k) ~ exp(-c epsilon k), the distribution of
dx.RankSampling.v1. The exponential mechanism is measured by its exact probabilities.

One dimension: words evenly on a line, as far apart as a word and its nearest one are in the space.
A share o = 1 - exp(-epsilon s / 2) stays, and (1 - o)^(CLOSE + 1) go farther than the close ones.

Reference: Asghar, Carpentier, Zhao, Kaafar 2024 (arXiv 2411.13784).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats2d, Ints1d, Ints2d
from ...mechanisms.projection.rank_sampling import calibrated, geometric
from ...privacy.randomness import Rng
from ...space import Space
from ...space.search.metric import in_blocks, neighbours
from ..mechanisms import Once, make_mechanism
from ..results import Result, Row, draw_lines, finish
from ..tuning.bench import Bench, evenly
from .options import Options, experiment, of_space, random_probes

CLOSE = 100
SERIES = ("one-dimensional", "laplace", "rank-sampling", "exponential")
KINDS = ("original", "close", "distant")
TO_FINISH = 0.06  # the share of pivots that rank sampling leaves at the end of its range


@experiment(
    "outputs", "how often a word becomes itself, a close word, a distant one, over epsilon",
    "Asghar et al. 2024, arXiv 2411.13784", words=500, draws=4, steps=10, max_words=20_000,
)  # fmt: skip
def run(space: Space, options: Options) -> Result:
    """Return the shares of original, close and distant outputs over epsilon."""
    space = options.first_words(space)
    series = options.chosen(SERIES)
    probes = random_probes(space, options.words)
    notes = [f"{of_space(space)}; {len(probes.rows):,} of them looked at, drawn uniformly"]
    rows: list[Row] = []
    if "one-dimensional" in series:
        spacing = float(neighbours(space.vectors[probes.rows], space.vectors, 2)[1][:, 1].mean())
        low, high = -2 * np.log1p(-np.array([0.02, 0.98])) / spacing  # of words, so many stay
        epsilons = options.epsilons or evenly(float(low), float(high), options.steps)
        rows += [on_a_line(e, spacing) for e in epsilons]
        notes.append(f"one dimension: words {spacing:.4g} apart")
    if "laplace" in series or "rank-sampling" in series:
        measured, c = noisy(space, probes.rows, options)
        rows += [row for name in series for row in measured if row["mechanism"] == name]
        notes.append(f"rank sampling: c = {c:.4g}; noise drawn {options.draws} times a word")
    if "exponential" in series:
        bench = Bench(space.vectors, probes, k=CLOSE, draws=2)
        for e in options.progress(options.range_of("dx.Exponential.v1", space), "exponential"):
            figures = bench.measure(make_mechanism("dx.Exponential.v1", space, e))
            rows.append(_row("exponential", e, figures.unchanged.mean(), figures.farther.mean()))
    return Result(rows, partial(draw, rows=rows), (2.9 * len(series), 2.9), notes)


def on_a_line(epsilon: float, spacing: float) -> Row:
    """Return the row of Laplace noise on words `spacing` apart: beyond the word's own cell, and
    beyond those of CLOSE / 2 words on each side."""
    leaves = np.exp(-epsilon * spacing / 2)
    return _row("one-dimensional", epsilon, 1 - leaves, leaves ** (CLOSE + 1))


def noisy(space: Space, words: Ints1d, options: Options) -> tuple[list[Row], float]:
    """Return the rows of both rules on Laplace noise, and the c of rank sampling."""
    X, index, rng = space.vectors, Once().fit(space.vectors), Rng(seed=0)
    c = calibrated(X, index) if options.c is None else options.c
    epsilons = options.range_of("dx.Laplace.v1", space, index)
    if not options.epsilons:
        # up to where rank sampling returns its pivot as well
        last = -float(np.log(TO_FINISH)) / c
        epsilons = evenly(epsilons[0], max(last, epsilons[-1]), 2 * options.steps)
    asked = np.repeat(words, options.draws)
    close = np.repeat(neighbours(X[words], X, min(CLOSE + 1, len(X)))[0], options.draws, axis=0)
    pivots = [
        make_mechanism("dx.Laplace.v1", space, e, index=index).sample(asked, rng).rows
        for e in options.progress(epsilons, "noise")
    ]
    ranked = [
        at_rank(X, some, geometric(rng.uniform(len(asked)), c * e, len(X)))
        for e, some in zip(options.progress(epsilons, "ranks"), pivots, strict=True)
    ]
    rows = [
        counted(name, e, asked, some, close)
        for name, outputs in (("laplace", pivots), ("rank-sampling", ranked))
        for e, some in zip(epsilons, outputs, strict=True)
    ]
    return rows, c


def at_rank(X: Floats2d, pivots: Ints1d, ranks: Ints1d) -> Ints1d:
    """Return the neighbour of each pivot at its rank, itself being rank 0."""
    rows = pivots.copy()
    moved = np.flatnonzero(ranks > 0)
    for part, D in in_blocks(X[pivots[moved]], X):
        some = moved[part]
        D[np.arange(len(D)), pivots[some]] = -1.0
        for at, apart in zip(some.tolist(), D, strict=True):
            rows[at] = np.argpartition(apart, ranks[at])[ranks[at]]
    return rows


def counted(name: str, epsilon: float, words: Ints1d, outputs: Ints1d, close: Ints2d) -> Row:
    """Return the row of outputs (k,) for words (k,), with their close words (k, c)."""
    same = float(np.mean(outputs == words))
    far = float(np.mean((outputs[:, None] != close).all(axis=1) & (outputs != words)))
    return _row(name, epsilon, same, far)


def _row(name: str, epsilon: float, original: Any, distant: Any) -> Row:
    original, distant = float(original), float(distant)
    close = max(0.0, round(1 - original - distant, 12))
    shares = {"original": original, "close": close, "distant": distant}
    return {"mechanism": name, "epsilon": float(epsilon), **shares}


def draw(figure: Any, *, rows: list[Row]) -> None:
    """Draw the three shares over epsilon, a panel for each mechanism."""
    names = list(dict.fromkeys(row["mechanism"] for row in rows))
    panels = figure.subplots(1, len(names), squeeze=False, sharey=True)[0]
    for axes, name in zip(panels, names, strict=True):
        lines = [
            {"epsilon": row["epsilon"], "kind": kind, "share": row[kind]}
            for kind in KINDS
            for row in rows
            if row["mechanism"] == name
        ]
        draw_lines(axes, lines, ("epsilon", "share"), "kind")
        finish(axes, name, "epsilon", "share of outputs" if axes is panels[0] else "")
    panels[0].legend(frameon=False, fontsize=8)
