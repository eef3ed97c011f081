"""What mechanisms share that draw the words of a text together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ...graph.kernel import Kernel
from ...graph.policy_graph import PolicyGraph
from ...guarantee import Guarantee
from ...priors.chain import Chain
from ...randomness import Rng
from ...sentences.alone import WordDraw
from ...sentences.draw import SentenceDraw, Text
from ...sentences.emissions import NOTHING, Emissions
from ...sentences.likelihood import SentenceLikelihood
from ...ty import Draw
from ...validate import fail
from .alone import checked_candidates, checked_layout, flags
from .built import BuiltMechanism
from .checks import checked_rows


class WholeSentences:
    """Sentences of a chain: forward filtering, backward sampling."""

    def __init__(self, chain: Chain, kernel: Kernel) -> None:
        self.emissions = Emissions(chain, kernel)
        self.draw = SentenceDraw(chain, self.emissions)
        self.likelihood = SentenceLikelihood(chain, self.emissions)
        self.of_candidates = self.likelihood.of_candidates


@dataclass(frozen=True, eq=False, repr=False)
class Sentences:
    """A mechanism on one space. chain: the public language model. words: how a word is drawn
    alone. stated: the graph of the guarantee, where some of its lengths
    are longer than those of the draw. before: the public law, where the chain has other weights."""

    chain: Chain
    kernel: Kernel
    words: WordDraw
    guarantee: Guarantee
    measured: bool = False  # whether privacy.levels was, with these settings
    stated: PolicyGraph | None = None
    before: Chain | None = None

    @property
    def graph(self) -> PolicyGraph:
        """That of the guarantee."""
        return self.kernel.graph if self.stated is None else self.stated

    @property
    def n(self) -> int:
        return len(self.kernel.graph)

    @cached_property
    def together(self) -> WholeSentences | None:
        """How the words of a text are drawn, given each other; None where they are drawn alone."""
        return None if self.chain.is_alone else WholeSentences(self.chain, self.kernel)


class SentenceMechanism(BuiltMechanism[Sentences]):
    """Sentences drawn as a whole where it is told where they begin, else words alone.

    A word that the space lacks says nothing: what comes out in its place is drawn from the public
    law and the words around it.
    """

    @property
    def measured(self) -> bool:
        """Whether privacy.levels was measured with it, epsilon aside. Raises DxError before fit."""
        return self.built.measured

    @property
    def draws_together(self) -> bool:
        """Whether a word depends on its neighbours, so that starts, fixed words and the order of
        rows count. Raises DxError before fit."""
        return self.built.together is not None

    def sample(
        self,
        rows: Ints1d,
        rng: Rng,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        between: list[str] | None = None,
        unknown: Bools1d | None = None,
    ) -> Draw:
        """rows: int64 (k,) -> replacements (k,); no vectors.

        starts: bool (k,), True where a sentence begins; without it every row is drawn alone.
        fixed: bool (k,), rows that stay as they are, and are context. between: k texts in clear
        before each word, for laws that read them. unknown: bool (k,), words that the space lacks,
        whose rows are not looked at.

        Raises DxError before fit, for rows out of range, and for other shapes.
        """
        text = self._text(rows, starts, fixed, between, unknown)
        together = self.built.together
        if starts is None or together is None:
            return Draw(self.built.words(text.rows, text.fixed, rng))
        return Draw(together.draw(text, rng))

    def log_likelihood(
        self,
        rows: Ints1d,
        outputs: Ints1d,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        between: list[str] | None = None,
        candidates: Ints2d | None = None,
    ) -> Floats1d | Floats2d:
        """float64 (sentences,): ln P(outputs | rows); without starts a word is a sentence.

        candidates: int64 (k, m) -> float64 (k, m), that of its sentence with rows[i] replaced by
        candidates[i, j], up to one constant for each i. Raises DxError as sample does.
        """
        text = self._text(rows, starts, fixed, between)
        outputs = checked_rows(outputs, self.built.n)
        if outputs.shape != text.rows.shape:
            raise fail("outputs", f"{len(text.rows)} rows", outputs.shape)
        together = self.built.together
        if starts is None or together is None:
            logs = self._alone(text, outputs, candidates)
            summed = starts is not None and candidates is None and len(outputs) > 0
            return np.add.reduceat(logs, np.flatnonzero(text.starts)) if summed else logs
        if candidates is None:
            return together.likelihood(text, outputs)
        found = checked_candidates(candidates, len(outputs), self.built.n)
        return together.of_candidates(text, outputs, found)

    def _alone(self, text: Text, outputs: Ints1d, candidates: Ints2d | None) -> Floats1d | Floats2d:
        words = self.built.words
        if candidates is None:
            logs = words.log_likelihood(text.rows, outputs)
            same = np.where(text.rows == outputs, 0.0, -np.inf)
            return np.where(text.fixed, same, logs)
        found = checked_candidates(candidates, len(outputs), self.built.n)
        repeated = np.repeat(outputs, found.shape[1])
        logs = words.log_likelihood(found.reshape(-1), repeated).reshape(found.shape)
        return np.where(text.fixed[:, None], 0.0, logs)

    def distribution(self, rows: Ints1d) -> Floats2d:
        """rows (k,) -> float64 (k, n): the probability of every output of words alone."""
        return self.built.words.distribution(checked_rows(rows, self.built.n))

    def distances(self, rows: Ints1d) -> Floats2d:
        """rows (k,) -> float64 (k, n): the metric of the guarantee."""
        return self.built.graph.distances(checked_rows(rows, self.built.n))

    @property
    def apart(self) -> Mapping[str, float] | None:
        """How far words are apart, where it was measured before."""
        return self.built.graph.apart

    @property
    def longest(self) -> float | None:
        """The largest distance between two words."""
        return self.built.graph.longest

    def _text(self, rows: Any, starts: Any, fixed: Any, between: Any, unknown: Any = None) -> Text:
        k = np.asarray(rows).size
        nothing = flags("unknown", unknown, k, missing=False)
        checked = checked_rows(np.where(nothing, 0, rows) if nothing.any() else rows, self.built.n)
        checked[nothing] = NOTHING
        begins, stays = checked_layout(k, starts, fixed, between)
        if (checked[stays] == NOTHING).any():
            raise fail("fixed", "False for words that the space lacks", True)
        return Text(checked, begins, stays)
