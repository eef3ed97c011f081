"""How far mechanisms are from the optimal channel of a group of words.

    python benchmarks/optimum.py --group doctor --words 40 --epsilon 1 1.6 2.2

    minimise    sum over w, y of prior[w] P[w, y] loss[w, y]
    subject to  P[v, y] <= exp(epsilon d(v, w)) P[w, y]  for all v, w, y,   rows of P sum to 1

Constraints between pairs that no other word lies between imply all others. So the program of n
words has n times as many rows as the metric has edges, both ways, and not n^3.

The group is a space of its own, with the plain lengths of dx.Path. Each mechanism is calibrated to
lose what is allowed: its own epsilon is such that the largest log ratio of its probabilities, over
all pairs and outputs, is epsilon times their path. So one with a loose guarantee is compared by its
actual loss.

Reference: Bordenabe, Chatzikokolakis, Palamidessi 2014 (CCS 2014), docs/explanation/sentences.md.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from figures import write_result

from spacy_dxprivacy import Space, registry
from spacy_dxprivacy.arrays import Floats1d, Floats2d, Ints1d
from spacy_dxprivacy.errors import DxError
from spacy_dxprivacy.io.build import parse_mechanism
from spacy_dxprivacy.lab.mechanisms import make_mechanism
from spacy_dxprivacy.lab.results import text_table
from spacy_dxprivacy.metric import graph_of
from spacy_dxprivacy.space.search.exact import neighbours

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "experiments" / "optimum.json"
DATA = "{n} words of the built-in space near *{word}*; word frequency as prior."
ATTACKER = (
    "none: expected path length, and its ratio to the optimum, before and after the best remap of "
    "each output"
)
RANGE = (1e-3, 1e5)  # of the own epsilon of mechanisms
HALVINGS = 15
ENOUGH = 1e-3  # relative tolerance of epsilon
SHOWN = ("dx.Path.v1", "dx.Path.v2 policy=plain prior=WordFrequency")
STEEP = 60.0  # nats between two words: probabilities so much lower cost nothing
BETWEEN = 1e-9  # relative tolerance of lengths: a path over a word between two is equal


# -- the program -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """D: float64 (n, n), a metric. loss: (n, k), of each of k outputs for each word, 0 or more.
    prior: (n,), summing to 1. epsilon: nats per unit of D."""

    D: Floats2d
    loss: Floats2d
    prior: Floats1d
    epsilon: float

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


def optimum(problem: Problem) -> Floats2d:
    """Return the channel of least expected loss, float64 (n, k), by one linear program (HiGHS, of
    scipy): a second for 50 words, growing as n^4."""
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron

    n, k = problem.loss.shape
    cost = (problem.prior[:, None] * problem.loss).ravel()
    rows = kron(cone(problem.D, problem.epsilon), eye_array(k), format="csr")
    sums = kron(eye_array(n), np.ones((1, k)), format="csr")
    found = linprog(cost, A_ub=rows, b_ub=np.zeros(rows.shape[0]), A_eq=sums, b_eq=np.ones(n))
    if found.status:
        raise SystemExit(f"No solution was found, though there is one: {found.message}")
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


# -- the measurement -------------------------------------------------------------------------------


def group_of(space: Space, word: str, size: int) -> Space:
    """Return a word and its nearest ones as a space of their own."""
    row = space.find(word)
    if row < 0:
        raise SystemExit("The space lacks this word.")
    rows = neighbours(space.vectors[[row]], space.vectors, size)[0][0]
    words = [space.words[row] for row in rows.tolist()]
    return Space.from_vectors(words, space.vectors[rows], name=space.name)


def calibrated(name: str, group: Space, problem: Problem) -> Floats2d | None:
    """Return the channel of a mechanism that loses problem.epsilon on the path, by bisection over
    the ln of its own epsilon."""
    _, config = parse_mechanism(name)
    low, high = np.log(RANGE)
    best = None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        try:
            mechanism = make_mechanism(config, group, float(np.exp(middle)))
            made = mechanism.distribution(np.arange(len(group)))
        except DxError:  # beyond what floats hold
            made = None
        lost = np.inf if made is None else exact_epsilon(made, problem.D)
        if lost <= problem.epsilon * (1 + 1e-9):
            low, best = middle, made
        else:
            high = middle
        if problem.epsilon * (1 - ENOUGH) <= lost <= problem.epsilon:
            break
    return best


def rows_of(group: Space, prior: Floats1d, epsilon: float) -> list[list[Any]]:
    """Return epsilon, mechanism, expected path, and its ratio to the optimum before and after the
    best remap of each output."""
    D = graph_of(group).distances(np.arange(len(group)))
    problem = Problem(D, D, prior, epsilon)
    best = optimum(problem)
    least = problem.expected(best)
    rows = [[f"{epsilon:g}", "optimum", least, 1.0, 1.0]]
    for name in SHOWN:
        channel = calibrated(name, group, problem)
        assert channel is not None, f"{name} loses more at each epsilon"
        losses = problem.expected(channel), problem.expected(remapped(channel, problem))
        rows.append([f"{epsilon:g}", name, losses[0], *(loss / least for loss in losses)])
    return rows


def main() -> None:
    """Print the rows of SHOWN; --write: into the docs as well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--group", default="doctor")
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0, 1.6, 2.2])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    group = group_of(Space.builtin(), given.group, given.words)
    weights = registry.dx_priors.get("dx.WordFrequency.v1")().fit(group).unigram
    prior = np.asarray(weights / weights.sum(), dtype=np.float64)
    rows = [row for epsilon in given.epsilon for row in rows_of(group, prior, epsilon)]
    columns = ["epsilon", "mechanism", "expected path", "times the optimum", "remapped"]
    shown = [[cell if isinstance(cell, str) else f"{cell:.3g}" for cell in row] for row in rows]
    print(text_table(columns, shown, "llr"))
    if given.write:
        write_result(
            OUT,
            command=f"python benchmarks/optimum.py --group {given.group} --words {given.words}",
            settings={"runs": [{"@dx_mechanisms": f"dx.Path.v{i}"} for i in (1, 2)]},
            data=DATA.format(n=given.words, word=given.group),
            attacker=ATTACKER,
            columns=columns,
            rows=rows,
        )


if __name__ == "__main__":
    main()
