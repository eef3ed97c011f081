"""Sanitized documents into a file of some kind."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from typing import IO, Any, Protocol

from spacy.tokens import DocBin

from ..errors import DxError
from .records import NUL, Fields, Record
from .stream import Sanitized


class Writer(Protocol):
    """Takes documents as they come, each with the record it was made of. Of the record it uses
    the kept fields and the end of the line alone. needs_docs: it does not do with texts."""

    needs_docs: bool

    def write(self, record: Record, result: Sanitized) -> None:
        """Writes one document."""
        ...

    def finish(self) -> None:
        """Writes what comes at the end of a file."""
        ...


class TextWriter:
    """The text of one document."""

    needs_docs = False

    def __init__(self, handle: IO[bytes], fields: Fields) -> None:
        self.handle = handle

    def write(self, record: Record, result: Sanitized) -> None:
        """Writes the text as it is."""
        self.handle.write(result.text.encode())

    def finish(self) -> None:
        """There is nothing at the end."""
        pass


class LinesWriter(TextWriter):
    """A document a line. Line breaks within a document become blanks."""

    def write(self, record: Record, result: Sanitized) -> None:
        """Writes the text as one line, with the ending that the line had."""
        self.handle.write((one_line(result.text) + (record.ending or "\n")).encode())


class JsonlWriter(TextWriter):
    """A line of JSON for each document: the text, and the fields that are kept."""

    def __init__(self, handle: IO[bytes], fields: Fields) -> None:
        super().__init__(handle, fields)
        self.name = fields.text

    def write(self, record: Record, result: Sanitized) -> None:
        """Writes one line."""
        entry = {self.name: result.text, **record.kept}
        try:
            line = json.dumps(entry, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # half of a surrogate pair, in a kept field
            line = json.dumps(entry).encode()
        self.handle.write(line + b"\n")


class CsvWriter:
    """A row for each document: the text, and the fields that are kept."""

    needs_docs = False

    def __init__(self, handle: IO[bytes], fields: Fields) -> None:
        self.names = (fields.text, *fields.keep)
        # Before Python 3.11, csv.writer refuses NUL where there is no character to escape with.
        # This one is never needed, as quotes are doubled, and is no character of a text.
        self.rows = csv.writer(_Encoded(handle), escapechar=NUL)
        self.rows.writerow(self.names)

    def write(self, record: Record, result: Sanitized) -> None:
        """Writes one row."""
        kept = (_cell(record.kept.get(name, "")) for name in self.names[1:])
        self.rows.writerow([result.text, *kept])

    def finish(self) -> None:
        """There is nothing at the end."""
        pass


class _Encoded:
    """What csv.writer writes to. A TextIOWrapper would close stdout when it goes."""

    def __init__(self, handle: IO[bytes]) -> None:
        self.handle = handle

    def write(self, text: str) -> int:
        return self.handle.write(text.encode("utf8", "replace"))


class DocBinWriter:
    """Documents with their receipts (doc._.dx), in memory until the end."""

    needs_docs = True

    def __init__(self, handle: IO[bytes], fields: Fields) -> None:
        self.handle = handle
        self.docbin = DocBin(store_user_data=True)

    def write(self, record: Record, result: Sanitized) -> None:
        """Keeps the Doc for the end."""
        if result.doc is None:
            raise DxError("A worker sent no document, and this format needs it.")
        self.docbin.add(result.doc)

    def finish(self) -> None:
        """Writes all Docs."""
        self.handle.write(self.docbin.to_bytes())


WRITERS: dict[str, Callable[[IO[bytes], Fields], Writer]] = {
    "txt": TextWriter,
    "lines": LinesWriter,
    "jsonl": JsonlWriter,
    "csv": CsvWriter,
    "spacy": DocBinWriter,
}


def one_line(text: str) -> str:
    """The text with a blank for each run of newlines."""
    return re.sub(r"[\r\n]+", " ", text)


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
