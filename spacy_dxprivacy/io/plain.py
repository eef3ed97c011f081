"""Texts and lines of JSON: read and write .txt, .spacy and .jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from typing import IO, Any

from spacy.tokens import DocBin

from ..config import FileOptions
from ..errors import Errors, UsageError
from .fields import Fields, Header, OnHeader, record_of, written
from .files.docbin import MOST_DOCBIN, BadPacked, read_docbin
from .files.limits import MOST_RECORD, TooLarge, parse_json
from .records import (
    NOT_UNICODE,
    NOT_UTF8,
    TOO_LONG,
    Failed,
    Input,
    Record,
    Released,
    Tokens,
    checked,
    is_unicode,
)
from .source import decode, numbered_lines, whole


class Writer:
    """Takes sanitised records as they come."""

    needs_docs = False  # texts are enough

    def __init__(self, handle: IO[bytes], files: FileOptions) -> None:
        self.handle, self.files = handle, files

    def begin(self, header: Header) -> None:
        """Take the header of the input, if it has one before its records."""

    def write(self, released: Released) -> None:
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


def read_text(handle: IO[bytes], files: FileOptions, on_header: OnHeader) -> Iterator[Input]:
    """Yield the one document of a .txt file."""
    raw = whole(handle, MOST_RECORD)
    if len(raw) > MOST_RECORD:
        yield Failed(1, TOO_LONG, len(raw))
    else:
        yield checked(1, len(raw), [decode(raw)], hint=NOT_UTF8)


def read_spacy(handle: IO[bytes], files: FileOptions, on_header: OnHeader) -> Iterator[Input]:
    """Yield tokens and blanks alone: all else in a .spacy file is a function of the plaintext."""
    number = 0
    try:
        raw = whole(handle, MOST_DOCBIN)
        docbin = read_docbin(raw)
        size = len(raw) // max(1, len(docbin))
        for number, (words, spaces) in enumerate(docbin.documents(), 1):
            if all(words):
                yield Record(number, [Tokens(words, spaces)], size)
            else:  # an id of 0, which no tokenizer makes
                yield Failed(number, "it has a word without characters.", size)
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except BadPacked:
        damaged = f"document {number + 1} of the .spacy file is damaged."
        raise UsageError(
            damaged if number else "the .spacy file is not a DocBin, or it is damaged."
        ) from None


class TextWriter(Writer):
    """The text of one document."""

    def write(self, released: Released) -> None:
        self.handle.write(released.texts[0].encode())


class SpacyWriter(Writer):
    """Documents with their receipts (doc._.dx), in memory until the end."""

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
    """Yield the record of each line; blank ones do not count."""
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
                yield record_of(number, size, entry, fields)
            else:
                yield Failed(number, "it is not a JSON object.", size)


class JsonlWriter(Writer):
    """A line of JSON for each record: its texts in their place, and what is kept."""

    def write(self, released: Released) -> None:
        self.handle.write(as_json(written(released, self.files)) + b"\n")


def as_json(value: Any) -> bytes:
    """Return UTF-8, or ASCII if a kept field holds half of a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return json.dumps(value, default=str).encode()
