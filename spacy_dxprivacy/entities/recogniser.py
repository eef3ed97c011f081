"""The statistical recogniser of the package: names, places, organisations, dates by their context.

It is trained on text that the project makes itself (scripts/recogniser), and adds what it finds to
what earlier components found. It reads English; Docs of other languages keep what they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress, groupby
from typing import Any

import numpy as np
from spacy import util
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span

from ..arrays import Floats2d
from ..errors import FailsClosed
from ..text.language import language_of_doc
from ..text.mentions import Entity, is_word, mentions, plain_label
from ..text.normal import in_normal_form
from ..text.tokens import with_fields_apart
from . import network
from .extent import bounded, trimmed
from .tables import words

TOKENS = 4096  # that the network reads at a time
SURE = 2.0  # how much more probable than none a label is to be
FORM_WORDS, NO_NAME_PART = words("FORM_WORDS"), words("NO_NAME_PART")
# A number that is part of an address or a date is no entity of its own.
_WEAK = frozenset({"CARDINAL", "QUANTITY"})


class DxEntityRecognizer(FailsClosed, Pipe):
    """Find entities by a small trained network, beside those of earlier components.

    Entities of earlier components stay; where both overlap under one label they are joined. Put
    `dx_entity_ruler` before it for forms (telephone, identifiers, mail). It holds no state: the
    network is read from the package. No error handler swallows an error.

    Args:
        nlp: The pipeline.
        name: The component's name.
    """

    def __init__(self, nlp: Language, name: str = "dx_entity_recognizer") -> None:
        self.nlp, self.vocab, self.name = nlp, nlp.vocab, name

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the network."""
        return network.LABELS

    def __call__(self, doc: Doc) -> Doc:
        """Set the entities. A Doc that holds rows of a table is replaced by one in which each field
        has its own tokens."""
        return next(iter(self.pipe([doc])))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Set the entities of a stream of Docs, so many at a time."""
        normal = (in_normal_form(doc, self.nlp, self) for doc in stream)
        for docs in util.minibatch(map(with_fields_apart, normal), batch_size):
            read = [len(doc) > 0 and language_of_doc(doc) == "en" for doc in docs]
            found = iter(predicted([*compress(docs, read)]))
            for doc, is_read in zip(docs, read, strict=True):
                set_entities(doc, spans(next(found)) if is_read else [])
                yield doc

    def to_disk(self, path: Any, *, exclude: Iterable[str] = ()) -> None:
        """Write nothing: the network is part of the package."""

    def from_disk(self, path: Any, *, exclude: Iterable[str] = ()) -> DxEntityRecognizer:
        """Read nothing."""
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return nothing: the network is part of the package."""
        return b""

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> DxEntityRecognizer:
        """Read nothing."""
        return self


def predicted(docs: list[Doc]) -> list[Floats2d]:
    """Return the probability of each tag for each token, float32 (tokens, tags), for each Doc that
    has tokens.

    Docs are laid end to end, and read so many tokens at a time: memory is bounded.
    """
    if not docs:
        return []
    rows, reach = network.features(docs), network.DEPTH
    gap = np.zeros((reach, rows[0].shape[1]), dtype=rows[0].dtype)
    flat = np.concatenate([part for row in rows for part in (row, gap)])
    parts = []
    for start in range(0, len(flat), TOKENS):
        before = min(start, reach)
        (found,) = network.bundled().predict([flat[start - before : start + TOKENS + reach]])
        parts.append(found[before : before + TOKENS])
    shares = np.concatenate(parts)
    starts = np.cumsum([0, *(len(row) + reach for row in rows)])
    return [shares[start:][: len(row)] for start, row in zip(starts, rows, strict=False)]


def spans(shares: Floats2d) -> list[Entity]:
    """Return the entities that the probabilities of tags give, in order.

    A token has the label whose two tags are most probable together; an entity ends where the label
    does, or where another one more probably begins.
    """
    begins, inside = shares[:, 1::2], shares[:, 2::2]
    by_label = begins + inside
    label = by_label.argmax(axis=1)
    named = by_label.max(axis=1) > SURE * shares[:, 0]
    found: list[Entity] = []
    for i in np.flatnonzero(named).tolist():
        name = network.LABELS[label[i]]
        goes_on = inside[i, label[i]] > begins[i, label[i]]
        if found and goes_on and found[-1][0] == name and found[-1][2] == i:
            found[-1] = name, found[-1][1], i + 1
        else:
            found.append((name, i, i + 1))
    return found


def set_entities(doc: Doc, new: list[Entity]) -> None:
    """Add entities to those of a Doc, and further mentions of all.

    An entity takes the tokens that are free, unless common words are all that is free; one that has
    the label of an earlier entity, and goes beyond it, widens it.
    """
    marked = {i for _, start, end in new for i in range(start, end)}
    kept = {
        e for e in doc.ents if e.label_ not in _WEAK or marked.isdisjoint(range(e.start, e.end))
    }
    owner = {i: span for span in kept for i in range(span.start, span.end)}
    for label, first, last in bounded(doc, new):
        start, end = _trimmed(doc, label, first, last)
        if all(token.is_stop and token.is_lower for token in doc[start:end]):
            continue  # no name is made of "as" and "of" alone
        if not any(map(str.isalnum, doc[start:end].text)) or _is_form_word(doc, start, end):
            continue
        beside = {owner[i] for i in range(start, end) if i in owner and owner[i].label_ == label}
        if any(i not in owner for i in range(start, end)):
            start = min([start, *(span.start for span in beside)])
            end = max([end, *(span.end for span in beside)])
            kept -= beside
            for i in (i for span in beside for i in range(span.start, span.end)):
                del owner[i]
        for run, some in groupby(range(start, end), key=owner.__contains__):
            places = list(some)
            cut = len(places) < end - start
            if not run and not (cut and all(is_word(doc[i].lower_) for i in places)):
                low, high = _trimmed(doc, label, places[0], places[-1] + 1)
                if low < high:
                    span = Span(doc, low, high, label=label)
                    kept.add(span)
                    owner.update(dict.fromkeys(range(low, high), span))
    known = sorted((plain_label(span.label_), span.start, span.end) for span in kept)
    again = bounded(doc, mentions(doc, known))
    doc.ents = (*kept, *(Span(doc, start, end, label=label) for label, start, end in again))


def _is_form_word(doc: Doc, start: int, end: int) -> bool:
    """Whether it is the IBAN of "IBAN DE89..." or the M.D. of a doctor, which look like names."""
    text, after = doc[start:end].text, doc[end : end + 2].text
    if text.count(".") > 1 and text.replace(".", "").lower() in NO_NAME_PART:
        return True
    return text.isupper() and text.lower() in FORM_WORDS and any(map(str.isdigit, after))


def _trimmed(doc: Doc, label: str, start: int, end: int) -> tuple[int, int]:
    """The extent without white space and marks at its ends, and of a name without linking words."""
    if label not in ("DATE", "TIME"):
        return trimmed(doc, start, end)
    while start < end and (doc[start].is_space or doc[start].is_punct):
        start += 1
    while start < end and (doc[end - 1].is_space or doc[end - 1].is_punct):
        end -= 1
    return start, end
