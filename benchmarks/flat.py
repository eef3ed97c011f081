"""Whether memory stays flat: resident memory of `dx sanitize`, workers and all, as words go by:

    OMP_NUM_THREADS=1 python benchmarks/flat.py [--words 10000000] [--ways stdin,file,two,folder]
    OMP_NUM_THREADS=1 python benchmarks/flat.py --entities [--key KEY] --ways two --words 47000000

A text of English frequencies that names a stranger now and then goes in: by standard input, as a
file, as a file that two processes share, or as a folder of ten files. The memory is read after each
tenth: of the words of standard input, of the time of the other ways (from the first output on, the
most in it); each minute's goes to stderr. A row is the memory after a tenth, a fifth and all, in
MB, and the growth since either. Words are drawn alone (`configs/path.cfg`), or by `--default` by
sentences. With `--entities` the text is a .csv, and entities alone are replaced. Each of its
documents names three persons of its own six times, half of the names from the package's list and
half from none, and has a date, a street, a telephone, a mail and a number of its own: 47,000,000
words are 300 MB and 1.4 million mentions of persons.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import IO

from timing import invented
from whole_way import ALONE, LENGTH
from whole_way import corpus as of_english

from spacy_dxprivacy.entities.words import listed_names

PARTS = 10
SECONDS = 1.0  # between two looks at the memory
MINUTE = 60.0
LABELS = "person,date,gpe,address,org,email,phone,id"
SAME = 200_000  # words of the text, after which it comes again with other strangers
COMMAND = [sys.executable, "-m", "spacy", "dx", "sanitize"]


@lru_cache(maxsize=1)
def text(words: int) -> list[str]:
    return of_english(words)


@dataclass(frozen=True)
class Corpus:
    """words: of English frequencies. entities: the documents name persons, and are rows."""

    words: int
    entities: bool = False

    @property
    def format(self) -> list[str]:
        """How a file of it is read."""
        return ["--format", "csv", "--field", "note"] if self.entities else ["--format", "jsonl"]

    def documents(self, part: int) -> Iterator[str]:
        """A tenth of it. Each document has a word of its own that no space knows, or names three
        persons that no other one names."""
        texts, count = text(min(SAME, self.words)), self.words // PARTS // LENGTH
        for i in range(count):
            own = _entities(part * count + i) if self.entities else f"q{part}x{i}z"
            yield f"{texts[i % len(texts)]} {own}"

    def lines(self, part: int) -> Iterator[bytes]:
        """The same, as lines of a file, after its head."""
        if not self.entities:
            for document in self.documents(part):
                yield json.dumps({"text": document}).encode() + b"\n"
            return
        if not part:
            yield b"id,note\r\n"
        for i, document in enumerate(self.documents(part)):
            quoted = document.replace('"', '""')
            yield f'{part}-{i},"{quoted}"\r\n'.encode()


def _entities(number: int) -> str:
    listed = _listed()
    names = [listed[(3 * number + k) % len(listed)] for k in range(3)]
    one, two, three = (f"{name} {invented(3 * number + k)}" for k, name in enumerate(names))
    return (
        f". Dr. {one} saw {two} and {three} on {1 + number % 12}/{1 + number % 28}/"
        f"{1990 + number % 30}. Mr. {two} lives at {1 + number % 9999} {names[0]} Street, tel. "
        f"555-{number % 900 + 100}-{number % 9000 + 1000}. {one} wrote to "
        f"{names[1].lower()}{number}@example.org about MRN: {1_000_000 + number}. Thanks, {three}"
    )


@lru_cache(maxsize=1)
def _listed() -> list[str]:
    names = [name.title() for name, of in listed_names().items() if of & {"first_name", "surname"}]
    random.Random(0).shuffle(names)
    return names


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


def fed(way: str, corpus: Corpus, options: list[str], folder: Path) -> list[float]:
    """The memory after each part."""
    sources = ["-"] if way == "stdin" else written(way, corpus, folder)
    ending = "csv" if corpus.entities else "jsonl"
    out = folder / ("out" if way == "folder" else f"out.{ending}")
    extra = ["--n-process", "2"] if way == "two" else []
    settings = [*options, *extra, *([] if way == "folder" else corpus.format), "-F"]
    command = [*COMMAND, *sources, str(out), "-q", *settings]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        if way == "stdin":
            held = _fed_in(process, process.stdin, corpus)
        else:
            held = _seen(process, folder)
        process.stdin.close()
    if process.returncode:
        raise SystemExit(f"dx sanitize ended with {process.returncode}")
    return held


def written(way: str, corpus: Corpus, folder: Path) -> list[str]:
    """The source: a file, or a folder of one for each part."""
    source = folder / "in.txt"
    if way != "folder":
        with open(source, "wb") as handle:
            for part in range(PARTS):
                handle.writelines(corpus.lines(part))
        return [str(source)]
    source = folder / "in"
    source.mkdir()
    for part in range(PARTS):
        with open(source / f"in{part}.jsonl", "wb") as handle:
            for document in corpus.documents(part):
                handle.write(json.dumps({"text": document}).encode() + b"\n")
    return [str(source)]


def _fed_in(process: subprocess.Popen[bytes], pipe: IO[bytes], corpus: Corpus) -> list[float]:
    held = []
    for part in range(PARTS):
        pipe.writelines(corpus.lines(part))
        held.append(resident(process.pid)[1])
    return held


def _seen(process: subprocess.Popen[bytes], folder: Path) -> list[float]:
    """The most in each tenth of the time from the first output on, with all processes there."""
    seen: list[tuple[int, float]] = []
    start = time.monotonic()
    while process.poll() is None:
        with suppress(OSError):  # one may end meanwhile
            if seen or written_to(folder):
                seen.append(resident(process.pid))
        if seen and time.monotonic() - start > MINUTE:
            start += MINUTE
            print(f"{written_to(folder):,} bytes written, {seen[-1]}", file=sys.stderr, flush=True)
        time.sleep(SECONDS)
    most = max(processes for processes, _ in seen)
    held = [mb for processes, mb in seen if processes == most]
    ends = [len(held) * i // PARTS for i in range(PARTS + 1)]
    return [max(held[start : end + 1]) for start, end in pairwise(ends)]


def written_to(folder: Path) -> int:
    """The bytes of the output so far; its name is hidden until it is whole."""
    files = [path for path in folder.rglob("*") if not path.name.startswith("in")]
    return sum(path.stat().st_size for path in files if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=10_000_000)
    parser.add_argument("--ways", default="stdin,file,two,folder")
    parser.add_argument("--default", action="store_true")
    parser.add_argument("--entities", action="store_true")
    parser.add_argument("--key", help="with --entities: a key, by which persons have one surrogate")
    options = parser.parse_args()
    corpus = Corpus(options.words, options.entities)
    settings = [] if options.default else ["--config", str(ALONE)]
    if options.entities:
        settings = ["--entities", LABELS, *(["--key", options.key] if options.key else [])]
    print("| way | words | MB after a tenth | after a fifth | at the end | since the tenth |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for way in options.ways.split(","):
        with tempfile.TemporaryDirectory() as folder:
            held = fed(way, corpus, settings, Path(folder))
        figures = " | ".join(f"{held[i]:.0f}" for i in (0, 1, -1))
        told = f"{figures} | {100 * (held[-1] / held[0] - 1):+.1f} %"
        print(f"| {way} | {options.words:,} | {told} | {[round(x) for x in held]}", flush=True)


if __name__ == "__main__":
    main()
