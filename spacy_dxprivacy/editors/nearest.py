r"""The word that is nearest to the original on average, given what was released in its place.

    v = argmin over v of sum over w of P(w | y) path(w, v)
        where P(w | y) is as large as q(w) exp(-beta path(w, y)) / Z_w, up to a factor of y

The best response of a user who knows the public law q and the mechanism, for whom a loss is a
path: post-processing of words drawn alone. Only the likeliest originals are looked at; all others
count as if they were as far as may be, over both radii, and had a Z as these have.

Papers  Oya, Troncoso, Perez-Gonzalez 2017; Chatzikokolakis, ElSalamouny, Palamidessi 2017
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d
from ..graph.kernel import Kernel
from ..sentences.alone import WordDraw

CANDIDATES = 64


def nearest_word(words: WordDraw, prior: Floats1d, row: int) -> int:
    """words: how each was drawn. prior: float64 (n,), how likely originals are, up to a factor.
    row: the word that was released."""
    kernel = words.kernel
    near, extra = kernel.near(row)
    scores = prior * kernel.outputs
    scores[near] += prior[near] * extra
    some = _likeliest(scores, row)
    kernel.prepare(some.tolist())
    radii = kernel.graph.radii[some] / kernel.graph.quanta
    logs = words.log_sums(some) - kernel.beta * (radii - radii.min())
    likely = scores[some] * np.exp(logs.mean() - logs)
    rest = max(0.0, float(scores.sum() - scores[some].sum()))
    costs = likely @ _distances(kernel, some) + rest * radii
    return int(some[costs.argmin()])


def _likeliest(scores: Floats1d, row: int) -> Ints1d:
    """Rows, by rising number: those of the largest scores, and the word itself."""
    most = min(CANDIDATES, len(scores))
    found: Ints1d = np.union1d(np.argpartition(-scores, most - 1)[:most], [row])
    return found


def _distances(kernel: Kernel, some: Ints1d) -> Floats2d:
    """float64 (k, k), the path between each two of the words that it is drawn by."""
    radii = kernel.graph.radii[some] / kernel.graph.quanta
    weights = np.stack([kernel.weights(row, some) for row in some.tolist()])
    least = kernel.graph.radii.min() / kernel.graph.quanta
    D: Floats2d = radii[:, None] + least - np.log(weights) / kernel.beta
    return D
