"""Spark: one pipeline for each Python worker, through mapInArrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..validate import needs
from .arrow import COUNTS, Columns, sanitize_table
from .recipe import Config, Recipe, pipeline_of_worker, terms_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class BatchSanitizer:
    """What Spark sends to its workers, which keep their pipeline from task to task."""

    recipe: Recipe
    space: str
    columns: Columns

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        nlp = pipeline_of_worker(self.recipe, self.space)
        c = self.columns
        for batch in batches:
            yield sanitize_table(
                nlp, batch, c.text, keep=c.keep, on_failure=c.on_failure, receipts=c.receipts
            )


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
    """A Spark DataFrame with one column sanitised. All as in sanitize_dataset; the columns that
    are not kept are not even sent to the Python workers.

    It is lazy, and every action on the result draws anew: write it once. Raises DxError for a
    config that is seeded, a column that is missing or holds no text, or without PySpark.
    """
    needs("pyspark", "sanitize_dataframe", extra="spark")
    from pyspark.sql.pandas.types import to_arrow_schema

    from .arrow import find_column, kept_columns

    columns = Columns(column, None if keep is None else tuple(keep), on_failure, receipts)
    schema = to_arrow_schema(df.schema)
    find_column(schema, column)
    places = kept_columns(schema, columns)
    recipe = Recipe.of(config, code=code)
    space = terms_of(recipe.load()).space
    chosen = df.select(*(_quoted(schema.names[place]) for place in places))
    sanitizer = BatchSanitizer(recipe, space, columns)
    return chosen.mapInArrow(sanitizer.__call__, _schema(chosen, receipts))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _schema(df: DataFrame, receipts: bool) -> Any:
    from pyspark.sql.types import IntegerType, StructField, StructType

    fields = [StructField(f.name, f.dataType, True) for f in df.schema.fields]
    more = [StructField(f"dx_{name}", IntegerType(), True) for name in COUNTS] if receipts else []
    return StructType(fields + more)
