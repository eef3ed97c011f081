"""dx.Path.v1 next to every other mechanism: at an equal guesser, at equal loss, and its speed.

    python benchmarks/path.py [--vectors FOLDER] [--words 2000] [--parts A B C] [--draws 20]
                              [--sizes 10000 50000] [--json FILE]

A   each mechanism's epsilon is such that the best guesser, who sees one output and takes all words
    for equally likely, is right for 36 % of the words
B   each mechanism's epsilon is such that the loss to the nearest word is 2 nats in the mean
C   dx.Path.v1 alone: time and memory of fit, words a second, and those of a one-dimensional peer

The loss between two words is the largest |ln P(y|w) - ln P(y|v)| over all outputs y. It is exact
for mechanisms that state their probabilities, as is their guesser. The others are simulated: the
guesser learns from one half of the draws and is scored on the other, and the loss is the one that
their guarantee states. "Nearest" is by Euclidean distance. Without vectors, A and B are
on synthetic, GloVe-like ones.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import synthetic
from numpy.typing import NDArray

from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.errors import DxError, DxWarning
from spacy_dxprivacy.pipeline.component import DEFAULT_CONFIG
from spacy_dxprivacy.space.search.metric import euclidean
from spacy_dxprivacy.space.sources import Filter, load

GUESSER, LOSS = 0.36, 2.0  # what A and B hold equal
DENIABLE = 3.0  # nats: words within it count as company
CLOSE, TEN = 100, 10
LARGEST = 1e40  # of the epsilons that are tried; dx.TruncatedGumbel.v1 takes the logarithm of it
ABSENT = -1e300  # ln 0 that can be subtracted from itself
TURNS, TURN_WORDS, DOC_WORDS = 5, 100_000, 200
Matrix = NDArray[Any]
Figures = dict[str, Any]


@dataclass(frozen=True)
class Contender:
    label: str
    name: str
    settings: Figures = field(default_factory=dict)


def projected(label: str, projection: str) -> Contender:
    return Contender(label, "dx.Laplace.v1", {"projection": {"@dx_projections": projection}})


CONTENDERS = (
    Contender("Path", "dx.Path.v1"),
    Contender("Exponential", "dx.Exponential.v1"),
    Contender("Exponential, exact", "dx.Exponential.v1", {"calibration": "exact"}),
    Contender("TEM", "dx.TEM.v1"),
    Contender("CusText", "dx.CusText.v1"),
    Contender("Diffractor", "dx.Diffractor.v1"),
    # With half of the words in clear, as by default, the guesser is never below .40.
    Contender("SanTextPlus, sensitive = .9", "dx.SanTextPlus.v1", {"sensitive": 0.9}),
    projected("Laplace, nearest", "dx.Nearest.v1"),
    projected("Laplace, rank sampling", "dx.RankSampling.v1"),
    projected("Laplace, Vickrey", "dx.Vickrey.v1"),
    Contender("Mahalanobis", "dx.Mahalanobis.v1"),
    Contender("RandomProjection", "dx.RandomProjection.v1"),
    Contender("Gaussian", "dx.Gaussian.v1"),
    Contender("ClippedLaplace", "dx.ClippedLaplace.v1"),
    Contender("TruncatedLaplace", "dx.TruncatedLaplace.v1"),
    Contender("NADP", "dx.NADP.v1"),
    Contender("Jaccard", "dx.Jaccard.v1"),
    Contender("TruncatedGumbel", "dx.TruncatedGumbel.v1"),
)


def main() -> None:
    options = parsed()
    if options.child:
        print(json.dumps(speed(options.child)))
        return
    results: Figures = {}
    # First, while this process is small: its memory counts in the peak of those that it starts.
    if "C" in options.parts:
        results["C"] = {size: in_its_own_process(size) for size in options.sizes}
        show_speed(results["C"])
    if set("AB") & set(options.parts):
        ground = Ground(space_of(options.vectors, options.words), options.draws)
        print(f"{len(ground.space)} words, {ground.space.vectors.shape[1]} dimensions")
        for part in sorted(set("AB") & set(options.parts)):
            results[part] = compare(ground, part)
    if options.json:
        options.json.write_text(json.dumps(plain(results), indent=2) + "\n")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--vectors", type=Path, help="a pipeline with vectors, or a saved space; synthetic if none"
    )
    parser.add_argument("--words", type=int, default=2000, help="how many of the first words")
    parser.add_argument("--parts", nargs="+", default=list("ABC"), choices=list("ABC"))
    parser.add_argument("--draws", type=int, default=20, help="of each word, where simulated")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def space_of(file: Path | None, n: int) -> Space:
    if file is None:
        return Space.from_vectors(synthetic.words(n), synthetic.glove_like(n), name="synthetic")
    return load(file, Filter(max_words=n, exclude=[]))


# -- A and B: what comes out, and who can tell -----------------------------------------------------


class Ground:
    """What all mechanisms are measured on. near: (n, 100), the nearest others of each word;
    close: (n, n), whether a word is among them; cosines: (n, n)."""

    def __init__(self, space: Space, draws: int) -> None:
        self.space, self.draws = space, draws
        X = space.vectors.astype(np.float64)
        D = euclidean(space.vectors, np.arange(len(X)))
        np.fill_diagonal(D, np.inf)
        self.near = np.argsort(D, axis=1, kind="stable")[:, :CLOSE]
        self.close = np.zeros(D.shape, dtype=bool)
        np.put_along_axis(self.close, self.near, True, axis=1)
        U = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)
        self.cosines = U @ U.T

    def fitted(self, contender: Contender, epsilon: float) -> Any:
        settings = {"epsilon": epsilon, **contender.settings}
        if contender.name == "dx.RandomProjection.v1":
            settings["dims"] = min(50, self.space.vectors.shape[1] // 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DxWarning)
            return make("dx_mechanisms", contender.name, **settings).fit(self.space)


def compare(ground: Ground, part: str) -> list[Figures]:
    """Print a row for each contender as soon as it is there."""
    solve, columns = (at_guesser, COLUMNS_A) if part == "A" else (at_loss, COLUMNS_B)
    print(f"\n{part}\n\n| mechanism | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns), flush=True)
    table = []
    for contender in CONTENDERS:
        figures = {"mechanism": contender.label, **measured(ground, contender, solve)}
        print(row_of(contender.label, [figures.get(name) for name in columns.values()]), flush=True)
        table.append(figures)
    return table


COLUMNS_A = {
    "epsilon": "shown",
    "kept": "kept",
    "cosine": "cosine",
    "among the 100 nearest": "close",
    "loss, nearest: mean": "nearest",
    "median": "median",
    "loss, ten nearest: mean": "ten",
    "words within 3 nats": "company",
    "words with none": "alone",
}
COLUMNS_B = {
    "epsilon": "stated",
    "guesser": "guesser",
    "kept": "kept",
    "cosine": "cosine",
    "among the 100 nearest": "close",
}
Solver = Callable[[Ground, Contender], "float | None"]


def measured(ground: Ground, contender: Contender, solve: Solver) -> Figures:
    epsilon = solve(ground, contender)
    if epsilon is None:
        return {}
    mechanism = ground.fitted(contender, epsilon)
    P, guesser = outcomes(ground, mechanism)
    return {
        "epsilon": epsilon,
        "shown": f"{epsilon:.3g}",
        "stated": pair_of(mechanism.guarantee) or f"{epsilon:.3g}",
        "guesser": guesser,
        "kept": float(np.trace(P) / len(P)),
        "cosine": float((P * ground.cosines).sum() / len(P)),
        "close": float(P[ground.close].sum() / len(P)),
        **losses(ground, mechanism),
    }


def at_guesser(ground: Ground, contender: Contender) -> float | None:
    def guesser(epsilon: float) -> float:
        return outcomes(ground, ground.fitted(contender, epsilon))[1]

    return solved(guesser, GUESSER, tolerance=0.003)


def at_loss(ground: Ground, contender: Contender) -> float | None:
    def loss(epsilon: float) -> float:
        return nearest_loss(ground, ground.fitted(contender, epsilon))

    return solved(loss, LOSS, tolerance=0.001)


def solved(value: Callable[[float], float], aim: float, tolerance: float) -> float | None:
    """The epsilon, within this share of it, at which a rising value is the aim; None without one.
    An epsilon that a mechanism refuses counts as too small."""
    from scipy.optimize import brentq

    def excess(log_epsilon: float) -> float:
        try:
            return min(value(float(np.exp(log_epsilon))), 1e6) - aim
        except DxError:
            return -aim

    up, step = excess(0.0) < 0, 1.0
    low = high = 0.0
    # Ever longer steps: some mechanisms need an astronomical epsilon.
    while (excess(high) < 0) if up else (excess(low) > 0):
        if max(high, -low) > np.log(LARGEST):
            return None
        low, high = (high, high + step) if up else (low - step, low)
        step *= 1.5
    root = float(brentq(excess, low, high, xtol=tolerance))
    # Where an epsilon is refused up to a point, the value may leap over the aim.
    return float(np.exp(root)) if abs(excess(root)) < aim / 50 else None


def outcomes(ground: Ground, mechanism: Any) -> tuple[Matrix, float]:
    """P(y | w), (n, n), exact or as drawn, and the success of the best guesser."""
    words = np.arange(len(ground.space))
    if hasattr(mechanism, "distribution"):
        P = mechanism.distribution(words)
        return P, float(P.max(axis=0).sum() / len(P))
    rng = Rng(seed=0)  # the same for every epsilon: then the guesser rises smoothly with it
    learned, scored = (drawn(mechanism, rng, len(words), ground.draws // 2) for _ in range(2))
    guesses = np.argmax(learned, axis=0)
    # Where few draws teach too little, to guess the output itself may be better.
    best = max(scored[guesses, words].sum(), np.trace(scored))
    return (learned + scored) / 2, float(best / len(words))


def drawn(mechanism: Any, rng: Rng, n: int, draws: int) -> Matrix:
    """(n, n): the share of each output among the draws of each word."""
    counts = np.zeros((n, n))
    words = np.arange(n)
    for _ in range(draws):
        counts[words, mechanism.sample(words, rng).rows] += 1
    return counts / draws


# -- losses --------------------------------------------------------------------------------------


def losses(ground: Ground, mechanism: Any) -> Figures:
    if not hasattr(mechanism, "distribution"):
        return stated_losses(ground, mechanism)
    L = logs(mechanism, len(ground.space))
    near = np.stack([pair_losses(L, v) for v in ground.near[:, :TEN].T], axis=1)
    return summary(near, company(L))


def stated_losses(ground: Ground, mechanism: Any) -> Figures:
    D = stated(ground, mechanism)
    if D is None:
        return {"nearest": pair_of(mechanism.guarantee)}
    near = np.take_along_axis(D, ground.near[:, :TEN], axis=1)
    return summary(near, (D <= DENIABLE).sum(axis=1) - 1)


def stated(ground: Ground, mechanism: Any) -> Matrix | None:
    """(n, n) losses that the guarantee allows, where it is one without a delta."""
    guarantee, n = mechanism.guarantee, len(ground.space)
    if guarantee.kind == "metric-dp":
        D: Matrix = guarantee.epsilon * mechanism.distances(np.arange(n))
        return D
    if guarantee.kind == "approx-dp" and not guarantee.delta:
        return guarantee.epsilon * (1 - np.eye(n))
    return None


def nearest_loss(ground: Ground, mechanism: Any) -> float:
    """Mean loss to the nearest word; epsilon where the guarantee has a delta; else infinite."""
    if hasattr(mechanism, "distribution"):
        L = logs(mechanism, len(ground.space))
        return float(pair_losses(L, ground.near[:, 0]).mean())
    D = stated(ground, mechanism)
    if D is not None:
        return float(D[np.arange(len(D)), ground.near[:, 0]].mean())
    return float(mechanism.guarantee.epsilon) if pair_of(mechanism.guarantee) else np.inf


def pair_of(guarantee: Any) -> str | None:
    """An epsilon with its delta; None without a delta, or where the claim is refuted."""
    if guarantee.kind != "approx-dp" or not guarantee.delta or guarantee.status == "refuted":
        return None
    return f"({guarantee.epsilon:.3g}, {guarantee.delta:.1g})"


def logs(mechanism: Any, n: int) -> Matrix:
    P = mechanism.distribution(np.arange(n))
    return np.log(P, out=np.full(P.shape, ABSENT), where=P > 0)


def pair_losses(L: Matrix, others: Matrix) -> Matrix:
    """(n,): the loss between each word and its other; infinite where one alone can come out."""
    found = np.array([np.abs(row - L[v]).max() for row, v in zip(L, others, strict=True)])
    return np.where(found > -ABSENT / 2, np.inf, found)


def company(L: Matrix) -> Matrix:
    """(n,): how many others are within 3 nats of each word."""
    own = np.diag(L)
    # The outputs w and v alone rule out most pairs; the rest are looked at whole.
    maybe = np.abs(own[None, :] - L) <= DENIABLE
    pairs = np.argwhere(np.triu(maybe & maybe.T, 1))
    within = [p for p in pairs if np.abs(L[p[0]] - L[p[1]]).max() <= DENIABLE]
    return np.bincount(np.array(within, dtype=np.int64).reshape(-1), minlength=len(L))


def summary(near: Matrix, count: Matrix) -> Figures:
    return {
        "nearest": float(near[:, 0].mean()),
        "median": float(np.median(near[:, 0])),
        "ten": float(near.mean()),
        "company": float(count.mean()),
        "alone": float(np.mean(count == 0)),
    }


# -- C: time and memory ----------------------------------------------------------------------------


def in_its_own_process(size: int) -> Figures:
    """The peak of memory is that of a process, so each size gets one."""
    command = [sys.executable, __file__, "--child", str(size)]
    figures: Figures = json.loads(subprocess.check_output(command))
    return figures


def speed(size: int) -> Figures:
    space = Space.from_vectors(synthetic.words(size), synthetic.glove_like(size), name="synthetic")
    mechanism = make("dx_mechanisms", **DEFAULT_CONFIG["mechanism"])
    figures: Figures = {"peak before fit, MB": peak()}
    figures["fit, seconds"] = seconds_of(lambda: mechanism.fit(space))
    figures["peak after fit, MB"] = peak()
    rows, rng = synthetic.zipf_rows(size, TURN_WORDS), Rng()
    words = [space.words[row] for row in rows.tolist()]
    figures["fitted mechanism, words/s"] = rate(lambda: mechanism.sample(rows, rng))
    figures["nlp.pipe with tokenizing, words/s"] = pipe_rate(space, rows)
    peer = Peer(space.words)
    figures["one-dimensional peer, words/s"] = rate(lambda: [peer(word) for word in words])
    return figures


def pipe_rate(space: Space, rows: NDArray[np.int64]) -> float:
    texts = synthetic.texts(space.words, rows, DOC_WORDS)
    with tempfile.TemporaryDirectory() as parent:
        folder = str(Path(parent) / "space")
        space.save(folder)
        nlp = spacy.blank("en")
        source = {"@dx_spaces": "dx.FileSpace.v1", "path": folder}
        nlp.add_pipe("dx_sanitizer", config={"space": source})
        # The rate is only worth something if every word was drawn.
        if sum(doc._.dx.perturbed for doc in nlp.pipe(texts)) != len(rows):
            raise RuntimeError(f"expected {len(rows)} perturbed words, got others")
        return rate(lambda: list(nlp.pipe(texts)))


class Peer:
    """Words on a list in any order, and a two-sided geometric draw, one word at a time. It has no
    vectors, hence no sense, and no fit: what a mechanism of one dimension costs at the least."""

    def __init__(self, words: list[str], epsilon: float = 1.0) -> None:
        self.words, self.places = words, {word: place for place, word in enumerate(words)}
        self.generator, self.p = Rng().generator, float(-np.expm1(-epsilon))

    def __call__(self, word: str) -> str:
        step = self.generator.geometric(self.p) - self.generator.geometric(self.p)
        return self.words[min(max(self.places[word] + step, 0), len(self.words) - 1)]


def rate(call: Callable[[], Any]) -> float:
    """Words a second, the median over the turns after one that does not count."""
    call()
    return TURN_WORDS / statistics.median(seconds_of(call) for _ in range(TURNS))


def seconds_of(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def peak() -> float:
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def show_speed(figures: dict[int, Figures]) -> None:
    print("\nC\n\n| | " + " | ".join(f"{size} x 300" for size in figures) + " |")
    print("| --- |" + " --- |" * len(figures))
    for name in next(iter(figures.values())):
        values = [by_name[name] for by_name in figures.values()]
        print(f"| {name} | " + " | ".join(amount(value) for value in values) + " |")


# -- printing --------------------------------------------------------------------------------------


def make(where: str, name: str = "", **settings: Any) -> Any:
    return registry.resolve({"part": {f"@{where}": name, **settings} if name else settings})["part"]


def plain(value: Any) -> Any:
    """Without infinite numbers, which JSON does not have."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return "infinite" if value == np.inf else value


def row_of(label: str, values: list[Any]) -> str:
    return f"| {label} | " + " | ".join(map(shown, values)) + " |"


def shown(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or "–"
    if np.isinf(value):
        return "∞"
    return f"{value:.3g}" if value >= 100 else f"{value:.2f}"


def amount(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


if __name__ == "__main__":
    main()
