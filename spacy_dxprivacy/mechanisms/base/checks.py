"""What every mechanism asks of those who call it, and says of itself."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

import numpy as np

from ...arrays import Ints1d
from ...errors import DxError, DxWarning, Errors, Warnings
from ...guarantee import Guarantee

T = TypeVar("T")
# exp(-700) is above the smallest float64: no word's probability is rounded to 0.
LARGEST_SCORE = 700.0


def fitted(state: T | None, name: str) -> T:
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
