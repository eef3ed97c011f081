"""Change lines on which a promise rests, one at a time, and see that a test fails.

    python scripts/mutants.py [NAME ...] [--jobs 2] [--write docs/reference/mutants.md]
    python scripts/mutants.py --changed [--since COMMIT]

With --changed, the mutants are those of which the row, the file or a file of tests has changed
since COMMIT, 20 at most, and ten more. The hash of HEAD chooses them: all have their turn, and one
commit always has the same. Unless named, COMMIT is where HEAD left origin/main; where HEAD is part
of that, the merge before it; in a history without merges, the 20th commit before it. Where that
is not there either, as in a shallow clone, all have changed.

Each mutant has a copy of the package in a temporary folder; the checkout is never changed. One of
scripts/mutants.json replaces a text that occurs exactly once in a file, and names the tests that
have to notice it. They pass without the change (they are run once first). Exit status: 0 where
every mutant was killed, 1 where one survived, 2 where the table does not fit the code.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "spacy_dxprivacy"
COPIED = (PACKAGE, "tests", "configs", "examples", "docs", "scripts", "pyproject.toml", "setup.cfg")
MOST = 20  # that changed and are taken
OTHERS = 10  # that did not change
BACK = 20  # commits, in a history without merges
SECONDS = 600  # of the tests of a mutant; one that hangs is noticed as well
PASSED, FAILED, NONE_RAN = 0, 1, 5  # exit statuses of pytest
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["pytest", "scipy.stats", "spacy", "typer"])
_FIRST = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.M)
HEAD = """# Mutants

A line of the package on which a promise rests is changed, and a test has to fail.
`python scripts/mutants.py --write docs/reference/mutants.md` makes all of them and this page.

| Mutant | What it breaks | Killed by |
| --- | --- | --- |
"""


class Mutant(NamedTuple):
    """A change of one line or a few.

    Attributes:
        name: Of the mutant.
        breaks: What is no longer true, for the page of the documentation.
        file: In the package.
        old: What occurs exactly once in the file.
        new: What takes its place.
        tests: Arguments of pytest.
    """

    name: str
    breaks: str
    file: str
    old: str
    new: str
    tests: str


TABLE = ROOT / "scripts" / "mutants.json"
MUTANTS = [Mutant(**row) for row in json.loads(TABLE.read_text(encoding="utf8"))]


class TableError(Exception):
    """The table of mutants does not fit the code or the tests."""


@dataclass(frozen=True)
class Outcome:
    """What the tests of a mutant did. killed_by: the first failing test, "" where all passed."""

    mutant: Mutant
    killed_by: str
    seconds: float


def mutated(mutant: Mutant, root: Path) -> str:
    """Return the text of the file with the change. Raise TableError unless it fits once."""
    text = (root / PACKAGE / mutant.file).read_text(encoding="utf8")
    if (count := text.count(mutant.old)) != 1:
        raise TableError(f"{mutant.name}: the old text occurs {count} times in {mutant.file}.")
    return text.replace(mutant.old, mutant.new)


def copy(source: str, target: str) -> None:
    """Copy code with its time, by which bytecode is known to fit. All else is a link to the same
    file, which nothing writes to."""
    try:
        (shutil.copy2 if source.endswith(".py") else os.link)(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


@contextmanager
def copied(mutant: Mutant | None = None) -> Iterator[Path]:
    """Yield a folder with what the tests need, for a block, with the change of a mutant."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        root = Path(folder)
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, root / name, copy_function=copy)
            else:
                shutil.copyfile(ROOT / name, root / name)
        if mutant is not None:
            path = root / PACKAGE / mutant.file
            path.write_text(mutated(mutant, ROOT), encoding="utf8")
        yield root


def run_pytest(root: Path, tests: Sequence[str], printed: Path) -> None:
    """Run pytest in this process, a child of its own, against a copy."""
    handle = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.chdir(root)
    sys.path.insert(0, str(root))
    import pytest

    # For the processes that tests start.
    os.environ["PYTHONPATH"] = str(root)
    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-rfE", "--no-header"]
    sys.exit(int(pytest.main([*options, *tests])))


