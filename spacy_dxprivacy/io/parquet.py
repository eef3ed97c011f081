"""Read and write .parquet: rows of a table whose columns keep their types."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Any
from weakref import finalize

from ..config import FileOptions
from ..errors import UsageError
from .files.limits import MB, TooLarge
from .files.parquet import open_parquet, read_tables, values_of
from .plain import module_of
from .record import OnHead, Record
from .source import Readable, Source, whole
from .stream import Sanitized
from .tables import Columns, TableWriter, as_cell

MOST_STREAM = 256 * MB  # of stdin: the end of the file says where its rows are
GROUP_ROWS, GROUP_CHARACTERS = 2**16, 2**25  # written together


def read_parquet(
    handle: Readable, files: FileOptions, on_head: OnHead | None = None
) -> Iterator[Record]:
    """Yield the rows; a text that is null stays so."""
    module_of("pyarrow", ".parquet", "arrow")
    file = handle.file if isinstance(handle, Source) else handle
    if file is None:
        file = io.BytesIO(whole(handle, MOST_STREAM))
    number, size = 0, file.seek(0, io.SEEK_END)
    try:
        with open_parquet(file) as opened:
            schema, rows = opened.schema_arrow, max(1, opened.metadata.num_rows)
        if len(set(schema.names)) < len(schema.names):
            raise UsageError("two columns have the same name: rename one.")
        columns = Columns.of(schema.names, files)
        if on_head is not None:
            on_head(columns.names)
        for table in read_tables(file, schema.names):
            for cells in zip(*map(values_of, table.columns), strict=True):
                number += 1
                share = size * number // rows - size * (number - 1) // rows
                yield from columns.records(number, share, list(cells), schema=schema)
    except TooLarge as error:
        raise UsageError(str(error)) from None


class ParquetWriter(TableWriter):
    """Row groups. Columns of a .parquet input keep their types; those of others become text."""

    def __init__(self, handle: IO[bytes], files: FileOptions) -> None:
        super().__init__(handle, files)
        self.pa = module_of("pyarrow", ".parquet", "arrow")
        self.rows: list[list[Any]] = []
        self.characters = 0
        self.source: Any = None  # the schema of the input
        self.schema: Any = None
        self.writer: Any = None

    def write(self, record: Record, *results: Sanitized) -> None:
        self.source = None if record.row is None else record.row.schema
        super().write(record, *results)

    def write_head(self, names: list[str]) -> None:
        """Decide on the types of the columns, without any metadata of the input."""
        if len(set(names)) < len(names):
            raise UsageError("two columns have the same name: rename one, or write another format.")
        text, kinds = self.pa.string(), dict[str, Any]()
        if self.source is not None:
            kinds = dict(zip(self.source.names, self.source.types, strict=True))
        # Nothing reads a view as text in one step.
        kinds = {
            name: text if kind == self.pa.string_view() else kind for name, kind in kinds.items()
        }
        self.schema = self.pa.schema([(name, kinds.get(name, text)) for name in names])

    def write_row(self, cells: list[Any]) -> None:
        if self.source is None:
            cells = [as_cell(cell) for cell in cells]
        self.rows.append(cells)
        self.characters += sum(len(cell) for cell in cells if isinstance(cell, str))
        if len(self.rows) >= GROUP_ROWS or self.characters >= GROUP_CHARACTERS:
            self._write_group()

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
            raise UsageError("a column that is kept holds what .parquet cannot.") from None
        if self.writer is None:
            self.writer = ArrowWriter(self.handle, self.schema)
            # One that is dropped half-way would write to a file that is closed.
            finalize(self, setattr, self.writer, "is_open", False)
        self.writer.write_table(self.pa.table(arrays, schema=self.schema))
        self.rows, self.characters = [], 0
