r"""Dates and times of a document, moved by one shift (dx.DateShift.v1).

Density     epsilon: P[shift of k days] = exp(-epsilon |k|) (e^epsilon - 1) / (e^epsilon + 1), in
            integer arithmetic; weeks: k weeks at 7 epsilon. window: uniform from -window to window
            days. Times of day move by a separate number of hours, uniform over 24
Guarantee   epsilon: epsilon nats for each day by which all dates of one document are earlier or
            later than those of another (metric-dp). window: delta = d / (2 window + 1) at epsilon 0
            for documents whose dates are d days apart: beyond the window everything is revealed.
            Times: epsilon 0 for documents whose times all differ by the same number of hours
Adjacency   Documents of one layout: the same text outside of dates, and dates of the same forms. No
            form depends on a value: the setting and the separators decide zeros, the length of
            month names and the order of day and month (see dates). Dates count as they are read: a
            two-digit year is in a calendar where 00 follows 99; a day without a year is the one
            nearest to the date before it, or in a year of 365 days if no date has a year; weeks,
            months, ..., decades are counted from the date before them (see timeline)
            Numeric dates are read in the order of the setting or, if one of them does not fit it
            and all fit the other order, in the other order. The order is a part of the layout:
            documents that are read in different orders are not adjacent
Plaintext   the days between two dates of a document, the form of each date, that a holiday is named
            (each becomes "a holiday"), minutes, ages up to 89, whether a date implies an age over
            89 (it becomes "1933 or earlier"), and words that are relative to a date
Papers      Ghosh, Roughgarden, Sundararajan 2009 (geometric); Chatzikokolakis et al. 2013 (metrics)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import tanh

from ...privacy.guarantee import Guarantee
from ...privacy.randomness import below, geometric
from ...registries import registry
from ...validate import fail, one_of, positive, whole
from .base import Draws, Mention, Scope, Stream
from .timeline import Timeline

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
IN_CLEAR = (
    "the days between the dates of a document, and the form that each is written in",
    "minutes of times, ages up to 89, and words that are relative to a date or a time",
    "which order of day and month numeric dates are read in: that a day is above 12, where the "
    "setting does not fit them",
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
    """Make a surrogate that moves dates and times.

    Args:
        epsilon: Nats per day, above 0. Without epsilon and window it is 0.01, which shifts dates by
            100 days on average.
        window: Instead of epsilon: the largest number of days of a uniform shift.
        weeks: Shift by whole weeks, so that days of the week stay correct.
        order: "mdy" or "dmy", how 03/04/2019 is read if the numeric dates of a document fit both;
            "auto" is "mdy" in English and "dmy" in other languages.
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
    one_of("order", order, ("mdy", "dmy", "auto"))
    by_key = Scope("corpus" if scope == ONE_SHIFT else scope, key)
    return DateShift(epsilon, window, 7 if weeks else 1, order, by_key, scope)


@dataclass(frozen=True)
class DateShift:
    """See make_date_shift. step: the shift is a multiple of it, in days. moves: key of SCOPES."""

    epsilon: float
    window: int | None
    step: int
    order: str
    scope: Scope
    moves: str

    name = "dx.DateShift.v1"
    way = "drawn"
    chance = 1.0  # for a year, which is unchanged if its anchor date stays within the year

    @cached_property
    def in_clear(self) -> tuple[str, ...]:
        """Descriptions of what is visible of a mention, for the receipt."""
        return IN_CLEAR + ("days of the week",) * (self.step == 7) + SCOPES[self.moves][1]

    @cached_property
    def guarantee(self) -> Guarantee:
        """The guarantee of the drawn text, given the parts in plaintext."""
        delta, notes, stays = 0.0, "", tanh(self.epsilon * self.step / 2)
        if self.window is not None:
            steps = 2 * (self.window // self.step) + 1
            delta = stays = 1 / steps
            notes = f"delta is that of one step apart; d steps apart it is d / {steps}. "
        adjacency = (
            f"{SCOPES[self.moves][0]} of one layout and order of day and month, with times that "
            "are all earlier or later by the same number of hours (epsilon 0) and dates, as they "
            "are read (docs/how-to/entities.md), by the same number of "
            f"{'whole weeks' if self.step == 7 else 'days'}"
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

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Move each mention. A mention that is no date, and not relative to one, becomes [DATE]."""
        user = "" if self.moves == ONE_SHIFT else draws.user
        shared = self.moves == ONE_SHIFT or user
        stream = self.scope.stream(draws, "dates", user) if shared else draws.rng
        days, hours = self.shift(stream), below(24, stream)
        order = draws.order or self.order
        if order == "auto":
            order = "mdy" if draws.language == "en" else "dmy"
        return Timeline(mentions, order, draws.language).move(days, hours)

    def shift(self, stream: Stream) -> int:
        """Sample a shift, in days."""
        if self.window is None:
            return self.step * geometric(Fraction(self.epsilon) * self.step, stream)
        limit = self.window // self.step
        return self.step * (below(2 * limit + 1, stream) - limit)