def pytest_in(root: Path, tests: Sequence[str]) -> tuple[int, str]:
    """Run tests against a copy. Return the exit status, FAILED for a run without end, and what
    pytest says. Children are forked from a server that has imported what all of them need."""
    printed = root / "printed.txt"
    process = CONTEXT.Process(target=run_pytest, args=(root, tests, printed))
    process.start()
    process.join(SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()
        return FAILED, f"FAILED {tests[0]}: no end after {SECONDS} s"
    return process.exitcode, printed.read_text(encoding="utf8", errors="replace")


def outcome_of(mutant: Mutant) -> Outcome:
    """Run the tests of a mutant. Raise TableError where they did not run."""
    began = time.monotonic()
    with copied(mutant) as root:
        status, printed = pytest_in(root, shlex.split(mutant.tests))
    first = _FIRST.search(printed)
    if status not in (PASSED, FAILED) or (status == FAILED and first is None):
        raise TableError(f"{mutant.name}: pytest ended with {status}.\n{printed[-2000:]}")
    outcome = Outcome(mutant, first[1] if first else "", time.monotonic() - began)
    print(line_of(outcome), flush=True)
    return outcome


def joined(tests: Iterable[str]) -> list[list[str]]:
    """Return arguments of pytest that select all of these tests, a run for each set of files."""
    words: dict[tuple[str, ...], set[str]] = {}
    for one in tests:
        files, _, selection = one.partition(" -k ")
        selected = " ".join(shlex.split(selection))  # without its quotes
        words.setdefault(tuple(shlex.split(files)), set()).add(selected)
    return [
        [*files] if "" in some else [*files, "-k", " or ".join(f"({one})" for one in sorted(some))]
        for files, some in words.items()
    ]


def passes_unchanged(tests: Sequence[str]) -> bool:
    """Return whether tests pass without any change; False where all are skipped, since a package
    is missing. Raise TableError where one fails."""
    with copied() as root:
        status, printed = pytest_in(root, tests)
    if status == NONE_RAN and re.search(r"^\d+ skipped in ", printed, re.M):
        return False
    if status != PASSED:
        raise TableError(f"{tests}: ended with {status} without a change.\n{printed[-2000:]}")
    return True


def outcomes(mutants: Sequence[Mutant], jobs: int) -> list[Outcome]:
    """Run mutants, `jobs` at a time, but those whose tests need a package that is missing."""
    tests = joined(mutant.tests for mutant in mutants)
    with ThreadPoolExecutor(jobs) as pool:
        passed = pool.map(passes_unchanged, tests)
        skipped = {files_of(one) for one, ran in zip(tests, passed, strict=True) if not ran}
        left = [m for m in mutants if files_of(shlex.split(m.tests)) in skipped]
        for mutant in left:
            print(f"{mutant.name:34} not run: its tests need a package that is missing", flush=True)
        return list(pool.map(outcome_of, [m for m in mutants if m not in left]))


def files_of(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the files among arguments of pytest."""
    return tuple(one for one in arguments if one.endswith(".py"))


def line_of(outcome: Outcome) -> str:
    """Return a line for the terminal."""
    killed = outcome.killed_by or "SURVIVED"
    return f"{outcome.mutant.name:34} {outcome.seconds:6.1f} s  {killed}"


def page_of(found: Sequence[Outcome]) -> str:
    """Return the page of the documentation."""
    rows = []
    for outcome in found:
        test = outcome.killed_by.partition("[")[0]
        cells = (f"`{outcome.mutant.name}`", outcome.mutant.breaks, f"`{test}`")
        rows.append(f"| {' | '.join(cells)} |\n")
    return HEAD + "".join(rows)


def chosen(names: Sequence[str]) -> list[Mutant]:
    """Return the mutants of these names, or all. Raise TableError for other names."""
    known = {mutant.name: mutant for mutant in MUTANTS}
    if len(known) < len(MUTANTS):
        raise TableError("Two mutants have one name.")
    if missing := [name for name in names if name not in known]:
        raise TableError(f"No mutant is called {', '.join(missing)}.")
    return [known[name] for name in names] if names else list(MUTANTS)


def git(*arguments: str) -> str | None:
    """Return what git prints about this checkout, None where it ends with an error."""
    command = ["git", "-C", str(ROOT), *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def last_merge() -> str:
    """Return the commit since which changes count. Raise TableError outside of a repository."""
    head = git("rev-parse", "HEAD")
    if head is None:
        raise TableError("--changed needs a checkout by git.")
    if (left := git("merge-base", "HEAD", "origin/main")) not in (None, head):
        return str(left)
    merge = git("rev-list", "-1", "--merges", "--first-parent", "HEAD")
    if merge:  # HEAD itself: what it brought
        return f"{head}^1" if merge == head else merge
    nothing = git("hash-object", "-t", "tree", "--stdin")  # a tree without files
    return git("rev-parse", "--verify", "--quiet", f"HEAD~{BACK}") or str(nothing)


def without_folders(mutant: Mutant) -> Mutant:
    """Return the mutant as it also was before its files moved."""
    tests = re.sub(r"\S*/", "", mutant.tests)
    return mutant._replace(file=Path(mutant.file).name, tests=tests)


def changed_mutants(since: str) -> dict[str, str]:
    """Return what has changed, by the names of mutants. A file that only moved has not changed.
    Raise TableError for an unknown commit."""
    names = git("diff", "--name-only", "-z", "--find-renames=100%", "--diff-filter=AMT", since)
    if names is None:
        raise TableError(f"git knows no commit {since}.")
    files = set(names.split("\0"))
    table = git("show", f"{since}:{TABLE.relative_to(ROOT).as_posix()}")
    before = {without_folders(Mutant(**row)) for row in json.loads(table or "[]")}
    found = {}
    for mutant in MUTANTS:
        tests = [part for part in shlex.split(mutant.tests) if part.endswith(".py")]
        its = [file for file in (f"{PACKAGE}/{mutant.file}", *tests) if file in files]
        if without_folders(mutant) not in before:
            its.append("its row")
        if its:
            found[mutant.name] = ", ".join(its)
    return found


def by_turn(commit: str, changed: Mapping[str, str]) -> list[Mutant]:
    """Return the mutants that a commit runs: of those that changed, and of the others."""

    def turn(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{commit} {mutant.name}".encode()).digest()

    order = sorted(MUTANTS, key=turn)
    taken = [mutant for mutant in order if mutant.name in changed][:MOST]
    others = [mutant for mutant in order if mutant.name not in changed][:OTHERS]
    return [mutant for mutant in MUTANTS if mutant in {*taken, *others}]


def chosen_by_commit(since: str) -> list[Mutant]:
    """Return mutants that changed and some others, and print why each was chosen."""
    changed = changed_mutants(since)
    commit = str(git("rev-parse", "HEAD"))
    mutants = by_turn(commit, changed)
    print(
        f"Of {len(MUTANTS)} mutants, {len(changed)} changed since {since}, at most {MOST} of which"
    )
    print(f"are run, with {OTHERS} whose turn it is at {commit}:")
    for mutant in mutants:
        print(f"  {mutant.name:34} {changed.get(mutant.name, 'its turn')}", flush=True)
    return mutants


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--changed", action="store_true", help="what changed, and ten more")
    parser.add_argument("--since", metavar="COMMIT", help="of --changed; last merge by default")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--write", type=Path, help="page to write")
    options = parser.parse_args(argv)
    if options.changed and (options.names or options.write):
        parser.error("--changed chooses the mutants, and the page has all of them.")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        if options.changed:
            mutants = chosen_by_commit(options.since or last_merge())
        else:
            mutants = chosen(options.names)
        for mutant in mutants:
            mutated(mutant, ROOT)
        found = outcomes(mutants, options.jobs)
    except TableError as error:
        print(error, file=sys.stderr)
        return 2
    survivors = [outcome.mutant.name for outcome in found if not outcome.killed_by]
    print(f"{len(found) - len(survivors)} of {len(found)} mutants were killed.", *survivors)
    if options.write is not None and not survivors and len(found) == len(mutants):
        options.write.write_text(page_of(found), encoding="utf8")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
