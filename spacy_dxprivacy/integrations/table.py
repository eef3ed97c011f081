"""Sanitise one column of an Arrow table, as Ray, Spark and other engines hand it out."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from spacy.language import Language

from ..errors import DxError, Errors, without_text
from ..io.account import Account, charge_person
from ..io.build import check_limit, get_sanitizer
from ..io.parquet import is_text, plain_type, values_of
from ..io.records import Failed, Released, Result, make_record
from ..io.results import by_number, results
from ..pipeline.receipt import COUNTS
from ..surrogates.replacements import USER
from ..text.users import identity, is_nobody
from ..validate import fail, one_of

if TYPE_CHECKING:
    import pyarrow as pa

ON_FAILURE = ("drop", "null", "raise")
Batch = TypeVar("Batch", "pa.Table", "pa.RecordBatch")


def sanitize_table(
    nlp: Language,
    table: Batch,
    column: str = "text",
    *,
    keep: Sequence[str] | None = None,
    person: str | None = None,
    on_failure: str = "drop",
    receipts: bool = False,
    batch_size: int = 128,
) -> Batch:
    """Sanitise one column of an Arrow Table or RecordBatch.

    Nulls stay null. Metadata of the schema and of nested fields is dropped, because it may hold
    text. Every call samples anew: an engine that evaluates a lazy result twice makes two releases.

    Args:
        nlp: A pipeline with a sanitizer. Its vocabulary does not grow.
        table: A Table or RecordBatch.
        column: The column to sanitise.
        keep: Other columns to release in plaintext. None for all columns that cannot hold text
            (numbers, booleans, dates, times). All others are dropped.
        person: The column that identifies the person of a text. In a table, max_epsilon_per_person
            limits the loss of a person. With a key, all dates of a person are shifted alike.
        on_failure: For a document that cannot be sanitised: "drop" its row, "null" its text, or
            "raise".
        receipts: Add the columns dx_tokens, dx_perturbed, dx_unknown, dx_kept and dx_draws.
        batch_size: Documents per batch.

    Returns:
        An object of the type of `table`.

    Raises:
        DxError: If the sanitizer is seeded, the column is missing or holds no text, or, with
            on_failure "raise", a document cannot be sanitised. No message holds text.
    """
    one_of("on_failure", on_failure, ON_FAILURE)
    if column in (keep or ()):
        raise fail("keep", "other columns than the one that is sanitised", column)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # spaCy quotes tokens in some of them
            import pyarrow as pa

            if get_sanitizer(nlp).settings.rng.seed is not None:
                raise DxError(Errors.DX072)
            rows = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
            outcomes = _results(nlp, rows, column, person, batch_size)
            texts, row_receipts, failures = by_number(outcomes, len(rows))
            if failures and on_failure == "raise":
                why = failures[min(failures)]
                raise DxError(Errors.DX075.format(count=len(failures), why=why))
            places = output_columns(rows.schema, column, keep)
            result = _to_table(rows, places, column, texts)
            for name in COUNTS if receipts else ():
                numbers = [
                    None if receipt is None else getattr(receipt, name) for receipt in row_receipts
                ]
                result = result.append_column(f"dx_{name}", pa.array(numbers, pa.int32()))
            result = _without_rows(result, failures if on_failure == "drop" else ())
            if isinstance(table, pa.Table):
                return result
            batches = result.combine_chunks().to_batches()
            return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=result.schema)
    except Exception as error:
        failure = without_text(error)  # raised below, since engines log the causes of errors
    raise failure


def _results(
    nlp: Language, table: pa.Table, column: str, person: str | None, batch_size: int
) -> Iterator[Result]:
    """Yield the results of the rows that have a text; a record's number is its row."""
    texts = _texts(table, column)
    persons = [None] * len(texts)
    if person is not None:
        persons = values_of(table.column(find_column(table.schema, person)))
    data = ({} if is_nobody(name) else {USER: identity(name)} for name in persons)
    records = (
        make_record(row, 0, [text], data=of_person, heads=[column])
        for row, (text, of_person) in enumerate(zip(texts, data, strict=True))
        if text is not None
    )
    account = Account(limit=get_sanitizer(nlp).settings.max_epsilon_per_person)
    if person is not None and account.limit is not None:
        check_limit(nlp, "max_epsilon_per_person")
    for result in results(nlp, records, batch_size=batch_size):
        if isinstance(result, Released) and (name := result.record.data.get(USER)):
            if why := charge_person(account, name, result.receipts):
                result = Failed(result.record.number, why)
        yield result


def _to_table(table: pa.Table, places: list[int], column: str, texts: list[str | None]) -> pa.Table:
    """Return a table of the columns at these places, with sanitised texts in `column`."""
    import pyarrow as pa

    schema, text = table.schema, find_column(table.schema, column)
    kind = pa.large_string() if schema.types[text] == pa.large_string() else pa.string()
    columns = [pa.array(texts, kind) if i == text else table[i] for i in places]
    return pa.table(columns, [schema.names[i] for i in places])


def _without_rows(table: pa.Table, rows: Collection[int]) -> pa.Table:
    """Return a table without these rows, and without the values that columns hold beside those of
    its rows: in dictionaries, beneath nulls, beyond slices, and in metadata of nested fields."""
    import pyarrow as pa

    kept = None if not rows else pa.array([i not in rows for i in range(len(table))])
    return pa.table([_made_anew(column, kept) for column in table.columns], table.column_names)


def _made_anew(column: pa.ChunkedArray, kept: pa.Array | None) -> pa.ChunkedArray | pa.Array:
    """Return the kept values of a column, null or not, in new buffers."""
    import pyarrow as pa
    from pyarrow import compute, types

    kind = plain_type(column.type)
    column = column if column.type == kind else column.cast(kind)
    column = column if kept is None else column.filter(kept)
    if types.is_nested(kind) or types.is_dictionary(kind):
        return pa.array(values_of(column), kind)
    valid = column.is_valid()
    places = compute.cumulative_sum(valid.cast(pa.int64()))
    places = compute.if_else(valid, compute.subtract(places, 1), None)
    return column.drop_null().take(places)


def _texts(table: pa.Table, column: str) -> list[str | None]:
    from pyarrow import types

    values = table.column(find_column(table.schema, column))
    kind = values.type.value_type if types.is_dictionary(values.type) else values.type
    if not (types.is_null(kind) or is_text(kind)):
        given = str(kind).partition("<")[0]  # without names of nested fields
        raise DxError(Errors.DX071.format(column=column, given=given))
    return values_of(values)


def find_column(schema: pa.Schema, column: str) -> int:
    """Return the index of a column. Raise DxError unless exactly one column has this name."""
    places = schema.get_all_field_indices(column)
    if len(places) != 1:
        number = "several columns" if places else "no column"
        raise DxError(Errors.DX070.format(found=number, column=column, count=len(schema.names)))
    return int(places[0])


def output_columns(schema: pa.Schema, column: str, keep: Sequence[str] | None) -> list[int]:
    """Return the indices of the columns to release, in order. Raise DxError for unknown names."""
    from pyarrow import types

    text = find_column(schema, column)
    if keep is not None:
        return sorted({text, *(find_column(schema, name) for name in keep)})
    tests = (types.is_boolean, types.is_integer, types.is_floating, types.is_decimal,
             types.is_temporal)  # fmt: skip
    return [i for i, field in enumerate(schema) if i == text or any(t(field.type) for t in tests)]
