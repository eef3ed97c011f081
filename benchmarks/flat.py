"""Whether memory stays flat: resident memory of `dx sanitize`, workers and all, as words go by:

    OMP_NUM_THREADS=1 python benchmarks/flat.py [--words 10000000] [--ways stdin,file,two]

A text of English frequencies that names a stranger now and then goes in; after each of ten parts
of it the memory is read. A row is the memory after the second part and after the last, in MB, and
the growth between them. Words are drawn alone (`configs/path.cfg`), or by `--default` by sentences.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO

from whole_way import ALONE, LENGTH, corpus

PARTS = 10
SAME = 200_000  # words of the text, after which it comes again with other strangers
COMMAND = [sys.executable, "-m", "spacy", "dx", "sanitize"]


@lru_cache(maxsize=1)
def text(words: int) -> list[str]:
    return corpus(words)


def lines(words: int, part: int) -> Iterator[bytes]:
    """One part of the text; each document has a word of its own that no space knows."""
    texts = text(min(SAME, words))
    for i in range(words // LENGTH):
        yield f"{texts[i % len(texts)]} q{part}x{i}z\n".encode()


def resident(pid: int) -> float:
    """MB of a process and its children; what they share counts once (Pss, Linux)."""
    pids, total = [pid], 0
    for some in pids:
        place = Path(f"/proc/{some}")
        for thread in place.glob("task/*/children"):
            pids += map(int, thread.read_text().split())
        rollup = (place / "smaps_rollup").read_text().splitlines()
        total += sum(int(row.split()[1]) for row in rollup if row.startswith("Pss:"))
    return total / 1024


def fed(way: str, words: int, options: list[str], folder: Path) -> list[float]:
    """The memory after each part."""
    extra = ["--n-process", "2"] if way == "two" else []
    source = "-" if way == "stdin" else str(folder / "in.txt")
    out = folder / "out.txt"
    if way != "stdin":
        with open(source, "wb") as handle:
            for part in range(PARTS):
                handle.writelines(lines(words // PARTS, part))
    command = [*COMMAND, source, str(out), "--format", "lines", "-F", "-q", *options, *extra]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        held = _fed_in(process, process.stdin, words) if way == "stdin" else _seen(process, folder)
        process.stdin.close()
    return held


def _fed_in(process: subprocess.Popen[bytes], pipe: IO[bytes], words: int) -> list[float]:
    held = []
    for part in range(PARTS):
        pipe.writelines(lines(words // PARTS, part))
        held.append(resident(process.pid))
    return held


def _seen(process: subprocess.Popen[bytes], folder: Path) -> list[float]:
    """By what is written so far, which grows beside the target until it is whole."""
    total, held = (folder / "in.txt").stat().st_size, []
    while process.poll() is None and len(held) < PARTS - 1:
        written = max((p.stat().st_size for p in folder.iterdir() if p.name != "in.txt"), default=0)
        if written > (len(held) + 1) * total / PARTS:
            held.append(resident(process.pid))
        time.sleep(0.2)
    return held


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=10_000_000)
    parser.add_argument("--ways", default="stdin,file,two")
    parser.add_argument("--default", action="store_true")
    options = parser.parse_args()
    settings = [] if options.default else ["--config", str(ALONE)]
    print("| way | words | MB after a fifth | MB at the end | growth |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for way in options.ways.split(","):
        with tempfile.TemporaryDirectory() as folder:
            held = fed(way, options.words, settings, Path(folder))
        told = f"{held[1]:.0f} | {held[-1]:.0f} | {100 * (held[-1] / held[1] - 1):+.1f} %"
        print(f"| {way} | {options.words:,} | {told} | {[round(x) for x in held]}", flush=True)


if __name__ == "__main__":
    main()
