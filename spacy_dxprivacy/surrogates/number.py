r"""Numbers sampled near their value (dx.Number.v1).

"relative"  ln(1 + v) plus two-sided geometric noise in steps of 2^-40; metric
            |ln((1 + v) / (1 + w))|
"absolute"  v plus the same noise in steps of the last visible decimal; metric |v - w| / unit
Noise       P[k steps] proportional to exp(-epsilon |k| step), sampled in integer arithmetic
Guarantee   epsilon nats per unit of the metric (metric-dp), for numbers of any value in the same
            text, with the same sign, decimals and percent sign. Each number of a mention such as
            120/80 is sampled separately; distances of mentions are the sums over their numbers.
            Rounding to the visible decimals, bounds, and the written form are post-processing.
            "relative" rounds the logarithm to a step first: at most epsilon 10^-12 more
Form        A public ASCII pattern decides whether a text is a number; the value never does. The
            value does not decide the written form either: commas and leading zeros are dropped,
            .5 becomes 0.5. Digits that do not form a number (1.2.3, other scripts) are sampled
            uniformly
Papers      Ghosh, Roughgarden, Sundararajan 2009 (geometric); Chatzikokolakis et al. 2013
            (metrics); Canonne, Kamath, Steinke 2020 (algorithm 2: no floating point)
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from spacy.tokens import Doc

from ..arrays import Bools1d
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng, discrete_laplace
from ..registries import registry
from ..validate import fail, one_of, positive
from .base import Draws, Mention
from .codes import redraw
from .dates import ordinal

SCALES = ("relative", "absolute")
MAX_NUMBER = 10**15 - 1  # float64 represents every whole number up to it exactly
MAX_LOG = math.log(MAX_NUMBER) + 1  # beyond it every number becomes the largest number
LOG_STEPS = 2**40  # steps per unit of the logarithm
_VALUE = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{1,15})?|\.\d{1,15}"
_PLAIN_NUMBER = re.compile(_VALUE, re.ASCII)
_TOKEN = re.compile(rf"[+-]?(?:{_VALUE})(?:/(?:{_VALUE}))?%?", re.ASCII)
# Dates, telephone numbers and the like, which may span several tokens: groups of digits joined by
# hyphens, slashes or points.
_GROUPS = re.compile(r"(?<!\d)\d+([-/.])\d+(?:\1\d+)+(?!\d)", re.ASCII)
_DIGITS = re.compile(r"((?:(?<![\w.,])\.)?\d(?:[\d.,]*\d)?)((?:st|nd|rd|th)\b)?", re.I)


@registry.dx_surrogates("dx.Number.v1")
def make_number(
    epsilon: float = 10.0,
    scale: str = "relative",
    unit: float = 1.0,
    low: float = 0.0,
    high: float | None = None,
) -> Number:
    """Make a surrogate for the numbers of a label or, as setting `numbers`, for all number tokens.

    Args:
        epsilon: Nats per unit of the metric, above 0. With "relative", 10 moves a number by a tenth
            of its value on average; with "absolute", a number moves by unit / epsilon.
        scale: "relative" or "absolute".
        unit: Only with "absolute": the difference of two numbers at distance 1.
        low: Public lower bound of the output without its sign, 0 or more.
        high: Public upper bound, or None.

    Raises:
        DxError: A setting is out of range.
    """
    one_of("scale", scale, SCALES)
    if scale == "relative" and unit != 1.0:
        raise fail("unit", 'left out with scale = "relative", which has none', unit)
    least = 0.0 if low == 0 and not isinstance(low, bool) else positive("low", low)
    largest = math.inf if high is None else positive("high", high)
    if largest < least:
        raise fail("high", f"{least:g} (low) or more", high)
    return Number(positive("epsilon", epsilon), scale, positive("unit", unit), least, largest)


@dataclass(frozen=True)
class Number:
    """See make_number. It needs no space."""

    epsilon: float
    scale: str
    unit: float
    low: float
    high: float

    name = "dx.Number.v1"
    way = "drawn"
    chance = 1.0  # small whole numbers are mostly unchanged, as the metric promises
    in_clear = (
        "which words are numbers in digits, and numbers that are written as words",
        "the sign, the number of decimals, the percent sign, and the words beside numbers",
    )

    @cached_property
    def guarantee(self) -> Guarantee:
        """The guarantee for one number."""
        relative = self.scale == "relative"
        distance = "|ln((1 + v) / (1 + w))|" if relative else f"|v - w| / {self.unit:g}"
        return Guarantee(
            "metric-dp",
            self.epsilon,
            metric=self.scale,
            adjacency="numbers of any value with the same sign, decimals and percent sign, in "
            "texts whose other words and marks are the same",
            status="proven",
            source="Ghosh et al. 2009 (two-sided geometric); Chatzikokolakis et al. 2013",
            notes=f"The distance of two numbers is {distance}; of pairs as 120/80, the sum. "
            f"Numbers above {MAX_NUMBER:.0e} count as that one.",
        )

    def find(self, doc: Doc) -> Bools1d:
        """Find the tokens that are numbers or pairs of numbers (120/80), with or without a sign and
        "%", except in three or more joined groups of digits (2008-07-29).

        Returns:
            A mask of the tokens, bool, shape (n_tokens,).
        """
        mask = np.array([_TOKEN.fullmatch(token.text) is not None for token in doc], dtype=bool)
        if mask.any():
            begins = np.array([token.idx for token in doc])
            for match in _GROUPS.finditer(doc.text):
                mask[slice(*np.searchsorted(begins, match.span()))] = False
        return mask

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Sample each number of each mention separately; a mention without a number stays."""

        def resample(match: re.Match[str]) -> str:
            text, ending = match.groups()
            if _PLAIN_NUMBER.fullmatch(text) is None:
                return redraw(text, draws.rng) + (ending or "")
            digits, _, decimals = text.replace(",", "").partition(".")
            digits, size = digits.lstrip("0"), 10 ** len(decimals)
            # A larger number counts as MAX_NUMBER, which increases no distance of two numbers.
            value = int(f"0{digits}{decimals}") if len(digits) <= len(str(MAX_NUMBER)) else math.inf
            steps = self._draw(int(min(value, MAX_NUMBER * size)), size, draws.rng)
            integer, part = divmod(steps, size)
            point = f".{part:0{len(decimals)}d}" if decimals else ""
            # The ending of the original would reveal its last digit.
            return f"{integer}{point}{ordinal(integer, ending)[len(str(integer)) :]}"

        drawn = (_DIGITS.subn(resample, mention.text) for mention in mentions)
        return [text if count else None for text, count in drawn]

    def _draw(self, value: int, size: int, rng: Rng) -> int:
        """Sample a number near a value; both are in steps of 1 / size."""
        if self.scale == "relative":
            log = round(math.log1p(value / size) * LOG_STEPS)
            log += discrete_laplace(Fraction(self.epsilon) / LOG_STEPS, rng)
            steps = round(math.expm1(min(log / LOG_STEPS, MAX_LOG)) * size)
        else:
            rate = Fraction(self.epsilon) / Fraction(self.unit) / size
            steps = value + discrete_laplace(rate, rng)
        high = MAX_NUMBER if math.isinf(self.high) else self.high
        largest = min(math.floor(Fraction(str(high)) * size), MAX_NUMBER * size)
        least = math.ceil(Fraction(str(self.low)) * size)  # 3.9 is 39 tenths, as written
        return min(max(steps, least), largest)
