"""Arrow tables in, Arrow tables out: one column sanitised. Ray, Spark and shards of Parquet come
here, and nothing here knows of them."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from spacy.language import Language

from ...errors import DxError, Errors
from ...io.files.parquet import is_text
from ...io.record import Record, checked_record
from ...io.stream import Outcome, outcomes
from ...pipeline.component import without_text
from ...pipeline.receipt import COUNTS, StoodIn
from ...validate import one_of
from .recipe import Recipe, pipeline_of_worker

if TYPE_CHECKING:
    import pyarrow as pa

ON_FAILURE = ("drop", "null", "raise")
Pipe = Callable[[Iterable[Record]], Iterable[Outcome]]
Batch = TypeVar("Batch", "pa.Table", "pa.RecordBatch")


@dataclass(frozen=True)
class Columns:
    """What becomes of the columns of a table.

    text: the one to sanitise. keep: others that go along unmodified, by name; None for all that
    cannot hold text (numbers, booleans, dates, times). All others are dropped. on_failure: what
    becomes of a document that cannot be sanitised: "drop" its row, make its text "null", or
    "raise". receipts: add the columns dx_tokens, dx_perturbed, dx_unknown, dx_kept and dx_draws.
    """

    text: str = "text"
    keep: Sequence[str] | None = None
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

    first: the number of its first row. texts: one a row; None for what was null and for what
    failed. counts: see COUNTS, by row; None in rows without a text. missing: how many texts are
    still to come. failures: why, by row; never with text of a document. told: what stands in.
    """

    table: pa.Table
    first: int
    texts: list[str | None]
    counts: list[dict[str, int] | None]
    missing: int
    failures: dict[int, str] = field(default_factory=dict)
    told: StoodIn = field(default_factory=StoodIn)

    def take(self, number: int, outcome: Any) -> None:
        """Put the outcome of a record in its row: a text and counts, or why there are none."""
        row = number - self.first
        self.missing -= 1
        if isinstance(outcome, str):
            self.failures[row] = outcome
            return
        self.texts[row] = outcome.text
        self.counts[row] = {name: outcome.receipt[name] for name in COUNTS}
        self.told.add(outcome.receipt)

    def release(self, columns: Columns) -> pa.Table:
        """Return the table to release. Raise DxError for failures where they are to be raised."""
        import pyarrow as pa

        if self.failures and columns.on_failure == "raise":
            why = self.failures[min(self.failures)]
            raise DxError(Errors.DX075.format(count=len(self.failures), why=why))
        schema = self.table.schema
        text = find_column(schema, columns.text)
        kind = pa.large_string() if schema.types[text] == pa.large_string() else pa.string()
        parts: dict[str, Any] = {
            schema.names[i]: pa.array(self.texts, kind) if i == text else self.table[i]
            for i in kept_columns(schema, columns)
        }
        for name in COUNTS if columns.receipts else ():
            numbers = [None if one is None else one[name] for one in self.counts]
            parts[f"dx_{name}"] = pa.array(numbers, pa.int32())
        result = pa.table(parts)
        if columns.on_failure == "null" or not self.failures:
            return result
        return result.filter(pa.array([i not in self.failures for i in range(len(result))]))


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
    """Return an Arrow Table or RecordBatch with one column sanitised, as the same kind.

    Nulls stay null. Metadata of the schema is dropped, as it may hold anything.

    Args:
        nlp: A pipeline with a sanitizer, whose vocabulary does not grow.
        table: A Table or RecordBatch.
        column: The column of text.
        keep: Further columns; see Columns.
        on_failure: See Columns.
        receipts: See Columns.
        batch_size: Documents in a batch.

    Raises:
        DxError: The column is missing or holds no text, or, with on_failure "raise", a document
            cannot be sanitised. No message holds text.
    """
    return sanitize_columns(nlp, table, Columns(column, keep, on_failure, receipts), batch_size)


def sanitize_columns(nlp: Language, table: Batch, columns: Columns, batch_size: int = 128) -> Batch:
    """See sanitize_table."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # spaCy quotes tokens in some of them
            import pyarrow as pa

            whole = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
            pipe = partial(outcomes, nlp, batch_size=batch_size, with_docs=False)
            (done,) = sanitize_tables([whole], pipe, columns.text)
            result = done.release(columns)
            if isinstance(table, pa.Table):
                return result
            batches = result.combine_chunks().to_batches()
            return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=result.schema)
    except Exception as error:
        failure = without_text(error)  # engines write tracebacks, with causes, into their logs
    raise failure


@dataclass(frozen=True)
class TableSanitizer:
    """What engines send to their workers, which keep their pipeline from call to call. space: what
    the driver's terms call it."""

    recipe: Recipe
    space: str
    columns: Columns

    def __call__(self, table: Batch) -> Batch:
        """Return the sanitised table."""
        return sanitize_columns(pipeline_of_worker(self.recipe, self.space), table, self.columns)


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
        n = len(texts)
        missing = n - texts.count(None)
        waiting.append(SanitizedTable(table, first, [None] * n, [None] * n, missing))
        for row, text in enumerate(texts):
            if text is not None:
                yield checked_record(first + row, 0, text)
        first += n


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


def holds_no_text(kind: pa.DataType) -> bool:
    """Numbers, booleans, dates and times."""
    from pyarrow import types

    tests = ("boolean", "integer", "floating", "decimal", "temporal")
    return any(getattr(types, f"is_{test}")(kind) for test in tests)


def find_column(schema: pa.Schema, column: str) -> int:
    """Return the place of a column. Raise DxError unless there is one of this name."""
    places = schema.get_all_field_indices(column)
    if len(places) != 1:
        found = "several of" if places else "no"
        names = ", ".join(map(repr, schema.names))
        raise DxError(Errors.DX070.format(found=found, column=column, columns=names))
    return int(places[0])


def kept_columns(schema: pa.Schema, columns: Columns) -> list[int]:
    """Return the places of the columns that the output has, in order. Raise DxError for unknown
    names."""
    text = find_column(schema, columns.text)
    if columns.keep is not None:
        return sorted({text, *(find_column(schema, name) for name in columns.keep)})
    return [i for i, one in enumerate(schema) if i == text or holds_no_text(one.type)]
