"""Records in, released or failed ones out: what passes through a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import filter_spans

from ..pipeline.receipt import Receipt
from ..text.tokens import cuts_of, joined
from .files.limits import MB, MOST_RECORD

NOT_UNICODE = "its text is not valid Unicode (broken UTF-8, or half of a surrogate pair)."
NOT_UTF8 = "if it is not UTF-8, convert it first, as `iconv -f latin1 -t utf8` does."
TOO_LONG = f"it is longer than {MOST_RECORD // MB} MB."
MENTIONS = "dx_mentions"  # in the data of a record: start, end and label, as its format says them
_JSON_NAMES = {
    type(None): "null", bool: "true or false", int: "a number", float: "a number", list: "a list",
    dict: "an object",
}  # fmt: skip


@dataclass(frozen=True)
class Tokens:
    """A text that is cut into words already. spaces: whether a blank follows each."""

    words: list[str]
    spaces: list[bool]

    def __len__(self) -> int:
        return sum(len(word) + 1 for word in self.words)

    def __str__(self) -> str:
        return " ".join(self.words)


Text = str | Tokens


@dataclass(frozen=True)
class Record:
    """One document, or one row of a file, which may hold several texts.

    Attributes:
        number: Its place in the file, from 1.
        texts: What is sanitised.
        size: Bytes of the file that it stands for.
        data: Of the Doc of each text: what its user_data will hold, and MENTIONS.
        origin: What its format needs to write it.
    """

    number: int
    texts: Sequence[Text] = field(repr=False)
    size: int = 0
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    origin: Any = field(default=None, repr=False)


@dataclass(frozen=True)
class Failed:
    """A record of which nothing is released. why, hint: sentences without text of the document.

    hint: what helps if all records fail so.
    """

    number: int
    why: str
    size: int = 0
    hint: str = ""


@dataclass(frozen=True)
class Released:
    """A sanitised record: a text and a receipt for each of its texts, and a Doc where asked for.

    The Docs die with their memory zone: they last until the next result is asked for.
    """

    record: Record
    texts: Sequence[str] = field(repr=False)
    receipts: Sequence[Receipt] = field(repr=False)
    docs: Sequence[Doc] = field(default=(), repr=False)


Input = Record | Failed  # of a file, as it is read
Result = Released | Failed


def checked(
    number: int,
    size: int,
    texts: Sequence[Any],
    *,
    hint: str = "",
    data: Mapping[str, Any] | None = None,
    origin: Any = None,
) -> Input:
    """Return a record, or a failed one where a text is none; the hint is for broken encodings."""
    for text in texts:
        if not isinstance(text, str):
            kind = _JSON_NAMES.get(type(text), "another kind of value")
            return Failed(number, f"its text is {kind}, not a string.", size)
        if not is_unicode(text):
            return Failed(number, NOT_UNICODE, size, hint)
        if len(text) > MOST_RECORD:
            return Failed(number, TOO_LONG, size)
    return Record(number, texts, size, data or {}, origin)


def is_unicode(text: str) -> bool:
    """Return whether it can be written: bytes that were not UTF-8 have become surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def doc_of(nlp: Language, text: Text, data: Mapping[str, Any]) -> str | Doc:
    """Return a text as a pipeline takes it: a Doc where it has tokens or data, or takes long."""
    if isinstance(text, Tokens):
        doc = Doc(nlp.vocab, words=text.words, spaces=text.spaces)
    elif len(text) <= nlp.max_length and (cuts := cuts_of(text)):
        doc = joined(nlp, text, cuts)
    elif not data:
        return text
    else:
        doc = nlp.make_doc(text)
    doc.user_data.update((key, value) for key, value in data.items() if key != MENTIONS)
    mentions = data.get(MENTIONS)
    if mentions and any("doc.ents" in nlp.get_pipe_meta(p).assigns for p in nlp.pipe_names):
        spans = (doc.char_span(a, b, label, alignment_mode="expand") for a, b, label in mentions)
        doc.set_ents(filter_spans(filter(None, spans)), default="missing")
    return doc


def docs_of(nlp: Language, record: Record) -> Iterator[str | Doc]:
    """Yield the texts of a record as a pipeline takes them."""
    return (doc_of(nlp, text, record.data) for text in record.texts)


def chunks(
    records: Iterable[Input],
    *,
    characters: int,
    most: int,
    ready: Callable[[], bool] | None = None,
) -> Iterator[list[Input]]:
    """Yield lists of records with about `most` texts in all.

    A list ends with the record that fills up `characters`, or with the last one that is `ready`:
    what is sent line by line is answered line by line.
    """
    chunk: list[Input] = []
    texts = filled = 0
    for record in records:
        chunk.append(record)
        if isinstance(record, Record):
            texts += len(record.texts)
            filled += sum(map(len, record.texts))
        if filled >= characters or max(texts, len(chunk)) >= most or (ready and not ready()):
            yield chunk
            chunk, texts, filled = [], 0, 0
    if chunk:
        yield chunk
