"""Beyond one machine: Arrow tables, Ray Data, Spark, and shards of a corpus.

See docs/how-to/cluster.md.

Nothing here imports pyarrow, ray or pyspark before it is called.
"""

from .arrow import sanitize_table
from .on_ray import sanitize_dataset
from .on_spark import sanitize_dataframe
from .recipe import Recipe, terms_of
from .shards import plan_shards, sanitize_shards

__all__ = [
    "Recipe", "plan_shards", "sanitize_dataframe", "sanitize_dataset", "sanitize_shards",
    "sanitize_table", "terms_of",
]  # fmt: skip
