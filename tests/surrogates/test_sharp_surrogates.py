"""Shifts of dates, noise on numbers, keyed draws: scale to 2 %, range, uniformity."""

import random
from functools import cache

import numpy as np
import pytest
from scipy.stats import chisquare

from spacy_dxprivacy import Rng, registry
from spacy_dxprivacy.surrogates import Draws, Mention
from spacy_dxprivacy.surrogates.base import WORD, Keyed, digits

TIMES = 100_000
SIGMAS = 4


class Quick(random.Random):
    """A stream of integers that takes a fifth of the time of the secure one, one by one."""

    def integers(self, high, k):
        return [self.randrange(high) for _ in range(k)]


def made(name, **settings):
    return registry.dx_surrogates.get(name)(**settings)


def follows(sizes, mean, deviation):
    """The mean of |noise| is as stated, within an error that 2 % would pass by far."""
    error = deviation / np.sqrt(len(sizes))
    assert 0.02 * mean > 1.5 * SIGMAS * error
    return abs(np.mean(sizes) - mean) < SIGMAS * error


def of_geometric(rate):
    """|k| for P[k] proportional to exp(-rate |k|): its mean and standard deviation."""
    q = np.exp(-rate)
    mean = 2 * q / (1 - q**2)
    return mean, np.sqrt(2 * q / (1 - q) ** 2 - mean**2)


@cache
def shifts(**settings):
    shift, rng = made("dx.DateShift.v1", **settings), Quick(5)
    return np.array([shift.shift(rng) for _ in range(TIMES)])


@pytest.mark.parametrize(("settings", "step"), [({"epsilon": 0.04}, 1),
                                                ({"epsilon": 0.02, "weeks": True}, 7)])  # fmt: skip
def test_a_shift_by_epsilon_is_as_wide_as_stated_and_goes_both_ways(settings, step):
    days = shifts(**settings)
    assert (days % step == 0).all()
    assert follows(np.abs(days) / step, *of_geometric(step * settings["epsilon"]))
    assert abs(np.sign(days).sum()) < SIGMAS * np.sqrt(TIMES)


@pytest.mark.parametrize(("settings", "step"), [({"window": 10}, 1),
                                                ({"window": 24, "weeks": True}, 7)])  # fmt: skip
def test_a_shift_within_a_window_is_uniform_over_all_of_it(settings, step):
    most = settings["window"] // step
    steps, counts = np.unique(shifts(**settings) / step, return_counts=True)
    assert np.array_equal(steps, np.arange(-most, most + 1))
    assert chisquare(counts).pvalue > 1e-4
    guarantee = made("dx.DateShift.v1", **settings).guarantee
    assert guarantee.delta == pytest.approx(1 / len(steps)) and guarantee.epsilon == 0


def test_one_shift_moves_all_dates_of_a_document_and_one_number_of_hours_all_times():
    shift = made("dx.DateShift.v1", epsilon=0.01)
    texts = ["2019-03-01", "2019-03-31", "10:05", "12:05"]
    hours = set()
    for seed in range(200):
        mentions = [Mention(text, "DATE") for text in texts]
        first, last, one, other = shift.replace(mentions, Draws(Rng(seed=seed)))
        assert np.datetime64(last) - np.datetime64(first) == np.timedelta64(30, "D")
        early, late = (int(text.partition(":")[0]) for text in (one, other))
        assert (late - early) % 24 == 2
        hours.add((early - 10) % 24)
    assert hours == set(range(24))


@pytest.mark.parametrize(("settings", "mean"), [
    ({"epsilon": 4.0}, 1 / 4), ({"epsilon": 5.0, "scale": "absolute", "unit": 20.0}, 20 / 5),
])  # fmt: skip
def test_noise_on_a_number_is_as_wide_as_stated(settings, mean):
    """One number at epsilon 4 and 20 units at 5, in steps too fine to be seen."""
    number, draws = made("dx.Number.v1", **settings), Draws(Quick(9))
    drawn = number.replace([Mention("100000.000000", "CARDINAL")] * TIMES, draws)
    values = np.array([float(text) for text in drawn])
    if "scale" in settings:
        noise = values - 1e5
    else:
        noise = np.log1p(values) - np.log1p(1e5)
    assert follows(np.abs(noise), mean, mean)  # of Laplace noise
    assert abs(np.sign(noise).sum()) < SIGMAS * np.sqrt(TIMES)


@pytest.mark.parametrize("high", [3, 10, 3 * 2**30, 2**31 + 1])
def test_keyed_integers_are_uniform_also_where_a_remainder_would_be_seen(high):
    """Below 3 * 2**30 the remainders of 32 bits come twice as often in the first third."""
    drawn = np.array(Keyed(b"k" * 32, "a stream").integers(high, 30_000))
    assert drawn.min() >= 0 and drawn.max() < high <= WORD
    bins = min(high, 12)
    counts = np.bincount(drawn * bins // high, minlength=bins)
    edges = -(-np.arange(bins + 1) * high // bins)
    assert chisquare(counts, np.diff(edges) / high * len(drawn)).pvalue > 1e-4


def test_keyed_digits_are_uniform():
    text = digits(30_000, Keyed(b"k" * 32, "another stream"))
    assert chisquare(np.bincount([int(digit) for digit in text])).pvalue > 1e-4
