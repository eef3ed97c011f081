"""Whole sentences near the clear one, drawn from public language (dx.Path.v2).

Probability P(y_1..y_n | w_1..w_n) = q(y_1..y_n) exp(-beta sum of path(w_i, y_i)) / Z(w_1..w_n)
            q: a public law of sentences (@dx_priors), which never sees the input; path: the length
            of the shortest path on a public graph, whose edges a policy makes longer or shorter
Guarantee   epsilon = 2 beta nats per unit of path, for texts of the same layout that differ in any
            words (metric-dp): the numerators of two texts differ by exp(beta sum path(w_i, v_i)) at
            most, and so do the sums Z. Of words alone, epsilon = beta + max over edges of
            |ln Z_w - ln Z_v| / length, which is exact, and beta is solved for
Use         the default: text that reads like text
Papers      this project, docs/explanation/sentences.md; Chatzikokolakis, Palamidessi, Stronati
            2015 (elastic metrics); Scott 2002 (forward filtering, backward sampling)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ..metric.policy import Policy, policy_graph, policy_of, told
from ..metric.policy_graph import Kernel, PolicyGraph
from ..prior.chain import Chain, alone_chain
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..sampler.alone import WordDraw
from ..sampler.calibration import beta_of, even_of
from ..sampler.draw import SentenceDraw, Text
from ..sampler.emissions import NOTHING, Emissions
from ..sampler.forward_backward import ADDED
from ..sampler.likelihood import SentenceLikelihood
from ..space import Space
from ..ty import Draw, Prior
from ..validate import fail, positive
from .built import (
    LARGEST_SCORE,
    BuiltMechanism,
    checked_candidates,
    checked_layout,
    checked_rows,
    flags,
)

HOW = {"alone": "Words alone", "sentence": "Whole sentences"}
SHORTER = "; those that it has shorter than a plain one are drawn 5/8 as long"
FLOAT_STEP = 2.0**-24  # of float32, in which sums over states are made


@registry.dx_mechanisms("dx.Path.v2")
def make_path_v2(
    epsilon: float,
    policy: str | dict[str, float] = "general",
    prior: Prior | None = None,
    even: bool = False,
) -> SentenceMechanism:
    """epsilon: nats per unit of path, above 0.

    policy: "plain" (the lengths of dx.Path.v1), "general", "clinical" or "strict", or a table of
    the fields of graph.policy.Policy. prior: the public law of sentences; dx.WordPairs.v1 if None.

    even: of words drawn alone, weights near those of the prior with which epsilon is little more
    than beta; a hundredth of the edges at most are then stated as longer than they are drawn. A
    step for each space and epsilon, of minutes for 60,000 words.
    """
    epsilon = positive("epsilon", epsilon)
    name, lengths = policy_of(policy)
    prior = registry.dx_priors.get("dx.WordPairs.v1")() if prior is None else prior
    if not isinstance(prior, Prior) or prior.draws not in HOW:
        raise fail("prior", "a prior of @dx_priors, with name, draws and fit(space)", type(prior))
    if even and prior.draws != "alone":
        raise fail("even", "false for a prior of sentences: it is for words drawn alone", even)
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="path",
        status="computed" if prior.draws == "alone" else "proven",
        source="docs/explanation/sentences.md, theorem 2",
        notes=told(name, lengths),
        protects="word" if prior.draws == "alone" else "text",
    )
    settings = _Settings(epsilon, name, lengths, prior, bool(even))
    return SentenceMechanism("dx.Path.v2", guarantee, settings)


@dataclass(frozen=True)
class _Settings:
    epsilon: float
    policy_name: str
    policy: Policy
    prior: Prior
    even: bool = False

    def on(self, space: Space, guarantee: Guarantee) -> Sentences:
        graph = policy_graph(space, self.policy, self.policy_name)
        chain = self.prior.fit(space)
        if self.epsilon * graph.longest > LARGEST_SCORE:
            most = f"at most {LARGEST_SCORE / graph.longest:.4g} on this space"
            raise fail("epsilon", most, self.epsilon)
        if self.even:
            return self._evened(space, graph, chain, guarantee)
        alone = self.prior.draws == "alone"
        beta = beta_of(space, graph, chain, self.epsilon) if alone else self.epsilon / 2
        kernel = Kernel(graph, beta)
        notes = (
            f"{HOW[self.prior.draws]}, by exp(-{beta:.6g} path) and {self.prior.name} "
            f"({chain.digest[:12]}). {guarantee.notes} Rounding: {rounding(chain):.2g} nats a word."
        )
        default = self == make_path_v2(self.epsilon).settings
        return Sentences(
            chain,
            kernel,
            WordDraw(kernel, chain.unigram),
            replace(guarantee, notes=notes),
            measured=default and space.digest == Space.builtin().digest,
        )

    def _evened(
        self, space: Space, graph: PolicyGraph, chain: Chain, guarantee: Guarantee
    ) -> Sentences:
        """Words alone, by weights with which Z is even."""
        found = even_of(space, graph, chain.unigram, self.epsilon)
        before, chain = chain, alone_chain(found.weights)
        kernel = Kernel(found.drawn, found.beta)
        notes = (
            f"Words alone, by exp(-{found.beta:.6g} path) and weights near {self.prior.name} that "
            f"make sums even ({chain.digest[:12]}). {found.share:.2%} of the edges are stated as "
            f"longer than the policy has them, by {found.factor:.3g} at most"
            f"{SHORTER if found.drawn is not graph else ''}. {guarantee.notes}"
        )
        return Sentences(
            chain,
            kernel,
            WordDraw(kernel, found.weights),  # those that Z was summed with, to the last bit
            replace(guarantee, notes=notes),
            stated=found.stated,
            before=before,
        )


def rounding(chain: Chain) -> float:
    """Nats a word of a text that the rounding of sums over states adds to the loss at most.

    docs/explanation/sentences.md, "floats", has the proof, with 6.1 in place of 6.5.
    """
    return 6.5 * (chain.states + min(chain.states, ADDED) + 10) * FLOAT_STEP


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
    alone. stated: the graph of the guarantee, where some of its lengths are longer than those of
    the draw. before: the public model, where the chain has other weights."""

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
