"""Two words against each other: choose an event on some draws, test it on others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...randomness import Rng
from ...space import Space
from ...ty import Draw, HasCentres, Mechanism
from .bounds import lower, upper, wilson
from .events import Sides, scores

MIDDLE = np.linspace(0.06, 0.94, 23)
LEVELS = np.concatenate([[0, 0.001, 0.01, 0.03], MIDDLE, [0.97, 0.99, 0.999, 1]])
FEW = 64  # scores that are all tried as thresholds
CALLS = 4  # one to learn from, one to choose by, two to test
Z_SCORE = 4.5


class Sampler:
    """Draws of one word, in CALLS calls of `size` each, every call with a stream of its own."""

    def __init__(self, mechanism: Mechanism, size: int, seed: int | None = None) -> None:
        self.mechanism = mechanism
        self.size = size
        self.draws = 0
        self._seed = seed

    def __call__(self, row: int) -> list[Draw]:
        calls = [self._call(np.full(self.size, row, dtype=np.int64)) for _ in range(CALLS)]
        self.draws += CALLS * self.size
        return calls

    def _call(self, rows: Ints1d) -> Draw:
        if self._seed is not None:
            self._seed += 1
        return self.mechanism.sample(rows, Rng(self._seed))


@dataclass(frozen=True)
class Chosen:
    """The event of an ordered pair: `score` at least t, or below it."""

    score: str
    t: float
    at_least: bool
    worth: float  # about the bound on epsilon, to compare events by

    def __str__(self) -> str:
        return f"{self.score} {'>=' if self.at_least else '<'} {self.t:.6g}"


@dataclass(frozen=True)
class Tested:
    """bound: epsilon is not below this (nats, -inf for none), but with probability alpha; p and q:
    bounds on the probability of the event for the two words, from below and from above."""

    pair: tuple[int, int]
    claimed: float
    event: Chosen
    p: float
    q: float
    bound: float

    def refutes(self, delta: float) -> bool:
        """Whether the pair shows more nats than were promised, beyond this delta and beyond
        chance."""
        return self.p - delta > 0 and self.bound > self.claimed


@dataclass(frozen=True)
class Contest:
    """A pair whose two words were both drawn. claimed: epsilon both ways."""

    space: Space
    centres: Floats2d
    delta: float

    def test(
        self, pair: tuple[int, int], claimed: float, one: list[Draw], other: list[Draw],
        alpha: float,
    ) -> list[Tested]:  # fmt: skip
        """Both directions. alpha: for each of them."""
        sides = Sides(pair, self.space.vectors, self.centres[list(pair)], (one[0], other[0]))
        forth, back = self._choose(sides, one[1], other[1])
        # Testing one event takes the scores of that one.
        tested = [_hits(sides, [forth, back], draws[2:]) for draws in (one, other)]
        n = 2 * len(one[2].rows)
        results = []
        for number, (event, swap) in enumerate(((forth, False), (back, True))):
            hits = [int(side[number]) for side in (tested[::-1] if swap else tested)]
            ordered = pair[::-1] if swap else pair
            results.append(_tested(ordered, claimed, event, hits, n, self.delta, alpha))
        return results

    def _choose(self, sides: Sides, one: Draw, other: Draw) -> tuple[Chosen, Chosen]:
        """The event of the largest worth, for each direction."""
        best = [Chosen("", 0.0, True, -np.inf)] * 2
        for (name, a), (_, b) in zip(scores(sides, one), scores(sides, other), strict=True):
            for direction, found in enumerate(_best(name, np.sort(a()), np.sort(b()), self.delta)):
                if found.worth > best[direction].worth:
                    best[direction] = found
        return best[0], best[1]


def centres_of(mechanism: Mechanism, space: Space, width: int | None) -> Floats2d:
    """(n, c): where noise starts, in the dimensions of the noisy vectors; zeros where unknown."""
    known = mechanism.centres if isinstance(mechanism, HasCentres) else None
    for table in (known, space.vectors):
        if table is not None and (width is None or table.shape[1] == width):
            return np.asarray(table, dtype=np.float64)
    return np.zeros((len(space), width or 1))


def _best(name: str, a: Floats1d, b: Floats1d, delta: float) -> list[Chosen]:
    """Of the thresholds of a score, sorted for each word, those that tell a's word from b's best,
    and b's from a's."""
    marks = [_marks(some) for some in (a, b)]
    t = np.unique(np.concatenate([*marks, np.nextafter([a[-1], b[-1]], np.inf)]))
    n = len(a)
    above = np.stack([n - np.searchsorted(some, t, side="left") for some in (a, b)])
    hits = np.stack([above, n - above])  # (side, word, threshold)
    found = []
    for p, q in ((0, 1), (1, 0)):
        worths = _worth(hits[:, p], hits[:, q], n, delta)
        side, mark = np.unravel_index(int(np.argmax(worths)), worths.shape)
        found.append(Chosen(name, float(t[mark]), bool(side == 0), float(worths[side, mark])))
    return found


def _marks(some: Floats1d) -> Floats1d:
    """Of sorted scores, all where they are few: an output that one word never gives is one of them;
    else some of their quantiles."""
    steps = np.flatnonzero(np.diff(some)) + 1
    if len(steps) < FEW:
        places = np.concatenate([[0], steps])
    else:
        places = (LEVELS * (len(some) - 1)).astype(np.int64)
    marks: Floats1d = some[places]
    return marks


def _worth(hits: Any, misses: Any, n: int, delta: float) -> Any:
    p = wilson(hits, n, Z_SCORE) - delta
    q = 1 - wilson(n - misses, n, Z_SCORE)
    worth: Any = np.log(np.maximum(p, 1e-12)) - np.log(np.maximum(q, 1e-12))
    return worth


def _hits(sides: Sides, events: list[Chosen], calls: Iterable[Draw]) -> Floats1d:
    """How many of the outputs are in each event."""
    counts = np.zeros(len(events))
    for draw in calls:
        wanted = {event.score for event in events}
        found = {name: score() for name, score in scores(sides, draw) if name in wanted}
        for number, event in enumerate(events):
            S = found[event.score]
            counts[number] += np.sum(S >= event.t if event.at_least else S < event.t)
    return counts


def _tested(
    pair: tuple[int, int], claimed: float, event: Chosen, hits: list[int], n: int, delta: float,
    alpha: float,
) -> Tested:  # fmt: skip
    p, q = float(lower(hits[0], n, alpha / 2)), float(upper(hits[1], n, alpha / 2))
    bound = float(np.log((p - delta) / q)) if p > delta else -np.inf
    return Tested(pair, claimed, event, p, q, bound)
