r"""The most likely original, given the release, by public knowledge alone (dx.Remap.v1).

    w = argmax q(w_1..w_n) product of exp(-beta path(w_i, y_i))       q: word pairs
Privacy     post-processing of the release: it costs nothing and hides nothing; a reader with the
            same knowledge can do the same
Papers      Chatzikokolakis, ElSalamouny, Palamidessi 2017 (remapping of locations); Viterbi 1967;
            Rabiner 1989, section III B
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np

from .arrays import Bools1d, Floats1d, Ints1d, Numbers1d
from .mechanisms.path_v2 import SentenceMechanism
from .metric.policy_graph import Kernel
from .prior.chain import Chain, Prior
from .registries import registry
from .space import Space
from .ty import Mechanism
from .validate import fail

# Candidates for one word, and their emission log-likelihoods.
Place = tuple[Numbers1d, Floats1d]


class Remap:
    """See make_remap. Candidates are the words near the released one."""

    name = "dx.Remap.v1"

    def __init__(self, prior: Prior | None = None) -> None:
        self.prior = prior
        self._fitted: Chain | None = None
        self._allowed: Bools1d | None = None

    def fit(
        self, space: Space, mechanism: Mechanism, allowed: Callable[[str], bool] | None = None
    ) -> Remap:
        """Take a fitted dx.Path.v2; raise DxError for another mechanism."""
        if not isinstance(mechanism, SentenceMechanism):
            raise fail("editor", "null with a mechanism other than dx.Path.v2", mechanism.name)
        self._allowed = None
        if allowed is not None:
            self._allowed = np.array([allowed(word) for word in space.words], dtype=bool)
        self._fitted = self.prior.fit(space) if self.prior else mechanism.built.chain
        return self

    @property
    def _chain(self) -> Chain:
        if self._fitted is None:
            raise fail("editor", "fitted before it edits", self.name)
        return self._fitted

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
    ) -> Ints1d:
        """Return the most likely originals of released words, int64 (k,); see ty.Editor.

        Fixed words are plaintext: they stay, and are context.
        """
        chain, new = self._chain, rows.astype(np.int64)
        stays = np.zeros(len(rows), dtype=bool) if fixed is None else fixed
        kernel = cast(SentenceMechanism, mechanism).built.kernel
        kernel.prepare(rows[~stays].tolist())  # faster together
        if starts is None:
            with np.errstate(divide="ignore"):
                for at in np.flatnonzero(~stays).tolist():
                    words, logs = self._place(int(rows[at]), kernel)
                    new[at] = words[(logs + np.log(chain.unigram[words])).argmax()]
            return new
        first = np.flatnonzero(starts)
        for begin, end in zip(first.tolist(), [*first[1:].tolist(), len(rows)], strict=True):
            pairs = zip(new[begin:end].tolist(), stays[begin:end].tolist(), strict=True)
            places = [_only(row) if stay else self._place(row, kernel) for row, stay in pairs]
            found = most_likely(chain, places)
            if found is not None:
                new[begin:end] = found
        return new

    def _place(self, row: int, kernel: Kernel) -> Place:
        """Return the candidates for a released row; the row itself where all are excluded."""
        words, extra = kernel.nearer_words(row)
        if self._allowed is not None:
            allowed = self._allowed[words]
            if not allowed.any():
                return _only(row)
            words, extra = words[allowed], extra[allowed]
        return words, np.log(kernel.outputs[words] + extra)


def _only(row: int) -> Place:
    return np.array([row]), np.zeros(1)


# -- Viterbi over a chain --------------------------------------------------------------------------


class _States(NamedTuple):
    """The reachable states of one place: the best word of each, and its log-likelihood."""

    states: Ints1d
    words: Ints1d
    logs: Floats1d


def most_likely(chain: Chain, places: list[Place]) -> Ints1d | None:
    """Return the words (m,) of the likeliest sequence of words and states; None at probability 0.

    Where each word has one state, as in chains of word pairs, these are the most likely words. With
    contexts, what follows one by its base and what follows it alone are not added up.
    """
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
    """Return the best word of each state."""
    if chain.one_state is not None:
        of_word, share = chain.one_state
        which, states, shares = np.arange(len(words)), of_word[words], share[words]
    else:
        part = chain.emit[words].tocoo()
        which, states, shares = part.row, part.col, part.data
    scores = logs[which] + np.log(shares.astype(np.float64))
    order = np.lexsort((-which, scores, states))
    best = order[_last_of_each(states[order])]
    types, chosen = states[best].astype(np.int64), words[which[best]].astype(np.int64)
    # Contexts have the words of their bases.
    place = np.searchsorted(types, chain.base)
    there = np.flatnonzero(np.append(types, -1)[place] == chain.base)
    of = np.append(np.arange(len(types)), place[there])
    return _States(np.append(types, chain.types + there), chosen[of], scores[best][of])


def _last_of_each(sorted_numbers: Numbers1d) -> Ints1d:
    """Return the last place of each number."""
    return np.flatnonzero(np.diff(sorted_numbers, append=-1) != 0)


def _step(chain: Chain, before: Ints1d, logs: Floats1d, here: Ints1d) -> tuple[Floats1d, Ints1d]:
    """Return for each state ln of the best path to it, and its predecessor.

    T = back u + delta: without delta the best predecessor is the same for all states. That is exact
    where delta is 0 and too low elsewhere, where the path with delta is tried as well.
    """
    K, u = chain.types, chain.zero_pad_to_states(chain.u).astype(np.float64)
    # By the types: a context goes on as its base does.
    type_of = chain.expand_to_states(np.arange(K))[before]
    by_type = logs + np.log(np.append(np.ones(K), chain.lower)[before])
    order = np.lexsort((by_type, type_of))
    of = order[_last_of_each(type_of[order])]
    types, by_type = type_of[of], by_type[of]
    by_back = by_type + np.log(chain.back[types].astype(np.float64))
    one = int(by_back.argmax())
    best = by_back[one] + np.log(u[here])
    came = np.full(len(here), of[one])
    place, source, delta = chain.transitions(here, types)
    by_u = chain.back[types[source]].astype(np.float64) * u[here[place]]
    direct = by_type[source] + np.log(delta.astype(np.float64) + by_u)
    # By the contexts alone.
    alone = np.flatnonzero(before >= K)
    to, place_of, more = chain.transitions(here, before[alone])
    place, source = np.append(place, to), np.append(of[source], alone[place_of])
    direct = np.append(direct, logs[alone[place_of]] + np.log(more.astype(np.float64)))
    order = np.lexsort((direct, place))
    last = order[_last_of_each(place[order])]
    better = last[direct[last] > best[place[last]]]
    best[place[better]], came[place[better]] = direct[better], source[better]
    return best, came


@registry.dx_editors("dx.Remap.v1")
def make_remap(prior: Prior | None = None) -> Remap:
    """Replace released words by the most likely originals, by public knowledge alone.

    Args:
        prior: Public language model; that of the mechanism if None.
    """
    if prior is not None and not isinstance(prior, Prior):
        raise fail("prior", "a prior of @dx_priors, with name, draws and fit(space)", type(prior))
    return Remap(prior)
