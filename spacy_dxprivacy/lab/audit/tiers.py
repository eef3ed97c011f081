"""Tests of exact probabilities, closed forms, noise distributions, independence and sentences.

Each takes an AuditTrial and returns a Finding; None if it does not apply.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ...privacy.randomness import Rng
from ...space import Space
from ...ty import Mechanism, StatesProbabilities, facts_of
from .claims import INCONCLUSIVE, NOT_REFUTED, REFUTED, Claim, Finding

MAX_ROWS = 400  # of a large space, all pairs of which are computed
TOLERANCE, RARE = 1e-9, 1e-9
CHECKED, DRAWS = 3, 20_000
RANGE = "The range of the loss over all outputs passes what loss_range states."


@dataclass(frozen=True)
class Effort:
    """Size of an audit. plane, cloud: most draws of each word, seconds and most pairs of a contest.
    draws: of a stated distribution. sentences: pairs of sentences, and draws of each side. large:
    words and dimensions of the cloud."""

    plane: tuple[int, float, int]
    cloud: tuple[int, float, int]
    draws: int
    sentences: tuple[int, int]
    large: tuple[int, int] = (2000, 50)


@dataclass(frozen=True)
class AuditTrial:
    """A mechanism that is fitted on a space, and its claim. seed: of the draws, for tests. alpha:
    the probability that a contest refutes a sound mechanism by chance."""

    mechanism: Mechanism
    claim: Claim
    space: Space
    effort: Effort
    seed: int | None = None
    alpha: float = 1e-4


# -- exact probabilities and closed forms ----------------------------------------------------------


def exact(trial: AuditTrial) -> Finding | None:
    """Compute the loss or hockey-stick divergence of all pairs of words by `distribution`."""
    if not isinstance(trial.mechanism, StatesProbabilities):
        return None
    rows = _rows(trial.space)
    P = np.asarray(trial.mechanism.distribution(rows), dtype=np.float64)
    wrong = ""
    if P.shape != (len(rows), len(trial.space)) or not np.isfinite(P).all() or P.min() < 0:
        wrong = "The mechanism states probabilities that are none."
    elif np.abs(P.sum(axis=1) - 1).max() > 1e-6:
        wrong = "The probabilities that the mechanism states do not sum to 1."
    elif not _follows(trial.mechanism, P, rows, Rng(trial.seed)):
        wrong = "The draws do not follow the probabilities that the mechanism states."
    if wrong:
        return Finding("exact", INCONCLUSIVE, wrong)
    E = trial.claim.epsilons(rows)[:, rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs, losses = np.log(P), np.empty_like(E)
        for w in range(len(rows)):
            if trial.claim.delta:
                factor = np.exp(np.minimum(E[w], 700.0))[:, None]
                losses[w] = np.maximum(P[w][None, :] - factor * P, 0).sum(axis=1)
            else:
                gap = logs[w][None, :] - logs
                gap[:, np.isneginf(logs[w])] = -np.inf  # ignores impossible outputs of w
                losses[w] = gap.max(axis=1)
    return _loss_or_range("exact", trial, rows, E, losses)


def closed_form(trial: AuditTrial) -> Finding | None:
    """Compute the loss of all pairs of some words by the fact `loss`, or `delta` if a delta is
    claimed; None without such closed forms."""
    facts = facts_of(trial.mechanism)
    rows = np.union1d(_rows(trial.space), np.arange(min(len(trial.space), 46)))
    E, promised = trial.claim.epsilons(rows)[:, rows], trial.claim.delta
    losses = facts.delta(rows, rows, E) if promised else facts.loss(rows, rows)
    if losses is None:
        return None
    if promised:  # ignores excess by rounding
        losses = np.where(losses > promised * (1 + 1e-6) + 1e-13, losses, 0.0)
    return _loss_or_range("closed form", trial, rows, E, losses)


def _rows(space: Space) -> Ints1d:
    rows: Ints1d = np.unique(np.linspace(0, len(space) - 1, MAX_ROWS).astype(np.int64))
    return rows


def _follows(mechanism: Mechanism, P: Floats2d, rows: Ints1d, rng: Rng) -> bool:
    """Return the result of a chi-square test; outputs below 5 expected draws are pooled."""
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
            # Too few to test separately: merged into the likeliest.
            best = int(np.argmax(mean[:-1])) if len(mean) > 1 else 0
            seen[best], mean[best] = seen[best] + seen[-1], mean[best] + mean[-1]
            seen, mean = seen[:-1], mean[:-1]
        if len(mean) > 1 and chisquare(seen, mean * (seen.sum() / mean.sum())).pvalue < RARE:
            return False
    return True


def _loss_or_range(
    tier: str, trial: AuditTrial, rows: Ints1d, E: Floats2d, losses: Floats2d
) -> Finding:
    """Return the finding of `_worst`, or that of loss ranges if only these are too large. The range
    of a pair is the sum of its largest losses in both directions."""
    finding = _worst(tier, trial, rows, E, losses)
    if trial.claim.delta or finding.verdict != NOT_REFUTED:
        return finding
    times = trial.mechanism.guarantee.loss_range
    by_range = _worst(tier, trial, rows, times * E, losses + losses.T)
    return replace(by_range, what=RANGE) if by_range.verdict == REFUTED else finding


def _worst(tier: str, trial: AuditTrial, rows: Ints1d, E: Floats2d, losses: Floats2d) -> Finding:
    """Return the finding of the worst pair. losses: (k, k), or deltas at the claimed epsilons E if
    a delta is claimed."""
    delta = trial.claim.delta
    with np.errstate(invalid="ignore"):
        excess = losses - (delta or E)
    excess[~np.isfinite(E)] = -np.inf
    np.fill_diagonal(excess, -np.inf)
    w, v = np.unravel_index(int(np.argmax(excess)), excess.shape)
    if np.isneginf(excess[w, v]):
        return Finding(tier, INCONCLUSIVE, "No pair is covered by the promise.")
    claimed, bound = float(E[w, v]), float(losses[w, v])
    refuted = excess[w, v] > TOLERANCE * max(1.0, claimed)
    count = len(rows) * (len(rows) - 1)
    summary = f"The exact loss of {count:,} ordered pairs; the worst against its promise is given."
    if delta:
        summary = (
            f"Of {count:,} ordered pairs, the worst: delta is {bound:.3g} at epsilon "
            f"{claimed:.4g}, and {delta:.3g} is promised."
        )
    pair = (trial.space.words[int(rows[w])], trial.space.words[int(rows[v])])
    return Finding(
        tier, REFUTED if refuted else NOT_REFUTED, summary, pair, claimed=claimed, delta=delta,
        bound=None if delta else bound, tests=count,
    )  # fmt: skip


# -- the distribution of known noise: the only test that detects an error of 1 % in its scale ------

MIN_P_VALUE = 1e-7
TESTED_WORDS = 4


def noise_radius(trial: AuditTrial) -> Finding | None:
    """Test the radius of the noise against the stated ty.NoiseDistribution (Kolmogorov-Smirnov),
    which is independent of the code that samples."""
    from scipy.stats import kstest

    stated = facts_of(trial.mechanism).noise_distribution()
    if stated is None:
        return None
    words = np.linspace(0, len(trial.space) - 1, TESTED_WORDS).astype(np.int64)
    rows = np.repeat(words, trial.effort.draws // TESTED_WORDS)
    draw = trial.mechanism.sample(rows, Rng(trial.seed))
    if draw.vectors is None:
        return None
    R = stated.radius(np.asarray(draw.vectors, dtype=np.float64) - stated.centres[rows])
    p = kstest(R, stated.distribution.cdf).pvalue
    ratio = float(np.median(R) / stated.distribution.ppf(0.5))
    summary = f"The median radius of the noise is {ratio:.3f} times the stated one (KS p = {p:.2g})"
    if p >= MIN_P_VALUE:
        return Finding("radius", NOT_REFUTED, f"{summary}.", draws=len(rows))
    if ratio < 1:
        summary += ": there is less noise than the guarantee needs."
        return Finding("radius", REFUTED, summary, event="the radius", draws=len(rows))
    summary += ": the distribution is not the stated one, and has more noise."
    return Finding("radius", INCONCLUSIVE, summary, draws=len(rows))


# -- independence of draws -------------------------------------------------------------------------

MAX_Z = 7.0  # 3e-12 for each of some hundred numbers
MAX_MODE_SHARE = 0.8  # share of the commonest output, above which ranks cannot be compared
MIN_SHARED_DRAWS = 50


def independence(trial: AuditTrial) -> Finding:
    """Test that outputs of two calls, for two alternating words, are independent.

    Guarantees of words compose over a text only for independent draws. Antithetic noise, or noise
    shared by the words of a call, has the correct distribution for each word, but two outputs
    together reveal the words. Rank correlations (Spearman 1904) of independent draws are about
    normal, whatever their distribution.
    """
    rows = np.tile([0, len(trial.space) // 2], trial.effort.draws // 2)
    A, B = (_numbers(trial, rows, number) for number in range(2))
    wrong, tests = [], 0
    for pairing, first, second in _neighbours(A, B):
        for a, b in zip(first.T, second.T, strict=True):
            tests += 1
            if abs(z := _z(a, b)) > MAX_Z:
                wrong.append(f"Outputs {pairing} go together (z = {z:.1f}).")
    for a, b in zip(A[0::2].T, B[0::2].T, strict=True):
        tests += 1
        within, between = int(np.sum(a[:-1] == a[1:])), int(np.sum(a[:-1] == b[1:]))
        if within - between > MIN_SHARED_DRAWS + 2 * MAX_Z * np.sqrt(within + between):
            wrong.append("Outputs of one call have numbers of their noise in common.")
    passed = f"{tests} comparisons of outputs of one call and of two: none knows of another."
    pair = (trial.space.words[0], trial.space.words[len(trial.space) // 2])
    return Finding(
        "independence", REFUTED if wrong else NOT_REFUTED, wrong[0] if wrong else passed, pair,
        event="two outputs together" if wrong else "", tests=tests, draws=2 * len(rows),
    )  # fmt: skip


def _numbers(trial: AuditTrial, rows: Ints1d, number: int) -> Floats2d:
    """Return noisy vectors, or projections of words, float64 (draws, c)."""
    seed = None if trial.seed is None else trial.seed + 7919 * (number + 1)
    draw = trial.mechanism.sample(rows, Rng(seed))
    if draw.vectors is not None:
        return np.asarray(draw.vectors, dtype=np.float64)
    directions = np.random.default_rng(0).normal(size=(trial.space.vectors.shape[1], 3))
    projected: Floats2d = (trial.space.vectors @ directions)[draw.rows]
    return projected


def _neighbours(A: Floats2d, B: Floats2d) -> Iterator[tuple[str, Floats2d, Floats2d]]:
    """Yield pairs of outputs, each output in one pair, so that pairs are independent."""
    evens, odds = A[0::2], A[1::2]
    half = len(evens) // 4 * 2
    yield "of two words side by side", evens, odds
    yield "of one word, one after another", evens[: 2 * half : 2], evens[1 : 2 * half : 2]
    yield "of the first and the second half of a call", evens[:half], evens[half : 2 * half]
    yield "of the first and the last words of a call", evens[:half], evens[::-1][:half]
    yield "at one place of two calls", evens, B[0::2]


def _z(a: Floats1d, b: Floats1d) -> float:
    """Return the z score of the rank correlation; 0 if nearly all values are equal."""
    from scipy.stats import rankdata

    ranks = [rankdata(values) for values in (a, b)]
    if any(np.unique(r, return_counts=True)[1].max() > MAX_MODE_SHARE * len(r) for r in ranks):
        return 0.0
    return float(np.corrcoef(*ranks)[0, 1] * np.sqrt(len(a) - 1))


# -- sentence-level sampling -----------------------------------------------------------------------

SENTENCE_WORDS = 30
SHARES = (0.0, 0.0, 0.2, 1.0)  # of its words that are changed; at least one
LOSS_TOLERANCE = 1e-7
MAX_STANDARD_ERRORS = 5.0  # exceeded by chance once in 1.7 million


def sentences(trial: AuditTrial) -> Finding | None:
    """Compute the loss of sampled sentences in pairs that differ in one, some or all words.

    Sentence-level mechanisms state the likelihood of any output, so the loss of a draw is exact.
    None for word-level sampling.
    """
    mechanism: Any = trial.mechanism
    if not facts_of(trial.mechanism).draws_sentences:
        return None
    (pairs, repeats), n = trial.effort.sentences, len(trial.space)
    rng = np.random.default_rng(trial.seed)
    originals = rng.integers(n, size=(pairs, SENTENCE_WORDS))
    likely = trial.mechanism.sample(originals.reshape(-1), Rng(trial.seed)).rows.reshape(
        originals.shape
    )
    # Words are changed to likely outputs, or, if all are changed, to any words.
    shares = np.resize(SHARES, pairs)[:, None]
    change = rng.random(originals.shape) < shares
    change[np.arange(pairs), rng.integers(SENTENCE_WORDS, size=pairs)] = True
    uniform = rng.integers(n, size=originals.shape)
    replacements = np.where((shares < 1) & (likely != originals), likely, uniform)
    changed = np.where(change, replacements, originals)
    promised = []  # for two sentences: the sum over their words
    for pair in np.stack([originals, changed], axis=2):
        promised.append(trial.claim.of_pairs(pair[pair[:, 0] != pair[:, 1]]).sum())
    losses = _losses(mechanism, originals, changed, repeats, Rng(trial.seed))
    # The sum over y of P(y) h(y) is that of P'(y) exp(L(y)) h(y). With h = 1 where L <= 0, and
    # pairs in either order: the share of draws that are likelier for the other sentence is the mean
    # of exp(-L) over those that are not.
    terms: Floats1d = (losses <= 0) - np.where(losses >= 0, np.exp(-np.maximum(losses, 0)), 0.0)
    error = max(float(terms.std()), 1 / len(terms)) / np.sqrt(len(terms))
    if abs(terms.mean()) > MAX_STANDARD_ERRORS * error:
        summary = "The sentences drawn do not follow the likelihood that the mechanism states."
        return Finding("sentences", INCONCLUSIVE, summary, draws=len(losses))
    claimed = np.tile(np.repeat(np.array(promised), repeats), 2)
    excess = np.abs(losses) - claimed
    worst = int(np.argmax(excess))
    refuted = bool(excess[worst] > LOSS_TOLERANCE * max(1.0, claimed[worst]))
    ranges = losses.reshape(2, pairs, repeats).max(axis=2).sum(axis=0)
    stated = trial.mechanism.guarantee.loss_range * np.array(promised)
    widest = int(np.argmax(ranges - stated))
    if not refuted and ranges[widest] - stated[widest] > LOSS_TOLERANCE * max(1.0, stated[widest]):
        return Finding(
            "sentences", REFUTED, RANGE, claimed=float(stated[widest]),
            bound=float(ranges[widest]), draws=len(losses), tests=pairs,
        )  # fmt: skip
    summary = (
        f"The exact loss of {len(losses):,} draws of sentences of {SENTENCE_WORDS} words; "
        "the worst against its promise is given."
    )
    return Finding(
        "sentences", REFUTED if refuted else NOT_REFUTED, summary, claimed=float(claimed[worst]),
        bound=float(abs(losses[worst])), draws=len(losses), tests=len(losses),
    )  # fmt: skip


def _losses(mechanism: Any, first: Ints2d, second: Ints2d, repeats: int, rng: Rng) -> Floats1d:
    """Return ln P(draw | its sentence) / P(draw | the other), (2 * pairs * repeats,), first those
    of draws from `first`."""
    sides = [np.repeat(rows, repeats, axis=0).reshape(-1) for rows in (first, second)]
    starts: Bools1d = np.arange(len(sides[0])) % SENTENCE_WORDS == 0
    losses = []
    for rows, other_rows in (sides, sides[::-1]):
        drawn = mechanism.sample(rows, rng, starts=starts).rows
        log_p, other_log_p = (
            mechanism.log_likelihood(r, drawn, starts) for r in (rows, other_rows)
        )
        losses.append(log_p - other_log_p)
    return np.concatenate(losses)
