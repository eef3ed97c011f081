"""Read and write .parquet. Columns keep their types.

Files may be malicious: the sizes that a file states are checked before it is decompressed, and a
text that a million rows share is in memory once.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from weakref import finalize

from ..config.options import FileOptions
from ..errors import UsageError
from ..files.limits import MAX_JSON, MB, TooLarge, check_ratio, read_all, too_large
from ..validate import needs
from .formats import Fields, Header, OnHeader, row_record
from .records import Input
from .tables import TableWriter, as_cell

if TYPE_CHECKING:
    import pyarrow as pa

MAX_STREAM = 256 * MB  # of stdin, which is read as a whole: its footer comes last
GROUP_ROWS, GROUP_CHARACTERS = 2**16, 2**25  # limits of a row group that is written


def read_parquet(handle: IO[bytes], files: FileOptions, on_header: OnHeader) -> Iterator[Input]:
    """Yield the record of each row."""
    needs("pyarrow", ".parquet", extra="arrow")
    file = handle if handle.seekable() else io.BytesIO(read_all(handle, MAX_STREAM))
    number, size = 0, file.seek(0, io.SEEK_END)
    try:
        with open_parquet(file) as opened:
            schema, rows = opened.schema_arrow, max(1, opened.metadata.num_rows)
        names = list(schema.names)
        fields = Fields.of(files).in_columns(names)
        on_header(Header(fields.output_columns(names), schema=schema))
        for columns in read_columns(file, names):
            for cells in zip(*columns, strict=True):
                number += 1
                share = size * number // rows - size * (number - 1) // rows
                yield row_record(number, share, dict(zip(names, cells, strict=True)), fields)
    except TooLarge as error:
        raise UsageError(str(error)) from None


class ParquetWriter(TableWriter):
    """Writes row groups. Columns of a .parquet input keep their types; others become text."""

    def __init__(self, handle: IO[bytes], files: FileOptions) -> None:
        super().__init__(handle, files)
        needs("pyarrow", ".parquet", extra="arrow")
        import pyarrow

        self.pa: Any = pyarrow
        self.rows: list[list[Any]] = []
        self.characters = 0
        self.schema: Any = None
        self.writer: Any = None

    def write_head(self, names: list[str]) -> None:
        """Choose the types of the columns, without the metadata of the input."""
        text, kinds = self.pa.string(), dict[str, Any]()
        if self.header.schema is not None:
            kinds = {field.name: plain_type(field.type) for field in self.header.schema}
        self.schema = self.pa.schema([(name, kinds.get(name, text)) for name in names])

    def write_row(self, cells: list[Any]) -> None:
        if self.header.schema is None:
            cells = [as_cell(cell) for cell in cells]
        else:
            columns = zip(cells, self.schema, strict=True)
            cells = [cell if self._fits(cell, column.type) else None for cell, column in columns]
        self.rows.append(cells)
        self.characters += sum(len(cell) for cell in cells if isinstance(cell, str))
        if len(self.rows) >= GROUP_ROWS or self.characters >= GROUP_CHARACTERS:
            self._write_group()

    def _fits(self, cell: Any, kind: Any) -> bool:
        """Return whether a cell is a value of its column: "[DATE]" is none of a column of dates."""
        types = self.pa.types
        is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        if isinstance(cell, str):
            return not (is_number or types.is_temporal(kind))
        if not (isinstance(cell, int) and types.is_integer(kind)):
            return True
        try:
            self.pa.scalar(cell, kind)
        except (self.pa.ArrowException, OverflowError):
            return False
        return True

    def finish(self) -> None:
        super().finish()
        self._write_group()
        self.writer.close()

    def _write_group(self) -> None:
        from pyarrow.parquet import ParquetWriter as ArrowWriter

        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.schema)
        try:
            arrays = [
                self.pa.array(values, field.type)
                for values, field in zip(columns, self.schema, strict=True)
            ]
        except (self.pa.ArrowException, UnicodeError):  # their messages quote values
            raise UsageError("a kept column has values that .parquet cannot store.") from None
        if self.writer is None:
            self.writer = ArrowWriter(self.handle, self.schema)
            # Deleting an unfinished writer would write to a closed file.
            finalize(self, setattr, self.writer, "is_open", False)
        self.writer.write_table(self.pa.table(arrays, schema=self.schema))
        self.rows, self.characters = [], 0


READ_ROWS = 1024
MAX_GROUP = 2048 * MB  # decompressed size of the columns read from a row group
MAX_FIELDS = 1_000_000  # columns times row groups in a footer


def open_parquet(file: Path | IO[bytes], texts: Sequence[str] = ()) -> Any:
    """Open a ParquetFile with a limit on its footer. texts: columns to read as dictionaries."""
    import pyarrow.parquet as pq

    with damage_as_usage_error():
        return pq.ParquetFile(
            file,
            read_dictionary=list(texts),
            thrift_string_size_limit=MAX_JSON,
            thrift_container_size_limit=MAX_FIELDS,
        )


@contextmanager
def damage_as_usage_error() -> Iterator[None]:
    """Raise errors of pyarrow as UsageError: their messages may quote the file."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        unread = isinstance(error, OSError) and error.errno is None  # not from the system
        if unread or type(error).__module__.partition(".")[0] == "pyarrow":
            raise UsageError("it is not a .parquet file, or it is damaged.") from None
        raise


