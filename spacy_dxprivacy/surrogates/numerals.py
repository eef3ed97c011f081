"""Numbers as they are written: which tokens are numbers, and how a number is written again.

Whether a text is a number follows from a public pattern in ASCII, never from its value. Nor does
the value decide how it is written again: commas and leading zeros are dropped, .5 becomes 0.5.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from spacy.tokens import Doc

from ..arrays import Bools1d

LARGEST = 10**15 - 1  # every whole number up to it is exact in float64

_VALUE = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{1,15})?|\.\d{1,15}"
_ONE = re.compile(_VALUE, re.ASCII)
_TOKEN = re.compile(rf"[+-]?(?:{_VALUE})(?:/(?:{_VALUE}))?%?", re.ASCII)
# Dates, telephone numbers and the like, over the tokens that they are cut into.
_GROUPS = re.compile(r"(?<!\d)\d+([-/.])\d+(?:\1\d+)+(?!\d)", re.ASCII)


@dataclass(frozen=True)
class Value:
    """A number without its sign, in `steps` of the last of the `decimals` that are shown."""

    steps: int
    decimals: int

    @property
    def size(self) -> int:
        """Steps of a whole."""
        return int(10**self.decimals)

    def __str__(self) -> str:
        whole, part = divmod(self.steps, self.size)
        return f"{whole}.{part:0{self.decimals}d}" if self.decimals else str(whole)


def read_value(text: str) -> Value | None:
    """Read a number; of those above LARGEST all are LARGEST, which brings no two further apart.

    Returns:
        None for what is no number by its form: more than one point, commas elsewhere than before
        three digits, more than 15 decimals, digits of other scripts.
    """
    if _ONE.fullmatch(text) is None:
        return None
    whole, _, decimals = text.replace(",", "").partition(".")
    whole, size = whole.lstrip("0"), 10 ** len(decimals)
    steps = int(f"0{whole}{decimals}") if len(whole) <= len(str(LARGEST)) else LARGEST * size
    return Value(min(steps, LARGEST * size), len(decimals))


def is_number(text: str) -> bool:
    """Whether a token is a number or a pair of them (120/80), with a sign and "%" or without."""
    return _TOKEN.fullmatch(text) is not None


def find_numbers(doc: Doc) -> Bools1d:
    """Find the tokens that are numbers, and no part of three groups of digits or more that a
    hyphen, a slash or a point joins (2008-07-29).

    Returns:
        A mask of the tokens, bool, shape (n_tokens,).
    """
    found = np.array([is_number(token.text) for token in doc], dtype=bool)
    if not found.any():
        return found
    begins = np.array([token.idx for token in doc])
    for match in _GROUPS.finditer(doc.text):
        found[(begins >= match.start()) & (begins < match.end())] = False
    return found
