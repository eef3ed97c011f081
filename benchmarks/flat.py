"""Whether memory stays flat: resident memory of `dx sanitize`, workers and all, as words go by:

    OMP_NUM_THREADS=1 python benchmarks/flat.py [--words 10000000] [--ways stdin,file,two,folder]

A text of English frequencies that names a stranger now and then goes in: by standard input, as a
file, as a file that two processes share, or as a folder of ten files. A row is the most memory in
the first tenth of the time from the first output on, in the second and in the last, in MB, and the
growth since the first. Words are drawn alone (`configs/path.cfg`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import psutil
from whole_way import ALONE, LENGTH, corpus

PARTS = 10
SECONDS = 1.0  # between two looks at the memory
SAME = 200_000  # words of the text, after which it comes again with other strangers


def write(folder: Path, words: int) -> None:
    """Write one file for each part, and all parts as one. Each document has a word of its own that
    no space knows."""
    texts, count = corpus(min(SAME, words)), words // PARTS // LENGTH
    (folder / "in").mkdir()
    with open(folder / "in.jsonl", "wb") as whole:
        for part in range(PARTS):
            with open(folder / "in" / f"in{part}.jsonl", "wb") as file:
                for i in range(count):
                    text = f"{texts[i % len(texts)]} q{part}x{i}z"
                    line = json.dumps({"text": text}).encode() + b"\n"
                    file.write(line)
                    whole.write(line)


def family(pid: int) -> list[psutil.Process]:
    """Return a process and its children."""
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


def memory_of(pid: int) -> int:
    """Return the bytes of a process and its children; what they share counts once."""
    return sum(process.memory_full_info().pss for process in family(pid))


def held(way: str, folder: Path) -> list[float]:
    """Run the command; return the most memory in each tenth, with all processes there, in MB."""
    source = {"stdin": "-", "folder": folder / "in"}.get(way, folder / "in.jsonl")
    out = folder / ("out" if way == "folder" else "out.jsonl")
    extra = ["--n-process", "2"] if way == "two" else []
    extra += [] if way == "folder" else ["--format", "jsonl"]
    command = [sys.executable, "-m", "spacy", "dx", "sanitize", str(source), str(out), "-q", "-F"]
    seen: list[tuple[int, int]] = []
    with (
        open(folder / "in.jsonl", "rb") as stdin,
        subprocess.Popen([*command, "--config", str(ALONE), *extra], stdin=stdin) as process,
    ):
        while process.poll() is None:
            with suppress(psutil.Error):  # one may end meanwhile
                if seen or has_output(folder):
                    seen.append((len(family(process.pid)), memory_of(process.pid)))
            time.sleep(SECONDS)
    if process.returncode:
        raise SystemExit(f"dx sanitize ended with {process.returncode}")
    most = max(processes for processes, _ in seen)
    sizes = [size / 2**20 for processes, size in seen if processes == most]
    ends = [len(sizes) * i // PARTS for i in range(PARTS + 1)]
    return [max(sizes[start : end + 1]) for start, end in pairwise(ends)]


def has_output(folder: Path) -> bool:
    """Whether there is any; its name is hidden until it is whole."""
    files = [path for path in folder.rglob("*") if not path.name.startswith("in")]
    return any(path.is_file() and path.stat().st_size for path in files)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=10_000_000)
    parser.add_argument("--ways", default="stdin,file,two,folder")
    options = parser.parse_args()
    print("| way | words | MB in a tenth | in the second | in the last | since the first |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for way in options.ways.split(","):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), options.words)
            sizes = held(way, Path(folder))
        figures = " | ".join(f"{sizes[i]:.0f}" for i in (0, 1, -1))
        growth = f"{100 * (sizes[-1] / sizes[0] - 1):+.1f} %"
        print(f"| {way} | {options.words:,} | {figures} | {growth} |", flush=True)


if __name__ == "__main__":
    main()
