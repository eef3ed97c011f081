"""Sanitise one column of an Arrow table: for Ray, Spark, and whatever else hands out tables."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from spacy.language import Language

from ..errors import DxError, Errors
from ..io.account import Account, OverLimit
from ..io.build import the_sanitizer
from ..io.parquet import is_text, values_of
from ..io.record import checked_record
from ..io.stream import Outcome, outcomes
from ..pipeline.component import without_text
from ..pipeline.receipt import COUNTS, Receipt, largest_in
from ..text.users import identity, is_nobody
from ..validate import one_of

if TYPE_CHECKING:
    import pyarrow as pa

ON_FAILURE = ("drop", "null", "raise")
Batch = TypeVar("Batch", "pa.Table", "pa.RecordBatch")


@dataclass(frozen=True)
class Columns:
    """Which columns of a table are sanitised and released.

    Attributes:
        text: The column to sanitise.
        keep: Other columns to release unmodified; None for all that cannot hold text (numbers,
            booleans, dates, times). All others are dropped.
        person: The column that says whose text it is. Within a table, the mentions of a person add
            up to max_epsilon_per_person at most, and with a key all dates of a person shift alike.
        on_failure: For a document that cannot be sanitised: "drop" its row, make its text "null",
            or "raise".
        receipts: Add the columns dx_tokens, dx_perturbed, dx_unknown, dx_kept and dx_draws.
    """

    text: str = "text"
    keep: Sequence[str] | None = None
    person: str | None = None
    on_failure: str = "drop"
    receipts: bool = False

    def __post_init__(self) -> None:
        one_of("on_failure", self.on_failure, ON_FAILURE)
        if self.text in (self.keep or ()):
            raise DxError(Errors.DX001.format(name="keep", expected="other columns than the one "
                          "that is sanitised", given=self.text))  # fmt: skip


def sanitize_table(
    nlp: Language, table: Batch, column: str = "text", *, batch_size: int = 128, **options: Any
) -> Batch:
    """Sanitise one column of an Arrow Table or RecordBatch.

    Nulls stay null. Metadata of the schema is dropped, because it may hold anything. Every call
    samples anew: an engine that evaluates a lazy result twice makes two releases.

    Args:
        nlp: A pipeline with a sanitizer, whose vocabulary does not grow.
        table: A Table or RecordBatch.
        column: The column of text.
        batch_size: Documents in a batch.
        options: `keep`, `person`, `on_failure` and `receipts`, see Columns.

    Returns:
        An object of the same type.

    Raises:
        DxError: The sanitizer is seeded, the column is missing or holds no text, or, with
            on_failure "raise", a document cannot be sanitised. No message holds text.
    """
    columns = Columns(column, **options)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # spaCy quotes tokens in some of them
            import pyarrow as pa

            if the_sanitizer(nlp).rng.seed is not None:
                raise DxError(Errors.DX072)
            whole = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
            result = _released(whole, columns, _sanitized(nlp, whole, columns, batch_size))
            if isinstance(table, pa.Table):
                return result
            batches = result.combine_chunks().to_batches()
            return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=result.schema)
    except Exception as error:
        failure = without_text(error)  # engines log tracebacks, with causes
    raise failure


def _sanitized(nlp: Language, table: pa.Table, columns: Columns, batch_size: int) -> list[Outcome]:
    """Return the outcomes of the rows that have a text; a record's number is its row."""
    texts = _texts(table, columns.text)
    persons = [""] * len(texts)
    if columns.person is not None:
        place = find_column(table.schema, columns.person)
        values = values_of(table.column(place))
        persons = ["" if is_nobody(value) else identity(value) for value in values]
    records = (
        checked_record(row, 0, text, user=person)
        for row, (text, person) in enumerate(zip(texts, persons, strict=True))
        if text is not None
    )
    account = Account(limit=the_sanitizer(nlp).max_epsilon_per_person)
    results = list[Outcome]()
    for record, outcome in outcomes(nlp, records, batch_size=batch_size, with_docs=False):
        if record.user and not isinstance(outcome, str):
            try:
                account.charge(record.user, largest_in([outcome.receipt]))
            except OverLimit as error:
                outcome = Errors.DX179.format(spent=error.spent, budget=error.limit)
        results.append((record, outcome))
    return results


def _released(table: pa.Table, columns: Columns, results: list[Outcome]) -> pa.Table:
    import pyarrow as pa

    failures = {r.number: outcome for r, outcome in results if isinstance(outcome, str)}
    if failures and columns.on_failure == "raise":
        why = failures[min(failures)]
        raise DxError(Errors.DX075.format(count=len(failures), why=why))
    texts: list[str | None] = [None] * len(table)
    receipts: list[Receipt | None] = [None] * len(table)
    for record, outcome in results:
        if not isinstance(outcome, str):
            texts[record.number], receipts[record.number] = outcome.text, outcome.receipt
    schema = table.schema
    text = find_column(schema, columns.text)
    kind = pa.large_string() if schema.types[text] == pa.large_string() else pa.string()
    released: dict[str, Any] = {
        schema.names[i]: pa.array(texts, kind) if i == text else table[i]
        for i in carried_columns(schema, columns)
    }
    for name in COUNTS if columns.receipts else ():
        numbers = [None if receipt is None else getattr(receipt, name) for receipt in receipts]
        released[f"dx_{name}"] = pa.array(numbers, pa.int32())
    result = pa.table(released)
    if columns.on_failure == "null" or not failures:
        return result
    return result.filter(pa.array([i not in failures for i in range(len(result))]))


def _texts(table: pa.Table, column: str) -> list[str | None]:
    from pyarrow import types

    values = table.column(find_column(table.schema, column))
    kind = values.type.value_type if types.is_dictionary(values.type) else values.type
    if not (types.is_null(kind) or is_text(kind)):
        raise DxError(Errors.DX071.format(column=column, given=kind))
    return values_of(values)


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
    return [i for i, column in enumerate(schema) if i == text or any(t(column.type) for t in tests)]
