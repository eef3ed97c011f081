r"""How far the nearest word is, and by how much nearer than the next (half-distances and margins).

half-distance  a = d_1 / 2: noise that goes farther towards the nearest word leaves the word
margin         b = (d_j^2 - d_1^2) / (2 ||x_1 - x_j||): noise that goes farther from the first
               neighbour towards the j-th leads to the j-th rather than to the first
probability    F(a), F(b) at an epsilon, F of dot_product.py: near 1 the word stays; near 1/2 the
               first neighbour is hardly likelier than the j-th

Paper          Asghar, Carpentier, Zhao, Kaafar 2024 (arXiv 2411.13784), table 2
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats1d
from ...search.metric import neighbours
from ...space import Space
from .dot_product import cdf
from .options import Options, first_words, of_space, random_probes
from .result import COLOURS, Result, Row, finish

LATER = (2, 101)  # ranks of the neighbours that are compared with the first
EPSILONS = (5.0, 10.0, 20.0)


def run(space: Space, options: Options) -> Result:
    """Half-distances and margins of the space and of those to compare it with, a row each."""
    spaces = [first_words(each, options) for each in (space, *options.others)]
    rows = [measured(each, options) for each in options.progress(spaces, "spaces")]
    notes = [f"{of_space(each)}; means of {options.words:,} of them" for each in spaces]
    return Result(rows, partial(draw, rows=rows), (7.0, 1.0 + 0.8 * len(rows)), notes)


def measured(space: Space, options: Options) -> Row:
    """Means over the words of one space, in units of its distance, and the law at these."""
    n, d = space.vectors.shape
    words = random_probes(space, options.words).rows
    half, margins = distances_of(space, words)
    row: Row = {"space": space.name, "words": n, "dimensions": d, "half-distance": _mean(half)}
    row |= {f"margin 1-{j}": _mean(margins[j]) for j in LATER}
    for epsilon in options.epsilons or EPSILONS:
        row[f"F(half-distance), epsilon {epsilon:g}"] = cdf(_mean(half), d, epsilon)
        for j in LATER:
            row[f"F(margin 1-{j}), epsilon {epsilon:g}"] = cdf(_mean(margins[j]), d, epsilon)
    return row


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


def _mean(values: Floats1d) -> float:
    return float(np.nanmean(values))


def draw(figure: Any, *, rows: list[Row]) -> None:
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
