r"""What becomes of words: themselves, close words, distant ones (the curse of dimensionality).

Close are the CLOSE words nearest to the one that went in. Laplace noise and rank sampling share
their draws: the word nearest to the noisy vector is the output of the one and the pivot of the
other, whose output is the pivot's neighbour of rank k, with P(k) ~ exp(-c epsilon k). Every pivot
is searched once for all epsilons, and not at all where the output cannot be a close word: so this
is faster than dx.RankSampling.v1 for each epsilon, and has its law.

One dimension  words evenly on a line, as far apart as a word and its nearest one are in the space:
               a share o = 1 - exp(-epsilon s / 2) stays, and (1 - o)^(CLOSE + 1) go farther than
               the close ones
Exponential    from its exact probabilities
Paper          Asghar, Carpentier, Zhao, Kaafar 2024 (arXiv 2411.13784)
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats2d, Ints1d, Ints2d, blocks
from ...projection.rank_sampling import calibrated, geometric, powers_of_2
from ...randomness import Rng
from ...search.faiss_index import load_faiss
from ...search.metric import neighbours
from ...space import Space
from ..mechanisms import Once, make_mechanism
from ..results import Result, Row, draw_lines, finish
from ..tuning import Bench, evenly
from .options import Options, experiment, of_space, random_probes

CLOSE = 100
SERIES = ("one-dimensional", "laplace", "rank-sampling", "exponential")
KINDS = ("original", "close", "distant")
SEARCHED_AT_ONCE = 1024
SCREENED_AT_ONCE = 128
PART = 16  # one row in so many is looked at first
FAR = -1
TO_FINISH = 0.06  # the share of pivots that rank sampling leaves at the end of its range


@experiment(
    "outputs", "how often a word becomes itself, a close word, a distant one, over epsilon",
    "Asghar et al. 2024, arXiv 2411.13784", words=500, draws=4, steps=10, max_words=20_000,
)  # fmt: skip
def run(space: Space, options: Options) -> Result:
    """What becomes of words, over epsilon: the same, a near one, a far one."""
    space = options.first_words(space)
    series = options.chosen(SERIES)
    probes = random_probes(space, options.words)
    notes = [f"{of_space(space)}; {len(probes.rows):,} of them looked at, drawn uniformly"]
    rows: list[Row] = []
    if "one-dimensional" in series:
        spacing = float(neighbours(space.vectors[probes.rows], space.vectors, 2)[1][:, 1].mean())
        rows += [on_a_line(e, spacing) for e in options.epsilons or line_range(spacing, options)]
        notes.append(f"one dimension: words {spacing:.4g} apart")
    if "laplace" in series or "rank-sampling" in series:
        measured, c = noisy(space, probes.rows, options)
        rows += [row for name in series for row in measured if row["mechanism"] == name]
        notes.append(f"rank sampling: c = {c:.4g}; noise drawn {options.draws} times a word")
    if "exponential" in series:
        bench = Bench(space.vectors, probes, k=CLOSE, draws=2)
        rows += exponential(space, bench, options)
    return Result(rows, partial(draw, rows=rows), (2.9 * len(series), 2.9), notes)


def on_a_line(epsilon: float, spacing: float) -> Row:
    """Laplace noise on words `spacing` apart: beyond the edge of the word's own cell, and beyond
    those of CLOSE / 2 words on each side."""
    leaves = np.exp(-epsilon * spacing / 2)
    return _row("one-dimensional", epsilon, 1 - leaves, leaves ** (CLOSE + 1))


def line_range(spacing: float, options: Options) -> list[float]:
    """The epsilons (nats per unit) at which 2 % to 98 % of words on a line stay, spacing units
    apart."""
    low, high = -2 * np.log1p(-np.array([0.02, 0.98])) / spacing
    return evenly(float(low), float(high), options.steps)


def noisy(space: Space, words: Ints1d, options: Options) -> tuple[list[Row], float]:
    """The rows of both rules on Laplace noise, and the c of rank sampling."""
    X, index, rng = space.vectors, Once(options.index).fit(space.vectors), Rng(seed=0)
    c = calibrated(X, index) if options.c is None else options.c
    epsilons = _epsilons(space, index, c, options)
    asked = np.repeat(words, options.draws)
    pivots = np.stack(
        [
            make_mechanism("dx.Laplace.v1", space, e, index=index).sample(asked, rng).rows
            for e in options.progress(epsilons, "noise")
        ]
    )
    ranks = np.stack([geometric(rng.uniform(len(asked)), c * e, len(X)) for e in epsilons])
    close = np.repeat(nearest(X, words, CLOSE + 1, options), options.draws, axis=0)
    ranked = ranked_outputs(X, pivots, ranks, close, options)
    rows = [
        counted(name, e, asked, some, close)
        for name, outputs in (("laplace", pivots), ("rank-sampling", ranked))
        for e, some in zip(epsilons, outputs, strict=True)
    ]
    return rows, c


def _epsilons(space: Space, index: Once, c: float, options: Options) -> list[float]:
    """Those of plain noise, and up to where rank sampling puts out its pivot as well."""
    found = options.range_of("dx.Laplace.v1", space, index)
    if options.epsilons:
        return found
    last = -float(np.log(TO_FINISH)) / c
    return evenly(found[0], max(last, found[-1]), 2 * options.steps)


def ranked_outputs(
    X: Floats2d, pivots: Ints2d, ranks: Ints2d, close: Ints2d, options: Options
) -> Ints2d:
    """(epsilons, k) of pivots and ranks, (k, m) of each word with its close ones -> (epsilons, k)
    outputs, FAR where it is certain that they are none of the close ones."""
    rows = pivots.copy()
    for some, at, rank in zip(rows, pivots, options.progress(ranks, "ranks"), strict=True):
        moved = np.flatnonzero((rank > 0) & (at[:, None] != close).all(axis=1))
        some[moved[certainly_far(X, at[moved], rank[moved], close[moved])]] = FAR
    near = rows != FAR
    rows[near] = at_rank(X, pivots[near], ranks[near], options)
    return rows


def certainly_far(X: Floats2d, pivots: Ints1d, ranks: Ints1d, close: Ints1d) -> Bools1d:
    """Whether more rows than the rank are nearer to the pivot than all close words are, by a part
    of the rows alone: a search of the whole table for the one at that rank takes ten times as long.
    """
    part = X[:: max(1, min(PART, len(X) // CLOSE))]
    half = np.einsum("nd,nd->n", part, part) / 2
    far = np.zeros(len(pivots), dtype=bool)
    for some in blocks(len(pivots), SCREENED_AT_ONCE):
        P = X[pivots[some]]
        apart = np.square(X[close[some]] - P[:, None]).sum(axis=2).min(axis=1)
        # |p - x|^2 < apart, with room for what float32 loses.
        limit = 0.999 * apart / 2 - np.einsum("kd,kd->k", P, P) / 2
        nearer = np.count_nonzero(half - P @ part.T < limit[:, None], axis=1)
        far[some] = nearer > ranks[some]
    return far


def at_rank(X: Floats2d, pivots: Ints1d, ranks: Ints1d, options: Options) -> Ints1d:
    """The neighbour of each pivot at its rank, itself being rank 0."""
    rows = pivots.copy()
    moved = np.flatnonzero(ranks > 0)
    distinct, which = np.unique(pivots[moved], return_inverse=True)
    deepest = np.zeros(len(distinct), dtype=np.int64)
    np.maximum.at(deepest, which, ranks[moved])
    depths = powers_of_2(deepest)
    for depth in np.unique(depths).tolist():
        some = np.flatnonzero(depths == depth)
        near = nearest(X, distinct[some], depth, options)
        here = np.flatnonzero(depths[which] == depth)
        rows[moved[here]] = near[np.searchsorted(some, which[here]), ranks[moved[here]]]
    return rows


def nearest(X: Floats2d, words: Ints1d, depth: int, options: Options) -> Ints1d:
    """The rows nearest to each of these, itself the first as a rule; distances in float32."""
    parts = options.progress(list(blocks(len(words), SEARCHED_AT_ONCE)), f"{depth} neighbours")
    depth, faiss = min(depth, len(X)), load_faiss()
    found = [faiss.knn(X[words[part]], X, depth)[1] for part in parts]
    return np.concatenate(found) if found else np.zeros((0, depth), dtype=np.int64)


def counted(name: str, epsilon: float, words: Ints1d, outputs: Ints1d, close: Ints1d) -> Row:
    """The shares of outputs (k,) that are the word (k,) itself, or none of its close ones (k,
    c)."""
    same = float(np.mean(outputs == words))
    far = float(np.mean((outputs[:, None] != close).all(axis=1) & (outputs != words)))
    return _row(name, epsilon, same, far)


def exponential(space: Space, bench: Bench, options: Options) -> list[Row]:
    """A row for each epsilon of dx.Exponential.v1."""
    rows = []
    found = options.range_of("dx.Exponential.v1", space)
    for e in options.progress(found, "exponential"):
        figures = bench.measure(make_mechanism("dx.Exponential.v1", space, e))
        rows.append(_row("exponential", e, figures.unchanged.mean(), figures.farther.mean()))
    return rows


def _row(name: str, epsilon: float, original: Any, distant: Any) -> Row:
    original, distant = float(original), float(distant)
    close = max(0.0, round(1 - original - distant, 12))
    shares = {"original": original, "close": close, "distant": distant}
    return {"mechanism": name, "epsilon": float(epsilon), **shares}


def draw(figure: Any, *, rows: list[Row]) -> None:
    """The three shares over epsilon, a panel for each mechanism."""
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
