"""Parquet as it may be made to do harm.

The sizes that a file states are checked before it is unpacked, and a text that a million rows point
to is written out a few rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ...errors import UsageError
from .limits import MB, MOST_JSON, check_ratio, too_large

if TYPE_CHECKING:
    import pyarrow as pa

READ_ROWS = 1024
MOST_GROUP = 2048 * MB  # of a row group, unpacked, of the columns that are read
AT_ONCE = 64 * MB  # of texts that are written out together
MOST_FIELDS = 1_000_000  # columns times row groups that a footer may list


def open_parquet(file: Path | IO[bytes], texts: Sequence[str] = ()) -> Any:
    """Return a ParquetFile whose footer is of an honest size, some columns as dictionaries."""
    import pyarrow.parquet as pq

    with damage_in_a_sentence():
        return pq.ParquetFile(
            file,
            read_dictionary=list(texts),
            thrift_string_size_limit=MOST_JSON,
            thrift_container_size_limit=MOST_FIELDS,
        )


@contextmanager
def damage_in_a_sentence() -> Iterator[None]:
    """Raise UsageError if pyarrow cannot read a file: its own messages may quote it."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        unread = isinstance(error, OSError) and error.errno is None  # not of the system
        if unread or type(error).__module__.partition(".")[0] == "pyarrow":
            raise UsageError("it is not a .parquet file, or it is damaged.") from None
        raise


def read_tables(source: Path | IO[bytes], columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the columns, a few rows at a time; the first table is empty, and brings the schema.

    Raise TooLarge if a row group unpacks to more than fits into memory, or than an honest one can.
    """
    import pyarrow as pa

    with damage_in_a_sentence():
        with open_parquet(source) as plain:
            _check_groups(plain.metadata, columns)
            schema = pa.schema([plain.schema_arrow.field(name) for name in columns])
        yield schema.empty_table()
        texts = [field.name for field in schema if is_text(field.type)]
        with open_parquet(source, texts) as file:
            for batch in file.iter_batches(READ_ROWS, columns=list(columns)):
                for part in _few_at_a_time(pa.Table.from_batches([batch])):
                    arrays = []
                    for field, column in zip(schema, part.columns, strict=True):
                        if column.type != field.type:  # nothing goes to a view in one step
                            column = column.cast(column.type.value_type)
                        arrays.append(column.cast(field.type))
                    yield pa.table(arrays, schema=schema)


def _check_groups(metadata: Any, columns: Sequence[str]) -> None:
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunks = [group.column(place) for place in range(group.num_columns)]
        wanted = [c for c in chunks if c.path_in_schema.partition(".")[0] in columns]
        unpacked = sum(c.total_uncompressed_size for c in wanted)
        what = f"row group {number + 1}"
        if unpacked > MOST_GROUP or any(c.total_uncompressed_size < 0 for c in wanted):
            raise too_large(what, unpacked, MOST_GROUP)
        check_ratio(what, sum(c.total_compressed_size for c in wanted), unpacked)


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds text."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def values_of(column: pa.ChunkedArray) -> list[Any]:
    """Return the values of a column; bytes that are no UTF-8 become surrogates."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:  # its message holds the text, and files declare any bytes as text
        if not is_text(column.type):
            raise UsageError("a nested column holds text that is not UTF-8.") from None
        raw = column.cast(pa.large_binary()).to_pylist()
        return [None if v is None else v.decode("utf8", "surrogateescape") for v in raw]
    except ValueError:  # nanoseconds, where pandas is missing
        return list(column.cast(pa.timestamp("us", column.type.tz), safe=False).to_pylist())


def _few_at_a_time(table: pa.Table) -> Iterator[pa.Table]:
    """Yield parts whose texts are not too long together when they are written out."""
    import pyarrow.compute as pc
    from pyarrow import types

    chunks = [chunk for column in table.columns for chunk in column.chunks]
    texts = [c for c in chunks if types.is_dictionary(c.type) and is_text(c.type.value_type)]
    lengths = (pc.take(pc.binary_length(text.dictionary), text.indices) for text in texts)
    if len(table) < 2 or sum(pc.sum(some).as_py() or 0 for some in lengths) < AT_ONCE:
        yield table
        return
    half = len(table) // 2
    yield from _few_at_a_time(table.slice(0, half))
    yield from _few_at_a_time(table.slice(half))
