"""Words of documents that are found wherever they stand: the measure that all releases have.

Who rewrites a text moves its words, so that places say nothing. An original's words are counted,
each as often as it comes, that are among the attacker's guesses for its document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...arrays import Bools1d, Floats1d, Ints1d
from .corpus import Corpus


def found_anywhere(text: Corpus, guesses: Sequence[Ints1d]) -> Bools1d:
    """bool (t,): for each word of the text whether it is among the guesses for its document, int64
    (any,) each, a guess for one word at most."""
    hits = np.zeros(len(text.rows), dtype=bool)
    for begin, rows, guess in zip(text.starts.tolist(), text, guesses, strict=False):
        left = Counter(guess.tolist())
        for place, row in enumerate(rows.tolist(), start=begin):
            hits[place] = left[row] > 0
            left[row] -= 1
    return hits


def read_off(rows: Ints1d, length: int, known: Floats1d) -> Ints1d:
    """int64 (length,): guesses for a document of so many words of which another text was released.

    The words that stand there, the first ones where they are more, and in place of those that are
    missing the words that texts have most often. rows: int64 (any,), of the release. known: float64
    (n,), how often each word comes. Whoever knows the law of the rewriting finds more.
    """
    said = rows[:length]
    usual = np.argsort(-known, kind="stable")[: 4 * length]
    expected = length * known[usual]
    expected -= (said[:, None] == usual[None, :]).sum(axis=0)
    more = []
    for _ in range(length - len(said)):
        best = int(expected.argmax())
        more.append(int(usual[best]))
        expected[best] -= 1
    return np.append(said, np.array(more, dtype=np.int64))
