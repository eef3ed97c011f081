"""Types: the lower-case words that the law of pairs tells apart, and the rows that are each."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacy_dxprivacy import Space
from spacy_dxprivacy.prior.chain import nearest_hosts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_GROWTH = 3.0  # factor by which rows that the language model lacks enlarge a type
CLITICS = ("n't", "'s", "'ll", "'re", "'ve", "'m", "'d")
STEMS = {"ca": "can", "wo": "will"}
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
YEAR = "<year>"


@dataclass(frozen=True)
class Types:
    """names: K. of_row: (n,), the type of each row. growth: (K,), how many times as common each is
    with the rows that joined it."""

    names: list[str]
    of_row: Ints
    growth: Floats


def tokens(word: str, known: set[str]) -> list[str]:
    """The words, cut as spaCy does, that a word of the language model stands for; [] if unknown."""
    if word in known or word in ("<s>", "</s>"):
        return [word]
    if re.fullmatch(r"[a-z]\.", word):
        return [word[0]]
    parts = [_split(part, known) for part in word.split("-")]
    return [] if not all(parts) else [token for part in parts for token in part]


def _split(part: str, known: set[str]) -> list[str]:
    if part in known:
        return [part]
    for clitic in CLITICS:
        stem = part.removesuffix(clitic).removesuffix(".")
        stem = STEMS.get(stem, stem) if stem not in known else stem
        if part.endswith(clitic) and stem in known:
            return [stem, clitic]
    return [part[:-1], "'"] if part.endswith("s'") and part[:-1] in known else []


def spoken(word: str) -> str:
    """The word under which the language model knows a number in digits; "" for others."""
    if not re.fullmatch(r"\d{1,3}", word):
        return ""
    n = int(word)
    if n < 20:
        return ONES[n]
    return TENS[n // 10] if n < 100 else "hundred"


def make_types(space: Space, mass: dict[str, float], frequency: Floats, most: int) -> Types:
    """mass: how common each token is in the language model. frequency: (n,), of the rows."""
    lower = [w.lower() for w in space.words]
    own = sorted((w for w in set(lower) if mass.get(w, 0) > 0), key=lambda w: (-mass[w], w))
    names = [*own[:most], YEAR]
    index = {w: i for i, w in enumerate(names)}
    of_row = np.array([index.get(w, -1) for w in lower])
    for row in np.flatnonzero(space.with_class("year")):
        if re.fullmatch(r"(1[5-9]|20)\d\d", space.words[row]):
            of_row[row] = index[YEAR]
    direct = of_row >= 0
    for row in np.flatnonzero(~direct):
        of_row[row] = index.get(spoken(space.words[row]), -1)
    lack = of_row < 0
    of_row[lack] = of_row[nearest_hosts(space, lack, frequency, most=len(space))]
    total = np.bincount(of_row, frequency, len(names))
    growth = total / np.bincount(of_row[direct], frequency[direct], len(names))
    return Types(names, of_row, np.clip(growth, 1, MAX_GROWTH))
