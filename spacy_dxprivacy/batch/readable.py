"""Whether what comes out of a space can be read: public sentences are drawn, and looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..component import DxSanitizer
from ..priors.builtin import frequency_of
from ..randomness import Rng
from ..space import Space
from ..ty import DrawsTogether

# Written for this; nobody's text.
SENTENCES = """
She was seen at the hospital in the morning and went home after two hours .
The house near the river was sold last year , and a family with a small dog lives there now .
I called the office twice this week , but nobody could tell me when the letter was sent .
He has had a cough for ten days and does not sleep well at night .
We would like to thank the school for all that it has done for our children .
The new system does not start when the door is open , and the light stays red .
My mother says that the food was good and that the people were very kind to her .
They will meet in the city on Friday to talk about the money and the plan .
"""
REPEATS = 4
LEAST_HELD = 0.8  # of these words: else the space is of another language, which is not judged here
MOST_NATS = 1.5  # how much rarer words may come out than they went in, on the average


@dataclass(frozen=True)
class Reading:
    """nats: by how much the words that come out are rarer in English than those that went in, in
    natural logarithms, on the average. rare: the share of words that the built-in space lacks."""

    nats: float
    rare: float

    @property
    def is_hard(self) -> bool:
        """Whether what comes out is far from readable."""
        return self.nats > MOST_NATS


def reading(sanitizer: DxSanitizer) -> Reading | None:
    """How the fitted mechanism of a sanitizer writes English. None where its space is of another
    language, or the built-in one, for which figures are in the docs."""
    space, builtin = sanitizer.space, Space.builtin()
    if space.digest == builtin.digest:
        return None
    words = SENTENCES.split()
    rows = np.array([space.find(word) for word in words])
    starts = np.array([i == 0 or words[i - 1] == "." for i in range(len(words))])
    if (rows >= 0).mean() < LEAST_HELD:
        return None
    sentences = np.cumsum(starts)[rows >= 0]
    starts, rows = np.diff(sentences, prepend=0) > 0, rows[rows >= 0]
    how: dict[str, Any] = {"starts": np.tile(starts, REPEATS)} if _draws_together(sanitizer) else {}
    drawn = sanitizer.mechanism.sample(np.tile(rows, REPEATS), Rng(), **how).rows
    surprise = -np.log(frequency_of(space))
    lacking = np.array([builtin.find(space.words[row]) < 0 for row in drawn])
    return Reading(float(surprise[drawn].mean() - surprise[rows].mean()), float(lacking.mean()))


def _draws_together(sanitizer: DxSanitizer) -> bool:
    mechanism = sanitizer.mechanism
    return isinstance(mechanism, DrawsTogether) and bool(mechanism.draws_together)
