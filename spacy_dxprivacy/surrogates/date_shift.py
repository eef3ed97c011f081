r"""Dates and times of a document, moved by one shift (dx.DateShift.v1).

Density     epsilon: P[shift of k days] = exp(-epsilon |k|) (e^epsilon - 1) / (e^epsilon + 1), in
            integer arithmetic; weeks: k weeks at 7 epsilon. window: uniform from -window to window
            days. Times of day move by a separate number of hours, uniform over 24. A time with a
            date moves by both, 24 k + hours, over midnight; with weeks it stays on its hour.
            Without a label of times (see DateShift.for_labels), all times stay as they are written
Guarantee   epsilon: epsilon nats for each day by which all dates of one document are earlier or
            later than those of another (metric-dp). window: delta = d / (2 window + 1) at epsilon 0
            for documents whose dates are d days apart: beyond the window everything is revealed.
            Times without a date: epsilon 0 for documents whose times all differ by the same number
            of hours. If times have dates: t hours between all times of one document and another,
            and as many days between their dates alone as between the dates of the first such time,
            cost epsilon ceil(t / 24), and with a window delta = t / (24 (2 window + 1)). For every
            output depends on these times through T + S alone, the hour T of the first of them and
            S = 24 k + hours; P[S = s] = P[floor(s / 24) days] / 24, and floor(s / 24) and
            floor((s - t) / 24) differ by at most ceil(t / 24). If several documents have one shift,
            dates alone move by k days in all of them: whole days cost epsilon each, and r hours
            more cost delta = r / 24, since a date alone shows k. Without a label of times, each
            date moves by k days, whatever its time: days cost as those of dates alone
Adjacency   Documents of one layout: the same text outside of dates, and dates of the same forms.
            Without a label of times, their times of day are the same too. No
            form depends on a value: the setting and the separators decide zeros, the length of
            month names and the order of day and month (see dates). Dates count as they are read: a
            two-digit year is in a calendar where 00 follows 99; a day without a year is the one
            nearest to the date before it, or in a year of 365 days if no date has a year; weeks,
            months, ..., decades are counted from the date before them (see Timeline)
            Numeric dates are read in the order of the setting or, if one of them does not fit it
            (also by its weekday, see date_order) and all fit another order, in that order. The
            order is a part of the layout: documents that are read in different orders are not
            adjacent
Visible     the days between two dates of a document, the form of each date, that a holiday is named
            (each becomes "a holiday"), minutes, ages up to 89, whether a date implies an age over
            89 (it becomes "1933 or earlier"), and words that are relative to a date. Without a
            label of times: times of day
Papers      Ghosh, Roughgarden, Sundararajan 2009 (geometric); Chatzikokolakis et al. 2013 (metrics)
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date
from fractions import Fraction
from functools import cached_property, partial
from math import tanh

from ..entities.tables import TOP_AGE, date_words, pattern
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import below, discrete_laplace
from ..registries import registry
from ..text.language import ORDERS
from ..validate import fail, one_of, positive, whole
from .base import Draws, Mention, Scope, Stream
from .calendar import (
    CENTURY,
    DAY_HOURS,
    DECADE,
    MONTH,
    YMD,
    Anchor,
    Clock,
    Days,
    Loose,
    NoDate,
    Period,
    Weekday,
    number_days,
)
from .date_order import has_numeric, order_of
from .dated_times import bind_times
from .dates import Piece, cap_ages, read

ONE_SHIFT = "one-shift"
# For each scope: the texts whose dates move by one shift, and what this makes visible.
SCOPES: dict[str, tuple[str, tuple[str, ...]]] = {
    "document": ("documents", ()),
    "corpus": (
        "users (or documents that name none), in all documents",
        ("which documents are of one user, where that is named: their dates move together",),
    ),
    ONE_SHIFT: (
        "corpora, in all documents",
        ("the days between any two dates of the corpus: all documents move by one shift",),
    ),
}
DAYS_BETWEEN = "the days between the dates of a document, and the form that each is written in"
BESIDE_DATES = "ages up to 89, and words that are relative to a date or a time"
HIDDEN = "that a holiday is named, and that a date implies an age over 89; neither which nor when"

ORDER_SHOWN = (
    "which order of day and month numeric dates are read in: that a day is above 12, or that a "
    "weekday or a day in words beside a date fits this order only, where the setting"
)
ORDER_SETTINGS = {"auto": "mdy (English) or dmy"}
PARTS_OF_TIMES = "minutes of times, offsets of time zones"
WITHOUT_TIMES = "times of day, also those with a date: no label of times is replaced with the dates"
_OF_TIMES = re.compile(r"time?\Z", re.IGNORECASE)
IN_WEEKS = "days of the week"
TIMES_IN_WEEKS = "all times of a document in which a time has a date"


@registry.dx_surrogates("dx.DateShift.v1")
def make_date_shift(
    epsilon: float | None = None,
    window: int | None = None,
    weeks: bool = False,
    order: str = "mdy",
    scope: str = "document",
    key: str | None = None,
) -> DateShift:
    """Make a surrogate that moves dates and times.

    Args:
        epsilon: Nats per day, above 0. Without epsilon and window it is 0.01, which shifts dates by
            100 days on average.
        window: Instead of epsilon: the largest number of days of a uniform shift.
        weeks: Shift by whole weeks, so that days of the week stay correct.
        order: "mdy", "dmy" or "ymd" (19/03/04), how numeric dates are read if those of a document
            fit it; "auto" is "mdy" in English and "dmy" in other languages.
        scope: "document"; "corpus", one shift for each user (see Draws.user) and for each
            document without a user; or "one-shift", the same shift for all documents of the key.
        key: Path of the key file, required with "corpus" and "one-shift".

    Raises:
        DxError: A setting is out of range.
    """
    if epsilon is not None and window is not None:
        raise fail("window", "left out with epsilon: each sets a distribution of the shift", window)
    if window is not None:
        whole("window", window, least=7 if weeks else 1)
        epsilon = 0.0
    else:
        epsilon = positive("epsilon", 0.01 if epsilon is None else epsilon)
    one_of("scope", scope, tuple(SCOPES))
    one_of("order", order, (*ORDERS, "auto"))
    by_key = Scope("corpus" if scope == ONE_SHIFT else scope, key)
    return DateShift(epsilon, window, 7 if weeks else 1, order, by_key, scope)


@dataclasses.dataclass(frozen=True)
class DateShift:
    """See make_date_shift. step: the shift is a multiple of it, in days. moves: key of SCOPES.
    times: whether times of day move; set by for_labels."""

    epsilon: float
    window: int | None
    step: int
    order: str
    scope: Scope
    moves: str
    times: bool = True

    name = "dx.DateShift.v1"
    way = "drawn"
    chance = 1.0  # for a year, which is unchanged if its anchor date stays within the year

    @cached_property
    def in_clear(self) -> tuple[str, ...]:
        """Descriptions of what is visible of a mention, for the receipt."""
        order = f"{ORDER_SHOWN} {ORDER_SETTINGS.get(self.order, self.order)} does not fit"
        weeks = (IN_WEEKS + f", and {TIMES_IN_WEEKS}" * self.times,) * (self.step == 7)
        times = (f"{PARTS_OF_TIMES}, {BESIDE_DATES}",)
        beside = times if self.times else (WITHOUT_TIMES, BESIDE_DATES)
        return (DAYS_BETWEEN, *beside, HIDDEN, order, *weeks, *SCOPES[self.moves][1])

    @cached_property
    def guarantee(self) -> Guarantee:
        """The guarantee of the drawn text, given what is visible."""
        delta, notes, stays = 0.0, self._note_on_hours, tanh(self.epsilon * self.step / 2)
        if self.window is not None:
            steps = 2 * (self.window // self.step) + 1
            delta = stays = 1 / steps
            notes += f"delta is that of one step apart; d steps apart it is d / {steps}. "
        clocks = (
            "times without a date that are all earlier or later by the same number of hours "
            "(epsilon 0) and dates, as they are read (docs/how-to/entities.md), by"
            if self.times
            else "the same times of day, and dates, as they are read (docs/how-to/entities.md), "
            "that are all earlier or later by"
        )
        adjacency = (
            f"{SCOPES[self.moves][0]} of one layout and order of day and month, with {clocks} the "
            f"same number of {'whole weeks' if self.step == 7 else 'days'}"
        )
        return Guarantee(
            "approx-dp" if delta else "metric-dp",
            self.epsilon,
            delta,
            metric="days",
            adjacency=adjacency,
            status="proven" if self.scope.key is None else "claimed",
            source="a uniform shift" if delta else "Ghosh, Roughgarden, Sundararajan 2009",
            notes=f"{notes}A day is unchanged with probability {stays:.4f}.",
        )

    @property
    def _note_on_hours(self) -> str:
        """What the guarantee is worth where a time has a date."""
        if not self.times:
            return ""
        if self.step == 7:
            return "A time with a date stays on its hour. "
        if self.moves != "document":
            return (
                "Times with a date are earlier or later by whole days; r hours more or less, up to "
                "24, cost delta = r / 24. "
            )
        cost = "t / 24 of the delta" if self.window is not None else "epsilon ceil(t / 24)"
        return (
            f"If times have dates, t hours between all times cost {cost}, where dates alone are as "
            "many days apart as the first time with a date. "
        )

    def for_labels(self, labels: Collection[str]) -> DateShift:
        """Return the shift that replaces these labels. Without one of times (TIME, DATE_TIME, tim)
        a time alone stays, so those with a date stay too: the time from one to the other stays."""
        times = any(_OF_TIMES.search(label) for label in labels)
        return dataclasses.replace(self, times=times)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Move each mention. A mention that is no date, and not relative to one, becomes [DATE]."""
        user = "" if self.moves == ONE_SHIFT else draws.user
        shared = self.moves == ONE_SHIFT or user
        stream = self.scope.stream(draws, "dates", user) if shared else draws.rng
        days, hours = self.shift(stream), below(DAY_HOURS, stream)
        order = draws.order or self.order
        if order == "auto":
            order = "mdy" if draws.language == "en" else "dmy"
        timeline = Timeline(
            mentions, order, draws.language, is_one_shift=bool(shared), times=self.times
        )
        draws.read_order = timeline.order or draws.read_order
        # An hour over midnight would change days of the week, which `weeks` keeps.
        return timeline.move(days, 0 if self.step == 7 and timeline.has_dated_times else hours)

    def shift(self, stream: Stream) -> int:
        """Sample a shift, in days."""
        if self.window is None:
            return self.step * discrete_laplace(Fraction(self.epsilon) * self.step, stream)
        limit = self.window // self.step
        return self.step * (below(2 * limit + 1, stream) - limit)


