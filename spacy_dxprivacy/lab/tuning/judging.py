"""How what mechanisms draw reads, by a causal language model: nats over clear.

Both sides are spelled alike, from the words of the space: case and layout make no difference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from ...arrays import Bools1d, Ints1d
from ...batch.rows import Words, sentences_of_file
from ...errors import UsageError
from ...language.model import LanguageModel
from ...randomness import Rng
from ...space import Space
from ...ty import DrawsTogether, Mechanism
from .inspected import Inspected
from .judge import nats_a_word

WORDS = 1000  # that are judged
OUTPUTS = 64  # of a word
UNKNOWN = "[REDACTED]"


class Reading:
    """Called with a mechanism: how many nats a word what it draws takes more than `clear`."""

    def __init__(self, model: LanguageModel, texts: Sequence[Words], space: Space) -> None:
        """texts: see batch.rows; the first WORDS words count. Raises UsageError without one."""
        self.model, self.space = model, space
        self.texts = list(_first(texts))
        self.words = sum(len(rows) for rows, *_ in self.texts)
        if not self.words:
            raise UsageError("`text` has no word that the judge could read.")
        self.clear = self._nats([rows for rows, *_ in self.texts])

    @classmethod
    def of_file(cls, model: LanguageModel, source: str, field: str, space: Space) -> Reading:
        """Raises UsageError as sentences_of_file does."""
        parts = sentences_of_file(source, "`text`", field=field, space=space)
        documents = (one for some, _ in parts for one in some)
        return cls(model, list(islice(documents, WORDS)), space)

    def __call__(self, mechanism: Mechanism) -> float:
        rng = Rng(seed=0)
        return self._nats([self._drawn(mechanism, *t[:2], rng) for t in self.texts]) - self.clear

    def _drawn(self, mechanism: Mechanism, rows: Ints1d, starts: Bools1d, rng: Rng) -> Ints1d:
        """Words that the space lacks stay as they are."""
        known = rows >= 0
        new = rows.copy()
        if not known.any():
            return new
        more: dict[str, Any] = {}
        if isinstance(mechanism, DrawsTogether) and mechanism.draws_together:
            more["starts"] = np.diff(np.cumsum(starts)[known], prepend=-1) > 0
        new[known] = mechanism.sample(rows[known], rng, **more).rows
        return new

    def _nats(self, rows: Sequence[Ints1d]) -> float:
        pairs = zip(rows, self.texts, strict=True)
        written = [self._written(new, starts, before) for new, (_, starts, before) in pairs]
        return nats_a_word(self.model, written, self.words)

    def _written(self, rows: Ints1d, starts: Bools1d, before: Sequence[str]) -> str:
        text = ""
        for row, start, clear in zip(rows.tolist(), starts.tolist(), before, strict=True):
            word = UNKNOWN if row < 0 else self.space.words[row]
            text += clear + (word[:1].upper() + word[1:] if start else word)
        return text


def reading_of(
    model: LanguageModel | None, source: str | None, field: str, space: Space
) -> Reading | None:
    """None without a model or a text."""
    if model is None or source is None:
        return None
    return Reading.of_file(model, source, field, space)


def _first(texts: Sequence[Words]) -> Sequence[Words]:
    left, found = WORDS, []
    for rows, starts, before in texts:
        if len(rows) and left:
            found.append((rows[:left], starts[:left], before[:left]))
            left -= len(found[-1][0])
    return found


def read_outputs(
    model: LanguageModel, found: Inspected, sentence: str | None
) -> tuple[float, float]:
    """Nats over the word itself, of its likeliest outputs in its place in a sentence (alone, where
    there is none), in their mean; and the share of draws that these are. Raises UsageError for a
    sentence without the word."""
    word = found.space.words[found.row]
    place = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.I)
    text = word if sentence is None else sentence
    if place.search(text) is None:
        raise UsageError("`sentence` must hold the word.")
    outputs = found.becomes[:OUTPUTS]
    texts = [new.join(place.split(text)) for new in [word, *(new for new, _ in outputs)]]
    nats = model.nats(model.encode(texts))
    shares = np.array([share for _, share in outputs])
    return float((nats[1:] - nats[0]) @ shares / shares.sum()), float(shares.sum())
