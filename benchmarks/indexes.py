"""How fast and how true the indexes are, next to the machine's float32 matrix product.

    python benchmarks/indexes.py [--sizes 10000 50000 200000 400000] [--refine 128 256 512]
        [--vectors FOLDER] [--cpu] [--json FILE]

Queries are words of the space with the noise of dx.Laplace.v1, at each epsilon. For each size and
index: seconds to fit, the rate of the search as a multiple of that of the blocked product on the
same queries (median of the ratios within a turn), and the share of the queries for which it gives
the row that dx.Exact.v1 gives.

--vectors measures the vectors of a pipeline, or a saved space, in place of synthetic ones; its
epsilons are scaled so that the noise is as large beside the distance of neighbours as it is in the
synthetic space.
--cpu counts processor time, for a machine that others use as well; set OPENBLAS_NUM_THREADS=1 and
OMP_NUM_THREADS=1 with it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import synthetic
from measure import PAUSE, product, resolve
from numpy.typing import NDArray
from run import machine

import spacy_dxprivacy  # noqa: F401  (registers the parts)
from spacy_dxprivacy import Rng
from spacy_dxprivacy.privacy.noise import laplace_noise
from spacy_dxprivacy.space.sources import Filter, load

EPSILONS = (5.0, 10.0, 15.0, 20.0, 30.0)
SPEED_QUERIES = 1020
SYNTHETIC_GAP, SYNTHETIC_DIMS = 5.7, 300  # nearest neighbours of synthetic.glove_like
Matrix = NDArray[np.float32]
Clock = Callable[[], float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 50_000, 200_000, 400_000])
    parser.add_argument("--dims", type=int, default=300)
    parser.add_argument("--refine", type=int, nargs="+", default=[128, 256, 512])
    parser.add_argument("--queries", type=int, default=4096, help="for each epsilon, for recall")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--vectors", type=Path, help="a pipeline with vectors, or a saved space")
    parser.add_argument("--cpu", action="store_true", help="processor time, not wall time")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    options = parser.parse_args()
    about = machine(quick=False) | {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "not set")}
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    results: dict[str, Any] = {"machine": about, "epsilons": EPSILONS, "spaces": []}
    for X in spaces(options):
        results["spaces"].append(measure(X, options))
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


def spaces(options: argparse.Namespace) -> Any:
    if options.vectors:
        yield load(options.vectors, Filter(exclude=[])).vectors
        return
    for size in options.sizes:
        yield synthetic.glove_like(size, options.dims)


def measure(X: Matrix, options: argparse.Namespace) -> dict[str, Any]:
    clock = time.process_time if options.cpu else time.perf_counter
    print(f"\n{len(X)} x {X.shape[1]}", flush=True)
    queries = [noisy(X, scaled(epsilon, X), options.queries) for epsilon in EPSILONS]
    mixed = np.concatenate([Z[: SPEED_QUERIES // len(queries)] for Z in queries])
    exact = resolve("dx_indexes", {"@dx_indexes": "dx.Exact.v1"}).fit(X)
    truth = [exact.nearest(Z) for Z in queries]
    out: dict[str, Any] = {"rows": len(X), "dims": X.shape[1], "indexes": {}}
    out["indexes"]["dx.Exact.v1"] = speeds(X, exact, mixed, clock, options.turns)
    print("  " + summary("dx.Exact.v1", out["indexes"]["dx.Exact.v1"]), flush=True)
    index, seconds = fitted(X, clock)
    for refine in options.refine:
        index._refine = min(refine, len(X))
        figures = speeds(X, index, mixed, clock, options.turns) | {"fit, seconds": seconds}
        figures["recall"] = [
            float((index.nearest(Z) == rows).mean()) for Z, rows in zip(queries, truth, strict=True)
        ]
        out["indexes"][index.choice] = figures
        print("  " + summary(index.choice, figures), flush=True)
    return out


def noisy(X: Matrix, epsilon: float, k: int) -> Matrix:
    rows = np.random.default_rng(4).integers(len(X), size=k)
    return (X[rows] + laplace_noise(k, X.shape[1], Rng(seed=5), epsilon=epsilon)).astype(np.float32)


def scaled(epsilon: float, X: Matrix) -> float:
    """The epsilon whose noise is to the gaps of this table what it is to those of GloVe 300d.

    Noise moves a word along the line to a neighbour by about sqrt(d) / epsilon.
    """
    probes = X[np.random.default_rng(6).integers(len(X), size=256)].astype(np.float64)
    S = np.square(probes).sum(axis=1)[:, None] + np.square(X.astype(np.float64)).sum(axis=1)
    squares = np.partition(S - 2 * probes @ X.T, 1, axis=1)[:, 1]
    gap = float(np.sqrt(np.median(squares)))
    return epsilon * SYNTHETIC_GAP / gap * float(np.sqrt(X.shape[1] / SYNTHETIC_DIMS))


def fitted(X: Matrix, clock: Clock) -> tuple[Any, float]:
    start = clock()
    index = resolve("dx_indexes", {"@dx_indexes": "dx.Faiss.v1"}).fit(X)
    return index, clock() - start


def speeds(X: Matrix, index: Any, Z: Matrix, clock: Clock, turns: int) -> dict[str, Any]:
    """Both in turns, so that what else the machine does falls on both."""
    index.nearest(Z)
    rates, ratios = [], []
    for _ in range(turns):
        times = []
        for call in (partial(product, X, Z), partial(index.nearest, Z)):
            time.sleep(PAUSE)
            start = clock()
            call()
            times.append(clock() - start)
        rates.append(len(Z) / times[1])
        ratios.append(times[0] / times[1])
    return {"words/s": statistics.median(rates), "ratio": statistics.median(ratios)}


def summary(name: str, figures: dict[str, Any]) -> str:
    recall = " ".join(f"{share:.4f}" for share in figures.get("recall", []))
    fit = f"  fit {figures['fit, seconds']:6.1f} s" if "fit, seconds" in figures else ""
    rate = f"{figures['words/s']:9,.0f} words/s {figures['ratio']:6.2f} x product"
    return f"{name:42} {rate}{fit}  {recall}"


if __name__ == "__main__":
    main()
