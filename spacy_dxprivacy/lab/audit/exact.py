"""Tier 0: exact probabilities, and closed forms of known noise. Nothing is left to chance here."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...randomness import Rng
from ...space import Space
from ...ty import Mechanism, StatesLoss, StatesProbabilities
from .claims import Claim
from .report import INCONCLUSIVE, NOT_REFUTED, REFUTED, Finding

TOLERANCE = 1e-9
ROWS = 400  # of a large space: all pairs of so many rows
CHECKED, DRAWS = 3, 20_000
RARE = 1e-9


def exact(
    mechanism: Mechanism, claim: Claim, space: Space, seed: int | None = None
) -> Finding | None:
    """All pairs of words by the probabilities that `distribution` gives, where there is one."""
    if not isinstance(mechanism, StatesProbabilities):
        return None
    start = time.perf_counter()
    rows = np.unique(np.linspace(0, len(space) - 1, ROWS).astype(np.int64))
    P = np.asarray(mechanism.distribution(rows), dtype=np.float64)
    wrong = _wrong(P, len(rows), len(space))
    if wrong or not _follows(mechanism, P, rows, Rng(seed)):
        what = wrong or "The draws do not follow the probabilities that the mechanism states."
        return Finding("exact", INCONCLUSIVE, what, seconds=time.perf_counter() - start)
    E = claim.epsilons(rows)[:, rows]
    worst = _worst(P, E, claim.delta)
    return _finding("exact", worst, claim, space.words, rows, time.perf_counter() - start)


def _wrong(P: Floats2d, k: int, n: int) -> str:
    if P.shape != (k, n) or not np.isfinite(P).all() or P.min() < 0:
        return "The mechanism states probabilities that are none."
    if np.abs(P.sum(axis=1) - 1).max() > 1e-6:
        return "The probabilities that the mechanism states do not sum to 1."
    return ""


def _follows(mechanism: Mechanism, P: Floats2d, rows: Ints1d, rng: Rng) -> bool:
    """Whether draws come by the stated probabilities: chi-square, outputs below 5 draws pooled."""
    from scipy.stats import chisquare

    for at in np.linspace(0, len(rows) - 1, CHECKED).astype(int):
        drawn = mechanism.sample(np.full(DRAWS, rows[at]), rng).rows
        seen, mean = np.bincount(drawn, minlength=P.shape[1]), P[at] * DRAWS
        if seen[P[at] == 0].any():
            return False
        rare = mean < 5
        seen = np.append(seen[~rare], seen[rare].sum())
        mean = np.append(mean[~rare], mean[rare].sum())
        if mean[-1] < 1:
            # Too few to test by themselves; they go to the likeliest.
            best = int(np.argmax(mean[:-1])) if len(mean) > 1 else 0
            seen[best], mean[best] = seen[best] + seen[-1], mean[best] + mean[-1]
            seen, mean = seen[:-1], mean[:-1]
        if len(mean) > 1 and chisquare(seen, mean * (seen.sum() / mean.sum())).pvalue < RARE:
            return False
    return True


def _worst(P: Floats2d, E: Floats2d, delta: float) -> tuple[float, int, int, float, float]:
    """(excess, w, v, claimed, found) of the pair that breaks the promise most. delta = 0: by the
    largest log ratio; else by the hockey-stick divergence."""
    best = (-np.inf, 0, 0, 0.0, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(P) if delta == 0 else P
        for w in range(len(P)):
            covered = np.isfinite(E[w])
            covered[w] = False
            if not covered.any():
                continue
            found = _losses(logs, w) if delta == 0 else _divergences(P, w, E[w])
            excess = found - (E[w] if delta == 0 else delta)
            excess[~covered] = -np.inf
            v = int(np.argmax(excess))
            if excess[v] > best[0]:
                best = (float(excess[v]), w, v, float(E[w, v]), float(found[v]))
    return best


def _losses(logs: Floats2d, w: int) -> Floats1d:
    gap = logs[w][None, :] - logs
    gap[:, np.isneginf(logs[w])] = -np.inf  # what never comes from w shows nothing this way
    losses: Floats1d = gap.max(axis=1)
    return losses


def _divergences(P: Floats2d, w: int, claimed: Floats1d) -> Floats1d:
    factor = np.exp(np.minimum(claimed, 700.0))[:, None]
    sums: Floats1d = np.maximum(P[w][None, :] - factor * P, 0).sum(axis=1)
    return sums


def _finding(
    tier: str, worst: Any, claim: Claim, words: list[str], rows: Ints1d, seconds: float
) -> Finding:
    excess, w, v, claimed, found = worst
    if not np.isfinite(excess) and excess < 0:
        return Finding(tier, INCONCLUSIVE, "No pair is covered by the promise.", seconds=seconds)
    pair = (words[int(rows[w])], words[int(rows[v])])
    refuted = excess > TOLERANCE * max(1.0, claimed if np.isfinite(claimed) else 1.0)
    count = len(rows) * (len(rows) - 1)
    if claim.delta:
        told = f"delta is {found:.3g} at epsilon {claimed:.4g}, and {claim.delta:.3g} is promised"
        return Finding(
            tier, _verdict(refuted), f"Of {count:,} ordered pairs, the worst: {told}.", pair,
            claimed=claimed, delta=claim.delta, tests=count, seconds=seconds,
        )  # fmt: skip
    what = f"The exact loss of {count:,} ordered pairs; the worst against its promise is given."
    return Finding(
        tier, _verdict(refuted), what, pair, claimed=claimed, bound=found, tests=count,
        seconds=seconds,
    )  # fmt: skip


def _verdict(refuted: bool) -> str:
    return REFUTED if refuted else NOT_REFUTED


# -- closed forms ----------------------------------------------------------------------------------


def closed_form(mechanism: Mechanism, claim: Claim, space: Space) -> Finding | None:
    """All pairs of some words by the loss, or, where a delta is promised, by the delta that the
    mechanism has closed forms of (ty.StatesLoss); None where it has none."""
    start = time.perf_counter()
    rows = np.unique(np.linspace(0, len(space) - 1, ROWS).astype(np.int64))
    rows = np.union1d(rows, np.arange(min(len(space), 46)))
    E = claim.epsilons(rows)[:, rows]
    found = _stated(mechanism, claim, rows, E)
    if found is None:
        return None
    excess = found - (claim.delta or E)
    excess[~np.isfinite(E)] = -np.inf
    np.fill_diagonal(excess, -np.inf)
    w, v = np.unravel_index(int(np.argmax(excess)), excess.shape)
    worst = (float(excess[w, v]), int(w), int(v), float(E[w, v]), float(found[w, v]))
    return _finding("closed form", worst, claim, space.words, rows, time.perf_counter() - start)


def _stated(mechanism: Mechanism, claim: Claim, rows: Ints1d, E: Floats2d) -> Floats2d | None:
    """float64 (k, k): losses, or deltas at E; 0 for deltas that rounding alone lifts above what is
    promised."""
    if not isinstance(mechanism, StatesLoss):
        return None
    if not claim.delta:
        return mechanism.loss(rows, rows)
    delta = mechanism.delta(rows, rows, E)
    if delta is None:
        return None
    return np.where(delta > claim.delta * (1 + 1e-6) + 1e-13, delta, 0.0)
