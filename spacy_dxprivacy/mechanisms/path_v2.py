"""Sentences near the input, drawn from a public language model (dx.Path.v2).

Probability P(y_1..y_n | w_1..w_n) = q(y_1..y_n) exp(-beta sum of path(w_i, y_i)) / Z(w_1..w_n)
            q: a public language model (@dx_priors), which never sees the input; path: the length of
            the shortest path on a public graph, whose edges a policy makes longer or shorter
Guarantee   epsilon = 2 beta nats per unit of path, for texts of the same layout that differ in any
            words (metric-dp): the numerators of two texts differ by exp(beta sum path(w_i, v_i)) at
            most, and so do the sums Z. For words drawn independently, epsilon = beta + max over
            edges of |ln Z_w - ln Z_v| / length, which is exact, and beta is solved for
Use         the default: text that reads like text
Papers      this project, docs/explanation/sentences.md; Chatzikokolakis, Palamidessi, Stronati
            2015 (elastic metrics); Scott 2002 (forward filtering, backward sampling)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ..errors import DxError, Errors
from ..metric.policy import Policy, describe, known_of, policy_graph, policy_of
from ..metric.policy_graph import Kernel, PolicyGraph
from ..prior.chain import Chain
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..sampler.alone import WordDraw, beta_of
from ..sampler.draw import SentenceDraw, Text
from ..sampler.emissions import NOTHING, Emissions
from ..sampler.forward_backward import ADDED
from ..sampler.likelihood import SentenceLikelihood
from ..space import Space
from ..ty import Draw, Prior
from ..validate import fail, positive
from .built import (
    LARGEST_SCORE,
    ProbabilityMechanism,
    checked_layout,
    checked_rows,
    flags,
)

HOW = {"alone": "Word-level", "sentence": "Sentence-level"}
FLOAT_STEP = 2.0**-24  # of float32, in which sums over states are made


@registry.dx_mechanisms("dx.Path.v2")
def make_path_v2(
    epsilon: float,
    policy: str | dict[str, float] = "general",
    prior: Prior | None = None,
) -> SentenceMechanism:
    """Create the mechanism that draws sentences from a public language model.

    Args:
        epsilon: Nats per unit of path, above 0.
        policy: "plain" (the lengths of dx.Path.v1), "general", "clinical", "training" or
            "strict", or a table of the fields of metric.policy.Policy.
        prior: The public language model; dx.WordPairs.v1 if None.
    """
    epsilon = positive("epsilon", epsilon)
    name, lengths = policy_of(policy)
    prior = registry.dx_priors.get("dx.WordPairs.v1")() if prior is None else prior
    if not isinstance(prior, Prior) or prior.draws not in HOW:
        raise fail("prior", "a prior of @dx_priors, with name, draws and fit(space)", type(prior))
    alone = prior.draws == "alone"
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="path",
        status="computed" if alone else "proven",
        source="docs/explanation/sentences.md, theorem 2",
        notes=describe(name, lengths),
        protects="word" if alone else "text",
        loss_range=2.0 if alone else 1.0,
    )
    settings = _Settings(epsilon, name, lengths, prior)
    return SentenceMechanism("dx.Path.v2", guarantee, settings)


@dataclass(frozen=True)
class _Settings:
    epsilon: float
    policy_name: str
    policy: Policy
    prior: Prior

    def build(self, space: Space, guarantee: Guarantee) -> Sentences:
        graph = policy_graph(space, self.policy, self.policy_name)
        chain = self.prior.fit(space)
        if self.epsilon * graph.longest > LARGEST_SCORE:
            most = f"at most {LARGEST_SCORE / graph.longest:.4g} on this space"
            raise fail("epsilon", most, self.epsilon)
        alone = self.prior.draws == "alone"
        beta = beta_of(space, graph, chain, self.epsilon) if alone else self.epsilon / 2
        kernel = Kernel(graph, beta)
        notes = (
            f"{HOW[self.prior.draws]} sampling by exp(-{beta:.6g} path) and {self.prior.name} "
            f"({chain.digest[:12]}). {guarantee.notes} Rounding: {rounding(chain):.2g} nats a word."
        )
        guarantee = replace(guarantee, notes=notes, loss_range=2 * beta / self.epsilon)
        default = self == make_path_v2(self.epsilon).settings
        measured = default and space.digest == Space.builtin().digest
        return Sentences(
            chain, kernel, WordDraw(kernel, chain.unigram), guarantee, measured=measured
        )


def rounding(chain: Chain) -> float:
    """Return the nats a word that rounding of the sums over states adds to the loss at most.

    docs/explanation/sentences.md, "floats", has the proof, with 6.1 in place of 6.5.
    """
    terms = chain.states
    if len(chain.base):  # of the longest sums: what leads into a state, and what is folded
        terms = int(np.diff(chain.into_states().indptr).max() + np.bincount(chain.base).max()) + 4
    return 6.5 * (terms + min(chain.states, ADDED) + 10) * FLOAT_STEP


class WholeSentences:
    """The sampler of sentences of a chain, and its likelihoods."""

    def __init__(self, chain: Chain, kernel: Kernel) -> None:
        self.emissions = Emissions(chain, kernel)
        self.draw = SentenceDraw(chain, self.emissions)
        self.likelihood = SentenceLikelihood(chain, self.emissions)


@dataclass(frozen=True, eq=False, repr=False)
class Sentences:
    """The distribution on one space, and its guarantee."""

    chain: Chain  # the public language model
    kernel: Kernel
    words: WordDraw  # of words drawn independently
    guarantee: Guarantee
    measured: bool = False  # whether mechanisms.levels was, with these settings

    @property
    def graph(self) -> PolicyGraph:
        return self.kernel.graph

    @property
    def n(self) -> int:
        return len(self.kernel.graph)

    @cached_property
    def together(self) -> WholeSentences | None:
        """None where words are drawn independently."""
        return None if self.chain.is_alone else WholeSentences(self.chain, self.kernel)


class SentenceMechanism(ProbabilityMechanism[Sentences]):
    """Sentence-level sampling where `starts` is given, else word-level.

    A word that the space lacks has no emissions: its replacement is drawn from the language model
    and the words around it.
    """

    @property
    def measured(self) -> bool:
        """Whether levels.py was measured with it, epsilon aside. Raises DxError before fit."""
        return self.built.measured

    @property
    def draws_together(self) -> bool:
        """Whether a word depends on its neighbours. Raises DxError before fit."""
        return self.built.together is not None

    def sample(
        self,
        rows: Ints1d,
        rng: Rng,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        unknown: Bools1d | None = None,
    ) -> Draw:
        """Sample a replacement for each word, given its sentence.

        Args:
            rows: int64 (k,), rows of the space.
            rng: Source of randomness.
            starts: bool (k,), where sentences begin; without it words are drawn independently.
            fixed: bool (k,), rows that stay unchanged, and are context.
            unknown: bool (k,), words that the space lacks, whose rows are not looked at.

        Returns:
            Rows (k,), without vectors.

        Raises:
            DxError: Before fit, for rows out of range, and for other shapes.
        """
        k = np.asarray(rows).size
        lacks = flags("unknown", unknown, k, missing=False)
        checked = checked_rows(np.where(lacks, 0, rows) if lacks.any() else rows, self.built.n)
        checked[lacks] = NOTHING
        begins, stays = checked_layout(k, starts, fixed)
        if (checked[stays] == NOTHING).any():
            raise fail("fixed", "False for words that the space lacks", True)
        together = self.built.together
        if starts is None or together is None:
            return Draw(self.built.words(checked, stays, rng))
        return Draw(together.draw(Text(checked, begins, stays), rng))

    def log_likelihood(
        self,
        rows: Ints1d,
        outputs: Ints1d,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        candidates: Ints2d | None = None,
    ) -> Floats1d | Floats2d:
        together = self.built.together
        if starts is None or together is None:
            return super().log_likelihood(rows, outputs, starts, fixed, candidates)
        text, outputs, candidates = self._checked(rows, outputs, starts, fixed, candidates)
        if candidates is None:
            return together.likelihood(Text(*text), outputs)
        return together.likelihood.of_candidates(Text(*text), outputs, candidates)

    def log_likelihood_of_variants(
        self, text: Text, outputs: Ints1d, variants: Ints2d
    ) -> Floats2d:  # fmt: skip
        """Return ln P(outputs | text), sentence by sentence, for several texts at once.

        Args:
            text: The input, k words; -1 for words that the space lacks.
            outputs: int64 (k,), the release; it counts only where a column differs from the text.
            variants: int64 (k, m), a text a column.

        Returns:
            float64 (sentences, m), up to one constant for each sentence.

        Raises:
            DxError: Before fit, and where words are drawn independently.
        """
        together = self.built.together
        if together is None:
            raise DxError(Errors.DX066)
        return together.likelihood.of_variants(text, outputs, variants)

    def log_p(self, rows: Ints1d, outputs: Ints1d) -> Floats1d:
        return self.built.words.log_likelihood(rows, outputs)

    def distribution(self, rows: Ints1d) -> Floats2d:
        """Return the word-level probability of every output, float64 (k, n)."""
        return self.built.words.distribution(checked_rows(rows, self.built.n))

    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the metric of the guarantee, float64 (k, n)."""
        return self.built.graph.distances(checked_rows(rows, self.built.n))

    def store_paths(self, report: Callable[[int], object] = lambda _: None) -> bool:
        """Store the paths from the commonest words on this machine, unless they are stored.

        It takes ten seconds and 170 MB; every later process then reads them in place of searching.
        It holds for the policies of the built-in space that have a name. No output depends on it.

        Args:
            report: Called with the number of words that were done since the last call.

        Returns:
            Whether they are stored. They are not where the environment variable DX_CACHE, the
            folder, is empty, or where the folder cannot be written: a DxWarning says so.

        Raises:
            DxError: Before fit.
        """
        return self.built.kernel.graph.store(report)

    @property
    def apart(self) -> Mapping[str, float] | None:
        """How far words are apart, where it was measured before."""
        return self.built.graph.apart

    @property
    def near_names(self) -> list[float] | None:
        """How far the 99 nearest names are from a name like most; None where it is not known."""
        if self._space is None:
            return None
        return known_of(self._space, self.settings.policy).get("near_names")

    def farthest(self, rows: Ints1d) -> float:
        """Return an upper bound of the distance between two of these words."""
        return self.built.graph.farthest(rows)

    @property
    def longest(self) -> float | None:
        """The largest distance between two words."""
        return self.built.graph.longest
