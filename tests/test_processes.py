"""No two processes, calls, copies or threads ever share noise.

Noise is compared exactly: vectors = "noisy" leaves x + z on the Docs, so z = x + z - x.
"""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import CONSTANT, EXPONENTIAL, LAPLACE, PATH, SECRET_TEXT, leaks
from threadpoolctl import threadpool_info

from spacy_dxprivacy import DxError, Rng, assert_sanitized
from spacy_dxprivacy.machine import one_thread_in_workers
from spacy_dxprivacy.privacy import randomness

pytestmark = [
    # Python 3.12 and later warn wherever a process with threads forks; BLAS has threads.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    # spaCy says that hooks are lost on the way from a worker; the vectors themselves are not.
    pytest.mark.filterwarnings("ignore:.*W109"),
]

N_DOCS = 12
TEXTS = ["the dog saw the cat"] * N_DOCS


def noise(docs, space):
    """float32 (words, d): what the mechanism added to the vectors of TEXTS."""
    rows = [space.find(word) for word in TEXTS[0].split()]
    return np.concatenate([doc.tensor - space.vectors[rows] for doc in docs])


def all_differ(Z):
    """No two rows share coordinates by more than chance: a grid has some thousand values."""
    same = (Z[:, None, :] == Z[None, :, :]).sum(axis=2)
    np.fill_diagonal(same, 0)
    return bool(same.max() <= 4)


def test_the_measure_sees_repeated_noise(make_nlp, space):
    runs = [make_nlp(mechanism=LAPLACE, vectors="noisy", seed=1).pipe(TEXTS[:1]) for _ in range(2)]
    first, second = (noise(run, space) for run in runs)
    assert np.array_equal(first, second) and all_differ(first)
    assert not all_differ(np.concatenate([first, second]))


def test_no_two_words_calls_or_workers_share_noise(make_nlp, space, start_method):
    nlp = make_nlp(mechanism=LAPLACE, vectors="noisy")
    alone = list(nlp.pipe(TEXTS[:2]))  # the parent's stream has begun when it forks
    calls = 2 if start_method == "fork" else 1  # a spawned worker takes seconds to start
    piped = [d for _ in range(calls) for d in nlp.pipe(TEXTS, n_process=2, batch_size=3)]
    after = [nlp(TEXTS[0])]
    assert len(piped) == calls * N_DOCS
    assert all_differ(noise([*alone, *piped, *after], space))


def test_a_fresh_parent_hands_no_stream_to_its_children(make_nlp, space, forking):
    nlp = make_nlp(mechanism=LAPLACE, vectors="noisy")
    assert all_differ(noise(nlp.pipe(TEXTS, n_process=2, batch_size=1), space))


@pytest.mark.parametrize("how", ["copy", "deepcopy", "pickle"])
def test_copies_make_noise_of_their_own(make_nlp, space, how):
    nlp = make_nlp(mechanism=LAPLACE, vectors="noisy")
    component = nlp.get_pipe("dx_sanitizer")
    component(nlp.make_doc(TEXTS[0]))
    copies = {
        "copy": lambda: copy.copy(component),
        "deepcopy": lambda: copy.deepcopy(component),
        "pickle": lambda: pickle.loads(pickle.dumps(component)),  # noqa: S301
    }
    pair = [copies[how]() for _ in range(2)]
    docs = [one(nlp.make_doc(TEXTS[0])) for one in [component, *pair, component, *pair]]
    assert all_differ(noise(docs, space))


def test_random_words_for_unknown_ones_differ_between_workers(make_nlp, forking):
    nlp = make_nlp(mechanism=CONSTANT, unknown={"@dx_unknowns": "dx.RandomWord.v1"})
    docs = list(nlp.pipe(["zorblatt " * 20] * 4, n_process=2, batch_size=1))
    assert len({doc.text for doc in docs}) == 4


def _numbers(rng, queue):
    queue.put(rng.uniform(4).tolist())


def _told(rng, queue):
    try:
        rng.uniform(1)
    except DxError as error:
        queue.put(str(error))
    else:
        queue.put("it ran")


