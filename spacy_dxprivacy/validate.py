"""Checks of settings, for constructors."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import cache
from importlib.util import find_spec
from inspect import Parameter, Signature, isfunction, signature
from numbers import Integral, Real
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from .errors import DxError, Errors, UsageError

T = TypeVar("T")


def fail(name: str, expected: str, value: object) -> DxError:
    """Return the error for a setting with a wrong value. expected: a noun phrase."""
    return DxError(Errors.DX001.format(name=name, expected=expected, given=value))


def given_twice(name: str, outer: object, inner: object, part: str) -> DxError:
    """Return the error for a setting of the component that the block of a part has too."""
    block = f"[components.dx_sanitizer.{part}]"
    return DxError(Errors.DX189.format(name=name, outer=outer, inner=inner, block=block))


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


# -- parts -----------------------------------------------------------------------------------------


def check_part(part: str, given: object, protocol: type, block: str) -> None:
    """Raise DxError, with what is missing, unless an object has all members of a protocol.

    Methods need the parameters of the protocol: required ones by position, others by name.

    Args:
        part: What the object is, such as "selector".
        given: The object, of any package.
        protocol: A protocol whose members have types; or a class, of which the object must be.
        block: The block of a config that makes such a part.
    """
    if not getattr(protocol, "_is_protocol", False):
        if not isinstance(given, protocol):
            expected = f"a {protocol.__name__} (in a config, the block {block})"
            raise fail(f"The {part}", expected, type(given).__name__)
        return
    members = _members(protocol)
    missing = [name for name, expected in members.items() if not _has(given, name, expected)]
    if missing:
        about = {"part": part, "given": type(given).__name__, "block": block}
        all_members, absent = (
            ", ".join(_written(name, members[name]) for name in names)
            for names in (members, missing)
        )
        raise DxError(Errors.DX046.format(members=all_members, missing=absent, **about))


@cache
def _members(protocol: type) -> dict[str, Any]:
    """Return the members of a protocol: types of attributes, and signatures of methods."""
    members = dict[str, Any]()
    for base in reversed(protocol.__mro__):
        if getattr(base, "__module__", "") in ("builtins", "typing"):
            continue
        members |= get_type_hints(base)
        for name, member in vars(base).items():
            if isinstance(member, property):
                members[name] = get_type_hints(member.fget)["return"]
            elif isfunction(member) and (name == "__call__" or not name.startswith("_")):
                _self, *parameters = signature(member).parameters.values()
                members[name] = Signature(parameters)
    return members


def _has(given: object, name: str, expected: Any) -> bool:
    """Return whether an object has a member, of the expected type or signature."""
    try:
        # The signature of a function's own __call__ takes anything.
        member = given if name == "__call__" else getattr(given, name)
    except Exception:  # a property of another package
        return False
    return _accepts(member, expected) if isinstance(expected, Signature) else _is(member, expected)


def _accepts(method: object, expected: Signature) -> bool:
    if not callable(method):
        return False
    parameters = expected.parameters.values()
    required = [p.name for p in parameters if p.default is Parameter.empty]
    named = {p.name: None for p in parameters if p.default is not Parameter.empty}
    try:
        signature(method).bind(*required, **named)
    except TypeError:
        return False
    except ValueError:  # a method of C, without a signature
        return True
    return True


def _is(value: object, expected: Any) -> bool:
    if get_origin(expected) is tuple:
        of = get_args(expected)[0]
        return isinstance(value, list | tuple) and all(_is(item, of) for item in value)
    if expected is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    return isinstance(value, expected) and value != ""


def _written(name: str, expected: Any) -> str:
    if isinstance(expected, Signature):
        return f"{name}({', '.join(expected.parameters)})"
    return f"{name}: {expected.__name__ if isinstance(expected, type) else expected}"
