"""A corpus in shards, the command on it, and what has to hold when it is done."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from conftest import EPSILON, UNKNOWN_SECRETS, leaks
from scipy.stats import chi2_contingency

from spacy_dxprivacy.integrations.distributed import Recipe, sanitize_table

pa = pytest.importorskip("pyarrow", reason="needs the extra 'arrow'")
pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'arrow'")

SENTENCE = "the dog saw the old house by the river"
TEXT, DOCUMENTS = f"{SENTENCE} " * 10 + UNKNOWN_SECRETS[0], 400  # see check_law
TIMEOUT = 240  # seconds, for a cluster to start on a busy machine


def write_corpus(folder, *, shards, documents):
    """Parquet files with the columns id, text, note and who; every text has a secret in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(shards):
        ids = np.arange(number * documents, (number + 1) * documents)
        secrets = [UNKNOWN_SECRETS[i % 3] for i in ids]
        texts = [f"{SENTENCE} " * 4 + secret for secret in secrets]
        who = [f"{UNKNOWN_SECRETS[0]} {i % 5}" for i in ids]
        table = pa.table({"id": ids, "text": texts, "note": secrets, "who": who})
        pq.write_table(table, folder / f"part-{number:03}.parquet")
    return sorted(folder.iterdir())


def command(*args):
    return [sys.executable, "-m", "spacy", "dx", "sanitize", *map(str, args)]


def start(*args, **kwargs):
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command(*args), **pipes, **kwargs)


def finish(*args):
    """Run the command until nothing is left to do, as a person would."""
    for _ in range(3):
        done = subprocess.run(command(*args), capture_output=True, text=True, timeout=TIMEOUT)
        assert not leaks(done.stdout + done.stderr, UNKNOWN_SECRETS), "text in what was printed"
        if done.returncode == 0 or "DX076" in done.stderr:
            return
    raise AssertionError(done.stderr)


def shard_lines(out):
    """The lines of the journal that tell of shards."""
    path = out / "_journal.jsonl"
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    events = [json.loads(line) for line in lines if line.endswith("\n")]
    return [event for event in events if event["event"] == "shard"]


def wait_for(condition, seconds=TIMEOUT):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} seconds"
        time.sleep(0.01)


def processes():
    """Parent and command line by process number (Linux)."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            found[int(path.name)] = parent, (path / "cmdline").read_text().replace("\0", " ")
        except OSError:  # it has ended
            continue
    return found


def check_complete(sources, out):
    """Every document once, in a shard that is whole; nothing half done, nothing released twice."""
    for source in sources:
        expected = pq.read_table(source)["id"].to_pylist()
        assert pq.read_table(out / source.name)["id"].to_pylist() == expected
    others = {path.name for path in out.iterdir()} - {source.name for source in sources}
    assert others <= {"_journal.jsonl", "_manifest.json"}
    manifest = json.loads((out / "_manifest.json").read_text())
    assert manifest["releases"] == 1 and len(manifest["shards"]) == len(sources)
    released = sorted(event["name"] for event in shard_lines(out))
    assert released == sorted(source.name for source in sources)
    raw = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert not leaks(raw, UNKNOWN_SECRETS)


def check_survives(kill, folder, *options):
    """Every document comes out once if kill(process of the driver) strikes in mid-run."""
    sources, out = write_corpus(folder / "in", shards=16, documents=200), folder / "out"
    args = [*sources, out, *options, "-m", "exponential", "-e", EPSILON, "--keep-fields", "id"]
    with start(*args, start_new_session=True) as process:
        wait_for(lambda: len(shard_lines(out)) > 1 or process.poll() is not None)
        assert process.poll() is None, process.stderr.read()
        kill(process)
        process.communicate(timeout=TIMEOUT)
    assert process.returncode != 0 or len(shard_lines(out)) == 16
    finish(*args)
    check_complete(sources, out)


def check_law(rows, config):
    """Rows of DOCUMENTS times TEXT have the distribution of one process: chi-square tests of what
    three words became, at 1 in 10,000 in all."""
    assert sorted(row["id"] for row in rows) == list(range(DOCUMENTS))
    assert set(rows[0]) == {"id", "text"} and not leaks(str(rows), UNKNOWN_SECRETS)
    alone = sanitize_table(Recipe.of(config).load(), pa.table({"text": [TEXT] * DOCUMENTS}))
    for place in (1, 4, 8):
        first = outputs_of([row["text"] for row in rows], place)
        second = outputs_of(alone["text"].to_pylist(), place)
        common = [word for word, n in (first + second).most_common() if n >= 20]
        table = np.array([
            [c[w] for w in common] + [c.total() - sum(c[w] for w in common)]
            for c in (first, second)
        ])  # fmt: skip
        assert chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > 1e-4 / 3


def outputs_of(texts, place):
    """What came out where the word `place` of SENTENCE went in."""
    words = [text.lower().split()[:-1] for text in texts]
    return Counter(word for some in words for word in some[place :: len(SENTENCE.split())])
