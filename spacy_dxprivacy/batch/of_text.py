"""Texts without fields: .txt, a text a line, and .spacy (documents in tokens)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from spacy.tokens import DocBin

from ..config import FileConfig
from ..errors import DxError, UsageError
from ..files.docbin import MOST_DOCBIN, BadPacked, read_docbin
from ..files.limits import MOST_RECORD, TooLarge
from .record import NOT_UNICODE, NOT_UTF8, TOO_LONG, OnHead, Record, checked_record
from .source import Readable, decode, numbered_lines, whole
from .stream import Sanitized
from .writing import Writer


def read_text(handle: Readable, files: FileConfig, on_head: OnHead | None) -> Iterator[Record]:
    """Yield the one document of a .txt file."""
    raw = whole(handle, MOST_RECORD)
    if len(raw) > MOST_RECORD:
        yield Record(1, len(raw), problem=TOO_LONG)
    else:
        yield _hinted(checked_record(1, len(raw), decode(raw)))


def read_lines(handle: Readable, files: FileConfig, on_head: OnHead | None) -> Iterator[Record]:
    """Yield a document a line."""
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


def read_spacy(handle: Readable, files: FileConfig, on_head: OnHead | None) -> Iterator[Record]:
    """Yield tokens and blanks alone: everything else that a .spacy file brings is a function of
    the plaintext."""
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
        if all(words):
            yield Record(number, size, words=words, spaces=spaces)
        else:  # an id of 0, which no tokenizer makes
            yield Record(number, size, problem="it has a word without characters.")


class TextWriter(Writer):
    """The text of one document."""

    def write(self, record: Record, *results: Sanitized) -> None:
        """Write the text as it is."""
        self.handle.write(results[0].text.encode())


class LinesWriter(Writer):
    """A document a line. Line breaks within a document become blanks."""

    def write(self, record: Record, *results: Sanitized) -> None:
        """Write the text as one line, with the ending that the line had."""
        for result in results:
            line = re.sub(r"[\r\n]+", " ", result.text)
            self.handle.write((line + (record.ending or "\n")).encode())


class SpacyWriter(Writer):
    """Documents with their receipts (doc._.dx), in memory until the end."""

    needs_docs = True

    def __init__(self, handle: IO[bytes], files: FileConfig) -> None:
        super().__init__(handle, files)
        self.docbin = DocBin(store_user_data=True)

    def write(self, record: Record, *results: Sanitized) -> None:
        """Keep the Doc for the end."""
        if results[0].doc is None:
            raise DxError("A worker sent no document, and this format needs it.")
        self.docbin.add(results[0].doc)

    def finish(self) -> None:
        """Write all Docs."""
        self.handle.write(self.docbin.to_bytes())
