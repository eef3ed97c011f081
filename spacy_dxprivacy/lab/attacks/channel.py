"""ln P(output | word) of a mechanism, as an attacker knows it.

It is exact if the mechanism states its probabilities. If it adds noise of a stated density, the
probability is an integral over the noisy vectors that become the output, estimated by importance
sampling: every noisy vector that becomes the output counts for each word, by the density given this
word over that of all draws (multiple importance sampling, the balance heuristic of Veach and Guibas
1995). So a few draws of each word do the work of hundreds. Else the attacker simulates the
mechanism, and mixes the counts, which are sparse, with an estimate by distance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d, Numbers2d, blocks
from ...errors import DxError, Errors
from ...prior.cells import places_in
from ...space.search.exact import Aim
from ...ty import Draw, Mechanism, SamplesTo, StatesOutputs, StatesProbabilities, facts_of
from ...validate import fail
from ..corpus import BATCH_WORDS, sample_in_batches

if TYPE_CHECKING:
    from ...privacy.randomness import Rng

DISTANCES_AT_ONCE = 2**20
MAX_NUMBERS = 2**29  # float32: 2 GB, and as much for a copy
MIN_LOG = -700.0  # in place of ln 0, so that sums stay finite
PROBABILITIES_AT_ONCE = 2**24  # float64: 128 MB
DENSITIES_AT_ONCE = 2**19  # float32: 2 MB
DRAWS = 30  # of each word, if probabilities are simulated
FEWER = 8  # times as few draws of each word, where densities are stated
OWN_DRAWS = 16  # of each output, as if it were the word
SEARCHED = 8  # of the draws, one of so many is searched among all words
MOST_SEEN = 32  # draws of each output whose densities are computed
COMPARED = 1024  # other words, by which the words at each distance are counted
BINS = 128
BINNED_AT_ONCE = 2**17  # distances: 1 MB, which fits the cache
NEARLY_EQUAL = 2.0**-18  # share of the squares, below which float32 has lost the distance
ROUNDS = 30
Estimate = Callable[[Ints1d], Floats2d]  # words (k,) -> P(output | word), float32 (k, q)
WEIGHTS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)


@dataclass(frozen=True)
class Channel:
    """logs: float32 (m, q), ln P(output | word). words: int64 (m,), outputs: int64 (q,), rising.
    exact: whether these are stated by the mechanism, or estimated. further: the estimate for other
    words by the same draws, if there is one."""

    words: Ints1d
    outputs: Ints1d
    logs: Floats2d
    exact: bool
    further: Estimate | None = None

    def columns(self, outputs: Ints1d) -> Ints1d:
        """Return the columns of outputs (t,). Raise DxError for one that the channel lacks."""
        return _places(self.outputs, outputs, "outputs")

    def of(self, words: Ints1d) -> Floats2d:
        """Return the logs of words, float32 (words, q). Raise DxError for one that it lacks."""
        return self.logs[_places(self.words, words, "words")]

    def of_further(self, words: Ints1d) -> Channel | None:
        """Return the channel of other words, sorted and distinct, by the same draws, if it can."""
        if self.further is None:
            return None
        return Channel(words, self.outputs, _logs(self.further(words)), False, self.further)


class GrowingChannel:
    """The channel of a mechanism to fixed outputs, computed once for each word that is asked for.

    make: returns the channel of further words, sorted and distinct. first: what is known already.
    """

    def __init__(self, make: Callable[[Ints1d], Channel], first: Channel | None = None) -> None:
        self._make, self._known = make, first

    def to(self, words: Ints1d) -> Channel:
        """Return a channel that has these words, in any order, and perhaps others."""
        known = self._known
        missing = np.unique(words) if known is None else np.setdiff1d(words, known.words)
        if known is None:
            known = self._make(missing)
        elif len(missing):
            more = known.of_further(missing) or self._make(missing)
            both = np.append(known.words, more.words)
            order, exact = np.argsort(both), known.exact and more.exact
            further = known.further
            logs = np.concatenate([known.logs, more.logs])[order]
            known = Channel(both[order], known.outputs, logs, exact, further)
        self._known = known
        return known


def _places(words: Ints1d, rows: Ints1d, setting: str) -> Ints1d:
    places = places_in(words, rows)
    if len(places) and places.min() < 0:
        raise fail(setting, "of this channel", "others")
    return places


def draws_by_frequency(draws: int, usual: Floats1d, words: Ints1d) -> Ints1d:
    """Return the number of draws of each word, int64 (m,): on average `draws`, half of them in
    proportion to word frequency."""
    frequency = usual[words] / usual[words].sum()
    times: Ints1d = np.maximum(draws // 2, draws / 2 * len(words) * frequency).astype(np.int64)
    return times


def channel_of(
    mechanism: Mechanism, X: Floats2d, words: Ints1d, outputs: Ints1d, rng: Rng,
    draws: int | Ints1d = DRAWS,
) -> Channel:  # fmt: skip
    """Return the channel from words to outputs, rows in any order, of a mechanism that is fitted on
    the vectors X (n, d). draws: of each simulated word, or (m,) for the sorted distinct words; a
    eighth of them where the mechanism states the densities of its noise."""
    words, outputs = np.unique(words), np.unique(outputs)
    if len(words) * len(outputs) > MAX_NUMBERS:
        raise DxError(Errors.DX091.format(words=len(words), outputs=len(outputs)))
    if isinstance(mechanism, StatesProbabilities):
        logs = np.empty((len(words), len(outputs)), dtype=np.float32)
        if isinstance(mechanism, StatesOutputs):
            for part in blocks(len(words), max(1, PROBABILITIES_AT_ONCE // len(outputs))):
                logs[part] = _logs(mechanism.probabilities(words[part], outputs))
        else:
            for part in blocks(len(words), max(1, DISTANCES_AT_ONCE // len(X))):
                logs[part] = _logs(mechanism.distribution(words[part])[:, outputs])
        return Channel(words, outputs, logs, exact=True)
    times = np.broadcast_to(np.asarray(draws, dtype=np.int64), len(words))
    if _states_densities(mechanism):
        P, further = _by_density(mechanism, X, words, outputs, times // FEWER, rng)
        return Channel(words, outputs, _logs(P), False, further)
    source = np.repeat(np.arange(len(words)), times)
    seen = sample_in_batches(mechanism, words[source], rng).rows
    # (counts + weight smooth) / (draws + weight)
    columns = places_in(outputs, seen)
    output_counts = np.bincount(columns[columns >= 0], minlength=len(outputs))
    P = _by_distance(X, words, outputs, times, (source, seen), output_counts)(words)
    pairs = np.stack([source[columns >= 0], columns[columns >= 0]])
    # The weight with which half of the draws best predict the other half.
    flat = np.ravel_multi_index((pairs[0], pairs[1]), P.shape)
    drawn_pairs, counts = np.unique(flat[::2], return_counts=True)
    at = places_in(drawn_pairs, flat[1::2])
    learned = np.where(at >= 0, counts[at], 0)
    prior, half = P.ravel()[flat[1::2]], times[pairs[0, 1::2]] / 2
    fits = [np.log((learned + w * prior) / (half + w)).sum() for w in WEIGHTS]
    weight = WEIGHTS[int(np.argmax(fits))]
    P *= np.float32(weight)
    np.add.at(P, tuple(pairs), np.float32(1))
    P /= (times + weight).astype(np.float32)[:, None]
    return Channel(words, outputs, _logs(P), exact=False)


def _logs(P: Floats2d) -> Floats2d:
    with np.errstate(divide="ignore"):
        logs: Floats2d = np.log(P, out=P)
    return np.clip(logs, MIN_LOG, np.inf, out=logs)


def _states_densities(mechanism: Mechanism) -> bool:
    facts = facts_of(mechanism)
    if facts.centres is None:
        return False
    return facts.log_densities(np.zeros(1, dtype=np.int64)) is not None


def _by_density(
    mechanism: Mechanism, X: Floats2d, words: Ints1d, outputs: Ints1d, times: Ints1d, rng: Rng
) -> tuple[Floats2d, Estimate]:
    """Estimate P(output | word), float32 (m, q), by stated densities of draws: times (m,) of each
    word, 1 or more, and OWN_DRAWS of each output. Return it, and the estimate for other words.

    An output that few draws become is estimated by distance as well. Its weight is that with which
    the other draws best predict each.
    """
    times = np.maximum(times, 1)
    made = np.concatenate([np.repeat(words, times), np.repeat(outputs, OWN_DRAWS)])
    sources, source, drawn = np.unique(made, return_inverse=True, return_counts=True)
    draw, some = _aimed_draw(mechanism, made, outputs, rng)
    columns = np.where(draw.rows >= 0, places_in(outputs, draw.rows), -1)
    seen = np.bincount(columns[columns >= 0], minlength=len(outputs))
    smooth = _by_distance(X, sources, outputs, drawn, (source[some], draw.rows[some]), seen)
    landed = np.argsort(columns, kind="stable")[int((columns < 0).sum()) :]
    landed, shares = _thinned(landed, seen)
    Z, source, columns = np.asarray(draw.vectors)[landed], source[landed], columns[landed]
    log_mixed, itself = np.empty(len(landed), dtype=np.float32), np.empty(len(landed))

    def pooled(of: Ints1d, mixing: bool = False) -> Floats2d:
        """Sum for each output the densities given words (k,) over those of all draws."""
        P = np.zeros((len(outputs), len(of)), dtype=np.float32)
        log_densities: Any = facts_of(mechanism).log_densities(of)
        for part in blocks(len(Z), max(1, DENSITIES_AT_ONCE // max(1, len(of)))):
            L, weights = log_densities(Z[part]), shares[part]
            if mixing:
                top = L.max(axis=1)
                L -= top[:, None]
                R = np.exp(L, out=L)
                sums = R @ drawn.astype(np.float32)
                log_mixed[part] = top + np.log(sums)
                weights = weights / sums
                itself[part] = R[np.arange(len(R)), source[part]] * weights
            else:
                L -= log_mixed[part, None]
                R = np.exp(L, out=L)
            distinct, place = np.unique(columns[part], return_inverse=True)
            adding = np.zeros((len(distinct), len(R)), dtype=np.float32)
            adding[place, np.arange(len(R))] = weights
            P[distinct] += adding @ R
        return np.ascontiguousarray(P.T)

    def both(P: Floats2d, smoothed: Floats2d, weight: float) -> Floats2d:
        P *= (seen / (seen + weight)).astype(np.float32)
        P += smoothed * (weight / (seen + weight)).astype(np.float32)
        return np.clip(P, 0, 1, out=P)

    P, smoothed = pooled(sources, mixing=True), smooth(sources)
    others, prior, count = P[source, columns] - itself, smoothed[source, columns], seen[columns] - 1
    fits = [
        np.log(np.maximum((count * others + w * prior) / (count + w), 1e-30)).sum() for w in WEIGHTS
    ]
    weight = WEIGHTS[int(np.argmax(fits))]
    P = both(P, smoothed, weight)[places_in(sources, words)]
    return P, lambda further: both(pooled(further), smooth(further), weight)


def _aimed_draw(
    mechanism: Mechanism, made: Ints1d, outputs: Ints1d, rng: Rng
) -> tuple[Draw, Ints1d]:
    """Sample words (t,); -1 for other outputs than these. Return the draw, with vectors, and the
    places of those that have any output."""
    if not isinstance(mechanism, SamplesTo):
        return sample_in_batches(mechanism, made, rng), np.arange(len(made))
    is_first = np.arange(len(made)) % SEARCHED == 0
    first = sample_in_batches(mechanism, made[is_first], rng)
    met, counts = np.unique(first.rows, return_counts=True)
    often = met[np.argsort(-counts, kind="stable")]
    rest = made[~is_first]
    draws = [first]
    for part in blocks(len(rest), BATCH_WORDS):
        draws.append(mechanism.sample_to(rest[part], rng, Aim(outputs, rest[part], often)))
    places = np.argsort(~is_first, kind="stable")
    rows = np.empty(len(made), dtype=np.int64)
    rows[places] = np.concatenate([draw.rows for draw in draws])
    vectors = np.concatenate([np.asarray(draw.vectors) for draw in draws])
    return Draw(rows, vectors[np.argsort(places)]), places[: len(first.rows)]


def _thinned(landed: Ints1d, seen: Ints1d) -> tuple[Ints1d, Floats1d]:
    """Return MOST_SEEN draws of each output or fewer, and how many draws each stands for, float32.
    landed: draws by output. seen: (q,), the number of draws of each output."""
    sizes = np.minimum(seen, MOST_SEEN)
    output = np.repeat(np.arange(len(seen)), sizes)
    nth = np.arange(len(output)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    at = (np.cumsum(seen) - seen)[output] + nth * seen[output] // sizes[output]
    return landed[at], (seen[output] / sizes[output]).astype(np.float32)


def _by_distance(
    X: Floats2d, words: Ints1d, outputs: Ints1d, times: Ints1d, draws: tuple[Ints1d, Ints1d],
    output_counts: Ints1d,
) -> Estimate:  # fmt: skip
    """Return an estimate of P(output | word): g(distance) / Z_word of maximum likelihood, times the
    ratio of counted to predicted draws of the output.

    times: (m,), the draws of each word. draws: words and outputs (t,) of some of them.
    output_counts: (q,), the draws of each output.
    """
    source, seen = draws
    moved = np.linalg.norm(X[words[source]].astype(np.float64) - X[seen], axis=1)
    width = max(float(moved.max()), 1e-9) / (BINS - 2)
    some_times = np.bincount(source, minlength=len(words))
    others = np.setdiff1d(np.arange(len(X)), outputs)
    stride = max(1.0, len(others) / COMPARED)
    others = others[np.arange(0, len(others), stride).astype(np.int64)]
    compared = X[np.append(outputs, others)]

    def binned(of: Ints1d) -> tuple[Numbers2d, Floats2d]:
        """Return the bins of outputs (k, q), and the number of words in each bin (k, BINS)."""
        words_in_bin = np.empty((len(of), BINS))
        bins = np.empty((len(of), len(outputs)), dtype=np.uint8)
        for part in blocks(len(of), max(1, BINNED_AT_ONCE // len(compared))):
            at = _bins(_rough_distances(X[of[part]], compared), width)
            bins[part] = at[:, : len(outputs)]
            at += np.arange(len(at))[:, None] * BINS
            sides = at[:, : len(outputs)], at[:, len(outputs) :]
            counts = [np.bincount(side.ravel(), minlength=len(at) * BINS) for side in sides]
            words_in_bin[part] = (counts[0] + stride * counts[1]).reshape(-1, BINS)
        if stride > 1:
            words_in_bin[:, 0] = 1  # the word itself, whether or not it is compared
        return bins, words_in_bin

    bins, words_in_bin = binned(words)
    counts = np.bincount(_bins(moved, width), minlength=BINS)
    g, Z = np.ones(BINS), words_in_bin.sum(axis=1).astype(np.float64)
    is_empty = words_in_bin.sum(axis=0) == 0
    for _ in range(ROUNDS):
        g = (counts + 0.5) / np.maximum((some_times / Z) @ words_in_bin, 1e-300)
        g[is_empty] = 0.0
        Z = words_in_bin @ g

    def smooth(bins: Numbers2d, words_in_bin: Floats2d) -> Floats2d:
        Z = np.maximum(words_in_bin @ g, 1e-300)
        P = np.empty(bins.shape, dtype=np.float32)
        for part in blocks(len(bins), max(1, DISTANCES_AT_ONCE // max(1, bins.shape[1]))):
            # In float64: g of distances that only one word has may exceed float32.
            P[part] = np.clip(g[bins[part]] / Z[part, None], 0, 1)
        return P

    of_words = smooth(bins, words_in_bin)
    ratios = ((output_counts + 1) / (times @ of_words + 1)).astype(np.float32)
    of_words = np.clip(of_words * ratios, 0, 1)

    def estimate(of: Ints1d) -> Floats2d:
        if np.array_equal(of, words):
            return of_words
        return np.clip(smooth(*binned(of)) * ratios, 0, 1)

    return estimate


def _rough_distances(Z: Floats2d, X: Floats2d) -> Floats2d:
    """Return the distances (k, m), float32, 0 for the nearest ones: bins are wide."""
    Z, X = Z.astype(np.float32), X.astype(np.float32)
    sums = np.square(Z).sum(axis=1)[:, None] + np.square(X).sum(axis=1)
    S: Floats2d = sums - 2 * (Z @ X.T)
    S[S < NEARLY_EQUAL * sums] = 0
    return np.sqrt(S, out=S)


def _bins(D: Floats2d, width: float) -> Ints2d:
    """Return 0 for distance 0, and the last bin for distances above that of any draw."""
    D = np.ceil(D / np.float32(width)) if D.dtype == np.float32 else np.ceil(D / width)
    return np.clip(D, 0, BINS - 1, out=D).astype(np.int64)
