"""One document to be sanitised, the row of the file that it stands in, and paths into rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import filter_spans

from ..config import FileOptions
from ..entities.surrogates.replacements import CALLER, USER
from ..errors import DxError
from ..text.language import LANGUAGE
from ..text.layout import MARKS
from ..text.tokens import cuts_of, joined
from ..text.users import identity, is_nobody
from .files.limits import MB, MOST_RECORD

NOT_UNICODE = "its text is not valid Unicode (broken UTF-8, or half of a surrogate pair)."
NOT_UTF8 = "if it is not UTF-8, convert it first, as `iconv -f latin1 -t utf8` does."
TOO_LONG = f"it is longer than {MOST_RECORD // MB} MB."
MOST_NAMES = 12  # that a message shows
# What a column may be called. The first row of a file without names is a text, and is not shown.
_NAME = re.compile(r"[^\W\d][\w.:/()#%&+-]*( [\w.:/()#%&+-]+){0,2}(\[\])?")
LONGEST_NAME = 40

Slot = tuple[Any, Any]  # a list or a dict, and the index or key of a text in it
Steps = tuple[str, ...]
OnHead = Callable[[list[str]], Any]  # takes the column names of a table, before its records


@dataclass(frozen=True)
class Row:
    """What a record was read from."""

    entry: Any = field(repr=False)  # a value of JSON, or the cells of a table
    slots: list[Slot] = field(repr=False)  # where its texts are
    names: list[str] | None = field(default=None, repr=False)  # of the columns of a table
    schema: Any = field(default=None, repr=False)  # of a .parquet file


@dataclass(frozen=True)
class Record:
    """One document to be sanitised: its text or tokens, or the problem that it has."""

    number: int  # its place in the file, from 1
    size: int = 0  # bytes of the file that it stands for
    text: str = field(default="", repr=False)
    words: list[str] | None = field(default=None, repr=False)  # tokens, in the place of `text`
    spaces: list[bool] | None = field(default=None, repr=False)  # whether a blank follows each
    kept: dict[str, Any] = field(default_factory=dict, repr=False)  # fields named to be kept
    ending: str = ""  # what ended the line
    problem: str = ""
    hint: str = ""  # what helps if all records have this problem
    row: Row | None = field(default=None, repr=False)
    part: int = 0  # which of the texts of its row this is
    user: str = field(default="", repr=False)  # whose document it is
    caller: str = field(default="", repr=False)  # of the service
    pieces: Any = field(default=None, repr=False)  # what the text was made of, see pieces.Pieces
    # Where its pieces begin and end, and which of them are names or addresses.
    marks: Sequence[int] = field(default=(), repr=False)
    known: Sequence[tuple[int, int, str]] = field(default=(), repr=False)
    language: str = field(default="", repr=False)  # of its file, where it is known

    @property
    def key(self) -> tuple[int, int]:
        """No other record of the file has it."""
        return self.number, self.part

    @property
    def is_last(self) -> bool:
        """Whether it is the last record of its row."""
        return self.row is None or self.part >= len(self.row.slots) - 1

    @property
    def length(self) -> int:
        """In characters, roughly."""
        return len(self.text) + sum(len(word) + 1 for word in self.words or ())

    def for_pipe(self, nlp: Language) -> str | Doc:
        """Return the text; or a Doc of its words, of what would take long to cut, or with what is
        known of it: a user, a language."""
        given: str | Doc = self.text
        if self.words is not None:
            given = Doc(nlp.vocab, words=self.words, spaces=self.spaces)
        elif len(self.text) <= nlp.max_length and (cuts := cuts_of(self.text)):
            given = joined(nlp, self.text, cuts)
        pairs = (
            (USER, self.user),
            (CALLER, self.caller),
            (LANGUAGE, self.language),
            (MARKS, list(self.marks)),
        )
        data = {name: value for name, value in pairs if value}
        if not data:
            return given
        doc = nlp.make_doc(given) if isinstance(given, str) else given
        doc.user_data.update(data)
        if self.known and any("doc.ents" in nlp.get_pipe_meta(p).assigns for p in nlp.pipe_names):
            found = (doc.char_span(*one, alignment_mode="expand") for one in self.known)
            doc.set_ents(filter_spans(filter(None, found)), default="missing")
        return doc


def checked_record(number: int, size: int, text: Any, hint: str = "", **others: Any) -> Record:
    """Return a record with its text, or with its problem; the hint is for text that is none."""
    if not isinstance(text, str):
        name = _JSON_NAMES.get(type(text), "another kind of value")
        return Record(number, size, problem=f"its text is {name}, not a string.")
    if not is_unicode(text):
        return Record(number, size, problem=NOT_UNICODE, hint=hint)
    if len(text) > MOST_RECORD:
        return Record(number, size, problem=TOO_LONG)
    return Record(number, size, text, **others)


_JSON_NAMES = {
    type(None): "null", bool: "true or false", int: "a number", float: "a number", list: "a list",
    dict: "an object",
}  # fmt: skip


def is_unicode(text: str) -> bool:
    """Return whether it can be written: bytes that were not UTF-8 have become surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def records_of(number: int, size: int, entry: Any, files: FileOptions) -> list[Record]:
    """Return the records of an object of JSON, one a text; or one with the problem that it has."""
    slots: list[Slot] = []
    for path in files.field:
        try:
            slots += slots_of(entry, path)
        except KeyError:
            return [Record(number, size, problem=f"it has no field {path!r}.", hint=has(entry))]
    kept = {name: entry[name] for name in files.keep_fields or () if name in entry}
    records = records_of_row(number, size, Row(entry, slots), kept=kept)
    if files.person_field is None:
        return records
    try:
        persons = [holder[place] for holder, place in slots_of(entry, files.person_field)]
    except KeyError:
        persons = []
    return of_user(records, persons[0] if len(persons) == 1 else None)


