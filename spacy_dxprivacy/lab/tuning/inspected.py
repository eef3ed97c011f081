"""One word of a space: its neighbours, what it becomes, and how often it stays over epsilon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...about import __version__
from ...arrays import Floats1d, Ints1d
from ...errors import UsageError
from ...space import Space
from ...ty import Mechanism
from . import (
    Bench,
    Outputs,
    Probes,
    epsilon_range,
    evenly,
    nearest_by,
    nearest_others,
    outputs_of,
)
from .settings import make_mechanism, short

STEPS = 10
STAY_DRAWS = 200  # for each epsilon, where nothing is exact


@dataclass(frozen=True)
class Inspected:
    """row: of the word. mechanism: fitted, at this epsilon. euclid: (k,), the rows of its nearest
    words; own: rows and distances (k,) of those in the metric of the guarantee, None where it is in
    none of the space. stays: (epsilon, how often the word comes out as itself)."""

    space: Space
    row: int
    mechanism: Mechanism
    epsilon: float
    euclid: Ints1d
    own: tuple[Ints1d, Floats1d] | None
    outputs: Outputs
    stays: list[tuple[float, float]]

    @property
    def by_euclid(self) -> list[tuple[str, float]]:
        """The nearest words, with their distances."""
        space = self.space
        gaps = space.vectors[self.euclid].astype(np.float64) - space.vectors[self.row]
        return self._named(self.euclid, np.linalg.norm(gaps, axis=1))

    @property
    def by_metric(self) -> list[tuple[str, float]]:
        """The same in the metric of the guarantee; empty where it is in none of the space."""
        return [] if self.own is None else self._named(*self.own)

    @property
    def becomes(self) -> list[tuple[str, float]]:
        """The outputs, the likeliest first, with their shares."""
        return self._named(self.outputs.rows, self.outputs.shares)

    def _named(self, rows: Ints1d, values: Floats1d) -> list[tuple[str, float]]:
        pairs = zip(rows.tolist(), values.tolist(), strict=True)
        return [(self.space.words[row], value) for row, value in pairs]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for json. It names the word."""
        return {
            "spacy_dxprivacy": __version__,
            "space": f"{self.space.name} ({self.space.digest})",
            "word": self.space.words[self.row],
            "mechanism": self.mechanism.name,
            "epsilon": self.epsilon,
            "exact": self.outputs.exact,
            "metric": self.mechanism.guarantee.metric,
            "nearest_by_euclid": [list(pair) for pair in self.by_euclid],
            "nearest_by_metric": [list(pair) for pair in self.by_metric],
            "outputs": [list(pair) for pair in self.becomes],
            "stays": [list(pair) for pair in self.stays],
        }


def inspect_word(
    space: Space,
    word: str,
    name: str,
    epsilon: float,
    *,
    k: int = 10,
    draws: int = 2000,
    epsilons: list[float] | None = None,
    on_step: Callable[[str], Any] | None = None,
) -> Inspected:
    """name: of a registered mechanism. k: how many neighbours. draws: in simulations. epsilons: at
    which to ask how often the word stays; None for a range that is found. on_step: called with what
    is done, at each of them.

    Raises UsageError where the space does not hold the word, DxError where there is no mechanism.
    """
    row = space.find(word)
    if row < 0:
        raise UsageError("the space does not hold this word.")
    make = partial(make_mechanism, name, space)
    fitted = make(epsilon)
    found = look_at(space, row, fitted, epsilon, k=k, draws=draws)
    bench = Bench(space.vectors, _one(row), k=1, draws=min(draws, STAY_DRAWS))
    tell = on_step or (lambda step: None)

    def unchanged(at: float) -> float:
        tell(f"{short(name)}: over epsilon")
        return bench.unchanged(make(at))

    over = evenly(*epsilon_range(unchanged), STEPS) if epsilons is None else epsilons
    return replace(found, stays=[(at, unchanged(at)) for at in over])


def look_at(
    space: Space, row: int, mechanism: Mechanism, epsilon: float, *, k: int, draws: int
) -> Inspected:
    """A word by its row, as other spellings lead to it as well, with no `stays`. mechanism: fitted
    on the space, at this epsilon. k: how many neighbours. draws: where nothing is exact."""
    near = nearest_others(space.vectors, np.array([row]), min(k, len(space) - 1))[0]
    own, outputs = nearest_by(mechanism, row, k), outputs_of(mechanism, row, draws=draws)
    return Inspected(space, row, mechanism, epsilon, near, own, outputs, [])


def _one(row: int) -> Probes:
    return Probes(np.array([row], dtype=np.int64), np.ones(1, dtype=np.int64))
