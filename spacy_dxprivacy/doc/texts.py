"""The words of texts, and those that were drawn for them, as texts again."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np

from .cutting import Cut
from .replacement import Replacement
from .spelling import spell


def texts_of(whole: Cut, sizes: list[int], replacements: list[Replacement]) -> list[str]:
    """What the Docs of these words would have as their texts. sizes: how many of them each has."""
    words = whole.words.copy()
    words[whole.mask] = [word for new in replacements for word in new.words]
    ends = list(accumulate(sizes, initial=0))
    firsts = np.array([end for end in ends if end < len(words)], dtype=np.int64)
    spelled, spaces = spell(words.tolist(), whole.spaces, whole.mask, firsts)
    parts = [""] * (2 * len(spelled))
    parts[::2] = spelled
    parts[1::2] = np.where(spaces, " ", "").tolist()
    return ["".join(parts[2 * start : 2 * end]) for start, end in pairwise(ends)]
