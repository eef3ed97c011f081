r"""Replace a release by its most likely original, given public knowledge alone (dx.Remap.v1).

    w = argmax q(w_1..w_n) product of exp(-beta path(w_i, y_i))       q: word pairs
Privacy     post-processing of the release: no privacy loss and no gain, since any reader with the
            same knowledge can compute it
Papers      Chatzikokolakis, ElSalamouny, Palamidessi 2017 (remapping of locations); Viterbi 1967;
            Rabiner 1989, section III B
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d, Numbers1d
from ..mechanisms.path_v2 import SentenceMechanism
from ..metric.policy_graph import Kernel
from ..prior.chain import Chain, Prior
from ..registries import registry
from ..space import Space
from ..ty import Mechanism
from ..validate import fail

Candidates = tuple[Numbers1d, Floats1d]  # rows for a released word, and their log-likelihoods


@registry.dx_editors("dx.Remap.v1")
class Remap:
    """Replace released words by the most likely originals. The candidates for a word are those near
    it.

    Args:
        prior: The public language model; that of the mechanism if None.
    """

    name = "dx.Remap.v1"

    def __init__(self, prior: Prior | None = None) -> None:
        if prior is not None and not isinstance(prior, Prior):
            raise fail(
                "prior", "a prior of @dx_priors, with name, draws and fit(space)", type(prior)
            )
        self.prior = prior
        self._fitted: Chain | None = None
        self._allowed: Bools1d | None = None

    def fit(
        self, space: Space, mechanism: Mechanism, allowed: Callable[[str], bool] | None = None
    ) -> Remap:
        """Fit to a fitted dx.Path.v2. Raise DxError for other mechanisms; see ty.Editor."""
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

        Fixed words are in plaintext, and serve as context.
        """
        chain, edited = self._chain, rows.astype(np.int64)
        is_fixed = np.zeros(len(rows), dtype=bool) if fixed is None else fixed
        kernel = cast(SentenceMechanism, mechanism).built.kernel
        kernel.prepare(rows[~is_fixed].tolist())  # faster in one batch
        if starts is None:
            with np.errstate(divide="ignore"):
                for i in np.flatnonzero(~is_fixed).tolist():
                    words, logs = self._candidates(int(rows[i]), kernel)
                    edited[i] = words[(logs + np.log(chain.unigram[words])).argmax()]
            return edited
        for begin, end in pairwise([*np.flatnonzero(starts).tolist(), len(rows)]):
            pairs = zip(edited[begin:end].tolist(), is_fixed[begin:end].tolist(), strict=True)
            sentence = [_single(r) if stay else self._candidates(r, kernel) for r, stay in pairs]
            if (path := most_likely(chain, sentence)) is not None:
                edited[begin:end] = path
        return edited

    def _candidates(self, row: int, kernel: Kernel) -> Candidates:
        """Return the candidates for a released row; the row itself if all are excluded."""
        words, extra = kernel.nearer_words(row)
        if self._allowed is not None:
            allowed = self._allowed[words]
            if not allowed.any():
                return _single(row)
            words, extra = words[allowed], extra[allowed]
        return words, np.log(kernel.outputs[words] + extra)


def _single(row: int) -> Candidates:
    return np.array([row]), np.zeros(1)


# -- Viterbi over a chain --------------------------------------------------------------------------


class _States(NamedTuple):
    """The reachable states at one position: the best word of each, and its log-likelihood."""

    states: Ints1d
    words: Ints1d
    logs: Floats1d


