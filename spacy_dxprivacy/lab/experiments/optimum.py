"""How far mechanisms are from the optimal channel of a group of words, a prior, a loss, an epsilon.

    minimise    sum over w, y of prior[w] P[w, y] loss[w, y]
    subject to  P[v, y] <= exp(epsilon d(v, w)) P[w, y]  for all v, w, y,   rows of P sum to 1

Constraints between pairs that no other word lies between imply all others. So the program of n
words has n times as many rows as the metric has edges, both ways, and not n^3.

The group is a space of its own, with the plain lengths of dx.Path. Every mechanism that states its
probabilities is calibrated to lose what is allowed: its own epsilon is such that the largest log
ratio of its probabilities, over all pairs and outputs, is epsilon times their path. So mechanisms
of other metrics, and those with a loose guarantee, are compared by their actual loss.

Reference: Bordenabe, Chatzikokolakis, Palamidessi 2014 (CCS 2014), docs/explanation/sentences.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...errors import DxError, Errors
from ...io.build import prior_config
from ...metric import STEPS, graph_of
from ...registries import registry
from ...space import Space
from ...space.search.metric import neighbours
from ...ty import StatesProbabilities
from ...validate import one_of
from ..bounds import least_information, mutual_information
from ..mechanisms import make_mechanism, parse_mechanism
from ..results import Result, Row, draw_lines, finish
from .options import LOSSES, Options, experiment, of_space, random_probes

EPSILONS = (1.0, 1.6, 2.2)
BEST = "optimum"
OWN = (1e-3, 1e5)  # range of the own epsilon of mechanisms
HALVINGS = 15
ENOUGH = 1e-3  # relative tolerance of epsilon
EVEN, REMAPPED = "even=true", ", remapped"
ALONE = {
    "dx.Path.v2": tuple(
        f"dx.Path.v2 policy=plain prior={given}"
        for given in ("WordFrequency", "Uniform", "Uniform even=true", "WordFrequency even=true")
    )
}
LEAST = 2  # words of a group
LARGEST = 600.0  # nats between two words: exp of more is no number
STOPPED = 1  # scipy's status for the limit of time or steps
STEEP = 60.0  # nats between two words: probabilities so much lower cost nothing
BETWEEN = (
    1e-9  # relative tolerance of lengths: a word lies between two if the path over it is equal
)


# -- the program -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """D: float64 (n, n), a metric. loss: (n, k), of each of k outputs for each word, 0 or more.
    prior: (n,), summing to 1. epsilon: nats per unit of D.

    Raises DxError for invalid shapes, numbers and distances.
    """

    D: Floats2d
    loss: Floats2d
    prior: Floats1d
    epsilon: float

    def __post_init__(self) -> None:
        D, n = self.D, len(self.D)
        if D.shape != (n, n) or self.loss.shape[:-1] != (n,) or self.prior.shape != (n,):
            raise DxError("a group needs a distance and a loss for each pair of words.")
        if n < LEAST:
            raise DxError("a group needs two words or more.")
        if not np.isfinite(D).all():
            raise DxError("two words of the group are at an infinite distance: no loss is bounded.")
        if (D[~np.eye(n, dtype=bool)] <= 0).any() or D.diagonal().any() or (D != D.T).any():
            raise DxError("two words of the group are at distance 0: leave one out.")
        if not np.isfinite(self.loss).all() or (self.loss < 0).any():
            raise DxError("the loss of a pair of words must be 0 or more.")
        if not ((self.prior >= 0).all() and np.isclose(self.prior.sum(), 1)):
            raise DxError("the weights of the prior must be 0 or more, and not all 0.")
        if not 0 < self.epsilon * D.max() <= LARGEST:
            raise DxError(
                f"`epsilon` must be above 0 and at most {LARGEST / D.max():.4g} for this group, "
                f"got {self.epsilon:g}."
            )

    def expected(self, channel: Floats2d) -> float:
        """Return the expected loss of a channel (n, k)."""
        return float(self.prior @ (channel * self.loss).sum(axis=1))


def edges_of(D: Floats2d) -> tuple[Ints1d, Ints1d, Floats1d]:
    """Return low, high (m,) and lengths of the pairs that no other word lies between, of a metric
    D, float64 (n, n). All distances are shortest paths over them."""
    low, high = [], []
    for a in range(len(D)):
        over = D[a][:, None] + D
        over[a] = np.inf
        np.fill_diagonal(over, np.inf)
        near = np.flatnonzero(over.min(axis=0) > D[a] * (1 + BETWEEN))
        near = near[near > a]
        low.append(np.full(len(near), a))
        high.append(near)
    ends = np.concatenate(low).astype(np.int64), np.concatenate(high).astype(np.int64)
    return *ends, D[ends]


def cone(D: Floats2d, epsilon: float) -> Any:
    """Return A, csr (2 m, n): A x <= 0 where x is a column of a private channel. Edges of more than
    STEEP nats are left out, as no solver has such numbers; this relaxes the constraints."""
    from scipy.sparse import csr_array

    low, high, lengths = edges_of(D)
    gentle = epsilon * lengths <= STEEP
    low, high, lengths = low[gentle], high[gentle], lengths[gentle]
    above, below = np.concatenate([low, high]), np.concatenate([high, low])
    m = len(above)
    # Rows are divided by the root of their factor, to balance their two numbers.
    root = np.exp(epsilon * np.concatenate([lengths, lengths]) / 2)
    cells = np.concatenate([1 / root, -root])
    at = np.concatenate([np.arange(m)] * 2), np.concatenate([above, below])
    return csr_array((cells, at), shape=(m, len(D)))


def optimum(problem: Problem, seconds: float | None = None) -> Floats2d | None:
    """Return the channel of least expected loss, float64 (n, k), by one linear program (HiGHS, of
    scipy): a second for 50 words, growing as n^4. None where it takes longer than `seconds`.

    Raises DxError where the solver fails numerically: there is a solution.
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
        return None
    if found.status:
        raise DxError(Errors.DX174.format(why=" ".join(found.message.split()).rstrip(".")))
    # Against the solver's tolerance, columns are raised to the least that is private, and rows
    # normalised.
    decay, X = np.exp(-problem.epsilon * problem.D), np.maximum(found.x.reshape(n, k), 0)
    raised = np.stack([(decay * x).max(axis=1) for x in X.T], axis=1)
    channel: Floats2d = raised / raised.sum(axis=1, keepdims=True)
    return channel


