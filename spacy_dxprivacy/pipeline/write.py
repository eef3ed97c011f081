"""Make the new Docs of a draft: words, annotations, receipt.

Only words, blanks, annotations in `carry` and the receipt reach the new Docs: lemmas, tags, tensors
and user data of the old Doc are functions of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, SENT_START
from spacy.tokens import Doc, Span

from ..arrays import Bools1d, Ints1d, Ints2d
from ..entities.surrogates.replacements import Replacement
from ..errors import DxError, Errors
from ..text.normal import MARKS, bounds_of
from .count import Count
from .draft import NUMBER, SAMPLED, SELECTED, SURROGATE, UNKNOWN, Draft
from .receipt import SPANS_KEY, UNCOVERED, ReceiptTerms, earlier_stages, mark_as_made
from .settings import SanitizerSettings
from .unknown import WHICH

ATTRIBUTES = {"ents": [ENT_IOB, ENT_TYPE], "sents": [SENT_START]}  # by value of `carry`
_INSIDE = 1  # value of ENT_IOB: inside an entity
_NO_START = np.uint64(2**64 - 1)  # value of SENT_START: -1, no sentence begins


def write(settings: SanitizerSettings, draft: Draft, terms: ReceiptTerms) -> list[Doc]:
    """Make the new Docs of a draft, each with its receipt."""
    if unsampled := int((draft.kinds == SELECTED).sum()):
        what = {"part": "The stages", "given": "the input", "expected": "words that were drawn"}
        raise DxError(Errors.DX038.format(count=unsampled, **what))
    docs = []
    for i, (doc, part) in enumerate(zip(draft.docs, draft.parts, strict=True)):
        words, spaces = draft.words[part].tolist(), draft.spaces[part].tolist()
        output = Doc(doc.vocab, words=words, spaces=spaces)
        kinds, sources = draft.kinds[part], draft.sources[part]
        placed = kinds == SURROGATE
        follows = placed & (np.diff(sources, prepend=-1) == 0)  # not its first token
        for name in settings.carry:
            _carry(name, doc, output, sources, follows)
        # spaCy keeps the context of nlp.pipe(as_tuples=True) here.
        output._context = doc._context
        items = draft.replacements[i] or ()
        labels = [item.mention.label for item in items if item.text is not None]
        output.spans[SPANS_KEY] = _provenance(output, kinds, placed & ~follows, labels, settings)
        if MARKS in doc.user_data:
            output.user_data[MARKS] = _moved_marks(doc, output, kinds, sources)
        tensor = None if draft.vectors is None else draft.vectors[part]
        mark_as_made(output, terms.receipt(_counted(draft, i, part), earlier_stages(doc)), tensor)
        docs.append(output)
    return docs


def _carry(name: str, doc: Doc, output: Doc, sources: Ints1d, follows: Bools1d) -> None:
    """Copy annotations to the new tokens; all tokens of a surrogate are one entity."""
    if not len(doc):
        return
    # A list: with a single attribute, to_array would return another shape than from_array takes.
    old: Any = doc.to_array(ATTRIBUTES[name])
    values = old[sources]
    if name == "ents":
        values[follows, 0] = _INSIDE
    elif np.any(old):
        values[follows] = _NO_START
    output.from_array(ATTRIBUTES[name], values)


def _provenance(
    output: Doc, kinds: Ints1d, begins: Bools1d, mentions: list[str], settings: SanitizerSettings
) -> list[Span]:
    """Return spans with the provenance of each token of the new Doc.

    Labels depend on the selection, the space and the surrogates, never on samples: they must not
    reveal whether a sampled word is unchanged. begins: bool (m,), where a surrogate begins.
    mentions: the label of each surrogate.
    """
    labels = ["UNMODIFIED", "SAMPLED", "UNKNOWN", *mentions]
    label_of = (kinds >= SAMPLED).astype(np.int64)
    if WHICH in settings.unknown.in_clear:
        label_of[kinds == UNKNOWN] = 2
    placed = kinds == SURROGATE
    label_of[placed] = 2 + np.cumsum(begins)[placed]
    starts = np.flatnonzero(np.diff(label_of, prepend=-1)).tolist()
    runs = pairwise([*starts, len(kinds)])
    return [Span(output, start, end, label=labels[label_of[start]]) for start, end in runs]


def _moved_marks(doc: Doc, output: Doc, kinds: Ints1d, sources: Ints1d) -> list[int]:
    marks: list[int] = doc.user_data[MARKS]
    if not len(doc):
        return [0 for _ in marks]
    changed, stays = np.ones(len(doc), dtype=bool), kinds != SURROGATE
    changed[sources[stays]] = (kinds >= SAMPLED)[stays]
    old, new_bounds = (np.reshape(bounds_of(d), (-1, 2)) for d in (doc, output))
    return moved(marks, old, new_bounds, sources, changed)


def _counted(draft: Draft, document: int, part: slice) -> Count:
    kinds, draws = draft.kinds[part], draft.draws[part]
    has_draw = draws == np.arange(part.start, part.stop)
    numbers, sampled = kinds == NUMBER, kinds == SAMPLED
    drawn = int((sampled & has_draw).sum())
    return Count(
        documents=1,
        tokens=len(kinds),
        perturbed=int(sampled.sum()),
        unknown=int((kinds == UNKNOWN).sum()),
        numbers=int(numbers.sum()),
        surrogates=int((kinds == SURROGATE).sum()),
        draws=drawn,
        number_draws=int((numbers & has_draw).sum()),
        most_draws=drawn,
        uncovered=draft.docs[document].user_data.get(UNCOVERED, 0),
        mentions=_mention_counts(draft.replacements[document] or ()),
        persons=draft.persons[document],
    )


def _mention_counts(replacements: Sequence[Replacement]) -> dict[str, dict[str, int]]:
    """Return the numbers of found, replaced and kept mentions of each label."""
    counts: dict[str, dict[str, int]] = {}
    for item in replacements:
        of_label = counts.setdefault(item.mention.label, {"found": 0, "replaced": 0, "kept": 0})
        of_label["found"] += 1
        of_label["kept" if item.way == "kept" else "replaced"] += 1
    return counts


def moved(
    marks: Sequence[int], old: Ints2d, new: Ints2d, source: Ints1d, changed: Bools1d
) -> list[int]:
    """Return the places in a new text for places in the old one.

    A place within a replaced token or mention is mapped to the end of its replacement.

    Args:
        marks: Places in the old text, in characters.
        old: Start and end of the n old tokens, shape (n, 2), n > 0.
        new: Start and end of the m new tokens, shape (m, 2).
        source: The old token of each new one, shape (m,), rising.
        changed: Whether an old token was replaced, shape (n,).
    """
    places: Ints1d = np.asarray(marks, dtype=np.int64)
    token = np.clip(np.searchsorted(old[:, 0], places, "right") - 1, 0, None)
    start, end = old[token].T
    first = np.minimum(np.searchsorted(source, token), len(new) - 1)
    last = np.searchsorted(source, token, "right") - 1
    within = np.minimum(new[first, 0] + places - start, new[first, 1])
    ends = new[last, 1] + np.maximum(places - end, 0)
    stays = (source[first] == token) & ((places == start) | (~changed[token] & (places < end)))
    new_places: list[int] = np.where(stays, within, ends).tolist()
    return new_places