# -- the dates of a document -----------------------------------------------------------------------

HIDDEN_DATE = "[DATE]"
# Ninety years have 32,871 days or more, as one or two of them may lack a leap day. A comparison
# counts a period as one of its lengths longer ago than it may be, and a day as two days longer ago.
TOP_DAYS = 32_871 + 2
_HUNDRED_YEARS = 36_525
Dated = Days | Period
_TOKEN = re.compile(r"\w[\w.'’-]*|\S")


class Timeline:
    """The dates and times of a document, numbered on one line of days.

    The output of `move` depends on a day only through the sum of its number and the shift, both in
    hours: a day with a time counts from the hour of that time (see dated_times). A day without one
    counts from the hour of the first time of the document that has a date.
    Everything else that it depends on is equal in documents whose dates differ by a constant number
    of days: the layout and the distances between dates. The distance of two days is in days. The
    distance of a week, month, ... or decade is in weeks, months, ... from its anchor: the last day
    before it in the text, or else the first day after it.

    Attributes:
        order: The one of ORDERS in which numeric dates are read; "" if there are none, and if they
            fit no order.

    Args:
        mentions: Mentions in the order of the text.
        order: One of ORDERS, how 03/04/19 is read, if all numeric dates of the document fit it.
            Otherwise all are read in the first other order that they fit, or none (date_order).
            Dates without a year count only if no date has a year: 24/7 may be something else.
        language: Language of the document.
        is_one_shift: Whether other documents move by the same shift. Then a day without a time
            counts from midnight, since it must move alike in all of them.
        times: Whether times of day move. Else they stay as they are written, and every day counts
            from midnight, so that hours move nothing.
    """

    def __init__(
        self,
        mentions: Sequence[Mention],
        order: str,
        language: str = "en",
        *,
        is_one_shift: bool = False,
        times: bool = True,
    ) -> None:
        # The order depends on which dates fit which order, so on their values: the order of the
        # output shows that a day is above 12 (as [DATE] in its place would), or that a weekday fits
        # one order only, and DateShift.in_clear states this. The guarantee conditions on the order,
        # as a part of the layout: if two documents are read in the same order, each date is
        # numbered by the same function of its text, and written by the same function of its number
        # and the shift. So documents whose dates, as read, are d days apart have output
        # probabilities within a factor exp(epsilon d). Two documents that are read in different
        # orders are not adjacent.
        self._mentions, self._language = mentions, language
        order = order_of(mentions, order, language)
        self.order = order if has_numeric(mentions) else ""
        self._pieces = [_read(mention, order, language) for mention in mentions]
        if not times:
            self._pieces = [[_without_time(p) for p in pieces] for pieces in self._pieces]
        self._bind_times(is_one_shift)
        # First days with a year, then days without a year beside them, then days without a month.
        self._number_days(lambda piece: piece.has_year, [])
        self._number_days(lambda piece: piece.days[0].month is not None, self._anchors())
        self._number_days(lambda piece: True, self._anchors() or self._finest_period())
        anchors = self._anchors() or self._finest_period()
        for at, piece in self._numbered_pieces():
            if isinstance(piece, Period):
                piece.anchor = _nearest(at, anchors)
        self._hide_old()

    def move(self, days: int, hours: int) -> list[str | None]:
        """Return a text for each mention, moved by days and hours: [DATE] if it cannot be moved,
        None if it is unchanged."""
        shift = DAY_HOURS * days + hours
        texts: list[str | None] = []
        for mention, pieces in zip(self._mentions, self._pieces, strict=True):
            try:
                moved = [p if isinstance(p, str) else p.moved(shift) for p in pieces]
                text = "".join(moved) or HIDDEN_DATE
            except NoDate:
                text = HIDDEN_DATE
            stays = bool(pieces) and all(isinstance(piece, str) for piece in pieces)
            texts.append(None if stays and text == mention.text else text)
        return texts

    def _bind_times(self, is_one_shift: bool) -> None:
        """Set the hours that days count from."""
        first = bind_times(self._mentions, self._pieces)
        self.has_dated_times = first is not None
        if first is None or is_one_shift:
            return
        for _, piece in self._numbered_pieces():
            if isinstance(piece, Days | Weekday) and piece.hour is None:
                piece.hour = first % DAY_HOURS

    def _numbered_pieces(self) -> Iterator[tuple[int, Piece]]:
        """Yield (place in the text, piece) for all pieces."""
        return enumerate(piece for pieces in self._pieces for piece in pieces)

    def _number_days(
        self, chosen: Callable[[Days], bool], anchors: list[tuple[int, Anchor]]
    ) -> None:
        """Number the chosen days. A mention with a day that does not exist becomes [DATE]."""
        at = -1
        for i, pieces in enumerate(self._pieces):
            for piece in pieces:
                at += 1
                if isinstance(piece, Days) and piece.anchor is None and chosen(piece):
                    anchor = _nearest(at, anchors)
                    try:
                        if anchor or piece.days[0].month is not None:
                            piece.anchor = number_days(piece.days, anchor)._replace(
                                hour=piece.hour or 0
                            )
                    except NoDate:
                        self._pieces[i] = [HIDDEN_DATE, *[""] * (len(pieces) - 1)]

    def _anchors(self) -> list[tuple[int, Anchor]]:
        """Return (place in the text, anchor) for the days that are numbered already."""
        days = [(at, piece) for at, piece in self._numbered_pieces() if isinstance(piece, Days)]
        return [(at, piece.anchor) for at, piece in days if piece.anchor is not None]

    def _finest_period(self) -> list[tuple[int, Anchor]]:
        """Return the middle of the shortest period as an anchor, for a document without days."""
        periods = [(at, p) for at, p in self._numbered_pieces() if isinstance(p, Period)]
        if not periods:
            return []
        at, finest = min(periods, key=lambda placed: placed[1].unit.length)
        if finest.unit.length == 7:
            return [(at, Anchor(finest.calendar, 7 * finest.index - 2))]  # Thursday
        day = 15 if finest.unit is MONTH else 2
        number = finest.calendar.number(*finest.unit.middle(finest.index), day)
        return [(at, Anchor(finest.calendar, number))]

    def _hide_old(self) -> None:
        """Replace dates 90 years or more before the last date of the document, and dates of birth
        90 years or more ago."""
        dated = list(self._dated_pieces())
        references = [piece for piece, is_birth in dated if not is_birth]
        earlier = date_words(self._language).earlier
        by_end = sorted((piece for piece, _ in dated), key=lambda piece: piece.span[1])
        latest = {piece.line: piece for piece in by_end}
        hidden: dict[int, Piece] = {}
        for piece, is_birth in dated:
            last = latest[piece.line]
            if piece.length == DECADE.length and not is_birth:
                continue
            days = last.span[1] - piece.span[0] + max(piece.length, last.length)
            if piece.line[1] and days >= TOP_DAYS:
                hidden[id(piece)] = Loose(partial(_year_of_birth, last, earlier))
            elif is_birth and _is_long_ago(piece, references):
                today = f"{date.today().year - TOP_AGE} {earlier}"
                hidden[id(piece)] = HIDDEN_DATE if references or not piece.line[1] else today
        self._pieces = [[hidden.get(id(p), p) for p in pieces] for pieces in self._pieces]

    def _dated_pieces(self) -> Iterator[tuple[Dated, bool]]:
        """Yield each piece with a year, and whether it is a date of birth."""
        for mention, pieces in zip(self._mentions, self._pieces, strict=True):
            before = pattern("BIRTH_BEFORE").search(_lead(mention))
            is_birth = mention.label.upper() == "DOB" or before is not None
            for piece in pieces:
                if isinstance(piece, Days | Period) and piece.has_year:
                    yield piece, is_birth


