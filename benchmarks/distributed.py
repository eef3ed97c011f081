"""Workers of Ray and Spark beside nlp.pipe: words a second, what two give over one, memory.

    python benchmarks/distributed.py [--words 1000000] [--engines ray,spark] [--output FILE.json]

All in one run, on random words of the built-in space, 200 to a document, and drawn alone
(dx.Path.v1). Set-up is not counted: the clock runs while all workers are at work, with the time
that they wait for the engine between calls. Everything has one thread a worker.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from threadpoolctl import threadpool_limits

from spacy_dxprivacy import Space
from spacy_dxprivacy.integrations.distributed import Recipe, terms_of
from spacy_dxprivacy.integrations.distributed.arrow import Columns, sanitize_table
from spacy_dxprivacy.integrations.distributed.on_ray import TableSanitizer
from spacy_dxprivacy.integrations.distributed.recipe import pipeline_of_worker

LENGTH = 200  # words of a document
BATCH = 256  # rows: enough calls for two workers to share them evenly
PARTITIONS = 10  # of Spark: each is a task
RECIPE = Recipe.of({"mechanism": {"@dx_mechanisms": "dx.Path.v1", "epsilon": 2.2}})


def make_texts(words: int) -> list[str]:
    some = Space.builtin().words[:20_000]
    rows = np.random.default_rng(0).integers(len(some), size=(words // LENGTH, LENGTH))
    return [" ".join(some[i] for i in row) for row in rows.tolist()]


class Timed(TableSanitizer):
    """What an actor does, with a row for each call that says when it was, and what it took."""

    def __call__(self, table: pa.Table) -> pa.Table:
        began = time.time()
        result = super().__call__(table)
        return _told(began, len(result))


def _told(began: float, rows: int) -> pa.Table:
    about = {
        "worker": os.getpid(), "began": began, "ended": time.time(), "rows": rows,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, "pss": _pss(),
    }  # fmt: skip
    return pa.Table.from_pylist([about])


def _pss() -> int:
    """Memory of this process in bytes, with a share of what it shares with others (Linux)."""
    path = Path("/proc/self/smaps_rollup")
    lines = path.read_text().splitlines() if path.exists() else []
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def of_nlp_pipe(texts: list[str]) -> dict[str, Any]:
    """The best that one process does, with the same zones."""
    nlp = RECIPE.load()
    with threadpool_limits(1):
        start = time.time()
        for first in range(0, len(texts), BATCH):
            with nlp.memory_zone():
                for doc in nlp.pipe(texts[first : first + BATCH], batch_size=128):
                    assert doc.text
        seconds = time.time() - start
    return {"words_per_second": len(texts) * LENGTH / seconds}


def of_function(texts: list[str]) -> dict[str, Any]:
    """sanitize_table in this process."""
    nlp = RECIPE.load()
    with threadpool_limits(1):
        start = time.time()
        for first in range(0, len(texts), BATCH):
            assert sanitize_table(nlp, pa.table({"text": texts[first : first + BATCH]}))
        seconds = time.time() - start
    return {"words_per_second": len(texts) * LENGTH / seconds}


def of_ray(texts: list[str], workers: int) -> dict[str, Any]:
    import ray

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    try:
        ds = ray.data.from_arrow([pa.table({"text": part}) for part in _parts(texts)])
        ds = ds.map_batches(
            Timed,
            fn_constructor_args=(RECIPE, terms_of(RECIPE.load()).space, Columns()),
            batch_format="pyarrow",
            batch_size=BATCH,
            compute=ray.data.ActorPoolStrategy(size=workers),
        )
        return _summed(ds.take_all(), workers)
    finally:
        ray.shutdown()


def _parts(texts: list[str]) -> list[list[str]]:
    return [texts[first : first + BATCH] for first in range(0, len(texts), BATCH)]


def of_spark(texts: list[str], workers: int) -> dict[str, Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", False)
    builder = builder.config("spark.log.level", "OFF")
    builder = builder.config("spark.ui.showConsoleProgress", False)
    spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", BATCH).getOrCreate()
    try:
        space = terms_of(RECIPE.load()).space
        frame = spark.createDataFrame([(text,) for text in texts], "text string")
        frame = frame.repartition(PARTITIONS).cache()
        frame.count()
        call = _timed_batches(space)
        schema = "worker long, began double, ended double, rows long, rss long, pss long"
        return _summed([row.asDict() for row in frame.mapInArrow(call, schema).collect()], workers)
    finally:
        spark.stop()


def _timed_batches(space: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    def call(batches: Iterable[Any]) -> Iterator[Any]:
        nlp = pipeline_of_worker(RECIPE, space)
        for batch in batches:
            began = time.time()
            result = sanitize_table(nlp, batch)
            yield from _told(began, len(result)).to_batches()

    return call


def _summed(calls: list[dict[str, Any]], workers: int) -> dict[str, Any]:
    rows = sum(call["rows"] for call in calls)
    pids = {call["worker"] for call in calls}
    assert len(pids) == workers
    start = max(min(c["began"] for c in calls if c["worker"] == pid) for pid in pids)
    end = min(max(c["ended"] for c in calls if c["worker"] == pid) for pid in pids)
    inside = sum(call["rows"] * _share(call, start, end) for call in calls)
    return {
        "workers": workers,
        "documents": rows,
        "seconds": end - start,
        "words_per_second": inside * LENGTH / (end - start),
        "peak_rss_of_a_worker": max(call["rss"] for call in calls),
        "pss_of_a_worker": max(call["pss"] for call in calls),
    }


def _share(call: dict[str, Any], start: float, end: float) -> float:
    """How much of a call lies between the two times."""
    inside = min(call["ended"], end) - max(call["began"], start)
    return max(0.0, inside) / (call["ended"] - call["began"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--engines", default="ray,spark")
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    texts = make_texts(args.words)
    found = {"nlp.pipe": of_nlp_pipe(texts)}
    for engine in filter(None, args.engines.split(",")):
        for workers in (1, 2):
            measure = {"ray": of_ray, "spark": of_spark}[engine]
            found[f"{engine} {workers}"] = measure(texts, workers)
            assert found[f"{engine} {workers}"]["documents"] == len(texts)
    found["sanitize_table"] = of_function(texts)
    base = found["nlp.pipe"]["words_per_second"]
    for name, values in found.items():
        rate = values["words_per_second"]
        memory = values.get("pss_of_a_worker", 0) / 2**20
        peak = values.get("peak_rss_of_a_worker", 0) / 2**20
        print(f"{name:<22}{rate:>10,.0f} words/s {rate / base:>6.2f} of nlp.pipe "
              f"{memory:>7.0f} MiB pss {peak:>7.0f} MiB peak rss")  # fmt: skip
    if args.output:
        args.output.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
