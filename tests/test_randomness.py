"""Noise that nobody can foresee. (tests/test_processes.py has forks, spawns and pipelines.)"""

import copy
import pickle
import threading

import numpy as np
import pytest
from randomgen import AESCounter

from spacy_dxprivacy import Rng


def test_the_generator_is_aes_128_in_counter_mode():
    """The known answer of FIPS 197 (appendix C.1 has key 00..0f; here with a counter of 0)."""
    key = int.from_bytes(bytes(range(16))[::-1], "little")
    stream = AESCounter(key=key, counter=0).random_raw(2).astype("<u8").tobytes()
    assert stream.hex() == "e5311321918c386e63e98dff0afa770d"


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
    assert pickle.loads(pickle.dumps(rng)).__dict__["_stream"] is None  # noqa: S301


def test_threads_share_a_stream_without_repeating_it():
    rng, drawn = Rng(), []
    threads = [threading.Thread(target=lambda: drawn.append(rng.normal((1000,)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(np.unique(np.concatenate(drawn))) == 4000


def test_uniforms_are_below_1_and_integers_below_their_bound():
    assert Rng(seed=0).uniform(100_000).max() < 1
    assert set(Rng(seed=0).integers(3, 1000).tolist()) == {0, 1, 2}
