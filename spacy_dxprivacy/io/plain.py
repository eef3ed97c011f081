"""Read and write .txt, .spacy and .jsonl; the base class of writers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from typing import IO, Any

from spacy.tokens import DocBin

from ..config import FileOptions
from ..errors import Errors, UsageError
from .fields import Fields, Header, OnHeader, fill_entry, row_record
from .files.docbin import MAX_DOCBIN, BadPacked, read_docbin
from .files.limits import MAX_RECORD, TooLarge, decode, numbered_lines, parse_json, read_all
from .records import (
    NOT_UNICODE,
    NOT_UTF8,
    TOO_LONG,
    Failed,
    Input,
    Record,
    Released,
    Tokens,
    is_unicode,
    make_record,
)


class Writer:
    """Base class: writes sanitised records one by one."""

    needs_docs = False  # whether results need Docs besides texts

    def __init__(self, handle: IO[bytes], files: FileOptions) -> None:
        self.handle, self.files = handle, files

    def begin(self, header: Header) -> None:
        """Receive the header of the input, before its first record, if it has a header."""

    def write(self, released: Released) -> None:
        """Write one record. Raise DxError if the format cannot represent it."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write the end of the file."""


def module_of(name: str, what: str, extra: str) -> Any:
    """Import a module of an optional dependency. Raise UsageError if it is missing."""
    try:
        return import_module(name)
    except ImportError:
        missing = {"what": what, "package": name.partition(".")[0], "extra": extra}
        raise UsageError(Errors.DX074.format(**missing)) from None


# -- texts -----------------------------------------------------------------------------------------


def read_text(handle: IO[bytes], files: FileOptions, on_header: OnHeader) -> Iterator[Input]:
    """Yield a .txt file as a single record."""
    raw = read_all(handle, MAX_RECORD)
    if len(raw) > MAX_RECORD:
        yield Failed(1, TOO_LONG, len(raw))
    else:
        yield make_record(1, len(raw), [decode(raw)], hint=NOT_UTF8)


def read_spacy(handle: IO[bytes], files: FileOptions, on_header: OnHeader) -> Iterator[Input]:
    """Yield words and spaces of a .spacy file. Annotations are dropped: they reveal the text."""
    number = 0
    try:
        raw = read_all(handle, MAX_DOCBIN)
        docbin = read_docbin(raw)
        size = len(raw) // max(1, len(docbin))
        for number, (words, spaces) in enumerate(docbin.documents(), 1):
            if all(words):
                yield Record(number, [Tokens(words, spaces)], size)
            else:  # an id of 0, which tokenizers never make
                yield Failed(number, "it has a word without characters.", size)
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except BadPacked:
        damaged = f"document {number + 1} of the .spacy file is damaged."
        raise UsageError(
            damaged if number else "the .spacy file is not a DocBin, or it is damaged."
        ) from None


class TextWriter(Writer):
    """Writes the text of a single document."""

    def write(self, released: Released) -> None:
        self.handle.write(released.texts[0].encode())


class SpacyWriter(Writer):
    """Writes Docs with their receipts (doc._.dx). They stay in memory until `finish`."""

    needs_docs = True

    def __init__(self, handle: IO[bytes], files: FileOptions) -> None:
        super().__init__(handle, files)
        self.docbin = DocBin(store_user_data=True)

    def write(self, released: Released) -> None:
        for doc in released.docs:
            self.docbin.add(doc)

    def finish(self) -> None:
        self.handle.write(self.docbin.to_bytes())


# -- JSON ------------------------------------------------------------------------------------------


def read_jsonl(handle: IO[bytes], files: FileOptions, on_header: OnHeader) -> Iterator[Input]:
    """Yield the record of each line, except blank lines."""
    fields = Fields.of(files)
    for number, raw, size in numbered_lines(handle):
        line = decode(raw)
        if not raw:
            yield Failed(number, TOO_LONG, size)
        elif not raw.strip():
            continue
        elif not is_unicode(line):
            yield Failed(number, NOT_UNICODE, size, NOT_UTF8)
        else:
            try:
                entry = parse_json(line)
            except ValueError:
                yield Failed(number, "it is not valid JSON.", size)
                continue
            if isinstance(entry, dict):
                yield row_record(number, size, entry, fields)
            else:
                yield Failed(number, "it is not a JSON object.", size)


class JsonlWriter(Writer):
    """Writes a line of JSON for each record: its sanitised texts and its kept fields."""

    def write(self, released: Released) -> None:
        self.handle.write(as_json(fill_entry(released, self.files)) + b"\n")


def as_json(value: Any) -> bytes:
    """Return JSON in UTF-8, or in ASCII if a kept field has half of a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return json.dumps(value, default=str).encode()
