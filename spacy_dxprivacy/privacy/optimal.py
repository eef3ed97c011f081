r"""The best channel of a group of words: the one of least expected loss that keeps a metric
promise.

    least  sum over w, y of prior[w] P[w, y] loss[w, y]
    where  P[v, y] <= exp(epsilon d(v, w)) P[w, y]  for all v, w, y,   rows of P sum to 1

It is enough to ask this of the pairs that no other word lies between: the ratios of all others are
products of theirs. So the program of n words has n times as many rows as the metric has edges, both
ways, and not n^3.

Papers  Bordenabe, Chatzikokolakis, Palamidessi 2014 (CCS 2014), who also take fewer rows;
columns.py
        is for groups that are too large for one program
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d
from ..errors import DxError, Errors

LEAST = 2  # words of a group
LARGEST = 600.0  # nats between two words: exp of more is no number
STOPPED = 1  # what scipy says where time or steps are up
STEEP = 60.0  # nats between two words: what is so much less likely costs nothing
BETWEEN = 1e-9  # of a length: a word lies between two others if the way over it is no longer


@dataclass(frozen=True, eq=False, repr=False)
class Optimum:
    """channel: float64 (n, k), rows sum to 1. loss: its expected loss. bound: no channel that keeps
    the promise has less. converged: whether the two are one, within a ten-thousandth."""

    channel: Floats2d
    loss: float
    bound: float
    converged: bool


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """D: float64 (n, n), a metric. loss: (n, k), of each of k outputs where w was meant, 0 or more.
    prior: (n,), in sum 1. epsilon: nats per unit of D.

    Raises DxError for shapes, numbers and distances that are none.
    """

    D: Floats2d
    loss: Floats2d
    prior: Floats1d
    epsilon: float

    def __post_init__(self) -> None:
        _check(self.D, self.loss, self.prior, self.epsilon)

    @property
    def n(self) -> int:
        return len(self.D)

    def expected(self, channel: Floats2d) -> float:
        return float(self.prior @ (channel * self.loss).sum(axis=1))


def _check(D: Floats2d, loss: Floats2d, prior: Floats1d, epsilon: float) -> None:
    n = len(D)
    if D.shape != (n, n) or loss.shape[:-1] != (n,) or prior.shape != (n,) or n < LEAST:
        raise DxError("a group has two words or more, with a distance and a loss for each pair.")
    if not np.isfinite(D).all():
        raise DxError("two words of the group are at an infinite distance: no loss is bounded.")
    if (D[~np.eye(n, dtype=bool)] <= 0).any() or D.diagonal().any() or (D != D.T).any():
        raise DxError("two words of the group are at no distance: is one there twice?")
    if not np.isfinite(loss).all() or (loss < 0).any():
        raise DxError("the loss of a pair of words is not a number of 0 or more.")
    if not np.isfinite(prior).all() or (prior < 0).any() or not np.isclose(prior.sum(), 1):
        raise DxError("the prior of the group has no sum, or a weight below 0.")
    if not 0 < epsilon * D.max() <= LARGEST:
        raise DxError(
            f"`epsilon` must be above 0 and at most {LARGEST / D.max():.4g} for this group, got "
            f"{epsilon:g}."
        )


def edges_of(D: Floats2d) -> tuple[Ints1d, Ints1d, Floats1d]:
    """D: float64 (n, n), a metric -> low, high (m,) and lengths: the pairs that no other word lies
    between. All distances are shortest paths over them."""
    n, low, high = len(D), [], []
    for a in range(n):
        over = D[a][:, None] + D
        over[a] = np.inf
        np.fill_diagonal(over, np.inf)
        near = np.flatnonzero(over.min(axis=0) > D[a] * (1 + BETWEEN))
        near = near[near > a]
        low.append(np.full(len(near), a))
        high.append(near)
    ends = np.concatenate(low).astype(np.int64), np.concatenate(high).astype(np.int64)
    return *ends, D[ends]


def cone(D: Floats2d, epsilon: float, most: int | None = None) -> Any:
    """csr (2 m, n): A x <= 0 says that x is a column of a channel that keeps the promise. most: ask
    it of so many edges of each word, the shortest ones: less than the promise. Edges of more than
    STEEP nats are left out, since no solver has such numbers: that too is less than the promise."""
    from scipy.sparse import csr_array

    low, high, lengths = edges_of(D)
    gentle = epsilon * lengths <= STEEP
    low, high, lengths = low[gentle], high[gentle], lengths[gentle]
    if most is not None:
        some = _shortest(low, high, lengths, most)
        low, high, lengths = low[some], high[some], lengths[some]
    above, below = np.concatenate([low, high]), np.concatenate([high, low])
    m = len(above)
    # Divided by the root of the factor, so that no row has numbers that are far apart.
    root = np.exp(epsilon * np.concatenate([lengths, lengths]) / 2)
    cells = np.concatenate([1 / root, -root])
    at = np.concatenate([np.arange(m)] * 2), np.concatenate([above, below])
    return csr_array((cells, at), shape=(m, len(D)))


def _shortest(low: Ints1d, high: Ints1d, lengths: Floats1d, most: int) -> Ints1d:
    """The places of edges that are among the `most` shortest of one of their ends."""
    m = len(low)
    ends, at = np.concatenate([low, high]), np.tile(np.arange(m), 2)
    order = np.lexsort((lengths[at], ends))
    ranks = np.arange(2 * m) - np.searchsorted(ends[order], ends[order])
    return np.unique(at[order][ranks < most])


def optimum(problem: Problem, seconds: float | None = None) -> Optimum:
    """By one program (HiGHS, of scipy): a second for 50 words, and n^4 of that for others. seconds:
    to stop after; what is known then is that no loss is below 0.

    Raises DxError where the solver has no answer: there is one, but not with its numbers.
    """
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron

    n, k = problem.loss.shape
    cost = (problem.prior[:, None] * problem.loss).ravel()
    rows = kron(cone(problem.D, problem.epsilon), eye_array(k), format="csr")
    sums = kron(eye_array(n), np.ones((1, k)), format="csr")
    options = {} if seconds is None else {"time_limit": seconds}
    found = linprog(
        cost, A_ub=rows, b_ub=np.zeros(rows.shape[0]), A_eq=sums, b_eq=np.ones(n), options=options
    )
    if found.status == STOPPED:
        channel = uninformed(problem)
        return Optimum(channel, problem.expected(channel), 0.0, False)
    if found.status:
        raise DxError(Errors.DX174.format(why=" ".join(found.message.split()).rstrip(".")))
    channel = kept(found.x.reshape(n, k), problem)
    return Optimum(channel, problem.expected(channel), float(found.fun), True)


def uninformed(problem: Problem) -> Floats2d:
    """The channel that says nothing: one output, whatever the word."""
    channel = np.zeros(problem.loss.shape)
    channel[:, int((problem.prior @ problem.loss).argmin())] = 1.0
    return channel


def kept(channel: Floats2d, problem: Problem) -> Floats2d:
    """The channel without what the solver's tolerance left: columns are raised to the least that
    keeps the promise, and rows summed to 1."""
    raised = raised_to(channel, np.exp(-problem.epsilon * problem.D))
    rows: Floats2d = raised / raised.sum(axis=1, keepdims=True)
    return rows


def raised_to(X: Floats2d, decay: Floats2d) -> Floats2d:
    """X: (m, k), columns on some words; decay: (n, m), exp(-epsilon d) from all words to those ->
    (n, k), the least columns above them that keep the promise."""
    return np.stack([(decay * x).max(axis=1) for x in np.maximum(X.T, 0)], axis=1)


def exact_epsilon(channel: Floats2d, D: Floats2d) -> float:
    """The least epsilon that the channel keeps on the metric; infinity where an output is possible
    for some words alone."""
    low, high, lengths = edges_of(D)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(channel)
        ratios = np.abs(logs[low] - logs[high])
    ratios[np.isneginf(logs[low]) & np.isneginf(logs[high])] = 0.0
    return float((ratios.max(axis=1) / lengths).max())


def remapped(channel: Floats2d, problem: Problem) -> Floats2d:
    """The channel with each output replaced by what is best to say after it, by who knows the prior
    and the channel. It is free, and no privacy: what is known of the word stays the same."""
    best = (channel.T @ (problem.prior[:, None] * problem.loss)).argmin(axis=1)
    merged: Floats2d = channel @ np.eye(problem.loss.shape[1])[best]
    return merged


def guessed(channel: Floats2d, prior: Floats1d) -> float:
    """How often the best guess of the word from its output is right."""
    return float((prior[:, None] * channel).max(axis=0).sum())
