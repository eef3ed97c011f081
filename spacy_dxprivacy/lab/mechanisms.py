"""Mechanisms that are evaluated: their settings, the words that are probed, and epsilons."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..arrays import Floats1d, Ints1d
from ..errors import DxError, DxWarning, UsageError
from ..io.build import full_name, prior_config
from ..pipeline.component import DEFAULT_CONFIG
from ..privacy.randomness import Rng
from ..registries import registry
from ..space import Space
from ..space.sources import Filter, load
from ..ty import Mechanism, StatesProbabilities
from ..validate import fail, positive, whole
from .corpus import drawn

MOST_STEPS = 1000


def load_space(given: str, max_words: int | None = None) -> Space:
    """Load 'builtin', a saved space or a file of vectors, as a pipeline loads it."""
    space = load(given, Filter(max_words=max_words))
    if len(space) < 2:
        raise UsageError("the space holds a single word; give it more.")
    return space


def parse_epsilons(text: str) -> list[float]:
    """Parse "1:4:7" or "1.8,2.2"; raise UsageError for anything else."""
    try:
        if ":" not in text:
            return sorted({positive("epsilon", float(part)) for part in text.split(",")})
        low, high, steps = text.split(":")
        ends = positive("epsilon", float(low)), positive("epsilon", float(high))
        number = whole("steps", int(steps), least=2)
    except ValueError:
        raise UsageError(
            f"`epsilon` must be LOW:HIGH:STEPS or numbers above 0 with commas, got {text!r}."
        ) from None
    if ends[0] >= ends[1] or number > MOST_STEPS:
        raise UsageError(f"`epsilon` must increase, in {MOST_STEPS} steps at most, got {text!r}.")
    return sorted({float(f"{epsilon:.6g}") for epsilon in np.geomspace(*ends, number)})


def check_tunable(name: str, settings: dict[str, Any] | None = None) -> None:
    """Raise UsageError where epsilon alone does not make a mechanism, or it lacks a setting."""
    known = inspect.signature(registry.dx_mechanisms.get(name)).parameters
    if "epsilon" not in known:
        raise UsageError(f"{name} has no epsilon.")
    required = [p.name for p in known.values() if p.default is p.empty and p.name != "epsilon"]
    if required:
        raise UsageError(f"{name} has no default for {', '.join(required)}.")
    strange = [key for key in settings or () if key not in known]
    if strange:
        raise UsageError(f"{name} has no setting {strange[0]!r}. It has: {', '.join(known)}.")


def parse_mechanism(text: str) -> tuple[str, dict[str, Any]]:
    """Parse "path prior=WordFrequency policy=clinical" into its full name and a config.

    The config has no epsilon. Names may be short or full; a prior is one of @dx_priors.
    """
    name, *given = text.split() or [""]
    registered = full_name("dx_mechanisms", name)
    default = DEFAULT_CONFIG["mechanism"]
    is_default = registered == default["@dx_mechanisms"]
    settings: dict[str, Any] = {"prior": default["prior"]} if is_default else {}
    for setting in given:
        key, _, value = setting.partition("=")
        if not (key and value):
            raise UsageError(f"settings of a mechanism are NAME=VALUE, got {setting!r}.")
        settings[key] = prior_config(value) if key == "prior" else value
        with suppress(ValueError, TypeError):
            settings[key] = json.loads(settings[key])
    check_tunable(registered, settings)
    return " ".join([registered, *given]), {"@dx_mechanisms": registered, **settings}


def make_mechanism(given: str | dict[str, Any], space: Space, epsilon: float) -> Mechanism:
    """Return a mechanism that is fitted on the space. given: see unfitted."""
    with quiet():
        made = unfitted(given, epsilon)
        made.fit(space)
    return made


def unfitted(given: str | dict[str, Any], epsilon: float) -> Mechanism:
    """Return a mechanism without a space, and without its warning of a missing guarantee. given: a
    registered name, or a config as of parse_mechanism."""
    config = {"@dx_mechanisms": given} if isinstance(given, str) else given
    with quiet():
        made: Mechanism = registry.resolve({"made": {**config, "epsilon": epsilon}})["made"]
    return made


@contextmanager
def quiet() -> Iterator[None]:
    """Ignore the warnings of mechanisms without a guarantee."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DxWarning)
        yield


Make = Callable[[float], Mechanism]  # epsilon -> a mechanism fitted on a space

LOW, HIGH = 0.02, 0.98  # shares unchanged at the ends of a range
MOST_FACTORS, WIDEST = 40, 1000  # by a factor of 4 each; the range that is shown
SEARCH_WORDS, SEARCH_DRAWS = 48, 8  # enough to find a range


@dataclass(frozen=True)
class Probes:
    """Distinct words of a space, rows int64 (m,), and how often each counts, counts (m,)."""

    rows: Ints1d
    counts: Ints1d

    @property
    def size(self) -> int:
        """Number of words, repeats counted."""
        return int(self.counts.sum())

    @property
    def weights(self) -> Floats1d:
        """Share of each word, (m,); they sum to 1."""
        return np.asarray(self.counts / self.size)


