"""benchmarks/optimum.py: the best channel of a group of words, by a linear program."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sampler.distributions import losses

FOLDER = Path(__file__).parents[2] / "benchmarks"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the benchmarks are not packed")


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module("optimum")


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
