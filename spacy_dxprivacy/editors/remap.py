r"""The most likely original, given the release, by public knowledge alone (dx.Remap.v1).

    w = argmax q(w_1..w_n) product of P(y_i | w_i)       P: exp(-beta path) for dx.Path.v2, else the
                                                         probabilities that the mechanism states
            q: word pairs, or a causal language model where one is named (causal.py); of words
            drawn alone, on request the word of the least expected path in its place: the best
            response of a user who knows q and the mechanism, for whom a loss is a path
Privacy     post-processing of what was released: it costs nothing, and hides nothing. A reader with
            the same knowledge can do the same
Papers      Chatzikokolakis, ElSalamouny, Palamidessi 2017 (remapping of locations); Viterbi 1967;
            Rabiner 1989, section III B; Oya, Troncoso, Perez-Gonzalez 2017
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d, Numbers1d
from ..mechanisms.path_v2 import SentenceMechanism
from ..metric.policy_graph import Kernel
from ..prior.chain import Chain
from ..registries import registry
from ..sampler.alone import WordDraw
from ..space import Space
from ..ty import Mechanism, Prior, StatesProbabilities
from ..validate import fail

LIKELIEST = 64  # originals of a word that was released
NEAREST = 64  # candidates, where a mechanism states probabilities alone
CACHED = 2**12  # words

# The words that may stand at a place, and ln of what each weighs.
Place = tuple[Numbers1d, Floats1d]


class Remap:
    """See editors.make_remap. Candidates for a word are those near the word that was released."""

    name = "dx.Remap.v1"

    def __init__(self, prior: Prior | None = None) -> None:
        self.prior = prior
        self._fitted: Chain | None = None
        self._words: Sequence[str] = ()
        self._allowed: Bools1d | None = None
        self._kept: dict[int, Any] = {}  # what was found of a word

    def fit(self, space: Space, mechanism: Mechanism) -> Remap:
        """mechanism: fitted on the space. Raises DxError for one that cannot say how likely its
        outputs are."""
        if not isinstance(mechanism, SentenceMechanism | StatesProbabilities):
            expected = "null with a mechanism that does not state its probabilities"
            raise fail("editor", expected, mechanism.name)
        self._kept, self._words, self._allowed = {}, space.words, None
        if self.prior is None and isinstance(mechanism, SentenceMechanism):
            self._fitted = mechanism.built.before or mechanism.built.chain
        else:
            prior = self.prior or registry.dx_priors.get("dx.WordPairs.v1")()
            self._fitted = prior.fit(space)
        return self

    @property
    def _chain(self) -> Chain:
        if self._fitted is None:
            raise fail("editor", "fitted before it edits", self.name)
        return self._fitted

    def avoid(self, allowed: Callable[[str], bool]) -> None:
        """After fit: other words of the space are no candidates. allowed: see ty.Editor."""
        self._allowed = np.array([allowed(word) for word in self._words], dtype=bool)
        self._kept = {}

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
    ) -> Ints1d:
        """rows: int64 (k,), words of a release -> int64 (k,), the most likely originals.

        starts: bool (k,), where sentences begin; without it every word is taken alone. fixed: bool
        (k,), words that were in clear: they stay, and are context.
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
        """What the word that was released as `row` may have been, and ln of what each weighs; of
        candidates that may not come out, the word itself where there are no others."""
        if row not in self._kept:
            if len(self._kept) >= CACHED:
                self._kept = {}
            words, logs = find(row)
            if self._allowed is not None and not self._allowed[words].all():
                some = self._allowed[words]
                words, logs = (words[some], logs[some]) if some.any() else _only(row)
            self._kept[row] = words, logs
        found: Place = self._kept[row]
        return found

    # What was released by this process is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_kept": {}}


