"""The statistical recogniser of the package: names, places, organisations, dates by their context.

It is trained on text that the project makes itself and on text whose names people marked
(scripts/recogniser). It adds what it finds to what earlier components found, and takes back names
of the rules that are none. It reads English; Docs of other languages keep what they have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

import numpy as np
from spacy import util
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span

from ..arrays import Floats1d, Floats2d
from ..errors import FailsClosed
from ..text.language import language_of_doc
from ..text.mentions import Entity, is_word, mentions, plain_label
from ..text.normal import in_normal_form
from ..text.tokens import with_fields_apart
from ..validate import between, one_of, positive
from . import network
from .extent import Bounds
from .ruling import BY_RULE
from .tables import words
from .thresholds import TAKE_BACK, THRESHOLDS
from .words import features

TOKENS = 4096  # that the network reads at a time
UNLIKELY = 0.01  # a label that is less probable than this part of none is not considered
TINY = 1e-9
FORM_WORDS, NO_NAME_PART = words("FORM_WORDS"), words("NO_NAME_PART")
# A number that is part of an address or a date is no entity of its own.
_NAMES = frozenset({"PERSON", "GPE"})
_DISGUISE = re.compile(r"[^\w\s.,'’-]|[\d_]")  # of a letter in a name
_WEAK = frozenset({"CARDINAL", "QUANTITY"})


class DxEntityRecognizer(FailsClosed, Pipe):
    """Find entities by a small trained network, beside those of earlier components.

    Entities of earlier components stay; where both overlap under one label they are joined. Put
    `dx_entity_ruler` before it for forms (telephone, identifiers, mail). It saves nothing: the
    network is part of the package. No error handler swallows an error.

    Args:
        nlp: The pipeline.
        name: The component's name.
        threshold: By label, how much more probable than none an entity is to be. Lower values
            leave fewer names readable, and mark more words that are no names.
        take_back: The probability of none above which a person or place of dx_entity_ruler is none,
            unless one of your own patterns found it. At 1 all stay.
    """

    def __init__(
        self,
        nlp: Language,
        name: str = "dx_entity_recognizer",
        *,
        threshold: Mapping[str, float] = THRESHOLDS,
        take_back: float = TAKE_BACK,
    ) -> None:
        self.nlp, self.vocab, self.name = nlp, nlp.vocab, name
        self.take_back = between("take_back", take_back, 0, 1, "(]")
        self.thresholds = dict(THRESHOLDS)
        for label, value in threshold.items():
            one_of("threshold", label, network.LABELS)
            self.thresholds[label] = positive(f"threshold.{label}", value)

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
                if id(doc) in shares:
                    take_back_names(doc, shares[id(doc)][:, 0], self.take_back)
                    set_entities(doc, spans(shares[id(doc)], self.thresholds))
                else:
                    set_entities(doc, [])
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


def spans(shares: Floats2d, thresholds: Mapping[str, float] = THRESHOLDS) -> list[Entity]:
    """Return the entities of the most probable legal sequence of tags, in order.

    An entity begins with the first tag of its label, and the other tag follows one of that label
    alone. A label counts by its probability over its threshold.

    Args:
        shares: The probability of each tag, shape (tokens, tags).
        thresholds: Of each label, how much more probable than none it is to be.
    """
    limits = np.array([thresholds[label] for label in network.LABELS])
    by_label = (shares[:, 1::2] + shares[:, 2::2]) / limits
    candidates = np.flatnonzero(by_label.max(axis=1) > UNLIKELY * shares[:, 0])
    scores = np.log(np.maximum(shares, TINY))
    scores[:, 1:] -= np.repeat(np.log(limits), 2)
    breaks = np.flatnonzero(np.diff(candidates) > 1) + 1
    return [
        (label, run[0] + start, run[0] + end)
        for run in (part.tolist() for part in np.split(candidates, breaks) if len(part))
        for label, start, end in _best_entities(scores[run[0] : run[-1] + 1])
    ]


def _best_entities(scores: Floats2d) -> list[Entity]:
    """The entities of the sequence with the highest sum of scores (Viterbi)."""
    outside, begins, inside = scores[:, 0], scores[:, 1::2], scores[:, 2::2]
    best, in_label = 0.0, np.full(begins.shape[1], -np.inf)
    states, goes_on = [], []
    for i in range(len(scores)):
        enter, stay = best + begins[i], in_label + inside[i]
        goes_on.append(stay > enter)
        in_label = np.maximum(enter, stay)
        label = int(in_label.argmax())
        none = best + outside[i]
        best = max(none, in_label[label])
        states.append(label if in_label[label] > none else -1)
    entities, end = [], len(scores)
    while end:
        label, start = states[end - 1], end - 1
        while label >= 0 and goes_on[start][label]:
            start -= 1
        if label >= 0:
            entities.append((network.LABELS[label], start, end))
        end = start
    return entities[::-1]


def take_back_names(doc: Doc, outside: Floats1d, limit: float) -> None:
    """Remove the persons and places of rules of which no word may be a part of a name.

    Names in disguise stay (P3t3r, #peterokafor): the network has learned none.

    Args:
        doc: A Doc with entities.
        outside: The probability that a token is outside all entities, shape (tokens,).
        limit: The probability above which it is.
    """
    doc.ents = tuple(
        span
        for span in doc.ents
        if span.id_ != BY_RULE
        or span.label_ not in _NAMES
        or _DISGUISE.search(span.text)
        or outside[span.start : span.end].min() <= limit
    )


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
    if _is_degree(text):
        return False
    return not (text.isupper() and text.lower() in FORM_WORDS and any(map(str.isdigit, after)))


def _is_degree(text: str) -> bool:
    """Whether a text is a degree or an office in letters with points, as the M.D. of a doctor."""
    return text.count(".") > 1 and text.replace(".", "").lower() in NO_NAME_PART


def _trimmed(bounds: Bounds, label: str, start: int, end: int) -> tuple[int, int]:
    """The extent without white space and marks at its ends, and of a name without degrees and
    linking words."""
    doc = bounds.doc
    if label not in ("DATE", "TIME"):
        while start < end and _is_degree(doc[end - 1].text):
            end -= 1
        return bounds.trimmed(start, end)
    while start < end and (doc[start].is_space or doc[start].is_punct):
        start += 1
    while start < end and (doc[end - 1].is_space or doc[end - 1].is_punct):
        end -= 1
    return start, end
