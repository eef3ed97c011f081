"""Bound the privacy loss of a consistent change of a text.

A change replaces all mentions of a person, place or other secret by an alternative, at fixed
layout. Sentences are sampled independently, so their rho (zero-concentrated differential privacy,
zCDP) add up; within a sentence the distances of the changed words add up first. A mechanism whose
privacy loss lies in an interval of length eta, whatever the output, is (eta^2 / 8)-zCDP. Mechanisms
state that range as `Guarantee.loss_range`.

Reference:
    Bun and Steinke 2016, proposition 1.3 and lemma 2.3 (conversion, composition); Dong, Durfee and
    Rogers 2020 and Cesar and Rogers 2021, lemma 3.2 (bounded range).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..validate import between
from .guarantee import Guarantee

DELTA = 1e-6
MAX_SENTENCE_WORDS = 48  # words of a sentence that is sampled as a whole; longer ones are split


@dataclass(frozen=True)
class Loss:
    """The privacy loss of one consistent change, or of several: losses add up.

    Attributes:
        rho: The parameter of zCDP, 0 or more; infinite for mechanisms without rho.
        plain: The sum of epsilon times distance, nats; infinite without a guarantee.
        delta: The delta at which `plain` holds; 0 for mechanisms that need none.
    """

    rho: float = 0.0
    plain: float = 0.0
    delta: float = 0.0

    @classmethod
    def of(cls, guarantee: Guarantee, distances: Iterable[float]) -> Loss:
        """Return the loss of one consistent change of a text.

        Args:
            guarantee: The guarantee of the mechanism for one word.
            distances: The distance of the change within each sentence: the sum over its words, in
                the metric of the guarantee, or the number of changed words for "approx-dp". With
                word-level sampling, each word is a sentence.
        """
        changed = [distance for distance in distances if distance]
        if changed and not guarantee.holds:
            return cls(math.inf, math.inf)
        losses = [guarantee.epsilon * distance for distance in changed]
        if guarantee.mu:
            rho = math.fsum(rho_of_gaussian(guarantee.mu * distance) for distance in changed)
        elif guarantee.delta and changed:
            rho = math.inf
        else:
            rho = math.fsum(rho_of_range(guarantee.loss_range * loss) for loss in losses)
        return cls(rho, math.fsum(losses), min(1.0, guarantee.delta * math.fsum(changed)))

    @classmethod
    def of_words(cls, guarantee: Guarantee, words: int) -> Loss:
        """Return the loss for texts that are one unit apart in each of `words` words.

        Sentences of sentence-level sampling are assumed to have the largest length, which gives the
        largest rho.
        """
        if guarantee.protects == "word":
            return cls.of(guarantee, [1.0]) * words
        sentences, last = divmod(words, MAX_SENTENCE_WORDS)
        return cls.of(guarantee, [float(MAX_SENTENCE_WORDS)]) * sentences + cls.of(
            guarantee, [float(last)]
        )

    def __add__(self, other: Loss) -> Loss:
        delta = min(1.0, self.delta + other.delta)
        return Loss(self.rho + other.rho, self.plain + other.plain, delta)

    def __mul__(self, times: int) -> Loss:
        if not times:
            return Loss()
        return Loss(self.rho * times, self.plain * times, min(1.0, self.delta * times))

    def cover(self, other: Loss) -> Loss:
        """Return an upper bound on both losses."""
        return Loss(
            max(self.rho, other.rho), max(self.plain, other.plain), max(self.delta, other.delta)
        )

    def epsilon(self, delta: float = DELTA) -> float:
        """Return the smaller of `plain` and the epsilon of rho at delta, nats.

        Raises:
            DxError: For a delta that is not above 0 and below 1.
        """
        if delta != DELTA:
            between("delta", delta, 0.0, 1.0)
        return min(self.plain, epsilon_of_rho(self.rho, delta))

    @property
    def delta_of_epsilon(self) -> float:
        """The delta at which `epsilon()` holds."""
        return self.delta if self.plain == self.epsilon() else DELTA

    def to_dict(self) -> dict[str, float | None]:
        """Return plain values for JSON; None for infinity. `epsilon` holds at `delta`."""
        values = {
            "rho": self.rho,
            "plain": self.plain,
            "plain_delta": self.delta,
            "epsilon": self.epsilon(),
            "delta": self.delta_of_epsilon,
        }
        return {name: None if value == math.inf else value for name, value in values.items()}

    @classmethod
    def from_dict(cls, payload: Mapping[str, Any]) -> Loss:
        """Read the result of to_dict, from a dictionary that may have further keys.

        Raises:
            KeyError: A field is missing.
        """
        values = (payload[name] for name in ("rho", "plain", "plain_delta"))
        return cls(*(math.inf if value is None else float(value) for value in values))


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
    if not 0 < rho < math.inf:
        return rho
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def rho_of_epsilon(epsilon: float, delta: float = DELTA) -> float:
    """Return the rho with this epsilon_of_rho."""
    if not 0 < epsilon < math.inf:
        return epsilon
    log = math.log(1 / delta)
    return (epsilon / (math.sqrt(log + epsilon) + math.sqrt(log))) ** 2


def best_guess(losses: Sequence[float]) -> float:
    """Return an upper bound on the probability that an attacker who knows all else names a secret.

    Args:
        losses: The plain epsilon of the change to each alternative, nats, shape (m,). All m + 1 are
            equally likely before.

    Returns:
        The probability 1 / (1 + sum exp(-loss)).
    """
    return 1 / (1 + math.fsum(math.exp(-loss) for loss in losses))
