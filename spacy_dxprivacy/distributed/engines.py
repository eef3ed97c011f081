"""Who does the work of shards: this process, actors of Ray, or workers of Spark. Results come as
shards are done, in any order; a shard whose worker dies is tried again, or its result says so."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from spacy.language import Language

from ..validate import needs, one_of
from .shard import Shard, ShardResult, Work

RETRIES = 2  # of a shard whose worker died


@dataclass(frozen=True)
class Engine:
    """name: "local", "ray" or "spark". address: of a Ray cluster, or the master of Spark; if left
    out, one is started on this machine. workers: None for one a core of the cluster."""

    name: str = "local"
    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        one_of("engine", self.name, tuple(ENGINES))

    def run(self, work: Work, nlp: Language, shards: Sequence[Shard]) -> Iterator[ShardResult]:
        """Sanitise the shards there, and give a report of each as it ends."""
        return ENGINES[self.name](self, work, nlp, shards)


def _run_here(
    engine: Engine, work: Work, nlp: Language, shards: Sequence[Shard]
) -> Iterator[ShardResult]:
    return (work.run(nlp, shard) for shard in shards)


# -- Ray -----------------------------------------------------------------------------------------


class _Worker:
    """An actor of Ray."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def sanitize(self, shard: Shard) -> ShardResult:
        return self.work(shard)


def _run_on_ray(
    engine: Engine, work: Work, nlp: Language, shards: Sequence[Shard]
) -> Iterator[ShardResult]:
    needs("ray", "the engine ray", extra="ray")
    import ray

    started = not ray.is_initialized()
    if started:
        # Ray tells its makers how it is used, unless it is told not to.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(address=engine.address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        number = min(len(shards), engine.workers or int(ray.cluster_resources().get("CPU", 1)))
        actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=RETRIES)(_Worker)
        yield from _results_of_actors(partial(actor.remote, work), number, shards)
    finally:
        if started:
            ray.shutdown()


def _results_of_actors(
    make: Callable[[], Any], number: int, shards: Sequence[Shard]
) -> Iterator[ShardResult]:
    import ray

    idle, left = [make() for _ in range(number)], list(reversed(shards))
    busy: dict[Any, tuple[Any, Shard]] = {}
    try:
        while busy or left:
            while idle and left:
                worker, shard = idle.pop(), left.pop()
                busy[worker.sanitize.remote(shard)] = worker, shard
            (done,), _ = ray.wait(list(busy), num_returns=1)
            worker, shard = busy.pop(done)
            result = _result(cast(Callable[[], ShardResult], partial(ray.get, done)), shard)
            # One that died three times on a shard may not come back.
            idle.append(worker if result.is_answer else make())
            yield result
    finally:
        for worker in [*idle, *(worker for worker, _ in busy.values())]:
            ray.kill(worker)


# -- Spark ---------------------------------------------------------------------------------------


def _run_on_spark(
    engine: Engine, work: Work, nlp: Language, shards: Sequence[Shard]
) -> Iterator[ShardResult]:
    needs("pyspark", "the engine spark", extra="spark")
    from pyspark.sql import SparkSession

    started = SparkSession.getActiveSession() is None
    if started:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    context = (SparkSession.getActiveSession() or _new_session(engine)).sparkContext
    try:
        number = engine.workers or context.defaultParallelism
        # A job a shard: what is done is known at once, and published.
        with ThreadPoolExecutor(number) as pool:
            jobs = {pool.submit(_on_spark, context, work, shard): shard for shard in shards}
            try:
                for job in as_completed(jobs):
                    yield _result(job.result, jobs[job])
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
    finally:
        if started:
            context.stop()


def _new_session(engine: Engine) -> Any:
    from pyspark.sql import SparkSession

    # A worker that fails is told of in one line; Spark would print the way there, twice.
    builder = SparkSession.builder.appName("spacy_dxprivacy").config("spark.log.level", "OFF")
    builder = builder.config("spark.ui.enabled", False)
    builder = builder.config("spark.ui.showConsoleProgress", False)
    return builder.master(engine.address or "local[*]").getOrCreate()


def _on_spark(context: Any, work: Work, shard: Shard) -> ShardResult:
    (result,) = context.parallelize([shard], 1).map(work).collect()
    found: ShardResult = result
    return found


def _result(get: Callable[[], ShardResult], shard: Shard) -> ShardResult:
    """A worker that dies is no reason to give up the others."""
    try:
        return get()
    except Exception as error:
        why = f"its worker failed with {type(error).__name__}."
        return ShardResult(shard.name, why=why, is_answer=False)


ENGINES: dict[str, Callable[[Engine, Work, Language, Sequence[Shard]], Iterator[ShardResult]]] = {
    "local": _run_here,
    "ray": _run_on_ray,
    "spark": _run_on_spark,
}
