"""What a word can lose, whatever stands around it."""

from itertools import combinations, product

import numpy as np
import pytest

from spacy_dxprivacy.sampler.draw import Text
from spacy_dxprivacy.sampler.emissions import NOTHING

from .distributions import BETA, N, all_sentences, small_mechanism

NONE, CLEAR, DRAWN, UNKNOWN = "nothing", "a word in clear", "a drawn word", "an unknown word"
CLASSES = (NONE, CLEAR, DRAWN, UNKNOWN)


@pytest.mark.parametrize("kind", ["pairs", "pairs of types", "many words a state"])
def test_no_context_loses_more_than_the_bound_of_its_states(kind):
    """What is around a place says m(z) >= 0 of its state, so that Z is the sum of m(z) E_w(z), and
    two sums are apart by at most the largest ratio of their terms."""
    mechanism = small_mechanism(kind)
    emissions, D = mechanism.built.together.emissions, mechanism.distances(np.arange(N))
    radii = emissions.kernel.graph.radii / emissions.kernel.graph.quanta
    # Emissions are up to a factor of the word's radius.
    logs = [np.log(np.maximum(emissions.exact(w), 1e-300)) - BETA * radii[w] for w in range(N)]
    for a, b in list(combinations(range(N), 2))[::5]:
        bound = BETA * D[a, b] + np.abs(logs[a] - logs[b]).max()
        assert BETA * D[a, b] <= bound <= 2 * BETA * D[a, b] + 1e-9
        texts = product(range(0, N, 2), repeat=2)
        assert max(_lost(mechanism, [x, a, y], [x, b, y]) for x, y in texts) <= bound + 1e-6


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
@pytest.mark.parametrize("kind", ["pairs", "pairs of types", "many words a state"])
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
