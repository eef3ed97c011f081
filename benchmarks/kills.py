"""kill -9 at random moments: is a record lost, doubled, or left in clear?

    python benchmarks/kills.py [--kills 200] [--seed 0] [--ways shards,ray,...]

`dx sanitize` of shards (with one process and with two, packed, with stand-ins for names), of a
folder and of one file (with two) is killed at a random moment, the first process alone or all of
them, and begun again in the same folder, over and over; a folder that is done is checked and
emptied. --ways ray: shards on a cluster of Ray on this machine, of which the command or a worker is
killed, nine times of ten while workers are there. After each kill no file beside the input may hold
a word that the space does not have: output, what is left half written, journal, manifest, private
folder, what Ray logs and spills. At the end each record is there once, with the id that it came
with, and the journal names each shard once. Exit status 1 where that does not hold.

Commands are forked from this process, which has imported all that they need: a kill takes about a
second, and hits the work and not the imports. Needs Linux or macOS.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from spacy_dxprivacy import Space
from spacy_dxprivacy.cli import program, sanitizing  # noqa: F401
from spacy_dxprivacy.io import workers  # noqa: F401  imported once, for all that are forked

WORDS = "the a cat dog house garden sleeps runs in and near old small tree river day night".split()
FILES, RECORDS, SENTENCES = 6, 50, 6
SECRET = "zorblatt"  # of each text, with letters behind it
MOST_SECONDS = 300
MARK = f"DX_KILLS={os.getpid()}"  # what the cluster of Ray is known by
RAY_FILES = Path("/tmp/ray/session_latest")  # logs, events, what is spilled
DONE = "DX076"  # all shards are done: another exit status than 0, and no fault


@dataclass(frozen=True)
class Way:
    """options: what follows the inputs. shards: whether a run goes on where one was killed. inside:
    the part of kills, out of ten, at moments when the work has begun."""

    name: str
    options: tuple[str, ...] = ()
    shards: bool = False
    one_file: bool = False
    source: str = "in"
    files: int = FILES
    inside: int = 5
    apart: int = 0  # the parts of kills that hit a worker of a cluster, out of ten

    def arguments(self, folder: Path) -> list[str]:
        """Of `dx`."""
        sources = [folder / self.source]
        if self.shards:
            sources = sorted(sources[0].iterdir())
        elif self.one_file:
            sources = [sources[0] / "part0.jsonl"]
        out = folder / "out" / "clean.jsonl" if self.one_file else folder / "out"
        fitting = ["--space.@dx_spaces", "dx.FileSpace.v1", "--space.path", str(folder / "space")]
        fitting += ["-m", "exponential", "-e", "5", "-q"]
        return ["sanitize", *map(str, [*sources, out]), *fitting, "--keep-fields", "id",
                *self.options]  # fmt: skip

    def begun(self, folder: Path) -> bool:
        """Workers of a cluster are there long after the first file of the output."""
        return bool(ray_workers()) if self.apart else any((folder / "out").glob("*"))


RAY = ("--set", "cluster.engine=ray", "--set", "cluster.address=auto", "--set", "cluster.workers=2")
WAYS = {
    "shards": Way("shards", shards=True),
    "two": Way("shards, two processes", ("-n", "2"), shards=True),
    "packed": Way("packed shards", shards=True, source="packed"),
    "standins": Way(
        "shards, stand-ins", ("--entities", "PERSON", "--surrogates", "standard"), shards=True
    ),
    "folder": Way("a folder", ("--force",)),
    "file": Way("a file, two processes", ("-n", "2", "--force"), one_file=True),
    "ray": Way("shards on Ray", RAY, True, source="many", files=16, inside=9, apart=4),
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
    """The space and the input, plain and packed."""
    X = np.random.default_rng(0).normal(size=(len(WORDS), 8))
    Space.from_vectors(WORDS, X, name="small").save(folder / "space")
    for way in WAYS.values():
        (folder / way.source).mkdir(exist_ok=True)
        for part in range(way.files):
            raw = "".join(record(part, number) for number in range(RECORDS)).encode()
            if way.source == "packed":
                (folder / "packed" / f"part{part}.jsonl.gz").write_bytes(gzip.compress(raw))
            else:
                (folder / way.source / f"part{part}.jsonl").write_bytes(raw)


def record(part: int, number: int) -> str:
    letters = "".join(chr(ord("a") + int(digit)) for digit in f"{part}{number}")
    name = f"Mr. {SECRET.title()}{letters}"
    text = f"The old dog sleeps near {name} in the garden. " * SENTENCES
    return json.dumps({"id": f"{part}-{number}", "text": text}) + "\n"


class Command:
    """`dx ...`, forked from this process: of a session of its own, with what it says in a file."""

    def __init__(self, arguments: list[str], said: Path) -> None:
        self.said = said
        self.status: int | None = None
        self.pid = os.fork()
        if not self.pid:
            self._be(arguments)

    def _be(self, arguments: list[str]) -> None:
        status = 1
        try:
            os.setsid()
            told = os.open(self.said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for stream in (1, 2):
                os.dup2(told, stream)
            sys.argv = ["dx", *arguments]
            program.main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        finally:
            sys.stderr.flush()
            os._exit(status)

    def ended(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if pid else None
        return self.status is not None

    def ends(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not self.ended():
            if time.monotonic() > end:
                return False
            time.sleep(0.002)
        return True

    def kill(self, everyone: bool) -> None:
        """everyone: its workers as well; else they have to notice."""
        (os.killpg if everyone else os.kill)(self.pid, signal.SIGKILL)
        self.ends(MOST_SECONDS)
        wait_for_group(self.pid)


def killed(way: Way, folder: Path, taken: tuple[float, float], rng: random.Random) -> str:
    """Begins the command and kills it, or a worker of it: which. "": it was done before. taken:
    seconds of a whole run, and from the moment when the work has begun."""
    command = Command(way.arguments(folder), folder / "said")
    inside = rng.random() < way.inside / 10
    if inside:
        until_begun(command, way, folder)
    if command.ends(rng.uniform(0, taken[inside])):
        return ""
    if rng.random() < way.apart / 10 and kill_a_worker(rng):
        if not command.ends(MOST_SECONDS):
            raise SystemExit(f"{way.name}: it did not end when a worker was killed")
        return f"{way.name}, a worker"
    command.kill(everyone=rng.random() < 0.5)
    return way.name


def until_begun(command: Command, way: Way, folder: Path) -> None:
    while not command.ended() and not way.begun(folder):
        time.sleep(0.1 if way.apart else 0.002)  # a look at all processes takes a while


def kill_a_worker(rng: random.Random) -> bool:
    """One of Ray's. False: there is none now."""
    found = ray_workers()
    if found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(rng.choice(found), signal.SIGKILL)
    return bool(found)