def read_columns(source: Path | IO[bytes], names: Sequence[str]) -> Iterator[list[list[Any]]]:
    """Yield the values of columns, READ_ROWS rows at a time. Equal texts share one object.

    Raise TooLarge if a row group decompresses to too many bytes, or at a suspicious ratio.
    """
    with damage_as_usage_error():
        with open_parquet(source) as plain:
            _check_groups(plain.metadata, names)
            texts = [field.name for field in plain.schema_arrow if is_text(field.type)]
        with open_parquet(source, texts) as file:
            for batch in file.iter_batches(READ_ROWS, columns=list(names)):
                yield [values_of(batch.column(name)) for name in names]


def _check_groups(metadata: Any, columns: Sequence[str]) -> None:
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunks = [group.column(place) for place in range(group.num_columns)]
        wanted = [c for c in chunks if c.path_in_schema.partition(".")[0] in columns]
        unpacked = sum(c.total_uncompressed_size for c in wanted)
        label = f"row group {number + 1}"
        if unpacked > MAX_GROUP or any(c.total_uncompressed_size < 0 for c in wanted):
            raise too_large(label, unpacked, MAX_GROUP)
        check_ratio(label, sum(c.total_compressed_size for c in wanted), unpacked)


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds text."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return a type without metadata of nested fields, parameters of extensions, and views, which
    other readers cannot convert in one step."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_string_view(kind) or types.is_binary_view(kind):
        return pa.string() if types.is_string_view(kind) else pa.binary()
    if isinstance(kind, pa.BaseExtensionType):
        return plain_type(kind.storage_type)

    def plain(field: pa.Field) -> pa.Field:
        return pa.field(field.name, plain_type(field.type), field.nullable)

    if types.is_struct(kind):
        return pa.struct([plain(kind.field(i)) for i in range(kind.num_fields)])
    if types.is_map(kind):
        keys, items = plain_type(kind.key_type), plain(kind.item_field)
        return pa.map_(keys, items, kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pa.list_(plain(kind.value_field), kind.list_size)
    if types.is_large_list(kind):
        return pa.large_list(plain(kind.value_field))
    if types.is_list(kind):
        return pa.list_(plain(kind.value_field))
    return kind


def values_of(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return the values of a column. Bytes that are not valid UTF-8 become surrogates."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(column.type):
        values = list[Any]()
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            distinct = values_of(chunk.dictionary)
            values += [None if i is None else distinct[i] for i in chunk.indices.to_pylist()]
        return values
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:  # its message holds text; files may declare any bytes as text
        if not is_text(column.type):
            raise UsageError("a nested column holds text that is not UTF-8.") from None
        raw = column.cast(pa.large_binary()).to_pylist()
        return [None if v is None else v.decode("utf8", "surrogateescape") for v in raw]
    except ValueError:  # nanoseconds without pandas
        return list(column.cast(pa.timestamp("us", column.type.tz), safe=False).to_pylist())
