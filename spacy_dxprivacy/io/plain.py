"""Texts and lines of JSON: read and write .txt, .spacy and .jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import IO, Any

from spacy.tokens import DocBin

from ..config import FileOptions
from ..errors import DxError, Errors, UsageError
from .files.docbin import MOST_DOCBIN, BadPacked, read_docbin
from .files.limits import MOST_RECORD, TooLarge
from .record import (
    NOT_UNICODE,
    NOT_UTF8,
    TOO_LONG,
    OnHead,
    Record,
    checked_record,
    is_unicode,
    pruned,
    records_of,
)
from .source import Readable, decode, numbered_lines, whole
from .stream import Sanitized


class Writer:
    """Takes documents as they come, each with its record."""

    needs_docs = False  # otherwise it takes texts, all of a row at once

    def __init__(self, handle: IO[bytes], files: FileOptions) -> None:
        self.handle, self.files = handle, files

    def begin(self, names: list[str]) -> None:
        """Take the names of the columns, if the input has some before its records."""

    def write(self, record: Record, *results: Sanitized) -> None:
        """Write one document or one row, or raise DxError if the format cannot hold it."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write the end of the file."""


def module_of(name: str, what: str, extra: str) -> Any:
    """Import a module of an extra. Raise UsageError where it is missing."""
    try:
        return import_module(name)
    except ImportError:
        missing = {"what": what, "package": name.partition(".")[0], "extra": extra}
        raise UsageError(Errors.DX074.format(**missing)) from None


# -- texts -----------------------------------------------------------------------------------------


def read_text(handle: Readable, files: FileOptions, on_head: OnHead | None) -> Iterator[Record]:
    """Yield the one document of a .txt file."""
    raw = whole(handle, MOST_RECORD)
    if len(raw) > MOST_RECORD:
        yield Record(1, len(raw), problem=TOO_LONG)
    else:
        yield checked_record(1, len(raw), decode(raw), hint=NOT_UTF8)


def read_spacy(handle: Readable, files: FileOptions, on_head: OnHead | None) -> Iterator[Record]:
    """Yield tokens and blanks alone: all else in a .spacy file is a function of the plaintext."""
    number = 0
    try:
        raw = whole(handle, MOST_DOCBIN)
        docbin = read_docbin(raw)
        size = len(raw) // max(1, len(docbin))
        for number, (words, spaces) in enumerate(docbin.documents(), 1):
            if all(words):
                yield Record(number, size, words=words, spaces=spaces)
            else:  # an id of 0, which no tokenizer makes
                yield Record(number, size, problem="it has a word without characters.")
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except BadPacked:
        what = f"document {number + 1} of the .spacy file is damaged."
        raise UsageError(
            what if number else "the .spacy file is not a DocBin, or it is damaged."
        ) from None


class TextWriter(Writer):
    """The text of one document."""

    def write(self, record: Record, *results: Sanitized) -> None:
        self.handle.write(results[0].text.encode())


class SpacyWriter(Writer):
    """Documents with their receipts (doc._.dx), in memory until the end."""

    needs_docs = True

    def __init__(self, handle: IO[bytes], files: FileOptions) -> None:
        super().__init__(handle, files)
        self.docbin = DocBin(store_user_data=True)

    def write(self, record: Record, *results: Sanitized) -> None:
        if results[0].doc is None:
            raise DxError("A worker returned no document, which this format needs.")
        self.docbin.add(results[0].doc)

    def finish(self) -> None:
        self.handle.write(self.docbin.to_bytes())


# -- JSON ------------------------------------------------------------------------------------------


def read_jsonl(handle: Readable, files: FileOptions, on_head: OnHead | None) -> Iterator[Record]:
    """Yield the records of each line; blank ones do not count."""
    for number, raw, size in numbered_lines(handle):
        line, problem, hint, entry = decode(raw), "", "", None
        if not raw:
            problem = TOO_LONG
        elif not raw.strip():
            continue
        elif not is_unicode(line):
            problem, hint = NOT_UNICODE, NOT_UTF8
        else:
            entry, problem = _parsed_line(line)
        if problem:
            yield Record(number, size, problem=problem, hint=hint)
        else:
            yield from records_of(number, size, entry, files)


def _parsed_line(line: str) -> tuple[Any, str]:
    try:
        entry = parse(line)
    except TwiceError:
        return None, "it names a field twice."
    except ValueError:
        return None, "it is not valid JSON."
    return entry, "" if isinstance(entry, dict) else "it is not a JSON object."


class TwiceError(ValueError):
    """An object names a field twice: one of the two would be lost."""


def parse(text: str) -> Any:
    """Return a value of JSON. Raise TwiceError, and ValueError, also for too deep nesting."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise TwiceError
        return made

    try:
        return json.loads(text, object_pairs_hook=once)
    except RecursionError:
        raise ValueError("nested too deep") from None


class JsonlWriter(Writer):
    """A line of JSON for each record: its texts in their place, and what is kept."""

    def write(self, record: Record, *results: Sanitized) -> None:
        self.handle.write(as_json(written_object(record, results, self.files)) + b"\n")


def as_json(value: Any) -> bytes:
    """Return UTF-8, or ASCII if a kept field holds half of a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return json.dumps(value, default=str).encode()


# -- what is written of a record -------------------------------------------------------------------


def written(
    record: Record, results: Sequence[Sanitized], files: FileOptions
) -> tuple[list[str] | None, Any]:
    """Return the names and cells of a row, or None and a value of JSON, as they are written.

    The texts of the row are replaced in their place, and what is not kept is left out.
    """
    row = record.row
    if row is None:
        entry: Any = {files.field[0]: results[0].text, **record.kept}
    else:
        for (holder, place), result in zip(row.slots, results, strict=False):
            holder[place] = result.text
        if row.names is not None:
            pairs = carried_columns(row.names, row.entry, files)
            return [name for _, name in pairs], [cell for cell, _ in pairs]
        entry = row.entry
        if files.keep_fields is not None:
            entry = pruned(entry, (*files.field, *files.keep_fields))
    return None, entry


def carried_columns(
    names: list[str], cells: list[Any], files: FileOptions
) -> list[tuple[Any, str]]:
    """Return the cells that are written, each with the name of its column."""
    wanted = (*files.field, *(files.keep_fields or ()))
    return [
        (cell, name)
        for place, (name, cell) in enumerate(zip(names, cells, strict=True), 1)
        if files.keep_fields is None
        or name in wanted
        or (str(place) in wanted and str(place) not in names)
    ]


def written_object(record: Record, results: Sequence[Sanitized], files: FileOptions) -> Any:
    """Return what is written as JSON. Raise UsageError if two columns have one name."""
    names, entry = written(record, results, files)
    if names is None:
        return entry
    if len(set(names)) < len(names):
        raise UsageError("two columns have the same name: rename one, or write another format.")
    return dict(zip(names, entry, strict=True))
