"""The words of several texts, those that were drawn among them, spelled together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

import numpy as np

from .editing import Written
from .spelling import spell


def spelled(texts: Sequence[Written]) -> list[Written]:
    """Return each text as a person would write it."""
    if not texts:
        return []
    words = [word for text in texts for word in text.words]
    spaces = np.array([space for text in texts for space in text.spaces], dtype=bool)
    drawn = np.concatenate([text.drawn for text in texts])
    ends = list(accumulate((len(text.words) for text in texts), initial=0))
    firsts = np.array([end for end in ends if end < len(words)], dtype=np.int64)
    words, spaces = spell(words, spaces, drawn, firsts)
    blanks = spaces.tolist()
    return [
        replace(text, words=words[start:end], spaces=blanks[start:end])
        for text, (start, end) in zip(texts, pairwise(ends), strict=True)
    ]
