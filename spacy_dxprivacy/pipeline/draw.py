"""From Docs to what is drawn for their words: select, look up, draw. Nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_PUNCT, IS_SPACE, LOWER, NORM, ORTH
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats2d, Ids1d, Ints1d
from ..errors import DxError, Errors
from ..privacy.composition import repeat
from ..randomness import Rng
from ..space import Space
from ..surrogates.figures import Figures, draw_figures, find_figures
from ..surrogates.standing import StandIns, stand_in
from ..text.mentions import Entity
from ..ty import Draw, DrawsTogether, Editor, InContext, Mechanism
from .parts import Parts
from .select import AnyEntities, Entities, words_of

LONGEST = 48  # words of a sentence; longer ones are cut
NUMBERS_AT_ONCE = 2**22  # of noise, in one call of a mechanism: 32 MB as float64

_ENDS = np.array(
    [get_string_id(mark) for mark in (".", "!", "?", ";", ":", "...", "…", "!!", "??", "?!", "!?")],
    dtype=np.uint64,
)


@dataclass(frozen=True, eq=False, repr=False)
class Replacement:
    """For the m selected words of one document: what stands in their place.

    words: m strings. known: bool (m,), whether the space held the word. draws: how many draws the
    mechanism made. vectors: float32 (m, d), noisy, or None. That of an unknown word is one of a
    public word that is drawn uniformly: which words are unknown does not show in vectors.
    """

    words: list[str]
    known: Bools1d
    draws: int
    vectors: Floats2d | None


@dataclass(frozen=True, eq=False, repr=False)
class Drawn:
    """What was drawn for one Doc. mask: bool (tokens,), the words that the mechanism took. new:
    what stands in their place. figures: its numbers, drawn by their value. stood: what stands for
    its mentions; None without surrogates."""

    mask: Bools1d
    new: Replacement
    figures: Figures
    stood: StandIns | None


def draw(parts: Parts, docs: list[Doc], space: Space) -> list[Drawn]:
    """Draw for a batch of Docs at once.

    Args:
        parts: The component's settings, its mechanism fitted on the space.
        docs: The input.
        space: The table of words.

    Returns:
        What was drawn, in the order of the Docs.

    Raises:
        DxError: Where a Doc would exceed its budget, and where a part gives back something wrong.
    """
    if not docs:
        return []
    entities, stood = _stand_ins(parts, docs)
    selected = [_mask(parts, *some) for some in zip(docs, entities, stood, strict=True)]
    pairs = list(zip(docs, selected, strict=True))
    figures = [find_figures(doc, mask, parts.numbers) for doc, mask in pairs]
    masks = [mask & ~numbers for mask, numbers in zip(selected, figures, strict=True)]
    batch = Batch.of([ids_of(doc)[mask] for doc, mask in zip(docs, masks, strict=True)], space,
                     once_per_type=parts.scope == "type")  # fmt: skip
    context = _context(docs, masks, figures, stood, space) if parts.in_context else None
    new = _replaced(parts, batch, space, lambda wanted: _read(docs, masks, wanted), context)
    once = parts.scope == "type"
    drawn = [
        draw_figures(doc, mask, parts.numbers, parts.rng, once_per_type=once)
        for doc, mask in zip(docs, figures, strict=True)
    ]
    return [Drawn(*some) for some in zip(masks, new, drawn, stood, strict=True)]


def _stand_ins(
    parts: Parts, docs: list[Doc]
) -> tuple[list[list[Entity] | None], list[StandIns | None]]:
    """For each Doc what surrogates are for, None with a selector that takes no more than doc.ents;
    and what stands in for it, None without surrogates."""
    if not parts.surrogates:
        return [None] * len(docs), [None] * len(docs)
    finder: AnyEntities | None = AnyEntities(tuple(parts.standing), None, again=True)
    plain = isinstance(parts.selector, Entities)  # all but entities are released
    if plain:
        finder = parts.selector if isinstance(parts.selector, AnyEntities) else None
    found = [None if finder is None else finder.entities(doc) for doc in docs]
    stood: list[StandIns | None] = []
    for doc, entities in zip(docs, found, strict=True):
        drawn = stand_in(doc, parts.standing, parts.rng, entities, rest_is_plain=plain)
        if parts.on_stand_ins is not None:
            parts.on_stand_ins(doc, drawn)
        stood.append(drawn)
    return found, stood


def _mask(parts: Parts, doc: Doc, entities: list[Entity] | None, stood: StandIns | None) -> Bools1d:
    """The words that are drawn, and its numbers."""
    if entities is not None and isinstance(parts.selector, AnyEntities):
        mask = parts.selector.words(doc, entities)  # they need not be looked for twice
    else:
        mask = np.asarray(parts.selector.select(doc))
    if mask.shape != (len(doc),) or mask.dtype != np.bool_:
        raise DxError(Errors.DX037.format(given=f"{mask.dtype} of shape {mask.shape}"))
    if stood is None:
        return mask
    chosen: Bools1d = (mask | (stood.words & words_of(doc))) & ~(stood.replaced | stood.kept)
    return chosen


def ids_of(doc: Doc) -> Ids1d:
    """uint64 (tokens, 3): the ids by which the space is asked."""
    table: Any = doc.to_array([ORTH, NORM, LOWER])
    ids: Ids1d = table
    return ids


def _read(docs: list[Doc], masks: list[Bools1d], wanted: Ints1d) -> list[str]:
    """The words of the input at the wanted places of the batch."""
    places = [np.flatnonzero(mask) for mask in masks]
    doc_of = np.repeat(np.arange(len(docs)), [len(some) for some in places])[wanted]
    token_of = np.concatenate(places)[wanted]
    pairs = zip(doc_of.tolist(), token_of.tolist(), strict=True)
    return [docs[number][place].text for number, place in pairs]


# -- words of a batch ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """The selected words of several documents, one after another.

    doc_of: int64 (t,), the document of each. rows: int64 (t,), -1 for unknown words. firsts: places
    of the words that are drawn; draw_of: int64 (t,), for each word which of these draws it takes.
    """

    sizes: Ints1d
    doc_of: Ints1d
    rows: Ints1d
    firsts: Ints1d
    draw_of: Ints1d

    @classmethod
    def of(cls, ids: list[Ids1d], space: Space, *, once_per_type: bool) -> Batch:
        """ids: for each document uint64 (m, 3), the orth, norm and lower-case ids of its words."""
        sizes = np.array([len(some) for some in ids], dtype=np.int64)
        doc_of = np.repeat(np.arange(len(ids)), sizes)
        stacked = np.ascontiguousarray(np.concatenate(ids).T)
        rows = space.find_ids(*stacked)
        firsts = draw_of = np.arange(len(rows))
        if once_per_type:
            # Words of one row are one word to the mechanism, and so are unknown words alike.
            values = np.where(rows >= 0, rows.astype(np.uint64), stacked[2])
            keys = np.stack([doc_of.astype(np.uint64), (rows >= 0).astype(np.uint64), values])
            _, firsts, draw_of = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        return cls(sizes, doc_of, rows, firsts, draw_of.reshape(-1))

    def split(self, values: Floats2d) -> list[Floats2d]:
        """Values a draw, (draws, ...) -> for each document an array of values a word."""
        return np.split(values[self.draw_of], np.cumsum(self.sizes)[:-1])


def _replaced(
    parts: Parts,
    batch: Batch,
    space: Space,
    read: Callable[[Ints1d], list[str]],
    context: Context | None,
) -> list[Replacement]:
    """read: gives the words at some places of the batch, for policies that look at unknown ones.
    context: all words of the batch, where sentences count; not where the words of a document are a
    set."""
    rows = batch.rows[batch.firsts]
    draws_in = np.bincount(batch.doc_of[batch.firsts[rows >= 0]], minlength=len(batch.sizes))
    _check_budget(parts, int(draws_in.max()))
    vectors = None
    in_context = isinstance(parts.unknown, InContext)
    editor = parts.word_editor
    if context is None:
        words, vectors = _draw_alone(rows, space, parts)
    else:
        drawn = _draw_in_context(context, space, parts.mechanism, parts.rng)
        if editor is not None:
            released = (context.rows >= 0) | in_context
            drawn = _edited(drawn, released, context, parts.mechanism, editor)
        words = _words_at(drawn[~context.fixed], space)
    missing = np.flatnonzero(rows < 0)
    if len(missing) and not (context is not None and in_context):
        chosen = parts.unknown.replace(read(batch.firsts[missing]), space, parts.rng)
        words[missing] = _checked_words(chosen, len(missing))
    if substitutes := parts.instead(space):
        _put_instead(words, substitutes)
    noisy = [None] * len(batch.sizes) if vectors is None else batch.split(vectors)
    some = zip(batch.split(words), batch.split(rows >= 0), draws_in, noisy, strict=True)
    return [Replacement(new.tolist(), known, int(draws), X) for new, known, draws, X in some]


def _check_budget(parts: Parts, draws: int) -> None:
    """Before anything is drawn: how many draws a document takes at most."""
    budget = parts.max_epsilon_per_doc
    if budget is None:
        return
    spent = repeat(parts.mechanism.guarantee, draws).epsilon
    if spent > budget:
        raise DxError(Errors.DX006.format(spent=spent, budget=budget))


def _put_instead(words: NDArray[np.object_], instead: Mapping[str, str]) -> None:
    drawn = words.tolist()
    if found := set(instead).intersection(drawn):
        words[:] = [instead[word] if word in found else word for word in drawn]


def _draw_in_context(context: Context, space: Space, mechanism: Mechanism, rng: Rng) -> Ints1d:
    """int64 (k,): the rows of the batch, drawn where they are not fixed."""
    rows = context.rows
    if isinstance(mechanism, DrawsTogether) and mechanism.draws_together:
        together: Any = mechanism
        draw = together.sample(
            rows, rng, starts=context.starts, fixed=context.fixed, unknown=rows < 0
        )
        return np.asarray(_checked_rows(draw, len(rows), space))
    drawn = rows.copy()
    free = np.flatnonzero(~context.fixed & (rows >= 0))
    for places in _at_once(free, space):
        draw = mechanism.sample(rows[places], rng)
        drawn[places] = _checked_rows(draw, len(places), space)
    return drawn


def _draw_alone(
    rows: Ints1d, space: Space, parts: Parts
) -> tuple[NDArray[np.object_], Floats2d | None]:
    """rows (t,), -1 left out -> words (t,) and, if wanted, noisy vectors (t, d)."""
    words = np.empty(len(rows), dtype=object)
    vectors = None
    mechanism, rng, editor = parts.mechanism, parts.rng, parts.word_editor
    if parts.vectors == "noisy":
        vectors = np.zeros((len(rows), space.vectors.shape[1]), dtype=np.float32)
    for places in _at_once(np.flatnonzero(rows >= 0), space):
        draw = mechanism.sample(rows[places], rng)
        new = np.asarray(_checked_rows(draw, len(places), space))
        if editor is not None:
            new = _edited_alone(new, mechanism, editor)
        words[places] = _words_at(new, space)
        if vectors is not None:
            vectors[places] = _checked_vectors(draw, len(places), space)
    if vectors is not None:  # after all others: draws under a seed stay as they were
        for places in _at_once(np.flatnonzero(rows < 0), space):
            anyone = rng.integers(len(space), len(places))
            draw = mechanism.sample(anyone, rng)
            vectors[places] = _checked_vectors(draw, len(places), space)
    return words, vectors


def _at_once(places: Ints1d, space: Space) -> Iterator[Ints1d]:
    """Parts of the places for one call of a mechanism each."""
    size = max(1024, NUMBERS_AT_ONCE // space.vectors.shape[1])
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _words_at(rows: Ints1d, space: Space) -> NDArray[np.object_]:
    """object (k,); "" at rows of -1, where a policy for unknown words puts its own."""
    words, every = np.empty(len(rows), dtype=object), space.words
    if (rows >= 0).all():
        words[:] = list(map(every.__getitem__, rows.tolist()))
    else:
        words[:] = [every[row] if row >= 0 else "" for row in rows.tolist()]
    return words


# -- sentences of a batch --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Passage:
    """The m words of one document. ids: uint64 (m, 3), by which the space is asked. drawn: bool
    (m,), whether a word is drawn. starts: bool (m,), whether a sentence begins. places: int64
    (m,), which tokens they are."""

    ids: Ids1d
    drawn: Bools1d
    starts: Bools1d
    places: Ints1d


@dataclass(frozen=True, eq=False, repr=False)
class Context:
    """The words of a batch as a mechanism takes them. rows: int64 (k,), -1 for words to be drawn
    that the space lacks. starts, fixed: bool (k,)."""

    rows: Ints1d
    starts: Bools1d
    fixed: Bools1d


def _context(
    docs: list[Doc],
    masks: list[Bools1d],
    figures: list[Bools1d],
    stood: list[StandIns | None],
    space: Space,
) -> Context | None:
    """The words of the batch in their sentences; None where nothing is drawn. A document of which
    nothing is drawn has no use for context either."""
    if not any(mask.any() for mask in masks):
        return None
    passages = []
    for doc, mask, numbers, one in zip(docs, masks, figures, stood, strict=True):
        aside = numbers if one is None else numbers | one.replaced | (not mask.any())
        passages.append(passage(doc, mask, aside))
    return context_of(passages, space)


def passage(doc: Doc, mask: Bools1d, skipped: Bools1d) -> Passage:
    """mask: bool (tokens,), the words that are drawn. skipped: bool (tokens,), those that are
    neither drawn nor in clear, such as numbers: they are no context, and cut nothing."""
    table: Any = doc.to_array([ORTH, NORM, LOWER, IS_PUNCT, IS_SPACE])
    aside = (table[:, 3] | table[:, 4]) > 0
    words = np.flatnonzero((mask | ~aside) & ~skipped)
    ends = aside & ~mask & (np.isin(table[:, 0], _ENDS, kind="sort") | _breaks(doc, table))
    sentences = np.cumsum(ends)[words]
    starts = np.diff(sentences, prepend=-1) > 0
    return Passage(table[words, :3], mask[words], _cut(starts), words)


def _breaks(doc: Doc, table: Any) -> Bools1d:
    """bool (tokens,): white space with a line break in it."""
    found = np.zeros(len(table), dtype=bool)
    for place in np.flatnonzero(table[:, 4]).tolist():
        found[place] = "\n" in doc[place].text
    return found


def _cut(starts: Bools1d) -> Bools1d:
    """Sentences of LONGEST words at most."""
    places = np.arange(len(starts))
    begins = np.maximum.accumulate(np.where(starts, places, 0))
    cut: Bools1d = (places - begins) % LONGEST == 0
    return cut


def context_of(passages: Sequence[Passage], space: Space) -> Context:
    """Words that stay as they are and that the space lacks are left out: nothing can be said of
    what goes with them."""
    stacked = np.ascontiguousarray(np.concatenate([p.ids for p in passages]).T)
    rows = space.find_ids(*stacked)
    fixed = ~np.concatenate([p.drawn for p in passages])
    sentences = np.cumsum(np.concatenate([p.starts for p in passages]))
    there = ~fixed | (rows >= 0)
    starts = np.diff(sentences[there], prepend=-1) > 0
    return Context(rows[there], starts, fixed[there])


# -- editors of words, and what others give back ---------------------------------------------------


def _edited(
    rows: Ints1d, released: Bools1d, context: Context, mechanism: Mechanism, editor: Editor
) -> Ints1d:
    """rows: int64 (k,), all words of the batch as they were drawn. released: bool (k,), those that
    come out: a word that was drawn where [REDACTED] will stand is not shown to the editor."""
    if not released.any():
        return rows
    sentences = np.cumsum(context.starts)[released]
    starts, fixed = np.diff(sentences, prepend=-1) > 0, context.fixed[released]
    shown = rows[released]
    new = rows.copy()
    new[released] = checked_edit(editor.edit(shown, mechanism, starts, fixed=fixed), shown, fixed)
    return new


def _edited_alone(rows: Ints1d, mechanism: Mechanism, editor: Editor) -> Ints1d:
    """rows: int64 (k,), words that were drawn each by itself."""
    return checked_edit(editor.edit(rows, mechanism), rows, np.zeros(len(rows), dtype=bool))


def checked_edit(new: Ints1d, rows: Ints1d, fixed: Bools1d) -> Ints1d:
    """Raise DxError for rows of an editor that are no rows, or that change what is fixed."""
    found = np.asarray(new)
    right = found.shape == rows.shape and found.dtype.kind in "iu"
    if not right or (found[fixed] != rows[fixed]).any():
        given = f"{found.dtype} of shape {found.shape}"
        expected = "as many row numbers, those of words in clear as they were"
        message = Errors.DX038.format(
            part="The editor", given=given, count=len(rows), expected=expected
        )
        raise DxError(message)
    return found


# Mechanisms and policies may be anyone's. What they give back is checked, since numpy would take
# one word for all, and a row of -1 for the last word.


def _checked_rows(draw: Draw, k: int, space: Space) -> list[int]:
    rows, n = np.asarray(draw.rows), len(space)
    right = rows.shape == (k,) and rows.dtype.kind in "iu"
    if not right or (k and (rows.min() < 0 or rows.max() >= n)):
        raise _bad("The mechanism", rows, k, f"as many row numbers from 0 to {n - 1}")
    checked: list[int] = rows.tolist()
    return checked


def _checked_vectors(draw: Draw, k: int, space: Space) -> Floats2d:
    X, d = np.asarray(draw.vectors), space.vectors.shape[1]
    if X.shape != (k, d) or X.dtype.kind != "f" or not np.isfinite(X).all():
        raise _bad("The mechanism", X, k, f"finite vectors of {d} numbers")
    return X


def _checked_words(words: list[str], k: int) -> list[str]:
    right = isinstance(words, list) and len(words) == k
    if not right or not all(isinstance(word, str) and word for word in words):
        given = np.empty(len(words) if isinstance(words, list) else (), dtype=object)
        raise _bad("The policy for unknown words", given, k, "a list of as many texts")
    return words


def _bad(part: str, given: Any, count: int, expected: str) -> DxError:
    """The shape and type alone are told: the values may be words of a document."""
    told = f"{given.dtype} of shape {given.shape}"
    return DxError(Errors.DX038.format(part=part, given=told, count=count, expected=expected))
