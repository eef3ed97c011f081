"""Years, numbers, months and the like are ordered: near ones become near rows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from builtin_space.embed import Matrix, unit

# Class -> (share of the row that tells the position, width of "near")
SHAPES = {
    "year": (0.45, 6.0),
    "number": (0.45, 0.5),
    "ordinal": (0.35, 0.5),
    "month": (0.3, 2.0),
    "weekday": (0.3, 1.5),
}


def place(words: Sequence[str], classes: Sequence[set[str]], X: Matrix) -> Matrix:
    """X with the rows of ordered classes set to a centre and a smooth code of their position."""
    moved = X.copy()
    for kind, (share, width) in SHAPES.items():
        rows = [i for i, names in enumerate(classes) if _kind(names) == kind]
        values = [_value(words[i], kind) for i in rows]
        placed = [(i, v) for i, v in zip(rows, values, strict=True) if v is not None]
        at = np.array([i for i, _ in placed], dtype=np.int64)
        code = smooth_code(np.array([v for _, v in placed]) / width, X.shape[1])
        centre = X[at] if kind in ("month", "weekday") else _centres(X, at, words)
        moved[at] = unit(math.sqrt(1 - share**2) * unit(centre) + share * code)
    return moved


def _kind(names: set[str]) -> str | None:
    return next((kind for kind in SHAPES if kind in names), None)


def _centres(X: Matrix, at: NDArray[np.int64], words: Sequence[str]) -> Matrix:
    """One centre for digits, one for decimals, one for spelt words: each keeps to its own."""
    sides = np.array([words[i][0].isdigit() + ("." in words[i]) for i in at])
    centres = X[at].copy()
    for side in np.unique(sides):
        centres[sides == side] = X[at[sides == side]].mean(axis=0)
    return centres


def smooth_code(values: NDArray[np.float64], dims: int) -> Matrix:
    """Unit rows whose inner product falls off as a Gaussian of the distance of the values."""
    rng = np.random.Generator(np.random.PCG64(7))
    frequency = rng.standard_normal(dims)
    phase = rng.uniform(0, 2 * math.pi, dims)
    return unit(np.cos(np.outer(values, frequency) + phase))


SPELT = dict(zip("""zero one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy
    eighty ninety hundred thousand million billion trillion""".split(), [*range(21), 30, 40, 50, 60,
    70, 80, 90, 100, 1000, 10**6, 10**9, 10**12], strict=True))  # fmt: skip
RANKS = dict(zip("""first second third fourth fifth sixth seventh eighth ninth tenth eleventh
    twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
    thirtieth""".split(), [*range(1, 21), 30], strict=True))  # fmt: skip


def _value(word: str, kind: str) -> float | None:
    """The position of a word in its class; None where it has no clear one."""
    digits = re.fullmatch(r"([\d,]*\.?\d+)(s|st|nd|rd|th)?", word)
    if kind == "year":
        if digits is None:
            return None
        year = float(digits[1])
        return year + (4.5 if digits[2] else 0.0) + (1900 if year >= 20 else 2000) * (year < 100)
    if kind in ("number", "ordinal"):
        number = float(digits[1].replace(",", "")) if digits else {**SPELT, **RANKS}.get(word)
        return None if number is None else 4 * math.log1p(number)
    return _listed_position(word, kind)


MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "mon tue wed thu fri sat sun".split()


def _listed_position(word: str, kind: str) -> float | None:
    listed = MONTHS if kind == "month" else WEEKDAYS
    stem = word.lower()[:3]
    return float(listed.index(stem)) if stem in listed else None
