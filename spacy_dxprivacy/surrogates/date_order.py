"""Chooses the order of day and month in which the numeric dates of a document are read.

A date fits an order if its day and month exist in it. A document is read in the order of the
setting, or else in the first other order that all its dates fit. If several fit, what stands beside
a date decides: a weekday that is not that of the date in this order (Mon 06/03/2023), and the same
day in words (6 March 2023 (06/03/2023)). What fits in no order at all, such as a wrong weekday,
decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from ..text.language import ORDERS
from .base import Mention
from .calendar import Days, NoDate, Weekday
from .dates import OtherOrder, Piece, read

_PAIR = re.compile(r"\d/\d|\A\d\d-\d\d\Z", re.ASCII)
_WITH_YEAR = re.compile(
    r"(?<!\d)(?:\d\d?([-/])\d\d?\1(?:\d{4}|['’]?\d\d)|\d\d \d\d (?:\d\d){1,2}|"
    r"[0-3]\d[0-3]\d(?:19|20)\d\d)(?!\d)",
    re.ASCII,
)
_MAX_GAP = 3  # characters between a date and what says its weekday
_BEHIND_WEEKDAY = re.compile(r"[\s,.:]{0,3}")
_BEFORE_WEEKDAY = re.compile(r"[\s,]{0,2}[(\[]?")
_SAME_DAY = re.compile(r"\s?[(\[=/]\s?")
Placed = tuple[Piece, str | None]  # with the text between it and the piece before it


def order_of(mentions: Sequence[Mention], order: str, language: str) -> str:
    """Return the order that all numeric dates with a year fit (without any, all numeric dates): the
    setting, or else the first other order; of several, the first that nothing beside a date speaks
    against. Return "" if dates with a year fit none."""
    dated = [mention for mention in mentions if _WITH_YEAR.search(mention.text)]
    voters = dated or [mention for mention in mentions if _PAIR.search(mention.text)]
    fitting = [
        candidate
        for candidate in dict.fromkeys((order, *ORDERS))
        if not any(_misfits(mention, candidate, language) for mention in voters)
    ]
    if not fitting:
        return "" if dated else order
    groups = [*_beside_dates(mentions)] if dated and len(fitting) > 1 else []
    return _by_neighbours(groups, fitting, language) if groups else fitting[0]


def has_numeric(mentions: Sequence[Mention]) -> bool:
    """Return whether a mention is a numeric date, which an order decides."""
    return any(_WITH_YEAR.search(m.text) or _PAIR.search(m.text) for m in mentions)


def _misfits(mention: Mention, order: str, language: str) -> bool:
    try:
        read(mention.text, order, language)
    except OtherOrder:
        return True
    except NoDate:
        pass
    return False


def _beside_dates(mentions: Sequence[Mention]) -> Iterator[list[Mention]]:
    """Yield mentions in a row that hold a numeric date with a year and words beside it."""
    group: list[Mention] = []
    for mention in mentions:
        if group and not _is_next(group[-1], mention):
            yield from [group] * _decides(group)
            group = []
        group.append(mention)
    yield from [group] * _decides(group)


def _is_next(one: Mention, other: Mention) -> bool:
    return 0 <= one.tail.find(other.text, 0, _MAX_GAP + len(other.text)) <= _MAX_GAP


def _decides(group: Sequence[Mention]) -> bool:
    has_words = any(any(map(str.isalpha, mention.text)) for mention in group)
    return has_words and any(_WITH_YEAR.search(mention.text) for mention in group)


def _by_neighbours(
    groups: Sequence[Sequence[Mention]], fitting: Sequence[str], language: str
) -> str:
    """Return the first fitting order in which all that stands beside dates agrees with them, except
    what agrees in none; the first of all, if there is none."""
    verdicts = {
        order: [fits for group in groups for fits in _agreements(_placed(group, order, language))]
        for order in fitting
    }
    columns = [column for column in zip(*verdicts.values(), strict=False) if any(column)]
    for order, agrees in zip(fitting, zip(*columns, strict=True), strict=False):
        if all(agrees):
            return order
    return fitting[0]


def _placed(group: Sequence[Mention], order: str, language: str) -> list[Placed]:
    """Return the days and weekdays of mentions in a row, with the text before each."""
    placed, gap = list[Placed](), None
    for i, mention in enumerate(group):
        if i:
            before = group[i - 1].tail
            gap = (gap or "") + before[: before.find(mention.text)]
        try:
            pieces = read(mention.text, order, language)
        except NoDate:
            pieces = []
        for piece in pieces:
            if isinstance(piece, str):
                gap = (gap or "") + piece
                continue
            placed.append((piece, gap))
            gap = ""
    return placed


def _agreements(placed: Sequence[Placed]) -> Iterator[bool]:
    """Yield whether each weekday, or day in words, beside a date is that of the date."""
    for i, (piece, gap) in enumerate(placed):
        after = placed[i + 1] if i + 1 < len(placed) else ("", None)
        if isinstance(piece, Weekday):
            before = placed[i - 1][0] if i else ""
            if isinstance(after[0], Days) and _BEHIND_WEEKDAY.fullmatch(after[1] or ""):
                yield _is_on(after[0], piece)
            elif isinstance(before, Days) and _BEFORE_WEEKDAY.fullmatch(gap or ""):
                yield _is_on(before, piece)
        elif isinstance(piece, Days) and isinstance(after[0], Days):
            if _SAME_DAY.fullmatch(after[1] or ""):
                yield _day(piece) == _day(after[0]) is not None


def _day(days: Days) -> tuple[int, int | None, int] | None:
    """Return a single day with a year, by the last two digits of it."""
    day = days.days[0]
    if len(days.days) > 1 or day.year is None:
        return None
    return day.year % 100, day.month, day.day


def _is_on(days: Days, weekday: Weekday) -> bool:
    """Return whether a day with a year is on a weekday."""
    day = days.days[0]
    if _day(days) is None or day.year is None:
        return False
    try:
        return date(day.year, day.month or 1, day.day).weekday() == weekday.number
    except ValueError:
        return False
