"""Protocols of exchangeable parts: an object with these methods need not subclass anything.

k is the number of words to replace, n the number of rows of the space, d its dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from .arrays import Bools1d, Bools2d, Floats1d, Floats2d, Ints1d, Ints2d
from .privacy.guarantee import Guarantee
from .privacy.randomness import Rng
from .space import Space
from .space.search.exact import Aim

D = TypeVar("D")
Needed = Callable[[slice, Floats2d], Bools2d]  # which logs must be exact: see StatesLikelihoods


@dataclass(frozen=True)
class Draw:
    """What a mechanism returns for k words.

    Attributes:
        rows: The rows of the replacements, int64 (k,).
        vectors: The perturbed vectors, float32 (k, d); None if the mechanism makes none.
    """

    rows: Ints1d
    vectors: Floats2d | None = None


@dataclass(frozen=True, eq=False, repr=False)
class NoiseDistribution:
    """The distribution of released vectors, for audits.

    Attributes:
        centres: The point to which the noise of each word is added, float (n, c).
        radius: Maps noise (k, c) to radii, float64 (k,).
        distribution: The distribution of the radius, a frozen one of scipy.stats.
    """

    centres: Floats2d
    radius: Callable[[Floats2d], Floats1d]
    distribution: Any


@runtime_checkable
class Projection(Protocol):
    """Maps noisy vectors to rows; post-processing."""

    def fit(self, X: Floats2d, *, epsilon: float) -> object:
        """Fit to the table X, float32 (n, d), and the mechanism's epsilon, in its unit."""
        ...

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Return rows int64 (k,) for noisy vectors Z (k, d)."""
        ...


@runtime_checkable
class ProjectsTo(Protocol):
    """A projection that finds vectors of few outputs faster than `project` does."""

    def project_to(self, Z: Floats2d, rng: Rng, aim: Aim) -> Ints1d:
        """Return rows int64 (k,) for noisy vectors Z (k, d); -1 for rows that are not aimed at."""
        ...


LogDensities = Callable[[Floats2d], Floats2d]


def unknown(*arguments: object) -> None:
    """Return None: the default of functions in Facts that a mechanism does not state."""


@dataclass(frozen=True, eq=False, repr=False)
class Facts:
    """Facts about a mechanism besides its guarantee: the value of its attribute `facts`.

    Each fact has a default. Facts that depend on the space are available after fit.
    """

    in_clear: tuple[str, ...] = ()  # what stays visible, for the receipt
    draws_sentences: bool = False  # words are sampled jointly; sample also takes `unknown`
    measured: bool = False  # mechanisms.levels was measured with these settings, except epsilon
    projection: Projection | None = None
    centres: Floats2d | None = None  # (n, c), points to which noise is added
    longest: float | None = None  # the largest distance of two words
    distance_quantiles: Mapping[str, float] | None = None  # else mechanisms.levels measures
    near_names: Sequence[float] = ()  # distances of the 99 nearest names from a typical name
    # Maps rows to an upper bound on the distance between two of them.
    farthest: Callable[[Ints1d], float | None] = unknown
    approximate: Callable[[float], float | None] = unknown  # distance -> epsilon at delta = 1e-6
    # The distribution of the noise, computed from guarantee, settings and space, so that a mistake
    # in the code that samples does not change it.
    noise_distribution: Callable[[], NoiseDistribution | None] = unknown
    # Maps rows (k,) and (m,) to the largest log ratios of their densities (k, m), nats; with
    # epsilons (k, m), to the smallest deltas.
    loss: Callable[[Ints1d, Ints1d], Floats2d | None] = unknown
    delta: Callable[[Ints1d, Ints1d, Floats2d], Floats2d | None] = unknown
    # Maps rows (m,) to a function of noisy vectors (k, c): ln of their densities, given the words,
    # float32 (k, m), up to a constant of each vector.
    log_densities: Callable[[Ints1d], LogDensities | None] = unknown
    store_paths: Callable[[Callable[[int], object]], bool] | None = None  # see PolicyGraph.store


@runtime_checkable
class Mechanism(Protocol):
    """Samples a row for each row. It is fitted to a public space, never to a text.

    Optional: `facts`, a Facts, and the methods of the protocols below.
    """

    name: str
    guarantee: Guarantee

    def fit(self, space: Space) -> object:
        """Fit to a public space. Raise DxError if the settings do not suit it."""
        ...

    def sample(self, rows: Ints1d, rng: Rng) -> Draw:
        """Sample replacements for rows, int64 (k,). Raise DxError before fit."""
        ...


def facts_of(mechanism: Mechanism) -> Facts:
    """Return the facts of a mechanism, or the default Facts if it has none."""
    facts: Facts = getattr(mechanism, "facts", NO_FACTS)
    return facts


NO_FACTS = Facts()


@runtime_checkable
class SamplesTo(Protocol):
    def sample_to(self, rows: Ints1d, rng: Rng, aim: Aim) -> Draw:
        """Sample as `sample` does; -1 for outputs that are not aimed at. The sampled rows are the
        origins of the aim."""
        ...


@runtime_checkable
class StatesProbabilities(Protocol):
    def distribution(self, rows: Ints1d) -> Floats2d:
        """Return the probability of every output, float64 (k, n); each row sums to 1."""
        ...


@runtime_checkable
class StatesOutputs(Protocol):
    def probabilities(self, rows: Ints1d, outputs: Ints1d) -> Floats2d:
        """Return the probabilities of these outputs, float64 (k, q), as `distribution` has them."""
        ...


@runtime_checkable
class StatesWeights(Protocol):
    """P(output | row) is a weight over the sum of all weights of the row, which takes a pass over
    the space."""

    def log_weights(self, rows: Ints1d, outputs: Ints1d) -> tuple[Floats2d, Floats1d]:
        """Return ln of the weights of different outputs (q,), float64 (k, q), and of lower bounds
        on the sums, (k,)."""
        ...

    def log_sums(self, rows: Ints1d) -> Floats1d:
        """Return ln of the sums, float64 (k,)."""
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
        needed: Needed | None = None,
    ) -> Floats1d | Floats2d:
        """Return ln P(outputs | rows), float64 (sentences,); with candidates, (k, m).

        needed: called with whole sentences, a slice of k' places, and the logs of their candidates,
        (k', m), of which some are upper bounds. It returns which must be exact, bool (k', m), until
        all of these are.
        """
        ...


@runtime_checkable
class HasMetric(Protocol):
    def distances(self, rows: Ints1d) -> Floats2d:
        """Return distances in the guarantee's metric, float64 (k, n); infinite for uncovered pairs.

        Raise DxError (DX004) if the guarantee has no metric.
        """
        ...


@runtime_checkable
class CoversPairs(Protocol):
    def covers(self, rows: Ints1d) -> Bools2d:
        """Return the pairs of words that the guarantee covers, bool (k, n)."""
        ...


@runtime_checkable
class Unknown(Protocol):
    """Replaces unknown words: those that the space lacks.

    in_clear: what stays visible. Optional: in_context, whether unknown words are sampled
    with their sentence, without an emission likelihood; keeps_form(word), whether a word is an
    exception, and goes through replace. Words that are sampled one by one go through replace.
    """

    in_clear: tuple[str, ...]

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """Return a replacement for each word. Raise DxError to reject the Doc."""
        ...


class ReleaseStage(Protocol[D]):
    """A stage of another package: post-processing of a release, a pipeline.draft.Draft.

    Its draft has neither input documents nor their entities.
    """

    def __call__(self, draft: D, rng: Rng) -> D:
        """Return a draft with as many tokens, and possibly other words and spaces."""
        ...


@runtime_checkable
class Editor(Protocol):
    """Post-processing of a release by public knowledge: it sees no input and adds no privacy."""

    name: str

    def fit(
        self, space: Space, mechanism: Mechanism, allowed: Callable[[str], bool] | None = None
    ) -> object:
        """Fit to a fitted mechanism. Raise DxError if the editor does not support it.

        allowed: whether a word may be an output, a public predicate; None for all words.
        """
        ...

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
    ) -> Ints1d:
        """Return edited rows for the rows of a release, int64 (k,).

        starts: bool (k,), whether a sentence begins at a word; None edits each word by itself.
        fixed: bool (k,), words that stay unchanged.
        """
        ...
