"""The kinds of tokens of a draft, which say what each token is."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

import numpy as np

from ..arrays import Bools1d, Ints1d


class Kind(IntEnum):
    """What a token of a draft is. Only equality counts, never the order of values.

    Attributes:
        SENTENCE_END: Punctuation or white space that ends a sentence.
        PUNCTUATION: Other punctuation or white space.
        PLAIN: A word in plaintext.
        SURROGATE: A token of a surrogate.
        SELECTED: A word to be sampled. It becomes SAMPLED, or UNKNOWN if the space lacks it.
        SAMPLED: A sampled word of the space.
        UNKNOWN: A replaced word that the space lacks.
        NUMBER: A number, sampled by its value.
    """

    SENTENCE_END = 0
    PUNCTUATION = 1
    PLAIN = 2
    SURROGATE = 3
    SELECTED = 4
    SAMPLED = 5
    UNKNOWN = 6
    NUMBER = 7


WORDS_OF_SENTENCES = frozenset({Kind.PLAIN, Kind.SELECTED})  # before sampling
UNMODIFIED = frozenset({Kind.SENTENCE_END, Kind.PUNCTUATION, Kind.PLAIN})
TO_DRAW = frozenset({Kind.SELECTED, Kind.NUMBER})  # before sampling
DRAWN_WORDS = frozenset({Kind.SAMPLED, Kind.UNKNOWN})
DRAWN = DRAWN_WORDS | {Kind.NUMBER}


def of_kind(kinds: Ints1d, wanted: Kind | frozenset[Kind]) -> Bools1d:
    """Return which tokens are of a kind, or of one kind of a set, bool (t,)."""
    are_of_kind: Bools1d = _table(wanted).take(kinds)  # numpy compares enums slowly
    return are_of_kind


@lru_cache
def _table(wanted: Kind | frozenset[Kind]) -> Bools1d:
    """Return for each value of Kind whether it is wanted."""
    members = {wanted} if isinstance(wanted, Kind) else wanted
    return np.array([kind in members for kind in sorted(Kind)])
