"""The format of an input whose name does not say it, from its first bytes."""

from __future__ import annotations

import csv
import json

from ..errors import UsageError
from .fields import Fields, look_like_names
from .lines import decode
from .source import Source

ENOUGH = 2**16
FORMATS = ("txt", "lines", "jsonl", "json", "csv", "tsv", "xlsx", "spacy")
TABLES = {",": "csv", ";": "csv", "|": "csv", "\t": "tsv"}


def guess(source: Source, fields: Fields, *, whole: bool = True) -> tuple[str, str | None]:
    """The format, and the delimiter of a table. Nothing is taken from the source.

    Raises UsageError where it is unclear: a text that is taken for a table would be broken, and a
    table that is taken for a text would be sanitised as a whole.
    """
    head = source.peek(_enough)
    if head.startswith(b"PK\x03\x04"):
        return "xlsx", None
    if head.startswith(b"PAR1"):
        raise UsageError("it is Parquet, which is read from a file: name it as INPUT.")
    if head[:1] == b"\x78" and b"\n" not in head[:2]:
        return ("spacy", None) if not _is_text(head) else _of_text(decode(head), fields)
    return _of_text(decode(head), fields)


def _enough(head: bytes) -> bool:
    """The first line of JSON is enough, and two of anything else."""
    lines = head.count(b"\n")
    return len(head) >= ENOUGH or lines >= 2 or (lines == 1 and head.lstrip()[:1] == b"{")


def _is_text(head: bytes) -> bool:
    try:
        head[:-4].decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in head


def _of_text(text: str, fields: Fields) -> tuple[str, str | None]:
    begin = text.lstrip()[:1]
    if begin == "{":
        return _of_object(text.lstrip()), None
    if begin == "[" and text.lstrip()[1:].lstrip()[:1] in ("{", '"', "]", "["):
        return "json", None
    return _of_table(text, fields)


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


def _of_table(text: str, fields: Fields) -> tuple[str, str | None]:
    lines = text.splitlines()[:2]
    for between in [fields.delimiter] if fields.delimiter else TABLES:
        first, second = (_cells(line, between) for line in (*lines, "", "")[:2])
        if len(first) < 2 or not look_like_names([name.strip() for name in first]):
            continue
        kind = TABLES.get(between, "csv")
        named = all(name in first for name in fields.texts)
        if named or (fields.delimiter and len(first) == len(second)):
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