def of_user(records: list[Record], user: Any) -> list[Record]:
    """Return the records of a row, of this user, as `text.users.identity` names it.

    What names no user is a problem of the row.
    """
    with suppress(DxError):
        if not is_nobody(user):
            return [replace(record, user=identity(user)) for record in records]
    first = records[0]
    why = first.problem or "it has no user."
    return [Record(first.number, first.size, problem=why, hint=first.hint)]


def records_of_row(number: int, size: int, row: Row, **others: Any) -> list[Record]:
    """Return the records of a row, one a text; one without text if it has none."""
    texts = [holder[place] for holder, place in row.slots] or [""]
    records = [
        checked_record(number, 0 if part else size, text, row=row, part=part, **others)
        for part, text in enumerate(texts)
    ]
    bad = next((record for record in records if record.problem), None)
    return records if bad is None else [Record(number, size, problem=bad.problem, hint=bad.hint)]


def chunks(
    records: Iterable[Record],
    *,
    characters: int,
    most: int,
    ready: Callable[[], bool] | None = None,
) -> Iterator[list[Record]]:
    """Yield lists of at most `most` records.

    A list ends with the record that fills up `characters`, or with the last one that is `ready`:
    whoever sends line by line gets line by line.
    """
    group: list[Record] = []
    filled = 0
    for record in records:
        group.append(record)
        filled += record.length
        row_ends = record.is_last or record.problem
        if filled >= characters or len(group) >= most or (row_ends and ready and not ready()):
            yield group
            group, filled = [], 0
    if group:
        yield group


# -- paths into JSON -------------------------------------------------------------------------------


def steps(path: str) -> Steps:
    """Return ("items", "[]", "text") for "items[].text"."""
    return tuple(re.findall(r"\[\]|[^.\[\]]+", path))


def slots_of(entry: Any, path: str) -> list[Slot]:
    """Return the slots that a path leads to. Raise KeyError if it leads nowhere."""
    if isinstance(entry, dict) and path in entry:
        return [(entry, path)]
    if not steps(path):
        raise KeyError(path)
    slots, values = list[Slot](), [entry]
    for step in steps(path):
        slots = []
        for value in values:
            if step == "[]" and isinstance(value, list):
                slots += [(value, place) for place in range(len(value))]
            elif isinstance(value, dict) and step in value:
                slots.append((value, step))
            else:
                raise KeyError(step)
        values = [holder[place] for holder, place in slots]
    return slots


def pruned(entry: Any, names: Sequence[str]) -> Any:
    """Return what names and paths lead to, and nothing beside it."""
    fields = entry if isinstance(entry, dict) else {}
    return _pruned(entry, [(name,) if name in fields else steps(name) for name in names])


def _pruned(value: Any, paths: list[Steps]) -> Any:
    if any(not path for path in paths):
        return value
    if isinstance(value, list):
        below = [path[1:] for path in paths if path[0] == "[]"]
        return [_pruned(item, below) for item in value] if below else []
    if not isinstance(value, dict):
        return None
    heads = {path[0] for path in paths}
    return {
        key: _pruned(item, [path[1:] for path in paths if path[0] == key])
        for key, item in value.items()
        if key in heads
    }


def names_of(entry: Any, before: str = "", depth: int = 3) -> list[str]:
    """Return the paths to all that a value holds: "id", "a.b", "items[].text"."""
    if isinstance(entry, list) and entry and depth:
        return names_of(entry[0], f"{before}[]", depth - 1)
    if isinstance(entry, dict) and entry and depth:
        start = f"{before}." if before else ""
        return [n for key in entry for n in names_of(entry[key], f"{start}{key}", depth - 1)]
    return [before] if before else []


def fields_of(record: Record) -> list[str]:
    """Return the fields of a record: columns, or paths into JSON."""
    return [] if record.row is None else record.row.names or names_of(record.row.entry)


# -- names in messages: a first row without names holds texts --------------------------------------


def has(entry: Any) -> str:
    """Return "the file has: note, id, date."."""
    return f"the file has: {shown(names_of(entry)) or 'no field'}."


def look_like_names(names: Sequence[str]) -> bool:
    """Return whether all of them can be shown."""
    return bool(names) and all(len(n) <= LONGEST_NAME and _NAME.fullmatch(n) for n in names)


def shown(names: Sequence[str]) -> str:
    """Return "note, id, date", of those that look like names."""
    good = [
        re.sub(r"\s", " ", name)
        for name in names
        if len(name) <= 3 * LONGEST_NAME
        and all(_NAME.fullmatch(step) for step in steps(name) if step != "[]")
    ]
    rest = len(names) - len(good[:MOST_NAMES])
    listed = ", ".join(good[:MOST_NAMES])
    if not rest:
        return listed
    return f"{listed} and {rest} more" if listed else f"{rest} whose names are not shown"
