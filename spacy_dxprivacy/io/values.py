"""Dates, times and numbers of cells as text, and back.

The cells of a sheet, a .parquet column or a field of JSON have types. A cell that is sanitised is
read as text: a date in ISO 8601, a number as its digits. Its surrogate is written as a value of the
same type, or as text where it is none, such as "[DATE]".
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from ..pipeline.unknown_words import REDACTED

_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?", re.ASCII)  # float64 represents 15 digits exactly


def names_nobody(value: Any) -> bool:
    """Return whether a value is nothing, true or false, a duration, or no finite number."""
    is_number = isinstance(value, float) and not math.isfinite(value)
    return value is None or isinstance(value, (bool, timedelta)) or is_number


def as_text(value: Any) -> Any:
    """Return the text of a date, time or number; any other value as it is."""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, float):
        return _digits(value)
    is_number = isinstance(value, (int, Decimal)) and not isinstance(value, bool)
    return str(value) if is_number else value


def _digits(value: float) -> Any:
    """Return the digits of a number without an exponent; NaN and infinity as they are."""
    if not math.isfinite(value):
        return value
    return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")


def blank_of(original: Any) -> str:
    """Return the text of a cell without words, or a mark in place of words that were lost."""
    text = str(as_text(original))
    return REDACTED if text.strip() else text


def as_value(text: str, original: Any) -> Any:
    """Return a text as a value of the type of the original, or as it is if it is none.

    Args:
        text: The text that replaces the original.
        original: The value of the cell before. A text that did not change is this value.
    """
    if isinstance(original, str) or as_text(original) == text:
        return original if as_text(original) == text else text
    for kind in (datetime, date, time):
        if isinstance(original, kind):
            with suppress(ValueError):
                return kind.fromisoformat(text)
            return text
    number = _NUMBER.fullmatch(text)
    if number is None or (isinstance(original, int) and number[1]):
        return text
    return type(original)(text)
