"""Composition of guarantees over the words of a document, and over a consistent change of a text.

Guarantees of Gaussian noise compose exactly; of all others epsilons and deltas are summed. The
notes of the result name the theorem that was used.

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
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any

from ..errors import DxError, Errors
from ..validate import between
from .guarantee import STATUSES, Guarantee

BASIC = "basic composition (Dwork and Roth 2014, theorem 3.16)"
GAUSSIAN = "Gaussian composition (Dong, Roth and Su 2019, corollary 3.3)"
_DOCUMENT = (
    "documents of the same length that differ in the perturbed words only; all else that is "
    "released (the receipt's in_clear) is alike"
)


def compose(guarantees: Iterable[Guarantee]) -> Guarantee:
    """Return the guarantee of a document, each word of which was drawn under one of these.

    For "metric-dp" epsilons add up (Chatzikokolakis et al. 2013, section 4), and the sum is nats
    per unit of the largest distance between two words at one place. For "approx-dp" the deltas
    add up, and epsilon is the least that is known at their sum: for Gaussian noise that of the
    sum, else the sum of the epsilons. One word without a guarantee leaves none.

    Raises:
        DxError: For guarantees that differ in kind, metric, space or in the pairs they cover.
    """
    counts = Counter(guarantees)
    if not counts:
        raise DxError(Errors.DX040.format(why="there are none"))
    return _compose(counts)


@lru_cache(maxsize=1024)  # a corpus has many documents of as many words
def repeat(guarantee: Guarantee, times: int) -> Guarantee:
    """Return compose([guarantee] * times); times may be 0."""
    return _compose({guarantee: times})


def _compose(counts: Mapping[Guarantee, int]) -> Guarantee:
    first = next(iter(counts))
    if any(g.kind == "none" for g in counts):
        return Guarantee("none", adjacency=_DOCUMENT, notes="A part of it has no guarantee.")
    for name in ("kind", "metric", "adjacency", "covers", "protects", "space"):
        if len({getattr(g, name) for g in counts}) > 1:
            raise DxError(Errors.DX040.format(why=f"they differ in their {name}"))
    epsilon, delta, mu, theorem = _total(counts)
    worst = max(counts, key=lambda g: STATUSES.index(g.status))
    return replace(
        first,
        epsilon=epsilon,
        delta=delta,
        adjacency=f"{_DOCUMENT}; at each place: {first.adjacency}",
        status=worst.status,
        source=worst.source,
        notes=f"Added up over the perturbed words by {theorem}; a repeated word counts twice. "
        f"{first.notes}".strip(),
        mu=mu,
        loss_range=max(g.loss_range for g in counts),
    )


def _total(counts: Mapping[Guarantee, int]) -> tuple[float, float, float, str]:
    """Return epsilon, delta, mu and the theorem, for so many draws under each guarantee."""
    drawn = {g: n for g, n in counts.items() if n}
    epsilon = math.fsum(g.epsilon * n for g, n in drawn.items())
    delta = min(1.0, math.fsum(g.delta * n for g, n in drawn.items() if g.kind == "approx-dp"))
    mu = math.hypot(*(g.mu * math.sqrt(n) for g, n in drawn.items()))
    if sum(drawn.values()) < 2 or not 0 < delta < 1:
        return epsilon, delta, mu, BASIC
    if not all(g.mu for g in drawn):
        return epsilon, delta, mu, BASIC
    least = gaussian_epsilon(mu, delta)
    return (least, delta, mu, GAUSSIAN) if least < epsilon else (epsilon, delta, mu, BASIC)


@lru_cache(maxsize=4096)
def gaussian_epsilon(mu: float, delta: float) -> float:
    """Return the least epsilon at delta of two unit normals mu apart.

    Reference:
        Balle and Wang 2018, theorem 8.
    """
    from scipy.optimize import brentq

    from .noise import log_delta

    def excess(epsilon: float) -> float:
        return log_delta(epsilon, mu) - math.log(delta)

    if excess(0.0) <= 0:
        return 0.0
    high = mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta))
    return float(brentq(excess, 0.0, high, xtol=1e-10))


DELTA = 1e-6


@dataclass(frozen=True)
class Change:
    """The guarantee of one consistent change.

    Attributes:
        rho: Of zCDP, 0 or more; infinite where the mechanism has none.
        plain: The sum of epsilon times distance, nats.
        plain_delta: The delta at which `plain` holds; 0 for mechanisms that need none.
        epsilon: The smaller of `plain` and the epsilon of rho, nats; infinite without a guarantee.
        delta: The probability by which `epsilon` may fall short.
    """

    rho: float
    plain: float
    plain_delta: float
    epsilon: float
    delta: float

    def to_dict(self) -> dict[str, float | None]:
        """Return plain values, for JSON; None for infinity, which JSON lacks."""
        return {k: None if v == math.inf else v for k, v in asdict(self).items()}

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Change:
        """Read what to_dict gave, from a dictionary that may hold more.

        Raises:
            KeyError: A field is missing.
        """
        values = {f.name: payload[f.name] for f in fields(cls)}
        return cls(**{k: math.inf if v is None else float(v) for k, v in values.items()})


NO_CHANGE = Change(0.0, 0.0, 0.0, 0.0, 0.0)


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


def change(guarantee: Guarantee, sentences: Iterable[float], delta: float = DELTA) -> Change:
    """Return the guarantee of one consistent change of a text.

    Args:
        guarantee: Of the mechanism for one word.
        sentences: The distance of the change within each sentence that it touches: the sum over its
            words, in the metric of the guarantee, or their number for "approx-dp". Where words are
            sampled independently, each word is a sentence of its own.
        delta: The probability by which epsilon may fall short.

    Raises:
        DxError: For a delta that is not above 0 and below 1.
    """
    apart = [distance for distance in sentences if distance]
    if not guarantee.holds and apart:
        return Change(math.inf, math.inf, 0.0, math.inf, 0.0)
    losses = [guarantee.epsilon * distance for distance in apart]
    if guarantee.mu:
        rho = math.fsum(rho_of_gaussian(guarantee.mu * distance) for distance in apart)
    elif guarantee.delta and apart:
        rho = math.inf
    else:
        rho = math.fsum(rho_of_range(guarantee.loss_range * loss) for loss in losses)
    plain_delta = min(1.0, guarantee.delta * math.fsum(apart))
    return change_of(rho, math.fsum(losses), plain_delta, delta)


def of_every_word(guarantee: Guarantee, words: int, longest: int) -> Change:
    """Return the guarantee for texts that are one unit apart in each of so many words.

    Args:
        guarantee: Of the mechanism for one word.
        words: How many words are drawn.
        longest: Of a sentence, in words. Where sentences are sampled as a whole, each is taken to
            be as long: that has the largest rho.
    """
    if guarantee.protects == "word":
        return change(guarantee, [1.0] * words)
    whole, rest = divmod(words, longest)
    return change(guarantee, [float(longest)] * whole + [float(rest)])


def together(changes: Iterable[Change], delta: float = DELTA) -> Change:
    """Return the guarantee of several changes at once: of all words and surrogates of a person, or
    of a person in several releases.

    Raises:
        DxError: For a delta that is not above 0 and below 1.
    """
    given = list(changes)
    plain_delta = min(1.0, math.fsum(one.plain_delta for one in given))
    rho = math.fsum(one.rho for one in given)
    return change_of(rho, math.fsum(one.plain for one in given), plain_delta, delta)


def change_of(rho: float, plain: float, plain_delta: float, delta: float = DELTA) -> Change:
    """Return the guarantee by both sums, of which the smaller epsilon is stated.

    Raises:
        DxError: For a delta that is not above 0 and below 1.
    """
    converted = epsilon_of_rho(rho, between("delta", delta, 0.0, 1.0))
    if plain <= converted:
        return Change(rho, plain, plain_delta, plain, plain_delta)
    return Change(rho, plain, plain_delta, converted, delta)


def best_guess(losses: Sequence[float]) -> float:
    """Return how often an attacker who knows all else names the secret at most.

    Args:
        losses: For each alternative, the plain epsilon of the change to it, nats, shape (m,). All
            m + 1 are equally likely before.

    Returns:
        The largest probability of the right one: 1 / (1 + sum exp(-loss)).
    """
    return 1 / (1 + math.fsum(math.exp(-loss) for loss in losses))
