"""From string ids to replacements, for the selected words of a batch of documents at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools1d, Floats2d, Ids1d, Ints1d
from ..errors import DxError, Errors
from ..randomness import Rng
from ..space import Space
from ..ty import Draw, DrawsTogether, Editor, InContext, Mechanism, Unknown
from .editing import edited, edited_alone
from .passages import Context

NUMBERS_AT_ONCE = 2**22  # of noise, in one call of a mechanism: 32 MB as float64


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


def replace_words(
    ids: list[Ids1d],
    clear: Callable[[Ints1d], list[str]],
    *,
    space: Space,
    mechanism: Mechanism,
    unknown: Unknown,
    rng: Rng,
    once_per_type: bool,
    with_vectors: bool,
    check: Callable[[int], None],
    context: Context | None = None,
    editor: Editor | None = None,
    instead: Mapping[str, str] | None = None,
) -> list[Replacement]:
    """ids: for each document uint64 (m, 3), the orth, norm and lower-case ids of its m selected
    words. clear: reads the words at some places of the batch, for policies that look at unknown
    ones. check: is told, before anything is drawn, how many draws a document takes at most.
    context: all words of the batch, for editors and for mechanisms that draw the words of a
    sentence together; not with once_per_type, where the words of a document are a set. editor: goes
    over the words that were drawn. instead: what comes out for words that never do, last of all."""
    if not ids:
        return []
    batch = Batch.of(ids, space, once_per_type=once_per_type)
    rows = batch.rows[batch.firsts]
    draws_in = np.bincount(batch.doc_of[batch.firsts[rows >= 0]], minlength=len(ids))
    check(int(draws_in.max()))
    vectors = None
    in_context = isinstance(unknown, InContext)
    if context is None:
        words, vectors = _draw(
            rows, space, mechanism, rng, with_vectors=with_vectors, editor=editor
        )
    else:
        drawn = _draw_in_context(context, space, mechanism, rng)
        if editor is not None:
            released = (context.rows >= 0) | in_context
            drawn = edited(drawn, released, context, mechanism, editor)
        words = _words_at(drawn[~context.fixed], space)
    missing = np.flatnonzero(rows < 0)
    if context is not None and in_context:
        missing = missing[:0]
    if len(missing):
        stand_ins = unknown.replace(clear(batch.firsts[missing]), space, rng)
        words[missing] = _checked_words(stand_ins, len(missing))
    if instead:
        _put_instead(words, instead)
    return [
        Replacement(new.tolist(), known, int(draws), noisy)
        for new, known, draws, noisy in zip(
            batch.split(words),
            batch.split(rows >= 0),
            draws_in,
            [None] * len(ids) if vectors is None else batch.split(vectors),
            strict=True,
        )
    ]


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


def _draw(
    rows: Ints1d,
    space: Space,
    mechanism: Mechanism,
    rng: Rng,
    *,
    with_vectors: bool,
    editor: Editor | None,
) -> tuple[NDArray[np.object_], Floats2d | None]:
    """rows (t,), -1 left out -> words (t,) and, if wanted, noisy vectors (t, d)."""
    words = np.empty(len(rows), dtype=object)
    vectors = None
    if with_vectors:
        vectors = np.zeros((len(rows), space.vectors.shape[1]), dtype=np.float32)
    for places in _at_once(np.flatnonzero(rows >= 0), space):
        draw = mechanism.sample(rows[places], rng)
        new = np.asarray(_checked_rows(draw, len(places), space))
        if editor is not None:
            new = edited_alone(new, mechanism, editor)
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
