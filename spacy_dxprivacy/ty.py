"""The shapes that parts plug into: anyone's object with these methods will do.

They can be asked for at run time. What every part has comes first; then what only some mechanisms,
rules and indexes have, a shape each: audits, attacks and tuning ask for these shapes and know no
classes. What a mechanism lacks is told when a component is made (mechanisms.base.built).

k is the number of words to replace, n the number of rows of the space, d its dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from .arrays import Bools1d, Bools2d, Floats1d, Floats2d, Ints1d
from .guarantee import Guarantee
from .randomness import Rng
from .space import Space


@dataclass(frozen=True)
class Draw:
    """What a mechanism gives back for k words.

    rows: int64 (k,), the replacements.
    vectors: float32 (k, d), the perturbed vectors, where the mechanism makes such; else None.
    """

    rows: Ints1d
    vectors: Floats2d | None = None


@dataclass(frozen=True, eq=False, repr=False)
class NoiseLaw:
    """The law that released vectors have to follow, for those who check them.

    centres: float (n, c), where the noise of each word starts. radius: noise (k, c) -> float64
    (k,). law: of that radius, a frozen distribution of scipy.stats.
    """

    centres: Floats2d
    radius: Callable[[Floats2d], Floats1d]
    law: Any


@runtime_checkable
class Mechanism(Protocol):
    """Rows in, rows out. It is fitted on a public space, never on a text."""

    name: str
    guarantee: Guarantee

    def fit(self, space: Space) -> Any:
        """Learn what there is to learn of a public space. Raises DxError where settings do not fit
        it."""
        ...

    def sample(self, rows: Ints1d, rng: Rng) -> Draw:
        """rows int64 (k,) -> Draw of k replacements. Raises DxError before fit."""
        ...


@runtime_checkable
class Prior(Protocol):
    """A public law of language, which never sees an input.

    draws: "alone" (words know nothing of each other) or "sentence" (a sentence is drawn as a whole,
    its sum being exact).
    """

    name: str
    draws: str

    def fit(self, space: Space) -> Any:
        """Its priors.chain.Chain over the words of the space."""
        ...


@runtime_checkable
class DrawsTogether(Protocol):
    """A mechanism whose words may depend on their neighbours: its sample takes starts, fixed,
    between and unknown, which names the words that the space lacks."""

    @property
    def draws_together(self) -> bool: ...


@runtime_checkable
class Index(Protocol):
    """Finds the row of the table nearest to each query vector."""

    def fit(self, X: Floats2d) -> Any:
        """X float32 (n, d): the table to search."""
        ...

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Z float (k, d) -> the nearest rows, int64 (k,)."""
        ...