def _year_of_birth(last: Dated, earlier: str, shift: int) -> str:
    """Return the year of birth of a person aged 90 at the shifted last date of the document."""
    return f"{last.end(shift)[0] - TOP_AGE} {earlier}"


def _is_long_ago(birth: Dated, references: Sequence[Dated]) -> bool:
    """Return whether a birth is 90 years before another date, if either shows two digits of its
    year, or before today, if the document has no other date."""
    today, is_whole = date.today(), birth.line[1]
    if is_whole and not references:
        return (today - date(2000, 1, 1)).days - birth.span[0] + birth.length >= TOP_DAYS
    ends = [piece.end(0) for piece in references if not (is_whole and piece.line == birth.line)]
    if not references:
        ends = [(today.year, today.month, min(today.day, 28))]
    born = _day_of_century(birth.end(0))
    days = [(_day_of_century(end) - born) % _HUNDRED_YEARS for end in ends]
    return any(between + birth.length >= TOP_DAYS for between in days)


def _day_of_century(day: YMD) -> int:
    """Return the number of a day in CENTURY, by the last two digits of its year."""
    return CENTURY.number(2000 + day[0] % 100, *day[1:])


def evident_order(mentions: Sequence[Mention], language: str = "en") -> str:
    """Return the order that the numeric dates of mentions require; "" if they fit several orders
    or none."""
    # A date with four digits of the year at its end fits "ymd" too, which is of other dates.
    possible = {order_of(mentions, order, language) for order in ("mdy", "dmy")}
    return possible.pop() if len(possible) == 1 else ""


