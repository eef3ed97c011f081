"""Ray: data sets sanitised by actors, and shards by tasks; a process loads the pipeline once."""

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
from .work import Shard, ShardSanitizer, result_of

if TYPE_CHECKING:
    from ray.data import Dataset

RETRIES = 2  # of a shard whose worker died


def sanitize_dataset(
    ds: Dataset,
    config: Config = None,
    column: str = "text",
    *,
    code: str | Path | None = None,
    workers: int | tuple[int, int] | None = None,
    **options: Any,
) -> Dataset:
    """Sanitise one column of a Ray Dataset.

    The result is lazy, and every run of it samples anew: write it once, or materialize() it before
    it is used twice.

    Args:
        ds: A data set.
        config: See Recipe.of; the files that it names exist on all nodes.
        column: The column of text.
        code: A Python file to run first, on each node.
        workers: How many actors, or the least and the most; None for 1 up to what there is room
            for.
        options: `keep`, `on_failure` and `receipts`, see Columns; and options of
            Dataset.map_batches, such as batch_size (rows of a call, 1024), num_cpus or memory.

    Returns:
        A Dataset of the kept columns.

    Raises:
        DxError: For a config that is seeded, or where Ray is not installed.
    """
    needs("ray", "sanitize_dataset", extra="ray")
    from ray.data import ActorPoolStrategy

    names = options.keys() & {"keep", "on_failure", "receipts"}
    columns = Columns(column, **{name: options.pop(name) for name in names})
    recipe = Recipe.of(config, code=code)
    space = recipe.space  # a seed is refused before anything runs
    least, most = workers if isinstance(workers, tuple) else (workers or 1, workers)
    pool = ActorPoolStrategy(min_size=least, max_size=most)
    options = {"batch_size": 1024, "batch_format": "pyarrow", "compute": pool, **options}
    return ds.map_batches(TableSanitizer, fn_constructor_args=(recipe, space, columns), **options)


def run_shards(
    cluster: ClusterConfig, work: ShardSanitizer, shards: Sequence[Shard]
) -> Iterator[ShardResult]:
    """Sanitise shards by tasks on a cluster, or on this machine, and yield each as it ends."""
    needs("ray", "the engine ray", extra="ray")
    import ray

    started = not ray.is_initialized()
    if started:
        # Ray reports its usage to its makers unless this is set.
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


def _sanitize_shard(work: ShardSanitizer, shard: Shard) -> ShardResult:
    return work(shard)
