"""Words a second of dx.Laplace.v1, next to what the machine's float32 matrix product allows.

    python benchmarks/throughput.py [--sizes 10000 50000 400000] [--seconds 20] [--json FILE]

For each size of a synthetic, GloVe-like space of 300 dimensions, in one process with the same
threads and in turns:

    product    the products queries x rows x 300 alone, tile by tile: brute force's limit
    search     dx.Exact.v1 on queries that are drawn already
    mechanism  dx.Laplace.v1: noise, search, and the grid of the noisy vectors
    nlp.pipe   texts in, Docs out, through spacy.blank("en") and dx_sanitizer, against the
               mechanism on the same words in calls of the same length

Figures are medians over the turns; ratios are medians of the ratios within a turn.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import synthetic
from numpy.typing import NDArray

import spacy_dxprivacy  # noqa: F401  (registers the parts)
from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.replacement import NUMBERS_AT_ONCE

QUERIES = 2048
TILE = 1024
LEAST_TURNS = 5
DOC_WORDS = 200
Figures = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 50_000, 400_000])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each part of each size")
    parser.add_argument("--epsilon", type=float, default=10.0)
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    options = parser.parse_args()
    results: dict[str, Any] = {"machine": machine(), "load": load_times(), "sizes": {}}
    print(", ".join(f"{name} {value}" for name, value in results["machine"].items()))
    print("built-in space: " + ", ".join(f"{n} {v:.0f} ms" for n, v in results["load"].items()))
    for size in options.sizes:
        results["sizes"][size] = figures = measure(size, options.epsilon, options.seconds)
        print(f"\n{size} x 300, epsilon {options.epsilon:g}")
        print("\n".join(line(name, value) for name, value in figures.items()), flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


def measure(size: int, epsilon: float, seconds: float) -> Figures:
    space = Space.from_vectors(synthetic.words(size), synthetic.glove_like(size), name="synthetic")
    with tempfile.TemporaryDirectory() as parent:
        folder = str(Path(parent) / "space")
        space.save(folder)
        space = Space.load(folder)
        mechanism = make("dx_mechanisms", "dx.Laplace.v1", epsilon=epsilon)
        figures: Figures = {}
        figures["fit, seconds"] = seconds_of(lambda: mechanism.fit(space))
        figures |= against_product(space, mechanism, seconds)
        figures |= end_to_end(space, folder, mechanism, seconds)
    return figures


def against_product(space: Space, mechanism: Any, seconds: float) -> Figures:
    rows = np.random.default_rng(2).integers(len(space), size=QUERIES)
    rng = Rng()
    Z = mechanism.sample(rows, rng).vectors
    index = make("dx_indexes", "dx.Exact.v1").fit(space.vectors)
    turns = in_turns(
        {
            "product": lambda: product(space.vectors, Z),
            "search": lambda: index.nearest(Z),
            "mechanism": lambda: mechanism.sample(rows, rng),
        },
        seconds,
    )
    figures = {f"{name}, words/s": QUERIES / statistics.median(t) for name, t in turns.items()}
    for name in ("search", "mechanism"):
        figures[f"{name} / product"] = ratio(turns["product"], turns[name])
    return figures


def product(X: NDArray[np.float32], Z: NDArray[np.float32]) -> None:
    """All scalar products of rows and queries, each tile over the last."""
    P = np.ascontiguousarray(Z.T)
    tile = np.empty((TILE, len(Z)), dtype=np.float32)
    for start in range(0, len(X), TILE):
        part = X[start : start + TILE]
        np.matmul(part, P, out=tile[: len(part)])


def end_to_end(space: Space, folder: str, mechanism: Any, seconds: float) -> Figures:
    nlp = spacy.blank("en")
    nlp.add_pipe("dx_sanitizer", config=sanitizer_config(folder, mechanism.guarantee.epsilon))
    # Enough words for a turn of about a fifth of the time, in whole batches of texts.
    trial = np.zeros(QUERIES, dtype=np.int64)
    rate = QUERIES / seconds_of(lambda: mechanism.sample(trial, Rng()))
    n_texts = max(20, int(rate * seconds / LEAST_TURNS / 2 / DOC_WORDS))
    rows = synthetic.zipf_rows(len(space), n_texts * DOC_WORDS)
    texts = synthetic.texts(space.words, rows, DOC_WORDS)
    check_counts(nlp, texts[:20], 20 * DOC_WORDS)
    rng, batch = Rng(), NUMBERS_AT_ONCE // space.vectors.shape[1]

    def alone() -> None:
        for start in range(0, len(rows), batch):
            mechanism.sample(rows[start : start + batch], rng)

    def pipe() -> None:
        for _ in nlp.pipe(texts):
            pass

    turns = in_turns({"alone": alone, "pipe": pipe}, seconds)
    return {
        "words of the text": float(len(rows)),
        "mechanism on the text, words/s": len(rows) / statistics.median(turns["alone"]),
        "nlp.pipe, words/s": len(rows) / statistics.median(turns["pipe"]),
        "nlp.pipe / mechanism": ratio(turns["alone"], turns["pipe"]),
    }


def sanitizer_config(folder: str, epsilon: float) -> dict[str, Any]:
    return {
        "mechanism": {"@dx_mechanisms": "dx.Laplace.v1", "epsilon": epsilon},
        "space": {"@dx_spaces": "dx.FileSpace.v1", "path": folder},
    }


def check_counts(nlp: Any, texts: list[str], words: int) -> None:
    """The rates are only worth something if every word was perturbed."""
    perturbed = sum(doc._.dx.perturbed for doc in nlp.pipe(texts))
    if perturbed != words:
        raise RuntimeError(f"expected {words} perturbed words, got {perturbed}")


def in_turns(parts: dict[str, Callable[[], Any]], seconds: float) -> dict[str, list[float]]:
    """Times of each part, one after the other, after a turn that does not count."""
    times: dict[str, list[float]] = {name: [] for name in parts}
    for call in parts.values():
        call()
    end = time.perf_counter() + seconds
    while len(times[next(iter(parts))]) < LEAST_TURNS or time.perf_counter() < end:
        for name, call in parts.items():
            times[name].append(seconds_of(call))
    return times


def ratio(base: list[float], other: list[float]) -> float:
    """The rate of other as a share of the rate of base."""
    return statistics.median(b / o for b, o in zip(base, other, strict=True))


def seconds_of(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def load_times() -> Figures:
    """Milliseconds in a new process, the files being in the page cache; medians of 5."""
    code = (
        "import time; from spacy_dxprivacy import Space\n"
        "a = time.perf_counter(); space = Space.builtin()\n"
        "b = time.perf_counter(); space.find('doctor')\n"
        "c = time.perf_counter(); print(1000 * (b - a), 1000 * (c - b))"
    )
    runs = [
        [float(number) for number in subprocess.check_output([sys.executable, "-c", code]).split()]
        for _ in range(5)
    ]
    load, first = (statistics.median(column) for column in zip(*runs, strict=True))
    return {"load": load, "first look-up": first}


def machine() -> dict[str, Any]:
    return {
        "cores": os.cpu_count(),
        "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "not set"),
        "numpy": np.__version__,
        "load average": round(os.getloadavg()[0], 1),
    }


def make(where: str, name: str, **settings: Any) -> Any:
    return registry.resolve({"part": {f"@{where}": name, **settings}})["part"]


def line(name: str, value: float) -> str:
    return f"  {name:32} {value:12,.3f}" if value < 100 else f"  {name:32} {value:12,.0f}"


if __name__ == "__main__":
    main()
