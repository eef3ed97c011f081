"""What a word can lose, whatever stands around it."""

from itertools import product

import numpy as np
import pytest

from spacy_dxprivacy.sentences.draw import Text
from spacy_dxprivacy.sentences.emissions import NOTHING
from spacy_dxprivacy.sentences.worst import steepest

from .laws import BETA, N, all_sentences, small_mechanism

NONE, CLEAR, DRAWN, UNKNOWN = "nothing", "a word in clear", "a drawn word", "an unknown word"
CLASSES = (NONE, CLEAR, DRAWN, UNKNOWN)


@pytest.mark.parametrize("kind", ["pairs", "pairs of types", "hidden Markov"])
def test_no_context_loses_more_than_the_bound_of_its_states(kind):
    mechanism = small_mechanism(kind)
    chain, emissions = mechanism.built.chain, mechanism.built.together.emissions
    D = mechanism.distances(np.arange(N))
    beta, low, high = emissions.kernel.beta, *np.triu_indices(N, 1)
    edges = np.stack([low, high, np.round(D[low, high] * 16).astype(int)], axis=1)[::5]
    for found, (a, b, _) in zip(steepest(chain, emissions, edges), edges.tolist(), strict=True):
        assert beta <= found.epsilon <= found.bound + 1e-9 <= 2 * beta + 2e-9
        texts = product(range(0, N, 2), repeat=2)
        lost = max(_lost(mechanism, [x, a, y], [x, b, y]) for x, y in texts)
        assert lost <= found.bound * D[a, b] + 1e-6


def _lost(mechanism, one, other):
    """The largest log ratio at the middle word, of those around it as they are in clear."""
    starts, fixed = np.array([True, False, False]), np.array([True, False, True])
    rows = [np.array(text) for text in (one, other)]
    logs = []
    for middle in range(N):
        out = np.array([one[0], middle, one[2]])
        logs.append([mechanism.log_likelihood(r, out, starts, fixed)[0] for r in rows])
    table = np.array(logs)
    possible = np.isfinite(table).all(axis=1)
    return float(np.abs(table[possible, 0] - table[possible, 1]).max(initial=0.0))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pairs", "pairs of types", "hidden Markov"])
def test_a_word_loses_2_beta_at_most_in_every_class_of_context(kind):
    """Its neighbours on either side: none, in clear, drawn, or lacking in the space."""
    mechanism = small_mechanism(kind)
    D = mechanism.distances(np.arange(N))
    for before, after in product(CLASSES, repeat=2):
        around = [one for one in (before, None, after) if one != NONE]
        logs = np.stack([_all_logs(mechanism, word, around) for word in range(N)])
        with np.errstate(invalid="ignore"):
            lost = np.nan_to_num(np.abs(logs[:, None] - logs[None])).max(axis=-1)
        assert lost.max() > 0
        assert (lost <= 2 * BETA * D + 1e-9).all(), (before, after)


def _all_logs(mechanism, word, around):
    """ln P of all outputs, of a word among neighbours of these classes."""
    rows = np.array([word if c is None else NOTHING if c == UNKNOWN else 2 for c in around])
    outputs = all_sentences(N, len(rows))
    fixed = np.tile([c == CLEAR for c in around], len(outputs))
    starts = np.arange(outputs.size) % len(rows) == 0
    text = Text(np.tile(rows, len(outputs)), starts, fixed)
    return mechanism.built.together.likelihood(text, outputs.ravel())
