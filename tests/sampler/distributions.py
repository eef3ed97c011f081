"""Small distributions of sentences on a small space, and brute force over all sentences."""

import itertools
from functools import partial

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import chisquare

from spacy_dxprivacy import Space
from spacy_dxprivacy.mechanisms.path_v2 import SentenceMechanism, Sentences
from spacy_dxprivacy.metric import STEPS
from spacy_dxprivacy.metric.policy_graph import Kernel, with_lengths
from spacy_dxprivacy.metric.word_graph import graph_of
from spacy_dxprivacy.prior.chain import Chain, unigram_chain
from spacy_dxprivacy.privacy.guarantee import Guarantee
from spacy_dxprivacy.sampler.word_level import WordSampler
from spacy_dxprivacy.ty import Facts

N = 5
BETA = 0.7
KINDS = ("pairs", "pairs of types", "many words a state", "contexts", "alone")


def small_space(n=N, seed=0):
    words = [f"w{i}" for i in range(n)]
    return Space.from_vectors(words, np.random.default_rng(seed).normal(size=(n, 3)))


def _sums_to_one(table, axis):
    return table / table.sum(axis=axis, keepdims=True)


def small_chain(kind, n=N, seed=1):
    """Some zeros are in it: pairs that never come, words that a state does not have."""
    rng = np.random.default_rng(seed)
    if kind == "alone":
        return unigram_chain(rng.random(n) + 0.1)
    K = {"pairs": n, "pairs of types": 3, "many words a state": 4, "contexts": 3}[kind]
    back = rng.random(K) * 0.6 + 0.2
    delta = rng.random((K, K)) * (rng.random((K, K)) < 0.6)
    back[delta.sum(axis=1) == 0] = 1
    delta *= ((1 - back) / np.maximum(delta.sum(axis=1), 1e-12))[:, None]
    if kind == "many words a state":
        emit = _sums_to_one(rng.random((n, K)) * (rng.random((n, K)) < 0.8) + 0.01, 0)
        delta, back = delta + back[:, None] / K, np.zeros(K)
    else:
        types = np.arange(n) % K
        emit = np.zeros((n, K))
        emit[np.arange(n), types] = rng.random(n) + 0.1
        emit = _sums_to_one(emit, 0)
    begin, alone, u = (_sums_to_one(rng.random(K) + 0.05, 0) for _ in range(3))
    end = rng.random(K)
    base = np.array([2, 0, 0, 2, 1]) if kind == "contexts" else np.zeros(0, np.int64)
    C = len(base)
    delta, more = np.pad(delta, ((0, 0), (0, C))), rng.random((C, K + C))
    if C:
        # Sentences begin with a context, pairs lead to others, and contexts to one another.
        begin, end = np.append(begin * 0.8, 0.2 * np.eye(C)[4]), rng.random(K + C)
        delta[:, K:] = delta[:, base] * (rng.random((K, C)) < 0.7)
        delta *= ((1 - back) / np.maximum(delta.sum(axis=1), 1e-12))[:, None]
        more *= rng.random((C, K + C)) < 0.5
    lower = rng.random(C) + 0.1
    arrays = [np.asarray(a, np.float32) for a in (begin, alone, end, back, u, delta, emit, lower)]
    tables = map(csr_array, arrays[5:7])
    return Chain(*arrays[:5], *tables, base, arrays[7], csr_array(more.astype(np.float32)))


def moves(chain):
    """T, dense in float64, by its definition."""
    K = len(chain.u)
    back, u = chain.back.astype(float), chain.u.astype(float)
    T = chain.delta.toarray().astype(float)
    T[:, :K] += np.outer(back, u)
    if not len(chain.base):
        return T
    return np.vstack([T, chain.lower[:, None] * T[chain.base] + chain.context_delta.toarray()])


def emissions(chain):
    """B, dense in float64."""
    B = chain.emit.toarray().astype(float)
    return np.hstack([B, B[:, chain.base]])


def uneven(space):
    """The graph of the space, with radii of several lengths."""
    graph = graph_of(space)
    steps = graph.edges[2]
    return with_lengths(graph, steps / STEPS, 1.25 + np.arange(len(space)) % 4 / 4)


def build(space, guarantee, chain, beta):
    kernel = Kernel(uneven(space), beta)
    words = WordSampler(kernel, chain.unigram)
    facts = Facts(draws_sentences=not chain.is_unigram, longest=kernel.graph.longest)
    return Sentences(chain, kernel, words, guarantee, facts)


def small_mechanism(kind, n=N, beta=BETA):
    guarantee = Guarantee("metric-dp", 2 * beta, metric="path", status="proven", loss_range=1.0)
    builder = partial(build, chain=small_chain(kind, n), beta=beta)
    return SentenceMechanism("small", guarantee, builder).fit(small_space(n))


def losses(P):
    """The largest log ratio of any two rows of P (n, m), shape (n, n)."""
    with np.errstate(divide="ignore"):
        logs = np.log(P)
    return np.abs(logs[:, None] - logs[None]).max(axis=-1)


def p_value(counts, expected):
    """Chi-squared of counts, cells that expect fewer than 5 as one. None is where none can be."""
    assert not counts[expected == 0].any()
    common = expected >= 5
    seen = np.append(counts[common], counts[~common].sum())
    wanted = np.append(expected[common], expected[~common].sum())
    possible = wanted > 0
    return chisquare(seen[possible], wanted[possible]).pvalue


def all_sentences(n, length):
    return np.array(list(itertools.product(range(n), repeat=length)))


def log_q(chain, sentence):
    """By matrix products, in float64."""
    T, B = moves(chain), emissions(chain)
    M = chain.begin.astype(float) * B[sentence[0]]
    for word in sentence[1:]:
        M = (M @ T) * B[word]
    with np.errstate(divide="ignore"):
        return float(np.log((M * chain.end).sum()))


def log_law(chain, sentences):
    """ln q of each of the sentences."""
    if chain.is_unigram:
        return np.log(chain.unigram)[sentences].sum(axis=1)
    return np.array([log_q(chain, sentence) for sentence in sentences])


def starts_of(*lengths):
    starts = np.zeros(sum(lengths), dtype=bool)
    starts[np.cumsum([0, *lengths[:-1]])] = True
    return starts
