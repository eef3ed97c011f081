"""Protocols of the parts: any object with these methods will do, whatever its class.

k is the number of words to replace, n the number of rows of the space, d its dimensions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from .arrays import Bools1d, Floats1d, Floats2d, Ints1d
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
class NoiseLaw:
    """The distribution that released vectors have to follow, for audits.

    Attributes:
        centres: Where the noise of each word starts, float (n, c).
        radius: From noise (k, c) to a float64 (k,).
        law: The distribution of that radius, a frozen distribution of scipy.stats.
    """

    centres: Floats2d
    radius: Callable[[Floats2d], Floats1d]
    law: Any


@runtime_checkable
class Mechanism(Protocol):
    """Draws rows for rows. It is fitted on a public space, never on a text.

    Optional attributes: settings, a frozen dataclass of all that changes what is drawn; in_clear,
    what of the input is let through, in words; projection, a Projection; draws_together, whether
    words depend on their neighbours and sample takes starts, fixed and unknown. For
    audits, with rows (k,) and others (m,):

        covers(rows) -> bool (k, n)          the pairs that the guarantee covers
        centres -> float (n, c)              where noise starts
        law() -> NoiseLaw | None             of the noise, from guarantee, settings and space alone:
                                             a mistake in the code that draws must not change it
        loss(rows, others) -> (k, m)         the largest log ratio of two densities, nats, or None
        delta(rows, others, epsilons)        the least delta at epsilons (k, m), or None
        apart, longest, approximate(distance)  as mechanisms.levels would measure them
    """

    name: str
    guarantee: Guarantee

    def fit(self, space: Space) -> Any:
        """Learn what is needed of a public space; raise DxError where settings do not fit it."""
        ...

    def sample(self, rows: Ints1d, rng: Rng) -> Draw:
        """Draw replacements for rows, int64 (k,); raise DxError before fit."""
        ...


@runtime_checkable
class StatesProbabilities(Protocol):
    def distribution(self, rows: Ints1d) -> Floats2d:
        """Return the probability of every output, float64 (k, n); each row sums to 1."""
        ...


@runtime_checkable
class HasMetric(Protocol):
    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the metric of the guarantee, float64 (k, n); infinite where it covers nothing.

        Raise DxError (DX004) where the guarantee is not in a metric.
        """
        ...


@runtime_checkable
class Prior(Protocol):
    """A public language model, which never sees an input.

    draws: "alone" (word-level) or "sentence" (a sentence is sampled as a whole, its sum exact).
    """

    name: str
    draws: str

    def fit(self, space: Space) -> Any:
        """Return its prior.chain.Chain over the words of the space."""
        ...


@runtime_checkable
class Index(Protocol):
    """Nearest-neighbour search. Optional: choice, the index that was chosen, with its settings."""

    def fit(self, X: Floats2d) -> Any:
        """Take the table to search, float32 (n, d)."""
        ...

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Return the nearest rows to queries Z (k, d), int64 (k,)."""
        ...


@runtime_checkable
class Projection(Protocol):
    """Post-processing of noisy vectors to rows. Optional: index, its Index."""

    def fit(self, X: Floats2d, *, epsilon: float) -> Any:
        """Take the table X, float32 (n, d), and the mechanism's epsilon, in its unit."""
        ...

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Return rows int64 (k,) for noisy vectors Z (k, d)."""
        ...


@runtime_checkable
class FindsSettings(Protocol):
    """A projection that searches for some of its settings on the space, such as c = "auto"."""

    def found(self) -> dict[str, Any]:
        """Return the settings that fit found, for a saved pipeline."""
        ...

    def restore(self, found: dict[str, Any]) -> None:
        """Make the next fit use these instead of searching again."""
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
    """Post-processing of a release by public knowledge: it sees no input and adds no privacy.

    Optional: avoid(allowed), called after fit with a public predicate of words that may come out.
    """

    name: str

    def fit(self, space: Space, mechanism: Mechanism) -> Any:
        """Take a fitted mechanism; raise DxError for one that it cannot work with."""
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