def sampled(rows: Ints1d, frequencies: Any, size: int) -> Probes:
    """Return a systematic sample of rows (m,), proportional to frequencies (m,) above 0.

    With as many places as there are tokens, every token is taken.
    """
    size = whole("the number of words", size, least=1)
    if not len(rows):
        raise fail("rows", "one word or more", "none")
    ends = np.cumsum(np.asarray(frequencies, dtype=np.float64))
    places = (np.arange(size) + 0.5) * (ends[-1] / size)
    hit = np.minimum(np.searchsorted(ends, places, side="right"), len(rows) - 1)
    which, counts = np.unique(hit, return_counts=True)
    return Probes(np.asarray(rows, dtype=np.int64)[which], counts.astype(np.int64))


def running_text(n: int, size: int) -> Probes:
    """Return a sample by Zipf's law from a space of n words in the order of their frequency."""
    return sampled(np.arange(n), 1 / np.arange(1, n + 1), size)


def unchanged_share(mechanism: Mechanism, probes: Probes, draws: int = SEARCH_DRAWS) -> float:
    """Return the share of probed words that come out as themselves."""
    rows = probes.rows
    if isinstance(mechanism, StatesProbabilities):
        stay = mechanism.distribution(rows)[np.arange(len(rows)), rows]
    else:
        outputs = drawn(mechanism, np.repeat(rows, draws), Rng(seed=0)).rows
        stay = (outputs.reshape(-1, draws) == rows[:, None]).mean(axis=1)
    return float(probes.weights @ stay)


def epsilon_range(unchanged: Callable[[float], float]) -> tuple[float, float]:
    """Return the epsilons from about 2 % to about 98 % unchanged words.

    unchanged: epsilon -> a share that rises with it; it raises DxError where there is no mechanism,
    and the range then ends there. Where the share levels out before, so does the range.
    """

    @cache
    def share(epsilon: float) -> float:
        try:
            return unchanged(epsilon)
        except DxError:
            return np.nan

    tries = [4.0 ** (sign * i) for i in range(MOST_FACTORS) for sign in (1, -1)]
    start = next((e for e in tries if not np.isnan(share(e))), None)
    if start is None:
        unchanged(1.0)  # raises with the reason
        raise fail("epsilon", "one that works on this space", "none")
    ladder = [*_search(share, start, 1 / 4)[::-1], *_search(share, start, 4.0)[1:]]
    shares = np.array([share(e) for e in ladder])
    first = np.flatnonzero(shares <= max(LOW, shares[0] + 0.005))[-1]
    last = np.flatnonzero(shares >= min(HIGH, shares[-1] - 0.005))[0]
    if first >= last:
        return ladder[0], ladder[-1]
    low = _halved(share, ladder[first], ladder[first + 1], max(LOW, shares[0] + 0.005))
    return low[0], _halved(share, ladder[last - 1], ladder[last], min(HIGH, shares[-1] - 0.005))[1]


def epsilons_for(make: Make, rows: Ints1d, counts: Ints1d, steps: int = 6) -> list[float]:
    """Return `steps` epsilons in the range where rows (m,) of a text, which has counts (m,) of
    them, change, the largest at most WIDEST times the least."""
    few = sampled(rows, counts, min(SEARCH_WORDS, int(counts.sum())))
    low, high = epsilon_range(lambda epsilon: unchanged_share(make(epsilon), few))
    return evenly(low, min(high, WIDEST * low), steps)


def _search(share: Callable[[float], float], start: float, factor: float) -> list[float]:
    """Return steps from start until the share is HIGH (LOW for a factor below 1) or levels out, or
    nothing works. It is level before it begins to move as well, which does not count."""

    def part(epsilon: float) -> float:
        return share(epsilon) if factor > 1 else 1 - share(epsilon)

    path, level = [start], 0
    while len(path) < MOST_FACTORS and part(path[-1]) < HIGH and level < 2:
        here, ahead = path[-1], path[-1] * factor
        if np.isnan(part(ahead)):
            break
        level = level + 1 if abs(part(ahead) - part(here)) < 0.002 and part(ahead) > 0.1 else 0
        path.append(ahead)
    return path


def _halved(
    share: Callable[[float], float], low: float, high: float, aim: float
) -> tuple[float, float]:
    """Return a small part of low to high in which the share passes the aim."""
    for _ in range(4):
        middle = float(np.sqrt(low * high))
        if np.isnan(share(middle)):
            break
        low, high = (middle, high) if share(middle) <= aim else (low, middle)
    return low, high


def evenly(low: float, high: float, steps: int) -> list[float]:
    """Return `steps` epsilons of three digits, by equal factors from low to high."""
    return sorted({float(f"{e:.3g}") for e in np.geomspace(low, high, steps)})
