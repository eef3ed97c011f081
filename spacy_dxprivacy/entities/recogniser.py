"""The statistical recogniser of the package: names, places, organisations, dates by their context.

It is trained on text that the project makes itself (scripts/recogniser), and adds what it finds to
what earlier components found. It reads English; Docs of other languages keep what they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

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
from .extent import Bounds
from .tables import words
from .words import features

TOKENS = 4096  # that the network reads at a time
SURE = 2.0  # how much more probable than none a label is to be
FORM_WORDS, NO_NAME_PART = words("FORM_WORDS"), words("NO_NAME_PART")
# A number that is part of an address or a date is no entity of its own.
_WEAK = frozenset({"CARDINAL", "QUANTITY"})


class DxEntityRecognizer(FailsClosed, Pipe):
    """Find entities by a small trained network, beside those of earlier components.

    Entities of earlier components stay; where both overlap under one label they are joined. Put
    `dx_entity_ruler` before it for forms (telephone, identifiers, mail). It saves nothing: the
    network is part of the package. No error handler swallows an error.

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
        """Set the entities of a stream of Docs, a batch at a time."""
        normal = (in_normal_form(doc, self.nlp, self) for doc in stream)
        for docs in util.minibatch(map(with_fields_apart, normal), batch_size):
            english = [doc for doc in docs if len(doc) and language_of_doc(doc) == "en"]
            shares = dict(zip(map(id, english), predicted(english), strict=True))
            for doc in docs:
                set_entities(doc, spans(shares[id(doc)]) if id(doc) in shares else [])
                yield doc


def predicted(docs: list[Doc]) -> list[Floats2d]:
    """Return the probability of each tag for each token, float32 (tokens, tags), for each Doc that
    has tokens.

    The features of all Docs are one sequence, of which the network reads `TOKENS` at a time: memory
    is bounded.
    """
    if not docs:
        return []
    rows, reach = features(docs), network.DEPTH
    gap = np.zeros((reach, rows[0].shape[1]), dtype=rows[0].dtype)
    flat = np.concatenate([part for row in rows for part in (row, gap)])
    parts = []
    for start in range(0, len(flat), TOKENS):
        before = min(start, reach)
        (shares,) = network.bundled().predict([flat[start - before : start + TOKENS + reach]])
        parts.append(shares[before : before + TOKENS])
    flat_shares = np.concatenate(parts)
    starts = np.cumsum([0, *(len(row) + reach for row in rows)])
    return [flat_shares[start:][: len(row)] for start, row in zip(starts, rows, strict=False)]


def spans(shares: Floats2d) -> list[Entity]:
    """Return the entities that the probabilities of tags give, in order.

    A token has the label whose two tags are most probable together; an entity ends where the label
    does, or where another one more probably begins.
    """
    begins, inside = shares[:, 1::2], shares[:, 2::2]
    by_label = begins + inside
    label = by_label.argmax(axis=1)
    named = by_label.max(axis=1) > SURE * shares[:, 0]
    entities: list[Entity] = []
    for i in np.flatnonzero(named).tolist():
        name = network.LABELS[label[i]]
        goes_on = inside[i, label[i]] > begins[i, label[i]]
        if entities and goes_on and entities[-1][0] == name and entities[-1][2] == i:
            entities[-1] = name, entities[-1][1], i + 1
        else:
            entities.append((name, i, i + 1))
    return entities


def set_entities(doc: Doc, predictions: list[Entity]) -> None:
    """Add entities to those of a Doc, and further mentions of all.

    An entity takes the tokens that are free, unless common words are all that is free; one that has
    the label of an earlier entity, and goes beyond it, widens it.
    """
    predicted_tokens = {i for _, start, end in predictions for i in range(start, end)}
    kept = {
        span
        for span in doc.ents
        if span.label_ not in _WEAK or predicted_tokens.isdisjoint(range(span.start, span.end))
    }
    owner = {i: span for span in kept for i in range(span.start, span.end)}
    bounds = Bounds(doc)
    for label, first, last in bounds.cut(predictions):
        start, end = _trimmed(bounds, label, first, last)
        if not _is_entity(doc, start, end):
            continue
        beside = {owner[i] for i in range(start, end) if i in owner and owner[i].label_ == label}
        if any(i not in owner for i in range(start, end)):
            start = min([start, *(span.start for span in beside)])
            end = max([end, *(span.end for span in beside)])
            kept -= beside
            for i in (i for span in beside for i in range(span.start, span.end)):
                del owner[i]
        for is_owned, run in groupby(range(start, end), key=owner.__contains__):
            tokens = list(run)
            is_cut = len(tokens) < end - start
            if not is_owned and not (is_cut and all(is_word(doc[i].lower_) for i in tokens)):
                low, high = _trimmed(bounds, label, tokens[0], tokens[-1] + 1)
                if low < high:
                    span = Span(doc, low, high, label=label)
                    kept.add(span)
                    owner.update(dict.fromkeys(range(low, high), span))
    entities = sorted((plain_label(span.label_), span.start, span.end) for span in kept)
    again = bounds.cut(mentions(doc, entities))
    doc.ents = (*kept, *(Span(doc, start, end, label=label) for label, start, end in again))


def _is_entity(doc: Doc, start: int, end: int) -> bool:
    """Whether an extent has letters or digits, and is neither common words alone ("as of") nor a
    word of forms, as the IBAN of "IBAN DE89..." or the M.D. of a doctor, which look like names."""
    text, after = doc[start:end].text, doc[end : end + 2].text
    if all(token.is_stop and token.is_lower for token in doc[start:end]):
        return False
    if not any(map(str.isalnum, text)):
        return False
    if text.count(".") > 1 and text.replace(".", "").lower() in NO_NAME_PART:
        return False
    return not (text.isupper() and text.lower() in FORM_WORDS and any(map(str.isdigit, after)))


def _trimmed(bounds: Bounds, label: str, start: int, end: int) -> tuple[int, int]:
    """The extent without white space and marks at its ends, and of a name without linking words."""
    if label not in ("DATE", "TIME"):
        return bounds.trimmed(start, end)
    doc = bounds.doc
    while start < end and (doc[start].is_space or doc[start].is_punct):
        start += 1
    while start < end and (doc[end - 1].is_space or doc[end - 1].is_punct):
        end -= 1
    return start, end
