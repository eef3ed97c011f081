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
from ..doc.receipt import COUNTS
from ..errors import DxError, Errors
from ..machine.compute import one_thread_here
from .clean import Cleaned, How, clean_rows
from .settings import ready
from .units import units_of

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
    columns = _Columns.of(dataset, column, keep, by)
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
        remove_columns=columns.dropped,
        features=columns.features(dataset, work.tells),
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


@dataclass(frozen=True)
class _Columns:
    text: str
    kept: list[str]
    dropped: list[str]

    @classmethod
    def of(
        cls, dataset: Dataset, text: str, keep: Sequence[str] | None, by: str | None
    ) -> _Columns:
        names = list(dataset.column_names)
        for name in (text, *(keep or ()), *(() if by is None else (by,))):
            if name not in names:
                told = ", ".join(map(repr, names))
                raise DxError(Errors.DX070.format(found="no", column=name, columns=told))
        features = dataset.features
        if getattr(features[text], "dtype", "") not in ("string", "large_string", "null"):
            given = getattr(features[text], "dtype", type(features[text]).__name__)
            raise DxError(Errors.DX071.format(column=text, given=given))
        kept = list(keep) if keep is not None else [n for n in names if _is_plain(features[n])]
        kept = [name for name in kept if name != text]
        return cls(text, kept, [name for name in names if name not in (text, *kept)])

    def features(self, dataset: Dataset, receipts: bool) -> Any:
        from datasets import Features, Value

        found = {name: dataset.features[name] for name in self.kept}
        found[self.text] = Value("string")
        ordered = {name: found[name] for name in dataset.column_names if name in found}
        if receipts:
            ordered |= {name: Value("int64") for name in WHOLE}
            ordered["dx_epsilon"] = Value("float64")
        return Features(ordered)


def _is_plain(feature: Any) -> bool:
    """Numbers, booleans, times and class labels: what cannot hold text."""
    kinds = ("int", "uint", "float", "bool", "date", "time", "duration")
    return str(getattr(feature, "dtype", "")).startswith(kinds)


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
