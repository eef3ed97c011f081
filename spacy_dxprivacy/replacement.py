"""From string ids to replacements, for the selected words of a batch of documents at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .randomness import Rng
from .space import Space
from .ty import Bools1d, Floats2d, Ids1d, Ints1d, Mechanism, Unknown

NUMBERS_AT_ONCE = 2**22  # of noise, in one call of a mechanism: 32 MB as float64


@dataclass(frozen=True)
class Replacement:
    """For the m selected words of one document: what stands in their place.

    words: m strings. known: bool (m,), whether the space held the word. draws: how many draws the
    mechanism made. vectors: float32 (m, d), noisy, with rows of zeros for unknown words; or None.
    """

    words: list[str]
    known: Bools1d
    draws: int
    vectors: Floats2d | None


def replace_words(
    ids: list[Ids1d],
    texts: list[list[str]],
    *,
    space: Space,
    mechanism: Mechanism,
    unknown: Unknown,
    rng: Rng,
    once_per_type: bool,
    with_vectors: bool,
) -> list[Replacement]:
    """ids: for each document uint64 (m, 3), the orth, norm and lower-case ids of its selected
    words. texts: the words, for policies that look at unknown ones."""
    sizes = np.array([len(some) for some in ids], dtype=np.int64)
    doc_of = np.repeat(np.arange(len(ids)), sizes)
    stacked = np.concatenate(ids) if ids else np.zeros((0, 3), dtype=np.uint64)
    rows = space.find_ids(*np.ascontiguousarray(stacked.T))
    known = rows >= 0
    # One word, one draw: equal rows are one word, and so are equal unknown ids.
    values = np.where(known, rows.astype(np.uint64), stacked[:, 2])
    groups = _groups(doc_of, known, values) if once_per_type else np.arange(len(rows))
    firsts = np.unique(groups, return_index=True)[1]
    known_firsts, unknown_firsts = firsts[known[firsts]], firsts[~known[firsts]]

    words = np.empty(len(rows), dtype=object)
    vectors = np.zeros((len(rows), space.vectors.shape[1]), np.float32) if with_vectors else None
    for some in _in_parts(known_firsts, space.vectors.shape[1]):
        draw = mechanism.sample(rows[some], rng)
        words[some] = [space.words[row] for row in draw.rows.tolist()]
        if vectors is not None:
            vectors[some] = draw.vectors
    flat = [word for some in texts for word in some]
    words[unknown_firsts] = unknown.replace([flat[i] for i in unknown_firsts], space, rng)
    words = words[firsts][groups]
    if vectors is not None:
        vectors = vectors[firsts][groups]
    draws = np.bincount(doc_of[known_firsts], minlength=len(ids))
    ends = np.cumsum(sizes)[:-1]
    return [
        Replacement(list(w), k, int(d), v)
        for w, k, d, v in zip(
            np.split(words, ends),
            np.split(known, ends),
            draws,
            np.split(vectors, ends) if vectors is not None else [None] * len(ids),
            strict=True,
        )
    ]


def _groups(doc_of: Ints1d, known: Bools1d, values: Ids1d) -> Ints1d:
    keys = np.stack([doc_of.astype(np.uint64), known.astype(np.uint64), values], axis=1)
    inverse: Ints1d = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    return inverse


def _in_parts(places: Ints1d, d: int) -> list[Ints1d]:
    at_once = max(1024, NUMBERS_AT_ONCE // d)
    return [places[i : i + at_once] for i in range(0, len(places), at_once)]
