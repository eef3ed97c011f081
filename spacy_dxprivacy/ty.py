"""Protocols of the parts: any object with these methods will do, whatever its class.

k is the number of words to replace, n the number of rows of the space, d its dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from .arrays import Bools1d, Bools2d, Floats1d, Floats2d, Ints1d, Ints2d
from .privacy.guarantee import Guarantee
from .privacy.randomness import Rng
from .space import Space


@dataclass(frozen=True)
class Draw:
    """What a mechanism returns for k words.

    Attributes:
        rows: The replacements, int64 (k,).
        vectors: The perturbed vectors, float32 (k, d), where the mechanism makes such; else None.
    """

    rows: Ints1d
    vectors: Floats2d | None = None


@dataclass(frozen=True, eq=False, repr=False)
class NoiseDistribution:
    """The distribution that released vectors have to follow, for audits.

    Attributes:
        centres: Where the noise of each word starts, float (n, c).
        radius: From noise (k, c) to a float64 (k,).
        distribution: That of the radius, a frozen one of scipy.stats.
    """

    centres: Floats2d
    radius: Callable[[Floats2d], Floats1d]
    distribution: Any


@runtime_checkable
class Projection(Protocol):
    """Post-processing of noisy vectors to rows."""

    def fit(self, X: Floats2d, *, epsilon: float) -> object:
        """Take the table X, float32 (n, d), and the mechanism's epsilon, in its unit."""
        ...

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Return rows int64 (k,) for noisy vectors Z (k, d)."""
        ...


def unknown(*arguments: object) -> None:
    """Return None, whatever the arguments: the default of a function that Facts may state."""


@dataclass(frozen=True, eq=False, repr=False)
class Facts:
    """What a mechanism states beyond its guarantee and draws, as its attribute `facts`.

    Each fact has a default. Those of the space are there after fit.
    """

    in_clear: tuple[str, ...] = ()  # what of the input is released unmodified, for the receipt
    draws_sentences: bool = False  # words depend on their neighbours; sample takes `unknown` too
    measured: bool = False  # mechanisms.levels was measured with these settings, epsilon aside
    projection: Projection | None = None
    centres: Floats2d | None = None  # (n, c), where noise starts
    longest: float | None = None  # the largest distance of two words
    distance_quantiles: Mapping[str, float] | None = None  # what mechanisms.levels would measure
    near_names: Sequence[float] = ()  # distances of the 99 nearest names from a typical name
    # From rows to an upper bound of the distance between two of them.
    farthest: Callable[[Ints1d], float | None] = unknown
    approximate: Callable[[float], float | None] = unknown  # distance -> epsilon at delta = 1e-6
    # The distribution of the noise, of guarantee, settings and space alone: a mistake in the code
    # that draws must not change it.
    noise_distribution: Callable[[], NoiseDistribution | None] = unknown
    # From rows (k,) and (m,) to the largest log ratios of their densities (k, m), nats; and, given
    # epsilons (k, m), to the least deltas.
    loss: Callable[[Ints1d, Ints1d], Floats2d | None] = unknown
    delta: Callable[[Ints1d, Ints1d, Floats2d], Floats2d | None] = unknown
    store_paths: Callable[[Callable[[int], object]], bool] | None = None  # see PolicyGraph.store


@runtime_checkable
class Mechanism(Protocol):
    """Draws rows for rows. It is fitted on a public space, never on a text.

    It may have `facts`, a Facts, and the methods of the protocols below.
    """

    name: str
    guarantee: Guarantee

    def fit(self, space: Space) -> object:
        """Learn what is needed of a public space; raise DxError where settings do not fit it."""
        ...

    def sample(self, rows: Ints1d, rng: Rng) -> Draw:
        """Draw replacements for rows, int64 (k,); raise DxError before fit."""
        ...


def facts_of(mechanism: Mechanism) -> Facts:
    """Return the facts of a mechanism; the defaults for one that states none."""
    facts: Facts = getattr(mechanism, "facts", NO_FACTS)
    return facts


NO_FACTS = Facts()


@runtime_checkable
class StatesProbabilities(Protocol):
    def distribution(self, rows: Ints1d) -> Floats2d:
        """Return the probability of every output, float64 (k, n); each row sums to 1."""
        ...


@runtime_checkable
class StatesLikelihoods(Protocol):
    def log_likelihood(
        self,
        rows: Ints1d,
        outputs: Ints1d,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        candidates: Ints2d | None = None,
    ) -> Floats1d | Floats2d:
        """Return ln P(outputs | rows), float64 (sentences,); with candidates, (k, m)."""
        ...


@runtime_checkable
class HasMetric(Protocol):
    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the metric of the guarantee, float64 (k, n); infinite where it covers nothing.

        Raise DxError (DX004) where the guarantee is not in a metric.
        """
        ...


@runtime_checkable
class CoversPairs(Protocol):
    def covers(self, rows: Ints1d) -> Bools2d:
        """Return the pairs of words that the guarantee covers, bool (k, n)."""
        ...


@runtime_checkable
class Index(Protocol):
    """Nearest-neighbour search."""

    def fit(self, X: Floats2d) -> object:
        """Take the table to search, float32 (n, d)."""
        ...

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Return the nearest rows to queries Z (k, d), int64 (k,)."""
        ...


@runtime_checkable
class FindsSettings(Protocol):
    """A projection that chooses settings by the space, such as an index."""

    def found(self) -> dict[str, Any]:
        """Return what fit chose, for receipts."""
        ...


@runtime_checkable
class Unknown(Protocol):
    """Replaces words that the space lacks.

    in_clear: what it lets through. Optional: in_context, whether such a word is drawn with its
    sentence, without an emission likelihood of its own; keeps_form(word), whether it is not, and
    goes through replace. Words that are drawn alone go through replace.
    """

    in_clear: tuple[str, ...]

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Return as many words as were given; raise DxError to refuse the Doc."""
        ...


@runtime_checkable
class Editor(Protocol):
    """Post-processing of a release by public knowledge: it sees no input and adds no privacy."""

    name: str

    def fit(
        self, space: Space, mechanism: Mechanism, allowed: Callable[[str], bool] | None = None
    ) -> object:
        """Take a fitted mechanism; raise DxError for one that it cannot work with.

        allowed: the public predicate of words that may come out; None for all.
        """
        ...

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
    ) -> Ints1d:
        """Return words for the words of a release, int64 (k,).

        starts: bool (k,), where sentences begin; if left out, words are taken alone. fixed: bool
        (k,), words that stay.
        """
        ...
