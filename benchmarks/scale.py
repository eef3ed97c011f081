"""The processor time of a graph as a space grows, the neighbours it finds, and that of attacks:

    python benchmarks/scale.py SPACE [--words 50000,100000,200000,400000]
    python benchmarks/scale.py SPACE --attack TEXT

SPACE is a folder of vectors, such as GloVe with 50 dimensions and 400,000 words (`spacy project run
glove50` in projects/papers makes one). A row has the first words of the space: the seconds of the
processor that their graph takes, over n log n of the row before, and the share of the hundred and
of the ten nearest words that it finds, at PROBES words. With --attack, the seconds of `dx attack
frontier` on every mechanism, on 600 words of a text and the first 20,000 words of the space, which
are written to docs/attacks/seconds.json.

No clock is read: other processes of the machine change little. Links take one thread, searches
all of them, so the time that passes is about three fifths of this on two cores. Of attacks, it is
at least half.
"""

from __future__ import annotations

import argparse
import csv
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import faiss
import numpy as np
from figures import DOCS, write_result

from spacy_dxprivacy import Space
from spacy_dxprivacy.metric import word_graph

PROBES = 1000


def seconds(who: int = resource.RUSAGE_SELF) -> float:
    """Of the processor, so far."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def recalls(space: Space, lists: np.ndarray) -> tuple[float, float]:
    """The shares of the hundred and of the ten nearest words that the lists have."""
    X = np.ascontiguousarray(space.vectors)
    probes = np.random.default_rng(0).choice(len(space), PROBES, replace=False)
    near = faiss.knn(X[probes], X, lists.shape[1] + 1)[1]
    near = [row[row != probe] for row, probe in zip(near, probes, strict=True)]
    found = list(zip(near, lists[probes], strict=True))
    return tuple(
        float(np.mean([np.isin(a[:depth], b).mean() for a, b in found]))
        for depth in (lists.shape[1], 10)
    )


def grow(whole: Space, sizes: list[int]) -> None:
    """Print a row for each number of words."""
    print("| words | seconds of the processor | growth over n log n | of 100 nearest | of 10 |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    before = 0.0
    for n in sorted(min(size, len(whole)) for size in sizes):
        space = Space.from_vectors(whole.words[:n], np.array(whole.vectors[:n]))
        start = seconds()
        lists = word_graph.neighbour_lists(space)
        word_graph.both_ways(n, *word_graph.edges(lists))
        took = seconds() - start
        rate = took / (n * np.log(n))
        growth = f"{rate / before:.2f}" if before else "-"
        hundred, ten = recalls(space, lists)
        print(f"| {n:,} | {took:.0f} | {growth} | {hundred:.3f} | {ten:.3f} |", flush=True)
        before = rate


def attack(space: Path, text: Path) -> None:
    """Attack every mechanism, and write how long it takes."""
    command = [sys.executable, "-m", "spacy", "dx", "attack", "frontier", str(text), "-m", "all"]
    on = ["--space", str(space), "--max-words", "20000", "--words", "600"]
    with TemporaryDirectory() as out:
        subprocess.run([*command, *on, "--out", out], check=True, stdout=subprocess.DEVNULL)
        with (Path(out) / "frontier.csv").open(newline="", encoding="utf8") as file:
            attacked = [row["mechanism"] for row in csv.DictReader(file)]
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    write_result(
        DOCS / "attacks" / "seconds.json",
        command=f"python benchmarks/scale.py {space.name} --attack {text}",
        settings={"mechanisms": sorted({label.partition(" ")[0] for label in attacked})},
        data=f"{space.name}, its first 20,000 words; 600 words of {text.name}. Seconds of the "
        "processor, with the start, fits and the search for epsilons.",
        attacker="none is measured here, but its time",
        columns=["mechanisms", "attacked releases", "seconds of the processor", "memory, MB"],
        rows=[[len({*attacked}), len(attacked), round(seconds(resource.RUSAGE_CHILDREN)), memory]],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("space", type=Path)
    parser.add_argument("--words", default="50000,100000,200000,400000")
    parser.add_argument("--attack", type=Path)
    options = parser.parse_args()
    if options.attack is not None:
        attack(options.space, options.attack)
    else:
        grow(Space.load(options.space), [int(part) for part in options.words.split(",")])


if __name__ == "__main__":
    main()
