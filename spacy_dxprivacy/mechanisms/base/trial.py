"""Whether anyone's mechanism can be used: asked when it is made and when it is fitted.

Mechanisms may come from other packages. What is wrong with one is told before a text is read, in
one sentence that names the part.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Ints1d
from ...errors import DxError, Errors
from ...guarantee import Guarantee
from ...randomness import Rng
from ...space import Space
from ...ty import CoversPairs, Draw, HasMetric, Mechanism, TellsInClear
from ...validate import fail

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
