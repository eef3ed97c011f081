r"""Numbers drawn near their value, in place of words (dx.Numbers.v1).

"relative"  ln(1 + v) plus Laplace noise of scale 1 / epsilon; metric |ln((1 + v) / (1 + w))|
"absolute"  v plus two-sided geometric noise in steps of the last decimal shown, drawn in whole
            numbers: P[k] proportional to exp(-epsilon |k| step / unit); metric |v - w| / unit
Guarantee   epsilon nats per unit of the metric (metric-dp), for tokens written alike: the same
            sign, decimals, separators, percent sign. The values of a pair (120/80) are drawn each
            by itself, and its distance is the sum of theirs. Rounding to the decimals shown, and
            bounds, are post-processing
Papers      Dwork, McSherry, Nissim, Smith 2006; Ghosh, Roughgarden, Sundararajan 2009 (geometric);
            Chatzikokolakis et al. 2013 (metrics); Canonne, Kamath, Steinke 2020 (algorithm 2: no
            floating point)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats1d
from ..guarantee import Guarantee
from ..randomness import Rng
from ..registries import registry
from ..validate import fail, one_of, positive
from .numerals import LARGEST, Numeral, Value, find_numbers, read_numeral

SCALES = ("relative", "absolute")
LARGEST_LOG = math.log(LARGEST) + 1  # beyond it every number is the largest one
IN_CLEAR = (
    "which words are numbers, but for years from 1500 to 2099 and dates",
    "the sign, the decimals, the separators and the percent sign of numbers",
)


@registry.dx_surrogates("dx.Numbers.v1")
def make_numbers(
    epsilon: float,
    scale: str = "relative",
    unit: float = 1.0,
    low: float = 0.0,
    high: float | None = None,
) -> Numbers:
    """epsilon: nats per unit of the metric, above 0. With "relative" 10 moves a number by a tenth
    of it on the average, with "absolute" by unit / epsilon.

    scale: "relative" or "absolute". unit: of "absolute" alone, how far apart two numbers at
    distance 1 are. low, high: public bounds of what comes out, sign aside, 0 or more.
    """
    one_of("scale", scale, SCALES)
    if scale == "relative" and unit != 1.0:
        raise fail("unit", 'left out with scale = "relative", which has none', unit)
    least = 0.0 if low == 0 and not isinstance(low, bool) else positive("low", low)
    most = math.inf if high is None else positive("high", high)
    if most < least:
        raise fail("high", f"{least:g} (low) or more", high)
    return Numbers(positive("epsilon", epsilon), scale, positive("unit", unit), least, most)


@dataclass(frozen=True)
class Numbers:
    """See make_numbers. It is ready without a space."""

    epsilon: float
    scale: str
    unit: float
    low: float
    high: float

    in_clear = IN_CLEAR

    @property
    def guarantee(self) -> Guarantee:
        """Of one token."""
        relative = self.scale == "relative"
        distance = "|ln((1 + v) / (1 + w))|" if relative else f"|v - w| / {self.unit:g}"
        source = "Laplace" if relative else "two-sided geometric; Ghosh et al. 2009"
        return Guarantee(
            "metric-dp",
            self.epsilon,
            metric=self.scale,
            adjacency="numbers written alike: the same sign, decimals, separators, percent sign",
            status="proven",
            source=f"Dwork et al. 2006 ({source}); Chatzikokolakis et al. 2013",
            notes=f"The distance of two numbers is {distance}; of pairs as 120/80, the sum.",
        )

    def find(self, doc: Doc) -> Bools1d:
        """bool (tokens,): the tokens that it takes."""
        return find_numbers(doc)

    def replace(self, texts: list[str], rng: Rng) -> list[str]:
        """Tokens that find took -> what stands in their place, drawn anew for each."""
        return [self._one(numeral, rng).write() for numeral in map(_read, texts)]

    def _one(self, numeral: Numeral, rng: Rng) -> Numeral:
        draw = self._relative if self.scale == "relative" else self._absolute
        drawn = [(value, draw(value, rng)) for value in numeral.values]
        return numeral.at([self._within(steps, value.size) for value, steps in drawn])

    def _relative(self, value: Value, rng: Rng) -> int:
        log = float(noisy_logs(np.array([value.steps / value.size]), self.epsilon, rng)[0])
        return round(math.expm1(min(log, LARGEST_LOG)) * value.size)

    def _absolute(self, value: Value, rng: Rng) -> int:
        rate = Fraction(self.epsilon) / Fraction(self.unit) / value.size
        return int(value.steps + two_sided_geometric(rate, rng))

    def _within(self, steps: int, size: int) -> int:
        """The nearest steps within the bounds that can be written. size: steps of a whole."""
        most = LARGEST if math.isinf(self.high) else math.floor(Fraction(self.high) * size)
        least = math.ceil(Fraction(self.low) * size)
        return int(min(max(steps, least), most, LARGEST))


def _read(text: str) -> Numeral:
    numeral = read_numeral(text)
    if numeral is None:
        raise fail("texts", "numbers", type(text))
    return numeral


def noisy_logs(values: Floats1d, epsilon: float, rng: Rng) -> Floats1d:
    """values (k,), 0 or more -> ln(1 + v) plus Laplace noise of scale 1 / epsilon."""
    noisy: Floats1d = np.log1p(values) + rng.laplace(values.shape) / epsilon
    return noisy


def two_sided_geometric(rate: Fraction, rng: Rng) -> int:
    """k with probability proportional to exp(-rate |k|), exactly: no floating point is in it."""
    s, t = rate.numerator, rate.denominator
    while True:
        rest = _below(t, rng)
        if not _by_exp(rest, t, rng):
            continue
        rounds = 0
        while _by_exp(1, 1, rng):
            rounds += 1
        size, negative = (rest + t * rounds) // s, _below(2, rng)
        if size or not negative:
            return -size if negative else size


def _by_exp(a: int, b: int, rng: Rng) -> bool:
    """True with probability exp(-a / b), for a <= b."""
    k = 1
    while _below(b * k, rng) < a:
        k += 1
    return k % 2 == 1


def _below(n: int, rng: Rng) -> int:
    """A whole number from 0 to n - 1, uniformly, of any size."""
    bits = (n - 1).bit_length()
    while True:
        number = 0
        for part in rng.integers(2**32, -(-bits // 32)).tolist():
            number = number << 32 | part
        number >>= -bits % 32
        if number < n:
            return number
