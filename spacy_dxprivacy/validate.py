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
    if isinstance(value, bool) or not isinstance(value, Real):
        raise fail(name, "a number above 0", value)
    number = float(value)
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


def between(
    name: str, value: Any, low: float, high: float, *, low_in: bool = False, high_in: bool = False
) -> float:
    """A number above low and below high, as float; low_in and high_in let the ends in."""
    ends = f"{'from' if low_in else 'above'} {low:g} {'to' if high_in else 'and below'} {high:g}"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise fail(name, f"a number {ends}", value)
    number = float(value)
    above = number >= low if low_in else number > low
    below = number <= high if high_in else number < high
    if not (above and below):
        raise fail(name, f"a number {ends}", value)
    return number
