"""Arrow tables in, Arrow tables out: one column sanitised. Ray, Spark and shards of Parquet come
here, and nothing here knows of them."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from spacy.language import Language

from ..arrays import Ints2d
from ..batch.record import Record, checked_record
from ..batch.stream import Outcome, outcomes
from ..errors import DxError, Errors
from ..pipeline.component import without_text
from ..pipeline.receipt import COUNTS, StoodIn
from ..validate import one_of

if TYPE_CHECKING:
    import pyarrow as pa

ON_FAILURE = ("drop", "null", "raise")
Pipe = Callable[[Iterable[Record]], Iterable[Outcome]]
Batch = TypeVar("Batch", "pa.Table", "pa.RecordBatch")


@dataclass(frozen=True)
class Columns:
    """What becomes of the columns of a table.

    text: the one to sanitise. keep: others that go along in clear, by name; None for all that
    cannot hold text (numbers, booleans, dates, times). All others are dropped. on_failure: what
    becomes of a document that cannot be sanitised: "drop" its row, make its text "null", or
    "raise". receipts: add the columns dx_tokens, dx_perturbed, dx_unknown, dx_kept and dx_draws.
    """

    text: str = "text"
    keep: tuple[str, ...] | None = None
    on_failure: str = "drop"
    receipts: bool = False

    def __post_init__(self) -> None:
        one_of("on_failure", self.on_failure, ON_FAILURE)
        if self.text in (self.keep or ()):
            raise DxError(Errors.DX001.format(name="keep", expected="other columns than the one "
                          "that is sanitised", given=self.text))  # fmt: skip


@dataclass
class SanitizedTable:
    """A table with its column sanitised, before the rows that failed are taken out of it.

    texts: one a row; None for what was null and for what failed. counts: int64 (rows, 5), see
    COUNTS; -1 in rows without a text. failures: why, by row; never with text of a document. told:
    what stands in, see doc.receipt.StoodIn.
    """

    table: pa.Table
    first: int
    texts: list[str | None]
    counts: Ints2d
    missing: int
    failures: dict[int, str] = field(default_factory=dict)
    told: StoodIn = field(default_factory=StoodIn)

    def take(self, number: int, outcome: Any) -> None:
        """Puts the outcome of a record in its row: a text and counts, or why there are none."""
        row = number - self.first
        self.missing -= 1
        if isinstance(outcome, str):
            self.failures[row] = outcome
            return
        self.texts[row] = outcome.text
        self.counts[row] = [outcome.receipt[name] for name in COUNTS]
        self.told.add(outcome.receipt)


def sanitize_table(
    nlp: Language,
    table: Batch,
    column: str = "text",
    *,
    keep: Sequence[str] | None = None,
    on_failure: str = "drop",
    receipts: bool = False,
    batch_size: int = 128,
) -> Batch:
    """An Arrow Table or RecordBatch with one column sanitised, as the same kind; see Columns.

    nlp: a pipeline with a sanitizer, whose vocabulary does not grow. Nulls stay null. Metadata of
    the schema is dropped, as it may hold anything.

    Raises DxError where the column is missing or holds no text, and, with on_failure "raise",
    where a document cannot be sanitised. No message holds text.
    """
    columns = Columns(column, None if keep is None else tuple(keep), on_failure, receipts)
    return sanitize_columns(nlp, table, columns, batch_size=batch_size)


def sanitize_columns(
    nlp: Language, table: Batch, columns: Columns, *, batch_size: int = 128
) -> Batch:
    """See sanitize_table."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # spaCy quotes tokens in some of them
            import pyarrow as pa

            whole = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
            pipe = partial(outcomes, nlp, batch_size=batch_size, with_docs=False)
            (done,) = sanitize_tables([whole], pipe, columns.text)
            result = finish(done, columns)
            return result if isinstance(table, pa.Table) else _as_batch(result)
    except Exception as error:
        failure = without_text(error)  # engines write tracebacks, with causes, into their logs
    raise failure


