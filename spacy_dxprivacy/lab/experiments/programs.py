r"""The best channel of a group of words: the one of least expected loss that keeps a metric
promise.

    least  sum over w, y of prior[w] P[w, y] loss[w, y]
    where  P[v, y] <= exp(epsilon d(v, w)) P[w, y]  for all v, w, y,   rows of P sum to 1

It is enough to ask this of the pairs that no other word lies between: the ratios of all others are
products of theirs. So the program of n words has n times as many rows as the metric has edges, both
ways, and not n^3. Groups that are too large for one program are taken in blocks, glued by columns.

**Bound.** Each block of words by itself, with all outputs, is a program whose optimum is no more
than what the block takes part in: fewer promises have to be kept. So the optima of all blocks,
weighed by how likely they are, bound the optimum of the group from below.

**Channel.** A channel that keeps the promise is a sum of columns x[v] <= exp(epsilon d(v, w))
x[w], each with an output. The columns of a block are carried on to all other words by

    x[v] = max over w of the block of exp(-epsilon d(v, w)) x[w]

which keeps the promise across the seams. A master program chooses how much of each column, so that
rows sum to 1, among these, exp(-epsilon max(0, d(w, y) - r)), flat near a word, and
exp(-epsilon max(0, r - d(w, y))), which keep away from one. Its dual u prices a column at the sum
of (prior loss - u) x, and for each output one small program finds the column of the least price:
where there is none below 0, that is the optimum, and before, u plus that price is a bound (Farley
1990).

Papers  Bordenabe, Chatzikokolakis, Palamidessi 2014 (CCS 2014), who also take fewer rows; Dantzig
        and Wolfe 1960; Benders 1962 (the same, seen from the dual); docs/optimum.md has more
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...errors import DxError, Errors

LEAST = 2  # words of a group
LARGEST = 600.0  # nats between two words: exp of more is no number
STOPPED = 1  # what scipy says where time or steps are up
STEEP = 60.0  # nats between two words: what is so much less likely costs nothing
BETWEEN = 1e-9  # of a length: a word lies between two others if the way over it is no longer
CLOSE = 1e-4  # of the loss: how near bound and loss are where it has converged
ONE_PROGRAM = 20_000  # words times edges of a group that takes no blocks
BLOCK = 30
STEPS = 6  # different radii of the first columns
MOST_COLUMNS = 16  # kept for each word
SMALL = 1e-9
EDGES = 8  # of each word that a column is held to at first


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


# -- groups that are too large for one program -----------------------------------------------------


def best_channel(problem: Problem, seconds: float = 120.0) -> Optimum:
    """The optimum; or, if that takes longer than so many seconds, what is reached and a bound."""
    if problem.n * len(edges_of(problem.D)[0]) <= ONE_PROGRAM:
        return optimum(problem, seconds)
    until = time.perf_counter() + seconds
    columns = _first(problem)
    bound = 0.0
    for rows in blocks_of(problem.D):
        left = until - time.perf_counter()
        if left < seconds / 2:
            break
        some, found = _alone(problem, rows, left)
        bound += float(problem.prior[rows].sum()) * found.bound
        columns.add(*_carried(problem, rows, some, found.channel))
    return _glued(columns, bound, until)


@dataclass(eq=False, repr=False)
class Columns:
    """X: float64 (n, c), each with a largest number of 1. outputs: (c,). costs: (c,)."""

    problem: Problem
    X: Floats2d
    outputs: Ints1d
    costs: Floats1d = field(init=False)

    def __post_init__(self) -> None:
        self.costs = self._costs(self.X, self.outputs)

    def _costs(self, X: Floats2d, outputs: Ints1d) -> Floats1d:
        costs: Floats1d = self.problem.prior @ (self.problem.loss[:, outputs] * X)
        return costs

    def add(self, X: Floats2d, outputs: Ints1d) -> None:
        self.X = np.hstack([self.X, X])
        self.outputs = np.concatenate([self.outputs, outputs])
        self.costs = np.concatenate([self.costs, self._costs(X, outputs)])

    def forget(self, u: Floats1d) -> None:
        """All but those of the least prices."""
        order = np.argsort(self.costs - u @ self.X)[: MOST_COLUMNS * self.problem.n]
        self.X, self.outputs = self.X[:, order], self.outputs[order]
        self.costs = self.costs[order]

    def channel(self, weights: Floats1d) -> Floats2d:
        used = np.flatnonzero(weights > 0)
        into = np.zeros((len(used), self.problem.loss.shape[1]))
        into[np.arange(len(used)), self.outputs[used]] = weights[used]
        made: Floats2d = self.X[:, used] @ into
        return made


def blocks_of(D: Floats2d) -> Iterator[Ints1d]:
    """Words that are near each other, BLOCK at most: halves of halves, by the two ends of each."""
    waiting = [np.arange(len(D))]
    while waiting:
        rows = waiting.pop()
        if len(rows) <= BLOCK:
            yield rows
            continue
        one = rows[D[rows[0], rows].argmax()]
        other = rows[D[one, rows].argmax()]
        order = np.argsort(D[one, rows] - D[other, rows], kind="stable")
        waiting += [np.sort(rows[half]) for half in np.array_split(order, 2)]


def _alone(problem: Problem, rows: Ints1d, seconds: float) -> tuple[Ints1d, Optimum]:
    """The optimum of some words as if there were no others, and the outputs that it may use: those
    for which no other output is better whatever the word."""
    prior, costs = problem.prior[rows], problem.loss[rows]
    some = np.flatnonzero([_worth(costs, y) for y in range(costs.shape[1])])
    total = float(prior.sum())
    prior = prior / total if total > 0 else np.full(len(rows), 1 / len(rows))
    part = Problem(problem.D[np.ix_(rows, rows)], costs[:, some], prior, problem.epsilon)
    return some, optimum(part, seconds)


def _worth(costs: Floats2d, y: int) -> bool:
    own = costs[:, [y]]
    no_worse = np.flatnonzero((costs <= own).all(axis=0))
    alike = (costs[:, no_worse] == own).all(axis=0)
    return not (no_worse[~alike].size or (no_worse[alike] < y).any())


def _carried(
    problem: Problem, rows: Ints1d, outputs: Ints1d, channel: Floats2d
) -> tuple[Floats2d, Ints1d]:
    used = channel.max(axis=0) > SMALL
    decay = np.exp(-problem.epsilon * problem.D[:, rows])
    return raised_to(channel[:, used] / channel[:, used].max(axis=0), decay), outputs[used]


def _first(problem: Problem) -> Columns:
    """The flat ones and those that keep away, each with its best output."""
    D = problem.D
    radii = np.unique(np.quantile(D[~np.eye(problem.n, dtype=bool)], np.linspace(0, 0.5, STEPS)))
    shapes = [np.maximum(0.0, D - r) for r in (0.0, *radii)]
    shapes += [np.maximum(0.0, r - D) for r in radii]
    X = np.exp(-problem.epsilon * np.hstack(shapes))
    X /= X.max(axis=0)
    return Columns(problem, X, (X.T @ (problem.prior[:, None] * problem.loss)).argmin(axis=1))


def _glued(columns: Columns, bound: float, until: float) -> Optimum:
    problem = columns.problem
    decay, edges, middle = np.exp(-problem.epsilon * problem.D), EDGES, None
    while True:
        weights, loss, u = _master(columns)
        if loss - bound <= CLOSE * loss or time.perf_counter() > until:
            break
        # Half way to the dual of the best bound: prices of the master alone swing (Wentges 1997).
        at = u if middle is None else (u + middle) / 2
        X, outputs, least = _priced(problem, cone(problem.D, problem.epsilon, edges), at, until)
        if float(at.sum()) + least > bound:
            bound, middle = float(at.sum()) + least, at
        edges *= 1 if len(outputs) > problem.n / 2 else 2
        columns.forget(u)
        columns.add(raised_to(X / X.max(axis=0), decay), outputs)
    channel = kept(columns.channel(weights), problem)
    loss = problem.expected(channel)
    return Optimum(channel, loss, min(bound, loss), loss - bound <= 2 * CLOSE * loss)


def _master(columns: Columns) -> tuple[Floats1d, float, Floats1d]:
    """How much of each column, the loss, and the dual (n,)."""
    from scipy.optimize import linprog

    # The column that is 1 everywhere is among them: there always is a solution.
    scale = float(columns.costs.mean())
    found = linprog(columns.costs / scale, A_eq=columns.X, b_eq=np.ones(columns.problem.n))
    return found.x, scale * float(found.fun), scale * found.eqlin.marginals


def _priced(problem: Problem, A: Any, u: Floats1d, until: float) -> tuple[Floats2d, Ints1d, float]:
    """Columns of a price below 0 with their outputs, and the least price of all; minus infinity
    where not all were found in time. A: fewer promises than there are make prices lower, so that
    the bound stays one."""
    found, outputs, least = [np.ones(problem.n)], [0], 0.0
    for y in range(problem.loss.shape[1]):
        priced = _cheapest(problem.prior * problem.loss[:, y] - u, A)
        if priced is None or time.perf_counter() > until:
            least = -np.inf
            break
        price, x = priced
        least = min(least, price)
        if price < -SMALL:
            found.append(x)
            outputs.append(y)
    return np.stack(found, axis=1), np.array(outputs, dtype=np.int64), least


def _cheapest(price: Floats1d, A: Any) -> tuple[float, Floats1d] | None:
    """The column of mean 1 that costs least; None where the solver does not say."""
    from scipy.optimize import linprog

    scale, mean = float(np.abs(price).max()), np.full((1, len(price)), 1 / len(price))
    for method in ("highs", "highs-ipm"):
        one = linprog(
            price / scale, A_ub=A, b_ub=np.zeros(A.shape[0]), A_eq=mean, b_eq=[1], method=method
        )
        if one.status == 0:
            return scale * float(one.fun), one.x
    return None
