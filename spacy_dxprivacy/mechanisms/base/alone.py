"""Words that are drawn alone, asked as those of sentences are: the simple case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ...ty import Draw
from ...validate import fail
from .checks import checked_rows


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


__all__ = ["checked_candidates", "checked_layout", "flags", "log_likelihood", "with_fixed"]
