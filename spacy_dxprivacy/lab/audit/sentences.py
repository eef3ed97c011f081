"""Long sentences by sampling: the loss of what was drawn, and whether draws come by stated laws.

Of a mechanism that draws words together no table holds all outputs. It states the likelihood of
any one, though: the loss of each draw is exact, and only which draws are looked at is by chance.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Ints1d, Ints2d
from ...randomness import Rng
from ...space import Space
from ...ty import DrawsTogether, Mechanism
from .claims import Claim
from .report import INCONCLUSIVE, NOT_REFUTED, REFUTED, Finding

WORDS = 30  # of a sentence
SHARES = (0.0, 0.0, 0.2, 1.0)  # of its words that another one has others for; one at least
TOLERANCE = 1e-7
FAR = 5.0  # standard errors: chance goes so far once in 1.7 million


def sentences(
    mechanism: Mechanism, claim: Claim, space: Space, size: tuple[int, int], seed: int | None
) -> Finding | None:
    """size: how many pairs of sentences, which differ in one word, in some, or in all; of each side
    how many draws. None where the mechanism draws words alone. mechanism: fitted on the space."""
    if not isinstance(mechanism, DrawsTogether) or not mechanism.draws_together:
        return None
    pairs, repeats = size
    start, rng = time.perf_counter(), np.random.default_rng(seed)
    one = rng.integers(len(space), size=(pairs, WORDS))
    near = mechanism.sample(one.reshape(-1), Rng(seed)).rows
    other = _changed(one, near.reshape(pairs, WORDS), len(space), rng)
    promised = np.array([_promised(claim, *pair) for pair in zip(one, other, strict=True)])
    losses = _losses(mechanism, one, other, repeats, Rng(seed))
    found = _finding(losses, np.tile(np.repeat(promised, repeats), 2))
    return replace(found, seconds=time.perf_counter() - start)


def _changed(rows: Ints2d, near: Ints2d, n: int, rng: np.random.Generator) -> Ints2d:
    """near: words that come out for these. Where all words are others, they are any."""
    shares = np.resize(SHARES, len(rows))[:, None]
    change = rng.random(rows.shape) < shares
    change[np.arange(len(rows)), rng.integers(WORDS, size=len(rows))] = True
    other = rng.integers(n, size=rows.shape)
    return np.where(change, np.where((shares < 1) & (near != rows), near, other), rows)


def _promised(claim: Claim, one: Ints1d, other: Ints1d) -> float:
    """The nats that are promised for two texts: the sum over their words."""
    differ = one != other
    return float(claim.of_pairs(np.stack([one[differ], other[differ]], axis=1)).sum())


def _losses(mechanism: Any, one: Ints2d, other: Ints2d, repeats: int, rng: Rng) -> Floats1d:
    """(2 * pairs * repeats,): ln P(draw | its sentence) / P(draw | the other one), first of those
    that were drawn from one."""
    sides = [np.repeat(rows, repeats, axis=0).reshape(-1) for rows in (one, other)]
    starts: Bools1d = np.arange(len(sides[0])) % WORDS == 0
    found = []
    for mine, its in (sides, sides[::-1]):
        drawn = mechanism.sample(mine, rng, starts=starts).rows
        own, others = (mechanism.log_likelihood(rows, drawn, starts) for rows in (mine, its))
        found.append(own - others)
    return np.concatenate(found)


def _finding(losses: Floats1d, promised: Floats1d) -> Finding:
    if not _follows(losses):
        what = "The sentences drawn do not follow the likelihood that the mechanism states."
        return Finding("sentences", INCONCLUSIVE, what, draws=len(losses))
    excess = np.abs(losses) - promised
    worst = int(np.argmax(excess))
    refuted = bool(excess[worst] > TOLERANCE * max(1.0, promised[worst]))
    what = (
        f"The exact loss of {len(losses):,} draws of sentences of {WORDS} words; the worst against "
        "its promise is given."
    )
    return Finding(
        "sentences", REFUTED if refuted else NOT_REFUTED, what, claimed=float(promised[worst]),
        bound=float(abs(losses[worst])), draws=len(losses), tests=len(losses),
    )  # fmt: skip


def _follows(losses: Floats1d) -> bool:
    """Sum over y of P(y) h(y) is that of P'(y) exp(L(y)) h(y). With h = 1 where L <= 0, and pairs
    in either order: the share of draws that look more like the other sentence is the mean of
    exp(-L) over those that do not."""
    terms: Floats1d = (losses <= 0) - np.where(losses >= 0, np.exp(-np.maximum(losses, 0)), 0.0)
    error = max(float(terms.std()), 1 / len(terms)) / np.sqrt(len(terms))
    return bool(abs(terms.mean()) <= FAR * error)
