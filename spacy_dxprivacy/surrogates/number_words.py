"""Read and write days of a month and years in English words: the fifth, nineteen eighty-four."""

from __future__ import annotations

import re

from ..entities.spoken import number_names

FIRST_TEN, MIN_TENS = 10, 20  # of the words of a number below 100: five, and twenty to ninety
_NAMES = number_names("en")  # of 0 to 99
_NUMBERS = {name: number for number, name in _NAMES.items()}
_IRREGULAR = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth", "twenty": "twentieth", "thirty": "thirtieth",
}  # fmt: skip


def _ordinal(number: int) -> str:
    tens, dash, last = _NAMES[number].rpartition("-")
    return tens + dash + _IRREGULAR.get(last, f"{last}th")


ORDINALS = [_ordinal(number) for number in range(1, 32)]  # of the days of a month


def day_of(text: str) -> int:
    """Return the number of an ordinal in words: 21 for "twenty first"."""
    return ORDINALS.index(text.lower().replace(" ", "-")) + 1


def year_of(text: str) -> int:
    """Return a year in words: 1984 for "nineteen eighty-four", 2005 for "two thousand and five", 61
    for "sixty-one"."""
    words = re.findall(r"[a-z]+", text.lower().replace(" and ", " "))
    if is_short_year(text):
        return _below_100(words)
    if words[1] == "thousand":
        return 1000 * _NUMBERS[words[0]] + _below_100(words[2:])
    rest = [word for word in words[1:] if word not in ("hundred", "oh", "o", "ought")]
    return 100 * _NUMBERS[words[0]] + _below_100(rest)


def is_short_year(text: str) -> bool:
    """Return whether a year in words has no century: sixty-one."""
    tens, _, ones = re.sub(r"[ -]", "-", text.lower()).partition("-")
    return _NUMBERS.get(tens, 0) >= MIN_TENS and _NUMBERS.get(ones, MIN_TENS) < FIRST_TEN


def short_year_in_words(year: int) -> str:
    """Return a year in words without its century: sixty-one, oh five."""
    rest = year % 100
    return f"{'oh ' * (rest < FIRST_TEN)}{_NAMES[rest]}"


def _below_100(words: list[str]) -> int:
    return sum(_NUMBERS[word] for word in words)


def year_in_words(year: int) -> str:
    """Return a year from 1000 on in words: nineteen oh five, two thousand and five, twenty ten."""
    hundreds, rest = divmod(year, 100)
    if hundreds % 10 == 0:
        thousands = f"{_NAMES[hundreds // 10]} thousand"
        if rest < 10:
            return f"{thousands} and {_NAMES[rest]}" if rest else thousands
    if rest == 0:
        return f"{_NAMES[hundreds]} hundred"
    return f"{_NAMES[hundreds]} {'oh ' * (rest < 10)}{_NAMES[rest]}"
