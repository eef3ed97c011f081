"""Checks of settings, for constructors."""

from __future__ import annotations

import math
from collections.abc import Collection
from importlib.util import find_spec
from numbers import Integral, Real
from typing import TypeVar

from .errors import DxError, Errors, UsageError

T = TypeVar("T")


def fail(name: str, expected: str, value: object) -> DxError:
    """Return the error for a setting with a wrong value. expected: a noun phrase."""
    return DxError(Errors.DX001.format(name=name, expected=expected, given=value))


def needs(package: str, feature: str, *, extra: str) -> None:
    """Raise UsageError if a package is missing, with the extra that installs it."""
    if find_spec({"scikit-learn": "sklearn"}.get(package, package)) is None:
        raise UsageError(Errors.DX074.format(what=feature, package=package, extra=extra))


def positive(name: str, value: object) -> float:
    """Return a number as float. Raise DxError unless it is finite and above 0."""
    number = _real(name, value, "a number above 0")
    if not (math.isfinite(number) and number > 0):
        raise fail(name, "a finite number above 0", value)
    return number


def whole(name: str, value: object, *, least: int) -> int:
    """Return a whole number. Raise DxError for other values, and for numbers below `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise fail(name, f"a whole number, {least} or more", value)
    return int(value)


def one_of(name: str, value: T, choices: Collection[T]) -> T:
    """Return the value. Raise DxError unless it is one of the choices."""
    if value not in choices:
        raise fail(name, "one of " + ", ".join(map(repr, choices)), value)
    return value


def between(name: str, value: object, low: float, high: float, ends: str = "()") -> float:
    """Return a number as float. Raise DxError outside of an interval; `ends` are its brackets."""
    first = "from" if ends[0] == "[" else "above"
    expected = f"a number {first} {low:g} {'to' if ends[1] == ']' else 'and below'} {high:g}"
    number = _real(name, value, expected)
    at_an_end = (number == low and ends[0] == "[") or (number == high and ends[1] == "]")
    if not (low < number < high or at_an_end):
        raise fail(name, expected, value)
    return number


def _real(name: str, value: object, expected: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise fail(name, expected, value)
    return float(value)
