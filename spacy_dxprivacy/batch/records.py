"""The texts of a file, one record at a time. A record that cannot be read carries its problem in
place of its text; problems never quote what they are about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..files.docbin import MOST_DOCBIN, BadPacked, read_docbin
from ..files.limits import MOST_RECORD, TooLarge
from ..files.parquet import open_parquet, read_tables
from .fields import Fields
from .lines import Readable, decode, numbered_lines, whole
from .record import (
    NOT_UNICODE,
    NOT_UTF8,
    TOO_LONG,
    Look,
    Record,
    Row,
    checked_record,
    has,
    is_unicode,
    records_of,
    records_of_row,
)
from .tables import NUL, OnHead, read_csv, read_tsv, read_xlsx

__all__ = ["NUL", "Fields", "Record", "checked_record", "chunks", "read", "read_parquet"]

Reader = Callable[[Readable, Fields, "OnHead | None"], Iterator[Record]]


def read(
    handle: Readable, kind: str, fields: Fields, on_head: OnHead | None = None
) -> Iterator[Record]:
    """The records of a binary file of a kind that a Job names. on_head: called before the first
    record with the names of the columns and the look of the file, where these come first. Raises
    UsageError where the file as a whole cannot be read so."""
    return READERS[kind](handle, fields, on_head)


def _read_text(handle: Readable, fields: Fields, on_head: OnHead | None) -> Iterator[Record]:
    raw = whole(handle, MOST_RECORD)
    too_long = len(raw) > MOST_RECORD
    yield (
        Record(1, len(raw), problem=TOO_LONG)
        if too_long
        else _hinted(checked_record(1, len(raw), decode(raw)))
    )


def _read_lines(handle: Readable, fields: Fields, on_head: OnHead | None) -> Iterator[Record]:
    for number, raw, size in numbered_lines(handle):
        if not raw:
            yield Record(number, size, problem=TOO_LONG, ending="\n")
            continue
        record = _of_line(number, raw)
        del raw  # it may be long
        yield record


def _of_line(number: int, raw: bytes) -> Record:
    line = decode(raw)
    text = line.rstrip("\r\n")
    return _hinted(checked_record(number, len(raw), text, ending=line[len(text) :]))


def _hinted(record: Record) -> Record:
    if record.problem != NOT_UNICODE:
        return record
    return Record(record.number, record.size, problem=NOT_UNICODE, hint=NOT_UTF8)


# -- JSON ------------------------------------------------------------------------------------------


def _read_jsonl(handle: Readable, fields: Fields, on_head: OnHead | None) -> Iterator[Record]:
    for number, raw, size in numbered_lines(handle):
        if not raw:
            yield Record(number, size, problem=TOO_LONG)
        elif raw.strip():
            yield from _from_json(number, raw, fields)


def _from_json(number: int, raw: bytes, fields: Fields) -> list[Record]:
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
    return records_of(number, len(raw), entry, fields)


def _read_json(handle: Readable, fields: Fields, on_head: OnHead | None) -> Iterator[Record]:
    """A file that is an array of records, or one record."""
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
        yield from _of_entry(number, 0 if number > 1 else len(raw), entry, fields)


def _of_entry(number: int, size: int, entry: Any, fields: Fields) -> list[Record]:
    if isinstance(entry, str):
        holder = [entry]
        return records_of_row(number, size, Row(holder, [(holder, 0)], bare=True))
    if isinstance(entry, dict):
        return records_of(number, size, entry, fields)
    return [Record(number, size, problem="it is neither an object nor a string.", hint=has(entry))]


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
    """A value of JSON. Raises ValueError, also for what is nested so deep that Python gives up, and
    TwiceError."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise TwiceError
    return made


# -- other formats ---------------------------------------------------------------------------------


def read_parquet(path: Path, fields: Fields) -> Iterator[Record]:
    """The rows of a .parquet file that have a text; its kept columns have to be there. Raises
    UsageError where a column is not, TooLarge where it unpacks to too much."""
    keep = fields.keep or ()
    names = [fields.text, *keep]
    with open_parquet(path) as file:
        missing = [name for name in names if name not in file.schema_arrow.names]
    if missing:
        raise UsageError(f"{path}: has no column {missing[0]!r}.")
    number = 0
    for table in read_tables(path, names):
        for row in table.to_pylist():
            number += 1
            if row[fields.text] is not None:
                kept = {name: row[name] for name in keep}
                yield checked_record(number, 0, row[fields.text], kept=kept)


def _read_docbin(handle: Readable, fields: Fields, on_head: OnHead | None) -> Iterator[Record]:
    """Tokens and blanks alone: everything else that it brings is a function of the clear text."""
    try:
        raw = whole(handle, MOST_DOCBIN)
        docbin = read_docbin(raw)
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except BadPacked:
        raise UsageError("the .spacy file is not a DocBin, or it is damaged.") from None
    size = len(raw) // max(1, len(docbin))
    documents = docbin.documents()
    for number in range(1, len(docbin) + 1):
        try:
            words, spaces = next(documents)
        except BadPacked:
            raise UsageError(f"document {number} of the .spacy file is damaged.") from None
        yield _checked_words(Record(number, size, words=words, spaces=spaces))


def _checked_words(record: Record) -> Record:
    """An id of 0 is a word without characters, which no tokenizer makes."""
    if any(not word for word in record.words or ()):
        return Record(record.number, record.size, problem="it has a word without characters.")
    return record


READERS: dict[str, Reader] = {
    "txt": _read_text,
    "lines": _read_lines,
    "jsonl": _read_jsonl,
    "json": _read_json,
    "csv": read_csv,
    "tsv": read_tsv,
    "xlsx": read_xlsx,
    "spacy": _read_docbin,
}


def chunks(
    records: Iterable[Record],
    *,
    characters: int,
    most: int,
    ready: Callable[[], bool] | None = None,
) -> Iterator[list[Record]]:
    """Lists of at most `most` records, that end with the one that fills up `characters`, or with
    the last one that is `ready`: whoever sends line by line gets line by line."""
    some: list[Record] = []
    filled = 0
    for record in records:
        some.append(record)
        filled += record.length
        whole = record.part == record.parts - 1 or record.problem
        if filled >= characters or len(some) >= most or (whole and ready and not ready()):
            yield some
            some, filled = [], 0
    if some:
        yield some
