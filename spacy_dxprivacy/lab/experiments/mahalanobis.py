"""Elliptical noise over lambda, which interpolates between dx.Laplace.v1 (0) and the covariance.

N_w: the share of draws of a word that are the word itself; low is private. S_w: how many different
words come out in some draws of a word; high is private.

It is compared at the same nominal epsilon, as in the paper, and at the same guarantee per unit of
Euclidean distance, for which epsilon is multiplied by sqrt(lambda lambda_min + 1 - lambda),
lambda_min the least eigenvalue of the scaled covariance.

Reference: Xu, Aggarwal, Feyisetan, Teissier 2020 (arXiv 2010.11947), figures 2 and 3.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...mechanisms.mahalanobis import regularised_covariance
from ...space import Space
from ..mechanisms import Once, make_mechanism
from ..results import Result, Row, draw_lines, finish
from ..tuning.bench import Bench
from .options import Options, experiment, of_space, random_probes

LAMBDAS = (0.0, 0.25, 0.5, 0.75, 1.0)
SAME = ("nominal", "euclidean")  # the epsilon that is the same for all lambdas
PERCENTS = (5, 25, 50, 75, 95)


@experiment(
    "mahalanobis", "N_w and S_w of Laplace and Mahalanobis noise over lambda",
    "Xu et al. 2020, arXiv 2010.11947", words=100, draws=50, steps=6, max_words=5_000,
)  # fmt: skip
def run(space: Space, options: Options) -> Result:
    """Return N_w and S_w for each epsilon and lambda, "nominal": the epsilon of the mechanism;
    "euclidean": that of a unit of distance."""
    space = options.first_words(space)
    index = Once()
    probes = random_probes(space, options.words)
    bench = Bench(space.vectors, probes, k=1, draws=options.draws)
    epsilons = options.range_of("dx.Laplace.v1", space, index)
    cases = [(same, lam, e) for same in SAME for lam in LAMBDAS for e in epsilons]
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
    return Result(rows, partial(_draw, rows=rows), (8.4, 5.6), notes)


def _spread(name: str, values: Any) -> Row:
    values = np.asarray(values, dtype=np.float64)
    percents = zip(PERCENTS, np.percentile(values, PERCENTS).tolist(), strict=True)
    return {f"{name} mean": float(values.mean()), **{f"{name} p{p}": v for p, v in percents}}


def _draw(figure: Any, *, rows: list[Row]) -> None:
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