class NearestRemap(Remap):
    """See make_remap: with the path as loss."""

    def fit(self, space: Space, mechanism: Mechanism) -> NearestRemap:
        """As Remap does. Raises DxError for a mechanism that does not draw words alone by paths."""
        if not isinstance(mechanism, SentenceMechanism) or mechanism.draws_together:
            expected = "'changed' with a mechanism other than dx.Path.v2 on words drawn alone"
            raise fail("editor.loss", expected, "path")
        super().fit(space, mechanism)
        return self

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
    ) -> Ints1d:
        """As Remap.edit; words were drawn alone, so where sentences begin is not read."""
        prior, words = self._chain.unigram, cast(SentenceMechanism, mechanism).built.words
        stays = np.zeros(len(rows), dtype=bool) if fixed is None else fixed
        distinct = np.unique(rows[~stays]).tolist()
        if len(self._kept) + len(distinct) > CACHED:
            self._kept = {}
        for row in distinct:
            if row not in self._kept:
                self._kept[row] = _nearest_word(words, prior, row)
        new = rows.astype(np.int64)
        new[~stays] = [self._kept[row] for row in rows[~stays].tolist()]
        return new


def _only(row: int) -> Place:
    return np.array([row]), np.zeros(1)


def channel(mechanism: Mechanism, rows: Ints1d) -> Callable[[int], Place]:
    """For one of the words that were released: what it may have been, and ln P(it | each)."""
    if isinstance(mechanism, SentenceMechanism):
        kernel = mechanism.built.kernel
        kernel.prepare(rows.tolist())  # takes less time together

        def near(row: int) -> Place:
            words, extra = kernel.near(row)
            return words, np.log(kernel.outputs[words] + extra)

        return near
    states = cast(StatesProbabilities, mechanism)

    def stated(row: int) -> Place:
        P = states.distribution(np.array([row]))[0]
        words = np.union1d(np.argsort(-P, kind="stable")[:NEAREST], [row])
        with np.errstate(divide="ignore"):
            return words, np.log(states.distribution(words)[:, row].astype(np.float64))

    return stated


def _nearest_word(words: WordDraw, prior: Floats1d, row: int) -> int:
    """The v with the least sum over w of P(w | row) path(w, v).

    words: how each was drawn. prior: float64 (n,), how likely originals are, up to a factor. Only
    the likeliest are looked at; all others count as if they were as far as may be, over both radii,
    and had a Z as these have.
    """
    kernel = words.kernel
    near, extra = kernel.near(row)
    scores = prior * kernel.outputs
    scores[near] += prior[near] * extra
    most = min(LIKELIEST, len(scores))
    some: Ints1d = np.union1d(np.argpartition(-scores, most - 1)[:most], [row])
    kernel.prepare(some.tolist())
    radii = kernel.graph.radii[some] / kernel.graph.quanta
    logs = words.log_sums(some) - kernel.beta * (radii - radii.min())
    likely = scores[some] * np.exp(logs.mean() - logs)
    rest = max(0.0, float(scores.sum() - scores[some].sum()))
    costs = likely @ _distances(kernel, some) + rest * radii
    return int(some[costs.argmin()])


def _distances(kernel: Kernel, some: Ints1d) -> Any:
    """float64 (k, k), the path between each two of the words that it is drawn by."""
    radii = kernel.graph.radii[some] / kernel.graph.quanta
    weights = np.stack([kernel.weights(row, some) for row in some.tolist()])
    least = kernel.graph.radii.min() / kernel.graph.quanta
    return radii[:, None] + least - np.log(weights) / kernel.beta


# -- Viterbi over a chain --------------------------------------------------------------------------


class _States(NamedTuple):
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
    if chain.one_state is not None:
        of_word, share = chain.one_state
        which, states, shares = np.arange(len(words)), of_word[words], share[words]
    else:
        part = chain.emit[words].tocoo()
        which, states, shares = part.row, part.col, part.data
    found = logs[which] + np.log(shares.astype(np.float64))
    order = np.lexsort((-which, found, states))
    best = order[np.flatnonzero(np.diff(states[order], append=-1) != 0)]
    return _States(states[best].astype(np.int64), words[which[best]].astype(np.int64), found[best])


def _step(chain: Chain, before: Ints1d, logs: Floats1d, here: Ints1d) -> tuple[Floats1d, Ints1d]:
    """For each state here: ln of the best path there, and from which of those before.

    T = back u + delta: the best path without delta is the same for all states. Where delta is 0 it
    is right, and elsewhere too low, and the path with delta is tried besides.
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
