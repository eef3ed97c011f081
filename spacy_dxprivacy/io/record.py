"""One document to be sanitised, the row of the file that it stands in, and paths into rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..config import FileConfig
from ..entities.surrogates.standing import CALLER, USER
from ..text.tokens import cuts_of, joined
from .files.limits import MB, MOST_RECORD

NOT_UNICODE = "its text is not valid Unicode (broken UTF-8, or half of a surrogate pair)."
NOT_UTF8 = "where it is not UTF-8, `encoding` names what it is, such as latin-1, cp1252 or utf-16."
TOO_LONG = f"it is longer than {MOST_RECORD // MB} MB."
MOST_NAMES = 12  # that a message shows
# What a column may be called. The first row of a file without names is a text, and is not shown.
_NAME = re.compile(r"[^\W\d][\w.:/()#%&+-]*( [\w.:/()#%&+-]+){0,2}(\[\])?")
LONGEST_NAME = 40

Slot = tuple[Any, Any]  # a list or a dict, and where in it a text is
Steps = tuple[str, ...]
# Takes the names of the columns, where the input has some before its records.
OnHead = Callable[[list[str]], Any]


@dataclass(frozen=True)
class Row:
    """What a record was read from: all of it, the texts among it.

    entry: a value of JSON, or the list of the cells of a table. slots: where its texts are. names:
    of the columns of a table. bare: the entry is a list of one, which stands for what is in it.
    alone: it is all of a file of JSON.
    """

    entry: Any = field(repr=False)
    slots: list[Slot] = field(repr=False)
    names: list[str] | None = field(default=None, repr=False)
    bare: bool = False
    alone: bool = False


@dataclass(frozen=True)
class Record:
    """One document to be sanitised.

    number: its place in the file, from 1. size: the bytes of the file that it stands for. text:
    what to sanitise. spaces: where the document comes in tokens, whether a blank follows each of
    `words`. kept: fields that are written unmodified, where these are named. ending: what ended
    the line. problem: why there is no text; hint: what helps where it is the first record. row:
    what it was read from; part: which of its texts this is, from 0. user: whose document it is,
    where a field says so. caller: of the service.
    """

    number: int
    size: int = 0
    text: str = field(default="", repr=False)
    words: list[str] | None = field(default=None, repr=False)
    spaces: list[bool] | None = field(default=None, repr=False)
    kept: dict[str, Any] = field(default_factory=dict, repr=False)
    ending: str = ""
    problem: str = ""
    hint: str = ""
    row: Row | None = field(default=None, repr=False)
    part: int = 0
    user: str = field(default="", repr=False)
    caller: str = field(default="", repr=False)

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
        """Return the text, or a Doc of its words where it has such, would take long to be cut, or
        is of somebody."""
        whole: str | Doc = self.text
        if self.words is not None:
            whole = Doc(nlp.vocab, words=self.words, spaces=self.spaces)
        elif len(self.text) <= nlp.max_length and (cuts := cuts_of(self.text)):
            whole = joined(nlp, self.text, cuts)
        of = {name: who for name, who in ((USER, self.user), (CALLER, self.caller)) if who}
        if not of:
            return whole
        doc = nlp.make_doc(whole) if isinstance(whole, str) else whole
        doc.user_data.update(of)
        return doc


def checked_record(number: int, size: int, text: Any, **others: Any) -> Record:
    """Return a record with its text, or with the problem that keeps it from being sanitised."""
    if not isinstance(text, str):
        name = _JSON_NAMES.get(type(text), "another kind of value")
        return Record(number, size, problem=f"its text is {name}, not a string.")
    if not is_unicode(text):
        return Record(number, size, problem=NOT_UNICODE)
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


def records_of(
    number: int, size: int, entry: Any, files: FileConfig, alone: bool = False
) -> list[Record]:
    """Return the records of an object of JSON, one a text; or one with the problem that it has."""
    slots: list[Slot] = []
    for path in files.field:
        try:
            slots += slots_of(entry, path)
        except KeyError:
            return [Record(number, size, problem=f"it has no field {path!r}.", hint=has(entry))]
    if files.receipt_field and isinstance(entry, dict) and files.receipt_field in entry:
        why = f"it has a field {files.receipt_field!r} already, where the receipt should go."
        return [Record(number, size, problem=why, hint=has(entry))]
    kept = {name: entry[name] for name in files.keep_fields or () if name in entry}
    found = records_of_row(number, size, Row(entry, slots, alone=alone), kept=kept)
    if files.person_field is None:
        return found
    try:
        persons = [holder[place] for holder, place in slots_of(entry, files.person_field)]
    except KeyError:
        persons = []
    return of_user(found, persons[0] if len(persons) == 1 else None)


def of_user(records: list[Record], user: Any) -> list[Record]:
    """Return the records of a row, of this user. 7, 7.0 and "7" are one; whoever is none of a text
    and a whole number is refused."""
    if isinstance(user, float) and user.is_integer():
        user = int(user)
    if isinstance(user, int) and not isinstance(user, bool):
        user = str(user)
    if isinstance(user, str) and user.strip():
        return [replace(record, user=user.strip()) for record in records]
    first = records[0]
    why = first.problem or "it names no user."
    return [Record(first.number, first.size, problem=why, hint=first.hint)]


def records_of_row(number: int, size: int, row: Row, **others: Any) -> list[Record]:
    """Return the records of a row, one a text; one without text where it has none."""
    texts = [holder[place] for holder, place in row.slots] or [""]
    found = [
        checked_record(number, 0 if part else size, text, row=row, part=part, **others)
        for part, text in enumerate(texts)
    ]
    bad = next((record for record in found if record.problem), None)
    return found if bad is None else [Record(number, size, problem=bad.problem, hint=bad.hint)]


def chunks(
    records: Iterable[Record],
    *,
    characters: int,
    most: int,
    ready: Callable[[], bool] | None = None,
) -> Iterator[list[Record]]:
    """Yield lists of at most `most` records, that end with the one that fills up `characters`, or
    with the last one that is `ready`: whoever sends line by line gets line by line."""
    some: list[Record] = []
    filled = 0
    for record in records:
        some.append(record)
        filled += record.length
        whole = record.is_last or record.problem
        if filled >= characters or len(some) >= most or (whole and ready and not ready()):
            yield some
            some, filled = [], 0
    if some:
        yield some


# -- paths into JSON -------------------------------------------------------------------------------


def steps(path: str) -> Steps:
    """Return ("items", "[]", "text") for "items[].text"."""
    return tuple(re.findall(r"\[\]|[^.\[\]]+", path))


def slots_of(entry: Any, path: str) -> list[Slot]:
    """Return where the texts are that a path leads to. Raise KeyError where it leads nowhere."""
    if isinstance(entry, dict) and path in entry:
        return [(entry, path)]
    found = steps(path)
    if not found:
        raise KeyError(path)
    return list(_slots(entry, found))


def _slots(value: Any, path: Steps) -> Iterator[Slot]:
    head, rest = path[0], path[1:]
    if head == "[]" and isinstance(value, list):
        keys: Iterable[Any] = range(len(value))
    elif isinstance(value, dict) and head in value:
        keys = [head]
    else:
        raise KeyError(head)
    for key in keys:
        if rest:
            yield from _slots(value[key], rest)
        else:
            yield value, key


def pruned(entry: Any, names: Sequence[str]) -> Any:
    """Return what names and paths lead to, and nothing beside it."""
    whole = entry if isinstance(entry, dict) else {}
    return _pruned(entry, [(name,) if name in whole else steps(name) for name in names])


def _pruned(value: Any, paths: list[Steps]) -> Any:
    if any(not path for path in paths):
        return value
    if isinstance(value, list):
        below = [path[1:] for path in paths if path[0] == "[]"]
        return [_pruned(one, below) for one in value] if below else []
    if not isinstance(value, dict):
        return None
    heads = {path[0] for path in paths}
    return {
        key: _pruned(one, [path[1:] for path in paths if path[0] == key])
        for key, one in value.items()
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


# -- names in messages: a first row without names holds texts --------------------------------------


def has(entry: Any) -> str:
    """Return "the file has: note, id, date."."""
    return f"the file has: {shown(names_of(entry)) or 'no field'}."


def look_like_names(names: Sequence[str]) -> bool:
    """Return whether all of them can be shown."""
    return bool(names) and all(len(n) <= LONGEST_NAME and _NAME.fullmatch(n) for n in names)


def shown(names: Sequence[str]) -> str:
    """Return "note, id, date", of those that look like names."""
    good = [re.sub(r"\s", " ", n) for n in names if _is_path(n)]
    rest = len(names) - len(good[:MOST_NAMES])
    listed = ", ".join(good[:MOST_NAMES])
    if not rest:
        return listed
    return f"{listed} and {rest} more" if listed else f"{rest} whose names are not shown"


def _is_path(name: str) -> bool:
    return len(name) <= 3 * LONGEST_NAME and all(
        _NAME.fullmatch(step) for step in steps(name) if step != "[]"
    )
