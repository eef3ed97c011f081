"""The words of several texts, and those that were drawn for them, spelled together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

import numpy as np

from ..arrays import Bools1d
from .cutting import Cut
from .editing import Written
from .replacement import Replacement
from .spelling import spell


def spelled(texts: Sequence[Written]) -> list[Written]:
    """Each text as a person would write it."""
    if not texts:
        return []
    words = [word for text in texts for word in text.words]
    spaces = np.array([space for text in texts for space in text.spaces], dtype=bool)
    drawn = np.concatenate([text.drawn for text in texts])
    sizes = [len(text.words) for text in texts]
    words, spaces, ends = _spelled(words, spaces, drawn, sizes)
    blanks = spaces.tolist()
    return [
        replace(text, words=words[start:end], spaces=blanks[start:end])
        for text, (start, end) in zip(texts, pairwise(ends), strict=True)
    ]


def texts_of(whole: Cut, sizes: list[int], replacements: list[Replacement]) -> list[str]:
    """What the Docs of these words would have as their texts. sizes: how many of them each has."""
    words = whole.words.copy()
    words[whole.mask] = [word for new in replacements for word in new.words]
    new, spaces, ends = _spelled(words.tolist(), whole.spaces, whole.mask, sizes)
    parts = [""] * (2 * len(new))
    parts[::2] = new
    parts[1::2] = np.where(spaces, " ", "").tolist()
    return ["".join(parts[2 * start : 2 * end]) for start, end in pairwise(ends)]


def _spelled(
    words: list[str], spaces: Bools1d, drawn: Bools1d, sizes: list[int]
) -> tuple[list[str], Bools1d, list[int]]:
    """sizes: how many words each text has. Also gives where each begins, and the last ends."""
    ends = list(accumulate(sizes, initial=0))
    firsts = np.array([end for end in ends if end < len(words)], dtype=np.int64)
    return *spell(words, spaces, drawn, firsts), ends
