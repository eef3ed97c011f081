"""Read and write days of a month and years in English words: the fifth, nineteen eighty-four."""

from __future__ import annotations

import re

_ONES = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_BELOW_100 = ["", *_ONES, *_TEENS]
for _ten in _TENS:
    _BELOW_100 += [_ten, *(f"{_ten}-{one}" for one in _ONES)]
_NUMBERS = {word: number for number, word in enumerate(_BELOW_100)}
_IRREGULAR = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth", "twenty": "twentieth", "thirty": "thirtieth",
}  # fmt: skip


def _ordinal(number: int) -> str:
    tens, dash, last = _BELOW_100[number].rpartition("-")
    return tens + dash + _IRREGULAR.get(last, f"{last}th")


ORDINALS = [_ordinal(number) for number in range(1, 32)]  # of the days of a month


def day_of(text: str) -> int:
    """Return the number of an ordinal in words: 21 for "twenty first"."""
    return ORDINALS.index(text.lower().replace(" ", "-")) + 1


def year_of(text: str) -> int:
    """Return a year in words: 1984 for "nineteen eighty-four", 2005 for "two thousand and five"."""
    words = re.findall(r"[a-z]+", text.lower().replace(" and ", " "))
    if words[1] == "thousand":
        return 1000 * _NUMBERS[words[0]] + _below_100(words[2:])
    rest = [word for word in words[1:] if word not in ("hundred", "oh", "o", "ought")]
    return 100 * _NUMBERS[words[0]] + _below_100(rest)


def _below_100(words: list[str]) -> int:
    return sum(_NUMBERS[word] for word in words)


def year_in_words(year: int) -> str:
    """Return a year from 1000 on in words: nineteen oh five, two thousand and five, twenty ten."""
    hundreds, rest = divmod(year, 100)
    if hundreds % 10 == 0:
        thousands = f"{_BELOW_100[hundreds // 10]} thousand"
        if rest < 10:
            return f"{thousands} and {_BELOW_100[rest]}" if rest else thousands
    if rest == 0:
        return f"{_BELOW_100[hundreds]} hundred"
    return f"{_BELOW_100[hundreds]} {'oh ' * (rest < 10)}{_BELOW_100[rest]}"
