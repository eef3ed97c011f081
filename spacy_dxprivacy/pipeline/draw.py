"""Select the words of Docs, look them up in the space, and draw their replacements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_PUNCT, IS_SPACE, LOWER, NORM, ORTH
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats2d, Ids1d, Ints1d
from ..entities.surrogates.replacements import (
    Figures,
    Replacements,
    draw_figures,
    find_figures,
    replace_mentions,
)
from ..errors import DxError, Errors
from ..privacy.composition import LONGEST, repeat
from ..space import Space
from ..text.coverage import foreign_names
from ..text.layout import Layout
from ..text.mentions import Entity, plain_label, united
from ..ty import Draw, facts_of
from .count import Persons
from .parts import Parts
from .select import Entities, words_of

NUMBERS_AT_ONCE = 2**22  # of noise, in one call of a mechanism: 32 MB as float64

_ENDS = np.array(
    [get_string_id(mark) for mark in (".", "!", "?", ";", ":", "...", "…", "!!", "??", "?!", "!?")],
    dtype=np.uint64,
)


@dataclass(frozen=True, eq=False, repr=False)
class Selected:
    """What is drawn of a Doc. mask: bool (tokens,), the words that the mechanism draws.
    stood: its surrogates; None where the component has none. entities: what the selector found,
    where it looked for entities. numbers: bool (tokens,)."""

    mask: Bools1d
    stood: Replacements | None
    entities: Sequence[Entity] | None
    numbers: Bools1d

    @property
    def aside(self) -> Bools1d:
        """Tokens that are no context of a word: numbers and surrogates, bool (tokens,)."""
        if self.stood is None:
            return self.numbers
        return self.numbers | self.stood.replaced | (not self.mask.any())

    def sentences(self, doc: Doc) -> Ints1d:
        """Return the number of the sentence of each word, int64 (tokens,); 0 for other tokens."""
        words = passage(doc, self.mask, self.aside)
        numbers = np.zeros(len(doc), dtype=np.int64)
        numbers[words.places] = np.cumsum(words.starts)
        return numbers

    def in_plaintext(self, doc: Doc) -> Bools1d:
        """Return the words that stay as they are, bool (tokens,)."""
        replaced = False if self.stood is None else self.stood.replaced
        unchanged: Bools1d = words_of(doc) & ~(self.mask | self.numbers | replaced)
        return unchanged


@dataclass(frozen=True, eq=False, repr=False)
class Drawn(Selected):
    """The draws for one Doc, of which m words were selected.

    words: their m replacements. known: bool (m,), whether the space held the word. draws: how many
    the mechanism made. vectors: float32 (m, d), noisy, or None; that of an unknown word is one of a
    public word that is drawn uniformly, so which words are unknown does not show. figures: what was
    drawn for numbers, or None. layout: of a Doc with surrogates, or None. persons: the recognised
    ones.
    """

    words: list[str]
    known: Bools1d
    draws: int
    vectors: Floats2d | None
    figures: Figures | None
    layout: Layout | None
    persons: Persons | None


def draw(parts: Parts, docs: list[Doc], space: Space) -> list[Drawn]:
    """Draw for a batch of Docs at once. Raise DxError where a Doc would exceed its budget, or where
    a part gives back something wrong."""
    if not docs:
        return []
    once, rule = parts.scope == "type", parts.numbers
    selected = [_select(parts, doc) for doc in docs]
    persons = [_persons(parts, *pair, space) for pair in zip(docs, selected, strict=True)]
    batch = Batch.of(docs, [one.mask for one in selected], space, once=once)
    context = _context(batch, selected, space) if parts.in_context else None
    drawn = []
    rows = zip(docs, selected, _replace(parts, batch, space, context), persons, strict=True)
    for doc, one, new, some in rows:
        figures = layout = None
        if rule is not None:
            figures = draw_figures(doc, one.numbers, rule, parts.rng, once_per_type=once)
        if one.stood is not None:
            layout = Layout.of(len(doc), one.stood.pieces)
        basis = (one.mask, one.stood, one.entities, one.numbers)
        drawn.append(Drawn(*basis, *new, figures, layout, some))
    return drawn


def _select(parts: Parts, doc: Doc) -> Selected:
    """What is drawn of a Doc, and its surrogates, if it has them."""
    selector, surrogates = parts.selector, parts.active_surrogates
    entities = stood = None
    if parts.surrogates:
        finder = selector if isinstance(selector, Entities) else Entities(tuple(surrogates))
        entities = finder.entities(doc)
        if parts.latin:
            entities = with_foreign_names(doc, entities, surrogates)
        rest_is_plain = isinstance(selector, Entities)
        stood = replace_mentions(doc, surrogates, parts.rng, entities, rest_is_plain=rest_is_plain)
        if parts.on_replacements is not None:
            stood = parts.on_replacements(doc, stood) or stood
    if entities is not None and isinstance(selector, Entities):
        mask = selector.words(doc, entities)  # without a second search for entities
    else:
        mask = np.asarray(selector.select(doc))
    if mask.shape != (len(doc),) or mask.dtype != np.bool_:
        raise DxError(Errors.DX037.format(given=f"{mask.dtype} of shape {mask.shape}"))
    if stood is not None:
        mask = (mask | (stood.words & words_of(doc))) & ~(stood.replaced | stood.kept)
    rule = parts.numbers
    numbers = np.zeros(len(doc), dtype=bool) if rule is None else find_figures(doc, mask, rule)
    return Selected(mask & ~numbers, stood, entities, numbers)


def with_foreign_names(doc: Doc, entities: list[Entity], labels: Collection[str]) -> list[Entity]:
    """Add the runs of another script, which are names where persons have a surrogate."""
    runs = foreign_names(doc.text) if "PERSON" in map(plain_label, labels) else []
    if not runs:
        return entities
    spans = (doc.char_span(*run, alignment_mode="expand") for run in runs)
    names = [("PERSON", span.start, span.end) for span in spans if span is not None]
    return united([*entities, *names])


def _persons(parts: Parts, doc: Doc, selected: Selected, space: Space) -> Persons | None:
    """The recognised persons of a Doc. Raise DxError where one of them would exceed the budget, and
    with a budget where nobody looked for persons."""
    budget = parts.max_epsilon_per_person
    spans = [span for span in selected.entities or () if _is_person(span[0])]
    if not spans and (budget is not None or any(_is_person(e.label_) for e in doc.ents)):
        spans = Entities(("PERSON",), getattr(parts.selector, "spans_key", None)).entities(doc)
    if not spans:
        return None
    from .persons import Treatment, persons_of

    plain, sentences = selected.in_plaintext(doc), selected.sentences(doc)
    treatment = Treatment(selected.mask, plain, sentences, selected.stood)
    found = persons_of(parts, doc, treatment, spans, space)
    spent = found.largest.epsilon()
    if budget is not None and spent > budget:
        raise DxError(Errors.DX178.format(spent=spent, budget=budget))
    return found


def _is_person(label: str) -> bool:
    return plain_label(label) == "PERSON"


def ids_of(doc: Doc) -> Ids1d:
    """Return the ids by which words are looked up in the space, uint64 (tokens, 3)."""
    table: Any = doc.to_array([ORTH, NORM, LOWER])
    ids: Ids1d = table
    return ids


# -- words of a batch ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """The t selected words of several documents, one after another.

    doc_of: int64 (t,), the document of each. rows: int64 (t,), -1 for unknown words. firsts: places
    of the words that are drawn; draw_of: int64 (t,), for each word which of these draws it takes.
    """

    docs: list[Doc]
    masks: list[Bools1d]
    doc_of: Ints1d
    rows: Ints1d
    firsts: Ints1d
    draw_of: Ints1d

    @classmethod
    def of(cls, docs: list[Doc], masks: list[Bools1d], space: Space, *, once: bool) -> Batch:
        """Look up the words. once: draw words that are alike in a document once."""
        ids = [ids_of(doc)[mask] for doc, mask in zip(docs, masks, strict=True)]
        doc_of = np.repeat(np.arange(len(ids)), [len(some) for some in ids])
        stacked = np.ascontiguousarray(np.concatenate(ids).T)
        rows = space.find_ids(*stacked)
        firsts = draw_of = np.arange(len(rows))
        if once:
            # Words of one row are one word to the mechanism, and so are unknown words alike.
            values = np.where(rows >= 0, rows.astype(np.uint64), stacked[2])
            keys = np.stack([doc_of.astype(np.uint64), (rows >= 0).astype(np.uint64), values])
            _, firsts, draw_of = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        return cls(docs, masks, doc_of, rows, firsts, draw_of.reshape(-1))

    def split(self, values: Floats2d) -> list[Floats2d]:
        """Map values of draws, (draws, ...), to one array of values of words for each document."""
        sizes = np.bincount(self.doc_of, minlength=len(self.docs))
        return np.split(values[self.draw_of], np.cumsum(sizes)[:-1])


def _replace(
    parts: Parts, batch: Batch, space: Space, context: Context | None
) -> list[tuple[list[str], Bools1d, int, Floats2d | None]]:
    """Words, known, draws and vectors of each document, as in Drawn.

    context: all words of the batch, where sentences matter; None where words are drawn alone.
    """
    rows = batch.rows[batch.firsts]
    draws = np.bincount(batch.doc_of[batch.firsts[rows >= 0]], minlength=len(batch.docs))
    _check_before(parts, space, int(draws.max()))
    vectors: Floats2d | None = None
    missing, texts = _missing(parts, batch, rows)
    if context is None:
        (drawn, vectors), known = _draw_alone(rows, space, parts), rows >= 0
        if parts.editor is not None and known.any():
            edited = parts.editor.edit(drawn[known], parts.mechanism)
            drawn[known] = checked_edit(edited, drawn[known], ~known[known])
        words = _words_at(drawn, space)
    else:
        # A word that was drawn where another text will stand is not shown to an editor.
        released = np.ones(len(context.rows), dtype=bool)
        released[np.flatnonzero(~context.fixed)[missing]] = False
        words = _words_at(_draw_in_context(context, released, space, parts), space)
    if texts:
        chosen = parts.unknown.replace(texts, space, parts.rng)
        words[missing] = _checked_words(chosen, len(missing))
    blocked = parts.blocked(space)
    if found := blocked.words.intersection(words.tolist()):
        words[:] = [blocked.substitutes[word] if word in found else word for word in words.tolist()]
    new = [some.tolist() for some in batch.split(words)]
    noisy = [None] * len(new) if vectors is None else batch.split(vectors)
    return list(zip(new, batch.split(rows >= 0), draws.tolist(), noisy, strict=True))


def _missing(parts: Parts, batch: Batch, rows: Ints1d) -> tuple[Ints1d, list[str]]:
    """The unknown words that the policy replaces, and not the mechanism: their places among the
    draws, and their texts."""
    missing, policy = np.flatnonzero(rows < 0), parts.unknown
    in_context = parts.draws_together and hasattr(policy, "in_context")
    if not len(missing) or (in_context and not hasattr(policy, "keeps_form")):
        return missing[:0], []
    tokens = np.concatenate([np.flatnonzero(mask) for mask in batch.masks])
    places = batch.firsts[missing].tolist()
    texts = [batch.docs[batch.doc_of[i]][int(tokens[i])].text for i in places]
    if in_context:
        formed: Any = policy
        some = [i for i, text in enumerate(texts) if formed.keeps_form(text)]
        missing, texts = missing[some], [texts[i] for i in some]
    return missing, texts


def _check_before(parts: Parts, space: Space, draws: int) -> None:
    """Raise before any word is drawn. draws: the most that a document takes."""
    if parts.mechanism.guarantee.space not in ("", space.digest):  # fitted on another meanwhile
        raise DxError(Errors.DX041.format(name=parts.mechanism.name))
    budget = parts.max_epsilon_per_doc
    if budget is not None:
        spent = repeat(parts.mechanism.guarantee, draws).epsilon
        if spent > budget:
            raise DxError(Errors.DX006.format(spent=spent, budget=budget))


def _draw_in_context(context: Context, released: Bools1d, space: Space, parts: Parts) -> Ints1d:
    """The rows that are drawn for the words that are not fixed. released: bool (k,), the words that
    an editor may read."""
    rows, fixed, mechanism = context.rows, context.fixed, parts.mechanism
    if facts_of(mechanism).draws_sentences:
        together: Any = mechanism
        draw = together.sample(
            rows, parts.rng, starts=context.starts, fixed=fixed, unknown=rows < 0
        )
        drawn = _checked_rows(draw, len(rows), space)
    else:
        drawn = np.where(fixed, rows, _draw_alone(np.where(fixed, -1, rows), space, parts)[0])
    if parts.editor is not None and released.any():
        starts = np.diff(np.cumsum(context.starts)[released], prepend=-1) > 0
        shown, unchanged = drawn[released], fixed[released]
        edited = parts.editor.edit(shown, mechanism, starts, fixed=unchanged)
        drawn[released] = checked_edit(edited, shown, unchanged)
    return drawn[~fixed]


def _draw_alone(rows: Ints1d, space: Space, parts: Parts) -> tuple[Ints1d, Floats2d | None]:
    """The rows that are drawn for rows (t,), -1 for -1, and noisy vectors (t, d) or None."""
    drawn, mechanism, rng = rows.copy(), parts.mechanism, parts.rng
    vectors = None
    if parts.vectors == "noisy":
        vectors = np.zeros((len(rows), space.vectors.shape[1]), dtype=np.float32)
    for places in _at_once(np.flatnonzero(rows >= 0), space):
        draw = mechanism.sample(rows[places], rng)
        drawn[places] = _checked_rows(draw, len(places), space)
        if vectors is not None:
            vectors[places] = _checked_vectors(draw, len(places), space)
    if vectors is not None:  # after all others: draws under a seed stay as they were
        for places in _at_once(np.flatnonzero(rows < 0), space):
            draw = mechanism.sample(rng.integers(len(space), len(places)), rng)
            vectors[places] = _checked_vectors(draw, len(places), space)
    return drawn, vectors


def _at_once(places: Ints1d, space: Space) -> Iterator[Ints1d]:
    """Parts of the places for one call of a mechanism each."""
    size = max(1024, NUMBERS_AT_ONCE // space.vectors.shape[1])
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _words_at(rows: Ints1d, space: Space) -> NDArray[np.object_]:
    """object (k,); "" at rows of -1, where a policy for unknown words puts its own."""
    words, every = np.empty(len(rows), dtype=object), space.words
    words[:] = [every[row] if row >= 0 else "" for row in rows.tolist()]
    return words


# -- sentences of a batch --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Passage:
    """The m words of one document.

    ids: uint64 (m, 3), for look-up in the space. drawn: bool (m,), whether a word is drawn. starts:
    bool (m,), whether a sentence begins. places: int64 (m,), which tokens they are.
    """

    ids: Ids1d
    drawn: Bools1d
    starts: Bools1d
    places: Ints1d


def passage(doc: Doc, mask: Bools1d, skipped: Bools1d) -> Passage:
    """Return the words of a Doc, cut into sentences of at most LONGEST words.

    mask: bool (tokens,), the words that are drawn. skipped: bool (tokens,), words that are neither
    drawn nor in plaintext, such as numbers: they are no context, and end no sentence.
    """
    table: Any = doc.to_array([ORTH, NORM, LOWER, IS_PUNCT, IS_SPACE])
    aside = (table[:, 3] | table[:, 4]) > 0
    words = np.flatnonzero((mask | ~aside) & ~skipped)
    breaks = np.zeros(len(table), dtype=bool)
    for place in np.flatnonzero(table[:, 4]).tolist():
        breaks[place] = "\n" in doc[place].text
    ends = aside & ~mask & (np.isin(table[:, 0], _ENDS, kind="sort") | breaks)
    starts = np.diff(np.cumsum(ends)[words], prepend=-1) > 0
    places = np.arange(len(starts))
    begins = np.maximum.accumulate(np.where(starts, places, 0))
    return Passage(table[words, :3], mask[words], (places - begins) % LONGEST == 0, words)


@dataclass(frozen=True, eq=False, repr=False)
class Context:
    """The k words of a batch as a mechanism takes them.

    rows: int64 (k,), -1 for words to be drawn that the space lacks. starts, fixed: bool (k,).
    """

    rows: Ints1d
    starts: Bools1d
    fixed: Bools1d


def _context(batch: Batch, selected: list[Selected], space: Space) -> Context | None:
    """The words of the batch in their sentences; None where nothing is drawn.

    Unmodified words that the space lacks are left out: the prior knows nothing of them.
    """
    if not any(mask.any() for mask in batch.masks):
        return None
    pairs = zip(batch.docs, selected, strict=True)
    passages = [passage(doc, one.mask, one.aside) for doc, one in pairs]
    rows = space.find_ids(*np.ascontiguousarray(np.concatenate([p.ids for p in passages]).T))
    fixed = ~np.concatenate([p.drawn for p in passages])
    sentences = np.cumsum(np.concatenate([p.starts for p in passages]))
    known = ~fixed | (rows >= 0)
    starts = np.diff(sentences[known], prepend=-1) > 0
    return Context(rows[known], starts, fixed[known])


# -- what other parts give back --------------------------------------------------------------------

# Mechanisms, editors and policies may be anyone's. What they give back is checked, since numpy
# would take one word for all, and a row of -1 for the last word.


def checked_edit(new: Ints1d, rows: Ints1d, fixed: Bools1d) -> Ints1d:
    """Raise DxError for rows of an editor that are no rows, or that change what is fixed."""
    found = np.asarray(new)
    valid = found.shape == rows.shape and found.dtype.kind in "iu"
    if not valid or (found[fixed] != rows[fixed]).any():
        expected = "as many row numbers, unchanged for unmodified words"
        raise _bad("The editor", found, len(rows), expected)
    return found


def _checked_rows(draw: Draw, k: int, space: Space) -> Ints1d:
    rows, n = np.asarray(draw.rows), len(space)
    valid = rows.shape == (k,) and rows.dtype.kind in "iu"
    if not valid or (k and (rows.min() < 0 or rows.max() >= n)):
        raise _bad("The mechanism", rows, k, f"as many row numbers from 0 to {n - 1}")
    return rows.astype(np.int64)


def _checked_vectors(draw: Draw, k: int, space: Space) -> Floats2d:
    X, d = np.asarray(draw.vectors), space.vectors.shape[1]
    if X.shape != (k, d) or X.dtype.kind != "f" or not np.isfinite(X).all():
        raise _bad("The mechanism", X, k, f"finite vectors of {d} numbers")
    return X


def _checked_words(words: list[str], k: int) -> list[str]:
    valid = isinstance(words, list) and len(words) == k
    if not valid or not all(isinstance(word, str) and word for word in words):
        given = np.empty(len(words) if isinstance(words, list) else (), dtype=object)
        raise _bad("The policy for unknown words", given, k, "a list of as many texts")
    return words


def _bad(part: str, given: Any, count: int, expected: str) -> DxError:
    """An error with shape and type alone: the values may be words of a document."""
    shape = f"{given.dtype} of shape {given.shape}"
    return DxError(Errors.DX038.format(part=part, given=shape, count=count, expected=expected))
