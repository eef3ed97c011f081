"""Tests of exact probabilities, closed forms, noise distributions, independence and sentences.

Each takes an AuditTrial, and returns a Finding, or None where it does not apply.
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

ROWS = 400  # of a large space: all pairs of so many rows
TOLERANCE, RARE = 1e-9, 1e-9
CHECKED, DRAWS = 3, 20_000
RANGE = "The range of the loss over all outputs passes what loss_range states."


@dataclass(frozen=True)
class Effort:
    """Size of an audit. plane, cloud: for each contest most draws of each word, about so many
    seconds, most pairs. draws: to compare with a stated distribution. sentences: pairs of
    sentences, and draws of each side. large: words and dimensions of the large vocabulary."""

    plane: tuple[int, float, int]
    cloud: tuple[int, float, int]
    draws: int
    sentences: tuple[int, int]
    large: tuple[int, int] = (2000, 50)


@dataclass(frozen=True)
class AuditTrial:
    """A mechanism that is fitted on a space, and its claim there. seed: of the draws, for tests.
    alpha: the probability that a contest refutes a sound mechanism by chance."""

    mechanism: Mechanism
    claim: Claim
    space: Space
    effort: Effort
    seed: int | None = None
    alpha: float = 1e-4


# -- exact probabilities and closed forms ----------------------------------------------------------


def exact(on: AuditTrial) -> Finding | None:
    """Compute the loss, or hockey-stick divergence, of all pairs of words by `distribution`."""
    if not isinstance(on.mechanism, StatesProbabilities):
        return None
    rows = _rows(on.space)
    P = np.asarray(on.mechanism.distribution(rows), dtype=np.float64)
    wrong = ""
    if P.shape != (len(rows), len(on.space)) or not np.isfinite(P).all() or P.min() < 0:
        wrong = "The mechanism states probabilities that are none."
    elif np.abs(P.sum(axis=1) - 1).max() > 1e-6:
        wrong = "The probabilities that the mechanism states do not sum to 1."
    elif not _follows(on.mechanism, P, rows, Rng(on.seed)):
        wrong = "The draws do not follow the probabilities that the mechanism states."
    if wrong:
        return Finding("exact", INCONCLUSIVE, wrong)
    E = on.claim.epsilons(rows)[:, rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs, losses = np.log(P), np.empty_like(E)
        for w in range(len(rows)):
            if on.claim.delta:
                factor = np.exp(np.minimum(E[w], 700.0))[:, None]
                losses[w] = np.maximum(P[w][None, :] - factor * P, 0).sum(axis=1)
            else:
                gap = logs[w][None, :] - logs
                gap[:, np.isneginf(logs[w])] = -np.inf  # impossible outputs of w do not count
                losses[w] = gap.max(axis=1)
    return _loss_or_range("exact", on, rows, E, losses)


def closed_form(on: AuditTrial) -> Finding | None:
    """Compute the loss of all pairs of some words by the mechanism's fact `loss`, or, where a delta
    is promised, by its `delta`; None where it has no such closed forms."""
    facts = facts_of(on.mechanism)
    rows = np.union1d(_rows(on.space), np.arange(min(len(on.space), 46)))
    E, promised = on.claim.epsilons(rows)[:, rows], on.claim.delta
    losses = facts.delta(rows, rows, E) if promised else facts.loss(rows, rows)
    if losses is None:
        return None
    if promised:  # what rounding alone lifts above the promise is no finding
        losses = np.where(losses > promised * (1 + 1e-6) + 1e-13, losses, 0.0)
    return _loss_or_range("closed form", on, rows, E, losses)


def _rows(space: Space) -> Ints1d:
    rows: Ints1d = np.unique(np.linspace(0, len(space) - 1, ROWS).astype(np.int64))
    return rows


def _follows(mechanism: Mechanism, P: Floats2d, rows: Ints1d, rng: Rng) -> bool:
    """Chi-square test of the stated probabilities, outputs below 5 expected draws pooled."""
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
            # Too few to test by themselves: merged into the likeliest.
            best = int(np.argmax(mean[:-1])) if len(mean) > 1 else 0
            seen[best], mean[best] = seen[best] + seen[-1], mean[best] + mean[-1]
            seen, mean = seen[:-1], mean[:-1]
        if len(mean) > 1 and chisquare(seen, mean * (seen.sum() / mean.sum())).pvalue < RARE:
            return False
    return True


def _loss_or_range(
    tier: str, on: AuditTrial, rows: Ints1d, E: Floats2d, losses: Floats2d
) -> Finding:
    """The finding of `_worst`; unless that is refuted, that of the ranges, if they are too large.

    The range of the loss is the largest loss of either word to the other, added up.
    """
    finding = _worst(tier, on, rows, E, losses)
    if on.claim.delta or finding.verdict != NOT_REFUTED:
        return finding
    times = on.mechanism.guarantee.loss_range
    by_range = _worst(tier, on, rows, times * E, losses + losses.T)
    return replace(by_range, what=RANGE) if by_range.verdict == REFUTED else finding


def _worst(tier: str, on: AuditTrial, rows: Ints1d, E: Floats2d, losses: Floats2d) -> Finding:
    """The finding of the worst pair. found: losses, or, where a delta is promised, deltas at the
    promised epsilons E; both (k, k)."""
    delta = on.claim.delta
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
    pair = (on.space.words[int(rows[w])], on.space.words[int(rows[v])])
    return Finding(
        tier, REFUTED if refuted else NOT_REFUTED, summary, pair, claimed=claimed, delta=delta,
        bound=None if delta else bound, tests=count,
    )  # fmt: skip


# -- the distribution of known noise: the only test of a scale that is 1 % off ---------------------

UNLIKELY = 1e-7
FEW_WORDS = 4


def noise_radius(on: AuditTrial) -> Finding | None:
    """Test the radius of the noise against its distribution (Kolmogorov and Smirnov).

    A mechanism states a ty.NoiseDistribution: from its guarantee, its settings and the space,
    independently of the code that draws.
    """
    from scipy.stats import kstest

    stated = facts_of(on.mechanism).noise_distribution()
    if stated is None:
        return None
    words = np.linspace(0, len(on.space) - 1, FEW_WORDS).astype(np.int64)
    rows = np.repeat(words, on.effort.draws // FEW_WORDS)
    draw = on.mechanism.sample(rows, Rng(on.seed))
    if draw.vectors is None:
        return None
    R = stated.radius(np.asarray(draw.vectors, dtype=np.float64) - stated.centres[rows])
    p = kstest(R, stated.distribution.cdf).pvalue
    ratio = float(np.median(R) / stated.distribution.ppf(0.5))
    summary = f"The median radius of the noise is {ratio:.3f} times the stated one (KS p = {p:.2g})"
    if p >= UNLIKELY:
        return Finding("radius", NOT_REFUTED, f"{summary}.", draws=len(rows))
    if ratio < 1:
        summary += ": there is less noise than the guarantee needs."
        return Finding("radius", REFUTED, summary, event="the radius", draws=len(rows))
    summary += ": the distribution is not the stated one, and has more noise."
    return Finding("radius", INCONCLUSIVE, summary, draws=len(rows))


# -- independence of the draws of a text -----------------------------------------------------------

MOST_Z = 7.0  # 3e-12 for each of some hundred numbers
MODE = 0.8  # an output that is nearly always the same has no ranks to compare
IN_COMMON = 50


def independence(on: AuditTrial) -> Finding:
    """Test that outputs of two calls, for two words by turns, are independent.

    The guarantee of a word composes over a text only where draws are independent. Noise that is
    drawn for pairs of opposite signs (antithetic), or in part for all words of a call, has the
    right distribution for each word alone; two outputs together reveal the words. Rank correlations
    (Spearman 1904) are about normal for independent draws, whatever their distribution.
    """
    rows = np.tile([0, len(on.space) // 2], on.effort.draws // 2)
    A, B = (_numbers(on, rows, number) for number in range(2))
    wrong, tests = [], 0
    for pairing, first, second in _neighbours(A, B):
        for a, b in zip(first.T, second.T, strict=True):
            tests += 1
            if abs(z := _z(a, b)) > MOST_Z:
                wrong.append(f"Outputs {pairing} go together (z = {z:.1f}).")
    for a, b in zip(A[0::2].T, B[0::2].T, strict=True):
        tests += 1
        within, between = int(np.sum(a[:-1] == a[1:])), int(np.sum(a[:-1] == b[1:]))
        if within - between > IN_COMMON + 2 * MOST_Z * np.sqrt(within + between):
            wrong.append("Outputs of one call have numbers of their noise in common.")
    fine = f"{tests} comparisons of outputs of one call and of two: none knows of another."
    pair = (on.space.words[0], on.space.words[len(on.space) // 2])
    return Finding(
        "independence", REFUTED if wrong else NOT_REFUTED, wrong[0] if wrong else fine, pair,
        event="two outputs together" if wrong else "", tests=tests, draws=2 * len(rows),
    )  # fmt: skip


def _numbers(on: AuditTrial, rows: Ints1d, number: int) -> Floats2d:
    """float64 (draws, c): noisy vectors, or projections of words."""
    draw = on.mechanism.sample(
        rows, Rng(None if on.seed is None else on.seed + 7919 * (number + 1))
    )
    if draw.vectors is not None:
        return np.asarray(draw.vectors, dtype=np.float64)
    directions = np.random.default_rng(0).normal(size=(on.space.vectors.shape[1], 3))
    projected: Floats2d = (on.space.vectors @ directions)[draw.rows]
    return projected


def _neighbours(A: Floats2d, B: Floats2d) -> Iterator[tuple[str, Floats2d, Floats2d]]:
    """Pairs of outputs, each of them in one pair alone, so that pairs are independent as well."""
    evens, odds = A[0::2], A[1::2]
    half = len(evens) // 4 * 2
    yield "of two words side by side", evens, odds
    yield "of one word, one after another", evens[: 2 * half : 2], evens[1 : 2 * half : 2]
    yield "of the first and the second half of a call", evens[:half], evens[half : 2 * half]
    yield "of the first and the last words of a call", evens[:half], evens[::-1][:half]
    yield "at one place of two calls", evens, B[0::2]


def _z(a: Floats1d, b: Floats1d) -> float:
    """The z score of the rank correlation; 0 where nearly all values are equal."""
    from scipy.stats import rankdata

    ranks = [rankdata(values) for values in (a, b)]
    if any(np.unique(r, return_counts=True)[1].max() > MODE * len(r) for r in ranks):
        return 0.0
    return float(np.corrcoef(*ranks)[0, 1] * np.sqrt(len(a) - 1))


# -- sentences whose words are drawn together ------------------------------------------------------

WORDS = 30  # of a sentence
SHARES = (0.0, 0.0, 0.2, 1.0)  # of its words that are changed; one at least
CLOSE = 1e-7
FAR = 5.0  # standard errors: exceeded by chance once in 1.7 million


def sentences(on: AuditTrial) -> Finding | None:
    """Sample long sentences, and pairs of them that differ in one word, in some, or in all.

    A mechanism that draws words together states the likelihood of any output: the loss of a draw is
    exact, and chance decides only which draws are tested. None where words are drawn alone.
    """
    mechanism: Any = on.mechanism
    if not facts_of(on.mechanism).draws_sentences:
        return None
    (pairs, repeats), n = on.effort.sentences, len(on.space)
    rng = np.random.default_rng(on.seed)
    originals = rng.integers(n, size=(pairs, WORDS))
    likely = on.mechanism.sample(originals.reshape(-1), Rng(on.seed)).rows.reshape(originals.shape)
    # Words are changed to likely outputs, or, where all are, to any words.
    shares = np.resize(SHARES, pairs)[:, None]
    change = rng.random(originals.shape) < shares
    change[np.arange(pairs), rng.integers(WORDS, size=pairs)] = True
    uniform = rng.integers(n, size=originals.shape)
    changed = np.where(
        change, np.where((shares < 1) & (likely != originals), likely, uniform), originals
    )
    promised = []  # for two texts: the sum over their words
    for mine, its in zip(originals, changed, strict=True):
        differ = mine != its
        promised.append(on.claim.of_pairs(np.stack([mine[differ], its[differ]], axis=1)).sum())
    losses = _losses(mechanism, originals, changed, repeats, Rng(on.seed))
    # The sum over y of P(y) h(y) is that of P'(y) exp(L(y)) h(y). With h = 1 where L <= 0, and
    # pairs in either order: the share of draws that are likelier for the other sentence is the mean
    # of exp(-L) over those that are not.
    terms: Floats1d = (losses <= 0) - np.where(losses >= 0, np.exp(-np.maximum(losses, 0)), 0.0)
    error = max(float(terms.std()), 1 / len(terms)) / np.sqrt(len(terms))
    if abs(terms.mean()) > FAR * error:
        summary = "The sentences drawn do not follow the likelihood that the mechanism states."
        return Finding("sentences", INCONCLUSIVE, summary, draws=len(losses))
    claimed = np.tile(np.repeat(np.array(promised), repeats), 2)
    excess = np.abs(losses) - claimed
    worst = int(np.argmax(excess))
    refuted = bool(excess[worst] > CLOSE * max(1.0, claimed[worst]))
    ranges = losses.reshape(2, pairs, repeats).max(axis=2).sum(axis=0)
    stated = on.mechanism.guarantee.loss_range * np.array(promised)
    widest = int(np.argmax(ranges - stated))
    if not refuted and ranges[widest] - stated[widest] > CLOSE * max(1.0, stated[widest]):
        return Finding(
            "sentences", REFUTED, RANGE, claimed=float(stated[widest]),
            bound=float(ranges[widest]), draws=len(losses), tests=pairs,
        )  # fmt: skip
    summary = (
        f"The exact loss of {len(losses):,} draws of sentences of {WORDS} words; the worst against "
        "its promise is given."
    )
    return Finding(
        "sentences", REFUTED if refuted else NOT_REFUTED, summary, claimed=float(claimed[worst]),
        bound=float(abs(losses[worst])), draws=len(losses), tests=len(losses),
    )  # fmt: skip


def _losses(mechanism: Any, first: Ints2d, second: Ints2d, repeats: int, rng: Rng) -> Floats1d:
    """ln P(draw | its sentence) / P(draw | the other one), (2 * pairs * repeats,), draws from `one`
    first."""
    sides = [np.repeat(rows, repeats, axis=0).reshape(-1) for rows in (first, second)]
    starts: Bools1d = np.arange(len(sides[0])) % WORDS == 0
    losses = []
    for mine, its in (sides, sides[::-1]):
        drawn = mechanism.sample(mine, rng, starts=starts).rows
        log_own, log_other = (mechanism.log_likelihood(rows, drawn, starts) for rows in (mine, its))
        losses.append(log_own - log_other)
    return np.concatenate(losses)
