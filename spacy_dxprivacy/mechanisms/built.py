"""What all mechanisms share: settings first, then a space; words drawn alone as if of sentences.

`check_mechanism` and `check_fitted` ask whether anyone's mechanism can be used: mechanisms may come
from other packages, and what is wrong with one is reported before a text is read, in one sentence
that names the part.
"""

from __future__ import annotations

import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from ..arrays import Bools1d, Ints1d, Ints2d
from ..errors import DxError, DxWarning, Errors, Warnings
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..space import Space
from ..space.tables import learned
from ..ty import Draw, HasMetric, Mechanism
from ..validate import fail

if TYPE_CHECKING:
    from typing_extensions import Self

# exp(-700) is above the smallest float64: no word's probability is rounded to 0.
LARGEST_SCORE = 700.0


# -- what is asked of callers ----------------------------------------------------------------------


def checked_rows(rows: Any, n: int) -> Ints1d:
    """rows as int64 (k,); DxError for another shape or type, or a row that is not in 0..n-1."""
    checked = np.asarray(rows)
    if checked.size == 0:
        return np.zeros(0, dtype=np.int64)
    if checked.ndim != 1 or checked.dtype.kind not in "iu":
        raise fail("rows", "whole numbers of shape (k,)", f"{checked.dtype.name} {checked.shape}")
    if checked.min() < 0 or checked.max() >= n:
        raise DxError(Errors.DX002.format(last=n - 1))
    return checked.astype(np.int64)


def checked_candidates(given: Any, k: int, n: int) -> Ints2d:
    """int64 (k, m). Raises DxError for another shape, and for rows out of range."""
    found = np.asarray(given)
    if found.ndim != 2 or len(found) != k:
        raise fail("candidates", f"whole numbers of shape ({k}, m)", f"shape {found.shape}")
    rows: Ints2d = checked_rows(found.ravel(), n).reshape(found.shape[0], found.shape[1])
    return rows


def flags(name: str, given: Any, k: int, *, missing: bool) -> Bools1d:
    """bool (k,). Raises DxError for another shape or type."""
    if given is None:
        return np.full(k, missing)
    found = np.asarray(given)
    if found.shape != (k,) or found.dtype != np.bool_:
        raise fail(name, f"bool of shape ({k},)", f"{found.dtype} of shape {found.shape}")
    return found


def checked_layout(k: int, starts: Any, fixed: Any, between: Any) -> tuple[Bools1d, Bools1d]:
    """starts and fixed: bool (k,). Raises DxError for other shapes, and for a first word that
    begins no sentence."""
    begins = flags("starts", starts, k, missing=True)
    stays = flags("fixed", fixed, k, missing=False)
    if k and not begins[0]:
        raise fail("starts", "True for the first word", False)
    if between is not None and len(between) != k:
        raise fail("between", f"{k} texts", len(between))
    return begins, stays


# -- settings first, then a space ------------------------------------------------------------------


class OnASpace(Protocol):
    """A mechanism on one space."""

    @property
    def guarantee(self) -> Guarantee: ...


T = TypeVar("T", bound=OnASpace)
Made = TypeVar("Made", bound=OnASpace, covariant=True)


class Settings(Protocol[Made]):
    """What a mechanism was given, checked: a frozen dataclass, which compares and pickles."""

    def on(self, space: Space, guarantee: Guarantee) -> Made:
        """What the space makes of it. Raises DxError where there is no solution on this space."""
        ...


