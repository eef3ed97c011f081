"""The texts of a file, one record at a time. A record that cannot be read carries its problem in
place of its text; problems never quote what they are about."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import IO, Any

from spacy.strings import StringStore
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from .plan import UsageError

NOT_UNICODE = "its text is not valid Unicode (broken UTF-8, or half of a surrogate pair)."
# spaCy's tokenizer takes symbols off a word one by one and looks at the rest each time: a run of
# 16,000 takes a minute, one of a million takes days. Letters and digits in a run cost nothing.
LONGEST_RUN = 2000
LONGEST_FIELD = 2**31 - 1  # of .csv, in characters
NUL = "\ud800"  # stands for "\0", which csv refuses before Python 3.11; no UTF-8 decodes to it
BROKEN: list[str] = []  # stands for a row that is not valid CSV; compared by identity
TOO_LONG_RUN = f"it has a run of more than {LONGEST_RUN:,} symbols without white space."
_RUN = re.compile(rf"[^\w\s]{{{LONGEST_RUN + 1}}}")


@dataclass(frozen=True)
class Record:
    """One document to be sanitised.

    number: its place in the file, from 1; the number of the line for .jsonl and lines.
    size: the bytes of the file that it stands for. text: what to sanitise. spaces: where the
    document comes in tokens, whether a blank follows each of `words`. kept: other fields that go
    to the output as they are. ending: what ended the line. problem: why there is no text.
    """

    number: int
    size: int = 0
    text: str = field(default="", repr=False)
    words: list[str] | None = field(default=None, repr=False)
    spaces: list[bool] | None = field(default=None, repr=False)
    kept: dict[str, Any] = field(default_factory=dict, repr=False)
    ending: str = ""
    problem: str = ""

    @property
    def length(self) -> int:
        """In characters, roughly."""
        return len(self.text) + sum(len(word) + 1 for word in self.words or ())

    def for_pipe(self, vocab: Vocab) -> str | Doc:
        if self.words is None:
            return self.text
        return Doc(vocab, words=self.words, spaces=self.spaces)


@dataclass(frozen=True)
class Fields:
    """Of .jsonl and .csv: the field to sanitise, and others to keep. All else is dropped."""

    text: str = "text"
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.text in self.keep:
            raise UsageError(f"--keep-fields cannot keep {self.text!r}, the field to sanitise.")


Reader = Callable[[IO[bytes], Fields], Iterator[Record]]


def read(handle: IO[bytes], kind: str, fields: Fields) -> Iterator[Record]:
    """The records of a binary file of a kind that a Job names."""
    readers: dict[str, Reader] = {
        "txt": _read_text,
        "lines": _read_lines,
        "jsonl": _read_jsonl,
        "csv": _read_csv,
        "spacy": _read_docbin,
    }
    return readers[kind](handle, fields)


def _read_text(handle: IO[bytes], fields: Fields) -> Iterator[Record]:
    raw = handle.read()
    yield _record(1, len(raw), _decode(raw))


def _read_lines(handle: IO[bytes], fields: Fields) -> Iterator[Record]:
    for number, raw in enumerate(handle, 1):
        line = _decode(raw)
        text = line.rstrip("\r\n")
        yield _record(number, len(raw), text, ending=line[len(text) :])


def _read_jsonl(handle: IO[bytes], fields: Fields) -> Iterator[Record]:
    for number, raw in enumerate(handle, 1):
        if raw.strip():
            yield _from_json(number, raw, fields)


def _from_json(number: int, raw: bytes, fields: Fields) -> Record:
    try:
        entry = json.loads(_decode(raw))
    except (ValueError, RecursionError):
        return Record(number, len(raw), problem="it is not valid JSON.")
    if not isinstance(entry, dict):
        return Record(number, len(raw), problem="it is not a JSON object.")
    if fields.text not in entry:
        return Record(number, len(raw), problem=f"it has no field {fields.text!r}.")
    kept = {name: entry[name] for name in fields.keep if name in entry}
    return _record(number, len(raw), entry[fields.text], kept=kept)


def _read_csv(handle: IO[bytes], fields: Fields) -> Iterator[Record]:
    sizes = [0]
    csv.field_size_limit(LONGEST_FIELD)
    # strict: otherwise a stray quote makes csv.reader join fields and rows without a word.
    rows = csv.reader(_counted(handle, sizes), strict=True)
    columns, width = _columns(_next_row(rows), fields)
    for number in count(1):
        row = _next_row(rows)
        if row is None:
            return
        if row is BROKEN:
            yield Record(number, _taken(sizes), problem="it is not valid CSV.")
        elif row and len(row) != width:
            # Its fields are not where they should be: a kept one may hold a part of the text.
            why = f"it has another number of fields ({len(row)}) than the first row ({width})."
            yield Record(number, _taken(sizes), problem=why)
        elif row:
            kept = {name: row[columns[name]] for name in fields.keep}
            yield _record(number, _taken(sizes), row[columns[fields.text]], kept=kept)


def _next_row(rows: Iterator[list[str]]) -> list[str] | None:
    """The next row, BROKEN, or None at the end."""
    try:
        row = next(rows, None)
    except csv.Error:
        return BROKEN
    return None if row is None else [cell.replace(NUL, "\0") for cell in row]


def _columns(header: list[str] | None, fields: Fields) -> tuple[dict[str, int], int]:
    """The place of each wanted field, and how many fields there are. The header is not quoted in
    messages: a file without one has a document there."""
    header = header or []
    for name in (fields.text, *fields.keep):
        if header.count(name) != 1:
            found = "several columns" if name in header else "no column"
            raise UsageError(f"the first row of the .csv file has {found} {name!r}.")
    return {name: header.index(name) for name in (fields.text, *fields.keep)}, len(header)


def _counted(handle: IO[bytes], sizes: list[int]) -> Iterator[str]:
    for raw in handle:
        sizes[0] += len(raw)
        yield _decode(raw).replace("\0", NUL)


def _taken(sizes: list[int]) -> int:
    size, sizes[0] = sizes[0], 0
    return size


def _read_docbin(handle: IO[bytes], fields: Fields) -> Iterator[Record]:
    """Tokens and blanks alone. DocBin.get_docs would put every string on the vocabulary at once,
    and everything else that it brings is a function of the clear text."""
    raw = handle.read()
    try:
        docbin = DocBin().from_bytes(raw)
    except Exception:
        raise UsageError("the .spacy file is not a DocBin, or it is damaged.") from None
    strings = StringStore(docbin.strings)
    size = len(raw) // max(1, len(docbin))
    for i, tokens in enumerate(docbin.tokens):
        words = [strings[int(orth)] for orth in tokens[:, 0]]
        unknown = docbin.flags[i].get("has_unknown_spaces")
        spaces = [True] * len(words) if unknown else docbin.spaces[i].ravel().tolist()
        yield Record(i + 1, size, words=words, spaces=spaces)


def _decode(raw: bytes) -> str:
    """Bytes that are not UTF-8 become surrogates, which _record refuses where they matter."""
    return raw.decode("utf-8-sig", "surrogateescape")


def _record(number: int, size: int, text: Any, **others: Any) -> Record:
    if not isinstance(text, str):
        return Record(number, size, problem=f"its text is {_JSON_NAMES[type(text)]}, not a string.")
    try:
        text.encode()
    except UnicodeEncodeError:
        return Record(number, size, problem=NOT_UNICODE)
    if _RUN.search(text):
        return Record(number, size, problem=TOO_LONG_RUN)
    return Record(number, size, text, **others)


_JSON_NAMES = {
    type(None): "null", bool: "true or false", int: "a number", float: "a number", list: "a list",
    dict: "an object",
}  # fmt: skip


def chunks(records: Iterable[Record], *, characters: int, most: int) -> Iterator[list[Record]]:
    """Lists of at most `most` records, that end with the one that fills up `characters`."""
    some: list[Record] = []
    filled = 0
    for record in records:
        some.append(record)
        filled += record.length
        if filled >= characters or len(some) >= most:
            yield some
            some, filled = [], 0
    if some:
        yield some
