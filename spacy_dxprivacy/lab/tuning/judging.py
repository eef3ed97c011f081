"""How texts, and what mechanisms draw, read by a causal language model: excess nats a word.

Both sides are spelled alike, from the words of the space: case and layout make no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools1d, Ints1d
from ...batch.rows import Words, sentences_of_file
from ...editors.model import LanguageModel
from ...errors import UsageError
from ...randomness import Rng
from ...space import Space
from ...ty import Mechanism
from ..corpus import drawn
from .inspected import Inspected

WORDS = 1000  # that are judged
OUTPUTS = 64  # of a word
UNKNOWN = "[REDACTED]"


@dataclass(frozen=True)
class Judged:
    """model: its name. before, after: nats of texts as they were and as they became, both divided
    by the number of words (between blanks) that they had. is_editor: whether it is the model that
    the texts were edited by, which judges its own work."""

    model: str
    before: float
    after: float
    is_editor: bool = False


def judged(model: LanguageModel, before: Sequence[str], after: Sequence[str]) -> Judged | None:
    """None of texts without a word. The texts are read here and go nowhere."""
    words = sum(len(text.split()) for text in before)
    if not words:
        return None
    nats = [nats_a_word(model, texts, words) for texts in (before, after)]
    return Judged(model.name, nats[0], nats[1])


def nats_a_word(model: LanguageModel, texts: Sequence[str], words: int) -> float:
    """Of all texts together, divided by a number of words."""
    return float(model.nats(model.encode(texts)).sum()) / words


WORDS = 1000  # that are judged
OUTPUTS = 64  # of a word
UNKNOWN = "[REDACTED]"


class Reading:
    """Called with a mechanism: how many nats a word what it draws takes more than `clear`."""

    def __init__(self, model: LanguageModel, texts: Iterable[Words], space: Space) -> None:
        """texts: see batch.rows; the first WORDS words count. Raises UsageError without one."""
        self.model, self.space = model, space
        self.texts = _first(texts)
        self.words = sum(len(rows) for rows, *_ in self.texts)
        if not self.words:
            raise UsageError("`text` has no word that the judge could read.")
        self.clear = self._nats([rows for rows, *_ in self.texts])

    @classmethod
    def of_file(cls, model: LanguageModel, source: str, field: str, space: Space) -> Reading:
        """Raises UsageError as sentences_of_file does."""
        parts = sentences_of_file(source, "`text`", field=field, space=space)
        return cls(model, (one for some, _ in parts for one in some), space)

    def __call__(self, mechanism: Mechanism) -> float:
        rng, found = Rng(seed=0), []
        for rows, starts, _ in self.texts:
            known, new = rows >= 0, rows.copy()  # words that the space lacks stay as they are
            if known.any():
                begins = np.diff(np.cumsum(starts)[known], prepend=-1) > 0
                new[known] = drawn(mechanism, rows[known], rng, begins).rows
            found.append(new)
        return self._nats(found) - self.clear

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


def _first(texts: Iterable[Words]) -> list[Words]:
    left, found = WORDS, []
    for rows, starts, before in texts:
        if len(rows):
            found.append((rows[:left], starts[:left], before[:left]))
            left -= len(found[-1][0])
        if not left:
            break
    return found


def read_outputs(
    model: LanguageModel, found: Inspected, sentence: str | None
) -> tuple[float, float]:
    """Nats over the word itself, of its likeliest outputs in its place in a sentence (alone, where
    there is none), in their mean; and the share of draws that these are. Raises UsageError for a
    sentence without the word."""
    word = found.word
    place = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.I)
    text = word if sentence is None else sentence
    if place.search(text) is None:
        raise UsageError("`sentence` must hold the word.")
    outputs = found.becomes[:OUTPUTS]
    texts = [new.join(place.split(text)) for new in [word, *(new for new, _ in outputs)]]
    nats = model.nats(model.encode(texts))
    shares = np.array([share for _, share in outputs])
    return float((nats[1:] - nats[0]) @ shares / shares.sum()), float(shares.sum())
