r"""Numbers drawn near their value (dx.Number.v1).

Law         dx.Numbers.v1, of each number of the mention: "relative", Laplace noise on the
            logarithm; "absolute", two-sided geometric noise in steps of the last decimal shown
Guarantee   epsilon nats per unit of its metric for each number; in clear are the sign, the
            decimals, the words beside the number, and how it is written
Fallback    numbers of more than 15 digits, and of other scripts, have their digits drawn anew:
            epsilon 0 for what is drawn
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..doc.numbers import IN_CLEAR, Numbers, make_numbers
from ..doc.numerals import read_numeral
from ..guarantee import Guarantee
from ..registries import registry
from .base import Mention
from .digits import redrawn
from .streams import Draws

_DIGITS = re.compile(r"\d[\d.,]*\d|\d")


@registry.dx_surrogates("dx.Number.v1")
def make_number(
    epsilon: float = 10.0,
    scale: str = "relative",
    unit: float = 1.0,
    low: float = 0.0,
    high: float | None = None,
) -> Number:
    """The settings of dx.Numbers.v1: epsilon, nats per unit of the metric; scale "relative" or
    "absolute"; unit, of "absolute"; low and high, public bounds of what comes out. Every mention is
    drawn by itself."""
    return Number(make_numbers(epsilon, scale, unit, low, high))


@dataclass(frozen=True)
class Number:
    """See make_number."""

    numbers: Numbers

    name = "dx.Number.v1"
    way = "drawn"
    chance = 1.0  # small whole numbers mostly stay, as the metric promises
    in_clear = (*IN_CLEAR, "the words beside numbers, and numbers that are written as words")

    @property
    def guarantee(self) -> Guarantee:
        """Of what is drawn, given what is in clear."""
        return self.numbers.guarantee

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Each number of each mention, drawn by itself."""

        def one(found: re.Match[str]) -> str:
            text = found[0]
            if read_numeral(text) is None:
                return redrawn(text, draws.fresh(), lead=text[:1] != "0")
            return self.numbers.replace([text], draws.rng)[0]

        texts = [mention.text for mention in mentions]
        return [_DIGITS.sub(one, text) if _DIGITS.search(text) else None for text in texts]
