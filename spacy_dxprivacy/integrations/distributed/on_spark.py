"""Spark: a data frame and shards, sanitised by one pipeline for each Python worker."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...config import ClusterConfig
from ...pipeline.receipt import COUNTS
from ...validate import needs
from .arrow import Columns, TableSanitizer, find_column, kept_columns
from .journal import ShardResult
from .recipe import Config, Recipe
from .work import Shard, Work, result_of

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame


def sanitize_dataframe(
    df: DataFrame,
    config: Config = None,
    column: str = "text",
    *,
    keep: Sequence[str] | None = None,
    on_failure: str = "drop",
    receipts: bool = False,
    code: str | Path | None = None,
) -> DataFrame:
    """Return a Spark DataFrame with one column sanitised, by mapInArrow.

    It is lazy, and every action on the result draws anew: write it once. Arguments are as in
    sanitize_dataset; the columns that are not kept are not even sent to the Python workers.

    Raises:
        DxError: For a config that is seeded, a column that is missing or holds no text, or without
            PySpark.
    """
    needs("pyspark", "sanitize_dataframe", extra="spark")
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import IntegerType, StructField, StructType

    columns = Columns(column, keep, on_failure, receipts)
    schema = to_arrow_schema(df.schema)
    find_column(schema, column)
    names = [schema.names[place] for place in kept_columns(schema, columns)]
    recipe = Recipe.of(config, code=code)
    sanitizer = TableSanitizer(recipe, recipe.space, columns)
    chosen = df.select(*("`" + name.replace("`", "``") + "`" for name in names))
    fields = [StructField(f.name, f.dataType, True) for f in chosen.schema.fields]
    more = [StructField(f"dx_{name}", IntegerType(), True) for name in COUNTS] if receipts else []

    def sanitize(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        return map(sanitizer, batches)

    return chosen.mapInArrow(sanitize, StructType(fields + more))


def run_shards(
    cluster: ClusterConfig, work: Work, shards: Sequence[Shard]
) -> Iterator[ShardResult]:
    """Sanitise shards by the workers of a session, or of a new one, and yield each as it ends."""
    needs("pyspark", "the engine spark", extra="spark")
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    context = (active or _new_session(cluster.address)).sparkContext

    def run(shard: Shard) -> Any:
        return context.parallelize([shard], 1).map(work).collect()[0]

    try:
        # A job a shard: what is done is known at once, and published.
        with ThreadPoolExecutor(cluster.workers or context.defaultParallelism) as pool:
            jobs = {pool.submit(run, shard): shard for shard in shards}
            try:
                for job in as_completed(jobs):
                    yield result_of(job.result, jobs[job])
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
    finally:
        if active is None:
            context.stop()


def _new_session(address: str | None) -> Any:
    from pyspark.sql import SparkSession

    # A worker that fails is told of in one line; Spark would print the way there, twice.
    builder = SparkSession.builder.appName("spacy_dxprivacy").config("spark.log.level", "OFF")
    builder = builder.config("spark.ui.enabled", False)
    builder = builder.config("spark.ui.showConsoleProgress", False)
    return builder.master(address or "local[*]").getOrCreate()
