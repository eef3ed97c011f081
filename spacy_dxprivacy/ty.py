"""The shapes that parts plug into: anyone's object with these methods will do, whatever its class.

k is the number of words to replace, n the number of rows of the space, d its dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from .arrays import Bools1d, Floats1d, Floats2d, Ints1d
from .privacy.guarantee import Guarantee
from .privacy.randomness import Rng
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
    """The distribution that released vectors have to follow, for those who check them.

    centres: float (n, c), where the noise of each word starts. radius: noise (k, c) -> float64
    (k,). law: of that radius, a frozen distribution of scipy.stats.
    """

    centres: Floats2d
    radius: Callable[[Floats2d], Floats1d]
    law: Any


@runtime_checkable
class Mechanism(Protocol):
    """Rows in, rows out. It is fitted on a public space, never on a text.

    Some have more, which is used where it is there. settings: a frozen dataclass of all that
    changes what is drawn. in_clear: what of the input is let through, in words. projection: the
    Projection. draws_together: whether sample takes starts, fixed, between and unknown, since words
    depend on their neighbours. For audits, with rows (k,) and others (m,):

        covers(rows) -> bool (k, n)          the pairs that the promise covers
        centres -> float (n, c)              where noise starts
        law() -> NoiseLaw | None             of the noise, from promise, settings and space alone: a
                                             mistake in the code that draws must not move it
        loss(rows, others) -> (k, m)         the largest log ratio of two densities, nats, or None
        delta(rows, others, epsilons)        the least delta at epsilons (k, m), or None
        apart, longest, approximate(distance)  as privacy.levels would measure them
    """

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
class Prior(Protocol):
    """A public language model, which never sees an input.

    draws: "alone" (words know nothing of each other) or "sentence" (a sentence is drawn as a whole,
    its sum being exact).
    """

    name: str
    draws: str

    def fit(self, space: Space) -> Any:
        """Its priors.chain.Chain over the words of the space."""
        ...


@runtime_checkable
class Index(Protocol):
    """Finds the row of the table nearest to each query vector. choice, where it has that: which
    index was chosen for the table, with its settings."""

    def fit(self, X: Floats2d) -> Any:
        """X float32 (n, d): the table to search."""
        ...

    def nearest(self, Z: Floats2d) -> Ints1d:
        """Z float (k, d) -> the nearest rows, int64 (k,)."""
        ...


@runtime_checkable
class Projection(Protocol):
    """Post-processing from noisy vectors (k, d) to rows (k,). index: its Index, where it has
    one."""

    def fit(self, X: Floats2d, *, epsilon: float) -> Any:
        """X float32 (n, d): the table. epsilon: that of the mechanism, in its unit."""
        ...

    def project(self, Z: Floats2d, rng: Rng) -> Ints1d:
        """Z float (k, d) -> rows int64 (k,)."""
        ...


@runtime_checkable
class FindsSettings(Protocol):
    """A projection that looks for some of its settings on the space, such as c = "auto"."""

    def found(self) -> dict[str, Any]:
        """What fit looked for; a saved pipeline keeps it."""
        ...

    def restore(self, found: dict[str, Any]) -> None:
        """The next fit takes this instead of looking again."""
        ...


@runtime_checkable
class Unknown(Protocol):
    """What stands in for words that the space lacks. in_clear: what it lets through. in_context,
    where it is there: such a word is drawn with its sentence, as one that says nothing."""

    in_clear: tuple[str, ...]

    def replace(self, words: list[str], space: Space, rng: Rng) -> list[str]:
        """As many words as were given. Raises DxError to refuse the Doc."""
        ...


@runtime_checkable
class Editor(Protocol):
    """Post-processing of a release by public knowledge: it sees no input, and is no privacy.

    Where it has them: about, what a saved pipeline keeps of its model, the digest among it; and
    avoid(allowed), called after fit with a public predicate of words that may come out.
    """

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
