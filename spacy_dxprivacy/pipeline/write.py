"""Make the new Doc from the draws: words, layout, spelling, receipt.

It is made by whitelist: words, blanks, what `carry` names, and the receipt. Nothing else of the old
Doc reaches it, since lemmas, tags, tensors and user data are functions of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, ORTH, SENT_START, SPACY
from spacy.tokens import Doc, Span

from ..arrays import Bools1d, Floats2d
from ..space import Space
from ..text.layout import MARKS, Layout, moved
from ..text.spelling import like, spell
from .count import Count
from .draw import Drawn, ids_of
from .parts import Parts
from .receipt import SPANS_KEY, UNCOVERED, Receipt, Terms, earlier_stages, mark_as_made
from .unknown import WHICH

ATTRIBUTES = {"ents": [ENT_IOB, ENT_TYPE], "sents": [SENT_START]}  # of what `carry` names
_INSIDE = 1  # value of ENT_IOB: inside an entity
_NO_START = np.uint64(2**64 - 1)  # value of SENT_START: -1, no sentence begins


@dataclass(frozen=True, eq=False, repr=False)
class Written:
    """The m words of one document as they will be released, before spelling.

    spaces: whether a blank follows each. drawn: bool (m,), words whose spelling may change.
    """

    words: list[str]
    spaces: list[bool]
    drawn: Bools1d


def write(
    parts: Parts, docs: list[Doc], drawn: Sequence[Drawn], space: Space, terms: Terms
) -> list[Doc]:
    """Make the new Docs, each with its receipt, from the input and the draws for it."""
    texts = [_written(doc, one) for doc, one in zip(docs, drawn, strict=True)]
    new = []
    for doc, one, text in zip(docs, drawn, _spelled(texts), strict=True):
        if parts.casing == "preserve":
            _copy_case(doc, one, text)
        made = Doc(doc.vocab, words=text.words, spaces=text.spaces)
        for name in parts.carry:
            _carry(name, doc, made, one.layout)
        # spaCy keeps the context of nlp.pipe(as_tuples=True) here.
        made._context = doc._context
        made.spans[SPANS_KEY] = _provenance(made, one, parts)
        if MARKS in doc.user_data:
            made.user_data[MARKS] = _moved_marks(doc, made, one)
        tensor = None if one.vectors is None else _tensor(doc, one, one.vectors, space)
        mark_as_made(made, _receipt(doc, one, terms), tensor)
        new.append(made)
    return new


def _written(doc: Doc, drawn: Drawn) -> Written:
    clear: Any = doc.to_array([ORTH, SPACY]).reshape(len(doc), 2)
    strings = doc.vocab.strings
    made: Any = np.empty(len(doc), dtype=object)
    made[:] = [strings[orth] for orth in clear[:, 0].tolist()]
    made[drawn.mask] = drawn.words
    if drawn.figures is not None:
        made[drawn.numbers] = drawn.figures.words
    words: list[str] = made.tolist()
    spaces = (clear[:, 1] > 0).tolist()
    mask, layout = drawn.mask | drawn.numbers, drawn.layout
    if layout is None:
        return Written(words, spaces, mask)
    words, spaces = layout.expand(words, spaces)
    return Written(words, spaces, layout.mask(mask))


# -- spelling and annotations ----------------------------------------------------------------------


def _spelled(texts: Sequence[Written]) -> list[Written]:
    """Each text as a person would write it."""
    if not texts:
        return []
    words = [word for text in texts for word in text.words]
    spaces = np.array([space for text in texts for space in text.spaces], dtype=bool)
    drawn = np.concatenate([text.drawn for text in texts])
    ends = list(accumulate((len(text.words) for text in texts), initial=0))
    firsts = np.array([end for end in ends if end < len(words)], dtype=np.int64)
    words, spaces = spell(words, spaces, drawn, firsts)
    return [
        replace(text, words=words[start:end], spaces=spaces[start:end].tolist())
        for text, (start, end) in zip(texts, pairwise(ends), strict=True)
    ]


def _copy_case(doc: Doc, drawn: Drawn, written: Written) -> None:
    layout = drawn.layout
    places = np.flatnonzero(drawn.mask if layout is None else layout.mask(drawn.mask))
    models = np.flatnonzero(drawn.mask)[drawn.known].tolist()
    for place, model in zip(places[drawn.known].tolist(), models, strict=True):
        written.words[place] = like(written.words[place], doc[model].text)


def _carry(name: str, doc: Doc, new: Doc, layout: Layout | None) -> None:
    """Copy annotations of the old tokens to the new ones: the surrogate of an entity is one."""
    if not len(doc):
        return
    # A list: numpy would give from_array another shape for a single attribute.
    values: Any = doc.to_array(ATTRIBUTES[name])
    if layout is not None:
        annotated = np.any(values)
        values = values[layout.source].copy()
        if name == "ents":
            values[layout.inner, 0] = _INSIDE
        elif annotated:
            values[layout.inner] = _NO_START
    new.from_array(ATTRIBUTES[name], values)


def _provenance(new: Doc, drawn: Drawn, parts: Parts) -> list[Span]:
    """Return spans that say how each token of the new Doc was made.

    The labels follow from the selection, the space and the surrogates alone, never from what was
    sampled: whether a sampled word came out unchanged must not show.
    """
    kind = (drawn.mask | drawn.numbers).astype(np.int64)  # 0 unmodified, 1 sampled, 2 unknown
    if WHICH in parts.unknown.in_clear:
        kind[np.flatnonzero(drawn.mask)[~drawn.known]] = 2
    labels = ["UNMODIFIED", "SAMPLED", "UNKNOWN"]
    if drawn.layout is not None and drawn.stood is not None:
        labels += [mention.label for mention, _ in drawn.stood.pairs]
        kind, first = kind[drawn.layout.source], drawn.layout.placed & ~drawn.layout.inner
        kind[drawn.layout.placed] = 2 + np.cumsum(first)[drawn.layout.placed]
    starts = np.flatnonzero(np.diff(kind, prepend=-1)).tolist()
    runs = pairwise([*starts, len(kind)])
    return [Span(new, start, end, label=labels[kind[start]]) for start, end in runs]


def _moved_marks(doc: Doc, made: Doc, drawn: Drawn) -> list[int]:
    if not len(doc):
        return [0 for _ in doc.user_data[MARKS]]
    old, new = (np.array([(t.idx, t.idx + len(t)) for t in some]) for some in (doc, made))
    source, changed = np.arange(len(doc)), drawn.mask | drawn.numbers
    if drawn.layout is not None and drawn.stood is not None:
        source, changed = drawn.layout.source, changed | drawn.stood.replaced
    return moved(doc.user_data[MARKS], old, new, source, changed)


def _receipt(doc: Doc, drawn: Drawn, terms: Terms) -> Receipt:
    figures, layout, stood = drawn.figures, drawn.layout, drawn.stood
    count = Count(
        documents=1,
        tokens=len(doc) if layout is None else len(layout.source),
        perturbed=int(drawn.known.sum()),
        unknown=int((~drawn.known).sum()),
        numbers=0 if figures is None else len(figures.words),
        surrogates=0 if layout is None else int(layout.placed.sum()),
        draws=drawn.draws,
        number_draws=0 if figures is None else figures.draws,
        most_draws=drawn.draws,
        uncovered=doc.user_data.get(UNCOVERED, 0),
        mentions={} if stood is None else stood.counts,
        persons=drawn.persons,
    )
    return terms.receipt(count, earlier_stages(doc))


def _tensor(doc: Doc, drawn: Drawn, vectors: Floats2d, space: Space) -> Floats2d:
    """float32 (tokens of the new Doc, d): the vectors that were drawn, those of the table for
    unmodified words, zeros for all else."""
    rows = space.find_ids(*np.ascontiguousarray(ids_of(doc).T))
    tensor: Floats2d = space.vectors[rows]
    tensor[rows < 0] = 0
    tensor[drawn.mask] = vectors
    tensor[drawn.numbers] = 0
    if drawn.layout is None:
        return tensor
    tensor = tensor[drawn.layout.source]
    tensor[drawn.layout.placed] = 0
    return tensor
