r"""The most likely original, given the release, by public knowledge alone (dx.Remap.v1).

    w = argmax q(w_1..w_n) product of P(y_i | w_i)       P: exp(-beta path) for dx.Path.v2, else the
                                                         probabilities that the mechanism states
            q: word pairs, or a causal language model where one is named (causal.py); of words
            drawn alone, on request the word of the least expected path in its place: the best
            response of a user who knows q and the mechanism, for whom a loss is a path
Privacy     post-processing of what was released: it costs nothing, and hides nothing. A reader with
            the same knowledge can do the same
Papers      Chatzikokolakis, ElSalamouny, Palamidessi 2017 (remapping of locations); Viterbi 1967;
            Oya, Troncoso, Perez-Gonzalez 2017
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Numbers1d
from ..graph.policy_graph import Kernel
from ..mechanisms.path_v2 import SentenceMechanism
from ..priors.chain import Chain
from ..registries import registry
from ..sentences.alone import WordDraw
from ..space import Space
from ..ty import Mechanism, Prior, StatesProbabilities
from ..validate import fail
from .viterbi import Place, most_likely

LIKELIEST = 64  # originals of a word that was released
NEAREST = 64  # candidates, where a mechanism states probabilities alone
CACHED = 2**12  # words


class Remap:
    """See editors.make_remap. Candidates for a word are those near the word that was released."""

    name = "dx.Remap.v1"

    def __init__(self, prior: Prior | None = None) -> None:
        self.prior = prior
        self._chain: Chain | None = None
        self._words: Sequence[str] = ()
        self._allowed: Bools1d | None = None
        self._places: dict[int, Place] = {}

    def fit(self, space: Space, mechanism: Mechanism) -> Remap:
        """mechanism: fitted on the space. Raises DxError for one that cannot say how likely its
        outputs are."""
        if not isinstance(mechanism, SentenceMechanism | StatesProbabilities):
            expected = "null with a mechanism that does not state its probabilities"
            raise fail("editor", expected, mechanism.name)
        self._places, self._words, self._allowed = {}, space.words, None
        if self.prior is None and isinstance(mechanism, SentenceMechanism):
            self._chain = mechanism.built.before or mechanism.built.chain
        else:
            prior = self.prior or registry.dx_priors.get("dx.WordPairs.v1")()
            self._chain = prior.fit(space)
        return self

    def avoid(self, allowed: Callable[[str], bool]) -> None:
        """After fit: other words of the space are no candidates. allowed: see ty.Avoids."""
        self._allowed = np.array([allowed(word) for word in self._words], dtype=bool)
        self._places = {}

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        between: list[str] | None = None,
    ) -> Ints1d:
        """rows: int64 (k,), words of a release -> int64 (k,), the most likely originals.

        starts: bool (k,), where sentences begin; without it every word is taken alone. fixed: bool
        (k,), words that were in clear: they stay, and are context. between is not read.
        """
        chain = self._chain
        if chain is None:
            raise fail("editor", "fitted before it edits", self.name)
        stays = np.zeros(len(rows), dtype=bool) if fixed is None else fixed
        find = channel(mechanism, rows[~stays])
        if starts is None:
            return np.array([row if stay else self._alone(chain, row, find)
                             for row, stay in zip(rows.tolist(), stays.tolist(), strict=True)],
                            dtype=np.int64)  # fmt: skip
        new = rows.astype(np.int64)
        first = np.flatnonzero(starts)
        for begin, end in zip(first.tolist(), [*first[1:].tolist(), len(rows)], strict=True):
            words = list(zip(new[begin:end].tolist(), stays[begin:end].tolist(), strict=True))
            places = [_only(row) if stay else self.place(row, find) for row, stay in words]
            found = most_likely(chain, places)
            if found is not None:
                new[begin:end] = found
        return new

    def _alone(self, chain: Chain, row: int, find: Callable[[int], Place]) -> int:
        words, logs = self.place(row, find)
        with np.errstate(divide="ignore"):
            return int(words[(logs + np.log(chain.unigram[words])).argmax()])

    def place(self, row: int, find: Callable[[int], Place]) -> Place:
        """What the word that was released as `row` may have been, and ln of what each weighs."""
        if row not in self._places:
            if len(self._places) >= CACHED:
                self._places = {}
            self._places[row] = self._spared(row, *find(row))
        return self._places[row]

    def _spared(self, row: int, words: Numbers1d, logs: Floats1d) -> Place:
        """The candidates that may come out; the word itself where none of them may."""
        if self._allowed is None or self._allowed[words].all():
            return words, logs
        some = self._allowed[words]
        return (words[some], logs[some]) if some.any() else _only(row)

    # What was released by this process is no business of anybody who gets a copy.
    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_places": {}}


class NearestRemap(Remap):
    """See make_remap: with the path as loss."""

    def __init__(self, prior: Prior | None) -> None:
        super().__init__(prior)
        self._best: dict[int, int] = {}

    def fit(self, space: Space, mechanism: Mechanism) -> NearestRemap:
        """As Remap does. Raises DxError for a mechanism that does not draw words alone by paths."""
        if not isinstance(mechanism, SentenceMechanism) or mechanism.draws_together:
            expected = "'changed' with a mechanism other than dx.Path.v2 on words drawn alone"
            raise fail("editor.loss", expected, "path")
        super().fit(space, mechanism)
        self._best = {}
        return self

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        between: list[str] | None = None,
    ) -> Ints1d:
        """As Remap.edit; words were drawn alone, so where sentences begin is not read."""
        if self._chain is None:
            raise fail("editor", "fitted before it edits", self.name)
        words, prior = cast(SentenceMechanism, mechanism).built.words, self._chain.unigram
        stays = np.zeros(len(rows), dtype=bool) if fixed is None else fixed
        distinct = np.unique(rows[~stays]).tolist()
        if len(self._best) + len(distinct) > CACHED:
            self._best = {}
        for row in distinct:
            if row not in self._best:
                self._best[row] = _nearest_word(words, prior, row)
        new = rows.astype(np.int64)
        new[~stays] = [self._best[row] for row in rows[~stays].tolist()]
        return new

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "_best": {}}


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
        logs = np.full(len(words), -np.inf)
        found = states.distribution(words)[:, row]
        np.log(found, out=logs, where=found > 0)
        return words, logs

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


def _distances(kernel: Kernel, some: Ints1d) -> Floats2d:
    """float64 (k, k), the path between each two of the words that it is drawn by."""
    radii = kernel.graph.radii[some] / kernel.graph.quanta
    weights = np.stack([kernel.weights(row, some) for row in some.tolist()])
    least = kernel.graph.radii.min() / kernel.graph.quanta
    D: Floats2d = radii[:, None] + least - np.log(weights) / kernel.beta
    return D
