"""The stages of a draft before sampling: mentions become surrogates, and words are selected to be
sampled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from spacy.attrs import IDX, LENGTH
from spacy.tokens import Doc

from .. import progress
from ..arrays import Bools1d, Ints1d
from ..errors import DxError, Errors, PartCall
from ..privacy.loss import MAX_SENTENCE_WORDS
from ..surrogates.replacements import replace_mentions
from ..text.language import foreign_names
from ..text.mentions import Entity, plain_label, unite
from ..text.normal_doc import MARKS
from ..text.tokens import text_of
from .context import StageContext
from .draft import Draft
from .kinds import TO_DRAW, WORDS_OF_SENTENCES, Kind, of_kind
from .selectors import Entities, FunctionSelector
from .settings import SanitizerSettings


def draw_surrogates(draft: Draft, context: StageContext) -> Draft:
    """Replace mentions by surrogates. No other stage changes the number of tokens."""
    settings, selector = context.settings, context.settings.selector
    if not settings.surrogates:
        return draft
    rest_is_plain = isinstance(selector, Entities)
    finder = finder_of(context)
    entities, replacements = [], []
    for doc in draft.docs:
        spans = find_mentions(doc, finder, context)
        if len(doc) >= progress.LONG:
            progress.step("surrogates")
        items = replace_mentions(
            doc, context.surrogates, settings.rng, spans, rest_is_plain=rest_is_plain
        )
        if context.on_replacements is not None:
            items = context.on_replacements(doc, items)
        entities.append(spans)
        replacements.append(items)
    return replace(draft.expand(replacements), entities=entities)


def finder_of(context: StageContext) -> Entities:
    """Return the selector of the entities that surrogates replace."""
    selector = context.settings.selector
    return selector if isinstance(selector, Entities) else Entities(list(context.surrogates))


def find_mentions(doc: Doc, finder: Entities, context: StageContext) -> list[Entity]:
    """Return what counts as an entity: what recognisers find, and names in other scripts."""
    spans = _in_pieces(doc, finder.entities(doc))
    return _with_foreign_names(doc, spans, context.surrogates) if context.latin_only else spans


def _in_pieces(doc: Doc, spans: list[Entity]) -> list[Entity]:
    """Return entities without words at their ends that are in no piece of the Doc, such as "age"
    before a cell. These are not released, and a surrogate that begins with them would not be."""
    marks: Sequence[int] = doc.user_data.get(MARKS, ())
    if not len(marks) or not spans:
        return spans
    starts, sizes = (np.asarray(doc.to_array(name), dtype=np.int64) for name in (IDX, LENGTH))
    piece = np.maximum(np.searchsorted(marks[::2], starts + sizes) - 1, 0)
    is_read = (starts < np.asarray(marks[1::2])[piece]) & (starts + sizes > marks[0])
    return [Entity(label, *_trimmed(is_read, start, end)) for label, start, end in spans]


def _trimmed(is_read: Bools1d, start: int, end: int) -> tuple[int, int]:
    """Return an extent from its first to its last token that is read, or as it is without any."""
    inside = np.flatnonzero(is_read[start:end]).tolist()
    return (start + inside[0], start + inside[-1] + 1) if inside else (start, end)


def _with_foreign_names(doc: Doc, spans: list[Entity], labels: Collection[str]) -> list[Entity]:
    """Add runs of another script as persons, if persons have a surrogate."""
    runs = foreign_names(text_of(doc)) if "PERSON" in map(plain_label, labels) else []
    if not runs:
        return spans
    names = (doc.char_span(*run, alignment_mode="expand") for run in runs)
    return unite([*spans, *(Entity("PERSON", n.start, n.end) for n in names if n is not None)])


def select(draft: Draft, context: StageContext) -> Draft:
    """Select the words to sample, and the numbers among them."""
    kinds = draft.kinds.copy()
    rows = zip(draft.docs, draft.parts, draft.entities, draft.replacements, strict=True)
    for doc, part, entities, items in rows:
        selected, numbers = _selected(context.settings, doc, entities)
        is_word = np.zeros(len(doc), dtype=bool)
        is_word[draft.sources[part][of_kind(kinds[part], Kind.PLAIN)]] = True
        for item in items or ():
            if item.way != "drawn":
                within = slice(item.start, item.end)
                selected[within] = is_word[within] if item.way == "words" else False
        sources, stays = draft.sources[part], ~of_kind(kinds[part], Kind.SURROGATE)
        kinds[part][stays & selected[sources]] = Kind.SELECTED
        kinds[part][stays & (selected & numbers)[sources]] = Kind.NUMBER
    draft = cut(draft, kinds)
    return draft if context.settings.scope == "token" else replace(draft, draws=_draw_once(draft))


def cut(draft: Draft, kinds: Ints1d) -> Draft:
    """Return a draft with these kinds, and sentences of at most MAX_SENTENCE_WORDS words."""
    # A selected punctuation mark counts as a word and ends no sentence.
    ends_none = of_kind(draft.kinds, Kind.SENTENCE_END) & of_kind(kinds, Kind.SELECTED)
    sentences = draft.sentences - np.cumsum(ends_none)
    places = np.flatnonzero(of_kind(kinds, WORDS_OF_SENTENCES))
    ordinals = np.arange(len(places))
    begins = np.diff(sentences[places], prepend=-1) > 0
    since = ordinals - np.maximum.accumulate(np.where(begins, ordinals, 0))
    sentences[places] = np.cumsum(since % MAX_SENTENCE_WORDS == 0)
    return replace(draft, kinds=kinds, sentences=sentences)


def _selected(
    settings: SanitizerSettings, doc: Doc, entities: Sequence[Entity] | None
) -> tuple[Bools1d, Bools1d]:
    """Return the selected tokens of an input document, and its numbers, bool (tokens,)."""
    selector, rule = settings.selector, settings.numbers
    if isinstance(selector, Entities) and entities is not None:
        selected = selector.words(doc, entities)  # without a second search for entities
    else:
        given = selector.function if isinstance(selector, FunctionSelector) else selector
        with PartCall("selector", "Selector.select", given, reads_text=True):
            chosen = selector.select(doc)
        selected = checked_mask("The selector", chosen, len(doc))
    if rule is None:
        return selected, np.zeros(len(doc), dtype=bool)
    with PartCall("mechanism for numbers", "NumberDraw.find", rule, reads_text=True):
        found = rule.find(doc)
    return selected, checked_mask("The mechanism for numbers", found, len(doc))


def _draw_once(draft: Draft) -> Ints1d:
    """Return for each token the first equal one of its document: words of one row are equal, and so
    are unknown words with the same letters."""
    draws, firsts = draft.draws.copy(), dict[Any, int]()
    for place in np.flatnonzero(of_kind(draft.kinds, TO_DRAW)).tolist():
        row, text = int(draft.rows[place]), str(draft.words[place])
        word = row if row >= 0 else text.lower()
        token = text if draft.kinds[place] == Kind.NUMBER else word
        key = int(draft.documents[place]), int(draft.kinds[place]), token
        draws[place] = firsts.setdefault(key, place)
    return draws


def checked_mask(part: str, returned: Any, count: int) -> Bools1d:
    """Return bool (count,), a copy. Raise DxError for anything but a list or array of these."""
    is_list = isinstance(returned, list) and all(isinstance(v, bool | np.bool_) for v in returned)
    mask = np.array(returned, dtype=bool if is_list else None)
    if mask.shape != (count,) or mask.dtype != np.bool_:
        raise bad_return(part, mask, count, "one boolean a token")
    return mask


def bad_return(part: str, returned: Any, count: int, expected: str) -> DxError:
    """Return an error with shape and type only: values may be words of a document."""
    # Of texts, the name of the type only: dtype also has the length of the longest.
    shape = f"{returned.dtype.type.__name__} of shape {returned.shape}"
    return DxError(Errors.DX038.format(part=part, given=shape, count=count, expected=expected))
