"""The values of a run: records, and their results, which are released or failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import filter_spans

from ..files.limits import MAX_RECORD, MB
from ..pipeline.receipt import Receipt
from ..text.mentions import Entity, spans_of
from ..text.tokens import cuts_of, tokenize_parts

NOT_UNICODE = "its text is not valid Unicode (broken UTF-8, or half of a surrogate pair)."
NOT_UTF8 = "if it is not UTF-8, convert it first, as `iconv -f latin1 -t utf8` does."
TOO_LONG = f"it is longer than {MAX_RECORD // MB} MB."
MENTIONS = "dx_mentions"  # key of Record.data: entities that a format marks, in characters
_JSON_NAMES = {
    type(None): "null", bool: "true or false", int: "a number", float: "a number", list: "a list",
    dict: "an object",
}  # fmt: skip


@dataclass(frozen=True)
class Tokens:
    """A text that was tokenized before. spaces: whether a blank follows each word."""

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
        number: Position in the file, from 1.
        texts: The texts to sanitise. Those of a row are one document (`rows`).
        size: Number of bytes that the record takes in the file, for progress.
        heads: What names each text of a row: the head of its column, or the key of its field.
        data: user_data for the Doc of each text, and MENTIONS.
        origin: A value that the format needs to write the record, such as a Row.
    """

    number: int
    texts: Sequence[Text] = field(repr=False)
    size: int = 0
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    origin: Any = field(default=None, repr=False)
    heads: Sequence[str] = field(default=(), repr=False)


@dataclass(frozen=True)
class Failed:
    """A record that could not be read or sanitised. Nothing of it is released.

    why: the reason. hint: a remedy for files whose first record fails. Neither holds document text.
    """

    number: int
    why: str
    size: int = 0
    hint: str = ""


@dataclass(frozen=True)
class Released:
    """A sanitised record: a text and a receipt for each of its texts, and Docs if requested.

    Docs belong to a memory zone: they are valid until the next result is requested.
    """

    record: Record
    texts: Sequence[str] = field(repr=False)
    receipts: Sequence[Receipt] = field(repr=False)
    docs: Sequence[Doc] = field(default=(), repr=False)


Input = Record | Failed  # a record as a format reads it
Result = Released | Failed


def make_record(
    number: int,
    size: int,
    texts: Sequence[Any],
    *,
    hint: str = "",
    data: Mapping[str, Any] | None = None,
    origin: Any = None,
    heads: Sequence[str] = (),
) -> Input:
    """Return a record, or Failed with the hint if a value is not valid Unicode text."""
    for text in texts:
        if not isinstance(text, str):
            kind = _JSON_NAMES.get(type(text), "another kind of value")
            return Failed(number, f"its text is {kind}, not a string.", size)
        if not is_unicode(text):
            return Failed(number, NOT_UNICODE, size, hint)
        if len(text) > MAX_RECORD:
            return Failed(number, TOO_LONG, size)
    return Record(number, texts, size, data or {}, origin, heads)


def is_unicode(text: str) -> bool:
    """Return whether a text can be encoded. `source.decode` turns invalid bytes into surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def nlp_input(nlp: Language, text: Text, data: Mapping[str, Any]) -> str | Doc:
    """Return the input of a pipeline: the text, or a Doc if it has tokens or data, or is long."""
    if isinstance(text, Tokens):
        doc = Doc(nlp.vocab, words=text.words, spaces=text.spaces)
    elif len(text) <= nlp.max_length and (cuts := cuts_of(text)):
        doc = tokenize_parts(nlp, text, cuts)
    elif not data:
        return text
    else:
        doc = nlp.make_doc(text)
    doc.user_data.update((key, value) for key, value in data.items() if key != MENTIONS)
    mentions: list[Entity] = data.get(MENTIONS, [])
    if mentions and (recognises(nlp) or takes_entities(nlp)):
        doc.set_ents(filter_spans(spans_of(doc, mentions)), default="missing")
    return doc


def recognises(nlp: Language) -> bool:
    """Return whether a pipeline recognises entities."""
    return any("doc.ents" in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names)


def takes_entities(nlp: Language) -> bool:
    """Return whether a pipeline replaces entities that come with a text."""
    return any("doc.ents" in nlp.get_pipe_meta(name).requires for name in nlp.pipe_names)


def nlp_inputs(nlp: Language, record: Record) -> Iterator[str | Doc]:
    """Yield the inputs of a pipeline for the texts of a record."""
    return (nlp_input(nlp, text, record.data) for text in record.texts)


def chunks(
    records: Iterable[Input],
    *,
    characters: int,
    max_texts: int,
    ready: Callable[[], bool] | None = None,
) -> Iterator[list[Input]]:
    """Split records into lists of about `max_texts` texts or `characters` characters.

    A list also ends where the next record is not `ready`, so that a client that sends line by line
    gets answers line by line.
    """
    chunk: list[Input] = []
    texts = filled = 0
    for record in records:
        chunk.append(record)
        if isinstance(record, Record):
            texts += len(record.texts)
            filled += sum(map(len, record.texts))
        if filled >= characters or max(texts, len(chunk)) >= max_texts or (ready and not ready()):
            yield chunk
            chunk, texts, filled = [], 0, 0
    if chunk:
        yield chunk
