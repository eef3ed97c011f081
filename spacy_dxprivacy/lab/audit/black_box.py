"""Tiers 1 and 2: a mechanism as a black box, on 12 words in the plane and 2,000 in 50 dimensions.

For an ordered pair of words (w, v) and an event T, chosen on other draws, p is a lower bound on
P[M(w) in T] and q an upper one on P[M(v) in T] (Clopper and Pearson 1934, at alpha / 2 over the
number of ordered pairs, Bonferroni). The promise is refuted iff p > exp(epsilon) q + delta.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools1d, Floats1d, Ints1d, Ints2d
from ...randomness import Rng
from ...space import Space
from ...ty import Mechanism
from .bounds import ceiling
from .claims import Claim
from .pairs import CALLS, Contest, Sampler, Tested, centres_of
from .report import INCONCLUSIVE, NOT_REFUTED, REFUTED, Finding
from .vocabularies import PAIRS, line_of

LEAST_DRAWS = 500  # of a call
SCREENED, TRIES = 100, 64
BLOCK = 2**22  # numbers of noise in a call


@dataclass(frozen=True)
class Effort:
    """draws: of each word, at most. seconds: for a tier, about. pairs: of the large vocabulary."""

    draws: int
    seconds: float
    pairs: int


def plane_pairs(mechanism: Mechanism, claim: Claim, space: Space, effort: Effort) -> Ints2d:
    """All of them, neighbours on the spiral first."""
    pairs = np.array(np.triu_indices(len(space), 1)).T
    ordered: Ints2d = pairs[np.argsort(pairs[:, 1] - pairs[:, 0], kind="stable")]
    return ordered


def cloud_pairs(mechanism: Mechanism, claim: Claim, space: Space, effort: Effort) -> Ints2d:
    """Those that the vocabulary has for it, words with unlike noise, and some by what is claimed:
    the nearest, the middle and the far ones that a test can still tell."""
    rows = np.arange(46, len(space), max(1, len(space) // 60))
    E = claim.epsilons(rows)
    E[np.arange(len(rows)), rows] = np.inf
    order = np.argsort(E, axis=1, kind="stable")
    far = (np.sum(E < 4.0, axis=1) - 1).clip(0)
    places = [np.zeros(len(rows), dtype=np.int64), far // 2, far]
    some = [np.stack([rows, order[np.arange(len(rows)), at]], axis=1) for at in places]
    unlike = _unlike(mechanism, rows)
    parts = [PAIRS[20:], unlike, *(part[::29] for part in some), PAIRS[9:18:2], _on_line(space)]
    parts += [*(part[::7] for part in some), PAIRS, *some]
    pairs = np.concatenate(parts)
    found: Ints2d = pairs[pairs[:, 0] != pairs[:, 1]]
    return found


def _on_line(space: Space) -> Ints2d:
    """Neighbours on the line, about as far from the cluster as mechanisms truncate distances: at
    2 ln(n / beta) units, beta from 0.1 to 0.001."""
    line = line_of(len(space))
    near, far = (int(4 * np.log(many * len(space))) for many in (10, 1000))
    some = line[near - 3 : far + 3][::-1]
    some = some[some < line[-1]]
    return np.stack([some, some + 1], axis=1)


def _unlike(mechanism: Mechanism, rows: Ints1d) -> Ints2d:
    """Pairs of the rows with the weakest and the strongest noise, by their first draws."""
    rows = rows[:SCREENED]
    spreads = []
    for row in rows:
        # Seeded: it chooses pairs, and is no evidence.
        draw = mechanism.sample(np.full(TRIES, row), Rng(seed=0))
        Z = draw.vectors if draw.vectors is not None else (draw.rows == row)[:, None].astype(float)
        spreads.append(float(np.asarray(Z, dtype=np.float64).std(axis=0).mean()))
    order = rows[np.argsort(spreads)]
    ends = [(order[0], order[-1]), (order[0], order[1]), (order[0], order[len(order) // 2])]
    return np.array(ends)


def contest(
    tier: str,
    mechanism: Mechanism,
    claim: Claim,
    space: Space,
    pairs: Callable[[Mechanism, Claim, Space, Effort], Ints2d],
    effort: Effort,
    alpha: float,
    seed: int | None,
) -> Finding:
    """One tier on one vocabulary, for a mechanism that is fitted on it."""
    start = time.perf_counter()
    found = pairs(mechanism, claim, space, effort)
    E = np.maximum(claim.of_pairs(found), claim.of_pairs(found[:, ::-1]))
    highest = ceiling(effort.draws // 2, alpha)
    chosen, E = _some(found, E, np.isfinite(E) & (E < highest), effort.pairs)
    if not len(chosen):
        why = (
            "No pair of the vocabulary is promised less than the "
            f"{highest:.1f} nats that this many draws can tell: nothing can be refuted."
        )
        return Finding(tier, INCONCLUSIVE, why, seconds=time.perf_counter() - start)
    size = _size(mechanism, len(np.unique(chosen)), effort, space)
    sampler = Sampler(mechanism, size, seed)
    tested = _all(sampler, chosen, E, claim, space, alpha)
    return _finding(tier, tested, claim, sampler, space, time.perf_counter() - start)


def _some(found: Ints2d, E: Floats1d, keep: Bools1d, most: int) -> tuple[Ints2d, Floats1d]:
    """The first `most` different pairs of those to keep."""
    found, E = found[keep], E[keep]
    _, first = np.unique(np.sort(found, axis=1), axis=0, return_index=True)
    first = np.sort(first)[:most]
    return found[first], E[first]


def _size(mechanism: Mechanism, words: int, effort: Effort, space: Space) -> int:
    """How many draws a call should make, so that all of them take about effort.seconds."""
    tries = min(1000, effort.draws // CALLS)
    few, many = (_seconds(mechanism, times * tries) for times in (1, 5))
    # A call has costs of its own, which more draws do not multiply.
    each = max(many - few, many / 100) / (4 * tries)
    fitting = int(effort.seconds / (each * words * CALLS + 1e-12))
    most = effort.draws // CALLS
    if mechanism.sample(np.zeros(1, dtype=np.int64), Rng()).vectors is not None:
        most = min(most, BLOCK // space.vectors.shape[1])
    return int(np.clip(fitting, min(LEAST_DRAWS, most), most))


def _seconds(mechanism: Mechanism, draws: int) -> float:
    # Of the processor: on a busy machine an audit takes longer, and sees as much.
    start = time.process_time()
    mechanism.sample(np.zeros(draws, dtype=np.int64), Rng())
    return time.process_time() - start


def _all(
    sampler: Sampler, pairs: Ints2d, E: Floats1d, claim: Claim, space: Space, alpha: float
) -> list[Tested]:
    keep = len(space) <= 100
    kept = {row: sampler(row) for row in np.unique(pairs).tolist()} if keep else {}
    contest: Contest | None = None
    tested = []
    for (w, v), claimed in zip(pairs.tolist(), E.tolist(), strict=True):
        one = kept[w] if keep else sampler(w)
        other = kept[v] if keep else sampler(v)
        if contest is None:
            width = None if one[0].vectors is None else int(np.shape(one[0].vectors)[1])
            centres = centres_of(sampler.mechanism, space, width)
            contest = Contest(space, centres, claim.delta)
        tested += contest.test((w, v), claimed, one, other, alpha / (2 * len(pairs)))
    return tested


def _finding(
    tier: str, tested: list[Tested], claim: Claim, sampler: Sampler, space: Space, seconds: float
) -> Finding:
    worst = max(tested, key=lambda t: t.bound - t.claimed)
    refuted = [t for t in tested if t.refutes(claim.delta)]
    limit = ceiling(2 * sampler.size, 1e-6)
    if refuted:
        what = (
            f"{len(refuted)} of {len(tested)} ordered pairs break the promise. The worst: an event "
            f"of probability {worst.p:.3g} or more for the one word and {worst.q:.3g} or less for "
            "the other."
        )
    else:
        what = (
            f"{len(tested)} ordered pairs, none of which was told apart better than promised. "
            f"Losses above {limit:.1f} nats cannot be seen with this many draws."
        )
    return Finding(
        tier,
        REFUTED if refuted else NOT_REFUTED,
        what,
        (space.words[worst.pair[0]], space.words[worst.pair[1]]),
        str(worst.event),
        worst.claimed,
        claim.delta,
        worst.bound if np.isfinite(worst.bound) else None,
        len(tested),
        sampler.draws,
        seconds,
    )
