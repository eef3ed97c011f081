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
from conftest import UNKNOWN_SECRETS, leaks
from scipy.stats import chi2_contingency

pa = pytest.importorskip("pyarrow", reason="needs the extra 'arrow'")
pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'arrow'")

SENTENCE = "the dog saw the old house by the river"
TIMEOUT = 240  # seconds, for a cluster to start on a busy machine


def write_corpus(folder, *, shards, documents, repeat=4):
    """Parquet files with the columns id, text, note and who; every text has a secret in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(shards):
        ids = np.arange(number * documents, (number + 1) * documents)
        secrets = [UNKNOWN_SECRETS[i % 3] for i in ids]
        table = pa.table(
            {
                "id": ids,
                "text": [f"{SENTENCE} " * repeat + secret for secret in secrets],
                "note": secrets,
                "who": [f"{UNKNOWN_SECRETS[0]} {i % 5}" for i in ids],
            }
        )
        pq.write_table(table, folder / f"part-{number:03}.parquet")
    return sorted(folder.iterdir())


def command(*args):
    return [sys.executable, "-m", "spacy", "dx", "sanitize", *map(str, args)]


def start(*args, **kwargs):
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command(*args), **{**pipes, **kwargs})


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
    assert sorted(Counter(event["name"] for event in shard_lines(out)).values()) == [1] * len(
        sources
    )
    raw = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert not leaks(raw, UNKNOWN_SECRETS)


def outputs_of(texts, place):
    """What came out where the word `place` of SENTENCE went in."""
    length = len(SENTENCE.split())
    words = [text.lower().split()[:-1] for text in texts]
    return Counter(word for some in words for word in some[place::length])


def same_law(first, second):
    """Chi-square tests of the outputs of three words, at 1 in 10,000 in all."""
    return all(
        _p_value(outputs_of(first, place), outputs_of(second, place)) > 1e-4 / 3
        for place in (1, 4, 8)
    )


def _p_value(first, second):
    common = [word for word, n in (first + second).most_common() if n >= 20]
    rows = [
        [c[w] for w in common] + [c.total() - sum(c[w] for w in common)] for c in (first, second)
    ]
    table = np.array(rows)
    return float(chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue)
