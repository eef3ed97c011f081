"""The most likely words of a sentence, given what each place may hold: Viterbi over a chain.

Paper  Viterbi 1967; Rabiner 1989, section III B
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import Floats1d, Ints1d, Numbers1d
from ..priors.chain import Chain

Place = tuple[
    Numbers1d, Floats1d
]  # the words that may stand at a place, and ln of what each weighs


@dataclass(frozen=True, eq=False, repr=False)
class _States:
    """The states of one place that some word leads to: the best word of each, and its ln weight."""

    states: Ints1d
    words: Ints1d
    logs: Floats1d


def most_likely(chain: Chain, places: list[Place]) -> Ints1d | None:
    """(m,): the words y and states z with the largest q(y, z) times the weights of the words; None
    where all of them have probability 0. Of a chain whose words have one state each, as those of
    word pairs do, these are the most likely words."""
    with np.errstate(divide="ignore"):
        some = [_states_of(chain, *place) for place in places]
        if not all(len(one.states) for one in some):
            return None
        logs = np.log(chain.begin[some[0].states].astype(np.float64)) + some[0].logs
        came: list[Ints1d] = []
        for before, here in pairwise(some):
            logs, best = _step(chain, before.states, logs, here.states)
            logs = logs + here.logs
            came.append(best)
        logs = logs + np.log(chain.end[some[-1].states].astype(np.float64))
    at = int(logs.argmax())
    if logs[at] == -np.inf:
        return None
    path = [at]
    for best in reversed(came):
        path.append(int(best[path[-1]]))
    return np.array([one.words[at] for one, at in zip(some, reversed(path), strict=True)])


def _states_of(chain: Chain, words: Numbers1d, logs: Floats1d) -> _States:
    """The best word of each state."""
    which, states, shares = _entries(chain, words)
    found = logs[which] + np.log(shares.astype(np.float64))
    order = np.lexsort((-which, found, states))
    best = order[np.flatnonzero(np.diff(states[order], append=-1) != 0)]
    return _States(states[best].astype(np.int64), words[which[best]].astype(np.int64), found[best])


def _entries(chain: Chain, words: Numbers1d) -> tuple[Ints1d, Numbers1d, Numbers1d]:
    """The places in `words`, states and shares of all that is not 0 in emit there."""
    if chain.one_state is not None:
        states, shares = chain.one_state
        return np.arange(len(words)), states[words], shares[words]
    part = chain.emit[words].tocoo()
    return part.row, part.col, part.data


def _step(chain: Chain, before: Ints1d, logs: Floats1d, here: Ints1d) -> tuple[Floats1d, Ints1d]:
    """For each state here: ln of the best way there, and from which of those before.

    T = back u + delta: the best way without delta is the same for all states. Where delta is 0 it
    is right, and elsewhere too low, and the way with delta is tried besides.
    """
    by_back = logs + np.log(chain.back[before].astype(np.float64))
    one = int(by_back.argmax())
    best = by_back[one] + np.log(chain.u[here].astype(np.float64))
    came = np.full(len(here), one)
    place, source, delta = chain.into(here, before)
    by_u = chain.back[before[source]].astype(np.float64) * chain.u[here[place]]
    direct = logs[source] + np.log(delta.astype(np.float64) + by_u)
    order = np.lexsort((direct, place))
    last = order[np.flatnonzero(np.diff(place[order], append=-1) != 0)]
    better = last[direct[last] > best[place[last]]]
    best[place[better]], came[place[better]] = direct[better], source[better]
    return best, came
