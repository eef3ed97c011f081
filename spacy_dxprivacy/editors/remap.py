r"""The most likely original, given the release, by public knowledge alone (dx.Remap.v1).

    w = argmax q(w_1..w_n) product of P(y_i | w_i)       P: exp(-beta path) for dx.Path.v2, else the
                                                         probabilities that the mechanism states
            q: word pairs, or a causal language model where one is named (causal.py); of words
            drawn alone, on request the word of the least expected path in its place (nearest.py)
Privacy     post-processing of what was released: it costs nothing, and hides nothing. A reader with
            the same knowledge can do the same
Papers      Chatzikokolakis, ElSalamouny, Palamidessi 2017 (remapping of locations); Viterbi 1967
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d, Numbers1d
from ..language.beam import BEAM, Search
from ..language.opened import open_model
from ..language.words import WordTokens, word_tokens
from ..mechanisms.base.sentences import SentenceMechanism
from ..priors.chain import Chain
from ..registries import registry
from ..space import Space
from ..ty import Mechanism, Prior, StatesProbabilities
from ..validate import fail, one_of, whole
from .causal import edit_by_model
from .nearest import nearest_word
from .shown import Shown
from .viterbi import Place, most_likely

NEAREST = 64  # candidates, where a mechanism states probabilities alone
CACHED = 2**12  # words
LOSSES = ("changed", "path")


@registry.dx_editors("dx.Remap.v1")
def make_remap(
    prior: Prior | None = None,
    model: str | None = None,
    prompt: str = "",
    beam: int = BEAM,
    loss: str = "changed",
) -> Remap:
    """prior: the public law of sentences; that of the mechanism if None, else dx.WordPairs.v1.

    model: a causal language model that chooses among the words in its place: a folder, a .gguf
    file, a name, or a package that holds one (see language.opened). prompt: public words on the
    kind of text, such as "Clinical note of a patient's visit." beam: how many ways to fill a text
    are followed at once. loss: "changed" for the most likely words; "path", of words drawn alone,
    for those that are nearest to the original on average.
    """
    one_of("editor.loss", loss, LOSSES)
    if loss == "path" and model is not None:
        raise fail("editor.loss", "'changed' with a model, which looks for likely words", loss)
    if prior is not None and not isinstance(prior, Prior):
        raise fail("prior", "a prior of @dx_priors, with name, draws and fit(space)", type(prior))
    if model is None and prompt:
        raise fail("prompt", "left out without a model", "one")
    if model is None:
        return NearestRemap(prior) if loss == "path" else Remap(prior)
    return CausalRemap(prior, model, prompt, whole("beam", beam, least=1))


class Remap:
    """See make_remap. Candidates for a word are those near the word that was released."""

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
        find = _channel(mechanism, rows[~stays])
        if starts is None:
            return np.array([row if stay else self._alone(chain, row, find)
                             for row, stay in zip(rows.tolist(), stays.tolist(), strict=True)],
                            dtype=np.int64)  # fmt: skip
        new = rows.astype(np.int64)
        first = np.flatnonzero(starts)
        for begin, end in zip(first.tolist(), [*first[1:].tolist(), len(rows)], strict=True):
            words = list(zip(new[begin:end].tolist(), stays[begin:end].tolist(), strict=True))
            places = [_only(row) if stay else self._place(row, find) for row, stay in words]
            found = most_likely(chain, places)
            if found is not None:
                new[begin:end] = found
        return new

    def _alone(self, chain: Chain, row: int, find: Callable[[int], Place]) -> int:
        words, logs = self._place(row, find)
        with np.errstate(divide="ignore"):
            return int(words[(logs + np.log(chain.unigram[words])).argmax()])

    def _place(self, row: int, find: Callable[[int], Place]) -> Place:
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
                self._best[row] = nearest_word(words, prior, row)
        new = rows.astype(np.int64)
        new[~stays] = [self._best[row] for row in rows[~stays].tolist()]
        return new

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "_best": {}}


class CausalRemap(Remap):
    """See make_remap: with a model. It is loaded by fit, and by a copy when that is first used."""

    def __init__(self, prior: Prior | None, model: str, prompt: str, beam: int) -> None:
        super().__init__(prior)
        self.model, self.prompt, self.beam = model, prompt, beam
        self._space: Space | None = None
        self._search: Search | None = None

    @property
    def about(self) -> dict[str, str]:
        """What a receipt and a saved pipeline say of it. Raises DxError as open_model does."""
        digest = open_model(self.model).digest
        return {"editor": self.name, "model": self.model, "digest": digest, "prompt": self.prompt}

    def fit(self, space: Space, mechanism: Mechanism) -> CausalRemap:
        """As Remap does; words that a mechanism drew alone take no word pairs beside the model.
        Raises DxError for a model or a prompt that cannot be used."""
        if self.prior is None and not isinstance(mechanism, SentenceMechanism):
            self.prior = registry.dx_priors.get("dx.Uniform.v1")()
        super().fit(space, mechanism)
        self._space, self._search = space, None
        self._how.prompted()
        return self

    @property
    def _how(self) -> Search:
        if self._space is None:
            raise fail("editor", "fitted before it edits", self.name)
        if self._search is None:
            words: WordTokens = word_tokens(open_model(self.model), self._space)
            self._search = Search(words, words.known, prompt=self.prompt, beam=self.beam)
        return self._search

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        between: list[str] | None = None,
    ) -> Ints1d:
        """As Remap.edit. between: k strings, what stands before each word in the release. Words
        that are taken alone are no text: of these the model says nothing."""
        if starts is None:
            return super().edit(rows, mechanism, starts, fixed, between)
        return self.edit_texts([Shown.of(rows, starts, fixed, between)], mechanism)[0]

    def edit_texts(self, texts: Sequence[Shown], mechanism: Mechanism) -> list[Ints1d]:
        """For each text that was released int64 (k,), its words."""
        by_pairs = super().edit
        guesses = [
            by_pairs(text.rows, mechanism, text.starts, text.fixed) if len(text.rows) else text.rows
            for text in texts
        ]
        released = [text.rows[~text.fixed] for text in texts]
        find = _channel(mechanism, np.unique(np.concatenate([*released, np.zeros(0, int)])))
        return edit_by_model(texts, guesses, partial(self._place, find=find), self._how)

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "_search": None}


def _only(row: int) -> Place:
    return np.array([row]), np.zeros(1)


def _channel(mechanism: Mechanism, rows: Ints1d) -> Callable[[int], Place]:
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
