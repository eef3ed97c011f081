r"""The most likely original by a causal language model (dx.Remap.v1 with a model).

    w = argmax P(w_1..w_k) P(y | w)

P(w_1..w_k) is that of the model, given the prompt and the plaintext between the words; P(y | w) is
exp(-beta path) for dx.Path.v2, else the probability that the mechanism states. Candidates are words
near the released ones. This is post-processing: a reader with the same model can do the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ..arrays import Bools1d, Ints1d
from ..errors import DxError, Warnings, warn_always
from ..mechanisms.path_v2 import SentenceMechanism
from ..registries import registry
from ..space import Space
from ..ty import Mechanism, Prior, ReleasedText
from ..validate import fail
from .beam import Search, Sheet, search
from .model import NO_TOKEN, WordTokens, word_tokens
from .opened import open_model
from .remap import Place, Remap, channel

CANDIDATES = 32
NEVER = -1e9
_ENDS = re.compile(r"[.!?\u2026][\"')\]\u201d\u2019]*\s*$|\n\s*\n\s*$")  # of sentences


class CausalRemap(Remap):
    """See editors.make_remap. The model is loaded by fit, or at the first use of a copy."""

    def __init__(self, prior: Prior | None, model: str, prompt: str, beam: int) -> None:
        super().__init__(prior)
        self.model, self.prompt, self.beam = model, prompt, beam
        self._space: Space | None = None
        self._search: Search | None = None

    @property
    def about(self) -> dict[str, str]:
        """What receipts and saved pipelines hold of the editor and its model."""
        digest = open_model(self.model).digest
        return {"editor": self.name, "model": self.model, "digest": digest, "prompt": self.prompt}

    def fit(self, space: Space, mechanism: Mechanism) -> CausalRemap:
        """As Remap does; with word-level sampling no word pairs stand beside the model."""
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
            words = word_tokens(open_model(self.model), self._space)
            self._search = Search(words, words.known, prompt=self.prompt, beam=self.beam)
        return self._search

    def edit(
        self,
        rows: Ints1d,
        mechanism: Mechanism,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
    ) -> Ints1d:
        """As Remap.edit, with a stop after each sentence; without starts the model is not used."""
        if starts is None:
            return super().edit(rows, mechanism, starts, fixed)
        stays = np.zeros(len(rows), dtype=bool) if fixed is None else fixed
        before = [". " if start else " " for start in starts.tolist()]
        before[:1] = [""] * len(before[:1])
        return self.edit_texts([ReleasedText(rows, starts, stays, before)], mechanism)[0]

    def edit_texts(self, texts: Sequence[ReleasedText], mechanism: Mechanism) -> list[Ints1d]:
        """Return the words of each text, int64 (k,); warn and leave texts where the model fails."""
        by_pairs = super().edit
        guesses = [
            by_pairs(text.rows, mechanism, text.starts, text.fixed) if len(text.rows) else text.rows
            for text in texts
        ]
        released = [text.rows[~text.fixed] for text in texts]
        find = channel(mechanism, np.unique(np.concatenate([*released, np.zeros(0, int)])))
        how, place = self._how, partial(self.place, find=find)
        sheets = list(map(partial(_sheet, find=place, words=how.words), texts, guesses))
        try:
            found = search(sheets, how)
        except DxError as error:
            message = Warnings.DX159.format(editor=self.name, texts=len(texts), why=error)
            warn_always(message, stacklevel=3)
            return [text.rows for text in texts]
        edited = [text.rows.astype(np.int64) for text in texts]
        for text, new, filled in zip(texts, edited, found, strict=True):
            new[~text.fixed] = filled
        return edited

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "_search": None}


def _sheet(
    text: ReleasedText, guess: Ints1d, find: Callable[[int], Place], words: WordTokens
) -> Sheet:
    """Return the places of the words that may change, with their candidates.

    These are the released word, the one by word pairs, and nearby words that are likeliest by
    public frequency, padded by the released word.
    """
    free = ~text.fixed
    begins = [i == 0 or _ENDS.search(before) is not None for i, before in enumerate(text.before)]
    between, so_far = [], ""
    for row, stays, before in zip(
        text.rows.tolist(), text.fixed.tolist(), text.before, strict=True
    ):
        so_far += before
        if stays:
            so_far += words.words[row]
        else:
            between.append(so_far)
            so_far = ""
    C = np.empty((len(between), CANDIDATES), dtype=np.int64)
    logs = np.full(C.shape, NEVER)
    usual = np.log(words.known)
    pairs = zip(text.rows[free].tolist(), guess[free].tolist(), strict=True)
    for i, (row, other) in enumerate(pairs):
        near, weights = find(row)
        score = np.where(words.first[near] != NO_TOKEN, weights + usual[near], -np.inf)
        score[(near == row) | (near == other)] = np.inf
        best = np.argsort(-score, kind="stable")[:CANDIDATES]
        C[i], logs[i, : len(best)] = row, weights[best]
        C[i, : len(best)] = near[best]
    return Sheet(between, np.array(begins, dtype=bool)[free], C, logs)
