"""kill -9 at random moments: is a record lost, doubled, or left in clear?

    python benchmarks/kills.py [--kills 200] [--seed 0]

`dx sanitize` of shards (with one process and with two), of a folder and of one file (with two) is
killed at a random moment, the first process alone or all of them, and begun again in the same
folder, over and over; a folder that is done is checked and emptied. After each kill no file beside
the input may hold a word that the space does not have: output, what is left half written, journal,
manifest, private folder. At the end each record is there once, with the id that it came with, and
the journal names each shard once. Exit status 1 where that does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from spacy_dxprivacy import Space

WORDS = "the a cat dog house garden sleeps runs in and near old small tree river day night".split()
FILES, RECORDS = 8, 250
SECRET = "zorblatt"  # of each text, with a number behind it
MOST_SECONDS = 300


@dataclass(frozen=True)
class Way:
    """options: what follows the inputs. shards: whether a run goes on where one was killed."""

    name: str
    options: tuple[str, ...]
    shards: bool = False
    one_file: bool = False

    def command(self, folder: Path) -> list[str]:
        sources = [folder / "in"]
        if self.shards:
            sources = sorted((folder / "in").iterdir())
        elif self.one_file:
            sources = [folder / "in" / "part0.jsonl"]
        out = folder / "out" / "clean.jsonl" if self.one_file else folder / "out"
        dx = [sys.executable, "-m", "spacy", "dx", "sanitize", *map(str, sources), str(out)]
        fitting = ["--space", str(folder / "space"), "-m", "exponential", "-e", "5", "-q"]
        return [*dx, *fitting, "--keep-fields", "id", *self.options]


WAYS = (
    Way("shards", (), shards=True),
    Way("shards, two processes", ("-n", "2"), shards=True),
    Way("a folder", ("--force",)),
    Way("a file, two processes", ("-n", "2", "--force"), one_file=True),
)


@dataclass
class Told:
    """Over all kills. late: of runs that were done before their kill."""

    kills: Counter[str] = field(default_factory=Counter)
    late: int = 0
    finished: int = 0
    lost: int = 0
    doubled: int = 0
    leaked: int = 0

    def lines(self) -> list[str]:
        by = ", ".join(f"{name}: {count}" for name, count in self.kills.items())
        return [
            f"{sum(self.kills.values())} kills ({by}); {self.late} more came too late",
            f"{self.finished} folders brought to their end: {self.lost} records lost, "
            f"{self.doubled} doubled, {self.leaked} files with clear text",
        ]


def make(folder: Path) -> None:
    """The space and the input."""
    X = np.random.default_rng(0).normal(size=(len(WORDS), 8))
    Space.from_vectors(WORDS, X, name="small").save(folder / "space")
    (folder / "in").mkdir()
    for part in range(FILES):
        name = folder / "in" / f"part{part}.jsonl"
        name.write_text("".join(record(part, number) for number in range(RECORDS)))


def record(part: int, number: int) -> str:
    text = f"The old dog sleeps near {SECRET}{part}x{number} in the garden. " * 20
    return json.dumps({"id": f"{part}-{number}", "text": text}) + "\n"


def begin(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def ends(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def killed(way: Way, folder: Path, seconds: float, rng: random.Random) -> bool:
    """Begins the command and kills it. False: it was done before. seconds: what a whole run takes.

    Half of the moments are within the work, which begins with a first file in the output."""
    process = begin(way.command(folder))
    if rng.random() < 0.5:
        while process.poll() is None and not any((folder / "out").glob("*")):
            time.sleep(0.005)
        late = ends(process, rng.uniform(0, seconds / 3))
    else:
        late = ends(process, rng.uniform(0, seconds))
    if late:
        return False
    if rng.random() < 0.5:
        os.killpg(process.pid, signal.SIGKILL)
    else:  # its workers have to notice
        process.kill()
    process.wait()
    wait_for_group(process.pid)
    return True


def wait_for_group(group: int) -> None:
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    os.killpg(group, signal.SIGKILL)
    raise SystemExit("a worker outlived its parent")


def in_clear(folder: Path) -> int:
    """Files beside the input, its space excepted, that hold a secret."""
    apart = {folder / "in", folder / "space"}
    files = [p for top in folder.iterdir() if top not in apart for p in (top, *top.rglob("*"))]
    return sum(SECRET.encode() in p.read_bytes().lower() for p in files if p.is_file())


def check(way: Way, folder: Path, told: Told) -> None:
    """Counts what a folder that is done has too few or too many."""
    files = sorted((folder / "out").glob("*.jsonl"))
    parts = [path for path in files if not path.name.startswith("_")]
    ids = Counter(json.loads(line)["id"] for path in parts for line in path.open())
    many = 1 if way.one_file else FILES
    wanted = {f"{part}-{number}" for part in range(many) for number in range(RECORDS)}
    told.lost += len(wanted - set(ids))
    told.doubled += sum(count - 1 for count in ids.values()) + len(set(ids) - wanted)
    if way.shards:
        journal = (folder / "out" / "_journal.jsonl").read_text().splitlines()
        events = [json.loads(line) for line in journal]
        names = Counter(e["name"] for e in events if e["event"] == "shard")
        told.doubled += sum(count - 1 for count in names.values())
    told.finished += 1


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name.startswith("out"):
            shutil.rmtree(path)
    (folder / "out").mkdir()


def tried(way: Way, folder: Path, kills: int, rng: random.Random, told: Told) -> None:
    empty(folder)
    start = time.monotonic()
    subprocess.run(way.command(folder), check=True, timeout=MOST_SECONDS)
    seconds = time.monotonic() - start
    check(way, folder, told)
    empty(folder)
    while told.kills[way.name] < kills:
        hit = killed(way, folder, seconds, rng)
        told.kills[way.name] += hit
        told.late += not hit
        told.leaked += in_clear(folder)
        if not hit or rng.random() < 0.15:  # else the next kill hits a run that goes on
            finish(way, folder, told)
            empty(folder)
    finish(way, folder, told)


def finish(way: Way, folder: Path, told: Told) -> None:
    """Once more, to the end: shards that are all done say so with another exit status."""
    done = subprocess.run(way.command(folder), capture_output=True, text=True, timeout=MOST_SECONDS)
    if done.returncode and "DX076" not in done.stderr:
        raise SystemExit(f"{way.name}: {done.stderr}")
    check(way, folder, told)
    told.leaked += in_clear(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng, told = random.Random(args.seed), Told()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder)
        for way in WAYS:
            tried(way, folder, args.kills // len(WAYS), rng, told)
            print(f"{way.name}: {told.kills[way.name]} kills", flush=True)
    print("\n".join(told.lines()))
    sys.exit(bool(told.lost or told.doubled or told.leaked))


if __name__ == "__main__":
    main()
