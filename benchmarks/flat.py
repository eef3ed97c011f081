"""Whether memory stays flat: resident memory of `dx sanitize`, workers and all, as words go by:

    OMP_NUM_THREADS=1 python benchmarks/flat.py [--words 10000000] [--ways stdin,file,two,shards]

A text of English frequencies that names a stranger now and then goes in: by standard input, as a
file, as a file that two processes share, or as ten shards (.jsonl). The memory is read after each
tenth: of the words of standard input, of the time of the other ways (from the first output on, the
most in it). A row is the memory after a fifth and after all, in MB, and the growth between them.
Words are drawn alone (`configs/path.cfg`), or by `--default` by sentences.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import IO

from whole_way import ALONE, LENGTH, corpus

PARTS = 10
SECONDS = 0.3  # between two looks at the memory
SAME = 200_000  # words of the text, after which it comes again with other strangers
FORMAT = ["--format", "lines", "-F"]
COMMAND = [sys.executable, "-m", "spacy", "dx", "sanitize"]


@lru_cache(maxsize=1)
def text(words: int) -> list[str]:
    return corpus(words)


def lines(words: int, part: int) -> Iterator[bytes]:
    """One part of the text; each document has a word of its own that no space knows."""
    texts = text(min(SAME, words))
    for i in range(words // LENGTH):
        yield f"{texts[i % len(texts)]} q{part}x{i}z\n".encode()


def resident(pid: int) -> tuple[int, float]:
    """How many processes it is with its children, and their MB; what they share counts once (Pss,
    Linux)."""
    pids, total = [pid], 0
    for some in pids:
        place = Path(f"/proc/{some}")
        for thread in place.glob("task/*/children"):
            pids += map(int, thread.read_text().split())
        rollup = (place / "smaps_rollup").read_text().splitlines()
        total += sum(int(row.split()[1]) for row in rollup if row.startswith("Pss:"))
    return len(pids), total / 1024


def fed(way: str, words: int, options: list[str], folder: Path) -> list[float]:
    """The memory after each part."""
    sources = ["-"] if way == "stdin" else written(way, words, folder)
    out = folder / ("out" if way == "shards" else "out.txt")
    extra = {"two": ["--n-process", "2"], "shards": ["--set", "cluster.engine=local"]}
    settings = [*options, *extra.get(way, []), *([] if way == "shards" else FORMAT)]
    command = [*COMMAND, *sources, str(out), "-q", *settings]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        if way == "stdin":
            held = _fed_in(process, process.stdin, words)
        else:
            held = _seen(process, folder)
        process.stdin.close()
    if process.returncode:
        raise SystemExit(f"dx sanitize ended with {process.returncode}")
    return held


def written(way: str, words: int, folder: Path) -> list[str]:
    """The sources: one file, or one for each part."""
    source = folder / "in.txt"
    if way != "shards":
        with open(source, "wb") as handle:
            for part in range(PARTS):
                handle.writelines(lines(words // PARTS, part))
        return [str(source)]
    shards = [folder / f"in{part}.jsonl" for part in range(PARTS)]
    for part, shard in enumerate(shards):
        with open(shard, "wb") as handle:
            for line in lines(words // PARTS, part):
                handle.write(json.dumps({"text": line.decode().rstrip()}).encode() + b"\n")
    return [str(shard) for shard in shards]


def _fed_in(process: subprocess.Popen[bytes], pipe: IO[bytes], words: int) -> list[float]:
    held = []
    for part in range(PARTS):
        pipe.writelines(lines(words // PARTS, part))
        held.append(resident(process.pid)[1])
    return held


def _seen(process: subprocess.Popen[bytes], folder: Path) -> list[float]:
    """The most in each tenth of the time from the first output on, with all processes there."""
    seen: list[tuple[int, float]] = []
    while process.poll() is None:
        with suppress(OSError):  # one may end meanwhile
            if seen or written_to(folder):
                seen.append(resident(process.pid))
        time.sleep(SECONDS)
    most = max(processes for processes, _ in seen)
    held = [mb for processes, mb in seen if processes == most]
    ends = [len(held) * i // PARTS for i in range(PARTS + 1)]
    return [max(held[start : end + 1]) for start, end in pairwise(ends)]


def written_to(folder: Path) -> bool:
    """Whether there is some of the output; its name is hidden until it is whole."""
    files = [path for path in folder.rglob("*") if not path.name.startswith("in")]
    return any(path.is_file() and path.stat().st_size for path in files)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=10_000_000)
    parser.add_argument("--ways", default="stdin,file,two,shards")
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