@runtime_checkable
class Projection(Protocol):
    """Post-processing from noisy vectors (k, d) to rows (k,)."""

    def fit(self, X: Floats2d, *, epsilon: float) -> Any:
        """X float32 (n, d): the table. epsilon: that of the mechanism, in its unit."""
        ...

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Z float (k, d) -> rows int64 (k,)."""
        ...


@runtime_checkable
class Unknown(Protocol):
    """What stands in for words that the space lacks; in_clear names what it lets through."""

    in_clear: tuple[str, ...]

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """As many words as were given. Raises DxError to refuse the Doc."""
        ...


@runtime_checkable
class Editor(Protocol):
    """Post-processing of a release by public knowledge: it sees no input, and is no privacy."""

    name: str

    def fit(self, space: Space, mechanism: Mechanism) -> Any:
        """mechanism: fitted on the space. Raises DxError for one that it cannot work with."""
        ...

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
    ) -> Ints1d:
        """rows: int64 (k,), the words of a release -> int64 (k,). starts: bool (k,), where
        sentences begin; without it words are taken alone. fixed: bool (k,), words that stay."""
        ...


@dataclass(frozen=True, eq=False)
class ReleasedText:
    """The k words of one text that was released, and nothing else of it. rows: int64 (k,). starts:
    bool (k,), where sentences begin. fixed: bool (k,), words that stay. before: k strings, what
    stands between each word and the one before: blanks, marks, numbers, surrogates."""

    rows: Ints1d
    starts: Bools1d
    fixed: Bools1d
    before: Sequence[str]


@runtime_checkable
class EditsTexts(Protocol):
    """An editor that reads a release with all that stands in plaintext between its words."""

    def edit_texts(self, texts: Sequence[ReleasedText], mechanism: Mechanism) -> list[Ints1d]:
        """For each text int64 (k,), its words."""
        ...


@runtime_checkable
class Avoids(Protocol):
    """An editor that is told, after it was fitted, which words may come out. One that is not told
    may choose any; those of an editor of words or texts that may not are replaced after it."""

    def avoid(self, allowed: Callable[[str], bool]) -> None:
        """allowed: of a word, in any case. It is public, and the same for every text."""
        ...


@runtime_checkable
class TellsAbout(Protocol):
    """about: what a saved pipeline keeps of the editor, its model's digest among it. Raises DxError
    where the model cannot be loaded."""

    @property
    def about(self) -> dict[str, str]: ...


@runtime_checkable
class InContext(Protocol):
    """A policy by which an unknown word is drawn with its sentence, as a word that says nothing."""

    in_context: bool


# -- what some mechanisms have -------------------------------------------------------------------


@runtime_checkable
class HasSettings(Protocol):
    """settings: a frozen dataclass of all that changes what is drawn, beside the projection."""

    settings: Any


@runtime_checkable
class TellsInClear(Protocol):
    """in_clear: what of the input the mechanism lets through, in words, for the receipt."""

    in_clear: tuple[str, ...]


@runtime_checkable
class HasProjection(Protocol):
    projection: Projection


@runtime_checkable
class StatesProbabilities(Protocol):
    def distribution(self, rows: Ints1d) -> Floats2d:
        """rows (k,) -> float64 (k, n): the probability of every output. Each row sums to 1."""
        ...


@runtime_checkable
class HasMetric(Protocol):
    def distances(self, rows: Ints1d) -> Floats2d:
        """rows (k,) -> float64 (k, n): the metric of the guarantee, infinite where it promises
        nothing. Raises DxError (DX004) where the guarantee is not about a metric."""
        ...


@runtime_checkable
class KnowsApart(Protocol):
    """apart: how far words are apart, as privacy.levels would measure it, where that is known.
    Raises DxError before fit."""

    @property
    def apart(self) -> Mapping[str, float] | None: ...


@runtime_checkable
class KnowsLongest(Protocol):
    """longest: the largest distance between two words, where it is known. Raises DxError before
    fit."""

    @property
    def longest(self) -> float | None: ...


@runtime_checkable
class ApproximatesAt(Protocol):
    def approximate(self, distance: float) -> float | None:
        """The epsilon (nats) of an (epsilon, 1e-6) guarantee for two words at this distance; None
        where that is not known."""
        ...


@runtime_checkable
class CoversPairs(Protocol):
    def covers(self, rows: Ints1d) -> Bools2d:
        """rows (k,) -> bool (k, n): the pairs that the promise covers."""
        ...


@runtime_checkable
class HasCentres(Protocol):
    """centres: float (n, c), where noise starts. Raises DxError before fit."""

    @property
    def centres(self) -> Floats2d: ...


@runtime_checkable
class StatesLaw(Protocol):
    def law(self) -> NoiseLaw | None:
        """The law of the noise, from promise, settings and space alone: a mistake in the code that
        draws must not move it, or no check could see one. None where it is not known."""
        ...


@runtime_checkable
class StatesLoss(Protocol):
    """Closed forms of the privacy loss of the noise that is drawn, between the words at rows (k,)
    and those at others (m,); None where they are not known."""

    def loss(self, rows: Ints1d, others: Ints1d) -> Floats2d | None:
        """float64 (k, m): the largest log ratio of two densities, nats."""
        ...

    def delta(self, rows: Ints1d, others: Ints1d, epsilons: Floats2d) -> Floats2d | None:
        """float64 (k, m): the least delta at epsilons (k, m), nats."""
        ...


# -- what some rules and indexes have ------------------------------------------------------------


@runtime_checkable
class FindsSettings(Protocol):
    """A rule that looks for some of its settings on the space, such as c = "auto"."""

    def found(self) -> dict[str, Any]:
        """What fit looked for; a saved pipeline keeps it."""
        ...

    def restore(self, found: dict[str, Any]) -> None:
        """The next fit takes this instead of looking again."""
        ...


@runtime_checkable
class HasIndex(Protocol):
    index: Index


@runtime_checkable
class ChoosesIndex(Protocol):
    """choice: the index that was chosen for the table, with its settings."""

    choice: str
