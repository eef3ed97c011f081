r"""SanText+ (dx.SanTextPlus.v1): frequent words may stay unchanged; sensitive words are protected.

Probability V_S are the sensitive words, the least frequent ones of the space. For w in V_S:
            P(y | w) = exp(-epsilon d(w, y) / 2) / Z_w over y in V_S. For the others: p times the
            same, and with probability 1 - p the word itself
Guarantee   epsilon nats per unit of Euclidean distance for pairs of sensitive words (metric-dp). An
            output in V_S makes a sensitive word at most ln(1/p) nats likelier, beside the distance,
            than one that is not; an output outside V_S is the input word
Use         where frequent words carry no secret and the text should stay readable
Paper       Yue et al. 2021 (arXiv 2106.01221)

The frequencies are those of the public space, whose rows stand in falling order. The paper's code
takes them, and the vocabulary, from the private text.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..privacy.guarantee import Guarantee
from ..registries import registry
from ..space import Space
from ..space.search.exact import distances, euclidean
from ..ty import Facts
from ..validate import between, positive
from .choice import (
    Choice,
    ChoiceMechanism,
    boltzmann,
    boltzmann_probabilities,
    clamped_score,
)


@registry.dx_mechanisms("dx.SanTextPlus.v1")
def make_santext_plus(epsilon: float, p: float = 0.2, sensitive: float = 0.5) -> ChoiceMechanism:
    """Create SanText+.

    Args:
        epsilon: Nats per unit of Euclidean distance, above 0.
        p: The probability that a word that is not sensitive is replaced, above 0, 1 at most.
        sensitive: The share of the space's words that are sensitive, above 0, 1 at most.
    """
    epsilon = positive("epsilon", epsilon)
    p = between("p", p, 0.0, 1.0, "(]")
    sensitive = between("sensitive", sensitive, 0.0, 1.0, "(]")
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="euclidean",
        adjacency=f"pairs of sensitive words, the rarest {sensitive:.0%} of the space",
        covers="finite",
        status="proven",
        source="Yue et al. 2021, for outputs that are sensitive words",
        loss_range=1.0,
        notes=(
            f"Against a word that is not sensitive the loss is up to ln(1/p) = {-np.log(p):.3g} "
            "nats more, for sensitive outputs. Other outputs are unmodified and "
            "have no protection."
        ),
    )
    common = f"words that are not among the rarest {sensitive:.0%}"
    facts = Facts(in_clear=(f"{common}, each with probability {1 - p:.3g}",))
    builder = partial(build, p=p, sensitive=sensitive)
    return ChoiceMechanism("dx.SanTextPlus.v1", guarantee, builder, facts)


def build(space: Space, guarantee: Guarantee, *, p: float, sensitive: float) -> Choice:
    X, n, epsilon = space.vectors, len(space), guarantee.epsilon
    first = n - max(1, int(np.ceil(sensitive * n)))  # the first sensitive row

    score = partial(clamped_score, beta=epsilon / 2)

    def metric(rows: Ints1d) -> Floats2d:
        """Return Euclidean distance between sensitive words, 0 to itself, else infinity."""
        D = euclidean(X, rows)
        uncovered = (rows < first)[:, None] | (np.arange(n) < first)
        uncovered[np.arange(len(rows)), rows] = False
        D[uncovered] = np.inf
        return D

    def weights(rows: Ints1d) -> Floats2d:
        D = distances(X[rows], X[first:])
        W = np.zeros((len(rows), n))
        drawn = boltzmann(score(D))
        W[:, first:] = drawn / drawn.sum(axis=1, keepdims=True)
        common = np.flatnonzero(rows < first)
        W[common] *= p
        W[common, rows[common]] += 1 - p
        return W

    def probabilities(rows: Ints1d, outputs: Ints1d) -> Floats2d:
        P, drawn = np.zeros((len(rows), len(outputs))), outputs >= first
        P[:, drawn] = boltzmann_probabilities(X[rows], X[first:], outputs[drawn] - first, score)
        common = np.flatnonzero(rows < first)
        P[common] *= p
        P[common] += (1 - p) * (rows[common, None] == outputs)
        return P

    return Choice(weights, metric, guarantee, probabilities=probabilities)
