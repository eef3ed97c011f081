"""Black-box tests of a mechanism, on 12 words in the plane and 2,000 in 50 dimensions.

For an ordered pair of words (w, v) and an event T, chosen on other draws, p is a lower bound on
P[M(w) in T] and q an upper bound on P[M(v) in T] (Clopper and Pearson 1934, at alpha / 2 over the
number of ordered pairs, Bonferroni). The guarantee is refuted iff p > exp(epsilon) q + delta.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ...privacy.randomness import Rng
from ...space import Space
from ...ty import Draw, facts_of
from ..results import ceiling, lower, upper, wilson
from .claims import INCONCLUSIVE, NOT_REFUTED, REFUTED, Finding
from .tiers import AuditTrial

CALLS = 4  # for each word: one to learn scores, one to choose an event, two to test it
MIN_DRAWS = 500  # of a call
SCREENED_WORDS, SCREENING_DRAWS = 100, 64
NUMBERS_AT_ONCE = 2**22  # random numbers in a call


# -- synthetic vocabularies: a guarantee holds on every space, so an audit may choose its own ------

TURN = np.pi * (3 - np.sqrt(5))
PAIRS = np.arange(46).reshape(-1, 2)


def plane(unit: float, words: int = 12) -> Space:
    """Return words on a spiral, pairs from 0.1 to 20 units apart in all directions. It is four
    times as wide as high, so that noise that follows the shape of the space is elliptical."""
    steps = np.arange(words)
    radius = 0.1 * 1.6**steps
    X = np.stack([radius * np.cos(TURN * steps), radius * np.sin(TURN * steps) / 4], axis=1)
    return Space.from_vectors([f"plane{i}" for i in range(words)], X * unit, name="audit plane")


def cloud(unit: float, words: int = 2000, dims: int = 50) -> Space:
    """Return words in many dimensions; the first 46 are PAIRS.

    Rows 0 to 39 are 20 pairs, 0.01 to 8 units apart. 40 to 43 are the longest vectors: 40 and 41
    are opposite in all coordinates, 42 and 43 in one. 44 and 45 are one point. The others are a
    cloud of varying density; half of them are one cluster, from which a line of words leads away,
    half a unit apart.
    """
    public = np.random.Generator(np.random.PCG64(20240610))  # the vocabulary is public
    X = public.standard_normal((words, dims))
    X *= np.exp(public.standard_normal((words, 1)) / 2)  # dense in the middle, sparse outside
    line, cluster = _line_of(words), words // 2
    start, direction = X[-1].copy(), public.standard_normal(dims)
    noise = public.standard_normal((cluster, dims)) / np.sqrt(dims)
    X[-len(line) - cluster : -len(line)] = start + 0.1 * noise
    X[line] = start + (line - line[0] + 1)[:, None] * (direction / np.linalg.norm(direction)) / 2
    gaps = np.geomspace(0.01, 8, 20)[:, None]
    direction = public.standard_normal((20, dims))
    X[1:40:2] = X[0:40:2] + gaps * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    longest = 1.01 * float(np.linalg.norm(X, axis=1).max())
    X[40], X[41] = longest / np.sqrt(dims), -longest / np.sqrt(dims)
    X[42:44] = 0
    X[42, 0], X[43, 0] = longest, -longest
    X[45] = X[44]
    return Space.from_vectors([f"cloud{i}" for i in range(words)], X * unit, name="audit cloud")


def _line_of(words: int) -> Ints1d:
    return np.arange(words - words // 20, words)


def cloud_pairs(trial: AuditTrial) -> Ints2d:
    """Return PAIRS, words with unequal noise, and words at the least, median and largest claimed
    epsilon that a test can refute."""
    n = len(trial.space)
    rows = np.arange(46, n, max(1, n // 60))
    E = trial.claim.epsilons(rows)
    E[np.arange(len(rows)), rows] = np.inf
    order = np.argsort(E, axis=1, kind="stable")
    far = (np.sum(E < 4.0, axis=1) - 1).clip(0)
    places = [np.zeros(len(rows), dtype=np.int64), far // 2, far]
    by_claim = [np.stack([rows, order[np.arange(len(rows)), at]], axis=1) for at in places]
    # Neighbours on the line, where mechanisms may truncate distances: 2 ln(n / beta) units from the
    # cluster, beta from 0.1 to 0.001.
    line = _line_of(n)
    nearest, end = (int(4 * np.log(many * n)) for many in (10, 1000))
    out = line[nearest - 3 : end + 3][::-1]
    out = out[out < line[-1]]
    parts = [
        PAIRS[20:],
        _unequal_noise_pairs(trial, rows),
        *(part[::29] for part in by_claim),
        PAIRS[9:18:2],
    ]
    parts += [np.stack([out, out + 1], axis=1), *(part[::7] for part in by_claim), PAIRS, *by_claim]
    pairs = np.concatenate(parts)
    distinct_pairs: Ints2d = pairs[pairs[:, 0] != pairs[:, 1]]
    return distinct_pairs


def _unequal_noise_pairs(trial: AuditTrial, rows: Ints1d) -> Ints2d:
    """Return pairs of rows with the weakest and the strongest noise, by their first draws."""
    rows = rows[:SCREENED_WORDS]
    spreads = []
    for row in rows:
        # Seeded: these draws choose pairs, and are no evidence.
        draw = trial.mechanism.sample(np.full(SCREENING_DRAWS, row), Rng(seed=0))
        Z = draw.vectors if draw.vectors is not None else (draw.rows == row)[:, None].astype(float)
        spreads.append(float(np.asarray(Z, dtype=np.float64).std(axis=0).mean()))
    order = rows[np.argsort(spreads)]
    return np.array(
        [(order[0], noisier) for noisier in (order[-1], order[1], order[len(order) // 2])]
    )


def contest_on_plane(trial: AuditTrial) -> Finding:
    """Test all pairs of the plane, neighbours on the spiral first."""
    pairs = np.array(np.triu_indices(len(trial.space), 1)).T
    pairs = pairs[np.argsort(pairs[:, 1] - pairs[:, 0], kind="stable")]
    return _contest("plane", trial, pairs, *trial.effort.plane)


def contest_on_cloud(trial: AuditTrial) -> Finding:
    """Test pairs of the cloud."""
    return _contest("black box", trial, cloud_pairs(trial), *trial.effort.cloud)


def _contest(
    tier: str, trial: AuditTrial, pairs: Ints2d, draws: int, seconds: float, max_pairs: int
) -> Finding:
    """Test at most max_pairs pairs, within about `seconds` and `draws` draws of each word."""
    E = np.maximum(trial.claim.of_pairs(pairs), trial.claim.of_pairs(pairs[:, ::-1]))
    highest = ceiling(draws // 2, trial.alpha)
    testable = E < highest
    pairs, E = pairs[testable], E[testable]
    first = np.sort(np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)[1])[:max_pairs]
    pairs, E = pairs[first], E[first]
    if not len(pairs):
        why = (
            "No pair of the vocabulary is promised less than the "
            f"{highest:.1f} nats that this many draws can tell: nothing can be refuted."
        )
        return Finding(tier, INCONCLUSIVE, why)
    sampler = Sampler(trial, _size(trial, len(np.unique(pairs)), draws, seconds))
    tested: list[PairResult] = []
    for pair, claimed in zip(pairs.tolist(), E.tolist(), strict=True):
        drawn = sampler(pair[0]), sampler(pair[1])
        tested += _test(trial, pair, claimed, drawn, trial.alpha / (2 * len(pairs)))
    worst = max(tested, key=lambda t: t.bound - t.claimed)
    refuted = [t for t in tested if t.p > trial.claim.delta and t.bound > t.claimed]
    if refuted:
        summary = (
            f"{len(refuted)} of {len(tested)} ordered pairs break the promise. The worst: an event "
            f"of probability {worst.p:.3g} or more for the one word and {worst.q:.3g} or less for "
            "the other."
        )
    else:
        summary = (
            f"{len(tested)} ordered pairs, none of which was told apart better than promised. "
            f"Losses above {ceiling(2 * sampler.size, 1e-6):.1f} nats cannot be seen with this "
            "many draws."
        )
    return Finding(
        tier, REFUTED if refuted else NOT_REFUTED, summary,
        (trial.space.words[worst.pair[0]], trial.space.words[worst.pair[1]]), str(worst.event),
        claimed=worst.claimed, delta=trial.claim.delta,
        bound=worst.bound if np.isfinite(worst.bound) else None, tests=len(tested),
        draws=sampler.calls * sampler.size,
    )  # fmt: skip


def _size(trial: AuditTrial, words: int, draws: int, seconds: float) -> int:
    """Return the number of draws of a call, so that all calls end within about `seconds`."""
    tries = min(1000, draws // CALLS)
    taken = []
    for times in (1, 5):
        # Processor time: on a busy machine an audit takes longer, with the same power.
        start = time.process_time()
        trial.mechanism.sample(np.zeros(times * tries, dtype=np.int64), Rng())
        taken.append(time.process_time() - start)
    seconds_a_draw = max(taken[1] - taken[0], taken[1] / 100) / (4 * tries)  # without fixed costs
    fitting = int(seconds / (seconds_a_draw * words * CALLS + 1e-12))
    max_draws = draws // CALLS
    if trial.mechanism.sample(np.zeros(1, dtype=np.int64), Rng()).vectors is not None:
        max_draws = min(max_draws, NUMBERS_AT_ONCE // trial.space.vectors.shape[1])
    return int(np.clip(fitting, min(MIN_DRAWS, max_draws), max_draws))


@dataclass
class Sampler:
    """Samples a word in CALLS calls of `size` draws, each with its own stream. In a small
    vocabulary all pairs of a word share its draws."""

    trial: AuditTrial
    size: int
    calls: int = 0
    draws_of: dict[int, list[Draw]] = field(default_factory=dict)

    def __call__(self, row: int) -> list[Draw]:
        if row in self.draws_of:
            return self.draws_of[row]
        drawn = []
        for _ in range(CALLS):
            self.calls += 1
            rng = Rng(None if self.trial.seed is None else self.trial.seed + self.calls)
            rows = np.full(self.size, row, dtype=np.int64)
            drawn.append(self.trial.mechanism.sample(rows, rng))
        if len(self.trial.space) <= 100:
            self.draws_of[row] = drawn
        return drawn


# -- one pair: choose an event on some draws, test it on others ------------------------------------

QUANTILES = np.concatenate(
    [[0, 0.001, 0.01, 0.03], np.linspace(0.06, 0.94, 23), [0.97, 0.99, 0.999, 1]]
)
MAX_THRESHOLDS = 64  # distinct scores, up to which all are tried as thresholds
Z_SCORE = 4.5


@dataclass(frozen=True)
class ThresholdEvent:
    """The event that a score is at least a threshold, or below it."""

    score_name: str
    threshold: float
    at_least: bool
    estimated_epsilon: float

    def __str__(self) -> str:
        return f"{self.score_name} {'>=' if self.at_least else '<'} {self.threshold:.6g}"

    def occurs(self, scores: Floats1d) -> Bools1d:
        """Return for which scores (k,) the event occurs."""
        at_least: Bools1d = scores >= self.threshold
        return at_least if self.at_least else ~at_least


@dataclass(frozen=True)
class PairResult:
    """An ordered pair of rows and its event. p, q: lower and upper bound on the probability of the
    event for the two words. bound: lower bound on epsilon in nats, or -inf."""

    pair: tuple[int, int]
    claimed: float
    event: ThresholdEvent
    p: float
    q: float
    bound: float


def _test(
    trial: AuditTrial,
    pair: list[int],
    claimed: float,
    drawn: tuple[list[Draw], list[Draw]],
    alpha: float,
) -> list[PairResult]:
    """Test both directions of a pair. claimed: epsilon. alpha: of each direction."""
    first, second = drawn
    width = None if first[0].vectors is None else int(np.shape(first[0].vectors)[1])
    tables = (facts_of(trial.mechanism).centres, trial.space.vectors)
    centres = next(
        (
            np.asarray(table[pair], dtype=np.float64)
            for table in tables
            if table is not None and (width is None or table.shape[1] == width)
        ),
        np.zeros((2, width or 1)),
    )
    sides = PairUnderTest((pair[0], pair[1]), trial.space.vectors, centres, (first[0], second[0]))
    events = [ThresholdEvent("", 0.0, True, -np.inf)] * 2
    for (name, a), (_, b) in zip(scores(sides, first[1]), scores(sides, second[1]), strict=True):
        candidates = _best(name, np.sort(a()), np.sort(b()), trial.claim.delta)
        pairs = zip(events, candidates, strict=True)  # on a tie the earlier
        events = [max(pair_of, key=lambda event: event.estimated_epsilon) for pair_of in pairs]
    hits, wanted = np.zeros((2, 2), dtype=np.int64), {event.score_name for event in events}
    for word, draws in enumerate(drawn):
        for draw in draws[2:]:
            values = {name: score() for name, score in scores(sides, draw) if name in wanted}
            for number, event in enumerate(events):
                hits[word, number] += np.sum(event.occurs(values[event.score_name]))
    n, delta, tested = 2 * len(first[2].rows), trial.claim.delta, []
    for number, event in enumerate(events):
        p = float(lower(int(hits[number, number]), n, alpha / 2))
        q = float(upper(int(hits[1 - number, number]), n, alpha / 2))
        bound = float(np.log((p - delta) / q)) if p > delta else -np.inf
        tested.append(PairResult((pair[number], pair[1 - number]), claimed, event, p, q, bound))
    return tested


def _best(name: str, a: Floats1d, b: Floats1d, delta: float) -> list[ThresholdEvent]:
    """Return the threshold of sorted scores a and b that best distinguishes the word of a from that
    of b, and the converse."""
    t = np.unique(
        np.concatenate([_thresholds(a), _thresholds(b), np.nextafter([a[-1], b[-1]], np.inf)])
    )
    n = len(a)
    above = np.stack([n - np.searchsorted(side, t, side="left") for side in (a, b)])
    hits = np.stack([above, n - above])  # (direction, word, threshold)
    events = []
    for first, second in ((0, 1), (1, 0)):
        p = wilson(hits[:, first], n, Z_SCORE) - delta
        q = 1 - wilson(n - hits[:, second], n, Z_SCORE)
        losses = np.log(np.maximum(p, 1e-12)) - np.log(np.maximum(q, 1e-12))
        direction, mark = np.unravel_index(int(np.argmax(losses)), losses.shape)
        threshold, estimate = float(t[mark]), float(losses[direction, mark])
        events.append(ThresholdEvent(name, threshold, bool(direction == 0), estimate))
    return events


def _thresholds(sorted_scores: Floats1d) -> Floats1d:
    """Return all distinct scores, or quantiles of more than MAX_THRESHOLDS. The scores include an
    output of only one of the two words."""
    steps = np.flatnonzero(np.diff(sorted_scores)) + 1
    few = len(steps) < MAX_THRESHOLDS
    quantiles = (QUANTILES * (len(sorted_scores) - 1)).astype(np.int64)
    places = np.concatenate([[0], steps]) if few else quantiles
    thresholds: Floats1d = sorted_scores[places]
    return thresholds


# -- scores of outputs that may distinguish two words ----------------------------------------------
# The test is sound for any function of the output: events are chosen on draws that are not tested.

ALONG = np.array([-2, -1, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3])
ACROSS = np.array([-2, -1, -0.5, -0.25, -0.1, 0, 0.1, 0.25, 0.5, 1, 2])
N_CELLS = (len(ALONG) + 1) * (len(ACROSS) + 1)
_norm = partial(np.linalg.norm, axis=1)
Score = Callable[[], Any]


@dataclass(frozen=True)
class PairUnderTest:
    """Two words, by their rows. table: (n, d) of the space. centres: (2, c), to which noise was
    added; zeros if unknown. first: a draw of each, only to learn scores from."""

    words: tuple[int, int]
    table: Floats2d
    centres: Floats2d
    first: tuple[Draw, Draw]


def scores(sides: PairUnderTest, draw: Draw) -> Iterator[tuple[str, Score]]:
    """Yield names and scores of the k outputs of a draw; a score is a function that returns
    (k,)."""
    rows = draw.rows
    draws_x, draws_y = (draw_of.rows for draw_of in sides.first)
    yield "word by likelihood", partial(_likelihood, draws_x, draws_y, rows, len(sides.table))
    x, y = sides.table[list(sides.words)].astype(np.float64)
    for number, word in enumerate(sides.words):
        yield f"the word is word {number}", partial(_equal, rows, np.int64(word))
    yield "projection of the word on the difference", lambda: (sides.table @ (y - x))[rows]
    for number, draw_of in enumerate(sides.first):
        name = f"the word drawn at this place in an earlier call for word {number}"
        yield name, partial(_equal, rows, draw_of.rows)
    if draw.vectors is not None:
        yield from _of_vectors(sides, np.asarray(draw.vectors))


def _of_vectors(sides: PairUnderTest, Z: Floats2d) -> Iterator[tuple[str, Score]]:
    x, y = sides.centres
    A, B = Z.astype(np.float64) - x, Z.astype(np.float64) - y
    yield "projection on the difference", lambda: A @ (y - x)
    yield "L2 distance to word 0", lambda: _norm(A, 2)
    yield "L2 distance to word 1", lambda: _norm(B, 2)
    for order in (2, 1, np.inf):
        difference = partial(lambda order: _norm(A, order) - _norm(B, order), order)
        yield f"difference of L{order} distances", difference
    yield "support: largest coordinate from word 0", lambda: _norm(A, np.inf)
    yield "support: largest coordinate from word 1", lambda: _norm(B, np.inf)
    yield "low-order bits against word 0", lambda: unreachable(Z, x)
    yield "low-order bits against word 1", lambda: unreachable(Z, y)
    yield "place by likelihood", partial(_by_place, sides, Z)
    for number, draw in enumerate(sides.first):
        name = f"the vector drawn at this place in an earlier call for word {number}"
        yield name, partial(_equal, Z, draw.vectors)


def _equal(outputs: Any, wanted: Any) -> Floats1d:
    """Return 1 for outputs (k,) or (k, d) that are equal to the wanted ones, else 0, (k,)."""
    same = np.reshape(outputs == wanted, (len(outputs), -1))
    equal: Floats1d = np.asarray(same.all(axis=1), dtype=np.float64)
    return equal


def _likelihood(draws_x: Ints1d, draws_y: Ints1d, seen: Ints1d, n: int) -> Floats1d:
    """Return the log ratio of the counts of each output among the first draws."""
    counts = [np.bincount(drawn, minlength=n) + 0.5 for drawn in (draws_x, draws_y)]
    ratio: Floats1d = np.log(counts[0] / counts[1])[seen]
    return ratio


def _by_place(sides: PairUnderTest, Z: Floats2d) -> Floats1d:
    """Return the log likelihood ratio of the cell of a vector: its place along the line through
    both words, and its distance from the line."""
    origin, difference = sides.centres[0], sides.centres[1] - sides.centres[0]
    length = float(np.linalg.norm(difference))
    along = difference / length if length > 0 else np.eye(1, len(difference))[0]

    def cells(vectors: Any) -> Ints1d:
        A = (np.asarray(vectors).astype(np.float64) - origin) / (length or 1.0)
        u = A @ along
        if A.shape[1] == 2:
            v = A @ np.array([-along[1], along[0]])
        else:
            v = np.sqrt(np.maximum(np.einsum("kd,kd->k", A, A) - u * u, 0))
        numbers: Ints1d = np.digitize(u, ALONG) * (len(ACROSS) + 1) + np.digitize(v, ACROSS)
        return numbers

    cells_x, cells_y = (cells(draw.vectors) for draw in sides.first)
    return _likelihood(cells_x, cells_y, cells(Z), N_CELLS)


def unreachable(Z: Floats2d, x: Floats1d) -> Floats1d:
    """Return the number of coordinates of each vector that are no rounded sum x + z, (k,) (Mironov
    2012): those with finer binary places than z = v - x, without those near a power of 2."""
    V = Z if Z.dtype in (np.float32, np.float64) else Z.astype(np.float64)
    last = np.spacing(np.abs(V.astype(np.float64) - x).astype(V.dtype) * V.dtype.type(0.99))
    last = np.minimum(last, np.spacing(np.maximum(np.abs(x), 1e-30).astype(np.float32)))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        units = V.astype(np.float64) / last
        finer = np.isfinite(units) & (units != np.rint(units))
    counts: Floats1d = finer.sum(axis=1).astype(np.float64)
    return counts
