"""The texts of a file, one record at a time. A record that cannot be read carries its problem in
place of its text; problems never quote what they are about."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import IO, Any

from spacy.language import Language
from spacy.tokens import Doc

from ..doc.tokens import cuts_of, joined
from ..errors import UsageError
from ..files.docbin import MOST_DOCBIN, BadPacked, read_docbin
from ..files.limits import MB, MOST_RECORD, TooLarge, parse_json
from ..files.parquet import open_parquet, read_tables
from ..surrogates.standing import USER

NOT_UNICODE = "its text is not valid Unicode (broken UTF-8, or half of a surrogate pair)."
NUL = "\ud800"  # stands for "\0", which csv refuses before Python 3.11; no UTF-8 decodes to it
BROKEN: list[str] = []  # stands for a row that is not valid CSV; compared by identity
TOO_LONG = f"it is longer than {MOST_RECORD // MB} MB."


@dataclass(frozen=True)
class Record:
    """One document to be sanitised.

    number: its place in the file, from 1; the number of the line for .jsonl and lines.
    size: the bytes of the file that it stands for. text: what to sanitise. spaces: where the
    document comes in tokens, whether a blank follows each of `words`. kept: other fields that go
    to the output as they are. ending: what ended the line. problem: why there is no text.
    user: whose document it is, where a field says so.
    """

    number: int
    size: int = 0
    text: str = field(default="", repr=False)
    words: list[str] | None = field(default=None, repr=False)
    spaces: list[bool] | None = field(default=None, repr=False)
    kept: dict[str, Any] = field(default_factory=dict, repr=False)
    ending: str = ""
    problem: str = ""
    user: str = field(default="", repr=False)

    @property
    def length(self) -> int:
        """In characters, roughly."""
        return len(self.text) + sum(len(word) + 1 for word in self.words or ())

    def for_pipe(self, nlp: Language) -> str | Doc:
        """The text, or a Doc of its words where it has such, would take long to be cut, or has a
        user."""
        whole = self._whole(nlp)
        if not self.user:
            return whole
        doc = nlp.make_doc(whole) if isinstance(whole, str) else whole
        doc.user_data[USER] = self.user
        return doc

    def _whole(self, nlp: Language) -> str | Doc:
        if self.words is not None:
            return Doc(nlp.vocab, words=self.words, spaces=self.spaces)
        cuts = cuts_of(self.text) if len(self.text) <= nlp.max_length else []
        return joined(nlp, self.text, cuts) if cuts else self.text


@dataclass(frozen=True)
class Fields:
    """Of .jsonl and .csv: the field to sanitise, and others to keep. All else is dropped. user: the
    field that says whose document it is; a record without one fails."""

    text: str = "text"
    keep: tuple[str, ...] = ()
    user: str | None = None

    @property
    def wanted(self) -> tuple[str, ...]:
        """All that are read."""
        return (self.text, *self.keep, *(() if self.user is None else (self.user,)))

    def __post_init__(self) -> None:
        if self.text in self.keep:
            raise UsageError(f"`keep` cannot keep {self.text!r}, the field to sanitise.")


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
    raw = _whole(handle, MOST_RECORD)
    too_long = len(raw) > MOST_RECORD
    yield (
        Record(1, len(raw), problem=TOO_LONG)
        if too_long
        else checked_record(1, len(raw), _decode(raw))
    )


def _whole(handle: IO[bytes], most: int) -> bytes:
    """All of a file, or a little more than `most` bytes; read(most) would ask for them at once."""
    parts: list[bytes] = []
    size = 0
    while size <= most and (part := handle.read(MB)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _lines(handle: IO[bytes]) -> Iterator[tuple[int, bytes, int]]:
    """Number, bytes and size of each line; the bytes of one that is too long are not kept, nor
    ever in memory as a whole."""
    for number in count(1):
        raw = handle.readline(MOST_RECORD + 1)
        if not raw:
            return
        size, part = len(raw), raw
        while size > MOST_RECORD and part and not part.endswith(b"\n"):
            part = handle.readline(MB)
            size += len(part)
        yield number, raw if size <= MOST_RECORD else b"", size


def _read_lines(handle: IO[bytes], fields: Fields) -> Iterator[Record]:
    for number, raw, size in _lines(handle):
        if not raw:
            yield Record(number, size, problem=TOO_LONG, ending="\n")
            continue
        line = _decode(raw)
        text = line.rstrip("\r\n")
        yield checked_record(number, len(raw), text, ending=line[len(text) :])


def _read_jsonl(handle: IO[bytes], fields: Fields) -> Iterator[Record]:
    for number, raw, size in _lines(handle):
        if not raw:
            yield Record(number, size, problem=TOO_LONG)
        elif raw.strip():
            yield _from_json(number, raw, fields)


def _from_json(number: int, raw: bytes, fields: Fields) -> Record:
    try:
        entry = parse_json(_decode(raw))
    except ValueError:
        return Record(number, len(raw), problem="it is not valid JSON.")
    if not isinstance(entry, dict):
        return Record(number, len(raw), problem="it is not a JSON object.")
    if fields.text not in entry:
        return Record(number, len(raw), problem=f"it has no field {fields.text!r}.")
    kept = {name: entry[name] for name in fields.keep if name in entry}
    record = checked_record(number, len(raw), entry[fields.text], kept=kept)
    return record if fields.user is None else _of_user(record, entry.get(fields.user))


def _read_csv(handle: IO[bytes], fields: Fields) -> Iterator[Record]:
    sizes = [0]
    csv.field_size_limit(MOST_RECORD)
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
            record = checked_record(number, _taken(sizes), row[columns[fields.text]], kept=kept)
            user = None if fields.user is None else row[columns[fields.user]]
            yield record if fields.user is None else _of_user(record, user)


def _of_user(record: Record, user: Any) -> Record:
    """7, 7.0 and "7" are one user; whoever is none of a text and a whole number is refused."""
    if isinstance(user, float) and user.is_integer():
        user = int(user)
    if isinstance(user, int) and not isinstance(user, bool):
        user = str(user)
    if not isinstance(user, str) or not user.strip():
        return replace(record, text="", problem=record.problem or "it names no user.")
    return replace(record, user=user.strip())


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
    for name in fields.wanted:
        if header.count(name) != 1:
            found = "several columns" if name in header else "no column"
            raise UsageError(f"the first row of the .csv file has {found} {name!r}.")
    return {name: header.index(name) for name in fields.wanted}, len(header)


def _counted(handle: IO[bytes], sizes: list[int]) -> Iterator[str]:
    for _, raw, size in _lines(handle):
        sizes[0] += size
        # One that is too long is shown to csv as what it refuses: a quote within a field.
        yield _decode(raw or b'"x"x\n').replace("\0", NUL)


def _taken(sizes: list[int]) -> int:
    size, sizes[0] = sizes[0], 0
    return size


def read_parquet(path: Path, fields: Fields) -> Iterator[Record]:
    """The rows of a .parquet file that have a text; its kept columns have to be there. Raises
    UsageError where a column is not, TooLarge where it unpacks to too much."""
    names = [fields.text, *fields.keep]
    with open_parquet(path) as file:
        missing = [name for name in names if name not in file.schema_arrow.names]
    if missing:
        raise UsageError(f"{path}: has no column {missing[0]!r}.")
    number = 0
    for table in read_tables(path, names):
        for row in table.to_pylist():
            number += 1
            if row[fields.text] is not None:
                kept = {name: row[name] for name in fields.keep}
                yield checked_record(number, 0, row[fields.text], kept=kept)


def _read_docbin(handle: IO[bytes], fields: Fields) -> Iterator[Record]:
    """Tokens and blanks alone: everything else that it brings is a function of the clear text."""
    try:
        raw = _whole(handle, MOST_DOCBIN)
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


def _decode(raw: bytes) -> str:
    """Bytes that are not UTF-8 become surrogates: checked_record refuses them where they matter."""
    return raw.decode("utf-8-sig", "surrogateescape")


def checked_record(number: int, size: int, text: Any, **others: Any) -> Record:
    """A record with its text, or with the problem that keeps it from being sanitised."""
    if not isinstance(text, str):
        return Record(number, size, problem=f"its text is {_JSON_NAMES[type(text)]}, not a string.")
    try:
        text.encode()
    except UnicodeEncodeError:
        return Record(number, size, problem=NOT_UNICODE)
    if len(text) > MOST_RECORD:
        return Record(number, size, problem=TOO_LONG)
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