class BuiltMechanism(Generic[T]):
    """guarantee: what can be said before a space is known. settings: all else that changes what is
    drawn. in_clear: what of the input the mechanism lets through, for the receipt."""

    def __init__(
        self,
        name: str,
        guarantee: Guarantee,
        settings: Settings[T],
        in_clear: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.in_clear = in_clear
        self.guarantee = self._promise = guarantee
        self.settings = settings
        self._space: Space | None = None
        self._built: T | None = None
        if guarantee.kind == "none" or guarantee.status in ("refuted", "none"):
            told = {"status": guarantee.status, "notes": guarantee.notes}
            warnings.warn(Warnings.DX101.format(mechanism=name, **told), DxWarning, stacklevel=3)

    def fit(self, space: Space) -> Self:
        """Learn what there is to learn from a public space. Raises DxError where the settings have
        no solution on it."""
        with learned.noting_use() as read:
            self._built = self.settings.on(space, self._promise)
        promise = self._built.guarantee.named(space.digest)
        self.guarantee = promise.as_trusted_as_files() if read or not space.verified else promise
        self._space = space
        return self

    def sample(
        self,
        rows: Ints1d,
        rng: Rng,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        between: list[str] | None = None,
    ) -> Draw:
        """rows: int64 (k,) -> replacements (k,), and noisy vectors, float32 (k, d), where there are
        such. Every word is drawn alone: starts, bool (k,), and between, k texts, change nothing.
        fixed: bool (k,), rows that stay as they are.

        Raises DxError before fit, for rows that the space does not have, and for other shapes.
        """
        draw = self._sample(rows, rng)
        _, stays = checked_layout(len(draw.rows), starts, fixed, between)
        if not stays.any():
            return draw
        return Draw(np.where(stays, np.asarray(rows), draw.rows), draw.vectors)

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        raise NotImplementedError

    @property
    def built(self) -> T:
        """Raises DxError before fit."""
        if self._built is None:
            raise DxError(Errors.DX003.format(name=self.name))
        return self._built

    # A worker maps the table of the space and fits again: cheaper than a copy through a pipe.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_built": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        promised = self.guarantee
        if self._space is not None:
            self.fit(self._space)
        if self.guarantee == promised.as_trusted_as_files():
            self.guarantee = promised  # what was learned there came along, or was verified there


# -- whether a mechanism can be used ---------------------------------------------------------------


def check_mechanism(mechanism: Any) -> None:
    """Raises DxError, naming the part, where a mechanism lacks one, or promises what is no
    Guarantee or takes a method that it does not have."""
    name = getattr(mechanism, "name", None)
    if not isinstance(name, str) or not name:
        raise DxError(Errors.DX046.format(name=type(mechanism).__name__, part="name, a text"))
    for method in ("fit(space)", "sample(rows, rng)"):
        if not callable(getattr(mechanism, method.partition("(")[0], None)):
            raise DxError(Errors.DX046.format(name=name, part=method))
    _check_promise(mechanism, name)
    in_clear = getattr(mechanism, "in_clear", ())
    if isinstance(in_clear, str) or not all(isinstance(what, str) for what in in_clear):
        raise fail("in_clear of the mechanism", "a tuple of texts", type(in_clear))


def _check_promise(mechanism: Any, name: str) -> None:
    guarantee = getattr(mechanism, "guarantee", None)
    if not isinstance(guarantee, Guarantee):
        raise fail("guarantee of the mechanism", "a Guarantee", type(guarantee))
    lacks = {"related": not hasattr(mechanism, "covers")}
    lacks["finite"] = not isinstance(mechanism, HasMetric)
    if lacks.get(guarantee.covers, False):
        part = {"related": "covers(rows)", "finite": "distances(rows)"}[guarantee.covers]
        raise DxError(Errors.DX048.format(name=name, covers=guarantee.covers, part=part))


def check_fitted(mechanism: Mechanism, space: Space) -> None:
    """A trial draw of public rows, which is thrown away. Raises DxError where the mechanism fails,
    or gives back anything but a Draw of rows of this space."""
    _check_promise(mechanism, mechanism.name)
    # Any rows will do: the first, the last, and one that comes again.
    rows = np.array([0, len(space) - 1, 0], dtype=np.int64)
    try:
        # Seeded: it is no secret and is thrown away, and a stream that draws words stays as it was.
        wrong = _wrong(mechanism.sample(rows, Rng(seed=0)), len(rows), len(space))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        # Not quoted: what others write into their errors may be anything.
        wrong = f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"
    if wrong:
        raise DxError(Errors.DX047.format(name=mechanism.name, count=len(rows), why=wrong))


def _wrong(draw: Any, k: int, n: int) -> str:
    """What is wrong with a draw of k words of n; "" for nothing."""
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