def in_children(target, rng, n=1):
    queue = multiprocessing.Queue()
    children = [multiprocessing.Process(target=target, args=(rng, queue)) for _ in range(n)]
    for child in children:
        child.start()
    found = [queue.get(timeout=60) for _ in children]
    for child in children:
        child.join(timeout=60)
    return found


def test_a_stream_is_keyed_anew_in_every_child(start_method):
    rng = Rng()
    mine = rng.uniform(4).tolist()
    first, second = in_children(_numbers, rng, n=2)
    assert len({*mine, *rng.uniform(4), *first, *second}) == 16


def test_a_child_with_the_number_of_its_parent_is_told_apart(forking, monkeypatch):
    same = SimpleNamespace(getpid=lambda: 1, urandom=os.urandom)
    monkeypatch.setattr(randomness, "os", same)
    rng = Rng()
    mine = rng.uniform(4).tolist()
    assert not set(mine) & set(*in_children(_numbers, rng))
    assert "DX010" in in_children(_told, Rng(seed=0))[0]


def test_a_seed_is_refused_in_a_child(make_nlp, start_method):
    component = make_nlp(mechanism=LAPLACE, seed=3).get_pipe("dx_sanitizer")
    assert "DX010" in in_children(_told, component.settings.rng)[0]


@pytest.mark.parametrize("text", ["the dog", "Zorblatt", "", "..."])
@pytest.mark.parametrize("mechanism", [LAPLACE, EXPONENTIAL, PATH, CONSTANT])
def test_a_seeded_sanitizer_refuses_a_worker_whatever_the_text(make_nlp, forking, mechanism, text):
    nlp = make_nlp(mechanism=mechanism, seed=3)
    assert nlp(text)._.dx.seeded
    with pytest.raises(ValueError, match="DX010"):
        list(nlp.pipe([text] * 4, n_process=2))


def test_workers_sanitise_like_the_parent(make_nlp, forking, mechanism):
    nlp = make_nlp(mechanism=mechanism, before=("sentencizer",), carry=["sents"])
    inputs = [(SECRET_TEXT, 1), ("", 2), (nlp.make_doc("the dog. A cat"), 3)]
    pairs = list(nlp.pipe(inputs, as_tuples=True, n_process=2, batch_size=1))
    assert [context for _, context in pairs] == [1, 2, 3]
    for doc, _ in pairs:
        assert_sanitized(doc)
        assert doc._.dx.guarantee == nlp("dog")._.dx.guarantee
        assert doc._.dx.mechanism == mechanism["@dx_mechanisms"]
    assert len(list(pairs[2][0].sents)) == 2
    assert not leaks(b"".join(doc.to_bytes() for doc, _ in pairs), ("Zorblattovich", "7734551209"))


def test_texts_that_workers_read_do_not_reach_the_parent(make_nlp, forking):
    nlp = make_nlp(mechanism=CONSTANT)
    list(nlp.pipe([SECRET_TEXT] * 2, n_process=2))
    assert "Zorblattovich" not in nlp.vocab.strings
    nlp.to_bytes()  # and so there is no warning (an error in these tests)


def _threads(rng, queue):
    np.ones((2, 2)) @ np.ones((2, 2))
    one_thread_in_workers()
    queue.put({pool["num_threads"] for pool in threadpool_info()})


def test_a_worker_takes_one_thread_and_its_parent_keeps_its_own(forking):
    before = threadpool_info()
    assert in_children(_threads, None) == [{1}]
    one_thread_in_workers()
    assert threadpool_info() == before


WARM_UP = """
import warnings; warnings.filterwarnings("ignore")
from conftest import LAPLACE, blank_with_vectors, make_space
nlp = blank_with_vectors(make_space())
nlp.add_pipe("dx_sanitizer", config={"mechanism": LAPLACE})
nlp("warm up the house " * 3000)
print(len(list(nlp.pipe(["the dog saw the cat " * 1000] * 4, n_process=2, batch_size=1))))
"""


@pytest.mark.slow
def test_a_warm_parent_forks_without_hanging(forking):
    how = {"cwd": os.path.dirname(__file__), "capture_output": True, "text": True, "timeout": 60}
    done = subprocess.run([sys.executable, "-c", WARM_UP], **how)
    assert done.stdout.strip() == "4", done.stderr
