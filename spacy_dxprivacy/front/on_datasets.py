"""A data set of Hugging Face's datasets with a column sanitised.

What `Dataset.map` does by itself would tell of the originals: its fingerprint is a digest of the
clear rows, is written into the arrow file, its name and `state.json`, and confirms a guess; and
the info of a data set keeps sizes and digests of its sources. So fingerprints here are random, the
info is made anew, and the file that map writes holds the columns that come out and no other.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..config import RunConfig
from ..distributed.arrow import Columns, find_column, is_text, kept_columns
from ..errors import DxError, Errors
from ..machine.compute import one_thread_here
from ..pipeline.receipt import COUNTS
from .clean import Cleaned, How, clean_rows, units_of
from .settings import ready

if TYPE_CHECKING:
    from datasets import Dataset

WHOLE = tuple(f"dx_{name}" for name in COUNTS)


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
    keep_in_memory: bool = False,
    **settings: Any,
) -> Any:
    """A Dataset or DatasetDict with one column sanitised, drawn anew at each call.

    The unit of the guarantee is a row; with by="patient", all rows of a split with one value there.
    keep: further columns that go along in clear; None for all that hold numbers, booleans and class
    labels. All others are dropped. receipts: add dx_tokens, dx_perturbed, dx_unknown, dx_kept,
    dx_draws and dx_epsilon. num_proc: processes, each with a stream of its own. The result lies
    in the cache folder of datasets, unless keep_in_memory; the original lies where load_dataset
    put it, and is not touched. The others are those of spacy_dxprivacy.clean.

    Raises UsageError and DxError as clean does; for a missing column, and for a streamed data set,
    each pass over which would be a further release.
    """
    given: dict[str, Any] = {
        "keep": keep, "receipts": receipts, "by": by, "max_epsilon": max_epsilon,
        "on_failure": on_failure, "batch_size": batch_size, "num_proc": num_proc,
        "keep_in_memory": keep_in_memory,
    }  # fmt: skip
    if isinstance(dataset, dict):
        splits = {k: clean_dataset(d, column, **given, **settings) for k, d in dataset.items()}
        return type(dataset)(splits)
    if not hasattr(dataset, "cache_files"):
        raise DxError(Errors.DX143)
    names = _kept(dataset, column, keep, by)
    how = How(on_failure, batch_size)
    # Before workers are forked, which then share it; what is refused is refused now.
    clean_rows(ready(settings), [], How(max_epsilon=max_epsilon))
    work = Work(
        column, how, tuple(settings.items()), os.getpid(), receipts or max_epsilon is not None
    )
    done = dataset.map(
        work,
        batched=True,
        batch_size=batch_size,
        input_columns=[column],
        remove_columns=[name for name in dataset.column_names if name not in names],
        features=_features(dataset, names, column, work.tells),
        num_proc=num_proc,
        keep_in_memory=keep_in_memory,
        load_from_cache_file=False,
        new_fingerprint=_fingerprint(),
        desc="dx",
    )
    if max_epsilon is not None:
        _check(done, None if by is None else dataset[by], ready(settings), max_epsilon)
        done = done if receipts else _without_receipts(done)
    return _bare(done)


def _kept(dataset: Dataset, column: str, keep: Sequence[str] | None, by: str | None) -> list[str]:
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


def _features(dataset: Dataset, names: list[str], column: str, receipts: bool) -> Any:
    from datasets import Features, Value

    found = {n: Value("string") if n == column else dataset.features[n] for n in names}
    if receipts:
        found |= {name: Value("int64") for name in WHOLE}
        found["dx_epsilon"] = Value("float64")
    return Features(found)


@dataclass(frozen=True)
class Work:
    """What map calls in each process: settings, and neither a pipeline nor a stream of noise."""

    column: str
    how: How
    settings: tuple[tuple[str, Any], ...]
    home: int
    tells: bool

    def __call__(self, texts: list[Any]) -> dict[str, list[Any]]:
        """Columns for a batch of rows. Raises DxError as clean does."""
        if os.getpid() != self.home:
            one_thread_here()  # its brothers use the other cores
        settings: Any = dict(self.settings)
        done = clean_rows(ready(settings), list(texts), self.how)
        told = {self.column: done.texts}
        return {**told, **_told(done)} if self.tells else told


def _told(done: Cleaned) -> dict[str, list[Any]]:
    return {name: values for name, values in done.columns().items() if name != "dx_spent"}


def _check(done: Dataset, users: Any, pipeline: Any, budget: float) -> None:
    """Raises DxError where the rows of a unit add up to more."""
    from ..batch.build import the_sanitizer

    promise = the_sanitizer(pipeline.nlp).terms.guarantee.to_dict()
    draws = done["dx_draws"]
    receipts: Any = [None if n is None else {"draws": n, "guarantee": promise} for n in draws]
    units_of(receipts, users).check(budget)


def _without_receipts(done: Dataset) -> Dataset:
    return done.remove_columns([*WHOLE, "dx_epsilon"])


def _bare(done: Dataset) -> Any:
    """The same rows, and nothing of where they come from."""
    from datasets import Dataset, DatasetInfo

    info = DatasetInfo(features=done.features)
    return Dataset(done.data, info=info, split=done.split, fingerprint=_fingerprint())


def _fingerprint() -> str:
    """As datasets has them: 16 hexadecimal digits; of nothing."""
    return os.urandom(8).hex()
