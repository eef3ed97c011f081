"""The words of documents in their order, cut into sentences where the layout cuts them.

Punctuation and line breaks stay in clear, so that cutting at them tells nothing new. Words that are
not drawn stay as they are, and are context for those that are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.attrs import IS_PUNCT, IS_SPACE, LOWER, NORM, ORTH
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..arrays import Bools1d, Ids1d, Ints1d
from ..space import Space

LONGEST = 48  # words of a sentence; longer ones are cut
_ENDS = np.array(
    [get_string_id(mark) for mark in (".", "!", "?", ";", ":", "...", "…", "!!", "??", "?!", "!?")],
    dtype=np.uint64,
)


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


def clear_before(doc: Doc, places: Ints1d) -> list[str]:
    """For each of the tokens at rising places, all that stands between it and the one before."""
    ends = [0, *(doc[place].idx + len(doc[place]) for place in places[:-1].tolist())]
    text = doc.text
    return [text[end : doc[place].idx] for end, place in zip(ends, places.tolist(), strict=False)]


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
