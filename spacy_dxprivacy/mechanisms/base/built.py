"""What all mechanisms share that are made in two steps: settings first, then a space.

It checks what callers hand in, and draws words alone as if they were of sentences.
`check_mechanism` and `check_fitted` ask whether anyone's mechanism can be used: mechanisms may come
from other packages, and what is wrong with one is reported before a text is read, in one sentence
that names the part.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ...errors import DxError, DxWarning, Errors, Warnings
from ...guarantee import Guarantee
from ...randomness import Rng
from ...space import Space
from ...tables import learned
from ...ty import CoversPairs, Draw, HasMetric, Mechanism, TellsInClear
from ...validate import fail

if TYPE_CHECKING:
    from typing_extensions import Self


# -- what is asked of callers ----------------------------------------------------------------------


State = TypeVar("State")
# exp(-700) is above the smallest float64: no word's probability is rounded to 0.
LARGEST_SCORE = 700.0


def fitted(state: State | None, name: str) -> State:
    """What fit left behind. Raises DxError where there was no fit."""
    if state is None:
        raise DxError(Errors.DX003.format(name=name))
    return state


def checked_rows(rows: Any, n: int) -> Ints1d:
    """rows as int64 (k,); DxError for another shape or type, or a row that is not in
    0..n-1."""
    checked = np.asarray(rows)
    if checked.size == 0:
        return np.zeros(0, dtype=np.int64)
    if checked.ndim != 1 or checked.dtype.kind not in "iu":
        given = f"{checked.dtype.name} {checked.shape}"
        expected = "whole numbers of shape (k,)"
        raise DxError(Errors.DX001.format(name="rows", expected=expected, given=given))
    if checked.min() < 0 or checked.max() >= n:
        raise DxError(Errors.DX002.format(last=n - 1))
    return checked.astype(np.int64)


def warn_if_void(name: str, guarantee: Guarantee) -> None:
    """A mechanism whose promise is refuted, or that makes none, says so when it is made."""
    if guarantee.kind == "none" or guarantee.status in ("refuted", "none"):
        message = Warnings.DX101.format(
            mechanism=name, status=guarantee.status, notes=guarantee.notes
        )
        warnings.warn(message, DxWarning, stacklevel=4)


# -- words that are drawn alone --------------------------------------------------------------------


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


def with_fixed(draw: Draw, rows: Any, stays: Bools1d) -> Draw:
    """The draw, with the rows that stay as they are."""
    if not stays.any():
        return draw
    return Draw(np.where(stays, np.asarray(rows), draw.rows), draw.vectors)


def checked_candidates(given: Any, k: int, n: int) -> Ints2d:
    """int64 (k, m). Raises DxError for another shape, and for rows out of range."""
    found = np.asarray(given)
    if found.ndim != 2 or len(found) != k:
        raise fail("candidates", f"whole numbers of shape ({k}, m)", f"shape {found.shape}")
    rows: Ints2d = checked_rows(found.ravel(), n).reshape(found.shape[0], found.shape[1])
    return rows


def log_likelihood(
    distribution: Callable[[Ints1d], Floats2d],
    rows: Ints1d,
    outputs: Ints1d,
    stays: Bools1d,
    candidates: Ints2d | None,
) -> Floats1d | Floats2d:
    """distribution: rows (k,) -> float64 (k, n). (k,), ln P of an output each, or (k, m), of each
    candidate in the place of its row; of rows that stay 0, or -inf where another came out."""
    with np.errstate(divide="ignore"):
        if candidates is None:
            P = distribution(rows)[np.arange(len(rows)), outputs]
            same = np.where(rows == outputs, 0.0, -np.inf)
            return np.asarray(np.where(stays, same, np.log(P)))
        some, which = np.unique(candidates, return_inverse=True)
        P = distribution(some)[which.reshape(candidates.shape), outputs[:, None]]
        return np.asarray(np.where(stays[:, None], 0.0, np.log(P)))


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
        warn_if_void(name, guarantee)

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
        return with_fixed(draw, rows, stays)

    def _sample(self, rows: Ints1d, rng: Rng) -> Draw:
        raise NotImplementedError

    @property
    def built(self) -> T:
        """Raises DxError before fit."""
        return fitted(self._built, self.name)

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


METHODS = ("fit(space)", "sample(rows, rng)")


def check_mechanism(mechanism: Any) -> None:
    """Raises DxError, naming the part, where a mechanism lacks one, or promises what is no
    Guarantee or takes a method that it does not have."""
    name = _name(mechanism)
    for method in METHODS:
        if not callable(getattr(mechanism, method.partition("(")[0], None)):
            raise DxError(Errors.DX046.format(name=name, part=method))
    _check_promise(mechanism, name)
    in_clear = mechanism.in_clear if isinstance(mechanism, TellsInClear) else ()
    if isinstance(in_clear, str) or not all(isinstance(what, str) for what in in_clear):
        raise fail("in_clear of the mechanism", "a tuple of texts", type(in_clear))


def check_fitted(mechanism: Mechanism, space: Space) -> None:
    """A trial draw of public rows, which is thrown away. Raises DxError where the mechanism fails,
    or gives back anything but a Draw of rows of this space."""
    _check_promise(mechanism, mechanism.name)
    # Any rows will do: the first, the last, and one that comes again.
    rows = np.array([0, len(space) - 1, 0], dtype=np.int64)
    wrong = _wrong(_draw(mechanism, rows), len(rows), len(space))
    if wrong:
        raise DxError(Errors.DX047.format(name=mechanism.name, count=len(rows), why=wrong))


def _name(mechanism: Any) -> str:
    name = getattr(mechanism, "name", None)
    if not isinstance(name, str) or not name:
        raise DxError(Errors.DX046.format(name=type(mechanism).__name__, part="name, a text"))
    return name


def _check_promise(mechanism: Any, name: str) -> None:
    guarantee = getattr(mechanism, "guarantee", None)
    if not isinstance(guarantee, Guarantee):
        raise fail("guarantee of the mechanism", "a Guarantee", type(guarantee))
    needs = {"related": (CoversPairs, "covers(rows)"), "finite": (HasMetric, "distances(rows)")}
    shape, method = needs.get(guarantee.covers, (object, ""))
    if not isinstance(mechanism, shape):
        raise DxError(Errors.DX048.format(name=name, covers=guarantee.covers, part=method))


def _draw(mechanism: Mechanism, rows: Ints1d) -> Any:
    try:
        # Seeded: it is no secret and is thrown away, and a stream that draws words stays as it was.
        return mechanism.sample(rows, Rng(seed=0))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        # Not quoted: what others write into their errors may be anything.
        why = f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"
    raise DxError(Errors.DX047.format(name=mechanism.name, count=len(rows), why=why))


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
