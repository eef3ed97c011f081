"""All formats in one table: what a name says, who reads and writes it, and what stdin is."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO

from ..config import FileConfig
from ..errors import UsageError
from . import of_json, of_tables, of_text
from .record import OnHead, Record, look_like_names
from .source import Readable, Source, decode
from .writing import Writer

Reader = Callable[[Readable, FileConfig, "OnHead | None"], Iterator[Record]]


@dataclass(frozen=True)
class Format:
    """endings: of file names. has_fields: beside the text. is_binary: it is not decoded as text."""

    read: Reader
    write: Callable[[IO[bytes], FileConfig], Writer]
    endings: tuple[str, ...] = ()
    has_fields: bool = False
    is_binary: bool = False


FORMATS = {
    "txt": Format(of_text.read_text, of_text.TextWriter, (".txt",)),
    "lines": Format(of_text.read_lines, of_text.LinesWriter),
    "jsonl": Format(of_json.read_jsonl, of_json.JsonlWriter, (".jsonl", ".ndjson"), True),
    "json": Format(of_json.read_json, of_json.JsonWriter, (".json",), True),
    "csv": Format(of_tables.read_csv, of_tables.CsvWriter, (".csv",), True),
    "tsv": Format(of_tables.read_tsv, of_tables.TsvWriter, (".tsv",), True),
    "xlsx": Format(of_tables.read_xlsx, of_tables.XlsxWriter, (".xlsx",), True, True),
    "spacy": Format(of_text.read_spacy, of_text.SpacyWriter, (".spacy",), False, True),
}
KINDS = {ending: name for name, form in FORMATS.items() for ending in form.endings}
WITH_FIELDS = {name for name, form in FORMATS.items() if form.has_fields}
ENOUGH = 2**16  # bytes that a format is guessed from
TABLES = {",": "csv", ";": "csv", "|": "csv", "\t": "tsv"}


def read(
    handle: Readable, kind: str, files: FileConfig, on_head: OnHead | None = None
) -> Iterator[Record]:
    """Return the records of a binary file of a kind that a Job names.

    A record that cannot be read carries its problem in place of its text; problems never quote
    what they are about.

    Args:
        handle: The file, decompressed and decoded.
        kind: A key of FORMATS.
        files: Which fields are read.
        on_head: Called before the first record with the names of the columns and the look of the
            file, where these come first.

    Raises:
        UsageError: The file as a whole cannot be read so.
    """
    return FORMATS[kind].read(handle, files, on_head)


# -- what stdin is ---------------------------------------------------------------------------------


def guess(source: Source, files: FileConfig) -> tuple[str, str | None]:
    """Return the format, and the delimiter of a table. Nothing is taken from the source.

    Raises UsageError where it is unclear: a text that is taken for a table would be broken, and a
    table that is taken for a text would be sanitised as a whole.
    """
    head = source.peek(_is_enough)
    if head.startswith(b"PK\x03\x04"):
        return "xlsx", None
    if head.startswith(b"PAR1"):
        raise UsageError("it is Parquet, which is read from a file: name it as INPUT.")
    if head[:1] == b"\x78" and b"\n" not in head[:2] and not _is_text(head):
        return "spacy", None
    text = decode(head)
    begin = text.lstrip()[:1]
    if begin == "{":
        return _of_object(text.lstrip()), None
    if begin == "[" and text.lstrip()[1:].lstrip()[:1] in ("{", '"', "]", "["):
        return "json", None
    return _of_table(text, files)


def _is_enough(head: bytes) -> bool:
    """The first line of JSON is enough, and two of anything else."""
    lines = head.count(b"\n")
    return len(head) >= ENOUGH or lines >= 2 or (lines == 1 and head.lstrip()[:1] == b"{")


def _is_text(head: bytes) -> bool:
    try:
        head[:-4].decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in head


def _of_object(text: str) -> str:
    line = text.splitlines()[0]
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        if '"' in line[1:].lstrip()[:1] or not line[1:].strip():
            return "json"
        raise UsageError(
            "it begins with { and is not JSON: is it a text? `format` says it (txt, jsonl, json)."
        ) from None
    return "jsonl"


def _of_table(text: str, files: FileConfig) -> tuple[str, str | None]:
    lines = text.splitlines()[:2]
    for between in [files.delimiter] if files.delimiter else TABLES:
        first, second = (_cells(line, between) for line in (*lines, "", "")[:2])
        if len(first) < 2 or not look_like_names([name.strip() for name in first]):
            continue
        kind = TABLES.get(between, "csv")
        named = all(name in first for name in files.field)
        if named or (files.delimiter and len(first) == len(second)):
            return kind, between
        if len(lines) == 2 and len(first) == len(second):
            raise UsageError(
                f"it may be {kind} or a text: `format` says it ({', '.join(FORMATS)}). As {kind} "
                f"it has: {', '.join(first)}."
            )
    return "txt", None


def _cells(line: str, between: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=between), [])
    except csv.Error:
        return []
