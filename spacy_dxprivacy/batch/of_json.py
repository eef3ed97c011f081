"""JSON: an object a line (.jsonl), or a file that is an array of records or one record (.json)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from ..config import FileConfig
from ..errors import UsageError
from ..files.limits import MOST_RECORD
from .record import (
    NOT_UNICODE,
    NOT_UTF8,
    TOO_LONG,
    Look,
    OnHead,
    Record,
    Row,
    has,
    is_unicode,
    records_of,
    records_of_row,
)
from .source import Readable, decode, numbered_lines, whole
from .stream import Sanitized
from .writing import Writer, as_object, written


def read_jsonl(handle: Readable, files: FileConfig, on_head: OnHead | None) -> Iterator[Record]:
    """Yield the records of each line; blank ones do not count."""
    for number, raw, size in numbered_lines(handle):
        if not raw:
            yield Record(number, size, problem=TOO_LONG)
        elif raw.strip():
            yield from _from_json(number, raw, files)


def _from_json(number: int, raw: bytes, files: FileConfig) -> list[Record]:
    line = decode(raw)
    if not is_unicode(line):
        return [Record(number, len(raw), problem=NOT_UNICODE, hint=NOT_UTF8)]
    try:
        entry = parse(line)
    except TwiceError:
        return [Record(number, len(raw), problem="it names a field twice.")]
    except ValueError:
        return [Record(number, len(raw), problem="it is not valid JSON.")]
    if not isinstance(entry, dict):
        return [Record(number, len(raw), problem="it is not a JSON object.")]
    return records_of(number, len(raw), entry, files)


def read_json(handle: Readable, files: FileConfig, on_head: OnHead | None) -> Iterator[Record]:
    """Yield the records of a file that is an array of records, or one record."""
    raw = whole(handle, MOST_RECORD)
    if len(raw) > MOST_RECORD:
        raise UsageError(f"{TOO_LONG.rstrip('.')}: JSON a line (.jsonl) may be of any length.")
    text = decode(raw)
    if not is_unicode(text):
        raise UsageError(f"it is not valid Unicode; {NOT_UTF8}")
    value = _parsed_file(text)
    array = isinstance(value, list)
    if on_head is not None:
        on_head([], Look(indent=_indent(text), array=array))
    for number, entry in enumerate(value if array else [value], 1):
        size = 0 if number > 1 else len(raw)
        if isinstance(entry, str):
            holder = [entry]
            yield from records_of_row(number, size, Row(holder, [(holder, 0)], bare=True))
        elif isinstance(entry, dict):
            yield from records_of(number, size, entry, files)
        else:
            why = "it is neither an object nor a string."
            yield Record(number, size, problem=why, hint=has(entry))


def _parsed_file(text: str) -> Any:
    try:
        return parse(text)
    except TwiceError:
        raise UsageError("it is JSON in which an object names a field twice.") from None
    except json.JSONDecodeError as error:
        if not text.strip():
            raise UsageError("it is empty: JSON is an array, an object or a string.") from None
        if error.msg == "Extra data" and text.lstrip()[0] in "{[":
            raise UsageError("it holds several values of JSON: is its `format` jsonl?") from None
        where = f"line {error.lineno}, column {error.colno}"
        raise UsageError(f"it is not valid JSON from {where} on: was it cut?") from None
    except ValueError:
        raise UsageError("it is not valid JSON: it is nested too deep.") from None


def _indent(text: str) -> int | None:
    """How many blanks the first line is set in that is; None where all is in one line."""
    for line in text.splitlines()[1:50]:
        if line.strip():
            return len(line) - len(line.lstrip()) or None
    return None


class TwiceError(ValueError):
    """An object names a field twice: one of the two would be lost."""


def parse(text: str) -> Any:
    """Return a value of JSON. Raise ValueError, also for what is nested so deep that Python gives
    up, and TwiceError."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise TwiceError
    return made


class JsonlWriter(Writer):
    """A line of JSON for each record: its texts in their place, and what is kept."""

    by_row = True

    def write(self, record: Record, *results: Sanitized) -> None:
        """Write one line."""
        entry = as_object(*written(record, results, self.files))
        self.handle.write(as_json(entry) + b"\n")


class JsonWriter(Writer):
    """An array of records, or the one record that the input was."""

    by_row = True

    def __init__(self, handle: IO[bytes], files: FileConfig) -> None:
        super().__init__(handle, files)
        self.count = 0

    def write(self, record: Record, *results: Sanitized) -> None:
        """Write one record."""
        entry = as_object(*written(record, results, self.files))
        bare = record.row is not None and record.row.bare
        raw = as_json(results[0].text if bare else entry, self.look.indent)
        if self.look.array:
            self.handle.write(b",\n" if self.count else b"[\n")
        self.handle.write(raw)
        self.count += 1

    def finish(self) -> None:
        """Write the end of the array."""
        if not self.look.array:
            self.handle.write(b"\n")
        else:
            self.handle.write(b"\n]\n" if self.count else b"[]\n")


def as_json(value: Any, indent: int | None = None) -> bytes:
    """Return UTF-8, or ASCII where a kept field holds half of a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, default=str).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent, default=str).encode()
