"""kill -9 at random moments: is a record lost, doubled, or left in clear?

    python benchmarks/kills.py [--kills 200] [--seed 0] [--ways folder,two,...]

`dx sanitize` of a folder (with one process and with two, of .jsonl and .parquet, with surrogates
for names) and of one file (with two) is killed at a random moment, the first process alone or all
of them, and begun again in the same folder, over and over; a folder that is done is checked and
emptied. After each kill no file beside the input may hold a word that the space does not have:
output, what is left half written, the parts of the run. A file that was released stays as it is
until all are done, and has a part. At the end each record is there once, with the id that it came
with. Exit status 1 where that does not hold.

Commands are forked from this process, which has imported all that they need: a kill takes about a
second, and hits the work and not the imports. Needs Linux or macOS.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from spacy_dxprivacy import Space
from spacy_dxprivacy.cli import main as run_dx
from spacy_dxprivacy.cli import sanitizing  # noqa: F401
from spacy_dxprivacy.io import results  # noqa: F401  imported once, for all that are forked

WORDS = "the a cat dog house garden sleeps runs in and near old small tree river day night".split()
FILES, RECORDS, SENTENCES = 6, 50, 6
SECRET = "zorblatt"  # of each text, with letters behind it
MAX_SECONDS = 300
FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Way:
    """options: what follows the inputs."""

    name: str
    options: tuple[str, ...] = ()
    one_file: bool = False
    source: str = "in"

    def arguments(self, folder: Path) -> list[str]:
        """Of `dx`."""
        source = folder / self.source / ("part0.jsonl" if self.one_file else "")
        out = folder / "out" / "clean.jsonl" if self.one_file else folder / "out"
        fitting = ["--space.@dx_spaces", "dx.FileSpace.v1", "--space.path", str(folder / "space")]
        fitting += ["-m", "exponential", "-e", "5", "-q"]
        return ["sanitize", *map(str, [source, out]), *fitting, "--keep-fields", "id",
                *self.options]  # fmt: skip


WAYS = {
    "folder": Way("a folder"),
    "two": Way("a folder, two processes", ("-n", "2")),
    "parquet": Way("a folder of .parquet", source="parquet"),
    "surrogates": Way("a folder, surrogates", ("--entities", "PERSON", "--surrogates", "standard")),
    "file": Way("a file, two processes", ("-n", "2", "--force"), one_file=True),
}


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
    for name in ("in", "parquet"):
        (folder / name).mkdir()
    for part in range(FILES):
        lines = [record(part, number) for number in range(RECORDS)]
        (folder / "in" / f"part{part}.jsonl").write_text("".join(lines))
        table = pa.Table.from_pylist([json.loads(line) for line in lines])
        pq.write_table(table, folder / "parquet" / f"part{part}.parquet")


def record(part: int, number: int) -> str:
    letters = "".join(chr(ord("a") + int(digit)) for digit in f"{part}{number}")
    name = f"Mr. {SECRET.title()}{letters}"
    text = f"The old dog sleeps near {name} in the garden. " * SENTENCES
    return json.dumps({"id": f"{part}-{number}", "text": text}) + "\n"


class Command:
    """`dx ...`, forked from this process: of a session of its own, with what it says in a file."""

    def __init__(self, arguments: list[str], said: Path) -> None:
        self.said = said
        self.process = FORK.Process(target=run, args=(arguments, said))
        self.process.start()

    def ended(self) -> bool:
        return self.process.exitcode is not None

    def ends(self, seconds: float) -> bool:
        self.process.join(seconds)
        return self.ended()

    def kill(self, everyone: bool) -> None:
        """everyone: its workers as well; else they have to notice."""
        assert self.process.pid is not None
        (os.killpg if everyone else os.kill)(self.process.pid, signal.SIGKILL)
        self.ends(MAX_SECONDS)
        wait_for_group(self.process.pid)


def run(arguments: list[str], said: Path) -> None:
    """Run `dx` in this process, a child."""
    os.setsid()
    told = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(told, stream)
    sys.argv = ["dx", *arguments]
    run_dx()


def killed(way: Way, folder: Path, taken: tuple[float, float], rng: random.Random) -> str:
    """Begins the command and kills it: its name. "": it was done before. taken: seconds of a whole
    run, and from the moment when the work has begun."""
    command = Command(way.arguments(folder), folder / "said")
    inside = rng.random() < 0.5  # half of the kills come when the work has begun
    if inside:
        until_begun(command, folder)
    if command.ends(rng.uniform(0, taken[inside])):
        return ""
    command.kill(everyone=rng.random() < 0.5)
    return way.name


def until_begun(command: Command, folder: Path) -> None:
    while not command.ended() and not any((folder / "out").iterdir()):
        time.sleep(0.002)


def wait_for_group(group: int) -> None:
    end = time.monotonic() + MAX_SECONDS
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
    apart = {folder / "space", *(folder / way.source for way in WAYS.values())}
    files = [p for top in folder.iterdir() if top not in apart for p in (top, *top.rglob("*"))]
    return sum(SECRET.encode() in plain(p).lower() for p in files if p.is_file())


def plain(path: Path) -> bytes:
    """What is there of a file: of a .parquet one that is whole, its rows."""
    if path.suffix != ".parquet":
        return path.read_bytes()
    rows = pq.read_table(path).to_pylist()
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def released(folder: Path) -> dict[str, bytes]:
    """The outputs of a folder that have their names."""
    return {p.name: p.read_bytes() for p in (folder / "out").glob("part*")}


def check_parts(folder: Path, before: dict[str, bytes], told: Told) -> None:
    """Counts what is released uncounted, and what was drawn again although it was released."""
    parts = [json.loads(p.read_bytes()) for p in (folder / "out.parts").glob("*.part")]
    now = released(folder)
    if (folder / "out.parts" / "run.json").exists() and parts:  # else the run was done
        told.lost += len(set(now) - {part["file"] for part in parts})
        told.doubled += sum(now.get(name) != raw for name, raw in before.items())


def check(way: Way, folder: Path, told: Told) -> None:
    """Counts what a folder that is done has too few or too many."""
    files = sorted((folder / "out").glob("[!.]*.*"))  # a killed run leaves hidden ones
    ids = Counter(json.loads(line)["id"] for path in files for line in plain(path).splitlines())
    many = 1 if way.one_file else FILES
    wanted = {f"{part}-{number}" for part in range(many) for number in range(RECORDS)}
    told.lost += len(wanted - set(ids))
    told.doubled += sum(count - 1 for count in ids.values()) + len(set(ids) - wanted)
    told.finished += 1


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name.startswith("out"):
            shutil.rmtree(path)
    (folder / "out").mkdir()


def tried(way: Way, folder: Path, kills: int, rng: random.Random, told: Told) -> None:
    empty(folder)
    taken = finish(way, folder, told)
    empty(folder)
    while kills:
        before = released(folder)
        hit = killed(way, folder, taken, rng)
        told.kills.update([hit] if hit else [])
        told.late += not hit
        kills -= bool(hit)
        told.leaked += in_clear(folder)
        if not way.one_file:
            check_parts(folder, before, told)
            if len(released(folder)) == FILES and not (folder / "out.parts" / "run.json").exists():
                check(way, folder, told)  # all was done, though the command had not ended
                empty(folder)
                continue
        if not hit or rng.random() < 0.15:  # else the next kill hits a run that goes on
            finish(way, folder, told)
            empty(folder)
    finish(way, folder, told)


def finish(way: Way, folder: Path, told: Told) -> tuple[float, float]:
    """Once more, to the end. The seconds that it took, and those from where the work began."""
    start = time.monotonic()
    command = Command(way.arguments(folder), folder / "said")
    until_begun(command, folder)
    begun = time.monotonic()
    ended = command.ends(MAX_SECONDS)
    end = time.monotonic()
    said = command.said.read_text()
    if not ended or command.process.exitcode:
        raise SystemExit(f"{way.name}: {said}")
    check(way, folder, told)
    told.leaked += in_clear(folder)
    return end - start, end - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ways", default=",".join(WAYS), help=f"of {', '.join(WAYS)}")
    args = parser.parse_args()
    names = args.ways.split(",")
    rng, told = random.Random(args.seed), Told()
    with tempfile.TemporaryDirectory() as name:
        make(folder := Path(name))
        for number, way in enumerate(WAYS[name] for name in names):
            begun = time.monotonic()
            share = args.kills // len(names) + (number < args.kills % len(names))
            tried(way, folder, share, rng, told)
            seconds = time.monotonic() - begun
            print(f"{way.name}: {share} kills in {seconds:.0f} s", flush=True)
    print("\n".join(told.lines()))
    sys.exit(bool(told.lost or told.doubled or told.leaked))


if __name__ == "__main__":
    main()