def _read(mention: Mention, order: str, language: str) -> list[Piece]:
    """Return the pieces of a mention, an empty list if it cannot be read."""
    lead = _lead(mention)
    age = pattern("AGE_ALONE").fullmatch(mention.text)
    if age and _is_age(mention.label, age[1], lead):
        number, unit = age.groups()
        return [(cap_ages(number) if number[0].isdigit() else "ninety") + unit]
    try:
        is_time = _OF_TIMES.search(mention.label) is not None
        before, after = _TOKEN.findall(lead), _TOKEN.findall(mention.tail.lower())
        return read(mention.text, order, language, before, after, is_time=is_time)
    except NoDate:
        return []


def _is_age(label: str, number: str, lead: str) -> bool:
    """Return whether a bare number is an age: by its label, the words before it, or as a word."""
    if label.upper() == "AGE" or number[0].isalpha() or pattern("AGE_BEFORE").search(lead):
        return True
    if len(number) < 3 and pattern("BESIDE_NAME").search(lead):
        return True
    old = all(int(age) >= TOP_AGE for age in re.findall(r"\d+", number))
    return old and pattern("OLD_BEFORE").search(lead) is not None


def _without_time(piece: Piece) -> Piece:
    """Return a piece, a time of day as it is written."""
    return piece.text if isinstance(piece, Clock | Loose) else piece


def _lead(mention: Mention) -> str:
    return (mention.lead or mention.before).lower()


def _nearest(at: int, anchors: list[tuple[int, Anchor]]) -> Anchor | None:
    """Return the last anchor before a place in the text, or the first anchor after it."""
    before = bisect_left(anchors, at, key=lambda placed: placed[0])
    return anchors[max(before - 1, 0)][1] if anchors else None
