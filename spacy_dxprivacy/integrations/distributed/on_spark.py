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
from .arrow import Columns, TableSanitizer, carried_columns
from .journal import ShardResult
from .recipe import Config, Recipe
from .work import Shard, ShardSanitizer, result_of

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyspark.sql import DataFrame


def sanitize_dataframe(
    df: DataFrame,
    config: Config = None,
    column: str = "text",
    *,
    code: str | Path | None = None,
    **options: Any,
) -> DataFrame:
    """Sanitise one column of a Spark DataFrame, by mapInArrow.

    The result is lazy, and every action on it samples anew: write it once. Columns that are not
    kept are not even sent to the Python workers.

    Args:
        df: A data frame.
        config: See Recipe.of; the files that it names exist on all nodes.
        column: The column of text.
        code: A Python file to run first, on each node.
        options: `keep`, `on_failure` and `receipts`, see Columns.

    Returns:
        A DataFrame of the kept columns.

    Raises:
        DxError: For a config that is seeded, a column that is missing or holds no text, or without
            PySpark.
    """
    needs("pyspark", "sanitize_dataframe", extra="spark")
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import IntegerType, StructField, StructType

    columns = Columns(column, **options)
    schema = to_arrow_schema(df.schema)
    names = [schema.names[place] for place in carried_columns(schema, columns)]
    recipe = Recipe.of(config, code=code)
    sanitizer = TableSanitizer(recipe, recipe.space, columns)
    chosen = df.select(*("`" + name.replace("`", "``") + "`" for name in names))
    fields = [StructField(f.name, f.dataType, True) for f in chosen.schema.fields]
    if columns.receipts:
        fields += [StructField(f"dx_{name}", IntegerType(), True) for name in COUNTS]

    def sanitize(batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        return map(sanitizer, batches)

    return chosen.mapInArrow(sanitize, StructType(fields))


def run_shards(
    cluster: ClusterConfig, work: ShardSanitizer, shards: Sequence[Shard]
) -> Iterator[ShardResult]:
    """Sanitise shards by the workers of a session, or of a new one, and yield each as it ends."""
    needs("pyspark", "the engine spark", extra="spark")
    from pyspark.sql import SparkSession

    session = active = SparkSession.getActiveSession()
    if session is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("spacy_dxprivacy")
        # A failing worker is reported in one line; Spark would print its traceback twice.
        quiet = {"spark.log.level": "OFF", "spark.ui.enabled": False,
                 "spark.ui.showConsoleProgress": False}  # fmt: skip
        for name, value in quiet.items():
            builder = builder.config(name, value)
        session = builder.master(cluster.address or "local[*]").getOrCreate()
    context = session.sparkContext

    def run(shard: Shard) -> Any:
        return context.parallelize([shard], 1).map(work).collect()[0]

    try:
        # One job for each shard, so that it is published as soon as it is done.
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
