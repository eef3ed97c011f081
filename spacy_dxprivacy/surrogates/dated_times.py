"""Binds times of day to the dates that they stand with, so that both move over midnight together.

A time belongs to the date before it, or else to the date after it, if only marks and the words of
DATE_TO_TIME in data/entities/words.txt stand between them: "14 March 2023 at 11:50 pm", "23:50 on
14 March 2023". The date before it may also be that of a short clause: "16/3 extubated at 09:15". A
date alone on a line belongs to the first time below it, and so does that of a form to the line of
its time. Further times below it move by the same hours, so that the time from one to the next
stays. Which time belongs to which date is a part of the layout: no value decides it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..entities.tables import pattern, words
from .base import Mention
from .calendar import Clock, Days, Weekday
from .dates import Piece

MAX_GAP = 24  # characters between a date and its time
_WORDS = words("DATE_TO_TIME")
_WORD = re.compile(r"[^\W\d_]+")
_GAP = re.compile(r"(?:[^\W\d_]+\.?|[\s,;:|/@()\[\]\"'–—_-])*")
_RANGE = re.compile(r"\s*(?:[-–—]|\b(?:to|bis|till|until|tot|a|à|al|alle)\b)\s*")
_CLAUSE = re.compile(r"\s(?:[^\W\d_]+\s){1,3}(?:at|um|à|om|alle|@)\s?")
_KEYED = re.compile(r"\s*\n[\s|*\"'-]*([^\W\d_]+)[\s*\"']*[:=|][\s*\"']*")
_KEYS = words("TIME_KEYS")
_HEADING = re.compile(r"(?:\A|\n)[\s#*=>|(\[\"'-]*\Z")


@dataclass
class _Placed:
    """A piece and the text between it and the one before; None if that is not known. heads: whether
    its mention begins a line. is_birth: whether it is a day of birth. ends: whether it is a time
    that ends a range of times."""

    piece: Piece
    gap: str | None
    heads: bool
    is_birth: bool
    ends: bool


def bind_times(mentions: Sequence[Mention], pieces: Sequence[Sequence[Piece]]) -> int | None:
    """Set the hour of each day, and weekday, that has a time. A time that ends a range of times has
    only the date behind it that no other time has: 14 March 23:50 to 00:20 on 15 March.

    Args:
        mentions: Mentions in the order of the text.
        pieces: The pieces of each mention.

    Returns:
        The hour of the first time with a date, 0 to 24; None if no time has one.
    """
    everything, first, bound = list(_placed(mentions, pieces)), None, set[int]()
    # A time that ends a range stands between the one that begins it and their date: 22:30-23:30 on
    # 14 March. So the other times choose their dates first, as if it was not there.
    others = [item for item in everything if not item.ends]
    for placed, ends in ((others, False), (everything, True)):
        for i, item in enumerate(placed):
            if not isinstance(item.piece, Clock) or item.ends != ends:
                continue
            days = [] if ends else _days_beside(placed, i, -1, bound)
            days = days or _days_beside(placed, i, 1, bound)
            for day in days:
                day.hour = item.piece.hour
                bound.add(id(day))
            if days and first is None:
                first = item.piece.hour
    return first


def _placed(mentions: Sequence[Mention], pieces: Sequence[Sequence[Piece]]) -> Iterator[_Placed]:
    """Yield the pieces that are days or times."""
    gap: str | None = None
    last: Piece | None = None
    for i, (mention, own) in enumerate(zip(mentions, pieces, strict=True)):
        between = _text_between(mentions[i - 1], mention) if i else None
        gap = None if gap is None or between is None or not own else f"{gap} {between}"
        heads = _HEADING.search(mention.lead) is not None
        is_birth = pattern("BIRTH_BEFORE").search(mention.lead.lower()) is not None
        for piece in own:
            if isinstance(piece, str):
                gap = None if gap is None else gap + piece
                continue
            ends = isinstance(piece, Clock) and isinstance(last, Clock)
            ends = ends and gap is not None and _RANGE.fullmatch(gap) is not None
            yield _Placed(piece, gap, heads, is_birth, ends)
            last, gap = piece, ""


def _text_between(one: Mention, other: Mention) -> str | None:
    """Return the text between two mentions, or None if they are not close."""
    place = one.tail.find(other.text, 0, MAX_GAP + len(other.text))
    return None if place < 0 else one.tail[:place]


def _days_beside(
    placed: Sequence[_Placed], i: int, step: int, bound: set[int]
) -> list[Days | Weekday]:
    """Return the free day and weekday before (step -1) or after (1) the i-th piece, a time."""
    days = list[Days | Weekday]()
    while 0 <= i + step < len(placed):
        gap, i = placed[i if step < 0 else i + 1].gap, i + step
        piece = placed[i].piece
        if not isinstance(piece, Days | Weekday) or id(piece) in bound:
            break
        if not _are_joined(gap, placed[i], step):
            break
        if isinstance(piece, Days) and len(piece.days) > 1:
            break
        if any(isinstance(day, type(piece)) for day in days):
            break
        days.append(piece)
    return days


def _are_joined(gap: str | None, day: _Placed, step: int) -> bool:
    """Return whether the text between a time and a day before it (step -1), or after it, joins
    them."""
    if gap is None or not (_joins(gap) or (step < 0 and _CLAUSE.fullmatch(gap))):
        return False
    if "\n" not in gap or (step < 0 and day.heads):
        return True
    key = _KEYED.fullmatch(gap)
    return key is not None and key[1].lower() in _KEYS and not day.is_birth


def _joins(gap: str | None) -> bool:
    """Return whether a text between a date and a time joins them."""
    if gap is None or len(gap) > MAX_GAP or gap.count("\n") > 1 or not _GAP.fullmatch(gap):
        return False
    return _WORDS.issuperset(word.lower() for word in _WORD.findall(gap))
