r"""Dates and times of a document, moved by one shift (dx.DateShift.v1).

Law         epsilon: P[shift of k days] = exp(-epsilon |k|) (e^epsilon - 1) / (e^epsilon + 1), drawn
            in whole numbers; weeks: of k weeks, at 7 epsilon. window: uniform from -window to
            window days. Hours of the day move by one number of hours of its own, uniform over 24
Guarantee   epsilon: epsilon nats for each day by which all dates of one document are earlier or
            later than those of another (metric-dp). window: delta = d / (2 window + 1) at
            epsilon 0 for documents whose dates are d days apart: all is revealed beyond the window.
            Times: epsilon 0 for documents whose hours are all so many hours apart
Adjacency   Documents of one layout: the same text beside their dates, and dates of the same forms.
            No form follows a value: zeros, the length of names of months and the order of day and
            month are those of the setting and the separators (see date_forms). Dates are as they
            are read: two digits of a year in a calendar where 00 follows 99; a day without a year
            the nearest one to the date before it, or of 365 days where no date has a year; weeks,
            months, ..., decades so many of them from the date before (see timeline)
Plaintext   how many days lie between two dates of a document, the form of each date, that a holiday
            is named (all become "a holiday"), minutes, ages up to 89, whether a date implies an age
            over 89 (it becomes "1933 or earlier"), and words that are relative to a date
Papers      Ghosh, Roughgarden, Sundararajan 2009 (geometric); Chatzikokolakis et al. 2013 (metrics)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp

from ...privacy.guarantee import Guarantee
from ...registries import registry
from ...validate import fail, one_of, positive, whole
from .base import Draws, Mention, Scope, Stream, below, geometric
from .timeline import Timeline

ORDERS = ("mdy", "dmy")
ONE_SHIFT = "one-shift"
MOVED = {
    "document": "documents",
    "user": "users (or documents that name none), in all documents",
    "corpus": "corpora, in all documents",
}
SHARED: dict[str, tuple[str, ...]] = {
    "document": (),
    "user": ("which documents are of one user, where that is named: their dates move together",),
    "corpus": ("the days between any two dates of the corpus: all documents move by one shift",),
}
IN_CLEAR = (
    "the days between the dates of a document, and the form that each is written in",
    "minutes of times, ages up to 89, and words that are relative to a date or a time",
    "that a holiday is named, and that a date implies an age over 89; neither which nor when",
)


@registry.dx_surrogates("dx.DateShift.v1")
def make_date_shift(
    epsilon: float | None = None,
    window: int | None = None,
    weeks: bool = False,
    order: str = "mdy",
    scope: str = "document",
    key: str | None = None,
) -> DateShift:
    """epsilon: nats per day, above 0; 0.01 where neither it nor window is given, a shift of 100
    days on the average. window: in its place, the most days of a uniform shift. weeks: shift by
    whole weeks, so that days of the week stay true. order: "mdy" or "dmy", how 03/04/2019 is read
    where it can be both. scope: "document"; with the file of a key "corpus", one shift for each
    user (see Draws.user), drawn anew for each document without one; or "one-shift", the same for
    all documents of the key. Raises DxError for settings out of range."""
    if epsilon is not None and window is not None:
        raise fail("window", "left out with epsilon: they are two laws of the shift", window)
    if window is not None:
        whole("window", window, least=7 if weeks else 1)
    rate = None if window is not None else positive("epsilon", 0.01 if epsilon is None else epsilon)
    one_of("scope", scope, ("document", "corpus", ONE_SHIFT))
    one_of("order", order, ORDERS)
    by_key = Scope("corpus" if scope == ONE_SHIFT else scope, key)
    return DateShift(rate, window, bool(weeks), order, by_key, scope == ONE_SHIFT)


@dataclass(frozen=True)
class DateShift:
    """See make_date_shift."""

    epsilon: float | None
    window: int | None
    weeks: bool
    order: str
    scope: Scope
    one_shift: bool = False

    name = "dx.DateShift.v1"
    way = "drawn"
    chance = 1.0  # of a year, which stays where the date beside it stays within its year

    @property
    def in_clear(self) -> tuple[str, ...]:
        """What of a mention is visible, for the receipt."""
        week = ("days of the week",) * self.weeks
        return IN_CLEAR + week + SHARED[self._moves]

    @property
    def days_stay(self) -> float:
        """The probability of a shift of no day."""
        step = 7 if self.weeks else 1
        if self.window is not None:
            return 1 / (2 * (self.window // step) + 1)
        rate = exp(-self._rate * step)
        return (1 - rate) / (1 + rate)

    @property
    def _moves(self) -> str:
        """What moves by one shift."""
        if self.one_shift:
            return "corpus"
        return "user" if self.scope.reach == "corpus" else "document"

    @property
    def _rate(self) -> float:
        return float(self.epsilon or 0)

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        keyed = self.scope.reach == "corpus"
        stay = f"A day stays with a probability of {self.days_stay:.4f}."
        step = "whole weeks" if self.weeks else "days"
        alike = (
            f"{MOVED[self._moves]} of one layout, with times that are all earlier or later by the "
            "same number of hours (epsilon 0) and dates, as they are read "
            f"(docs/how-to/entities.md), by the same number of {step}"
        )
        uniform = self.window is not None
        steps = 2 * ((self.window or 0) // (7 if self.weeks else 1)) + 1
        told = f"delta is that of one step apart; d steps apart it is d / {steps}. " * uniform
        return Guarantee(
            "approx-dp" if uniform else "metric-dp",
            self._rate,
            1 / steps if uniform else 0.0,
            metric="days",
            adjacency=alike,
            status="claimed" if keyed else "proven",
            source="a uniform shift" if uniform else "Ghosh, Roughgarden, Sundararajan 2009",
            notes=told + stay,
        )

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Each mention, moved. What is no date and not relative to one becomes [DATE]."""
        if not mentions:
            return []
        by_key = self.one_shift or (draws.user and self.scope.key is not None)
        user = "" if self.one_shift else draws.user
        stream = self.scope.stream(draws, "dates", user) if by_key else draws.fresh()
        return self.move_all(mentions, self.shift(stream), below(24, stream))

    def move_all(self, mentions: Sequence[Mention], days: int, hours: int) -> list[str | None]:
        """Return what `replace` gives for one shift, which is all that it draws.

        Args:
            mentions: Those of one document, in the order of the text.
            days: By which dates move.
            hours: By which times move.

        Returns:
            As many texts; None for a mention that stays.
        """
        return Timeline(mentions, self.order).move(days, hours)

    def shift(self, stream: Stream) -> int:
        """Days, by the law above."""
        step = 7 if self.weeks else 1
        if self.window is None:
            return step * geometric(Fraction(self._rate) * step, stream)
        most = self.window // step
        return step * (below(2 * most + 1, stream) - most)
