"""`dx sanitize` of this tree against another one, in alternating pairs.

    git worktree add --detach ../old b804776
    python benchmarks/against.py ../old [--pairs 20] [--ways path,exponential,laplace,default]

Each run is a process of its own with its tree in PYTHONPATH, and counts by processor time: of its
user, and of the system for it. The same of a text of one word, in the middle over all of its runs,
is taken off: imports, the space and the fit. Text: the prose of docs/ in an order by seed, a
paragraph a line. Told: the ratio, new to old, of each pair: the middle one, an interval that holds
the true middle in 95 % of cases (order statistics), the quarters. Below 1: this tree is faster.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import accumulate
from math import comb
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
PROSE = re.compile(r"[A-Za-z][A-Za-z' ,.]{80,}")
MINUTES = 10


@dataclass(frozen=True)
class Way:
    """config: of the tree's own configs/, or "" for the defaults. words: of the text."""

    config: str
    words: int


WAYS = {
    "path": Way("path", 40_000),
    "exponential": Way("exponential", 40_000),
    "laplace": Way("laplace", 40_000),
    "default": Way("", 4_000),
}


def text(words: int) -> str:
    """Lines of prose with so many words in all, the same in each call."""
    pages = "\n".join(p.read_text(encoding="utf8") for p in sorted((HERE / "docs").rglob("*.md")))
    lines = [match[0].strip() for match in PROSE.finditer(pages)]
    rng, some, count = random.Random(0), [], 0
    while count < words:
        some.append(rng.choice(lines))
        count += len(some[-1].split())
    return "\n".join(some) + "\n"


def seconds(tree: Path, way: Way, source: Path, folder: Path) -> float:
    """Of the processor, for one command."""
    call = [sys.executable, "-m", "spacy", "dx", "sanitize", str(source), str(folder / "out.txt")]
    call += ["--format", "lines", "-q", "--force"]
    call += ["--config", str(tree / "configs" / f"{way.config}.cfg")] if way.config else []
    env = {**os.environ, "PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
    before = os.times()
    subprocess.run(call, check=True, env=env, cwd=folder, timeout=60 * MINUTES, capture_output=True)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])  # of children: user, system


def compared(trees: tuple[Path, Path], way: Way, pairs: int, folder: Path) -> str:
    """trees: the old one, the new one."""
    long, short = folder / "long.txt", folder / "short.txt"
    long.write_text(text(way.words), encoding="utf8")
    short.write_text("the\n", encoding="utf8")
    for tree in trees:  # what is compiled and kept by the first run of all
        seconds(tree, way, short, folder)
    took: dict[tuple[Path, Path], list[float]] = {}
    for number in range(pairs):
        for tree in trees if number % 2 else trees[::-1]:
            for source in (long, short):
                took.setdefault((tree, source), []).append(seconds(tree, way, source, folder))
    empty = [statistics.median(took[tree, short]) for tree in trees]
    old, new = ([t - e for t in took[tree, long]] for tree, e in zip(trees, empty, strict=True))
    ratios = sorted(n / o for o, n in zip(old, new, strict=True))
    low, high = interval(len(ratios))
    quarters = statistics.quantiles(ratios, n=4)
    return (
        f"{way.words:,} | {statistics.median(old):.2f} | {statistics.median(new):.2f} | "
        f"**{quarters[1]:.3f}** | {ratios[low]:.3f} to {ratios[high]:.3f} | "
        f"{quarters[0]:.3f}, {quarters[2]:.3f} | {empty[0]:.2f}, {empty[1]:.2f} |"
    )


def interval(n: int) -> tuple[int, int]:
    """Places of the order statistics between which the middle lies in 95 % of cases."""
    below = list(accumulate(comb(n, k) / 2**n for k in range(n)))
    low = max((k for k in range(n // 2) if below[k] <= 0.025), default=-1) + 1
    return low, n - 1 - low


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree", type=Path, help="the other tree")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--ways", default=",".join(WAYS))
    args = parser.parse_args()
    trees = (args.tree.resolve(), HERE)
    print("| way | words | old, s | new, s | ratio | 95 % | quarters | start-up, s |", flush=True)
    print("| --- | --: | --: | --: | --: | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for way in args.ways.split(","):
            print(f"| {way} | {compared(trees, WAYS[way], args.pairs, Path(name))}", flush=True)


if __name__ == "__main__":
    main()
