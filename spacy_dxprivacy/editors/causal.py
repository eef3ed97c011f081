r"""The most likely original by a causal language model (dx.Remap.v1 with a model).

    w = argmax P(w_1..w_k) P(y | w)

P(w_1..w_k) is that of the model, given the prompt and the plaintext between; P(y | w) is exp(-beta
path) for dx.Path.v2, else what the mechanism states.

Candidates are the words near to what was released. What comes out is neither more private nor less:
a reader with the same model can do the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ..arrays import Bools1d, Floats2d, Ints1d, Ints2d
from ..errors import DxError, Warnings, warn_always
from ..language.beam import Search, Sheet, search
from ..language.model import WordTokens, word_tokens
from ..language.opened import open_model
from ..mechanisms.path_v2 import SentenceMechanism
from ..registries import registry
from ..space import Space
from ..ty import Mechanism, Prior, ReleasedText
from ..validate import fail
from .remap import Remap, channel
from .viterbi import Place

CANDIDATES = 32
NEVER = -1e9
_ENDS = re.compile(r"[.!?\u2026][\"')\]\u201d\u2019]*\s*$|\n\s*\n\s*$")  # of sentences

Find = Callable[[int], Place]


class CausalRemap(Remap):
    """See editors.make_remap. The model is loaded by fit, and by a copy when that is first used."""

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
        stays = np.zeros(len(rows), dtype=bool) if fixed is None else fixed
        if between is None:  # sentences end with a stop and words with a blank
            between = [". " if start else " " for start in starts.tolist()]
            between[:1] = [""] * len(between[:1])
        return self.edit_texts([ReleasedText(rows, starts, stays, between)], mechanism)[0]

    def edit_texts(self, texts: Sequence[ReleasedText], mechanism: Mechanism) -> list[Ints1d]:
        """For each text that was released int64 (k,), its words. Where the model fails, texts stay
        as they were, and a warning says so."""
        by_pairs = super().edit
        guesses = [
            by_pairs(text.rows, mechanism, text.starts, text.fixed) if len(text.rows) else text.rows
            for text in texts
        ]
        released = [text.rows[~text.fixed] for text in texts]
        find = channel(mechanism, np.unique(np.concatenate([*released, np.zeros(0, int)])))
        how, place = self._how, partial(self.place, find=find)
        pairs = zip(texts, guesses, strict=True)
        sheets = [_sheet(text, guess, place, how.words) for text, guess in pairs]
        try:
            found = search(sheets, how)
        except DxError as error:
            message = Warnings.DX159.format(editor=self.name, texts=len(texts), why=error)
            warn_always(message, stacklevel=3)
            return [text.rows for text in texts]
        edited = [text.rows.astype(np.int64) for text in texts]
        for text, new, filled in zip(texts, edited, found, strict=True):
            new[~text.fixed] = filled.words
        return edited

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "_search": None}


def _sheet(text: ReleasedText, guess: Ints1d, find: Find, words: WordTokens) -> Sheet:
    free = ~text.fixed
    C, logs = _candidates(text.rows[free], guess[free], find, words)
    begins = [i == 0 or _ENDS.search(before) is not None for i, before in enumerate(text.before)]
    return Sheet(_between_free(text, words.words), np.array(begins, dtype=bool)[free], C, logs)


def _between_free(text: ReleasedText, words: Sequence[str]) -> list[str]:
    """For each word that does not stay, all that stands between it and the last such word. words:
    of the space."""
    found, so_far = [], ""
    parts = zip(text.rows.tolist(), text.fixed.tolist(), text.before, strict=True)
    for row, stays, before in parts:
        so_far += before
        if stays:
            so_far += words[row]
        else:
            found.append(so_far)
            so_far = ""
    return found


def _candidates(
    rows: Ints1d, guess: Ints1d, find: Find, words: WordTokens
) -> tuple[Ints2d, Floats2d]:
    """int64 (k, CANDIDATES): the released word, the one by word pairs, and those near that are
    likeliest by public frequency; repeated where they are fewer. And ln of their weights."""
    C = np.empty((len(rows), CANDIDATES), dtype=np.int64)
    logs = np.full(C.shape, NEVER)
    usual = np.log(words.known)
    for i, (row, other) in enumerate(zip(rows.tolist(), guess.tolist(), strict=True)):
        near, weights = find(row)
        score = np.where(words.can_be_said[near], weights + usual[near], -np.inf)
        score[(near == row) | (near == other)] = np.inf
        best = np.argsort(-score, kind="stable")[:CANDIDATES]
        C[i], logs[i, : len(best)] = row, weights[best]
        C[i, : len(best)] = near[best]
    return C, logs
