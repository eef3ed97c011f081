"""Ray: a data set sanitised by actors, and shards by tasks; each process loads the pipeline
once."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...config import ClusterConfig
from ...validate import needs
from .arrow import Columns, TableSanitizer
from .journal import ShardResult
from .recipe import Config, Recipe
from .work import Shard, Work, result_of

if TYPE_CHECKING:
    from ray.data import Dataset

RETRIES = 2  # of a shard whose worker died


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

    columns = Columns(column, keep, on_failure, receipts)
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


def run_shards(
    cluster: ClusterConfig, work: Work, shards: Sequence[Shard]
) -> Iterator[ShardResult]:
    """Sanitise shards by tasks on a cluster, or on this machine, and yield each as it ends."""
    needs("ray", "the engine ray", extra="ray")
    import ray

    started = not ray.is_initialized()
    if started:
        # Ray tells its makers how it is used, unless it is told not to.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    resources: Any = ray.cluster_resources
    number = cluster.workers or int(resources().get("CPU", 1))
    task: Any = ray.remote(num_cpus=1, max_retries=RETRIES)(_sanitize_shard)
    shared, left, busy = ray.put(work), list(reversed(shards)), dict[Any, Shard]()
    try:
        while busy or left:
            while left and len(busy) < number:
                shard = left.pop()
                busy[task.remote(shared, shard)] = shard
            (done,), _ = ray.wait(list(busy), num_returns=1)
            yield result_of(partial(ray.get, done), busy.pop(done))
    finally:
        for one in busy:
            ray.cancel(one, force=True)
        if started:
            ray.shutdown()


def _sanitize_shard(work: Work, shard: Shard) -> ShardResult:
    return work(shard)
