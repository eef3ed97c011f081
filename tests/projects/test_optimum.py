"""benchmarks/optimum.py: the best channel of a group of words, by a linear program."""

from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the benchmarks are not packed")


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module("optimum")


def line(program, n, epsilon=1.0, prior=None):
    D = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    return program.Problem(D, D, np.full(n, 1 / n) if prior is None else prior, epsilon)


def losses(P):
    """The largest log ratio of any two rows of P (n, m), shape (n, n)."""
    with np.errstate(divide="ignore"):
        logs = np.log(P)
    return np.abs(logs[:, None] - logs[None]).max(axis=-1)


def test_two_words_have_the_optimum_of_randomised_response(program):
    for epsilon in (0.1, 1.0, 5.0):
        problem = line(program, 2, epsilon)
        loss = problem.expected(program.optimum(problem))
        assert loss == pytest.approx(1 / (1 + np.exp(epsilon)), rel=1e-6)
    low, high, lengths = program.edges_of(line(program, 9).D)
    assert list(zip(low, high, strict=True)) == list(pairwise(range(9)))
    assert (lengths == 1).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_keeps_its_promise_and_nothing_is_below(program, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
    problem = program.Problem((D + D.T) / 2, rng.random((12, 12)), rng.dirichlet(np.ones(12)), 1.3)
    found = program.optimum(problem)
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert (losses(found + 1e-300) <= 1.3 * problem.D + 1e-6).all()
    W = np.exp(-1.3 / 2 * problem.D)
    exponential = W / W.sum(axis=1, keepdims=True)
    assert program.exact_epsilon(exponential, problem.D) <= 1.3
    assert problem.expected(found) <= problem.expected(program.remapped(exponential, problem))