def exact_epsilon(channel: Floats2d, D: Floats2d) -> float:
    """Return the least epsilon of the channel on the metric; infinity where an output is possible
    only for some words."""
    low, high, lengths = edges_of(D)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(channel)
        ratios = np.abs(logs[low] - logs[high])
    ratios[np.isneginf(logs[low]) & np.isneginf(logs[high])] = 0.0
    return float((ratios.max(axis=1) / lengths).max())


def remapped(channel: Floats2d, problem: Problem) -> Floats2d:
    """Return the channel with each output replaced by that of least posterior expected loss: free
    post-processing."""
    best = (channel.T @ (problem.prior[:, None] * problem.loss)).argmin(axis=1)
    merged: Floats2d = channel @ np.eye(problem.loss.shape[1])[best]
    return merged


def guessed(channel: Floats2d, prior: Floats1d) -> float:
    """Return the top-1 recovery rate of the best attacker that sees one output."""
    return float((prior[:, None] * channel).max(axis=0).sum())


# -- the experiment --------------------------------------------------------------------------------


@experiment(
    "optimum", "the best channel of a group of words, and how far mechanisms are from it",
    "Bordenabe et al. 2014, and docs/explanation/sentences.md", words=40,
)  # fmt: skip
def run(space: Space, options: Options) -> Result:
    """Return the loss of the optimum and of mechanisms, for each epsilon."""
    group = group_of(space, options)
    named, prior = prior_on(group, options.prior)
    D = graph_of(group).distances(np.arange(len(group)))
    loss = D
    if one_of("`loss`", options.loss, LOSSES) == "changed":
        loss = 1.0 - np.eye(len(D))
    elif options.loss == "vectors":
        X = group.vectors.astype(np.float64)
        loss = np.linalg.norm(X[:, None] - X[None], axis=-1)
    problems = [Problem(D, loss, prior, epsilon) for epsilon in options.epsilons or EPSILONS]
    notes = [
        f"{of_space(group)}; prior {named}, loss {options.loss}",
        f"the longest path of the group is {graph_of(group).reach / STEPS:g}",
        "each mechanism loses epsilon times the path, exactly; remapped: each output replaced by "
        "the best word to say after it, which is no privacy",
    ]
    rows: list[Row] = []
    chosen = options.chosen(names())
    for problem in options.progress(problems, "epsilons"):
        best = optimum(problem, options.seconds)
        least = None if best is None else problem.expected(best)
        if best is None:
            notes.append(
                f"the optimum at epsilon {problem.epsilon:g} takes longer than "
                f"{options.seconds:g} seconds: more --seconds, or fewer --words"
            )
        else:
            rows.append(row_of(BEST, best, problem, least))
        for name in chosen:
            channel = calibrated(name, group, problem)
            if channel is None:
                continue
            rows.append(row_of(name, channel, problem, least))
            if EVEN in name:
                rows.append(row_of(name + REMAPPED, remapped(channel, problem), problem, least))
    return Result(rows, partial(draw, rows=rows, loss=options.loss), (6.4, 3.6), notes)


