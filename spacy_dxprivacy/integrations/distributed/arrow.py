"""Sanitise one column of Arrow tables. Ray, Spark and shards of Parquet are built on this."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from spacy.language import Language

from ...errors import DxError, Errors
from ...io.files.parquet import is_text
from ...io.record import Record, checked_record
from ...io.stream import Outcome, outcomes
from ...pipeline.component import without_text
from ...pipeline.receipt import COUNTS
from ...validate import one_of
from .recipe import Recipe, pipeline_of_worker

if TYPE_CHECKING:
    import pyarrow as pa

COUNTED = (*COUNTS, "persons", "stood_in", "surrogates")
ON_FAILURE = ("drop", "null", "raise")
Pipe = Callable[[Iterable[Record]], Iterable[Outcome]]
Batch = TypeVar("Batch", "pa.Table", "pa.RecordBatch")


@dataclass(frozen=True)
class Columns:
    """Which columns of a table are sanitised and released.

    Attributes:
        text: The column to sanitise.
        keep: Other columns to release unmodified; None for all that cannot hold text (numbers,
            booleans, dates, times). All others are dropped.
        on_failure: For a document that cannot be sanitised: "drop" its row, make its text "null",
            or "raise".
        receipts: Add the columns dx_tokens, dx_perturbed, dx_unknown, dx_kept and dx_draws.
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
    """A table and its sanitised texts, before failed rows are removed; lists are by row."""

    table: pa.Table
    first: int  # the number of the record of its first row
    texts: list[str | None]
    counts: list[dict[str, Any] | None]  # of the receipts: COUNTED
    failures: dict[int, str] = field(default_factory=dict)  # reasons, without text of a document

    def refuse(self, row: int, why: str) -> None:
        """Take back a row whose person has nothing left."""
        self.failures[row], self.texts[row], self.counts[row] = why, None, None

    def release(self, columns: Columns) -> pa.Table:
        """Return the table to release. Raise DxError for failures if they are to be raised."""
        import pyarrow as pa

        if self.failures and columns.on_failure == "raise":
            why = self.failures[min(self.failures)]
            raise DxError(Errors.DX075.format(count=len(self.failures), why=why))
        schema = self.table.schema
        text = find_column(schema, columns.text)
        kind = pa.large_string() if schema.types[text] == pa.large_string() else pa.string()
        released: dict[str, Any] = {
            schema.names[i]: pa.array(self.texts, kind) if i == text else self.table[i]
            for i in carried_columns(schema, columns)
        }
        for name in COUNTS if columns.receipts else ():
            numbers = [None if one is None else one[name] for one in self.counts]
            released[f"dx_{name}"] = pa.array(numbers, pa.int32())
        result = pa.table(released)
        if columns.on_failure == "null" or not self.failures:
            return result
        return result.filter(pa.array([i not in self.failures for i in range(len(result))]))


def sanitize_table(
    nlp: Language, table: Batch, column: str = "text", *, batch_size: int = 128, **options: Any
) -> Batch:
    """Sanitise one column of an Arrow Table or RecordBatch.

    Nulls stay null. Metadata of the schema is dropped, because it may hold anything.

    Args:
        nlp: A pipeline with a sanitizer, whose vocabulary does not grow.
        table: A Table or RecordBatch.
        column: The column of text.
        batch_size: Documents in a batch.
        options: `keep`, `on_failure` and `receipts`, see Columns.

    Returns:
        An object of the same type.

    Raises:
        DxError: The column is missing or holds no text, or, with on_failure "raise", a document
            cannot be sanitised. No message holds text.
    """
    columns = Columns(column, **options)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # spaCy quotes tokens in some of them
            import pyarrow as pa

            whole = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
            pipe = partial(outcomes, nlp, batch_size=batch_size, with_docs=False)
            (sanitized,) = sanitize_tables([whole], pipe, columns.text)
            result = sanitized.release(columns)
            if isinstance(table, pa.Table):
                return result
            batches = result.combine_chunks().to_batches()
            return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=result.schema)
    except Exception as error:
        failure = without_text(error)  # engines log tracebacks, with causes
    raise failure


@dataclass(frozen=True)
class TableSanitizer:
    """What engines send to their workers. space: that of the driver, as receipts name it."""

    recipe: Recipe
    space: str
    columns: Columns

    def __call__(self, table: Batch) -> Batch:
        """Return the sanitised table."""
        how = asdict(self.columns)
        nlp = pipeline_of_worker(self.recipe, self.space)
        return sanitize_table(nlp, table, how.pop("text"), **how)


def sanitize_tables(
    tables: Iterable[pa.Table], pipe: Pipe, column: str
) -> Iterator[SanitizedTable]:
    """Yield tables in order. pipe: from records to outcomes, in the same order."""
    waiting = deque[SanitizedTable]()

    def records() -> Iterator[Record]:
        first = 0
        for table in tables:
            texts = _texts(table, column)
            n = len(texts)
            waiting.append(SanitizedTable(table, first, [None] * n, [None] * n))
            for row, text in enumerate(texts):
                if text is not None:
                    yield checked_record(first + row, 0, text)
            first += n

    for record, outcome in pipe(records()):
        while record.number - waiting[0].first >= len(waiting[0].texts):
            yield waiting.popleft()
        holder, row = waiting[0], record.number - waiting[0].first
        if isinstance(outcome, str):
            holder.failures[row] = outcome
        else:
            holder.texts[row] = outcome.text
            receipt = outcome.receipt
            holder.counts[row] = {name: receipt[name] for name in COUNTED if name in receipt}
    yield from waiting


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
    except UnicodeDecodeError:  # its message holds the text, and files declare any bytes as text
        raw = values.cast(pa.large_binary()).to_pylist()
    return [None if one is None else one.decode("utf8", "surrogateescape") for one in raw]


def find_column(schema: pa.Schema, column: str) -> int:
    """Return the index of a column. Raise DxError unless exactly one has this name."""
    places = schema.get_all_field_indices(column)
    if len(places) != 1:
        found = "several of" if places else "no"
        names = ", ".join(map(repr, schema.names))
        raise DxError(Errors.DX070.format(found=found, column=column, columns=names))
    return int(places[0])


def carried_columns(schema: pa.Schema, columns: Columns) -> list[int]:
    """Return the indices of the released columns, in order. Raise DxError for unknown names."""
    from pyarrow import types

    text = find_column(schema, columns.text)
    if columns.keep is not None:
        return sorted({text, *(find_column(schema, name) for name in columns.keep)})
    tests = (types.is_boolean, types.is_integer, types.is_floating, types.is_decimal,
             types.is_temporal)  # fmt: skip
    return [i for i, one in enumerate(schema) if i == text or any(t(one.type) for t in tests)]
