"""All formats in one table: what a name says, who reads and writes it, and what stdin is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, NamedTuple

from ..config import FileOptions
from ..errors import UsageError
from . import parquet, pieces, plain, tables
from .plain import Writer
from .record import OnHead, Record
from .source import Readable, Source


class Format(NamedTuple):
    """How a kind of file is read and written."""

    read: Callable[[Readable, FileOptions, OnHead | None], Iterator[Record]]
    write: Callable[[IO[bytes], FileOptions], Writer]
    endings: tuple[str, ...] = ()  # of file names
    has_fields: bool = False  # beside the text
    is_binary: bool = False  # not decoded as text
    has_markup: bool = False  # it is written from a file of its own kind alone


def _with_markup(kind: str, endings: tuple[str, ...], is_binary: bool = False) -> Format:
    read, write = partial(pieces.read_pieces, kind), partial(pieces.PiecesWriter, kind)
    return Format(read, write, endings, False, is_binary, True)


FORMATS = {
    "txt": Format(plain.read_text, plain.TextWriter, (".txt",)),
    "jsonl": Format(plain.read_jsonl, plain.JsonlWriter, (".jsonl", ".ndjson"), True),
    "csv": Format(tables.read_csv, tables.CsvWriter, (".csv",), True),
    "tsv": Format(
        partial(tables.read_csv, delimiter="\t"),
        partial(tables.CsvWriter, delimiter="\t"),
        (".tsv",),
        True,
    ),
    "xlsx": Format(tables.read_xlsx, tables.XlsxWriter, (".xlsx",), True, True),
    "parquet": Format(parquet.read_parquet, parquet.ParquetWriter, (".parquet",), True, True),
    "spacy": Format(plain.read_spacy, plain.SpacyWriter, (".spacy",), False, True),
    "docx": _with_markup("docx", (".docx",), True),
    "html": _with_markup("html", (".html", ".htm")),
    "md": _with_markup("md", (".md",)),
    "eml": _with_markup("eml", (".eml",), True),
}
KINDS = {ending: name for name, form in FORMATS.items() for ending in form.endings}
WITH_FIELDS = {name for name, form in FORMATS.items() if form.has_fields}
GZIP = b"\x1f\x8b"
COMPRESSED = "compressed files are not read: `gunzip -c FILE.gz | dx sanitize - --format jsonl`."
ARRAY = "JSON arrays are not read: make a line of each item with `jq -c '.[]' FILE > FILE.jsonl`."
OBJECT = "JSON over several lines is not read: make a line of it with `jq -c . FILE > FILE.jsonl`."


def read(
    handle: Readable, kind: str, files: FileOptions, on_head: OnHead | None = None
) -> Iterator[Record]:
    """Return the records of a binary file, decoded; `kind` is a key of FORMATS.

    A record that cannot be read has a problem in the place of its text, which never quotes it.
    Raise UsageError if the file as a whole cannot be read so.
    """
    return FORMATS[kind].read(handle, files, on_head)


def guess(source: Source, files: FileOptions) -> str:
    """Return the format of stdin. Nothing is taken from the source.

    What is neither lines of JSON nor a table whose first row names the fields is a text: at worst a
    table is sanitised as a whole. Raise UsageError for JSON of another kind, and for what is no
    text.
    """
    head = source.peek(tables.has_line)
    if head.startswith(GZIP):
        raise UsageError(COMPRESSED)
    if head.startswith((b"PK\x03\x04", b"PAR1")) or b"\0" in head:
        raise UsageError(
            "it is not text: name a file as INPUT, or give its `format` (xlsx, docx, spacy)."
        )
    first = tables.first_line(head)
    if first[:1] == "{":
        if first == "{":
            raise UsageError(OBJECT)
        return "jsonl"
    if first == "[" or (first[:1] == "[" and first[1:].lstrip()[:1] in ("{", '"', "]", "[")):
        raise UsageError(ARRAY)
    delimiter = tables.delimiter_of(first, files)
    return "txt" if delimiter is None else tables.DELIMITERS.get(delimiter, "csv")
