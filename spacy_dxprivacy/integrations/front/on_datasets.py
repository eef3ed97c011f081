"""A data set of Hugging Face's datasets with a column sanitised.

What `Dataset.map` does would tell of the originals: its fingerprint is a digest of the clear rows,
and confirms a guess; and the info of a data set keeps sizes and digests of its sources. So the
result is a new data set, with a random fingerprint.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ...config import RunConfig
from ...errors import DxError, Errors
from ...io.files.parquet import is_text
from ..distributed.arrow import Columns, find_column, kept_columns
from .clean import How, clean_rows
from .settings import ready


def clean_dataset(
    dataset: Any,
    column: str = "text",
    *,
    keep: Sequence[str] | None = None,
    receipts: bool = False,
    by: str | None = None,
    max_epsilon: float | None = None,
    on_failure: str = "raise",
    batch_size: int = RunConfig.batch_size,
    num_proc: int | None = None,
    **settings: Any,
) -> Any:
    """Return a Dataset or DatasetDict, in memory, with one column sanitised and drawn anew.

    The unit of the guarantee is a row; with by="patient", all rows of a split with one value there.
    The original lies where load_dataset put it, and is not touched.

    Args:
        dataset: A Dataset or DatasetDict.
        column: The column of text.
        keep: Further columns that are kept unmodified; None for all that hold numbers, booleans
            and class labels. All others are dropped.
        receipts: Add dx_tokens, dx_perturbed, dx_unknown, dx_kept, dx_draws and dx_epsilon.
        by: The column that says whose row it is.
        max_epsilon: See spacy_dxprivacy.clean, as for on_failure and batch_size.
        on_failure: See there.
        batch_size: See there.
        num_proc: Processes, each with a random stream of its own.
        settings: Those of spacy_dxprivacy.clean.

    Raises:
        DxError: As clean does; for a missing column, and for a streamed data set, each pass over
            which would be a further release.
    """
    if isinstance(dataset, dict):
        given: dict[str, Any] = {
            "keep": keep, "receipts": receipts, "by": by, "max_epsilon": max_epsilon,
            "on_failure": on_failure, "batch_size": batch_size, "num_proc": num_proc,
        }  # fmt: skip
        splits = {k: clean_dataset(d, column, **given, **settings) for k, d in dataset.items()}
        return type(dataset)(splits)
    if not hasattr(dataset, "cache_files"):
        raise DxError(Errors.DX143)
    names = _kept(dataset, column, keep, by)
    how = How(on_failure, batch_size, num_proc or 1, max_epsilon)
    users = None if by is None else dataset[by][:]
    done = clean_rows(ready(settings), dataset[column][:], how, by=users)
    told = {name: values for name, values in done.columns().items() if name != "dx_spent"}
    return _made(dataset, names, {column: done.texts, **(told if receipts else {})})


def _kept(dataset: Any, column: str, keep: Sequence[str] | None, by: str | None) -> list[str]:
    """The columns of the output, in order. Raises DxError for a name that is not there, and for a
    column that holds no text."""
    schema = dataset.features.arrow_schema
    for name in (column, *(keep or ()), *(() if by is None else (by,))):
        find_column(schema, name)
    kind = schema.field(column).type
    if not (is_text(kind) or str(kind) == "null"):
        raise DxError(Errors.DX071.format(column=column, given=kind))
    others = None if keep is None else tuple(name for name in keep if name != column)
    return [schema.names[place] for place in kept_columns(schema, Columns(column, others))]


def _made(dataset: Any, names: list[str], new: dict[str, list[Any]]) -> Any:
    """A data set of these columns and the new ones, and nothing of where they come from."""
    import pyarrow as pa
    from datasets import Dataset, DatasetInfo, Features, Value
    from datasets.table import InMemoryTable

    text, *told = new
    kinds = {text: "string", **dict.fromkeys(told, "int64"), "dx_epsilon": "float64"}
    features = {name: dataset.features[name] for name in names}
    features |= {name: Value(kinds[name]) for name in new}
    whole = dataset.select_columns(names).with_format("arrow")[:]
    arrays = {name: whole[name] for name in names}
    arrays |= {n: pa.array(values, features[n].pa_type) for n, values in new.items()}
    info = DatasetInfo(features=Features(features))
    table = InMemoryTable(pa.table(arrays))
    # Fingerprints are 16 hexadecimal digits; these are of nothing.
    return Dataset(table, info=info, split=dataset.split, fingerprint=os.urandom(8).hex())
