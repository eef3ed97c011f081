"""Noise that nobody can foresee. (tests/test_processes.py has forks, spawns and pipelines.)"""

import copy
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import numpy as np
import pytest
from randomgen import AESCounter

from spacy_dxprivacy import DxError, Rng
from spacy_dxprivacy.privacy import randomness


class Broken(AESCounter):
    wrong_from = 0

    def random_raw(self, size=None, output=True):
        raw = super().random_raw(size, output)
        raw[self.wrong_from :] ^= np.uint64(1)
        return raw


class BrokenLater(Broken):
    wrong_from = 17


@pytest.mark.parametrize(
    ("how", "what"),
    [
        (lambda m: m.setattr("randomgen.AESCounter", Broken), "FIPS 197"),
        (lambda m: m.setattr("randomgen.AESCounter", BrokenLater), "consecutive blocks"),
        (
            lambda m: m.setattr(np.random, "Generator", lambda _: Mock(random=lambda: 0.5)),
            "numbers of blocks",
        ),
        (lambda m: m.setattr(os, "urandom", bytes), "system keys"),
    ],
)
def test_nothing_is_drawn_from_a_generator_that_fails_its_test(how, what, monkeypatch):
    monkeypatch.setattr(randomness, "_tested", None)
    how(monkeypatch)
    rng = Rng()
    for _ in range(2):  # it stays refused
        with pytest.raises(DxError, match=rf"DX094.*{what}"):
            rng.normal((1,))
    with pytest.raises(DxError, match="DX094"):
        Rng(seed=1)


def test_a_seed_repeats_and_no_seed_does_not():
    for one, other, same in ((1, 1, True), (1, 2, False), (None, None, False)):
        assert np.array_equal(Rng(one).normal((5,)), Rng(other).normal((5,))) == same


@pytest.mark.parametrize("seed", [-1, 1.5, "one", True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(ValueError, match="seed"):
        Rng(seed=seed)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy,
                                  lambda r: pickle.loads(pickle.dumps(r))])  # noqa: S301  # fmt: skip
def test_a_copy_has_a_stream_of_its_own(twin):
    rng = Rng()
    rng.normal((1,))
    assert not np.array_equal(twin(rng).normal((5,)), rng.normal((5,)))
    assert set(rng.__getstate__()) == {"seed", "_home"}  # no key leaves the process


def in_threads(draw, n=4):
    barrier = threading.Barrier(n)

    def run(_):
        barrier.wait()
        return draw()

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(run, range(n)))


def test_every_thread_has_a_stream_of_its_own():
    rng = Rng()
    streams = [rng.generator, *in_threads(lambda: rng.generator)]
    assert len({id(stream) for stream in streams}) == 5
    drawn = in_threads(lambda: rng.normal((1000,)))
    assert len(np.unique(np.concatenate(drawn))) == 4000


def test_threads_share_the_stream_of_a_seed_without_repeating_it():
    rng = Rng(seed=0)
    drawn = np.concatenate(in_threads(lambda: rng.normal((1000,))))
    assert np.array_equal(np.sort(drawn), np.sort(Rng(seed=0).normal((4000,))))


def test_laplace_numbers_are_those_of_numpy():
    expected = Rng(seed=3).generator.laplace(size=(40, 50))
    np.testing.assert_allclose(Rng(seed=3).laplace((40, 50)), expected, rtol=0, atol=1e-11)


def test_a_uniform_number_of_0_has_a_finite_laplace_number(monkeypatch):
    uniforms = np.array([0.0, 0.25, 0.5, 1 - 2.0**-53])
    generator = Mock(random=lambda shape: uniforms.copy())
    monkeypatch.setattr(Rng, "generator", generator)
    expected = np.log([2.0**-53, 0.5, 1.0, 2.0**52])
    np.testing.assert_allclose(Rng().laplace((4,)), expected)


def test_uniforms_are_below_1_and_integers_below_their_bound():
    assert Rng(seed=0).uniform(100_000).max() < 1
    assert set(Rng(seed=0).integers(3, 1000).tolist()) == {0, 1, 2}