def group_of(space: Space, options: Options) -> Space:
    """Return the words that were given; around a single one, or a random one, the nearest to it.

    Raises DxError for words that the space lacks, or has twice in the group."""
    given = [word.strip() for word in options.group.split(",") if word.strip()]
    given = given or [space.words[int(random_probes(space, 1).rows[0])]]
    rows = [space.find(word) for word in given]
    if min(rows) < 0:
        raise DxError("the space lacks a word of the group: choose another one.")
    if len(set(rows)) < len(rows):
        raise DxError("a word is in the group twice: name it once.")
    if len(rows) == 1:
        near, _ = neighbours(space.vectors[rows], space.vectors, min(options.words, len(space)))
        rows = near[0].tolist()
    words = [space.words[row] for row in rows]
    return Space.from_vectors(words, space.vectors[np.array(rows)], name=space.name)


def prior_on(group: Space, given: str) -> tuple[str, Floats1d]:
    """Return a prior's name and its weights, float64 (n,), summing to 1; if no name is given, the
    frequency of words, or uniform where none is known. Raise DxError for an unknown prior, or one
    that lacks all words."""
    if not given:
        try:
            return prior_on(group, "word-frequency")
        except DxError:
            return prior_on(group, "uniform")
    made = registry.resolve({"p": prior_config(given)})["p"]
    weights = made.fit(group).unigram
    prior: Floats1d = np.asarray(weights, dtype=np.float64) / float(weights.sum())
    return given, prior


def names() -> list[str]:
    """Return the mechanisms that need epsilon alone; of those that draw sentences, word by word."""
    found: list[str] = []
    for name, maker in sorted(registry.dx_mechanisms.get_all().items()):
        parameters = inspect.signature(maker).parameters
        required = {p.name for p in parameters.values() if p.default is p.empty}
        if required == {"epsilon"}:
            found += ALONE.get(name, (name,))
    return found


def calibrated(name: str, group: Space, problem: Problem) -> Floats2d | None:
    """Return the channel of a mechanism that loses problem.epsilon on the path, by bisection over
    the ln of its own epsilon; None where it states no probabilities, or its loss is unbounded."""
    _, config = parse_mechanism(name)

    def channel(own: float) -> Floats2d | None:
        try:
            made = make_mechanism(config, group, own)
            every = np.arange(len(group))
            return made.distribution(every) if isinstance(made, StatesProbabilities) else None
        except DxError:
            return None

    if channel(problem.epsilon) is None:
        return None
    low, high = np.log(OWN)
    best = None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        made = channel(float(np.exp(middle)))
        lost = np.inf if made is None else exact_epsilon(made, problem.D)
        if lost <= problem.epsilon * (1 + 1e-9):
            low, best = middle, made
        else:
            high = middle
        if problem.epsilon * (1 - ENOUGH) <= lost <= problem.epsilon:
            break
    return best


def row_of(name: str, channel: Floats2d, problem: Problem, least: float | None) -> Row:
    """Return the figures of a channel.

    times: its loss over that of the optimum, where known. "information": mutual information of
    word and output, nats; "least information": the least at this loss.
    """
    loss = problem.expected(channel)
    return {
        "epsilon": problem.epsilon,
        "mechanism": name,
        "loss": loss,
        "times": loss / least if least else None,
        "kept": float(problem.prior @ channel.diagonal()),
        "guessed": guessed(channel, problem.prior),
        "remapped": problem.expected(remapped(channel, problem)),
        "information": mutual_information(channel, problem.prior),
        "least information": least_information(problem.loss, problem.prior, loss),
    }


def draw(figure: Any, *, rows: Sequence[Row], loss: str) -> None:
    """Draw a line for each mechanism over epsilon, and the optimum, where it is known."""
    axes = figure.subplots()
    draw_lines(axes, [r for r in rows if r["mechanism"] != BEST], ("epsilon", "loss"), "mechanism")
    best = [row for row in rows if row["mechanism"] == BEST]
    if best:
        xy = [row["epsilon"] for row in best], [row["loss"] for row in best]
        axes.plot(*xy, "o-", color="black", label=BEST, linewidth=1.6, markersize=4)
    axes.set_yscale("log")
    finish(axes, "expected loss at equal epsilon", "epsilon, nats per unit of path", loss)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