def ray_workers() -> list[int]:
    """Of the cluster that was started here: children of a process that has our mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError, IndexError):
            if path.read_text().startswith("ray::_Worker"):
                parent = path.with_name("stat").read_text().rpartition(")")[2].split()[1]
                if MARK.encode() in Path("/proc", parent, "environ").read_bytes():
                    found.append(int(path.parent.name))
    return found


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


def in_clear(way: Way, folder: Path) -> int:
    """Files beside the input, its space excepted, that hold a secret; and of Ray's own."""
    apart = {folder / "space", *(folder / way.source for way in WAYS.values())}
    tops = [*folder.iterdir(), *([RAY_FILES.resolve()] if way.apart else [])]
    files = [p for top in tops if top not in apart for p in (top, *top.rglob("*"))]
    return sum(SECRET.encode() in plain(p).lower() for p in files if p.is_file())


def plain(path: Path) -> bytes:
    """What is there of a file: of a packed one that was cut short as much as can be read."""
    raw = path.read_bytes()
    if not raw.startswith(b"\x1f\x8b"):
        return raw
    return zlib.decompressobj(wbits=31).decompress(raw)


def check(way: Way, folder: Path, told: Told) -> None:
    """Counts what a folder that is done has too few or too many."""
    files = sorted((folder / "out").glob("*.jsonl*"))
    parts = [path for path in files if not path.name.startswith("_")]
    ids = Counter(json.loads(line)["id"] for path in parts for line in plain(path).splitlines())
    many = 1 if way.one_file else way.files
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
    taken = finish(way, folder, told)
    empty(folder)
    while kills:
        hit = killed(way, folder, taken, rng)
        told.kills.update([hit] if hit else [])
        told.late += not hit
        kills -= bool(hit)
        told.leaked += in_clear(way, folder)
        if not hit or rng.random() < 0.15:  # else the next kill hits a run that goes on
            finish(way, folder, told)
            empty(folder)
    finish(way, folder, told)


def finish(way: Way, folder: Path, told: Told) -> tuple[float, float]:
    """Once more, to the end. The seconds that it took, and those from where the work began."""
    start = time.monotonic()
    command = Command(way.arguments(folder), folder / "said")
    until_begun(command, way, folder)
    begun = time.monotonic()
    ended = command.ends(MOST_SECONDS)
    end = time.monotonic()
    said = command.said.read_text()
    if not ended or (command.status and DONE not in said):
        raise SystemExit(f"{way.name}: {said}")
    check(way, folder, told)
    told.leaked += in_clear(way, folder)
    return end - start, end - begun


@contextlib.contextmanager
def ray_cluster(wanted: bool) -> Iterator[None]:
    """One node of two cores on this machine, by the `ray` beside this Python."""
    if not wanted:
        yield
        return
    ray = str(Path(sys.executable).with_name("ray"))
    start = [ray, "start", "--head", "--num-cpus", "2", "--include-dashboard", "false"]
    start += ["--object-store-memory", "100000000", "--disable-usage-stats"]
    name, _, value = MARK.partition("=")
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL, env={**os.environ, name: value})
    try:
        yield
    finally:
        subprocess.run([ray, "stop"], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    plain_ways = [name for name in WAYS if name != "ray"]
    parser.add_argument("--ways", default=",".join(plain_ways), help=f"of {', '.join(WAYS)}")
    args = parser.parse_args()
    names = args.ways.split(",")
    rng, told = random.Random(args.seed), Told()
    with tempfile.TemporaryDirectory() as name, ray_cluster("ray" in names):
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
