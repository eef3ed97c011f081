"""Dates in German, French, Spanish, Dutch and Italian: 5. März 2023, 1er mars, 5 de marzo de 2023.

They are read and written as `dates` does it: the words between the parts stay, names of months are
in full, and what follows from the value, as in "1er", follows from the new value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from ..calendars import LANGUAGES, DateWords, date_words
from .dates import (
    MONTH,
    TOP_AGE,
    YMD,
    Constant,
    Context,
    Days,
    Form,
    Loose,
    Match,
    NoDate,
    OtherOrder,
    Period,
    Piece,
    cased,
    day_of,
    forms_of_english,
    one_day,
    period,
    put,
    read,
)


def read_in(text: str, context: Context) -> list[Piece]:
    """Read a mention in the language of the document or else its own. Raises NoDate."""
    languages = [context.language, *(one for one in LANGUAGES if one != context.language), "en"]
    for language in dict.fromkeys(languages):
        try:
            return read(text, context, forms_in(language), beside_in(language))
        except OtherOrder:
            raise
        except NoDate:
            continue
    raise NoDate


@cache
def beside_in(language: str) -> frozenset[str]:
    """Return the words that may stay beside a date of a language."""
    return frozenset() if language == "en" else date_words(language).beside


@cache
def forms_in(language: str) -> tuple[Form, ...]:
    """Return the forms of dates of a language, with those in digits, and their readers."""
    if language == "en":
        return forms_of_english()
    names = date_words(language)
    patterns = names.patterns()
    readers: dict[str, Callable[[Match, DateWords], Piece]] = {
        "range": _range, "day": _day, "month": _month, "weekday": _weekday, "age": _age,
        "clock": _clock, "holiday": _holiday,
    }  # fmt: skip
    return (
        *((re.compile(form, re.I), _reader(readers[kind], names)) for kind, form in patterns),
        *forms_of_english(),
    )


def _reader(
    read_match: Callable[[Match, DateWords], Piece], names: DateWords
) -> Callable[[Match, Context], Piece]:
    return lambda m, context: read_match(m, names)


def _name(names: DateWords, month: int, model: str) -> str:
    return cased(names.months[month - 1].capitalize(), model)


def _ordinal(names: DateWords, day: int) -> str:
    return "1er" if day == 1 and names.language == "fr" else str(day)


def _day(m: Match, names: DateWords) -> Days:
    """5. März 2023, 1er mars, 5 de marzo de 2023."""
    return one_day(
        day_of(m["n"], names.number(m["m"]), m["y"]),
        lambda y, month, d: put(m, m=_name(names, month, m["m"]), d=_ordinal(names, d), y=y),
    )


def _range(m: Match, names: DateWords) -> Days:
    """5. bis 9. März 2023, du 5 au 9 mars: the months of both ends are written."""
    month = names.number(m["m"])
    first_month = names.number(m["m1"]) if m["m1"] else month
    ends = [day_of(m["n"], first_month, None), day_of(m["n2"], month, m["y"])]

    def write(days: list[YMD]) -> str:
        (_, mo, d), (y, mo2, d2) = days
        texts = [_ordinal(names, d) + m["dot"]]
        if mo != mo2 or m["m1"]:
            texts.append((m["j1"] or " ") + _name(names, mo, m["m"]))
        whole = put(m, n2=_ordinal(names, d2), m=_name(names, mo2, m["m"]), y=y)
        return "".join(texts) + m["to"] + whole[m.start("n2") - m.start() :]

    return Days(ends, write)


def _month(m: Match, names: DateWords) -> Period:
    """März 2023, marzo de 2023."""
    return period(
        MONTH,
        m["y"],
        names.number(m["m"]),
        lambda index: put(m, m=_name(names, index % 12 + 1, m["m"]), y=index // 12),
    )


def _weekday(m: Match, names: DateWords) -> Loose:
    number = names.weekdays.index(m["w"].lower())

    def write(days: int, hours: int) -> str:
        return cased(names.weekdays[(number + days) % 7].capitalize(), m["w"])

    return Loose(write)


def _age(m: Match, names: DateWords) -> Constant:
    return Constant(put(m, n=str(TOP_AGE)) if int(m["n"]) > TOP_AGE else m[0])


def _clock(m: Match, names: DateWords) -> Loose:
    """14 Uhr, 14h30: of 24 hours."""
    if int(m["h"]) > 24:
        raise NoDate
    return Loose(lambda _, hours: put(m, h=f"{(int(m['h']) + hours) % 24:02d}"))


def _holiday(m: Match, names: DateWords) -> Constant:
    return Constant(names.holiday, is_holiday=True)
