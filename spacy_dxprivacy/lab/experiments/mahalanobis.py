r"""N_w and S_w for Laplace noise against elliptical noise, over lambda.

N_w  the share of draws of a word that are the word itself; low is private
S_w  how many different words come out in some draws of a word; high is private

lambda = 0 is dx.Laplace.v1. Two comparisons: at the same nominal epsilon, as the paper has it, and
at the same guarantee per unit of Euclidean distance, for which epsilon is multiplied by
sqrt(lambda lambda_min + 1 - lambda), lambda_min the least eigenvalue of the scaled covariance.

Paper  Xu, Aggarwal, Feyisetan, Teissier 2020 (arXiv 2010.11947), figures 2 and 3
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...mechanisms.mahalanobis import regularised_covariance
from ...space import Space
from ..tuning import Bench
from .build import Once, make
from .options import Options, first_words, of_space, random_probes, range_of, spread
from .result import Result, Row, draw_lines, finish

LAMBDAS = (0.0, 0.25, 0.5, 0.75, 1.0)
SAME = ("nominal", "euclidean")  # what is the same for all lambdas


def run(space: Space, options: Options) -> Result:
    """N_w and S_w for each epsilon and lambda, with the noise of the paper and with that of
    dx.Mahalanobis.v1."""
    space = first_words(space, options)
    index = Once(options.index)
    probes = random_probes(space, options.words)
    bench = Bench(space.vectors, probes, k=1, draws=options.draws)
    epsilons = range_of("dx.Laplace.v1", space, options, index)
    cases = [(same, lam, e) for same in SAME for lam in LAMBDAS for e in epsilons]
    rows = [
        measured(space, bench, index, *case)
        for case in options.progress(cases, "lambda and epsilon")
    ]
    notes = [
        f"{of_space(space)}; {len(probes.rows):,} of them, drawn uniformly",
        f"S_w: different words in {bench.draws} draws",
    ]
    return Result(rows, partial(draw, rows=rows), (8.4, 5.6), notes)


def measured(space: Space, bench: Bench, index: Once, same: str, lam: float, epsilon: float) -> Row:
    """The mechanism's own epsilon is epsilon for "nominal", and for "euclidean" the one that
    promises epsilon nats per unit of Euclidean distance."""
    shrink = float(np.sqrt(regularised_covariance(space.vectors, lam)[0][0]))
    own = epsilon if same == "nominal" else epsilon * shrink
    name = "dx.Laplace.v1" if lam == 0 else "dx.Mahalanobis.v1"
    settings = {} if lam == 0 else {"lam": lam}
    figures = bench.measure(make(name, space, epsilon=own, index=index, **settings))
    return {
        "same": same,
        "lambda": lam,
        "epsilon": epsilon,
        "epsilon of the mechanism": own,
        "euclidean epsilon": own / shrink,
        **{f"N_w {name}": value for name, value in spread(figures.unchanged).items()},
        **{f"S_w {name}": value for name, value in spread(figures.distinct).items()},
    }


def draw(figure: Any, *, rows: list[Row]) -> None:
    """N_w and S_w over epsilon, a line for each lambda."""
    panels = figure.subplots(2, 2, sharey="col")
    for line, same in zip(panels, SAME, strict=True):
        some = [row for row in rows if row["same"] == same]
        for axes, what in zip(line, ("N_w", "S_w"), strict=True):
            draw_lines(axes, some, x="epsilon", y=f"{what} mean", by="lambda")
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
