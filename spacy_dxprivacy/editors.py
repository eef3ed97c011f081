r"""The most likely original, given the release, by public knowledge alone (dx.Remap.v1).

    w = argmax q(w_1..w_n) product of P(y_i | w_i)       P: exp(-beta path) for dx.Path.v2, else the
                                                         probabilities that the mechanism states
            q: word pairs
Privacy     post-processing of the release: it costs nothing and hides nothing; a reader with the
            same knowledge can do the same
Papers      Chatzikokolakis, ElSalamouny, Palamidessi 2017 (remapping of locations); Viterbi 1967;
            Rabiner 1989, section III B
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from .arrays import Bools1d, Floats1d, Ints1d, Numbers1d
from .mechanisms.path_v2 import SentenceMechanism
from .prior.chain import Chain, Prior
from .registries import registry
from .space import Space
from .ty import Mechanism, StatesProbabilities
from .validate import fail

MOST_CANDIDATES = 64
CACHED = 2**12  # words

# Candidates for one word, and their emission log-likelihoods.
Place = tuple[Numbers1d, Floats1d]


class Remap:
    """See make_remap. Candidates are the words near the released one."""

    name = "dx.Remap.v1"

    def __init__(self, prior: Prior | None = None) -> None:
        self.prior = prior
        self._fitted: Chain | None = None
        self._allowed: Bools1d | None = None
        self._cache: dict[int, Any] = {}  # by released row

    def fit(
        self, space: Space, mechanism: Mechanism, allowed: Callable[[str], bool] | None = None
    ) -> Remap:
        """Take a fitted mechanism; raise DxError for one without output probabilities."""
        if not isinstance(mechanism, SentenceMechanism | StatesProbabilities):
            expected = "null with a mechanism that does not state its probabilities"
            raise fail("editor", expected, mechanism.name)
        self._cache, self._allowed = {}, None
        if allowed is not None:
            self._allowed = np.array([allowed(word) for word in space.words], dtype=bool)
        if self.prior is None and isinstance(mechanism, SentenceMechanism):
            fitted = mechanism.built.chain
        else:
            prior = self.prior or registry.dx_priors.get("dx.WordPairs.v1")()
            fitted = prior.fit(space)
        self._fitted = fitted
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
        find = channel(mechanism, rows[~stays])
        if starts is None:
            with np.errstate(divide="ignore"):
                for at in np.flatnonzero(~stays).tolist():
                    words, logs = self.place(int(rows[at]), find)
                    new[at] = words[(logs + np.log(chain.unigram[words])).argmax()]
            return new
        first = np.flatnonzero(starts)
        for begin, end in zip(first.tolist(), [*first[1:].tolist(), len(rows)], strict=True):
            pairs = zip(new[begin:end].tolist(), stays[begin:end].tolist(), strict=True)
            places = [_only(row) if stay else self.place(row, find) for row, stay in pairs]
            found = most_likely(chain, places)
            if found is not None:
                new[begin:end] = found
        return new

    def place(self, row: int, find: Callable[[int], Place]) -> Place:
        """Return the candidates for a released row; the row itself where all are excluded."""
        if row not in self._cache:
            if len(self._cache) >= CACHED:
                self._cache = {}
            words, logs = find(row)
            if self._allowed is not None and not self._allowed[words].all():
                some = self._allowed[words]
                words, logs = (words[some], logs[some]) if some.any() else _only(row)
            self._cache[row] = words, logs
        return cast(Place, self._cache[row])

    # A copy must not hold words that this process released.
    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_cache": {}}


def _only(row: int) -> Place:
    return np.array([row]), np.zeros(1)


def channel(mechanism: Mechanism, rows: Ints1d) -> Callable[[int], Place]:
    """Return a function from a released row to its candidates and ln P(row | candidate)."""
    if isinstance(mechanism, SentenceMechanism):
        kernel = mechanism.built.kernel
        kernel.prepare(rows.tolist())  # faster together

        def near(row: int) -> Place:
            words, extra = kernel.nearer_words(row)
            return words, np.log(kernel.outputs[words] + extra)

        return near
    states = cast(StatesProbabilities, mechanism)

    def stated(row: int) -> Place:
        P = states.distribution(np.array([row]))[0]
        words = np.union1d(np.argsort(-P, kind="stable")[:MOST_CANDIDATES], [row])
        with np.errstate(divide="ignore"):
            return words, np.log(states.distribution(words)[:, row].astype(np.float64))

    return stated


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
        prior: Public language model; that of the mechanism if None, else dx.WordPairs.v1.
    """
    if prior is not None and not isinstance(prior, Prior):
        raise fail("prior", "a prior of @dx_priors, with name, draws and fit(space)", type(prior))
    return Remap(prior)