def most_likely(chain: Chain, sentence: list[Candidates]) -> Ints1d | None:
    """Return the words (m,) of the likeliest sequence of words and states; None at probability 0.

    If each word has one state, as in chains of word pairs, these are the most likely words. In
    chains with contexts, the paths through a context and through its base are not added up.
    """
    with np.errstate(divide="ignore"):
        positions = [_best_words(chain, *candidates) for candidates in sentence]
        if not all(len(position.states) for position in positions):
            return None
        logs = np.log(chain.begin[positions[0].states].astype(np.float64)) + positions[0].logs
        predecessors: list[Ints1d] = []
        for previous, current in pairwise(positions):
            logs, best = _step(chain, previous.states, logs, current.states)
            logs = logs + current.logs
            predecessors.append(best)
        logs = logs + np.log(chain.end[positions[-1].states].astype(np.float64))
    last = int(logs.argmax())
    if logs[last] == -np.inf:
        return None
    path = [last]
    for best in reversed(predecessors):
        path.append(int(best[path[-1]]))
    return np.array([p.words[i] for p, i in zip(positions, reversed(path), strict=True)])


def _best_words(chain: Chain, words: Numbers1d, logs: Floats1d) -> _States:
    """Return the states of candidates, with the best word of each."""
    if chain.one_state is not None:
        state_of, share_of = chain.one_state
        candidate, states, shares = np.arange(len(words)), state_of[words], share_of[words]
    else:
        emissions = chain.emit[words].tocoo()
        candidate, states, shares = emissions.row, emissions.col, emissions.data
    scores = logs[candidate] + np.log(shares.astype(np.float64))
    order = np.lexsort((-candidate, scores, states))
    best = order[_last_indices(states[order])]
    types, best_words = states[best].astype(np.int64), words[candidate[best]].astype(np.int64)
    # A context has the words of its base.
    position = np.searchsorted(types, chain.base)
    contexts = np.flatnonzero(np.append(types, -1)[position] == chain.base)
    source = np.append(np.arange(len(types)), position[contexts])
    states = np.append(types, chain.types + contexts)
    return _States(states, best_words[source], scores[best][source])


def _last_indices(sorted_numbers: Numbers1d) -> Ints1d:
    """Return the index of the last occurrence of each number."""
    return np.flatnonzero(np.diff(sorted_numbers, append=-1) != 0)


def _step(
    chain: Chain, previous: Ints1d, logs: Floats1d, states: Ints1d
) -> tuple[Floats1d, Ints1d]:
    """Return for each of the next states the log-likelihood of its best path, and its predecessor.

    T = back u + delta. Without delta, the best predecessor is the same for all states. That is
    exact where delta is 0, and a lower bound elsewhere, where paths with delta are tried as well.
    """
    K, u = chain.types, chain.zero_pad_to_states(chain.u).astype(np.float64)
    # Per type, the best of it and its contexts, since a context backs off to its base.
    type_of = chain.expand_to_states(np.arange(K))[previous]
    by_type = logs + np.log(np.append(np.ones(K), chain.lower)[previous])
    order = np.lexsort((by_type, type_of))
    best_of_type = order[_last_indices(type_of[order])]
    types, by_type = type_of[best_of_type], by_type[best_of_type]
    by_back = by_type + np.log(chain.back[types].astype(np.float64))
    backed_off = int(by_back.argmax())
    best = by_back[backed_off] + np.log(u[states])
    predecessors = np.full(len(states), best_of_type[backed_off])
    target, source, delta = chain.transitions(states, types)
    by_u = chain.back[types[source]].astype(np.float64) * u[states[target]]
    direct = by_type[source] + np.log(delta.astype(np.float64) + by_u)
    # Transitions of contexts themselves.
    contexts = np.flatnonzero(previous >= K)
    context_target, context, context_delta = chain.transitions(states, previous[contexts])
    target = np.append(target, context_target)
    source = np.append(best_of_type[source], contexts[context])
    direct = np.append(direct, logs[contexts[context]] + np.log(context_delta.astype(np.float64)))
    order = np.lexsort((direct, target))
    last = order[_last_indices(target[order])]
    better = last[direct[last] > best[target[last]]]
    best[target[better]], predecessors[target[better]] = direct[better], source[better]
    return best, predecessors
