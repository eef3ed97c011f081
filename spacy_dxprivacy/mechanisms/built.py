"""The base classes of mechanisms: settings first, then a space.

`check_mechanism` and `check_fitted` validate any mechanism, those of other packages included,
before a text is read.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ..errors import DxError, DxWarning, Errors, Warnings, without_text
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..space import Space, learned
from ..ty import NO_FACTS, CoversPairs, Draw, Facts, HasMetric, Mechanism, Needed, facts_of
from ..validate import check_part, fail

if TYPE_CHECKING:
    from typing_extensions import Self

# exp(-700) is above the smallest float64: no word's probability is rounded to 0.
LARGEST_SCORE = 700.0
# How a config writes a mechanism, for messages.
BLOCK = '[components.dx_sanitizer.mechanism] with @dx_mechanisms = "dx.Laplace.v1" and epsilon = 10'


class Built(Protocol):
    """A mechanism on one space, with its guarantee there."""

    @property
    def guarantee(self) -> Guarantee: ...


T = TypeVar("T", bound=Built)


def checked_rows(rows: object, n: int) -> Ints1d:
    """Return rows as int64 (k,). Raise DxError for another shape or type, or rows beyond n."""
    checked = np.asarray(rows)
    if checked.size == 0:
        return np.zeros(0, dtype=np.int64)
    if checked.ndim != 1 or checked.dtype.kind not in "iu":
        raise fail("rows", "whole numbers of shape (k,)", f"{checked.dtype.name} {checked.shape}")
    if checked.min() < 0 or checked.max() >= n:
        raise DxError(Errors.DX002.format(last=n - 1))
    return checked.astype(np.int64)


def checked_flags(name: str, flags: object, k: int, *, missing: bool) -> Bools1d:
    """Return bool (k,), `missing` for None. Raise DxError for another shape or type."""
    if flags is None:
        return np.full(k, missing)
    checked = np.asarray(flags)
    if checked.shape != (k,) or checked.dtype != np.bool_:
        raise fail(name, f"bool of shape ({k},)", f"{checked.dtype} of shape {checked.shape}")
    return checked


def checked_layout(k: int, starts: object, fixed: object) -> tuple[Bools1d, Bools1d]:
    """Return starts and fixed, bool (k,). Raise DxError if the first word begins no sentence."""
    begins = checked_flags("starts", starts, k, missing=True)
    if k and not begins[0]:
        raise fail("starts", "True for the first word", False)
    return begins, checked_flags("fixed", fixed, k, missing=False)


class BuiltMechanism(Generic[T]):
    """A mechanism whose settings are validated first and applied to a space by `fit`.

    Attributes:
        guarantee: The guarantee on every space; after fit, on the fitted space.
        build: Applies the guarantee and the settings, its keywords, to a space. Raises DxError if
            they have no solution on it.
        facts: Facts known without a space; after fit, all facts.
    """

    def __init__(
        self,
        name: str,
        guarantee: Guarantee,
        build: Callable[[Space, Guarantee], T],
        facts: Facts = NO_FACTS,
    ) -> None:
        self.name = name
        self.build = build
        self.guarantee = self._unfitted_guarantee = guarantee
        self.facts = self._unfitted_facts = facts
        self._space: Space | None = None
        self._built: T | None = None
        if guarantee.kind == "none" or guarantee.status in ("refuted", "none"):
            about = {"status": guarantee.status, "notes": guarantee.notes}
            warnings.warn(Warnings.DX101.format(mechanism=name, **about), DxWarning, stacklevel=3)

    def fit(self, space: Space) -> Self:
        """Fit a public space. Raise DxError if the settings have no solution on it."""
        with learned.track_use() as names_read:
            built = self.build(space, self._unfitted_guarantee)
        guarantee = built.guarantee.for_space(space.digest)
        trusted = space.verified and not names_read
        self.guarantee = guarantee if trusted else guarantee.as_claimed()
        self._built, self._space = built, space
        self.facts = self._fitted_facts(space, built)
        return self

    def with_epsilon(self, epsilon: float) -> Self:
        """Return the mechanism, unfitted, with another epsilon."""
        guarantee = replace(self._unfitted_guarantee, epsilon=epsilon)
        return type(self)(self.name, guarantee, self.build, self._unfitted_facts)

    def _fitted_facts(self, space: Space, built: T) -> Facts:
        return self._unfitted_facts

    def sample(
        self,
        rows: Ints1d,
        rng: Rng,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
    ) -> Draw:
        """Sample a replacement for each word, independently.

        Args:
            rows: int64 (k,), rows of the space.
            rng: Source of randomness.
            starts: bool (k,), where sentences begin; changes nothing here.
            fixed: bool (k,), rows that stay unchanged.

        Returns:
            A Draw: rows (k,), and noisy vectors, float32 (k, d), of mechanisms that add noise.

        Raises:
            DxError: Before fit, for rows out of range, and for other shapes.
        """
        rows = checked_rows(rows, len(self.space))
        draw = self._sample(rows, rng)
        _, stays = checked_layout(len(rows), starts, fixed)
        return Draw(np.where(stays, rows, draw.rows), draw.vectors) if stays.any() else draw

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        raise NotImplementedError

    @property
    def built(self) -> T:
        """The mechanism on the space of fit. Raises DxError before fit."""
        if self._built is None:
            raise DxError(Errors.DX003.format(name=self.name))
        return self._built

    @property
    def space(self) -> Space:
        """The space of fit. Raises DxError before fit."""
        if self._space is None:
            raise DxError(Errors.DX003.format(name=self.name))
        return self._space

    # A worker maps the table of the space and fits again: cheaper than a copy through a pipe.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_built": None, "facts": self._unfitted_facts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        copied = self.guarantee
        if self._space is not None:
            self.fit(self._space)
        if self.guarantee == copied.as_claimed():
            self.guarantee = copied  # the original made, or verified, what was read from files


class ProbabilityMechanism(BuiltMechanism[T]):
    """A mechanism with exact word probabilities."""

    def log_p(self, rows: Ints1d, outputs: Ints1d) -> Floats1d:
        """Return ln P(output | row), float64 (k,)."""
        raise NotImplementedError

    def log_likelihood(
        self,
        rows: Ints1d,
        outputs: Ints1d,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        candidates: Ints2d | None = None,
        needed: Needed | None = None,
    ) -> Floats1d | Floats2d:
        """Return ln P(outputs | rows).

        Args:
            rows: int64 (k,), the input.
            outputs: int64 (k,), the release.
            starts: bool (k,), where sentences begin; without it each word is a sentence.
            fixed: bool (k,), rows that stay unchanged.
            candidates: int64 (k, m), other words for each row.
            needed: Which logs of candidates must be exact, see ty.StatesLikelihoods; all of them if
                None, and where words are drawn independently.

        Returns:
            float64 (sentences,). With candidates, float64 (k, m): the log-likelihood of the
            sentence with rows[i] replaced by candidates[i, j], up to a constant for each i; 0 at
            fixed words.

        Raises:
            DxError: As sample does.
        """
        text, outputs, candidates = self._checked(rows, outputs, starts, fixed, candidates)
        rows, begins, stays = text
        with np.errstate(divide="ignore"):
            if candidates is not None:
                repeated = np.repeat(outputs, candidates.shape[1])
                by_candidate = self.log_p(candidates.reshape(-1), repeated)
                return np.where(stays[:, None], 0.0, by_candidate.reshape(candidates.shape))
            unchanged = np.where(rows == outputs, 0.0, -np.inf)
            logs = np.where(stays, unchanged, self.log_p(rows, outputs))
        if starts is None or not len(rows):
            return logs
        return np.asarray(np.add.reduceat(logs, np.flatnonzero(begins)))

    def _checked(
        self, rows: object, outputs: object, starts: object, fixed: object, candidates: object
    ) -> tuple[tuple[Ints1d, Bools1d, Bools1d], Ints1d, Ints2d | None]:
        """Return (rows, starts, fixed), outputs and candidates. Raise DxError as sample does."""
        n = len(self.space)
        inputs, releases = checked_rows(rows, n), checked_rows(outputs, n)
        k = len(inputs)
        if len(releases) != k:
            raise fail("outputs", f"{k} rows", releases.shape)
        text = (inputs, *checked_layout(k, starts, fixed))
        if candidates is None:
            return text, releases, None
        table = np.asarray(candidates)
        if table.ndim != 2 or len(table) != k:
            raise fail("candidates", f"whole numbers of shape ({k}, m)", f"shape {table.shape}")
        checked: Ints2d = checked_rows(table.ravel(), n).reshape(k, table.shape[1])
        return text, releases, checked


# -- validation ------------------------------------------------------------------------------------


def check_mechanism(mechanism: Mechanism) -> None:
    """Raise DxError for a mechanism that lacks a member, or whose guarantee or facts are invalid. A
    guarantee may require a further method."""
    check_part("mechanism", mechanism, Mechanism, BLOCK)
    _check_guarantee(mechanism)
    if not isinstance(facts := facts_of(mechanism), Facts):
        raise fail("facts of the mechanism", "a Facts", type(facts))
    in_clear = facts.in_clear
    if isinstance(in_clear, str) or not all(isinstance(line, str) for line in in_clear):
        raise fail("in_clear of the mechanism", "a tuple of texts", type(in_clear))


def _check_guarantee(mechanism: Mechanism) -> None:
    guarantee = getattr(mechanism, "guarantee", None)
    if not isinstance(guarantee, Guarantee):
        raise fail("guarantee of the mechanism", "a Guarantee", type(guarantee))
    part = ""
    if guarantee.covers == "related" and not isinstance(mechanism, CoversPairs):
        part = "covers(rows)"
    if guarantee.covers == "finite" and not isinstance(mechanism, HasMetric):
        part = "distances(rows)"
    if part:
        message = Errors.DX048.format(name=mechanism.name, covers=guarantee.covers, part=part)
        raise DxError(message)


def check_fitted(mechanism: Mechanism, space: Space) -> None:
    """Sample three public rows as a test. Raise DxError if the mechanism fails or returns anything
    but a Draw of rows of this space."""
    _check_guarantee(mechanism)
    rows = np.array([0, len(space) - 1, 0], dtype=np.int64)
    try:
        # Seeded: this draw is discarded, and the stream that draws words must not advance.
        fault = _fault_of(mechanism.sample(rows, Rng(seed=0)), len(rows), len(space))
    except Exception as error:
        if without_text(error) is error:  # a message of this package
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        # The message of the error is not quoted: it may hold anything.
        fault = f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"
    if fault:
        raise DxError(Errors.DX047.format(name=mechanism.name, count=len(rows), why=fault))


def _fault_of(draw: object, k: int, n: int) -> str:
    """Return the fault of a draw of k words of n; "" for none."""
    if not isinstance(draw, Draw):
        return f"{type(draw).__name__}, and no Draw"
    rows = np.asarray(draw.rows)
    if rows.shape != (k,) or rows.dtype.kind not in "iu":
        return f"rows of type {rows.dtype} and shape {rows.shape}, and not int64 ({k},)"
    if rows.min() < 0 or rows.max() >= n:
        return f"rows out of range, which is from 0 to {n - 1}"
    if draw.vectors is None:
        return ""
    X = np.asarray(draw.vectors)
    if X.ndim != 2 or len(X) != k or X.dtype.kind != "f":
        return f"vectors of type {X.dtype} and shape {X.shape}, and not float32 ({k}, d)"
    return "" if np.isfinite(X).all() else "vectors that are not finite"
