"""Ray: a data set sanitised by actors, and shards sanitised by actors; each loads the pipeline
once."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import ClusterConfig
from ..validate import needs
from .arrow import Columns, sanitize_columns
from .journal import ShardResult
from .recipe import Config, Recipe, pipeline_of_worker
from .shard import Shard, Work, result_of

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

RETRIES = 2  # of a shard whose worker died


class TableSanitizer:
    """What an actor holds. Called with an Arrow table, it gives the sanitised one."""

    def __init__(self, recipe: Recipe, space: str, columns: Columns) -> None:
        self.nlp = pipeline_of_worker(recipe, space)
        self.columns = columns

    def __call__(self, table: pa.Table) -> pa.Table:
        return sanitize_columns(self.nlp, table, self.columns)


def sanitize_dataset(
    ds: Dataset,
    config: Config = None,
    column: str = "text",
    *,
    keep: Sequence[str] | None = None,
    on_failure: str = "drop",
    receipts: bool = False,
    code: str | Path | None = None,
    workers: int | tuple[int, int] | None = None,
    batch_size: int | None = 1024,
    **options: Any,
) -> Dataset:
    """Return a Ray Dataset with one column sanitised.

    It is lazy, and every run of the result draws anew: write it once, or materialize() it before
    it is used twice.

    Args:
        ds: A data set.
        config: See Recipe.of; the files that it names have to be where all nodes see them.
        column: The column of text.
        keep: Further columns, which are written unmodified; see Columns. By default columns that
            can hold text are dropped, and numbers, booleans, dates and times stay.
        on_failure: See Columns.
        receipts: See Columns.
        code: A Python file to run first, on each node.
        workers: How many actors, or the least and the most; None for 1 up to what there is room
            for.
        batch_size: Rows of a call.
        options: For Dataset.map_batches, such as num_cpus or memory.

    Raises:
        DxError: For a config that is seeded, or where Ray is not installed.
    """
    needs("ray", "sanitize_dataset", extra="ray")
    from ray.data import ActorPoolStrategy

    columns = Columns(column, None if keep is None else tuple(keep), on_failure, receipts)
    recipe = Recipe.of(config, code=code)
    space = recipe.space  # what is seeded is refused before anything runs
    least, most = workers if isinstance(workers, tuple) else (workers or 1, workers)
    return ds.map_batches(
        TableSanitizer,
        fn_constructor_args=(recipe, space, columns),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=ActorPoolStrategy(min_size=least, max_size=most),
        **options,
    )


# -- shards ----------------------------------------------------------------------------------------


class _Worker:
    """An actor of Ray."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def sanitize(self, shard: Shard) -> ShardResult:
        return self.work(shard)


def run_shards(
    cluster: ClusterConfig, work: Work, shards: Sequence[Shard]
) -> Iterator[ShardResult]:
    """Sanitise shards by actors of a cluster, or of this machine, and yield each as it ends."""
    needs("ray", "the engine ray", extra="ray")
    import ray

    started = not ray.is_initialized()
    if started:
        # Ray tells its makers how it is used, unless it is told not to.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        number = min(len(shards), cluster.workers or int(ray.cluster_resources().get("CPU", 1)))
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
            result = result_of(partial(ray.get, done), shard)
            # One that died three times on a shard may not come back.
            idle.append(worker if result.is_answer else make())
            yield result
    finally:
        for worker in [*idle, *(worker for worker, _ in busy.values())]:
            ray.kill(worker)
