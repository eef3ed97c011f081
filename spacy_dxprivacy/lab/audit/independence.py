"""Are the words of a text drawn one by one, each with noise of its own?

A promise for a word adds up over a text only where draws are independent. Noise that is drawn for
pairs of opposite signs (antithetic), or in part for all words of a call, has the right law for each
word alone; two outputs together give the words away.

Rank correlations (Spearman 1904) of outputs that should know nothing of each other, which are about
normal for independent draws whatever their law; and how often they have a number in common, against
outputs of two calls.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from ...arrays import Floats1d, Floats2d
from ...randomness import Rng
from ...space import Space
from ...ty import Mechanism
from .report import NOT_REFUTED, REFUTED, Finding

MOST_Z = 7.0  # 3e-12 for each of some hundred numbers
MODE = 0.8  # an output that is nearly always the same has no ranks to compare
IN_COMMON = 50


def independence(
    mechanism: Mechanism, space: Space, draws: int, seed: int | None = None
) -> Finding:
    """mechanism: fitted on the space. draws: in each of two calls, for two words by turns."""
    start = time.perf_counter()
    rows = np.tile([0, len(space) // 2], draws // 2)
    calls = [_numbers(mechanism, space, rows, seed, number) for number in range(2)]
    told, tests = "", 0
    for what, A, B in _neighbours(*calls):
        for a, b in zip(A.T, B.T, strict=True):
            tests += 1
            if abs(_z(a, b)) > MOST_Z:
                told = told or f"Outputs {what} go together (z = {_z(a, b):.1f})."
    for column in range(calls[0].shape[1]):
        tests += 1
        a, b = (some[0::2, column] for some in calls)
        if _repeats(a[:-1], a[1:], b[1:]):
            told = told or "Outputs of one call have numbers of their noise in common."
    verdict = REFUTED if told else NOT_REFUTED
    what = told or f"{tests} comparisons of outputs of one call and of two: none knows of another."
    seconds = time.perf_counter() - start
    event = "two outputs together" if told else ""
    pair = (space.words[0], space.words[len(space) // 2])
    return Finding("independence", verdict, what, pair, event, tests=tests, draws=2 * len(rows),
                   seconds=seconds)  # fmt: skip


def _numbers(
    mechanism: Mechanism, space: Space, rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    seed: int | None, number: int,
) -> Floats2d:  # fmt: skip
    """float64 (draws, c): noisy vectors, or projections of words."""
    rng = Rng(None if seed is None else seed + 7919 * (number + 1))
    draw = mechanism.sample(rows, rng)
    if draw.vectors is not None:
        return np.asarray(draw.vectors, dtype=np.float64)
    directions = np.random.default_rng(0).normal(size=(space.vectors.shape[1], 3))
    projected: Floats2d = (space.vectors @ directions)[draw.rows]
    return projected


def _neighbours(A: Floats2d, B: Floats2d) -> Iterator[tuple[str, Floats2d, Floats2d]]:
    """Pairs of outputs, each of which is in one pair: so the pairs are independent as well."""
    one, other = A[0::2], A[1::2]
    half = len(one) // 4 * 2
    yield "of two words side by side", one, other
    yield "of one word, one after another", one[: 2 * half : 2], one[1 : 2 * half : 2]
    yield "of the first and the second half of a call", one[:half], one[half : 2 * half]
    yield "of the first and the last words of a call", one[:half], one[::-1][:half]
    yield "at one place of two calls", one, B[0::2]


def _z(a: Floats1d, b: Floats1d) -> float:
    """About normal for independent draws; 0 where one value is nearly all there is."""
    from scipy.stats import rankdata

    ranks = [rankdata(some) for some in (a, b)]
    for some in ranks:
        if np.unique(some, return_counts=True)[1].max() > MODE * len(some):
            return 0.0
    return float(np.corrcoef(*ranks)[0, 1] * np.sqrt(len(a) - 1))


def _repeats(a: Floats1d, after: Floats1d, elsewhere: Floats1d) -> bool:
    """Whether neighbours are equal more often than outputs of two calls are."""
    here, there = int(np.sum(a == after)), int(np.sum(a == elsewhere))
    return bool(here - there > IN_COMMON + 2 * MOST_Z * np.sqrt(here + there))
