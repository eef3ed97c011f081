"""What formats share: fields of rows, headers and writers; and the formats .txt, .spacy, .jsonl."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import IO, Any

from spacy.tokens import DocBin

from ..config.options import FileOptions
from ..entities.heads import are_surely_heads, head_of
from ..entities.words import is_plain
from ..errors import DxError, UsageError
from ..files.limits import (
    MAX_DOCBIN,
    MAX_RECORD,
    BadPacked,
    TooLarge,
    decode,
    numbered_lines,
    parse_json,
    read_all,
    read_docbin,
)
from ..surrogates.replacements import USER
from ..text.users import identity, is_nobody
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
from .values import as_text, as_value, blank_of, names_nobody

MAX_NAMES = 12  # shown in a receipt
# Names of columns. The first row of a file without column names may be text.
_WORD = re.compile(r"[^\W\d_a-z]?[^\W\d_A-Z]+|[^\W\d_a-z]+")  # also within camelCase
_LONG_NUMBER = re.compile(r"\d{5}")  # which may identify a person
_NAME = re.compile(r"[^\W\d][\w.:/()#%&+°'’-]*( [\w.:/()#%&+'’-]+){0,3}(\[\])?")
MAX_NAME_LENGTH = 40
MIN_DEPTH = 3  # steps of a path to a field that a receipt names
GENERIC_KEYS = frozenset({"value", "values", "full", "display", "raw", "formatted"})

Slot = tuple[Any, Any]  # a list or dict, and an index or key of it
Steps = tuple[str, ...]


@dataclass(frozen=True)
class Header:
    """The columns that a table keeps, and its layout.

    names: the columns to write. schema: of a .parquet file. delimiter, ending: of lines of .csv.
    formats: number formats of the columns of a sheet, by name. unread: numbers of what
    is not read of the file, by kind.
    """

    names: list[str] = field(default_factory=list)
    schema: Any = field(default=None, repr=False)
    delimiter: str = ""
    ending: str = ""
    formats: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, int] = field(default_factory=dict)


OnHeader = Callable[[Header], Any]  # called with the header of a table, before its first record


@dataclass(frozen=True)
class Fields:
    """Names of fields, or paths into JSON.

    kept: fields to write in plaintext; all if None. found: paths that an earlier record of the file
    had, which a later one may lack: a path that none has may be mistyped.
    """

    texts: tuple[str, ...]
    person: str | None
    kept: tuple[str, ...] | None
    found: set[str] = field(default_factory=set, compare=False, repr=False)

    @classmethod
    def of(cls, files: FileOptions) -> Fields:
        """Return the fields that the options name."""
        kept = None if files.keep_fields is None else tuple(files.keep_fields)
        return cls(files.field, files.person_field, kept)

    def in_columns(self, names: Sequence[str]) -> Fields:
        """Return these fields with column numbers (from 1) replaced by names.

        Raise UsageError if a column is missing, or if two columns have the same name.
        """
        if not all(map(is_unicode, names)):
            raise UsageError(f"its first row is not valid Unicode; {NOT_UTF8}")
        texts = tuple(_column(name, names) for name in self.texts)
        if len(set(texts)) < len(texts):
            raise UsageError("`field` names a column twice.")
        if len(set(names)) < len(names):
            raise UsageError("two columns have the same name: rename one.")
        kept = None if self.kept is None else tuple(_column(name, names) for name in self.kept)
        person = None if self.person is None else _column(self.person, names)
        return replace(self, texts=texts, kept=kept, person=person)

    def output_columns(self, names: Sequence[str]) -> list[str]:
        """Return the columns to write, in the order of `names`."""
        kept = names if self.kept is None else self.kept
        return [name for name in names if name in self.texts or name in kept]


def check_heads(files: FileOptions, names: Sequence[str]) -> None:
    """Raise UsageError if no option names a column and the first row may be a record, whose cells
    would be released as names."""
    person = () if files.person_field is None else (files.person_field,)
    asked = (*files.field, *(files.keep_fields or ()), *person)
    is_named = any(name in names and not name.isdigit() for name in asked)
    if not is_named and any(map(str.isdigit, asked)) and not are_surely_heads(names):
        raise UsageError(
            f"its columns are given by number, and its first row of {len(names)} cells may be a "
            "record. Add a row of names, or give the name of a column in full."
        )


def is_column(name: str, names: Sequence[str]) -> bool:
    """Return whether a first row has a column of this name or number (from 1)."""
    try:
        return bool(_column(name, names))
    except UsageError:
        return False


def _column(name: str, names: Sequence[str]) -> str:
    """Return the name of a column, given its name or number (from 1). Raise UsageError."""
    n, words = len(names), [name for name in names if not name.isdigit()]
    is_number, are_names = name.isascii() and name.isdigit(), not words or look_like_names(words)
    if name in names and (are_names or not is_number):
        return name
    spaced = [other for other in names if other.strip() == name]  # a blank behind the delimiter
    if len(spaced) == 1 and not is_number:
        return spaced[0]
    if is_number and are_names and 1 <= int(name) <= n:
        return names[int(name) - 1]
    # The first row of a file without column names is text, so no message shows it.
    help = f"it has {n} columns. Give the name of one in full, or its number from 1."
    if any("," in other for other in names):
        help += " A name with a comma stands in double quotes: --field '\"a, b\"'."
    if not words or not are_names:
        help = (
            f"it has {n} columns, and its first row does not look like names. Add a row of "
            "names, or give the name of the column in full."
        )
    raise UsageError(f"the first row has no column {name!r}; {help}")


@dataclass(frozen=True)
class Row:
    """The origin of a record: the entry to write, by field, and the slots of its texts."""

    entry: dict[str, Any] = field(repr=False)
    slots: list[Slot] = field(repr=False)
    fields: Fields

    def plaintext_fields(self) -> list[str]:
        """Return the fields that are written in plaintext: columns, or paths into JSON, but for
        those above sanitised ones, which are null or empty."""
        steps = [*map(split_path, self.fields.texts)]
        depth = max([MIN_DEPTH, *map(len, steps)])
        above = {step[:size] for step in steps for size in range(1, len(step))}
        return [
            name
            for name in field_paths(self.entry, depth=depth)
            if name not in self.fields.texts and split_path(name) not in above
        ]


def row_record(number: int, size: int, entry: dict[str, Any], fields: Fields) -> Input:
    """Return the record of a row. Nulls and values that name nobody stay; a row without any text
    gets an empty one."""
    wanted = (*fields.texts, *(fields.kept or ()))
    row, heads = Row(entry if fields.kept is None else prune(entry, wanted), [], fields), []
    for path in fields.texts:
        try:
            slots = find_slots(row.entry, path, is_optional=path in fields.found)
        except KeyError:
            return Failed(number, f"it has no field {path!r}.", size, _count_fields(entry))
        if slots and len(split_path(path)) > 1:
            fields.found.add(path)
        slots = [slot for slot in slots if not names_nobody(read_slot(slot))]
        row.slots.extend(slots)
        heads += [path if path in entry and head_of(path) else head_in(path)] * len(slots)
    texts = [as_text(read_slot(slot)) for slot in row.slots] or [""]
    make = partial(make_record, number, size, texts, origin=row, heads=heads or [""])
    if fields.person is None:
        return make()
    with suppress(KeyError, DxError):
        users = [read_slot(slot) for slot in find_slots(entry, fields.person)]
        if len(users) == 1 and not is_nobody(users[0]):
            return make(data={USER: identity(users[0])})
    return Failed(number, "it has no user.", size)


def fill_entry(released: Released, files: FileOptions) -> dict[str, Any]:
    """Return the entry to write for a record, with its sanitised texts filled in."""
    row = released.record.origin
    if not isinstance(row, Row):
        return {files.field[0]: released.texts[0]}
    for (holder, key), text in zip(row.slots, released.texts, strict=False):
        holder[key] = as_value(text if text.strip() else blank_of(holder[key]), holder[key])
    return row.entry


# -- paths into JSON -------------------------------------------------------------------------------


def split_path(path: str) -> Steps:
    """Return ("items", "[]", "text") for "items[].text"."""
    return tuple(re.findall(r"\[\]|[^.\[\]]+", path))


def head_in(path: str) -> str:
    """Return what names the values at a path: its last key, with the key above it where both say
    more: "author" for "items[].author", "phone home" for "phone.home", "first name" for
    "name.first", and "identifier" for "identifier[].value"."""
    steps = [step for step in split_path(path) if step != "[]"]
    if len(steps) < 2:
        return steps[0] if steps else path
    above, last = steps[-2:]
    whole, of_above = head_of(f"{last} {above}"), head_of(above)
    if whole is not None and whole.part in ("given", "family"):
        return f"{last} {above}"
    if last.lower() == "name" and of_above is not None and of_above.label in ("GPE", "ORG"):
        return above
    if head_of(f"{above} {last}") is not None:
        return f"{above} {last}"
    is_generic = last.lower() in GENERIC_KEYS and head_of(last) is None
    return above if is_generic and of_above is not None else last


def read_slot(slot: Slot) -> Any:
    """Return the value in a slot."""
    holder, key = slot
    return holder[key]


def find_slots(entry: Any, path: str, *, is_optional: bool = False) -> list[Slot]:
    """Return the slots at a path, and under the path as a key.

    Below null and an empty list there are none, nor below an object without the next key, if
    another has it.

    Args:
        entry: The record.
        path: The path, such as "items[].text".
        is_optional: Whether no object has to have the keys of the path.

    Raises:
        KeyError: If the entry lacks the path, or a value of another kind stands on it.
    """
    keyed = [(entry, path)] if isinstance(entry, dict) and path in entry else []
    steps = split_path(path)
    try:
        slots = _slots_at(entry, steps, is_optional)
    except KeyError:
        if keyed:
            return keyed
        raise
    return slots if steps == (path,) else keyed + slots


def _slots_at(entry: Any, steps: Steps, is_optional: bool) -> list[Slot]:
    if not steps:
        raise KeyError
    slots, values = list[Slot](), [entry]
    for step in steps:
        found = [_slots_below(value, step) for value in values if value is not None]
        if None in found and not (is_optional or any(found)):
            raise KeyError(step)
        slots = [slot for below in found for slot in below or ()]
        values = [read_slot(slot) for slot in slots]
    return slots


def _slots_below(value: Any, step: str) -> list[Slot] | None:
    """Return the slots at a step below a value; None if it is an object without this key."""
    if step == "[]" and isinstance(value, list):
        return [(value, index) for index in range(len(value))]
    if step == "[]" or not isinstance(value, dict):
        raise KeyError(step)
    return [(value, step)] if step in value else None


def prune(entry: Any, names: Sequence[str]) -> Any:
    """Return a copy of an entry with only the values at these names and paths."""
    fields = entry if isinstance(entry, dict) else {}
    return _prune(entry, [(name,) if name in fields else split_path(name) for name in names])


def _prune(value: Any, paths: list[Steps]) -> Any:
    if any(not path for path in paths):
        return value
    if isinstance(value, list):
        below = [path[1:] for path in paths if path[0] == "[]"]
        return [_prune(item, below) for item in value] if below else []
    if not isinstance(value, dict):
        return None
    heads = {path[0] for path in paths}
    return {
        key: _prune(item, [path[1:] for path in paths if path[0] == key])
        for key, item in value.items()
        if key in heads
    }


def field_paths(entry: Any, before: str = "", depth: int = MIN_DEPTH) -> list[str]:
    """Return the paths of all values in an entry: "id", "a.b", "items[].text"."""
    if isinstance(entry, list) and entry and depth:
        paths = (n for item in entry for n in field_paths(item, f"{before}[]", depth - 1))
        return [*dict.fromkeys(paths)]
    if isinstance(entry, dict) and entry and depth:
        start = f"{before}." if before else ""
        return [n for key in entry for n in field_paths(entry[key], f"{start}{key}", depth - 1)]
    return [before] if before else []


# -- names of fields: the first row of a table without column names is text, as keys may be --------


def _count_fields(entry: Any) -> str:
    """Return how many fields an entry has, for a message, which quotes none of them."""
    return f"the record has {len(field_paths(entry)) or 'no'} fields of other names."


def look_like_names(names: Sequence[str]) -> bool:
    """Return whether all strings look like column names. A known head may have a comma: Last,
    First."""
    return bool(names) and all(
        len(name) <= MAX_NAME_LENGTH
        and (_NAME.fullmatch(name) or ("," in name and head_of(name) is not None))
        for name in names
    )


def format_names(names: Sequence[str], named: Collection[str] = ()) -> str:
    """Return "note, id, date", with the names that a receipt may show, and a count of others.

    Args:
        names: Names of fields that are written in plaintext. They may be text: a row of data in
            place of a head, or keys such as the names of persons.
        named: Names of the settings, which are shown whatever their words are.
    """
    printable = [
        re.sub(r"\s", " ", name)
        for name in names
        if len(name) <= 3 * MAX_NAME_LENGTH
        and (name in named or all(map(_is_public, split_path(name))))
    ][:MAX_NAMES]
    listed, hidden = ", ".join(printable), len(names) - len(printable)
    if not hidden:
        return listed
    return f"{listed} and {hidden} more" if listed else f"{hidden} whose names are not shown"


def _is_public(step: str) -> bool:
    """Return whether a step of a path names a field by common words and short numbers."""
    words = [word for word in _WORD.findall(step) if len(word) > 2]
    is_name = step == "[]" or _NAME.fullmatch(step) is not None
    return is_name and not _LONG_NUMBER.search(step) and all(map(is_plain, words))


# -- writers ---------------------------------------------------------------------------------------


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


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """Return an archive of these files, without the time of its creation."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in parts.items():
            info = zipfile.ZipInfo(name)  # dated 1980
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return out.getvalue()


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
    """Return JSON in UTF-8, or in ASCII if an unmodified field has half of a surrogate pair. A
    number that was too large for a float still is."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    if "Infinity" in text:
        text = _INFINITE.sub(
            lambda match: match[0] if match[1] is None else f"{match[1]}1e999", text
        )
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, default=str).encode()


_INFINITE = re.compile(r'"(?:[^"\\]|\\.)*"|(-?)Infinity')  # outside of strings
