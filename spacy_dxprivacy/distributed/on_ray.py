"""Ray Data: one actor a worker, which loads the pipeline once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..validate import needs
from .arrow import Columns, sanitize_table
from .recipe import Config, Recipe, pipeline_of_worker, terms_of

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset


class TableSanitizer:
    """What an actor holds. Called with an Arrow table, it gives the sanitised one."""

    def __init__(self, recipe: Recipe, space: str, columns: Columns) -> None:
        self.nlp = pipeline_of_worker(recipe, space)
        self.columns = columns

    def __call__(self, table: pa.Table) -> pa.Table:
        c = self.columns
        return sanitize_table(
            self.nlp, table, c.text, keep=c.keep, on_failure=c.on_failure, receipts=c.receipts
        )


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
    """A Ray Dataset with one column sanitised.

    config, code: see Recipe.of; their files have to be where all nodes see them. keep, on_failure,
    receipts: see Columns; by default columns that can hold text are dropped, and numbers,
    booleans, dates and times go along in clear. workers: how many actors, or the least and the
    most; None for 1 up to what the cluster has room for. batch_size: rows a call. options: for
    Dataset.map_batches, such as num_cpus or memory.

    It is lazy, and every run of the result draws anew: write it once, or materialize() it before
    it is used twice. Raises DxError for a config that is seeded, or where Ray is not installed.
    """
    needs("ray", "sanitize_dataset", extra="ray")
    from ray.data import ActorPoolStrategy

    columns = Columns(column, None if keep is None else tuple(keep), on_failure, receipts)
    recipe = Recipe.of(config, code=code)
    space = terms_of(recipe.load()).space
    least, most = workers if isinstance(workers, tuple) else (workers or 1, workers)
    return ds.map_batches(
        TableSanitizer,
        fn_constructor_args=(recipe, space, columns),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=ActorPoolStrategy(min_size=least, max_size=most),
        **options,
    )
