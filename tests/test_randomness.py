"""Noise that nobody can foresee. (tests/test_processes.py has forks, spawns and pipelines.)"""

import copy
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from randomgen import AESCounter

from spacy_dxprivacy import DxError, Rng
from spacy_dxprivacy.privacy import randomness


def test_the_generator_is_aes_128_in_counter_mode():
    """The known answer of FIPS 197, appendix C.1."""
    key = int.from_bytes(bytes(range(16)), "little")
    counter = int.from_bytes(bytes.fromhex("00112233445566778899aabbccddeeff"), "little")
    stream = AESCounter(key=key, counter=counter).random_raw(2).astype("<u8").tobytes()
    assert stream.hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"


class Broken(AESCounter):
    """Wrong from some block on, or in how its blocks become numbers."""

    wrong_from = 0

    def random_raw(self, size=None, output=True):
        raw = super().random_raw(size, output)
        raw[self.wrong_from :] ^= np.uint64(1)
        return raw


class BrokenLater(Broken):
    wrong_from = 17


def no_keys(monkeypatch):
    monkeypatch.setattr(os, "urandom", lambda size: bytes(size))


@pytest.mark.parametrize(
    ("how", "what"),
    [
        (lambda m: m.setattr("randomgen.AESCounter", Broken), "FIPS 197"),
        (lambda m: m.setattr("randomgen.AESCounter", BrokenLater), "blocks in a row"),
        (lambda m: m.setattr(np.random, "Generator", lambda _: Rng0()), "numbers out of blocks"),
        (no_keys, "keys of the system"),
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


class Rng0:
    def random(self):
        return 0.5


def test_the_generator_is_tested_once_a_process(monkeypatch):
    asked = []
    monkeypatch.setattr(randomness, "_tested", None)
    monkeypatch.setattr(randomness, "known_answer_test", lambda: asked.append(1))
    for rng in (Rng(), Rng(), Rng(seed=0)):
        rng.normal((1,))
    assert asked == [1]


def test_a_seed_repeats_and_no_seed_does_not():
    assert np.array_equal(Rng(seed=1).normal((5,)), Rng(seed=1).normal((5,)))
    assert not np.array_equal(Rng(seed=1).normal((5,)), Rng(seed=2).normal((5,)))
    assert not np.array_equal(Rng().normal((5,)), Rng().normal((5,)))


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


def test_no_key_leaves_the_process():
    rng = Rng()
    rng.normal((1,))
    assert set(rng.__getstate__()) == {"seed", "_home"}


def in_threads(draw, n=4):
    """What each of n threads that run at the same time draws."""
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


def test_uniforms_are_below_1_and_integers_below_their_bound():
    assert Rng(seed=0).uniform(100_000).max() < 1
    assert set(Rng(seed=0).integers(3, 1000).tolist()) == {0, 1, 2}
