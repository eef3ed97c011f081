"""One document to be sanitised, and the row of the file that it stands in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..doc.tokens import cuts_of, joined
from ..files.limits import MB, MOST_RECORD
from ..surrogates.standing import CALLER, USER
from .fields import Fields, Slot, names_of, shown, slots_of

NOT_UNICODE = "its text is not valid Unicode (broken UTF-8, or half of a surrogate pair)."
NOT_UTF8 = "where it is not UTF-8, `encoding` names what it is, such as latin-1, cp1252 or utf-16."
TOO_LONG = f"it is longer than {MOST_RECORD // MB} MB."


@dataclass(frozen=True)
class Look:
    """How a file is written, so that its sanitised version looks like it. ending: of a line.
    quoted: whether every field of .csv is in quotes. indent: of .json. array: whether a .json file
    is an array of records, or one record."""

    ending: str = "\r\n"
    quoted: bool = False
    indent: int | None = None
    array: bool = True


@dataclass(frozen=True)
class Row:
    """What a record was read from: all of it, the texts among it.

    entry: a value of JSON, or the list of the cells of a table. slots: where its texts are. names:
    of the columns of a table. bare: the entry is a list of one, which stands for what is in it.
    """

    entry: Any = field(repr=False)
    slots: list[Slot] = field(repr=False)
    names: list[str] | None = field(default=None, repr=False)
    bare: bool = False


@dataclass(frozen=True)
class Record:
    """One document to be sanitised.

    number: its place in the file, from 1; the number of the line for .jsonl and lines.
    size: the bytes of the file that it stands for. text: what to sanitise. spaces: where the
    document comes in tokens, whether a blank follows each of `words`. kept: other fields that go
    to the output as they are. ending: what ended the line. problem: why there is no text. hint:
    what helps where it is the first record. row: what it was read from; part: which of its texts
    this is, from 0. user: whose document it is, where a field says so. caller: of the service.
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
    def parts(self) -> int:
        """How many records there are of its row."""
        return max(1, len(self.row.slots)) if self.row is not None else 1

    @property
    def length(self) -> int:
        """In characters, roughly."""
        return len(self.text) + sum(len(word) + 1 for word in self.words or ())

    def for_pipe(self, nlp: Language) -> str | Doc:
        """The text, or a Doc of its words where it has such, would take long to be cut, or is of
        somebody."""
        whole = self._whole(nlp)
        of = {name: who for name, who in ((USER, self.user), (CALLER, self.caller)) if who}
        if not of:
            return whole
        doc = nlp.make_doc(whole) if isinstance(whole, str) else whole
        doc.user_data.update(of)
        return doc

    def _whole(self, nlp: Language) -> str | Doc:
        if self.words is not None:
            return Doc(nlp.vocab, words=self.words, spaces=self.spaces)
        cuts = cuts_of(self.text) if len(self.text) <= nlp.max_length else []
        return joined(nlp, self.text, cuts) if cuts else self.text


def checked_record(number: int, size: int, text: Any, **others: Any) -> Record:
    """A record with its text, or with the problem that keeps it from being sanitised."""
    if not isinstance(text, str):
        return Record(number, size, problem=f"its text is {json_name(text)}, not a string.")
    if not is_unicode(text):
        return Record(number, size, problem=NOT_UNICODE)
    if len(text) > MOST_RECORD:
        return Record(number, size, problem=TOO_LONG)
    return Record(number, size, text, **others)


def is_unicode(text: str) -> bool:
    """Whether it can be written: bytes that were not UTF-8 have become surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def records_of(number: int, size: int, entry: Any, fields: Fields) -> list[Record]:
    """The records of an object of JSON, one a text; or one with the problem that it has."""
    slots: list[Slot] = []
    for way in fields.texts:
        try:
            slots += slots_of(entry, way)
        except KeyError:
            return [Record(number, size, problem=f"it has no field {way!r}.", hint=has(entry))]
    if fields.receipt and isinstance(entry, dict) and fields.receipt in entry:
        why = f"it has a field {fields.receipt!r} already, where the receipt should go."
        return [Record(number, size, problem=why, hint=has(entry))]
    kept = {name: entry[name] for name in fields.keep or () if name in entry}
    found = records_of_row(number, size, Row(entry, slots), kept=kept)
    return found if fields.user is None else of_user(found, _at(entry, fields.user))


def _at(entry: Any, way: str) -> Any:
    """The one value that a way leads to; None where there is none, or several."""
    try:
        slots = slots_of(entry, way)
    except KeyError:
        return None
    return slots[0][0][slots[0][1]] if len(slots) == 1 else None


def of_user(records: list[Record], user: Any) -> list[Record]:
    """The records of a row, of this user. 7, 7.0 and "7" are one; whoever is none of a text and a
    whole number is refused."""
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
    """The records of a row, one a text; one without text where it has none."""
    texts = [holder[place] for holder, place in row.slots] or [""]
    found = [
        checked_record(number, 0 if part else size, text, row=row, part=part, **others)
        for part, text in enumerate(texts)
    ]
    bad = next((record for record in found if record.problem), None)
    return found if bad is None else [Record(number, size, problem=bad.problem, hint=bad.hint)]


def has(entry: Any) -> str:
    """ "the file has: note, id, date." """
    return f"the file has: {shown(names_of(entry)) or 'no field'}."


def json_name(value: Any) -> str:
    """What a value is, in words."""
    return _JSON_NAMES.get(type(value), "another kind of value")


_JSON_NAMES = {
    type(None): "null", bool: "true or false", int: "a number", float: "a number", list: "a list",
    dict: "an object",
}  # fmt: skip
