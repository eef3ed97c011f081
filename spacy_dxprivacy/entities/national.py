"""National identifiers with check digits, where python-stdnum is installed.

data/entities/national.txt names its modules, and the forms of their numbers. Without the package no
number has a kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import cast

from .tables import sections

NATIONAL = "national"
MIN_SURE = 11  # characters of a number that its check digits tell from telephone numbers


@dataclass(frozen=True)
class NumberKind:
    """A kind of number. head: digits of a range that is kept for tests, or "". form: of numbers in
    capitals; of its group `keep` nothing is drawn. is_sure: whether hardly any other number of the
    form has right check digits."""

    module: str
    head: str
    form: re.Pattern[str]
    is_sure: bool

    def has(self, number: str) -> bool:
        """Return whether a number in capitals has the form and its check digits are right."""
        if self.form.fullmatch(number) is None:
            return False
        is_valid = _check_of(self.module)
        return is_valid is not None and is_valid(number.replace(".", ""))


@cache
def _check_of(module: str) -> Callable[[str], bool] | None:
    """Return the check of a module of python-stdnum, or None without the package."""
    try:
        modules = import_module("stdnum.util")
    except ImportError:
        return None
    country, _, name = module.partition(".")
    found = modules.get_cc_module(country, name)
    return None if found is None else cast("Callable[[str], bool]", found.is_valid)


@cache
def _kinds() -> Mapping[str, NumberKind]:
    kinds = dict[str, NumberKind]()
    for section, lines in sections(NATIONAL).items():
        for line in lines:
            name, _, form = line.partition(": ")
            module, _, head = name.partition(" ")
            kinds[module] = NumberKind(module, head, re.compile(form, re.A), section == "sure")
    return kinds


def kind_of_number(text: str) -> NumberKind | None:
    """Return the first kind of which a number has form and check digits; None if there is none."""
    number = text.strip().upper()
    return next((kind for kind in _kinds().values() if kind.has(number)), None)


def is_surely_national(text: str) -> bool:
    """Return whether a number is a national identifier rather than a telephone number."""
    if len(text) < MIN_SURE:
        return False
    kind = kind_of_number(text)
    return kind is not None and kind.is_sure
