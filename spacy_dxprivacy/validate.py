"""Checks of settings, made once, in constructors: what was expected, what was given."""

from __future__ import annotations

import math
from collections.abc import Collection
from importlib.util import find_spec
from numbers import Integral, Real
from typing import Any, TypeVar

from .errors import DxError, Errors

T = TypeVar("T")


def fail(name: str, expected: str, given: Any) -> DxError:
    """The error for a setting: its name, what was expected, what was given."""
    return DxError(Errors.DX001.format(name=name, expected=expected, given=given))


def needs(package: str, what: str, *, extra: str) -> None:
    """Raises DxError with the extra to install where a package is not there."""
    if find_spec(package) is None:
        raise DxError(Errors.DX074.format(what=what, package=package, extra=extra))


def positive(name: str, value: Any) -> float:
    """A finite number above 0, as float."""
    number = _real(name, value, "a number above 0")
    if not (math.isfinite(number) and number > 0):
        raise fail(name, "a finite number above 0", value)
    return number


def whole(name: str, value: Any, *, least: int) -> int:
    """A whole number, not below `least`."""
    integral = isinstance(value, Integral) and not isinstance(value, bool)
    if not integral or int(value) < least:
        raise fail(name, f"a whole number, {least} or more", value)
    return int(value)


def one_of(name: str, value: T, choices: Collection[T]) -> T:
    """The value, if it is one of the choices. Raises DxError else."""
    if value not in choices:
        raise fail(name, "one of " + ", ".join(map(repr, choices)), value)
    return value


def between(name: str, value: Any, low: float, high: float, ends: str = "()") -> float:
    """A number from low to high, as float. ends: a square bracket lets an end in."""
    first = "from" if ends[0] == "[" else "above"
    expected = f"a number {first} {low:g} {'to' if ends[1] == ']' else 'and below'} {high:g}"
    number = _real(name, value, expected)
    inside = low < number < high
    at_an_end = (number == low and ends[0] == "[") or (number == high and ends[1] == "]")
    if not (inside or at_an_end):
        raise fail(name, expected, value)
    return number


def _real(name: str, value: Any, expected: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise fail(name, expected, value)
    return float(value)
