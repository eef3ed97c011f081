"""What goes wrong around `dx sanitize`: killed, no room, no file, no memory, no clock.

Whatever happens: no partial file under a final name, no clear text in any file that is left, and
the command, given again, does all of it. (tests/test_cli.py has Ctrl-C, workers that die, and full
disks at the last moment.)
"""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from spacy.cli._util import app
from test_cli import SECRETS, TIMEOUT, WORDS, alive, no_secret_in, started, wait_until
from typer.testing import CliRunner

from spacy_dxprivacy import Space
from spacy_dxprivacy.io.source import Source
from spacy_dxprivacy.pipeline.component import DxSanitizer

TEXTS = [f"The cat sleeps near Zorblatt, {i} times. " * 60 for i in range(400)]


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    path = tmp_path_factory.mktemp("spaces") / "small"
    X = np.random.default_rng(0).normal(size=(len(WORDS), 8))
    Space.from_vectors(WORDS, X, name="small").save(path)
    return str(path)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    return path


def lines_of(path):
    return len(path.read_text().splitlines())


def nothing_in_clear(folder):
    """Of files that a killed run leaves: they hold what was sanitised so far."""
    for path in folder.rglob("*"):
        assert not [s for s in SECRETS if s in path.name]
        if path.is_file():
            no_secret_in(path.read_bytes())


def command(*args, space):
    dx = [sys.executable, "-m", "spacy", "dx", "sanitize"]
    return [*dx, *map(str, args), "--space", space, "--format", "lines", "-q"]


@pytest.mark.slow
@pytest.mark.parametrize("n_process", [1, 2])
def test_kill_9_at_any_moment_and_again(source, space, n_process, tmp_path):
    out, rng = tmp_path / "out", random.Random(n_process)
    out.mkdir()
    done = 0
    for _ in range(4):
        args = (source, out / "o.txt", "--space", space, "--format", "lines", "-n", n_process)
        with started(*args, stdout=subprocess.DEVNULL) as process:
            wait_until(lambda p=process: list(out.iterdir()) or p.poll() is not None)
            time.sleep(rng.uniform(0, 1.0))
            process.send_signal(signal.SIGKILL)
            wait_until(lambda p=process: not alive(p), seconds=20)
        nothing_in_clear(out)
        if (out / "o.txt").exists():  # it was quicker than the signal: then all of it is there
            assert lines_of(out / "o.txt") == len(TEXTS)
            (out / "o.txt").unlink()
            done += 1
    assert done < 4
    again = command(source, out / "o.txt", "-n", n_process, space=space)
    assert subprocess.run(again, timeout=TIMEOUT).returncode == 0
    assert lines_of(out / "o.txt") == len(TEXTS)


@pytest.mark.slow
@pytest.mark.parametrize("n_process", [1, 2])
def test_a_file_that_may_not_grow_leaves_nothing_and_then_all(source, space, n_process, tmp_path):
    """The limit on the size of files stands for a disk that fills up in the middle."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    out = tmp_path / "out"
    args = command(source, out / "o.txt", "-n", n_process, space=space)
    run = subprocess.run(args, capture_output=True, text=True, preexec_fn=limit, timeout=TIMEOUT)
    assert run.returncode == 1 and run.stderr.startswith("dx sanitize: File too large.")
    assert len(run.stderr.splitlines()) == 1 and not list(out.iterdir())
    assert subprocess.run(args, timeout=TIMEOUT).returncode == 0
    assert lines_of(out / "o.txt") == len(TEXTS)


@pytest.mark.slow
def test_a_disk_that_fills_up_leaves_nothing(source, space, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk is not allowed here")
    try:
        args = command(source, disk / "o.txt", space=space)
        run = subprocess.run(args, capture_output=True, text=True, timeout=TIMEOUT)
        assert run.returncode == 1 and "No space left" in run.stderr
        assert len(run.stderr.splitlines()) == 1 and not list(disk.iterdir())
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# -- within this process ---------------------------------------------------------------------------


@pytest.fixture
def dx(space):
    def run(*args):
        return CliRunner().invoke(
            app, ["dx", "sanitize", *map(str, args), "--space", space, "--format", "lines"]
        )

    return run


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "in"
    path.mkdir()
    for name in "abc":
        (path / f"{name}.txt").write_text("The cat sleeps near Zorblatt.\n" * 3)
    return path


def test_a_file_that_cannot_be_opened_is_named_and_the_others_are_written(
    dx, folder, tmp_path, monkeypatch
):
    opened = Path.open

    def refuse(self, *args, **kwargs):
        if self.name == "b.txt" and self.parent == folder:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opened(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    result = dx(folder, tmp_path / "out")
    assert result.exit_code == 1 and "b.txt" in result.stderr
    assert "Permission denied" in result.stderr
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.txt", "c.txt"]


def test_a_disk_that_fails_while_it_is_read_leaves_nothing(dx, folder, tmp_path, monkeypatch):
    def blocks():
        yield (folder / "a.txt").read_bytes()[:50]
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("spacy_dxprivacy.io.jobs.source_of_file", lambda *_, **__: Source(blocks()))
    result = dx(folder / "a.txt", tmp_path / "o.txt")
    assert result.exit_code == 1 and "Input/output error" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in"]


@pytest.mark.parametrize("n_process", [1, 2])
def test_a_document_that_takes_too_much_memory_is_named_and_left_out(
    dx, tmp_path, monkeypatch, n_process, forking
):
    sanitize = DxSanitizer._sanitize

    def starve(self, docs):
        if any("Zorblatt" in doc.text for doc in docs):
            raise MemoryError(f"no room for {docs[0].text}")
        return sanitize(self, docs)

    monkeypatch.setattr(DxSanitizer, "_sanitize", starve)
    (tmp_path / "in.txt").write_text("The cat\nZorblatt runs\nThe dog\n")
    result = dx(tmp_path / "in.txt", tmp_path / "o.txt", "-n", n_process)
    assert result.exit_code == 1 and "line 2: [DX033]" in result.stderr
    assert "MemoryError" in result.stderr and lines_of(tmp_path / "o.txt") == 2
    no_secret_in(result.stdout, result.stderr)


@pytest.mark.parametrize("jump", [-(10**9), 10**9])
def test_the_time_of_day_may_jump(dx, folder, tmp_path, monkeypatch, jump):
    now, jumps = time.time, iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: now() + jump * (next(jumps) % 2))
    result = dx(folder, tmp_path / "out")
    assert result.exit_code == 0 and len(list((tmp_path / "out").iterdir())) == 3
    assert "words/s" not in result.stderr or "-" not in result.stderr.split("words/s")[0][-12:]
