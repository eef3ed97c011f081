"""Numbers as they are written: which tokens are numbers, and how a number is written again.

All of it goes by a public pattern in ASCII. What is written alike differs in its value alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from spacy.tokens import Doc

from ..arrays import Bools1d

MOST_DIGITS = 15  # of a number: every such value is exact in float64
LARGEST = 10**MOST_DIGITS - 1  # steps

_VALUE = r"(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d*|0)(?:\.\d+)?|\.\d+"
_NUMBER = re.compile(rf"([+-]?)({_VALUE})(?:/({_VALUE}))?(%?)", re.ASCII)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d", re.ASCII)
# Dates, telephone numbers and the like, over the tokens that they are cut into.
_GROUPS = re.compile(r"(?<!\d)\d+([-/.])\d+(?:\1\d+)+(?!\d)", re.ASCII)


@dataclass(frozen=True)
class Value:
    """steps: the value without its sign, in units of the last decimal shown. decimals: how many are
    shown. commas: whether thousands are set apart. bare: whether it begins with its point (.5)."""

    steps: int
    decimals: int
    commas: bool
    bare: bool

    @property
    def size(self) -> int:
        """Steps of a whole."""
        return int(10**self.decimals)

    @classmethod
    def read(cls, text: str) -> Value:
        whole, _, decimals = text.partition(".")
        digits = whole.replace(",", "") + decimals
        return cls(int(digits), len(decimals), "," in whole, not whole)

    def write(self) -> str:
        whole, part = divmod(self.steps, self.size)
        left = f"{whole:,}" if self.commas else str(whole)
        left = "" if self.bare and not whole else left
        return f"{left}.{part:0{self.decimals}d}" if self.decimals else left


@dataclass(frozen=True)
class Numeral:
    """A token that is a number, or two (120/80)."""

    sign: str
    values: tuple[Value, ...]
    percent: str

    def write(self) -> str:
        return self.sign + "/".join(value.write() for value in self.values) + self.percent

    def at(self, steps: list[int]) -> Numeral:
        """Written alike, with other values."""
        pairs = zip(self.values, steps, strict=True)
        return replace(self, values=tuple(replace(value, steps=s) for value, s in pairs))


def read_numeral(text: str) -> Numeral | None:
    """None where a token is no number: letters, dates, years from 1500 to 2099 in four digits,
    zeros in front, more than 15 digits, digits of other scripts."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    sign, one, two, percent = found.groups()
    written = [one] if two is None else [one, two]
    if any(map(_YEAR.fullmatch, written)) or max(map(_digits, written)) > MOST_DIGITS:
        return None
    return Numeral(sign, tuple(map(Value.read, written)), percent)


def _digits(text: str) -> int:
    return sum(c.isdigit() for c in text)


def find_numbers(doc: Doc) -> Bools1d:
    """bool (tokens,): the tokens that are numbers, and no part of three groups of digits or more
    that a hyphen, a slash or a point joins (2008-07-29)."""
    found = np.array([read_numeral(token.text) is not None for token in doc], dtype=bool)
    if not found.any():
        return found
    begins = np.array([token.idx for token in doc])
    for match in _GROUPS.finditer(doc.text):
        found[(begins >= match.start()) & (begins < match.end())] = False
    return found
