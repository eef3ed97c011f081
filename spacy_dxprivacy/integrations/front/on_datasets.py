"""Sanitise a column of a data set of Hugging Face's datasets.

Dataset.map would leak: its fingerprint is a digest of the original rows, which confirms a guess,
and the info of a data set holds sizes and digests of its sources. So the result is a new data set
with a random fingerprint.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ...errors import DxError, Errors
from ...io.files.parquet import is_text
from ..distributed.arrow import Columns, carried_columns, find_column
from .clean import clean


def clean_dataset(
    dataset: Any,
    column: str = "text",
    *,
    keep: Sequence[str] | None = None,
    receipts: bool = False,
    by: str | None = None,
    **settings: Any,
) -> Any:
    """Sanitise one column of a Dataset or DatasetDict.

    The unit of the guarantee is a row; with by="patient", all rows of a split with one value there.
    The original stays where load_dataset wrote it.

    Args:
        dataset: A Dataset or DatasetDict.
        column: The column of text.
        keep: Other columns to keep unmodified; None for all that hold numbers, booleans and class
            labels. All others are dropped.
        receipts: Add dx_tokens, dx_perturbed, dx_unknown, dx_kept, dx_draws and dx_epsilon.
        by: The column that says whose row it is.
        settings: Those of spacy_dxprivacy.clean, with num_proc in place of n_process: processes,
            each with a random stream of its own.

    Returns:
        A Dataset or DatasetDict in memory.

    Raises:
        DxError: As clean does; for a missing column, and for a streamed data set, each pass over
            which would be a further release.
    """
    if isinstance(dataset, dict):
        given = {"keep": keep, "receipts": receipts, "by": by, **settings}
        splits = {name: clean_dataset(one, column, **given) for name, one in dataset.items()}
        return type(dataset)(splits)
    if not hasattr(dataset, "cache_files"):
        raise DxError(Errors.DX143)
    schema = dataset.features.arrow_schema
    others = None if keep is None else [name for name in keep if name != column]
    names = [schema.names[place] for place in carried_columns(schema, Columns(column, others))]
    kind = schema.field(column).type
    if not (is_text(kind) or str(kind) == "null"):
        raise DxError(Errors.DX071.format(column=column, given=kind))
    users = None if by is None else dataset[schema.names[find_column(schema, by)]][:]
    settings["n_process"] = settings.pop("num_proc", None) or 1
    done = clean(dataset[column][:], receipts=True, by=users, **settings)
    new = {column: done.texts, **(done.columns() if receipts else {})}
    new.pop("dx_spent", None)
    return _made(dataset, names, new)


def _made(dataset: Any, names: list[str], new: dict[str, list[Any]]) -> Any:
    """Return a data set of these columns and the new ones, and nothing else of the original."""
    import pyarrow as pa
    from datasets import Dataset, DatasetInfo, Features, Value
    from datasets.table import InMemoryTable

    text, *counts = new
    kinds = {text: "string", **dict.fromkeys(counts, "int64"), "dx_epsilon": "float64"}
    features = {name: dataset.features[name] for name in names}
    features |= {name: Value(kinds[name]) for name in new}
    whole = dataset.select_columns(names).with_format("arrow")[:]
    arrays = {name: whole[name] for name in names}
    arrays |= {n: pa.array(values, features[n].pa_type) for n, values in new.items()}
    info = DatasetInfo(features=Features(features))
    fingerprint = os.urandom(8).hex()  # as long as one of datasets
    return Dataset(InMemoryTable(pa.table(arrays)), info, dataset.split, fingerprint=fingerprint)
