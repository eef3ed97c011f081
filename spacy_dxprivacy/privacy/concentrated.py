"""Zero-concentrated differential privacy (zCDP) of one consistent change of a text.

A change replaces all mentions of a person, place or other secret by an alternative, at fixed
layout. Sentences are sampled independently, so their rho add up; within a sentence the distances
of the changed words add up first. A mechanism whose privacy loss lies in an interval of length eta,
whatever the output, is (eta^2 / 8)-zCDP.

Reference:
    Bun and Steinke 2016, proposition 1.3 and lemma 2.3 (conversion, composition); Dong, Durfee and
    Rogers 2020 and Cesar and Rogers 2021, lemma 3.2 (bounded range).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..validate import positive
from .guarantee import Guarantee

DELTA = 1e-6
# Mechanisms that sample with probability proportional to exp(-epsilon/2 distance): the range of
# their loss is epsilon times the distance. Of all others it is at most twice that.
EXPONENTIAL = 1.0
ANY = 2.0


@dataclass(frozen=True)
class Change:
    """The guarantee of one consistent change.

    Attributes:
        rho: Of zCDP; 0 or more.
        plain: The sum of epsilon times distance, nats, which holds at delta 0.
        epsilon: The smaller of `plain` and the epsilon of rho at delta, nats.
        delta: 0 where `plain` is the smaller one.
    """

    rho: float
    plain: float
    epsilon: float
    delta: float


def rho_of_range(eta: float) -> float:
    """Return the rho of a mechanism whose loss has a range of eta nats."""
    return eta * eta / 8


def rho_of_gaussian(mu: float) -> float:
    """Return the rho of two unit normals mu apart (Bun and Steinke 2016, proposition 1.6)."""
    return mu * mu / 2


def epsilon_of_rho(rho: float, delta: float = DELTA) -> float:
    """Return an epsilon, nats, that holds at delta under rho-zCDP.

    Reference:
        Bun and Steinke 2016, proposition 1.3.
    """
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def change(
    guarantee: Guarantee, sentences: Iterable[float], delta: float = DELTA, ranged: float = ANY
) -> Change:
    """Return the guarantee of one consistent change of a text.

    Args:
        guarantee: Of the mechanism for one word, in a metric.
        sentences: The distance of the change within each sentence that it touches: the sum over its
            words. Where words are sampled independently, each word is a sentence of its own.
        delta: The probability by which epsilon may fall short.
        ranged: The range of the loss, in epsilon times distance: EXPONENTIAL or ANY.

    Raises:
        DxError: For a delta that is not above 0.
    """
    positive("delta", delta)
    losses = [guarantee.epsilon * distance for distance in sentences]
    plain = math.fsum(losses)
    rho = math.fsum(rho_of_range(ranged * loss) for loss in losses)
    converted = epsilon_of_rho(rho, delta)
    if plain <= converted:
        return Change(rho, plain, plain, 0.0)
    return Change(rho, plain, converted, delta)


def best_guess(losses: Sequence[float]) -> float:
    """Return how often an attacker who knows all else names the secret at most.

    Args:
        losses: For each alternative, the plain epsilon of the change to it, nats, shape (m,). All
            m + 1 are equally likely before.

    Returns:
        The largest probability of the right one: 1 / (1 + sum exp(-loss)).
    """
    return 1 / (1 + math.fsum(math.exp(-loss) for loss in losses))
