r"""Numbers drawn near their value (dx.Number.v1; dx.Numbers.v1 is another name of it).

"relative"  ln(1 + v) plus two-sided geometric noise in steps of 2^-40; metric
            |ln((1 + v) / (1 + w))|
"absolute"  v plus the same noise in steps of the last decimal shown; metric |v - w| / unit
Noise       P[k steps] proportional to exp(-epsilon |k| step), drawn in whole numbers alone
Guarantee   epsilon nats per unit of the metric (metric-dp), for numbers of any value in the same
            text, with the same sign, decimals and percent sign. Each number of a mention, as of
            120/80, is drawn by itself, and the distance of two mentions is the sum of theirs.
            Rounding to the decimals shown, bounds, and what is written are post-processing.
            "relative" rounds the logarithm to a step first: at most epsilon 10^-12 more
Fallback    digits that are no number by their form (1.2.3, other scripts) are drawn anew, uniformly
Papers      Ghosh, Roughgarden, Sundararajan 2009 (geometric); Chatzikokolakis et al. 2013
            (metrics); Canonne, Kamath, Steinke 2020 (algorithm 2: no floating point)
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from spacy.tokens import Doc

from ..arrays import Bools1d
from ..guarantee import Guarantee
from ..registries import registry
from ..validate import fail, one_of, positive
from .base import Mention
from .digits import redrawn
from .numerals import LARGEST, Value, find_numbers, read_value
from .streams import Draws, geometric

SCALES = ("relative", "absolute")
LARGEST_LOG = math.log(LARGEST) + 1  # beyond it every number is the largest one
LOG_SIZE = 2**40  # steps of a whole logarithm
_DIGITS = re.compile(r"((?:(?<![\w.,])\.)?\d(?:[\d.,]*\d)?)((?:st|nd|rd|th)\b)?", re.I)


@registry.dx_surrogates("dx.Numbers.v1")
@registry.dx_surrogates("dx.Number.v1")
def make_number(
    epsilon: float = 10.0,
    scale: str = "relative",
    unit: float = 1.0,
    low: float = 0.0,
    high: float | None = None,
) -> Number:
    """Make a surrogate for numbers, for a label or, set as `numbers`, for all tokens that are one.

    Args:
        epsilon: Nats per unit of the metric, above 0. With "relative" 10 moves a number by a tenth
            of it on the average, with "absolute" by unit / epsilon.
        scale: "relative" or "absolute".
        unit: Of "absolute" alone, how far apart two numbers at distance 1 are.
        low: Public lower bound of what comes out, sign aside, 0 or more.
        high: Public upper bound, or None.

    Raises:
        DxError: A setting is out of range.
    """
    one_of("scale", scale, SCALES)
    if scale == "relative" and unit != 1.0:
        raise fail("unit", 'left out with scale = "relative", which has none', unit)
    least = 0.0 if low == 0 and not isinstance(low, bool) else positive("low", low)
    most = math.inf if high is None else positive("high", high)
    if most < least:
        raise fail("high", f"{least:g} (low) or more", high)
    return Number(positive("epsilon", epsilon), scale, positive("unit", unit), least, most)


@dataclass(frozen=True)
class Number:
    """See make_number. It is ready without a space."""

    epsilon: float
    scale: str
    unit: float
    low: float
    high: float

    name = "dx.Number.v1"
    way = "drawn"
    chance = 1.0  # small whole numbers mostly stay, as the metric promises
    in_clear = (
        "which words are numbers in digits, and numbers that are written as words",
        "the sign, the number of decimals, the percent sign, and the words beside numbers",
    )

    @property
    def guarantee(self) -> Guarantee:
        """Of one number."""
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
            f"Numbers above {LARGEST:.0e} count as that one.",
        )

    def find(self, doc: Doc) -> Bools1d:
        """Return a mask of the tokens that are numbers, bool, shape (n_tokens,)."""
        return find_numbers(doc)

    def replace(self, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
        """Draw each number of each mention by itself; a mention without one stays."""

        def one(found: re.Match[str]) -> str:
            value = read_value(found[1])
            if value is None:
                return redrawn(found[1], draws.fresh()) + (found[2] or "")
            drawn = self._draw(value, draws)
            return f"{drawn}{_ordinal(drawn, found[2])}"

        texts = [mention.text for mention in mentions]
        return [_DIGITS.sub(one, text) if _DIGITS.search(text) else None for text in texts]

    def _draw(self, value: Value, draws: Draws) -> Value:
        steps = (self._relative if self.scale == "relative" else self._absolute)(value, draws)
        high = LARGEST if math.isinf(self.high) else self.high
        most = min(math.floor(Fraction(str(high)) * value.size), LARGEST * value.size)
        least = math.ceil(Fraction(str(self.low)) * value.size)  # 3.9 is 39 tenths, as written
        return Value(min(max(steps, least), most), value.decimals)

    def _relative(self, value: Value, draws: Draws) -> int:
        log = round(math.log1p(value.steps / value.size) * LOG_SIZE)
        log += geometric(Fraction(self.epsilon) / LOG_SIZE, draws.fresh())
        return round(math.expm1(min(log / LOG_SIZE, LARGEST_LOG)) * value.size)

    def _absolute(self, value: Value, draws: Draws) -> int:
        rate = Fraction(self.epsilon) / Fraction(self.unit) / value.size
        return value.steps + geometric(rate, draws.fresh())


def _ordinal(value: Value, ending: str | None) -> str:
    """The ending that the drawn number takes, as that of the original would tell its last digit."""
    if ending is None:
        return ""
    last = value.steps // value.size % 100
    new = {1: "st", 2: "nd", 3: "rd"}.get(last % 10, "th") if last // 10 != 1 else "th"
    return new.upper() if ending.isupper() else new