def sanitize_tables(
    tables: Iterable[pa.Table], pipe: Pipe, column: str
) -> Iterator[SanitizedTable]:
    """The tables, in order. pipe: records in, outcomes out, in about the same order.

    Raises DxError where the pipe loses a document.
    """
    waiting = deque[SanitizedTable]()
    for record, outcome in pipe(_records(tables, column, waiting)):
        holder = next(one for one in waiting if record.number - one.first < len(one.texts))
        holder.take(record.number, outcome)
        while waiting and not waiting[0].missing:
            yield waiting.popleft()
    if any(one.missing for one in waiting):
        raise DxError("The pipeline lost documents.")
    yield from waiting


def _records(
    tables: Iterable[pa.Table], column: str, waiting: deque[SanitizedTable]
) -> Iterator[Record]:
    first = 0
    for table in tables:
        texts = _texts(table, column)
        counts = np.full((len(texts), len(COUNTS)), -1, dtype=np.int64)
        missing = len(texts) - texts.count(None)
        waiting.append(SanitizedTable(table, first, [None] * len(texts), counts, missing))
        for row, text in enumerate(texts):
            if text is not None:
                yield checked_record(first + row, 0, text)
        first += len(texts)


def _texts(table: pa.Table, column: str) -> list[str | None]:
    import pyarrow as pa

    values = table.column(find_column(table.schema, column))
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_null(values.type):
        return [None] * len(values)
    if not is_text(values.type):
        raise DxError(Errors.DX071.format(column=column, given=values.type))
    try:
        return list(values.to_pylist())
    except UnicodeDecodeError:  # nobody checks what a file says is text; it holds the text
        raw = values.cast(pa.large_binary()).to_pylist()
    return [None if one is None else one.decode("utf8", "surrogateescape") for one in raw]


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds text."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def find_column(schema: pa.Schema, column: str) -> int:
    """Raises DxError unless there is one of this name."""
    places = schema.get_all_field_indices(column)
    if len(places) != 1:
        found = "several of" if places else "no"
        names = ", ".join(map(repr, schema.names))
        raise DxError(Errors.DX070.format(found=found, column=column, columns=names))
    return int(places[0])


def kept_columns(schema: pa.Schema, columns: Columns) -> list[int]:
    """The places of the columns that the output has, in order. Raises DxError for unknown names."""
    text = find_column(schema, columns.text)
    if columns.keep is not None:
        return sorted({text, *(find_column(schema, name) for name in columns.keep)})
    return [i for i, one in enumerate(schema) if i == text or holds_no_text(one.type)]


def holds_no_text(kind: pa.DataType) -> bool:
    """Numbers, booleans, dates and times."""
    from pyarrow import types

    return bool(
        types.is_boolean(kind)
        or types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_temporal(kind)
    )


def finish(done: SanitizedTable, columns: Columns) -> pa.Table:
    """The table to release. Raises DxError for failures where they are to be raised."""
    import pyarrow as pa

    if done.failures and columns.on_failure == "raise":
        why = done.failures[min(done.failures)]
        raise DxError(Errors.DX075.format(count=len(done.failures), why=why))
    schema = done.table.schema
    text = find_column(schema, columns.text)
    parts: dict[str, Any] = {}
    kind = pa.large_string() if schema.types[text] == pa.large_string() else pa.string()
    for place in kept_columns(schema, columns):
        array = pa.array(done.texts, kind) if place == text else done.table[place]
        parts[schema.names[place]] = array
    if columns.receipts:
        lacking = done.counts[:, 0] < 0
        for name, numbers in zip(COUNTS, done.counts.T, strict=True):
            parts[f"dx_{name}"] = pa.array(numbers.astype(np.int32), mask=lacking)
    result = pa.table(parts)
    if columns.on_failure == "null" or not done.failures:
        return result
    stays = np.ones(len(result), dtype=bool)
    stays[list(done.failures)] = False
    return result.take(np.flatnonzero(stays))


def _as_batch(table: pa.Table) -> pa.RecordBatch:
    import pyarrow as pa

    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
