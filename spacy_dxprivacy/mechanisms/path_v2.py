r"""Whole sentences near the clear one, drawn from public language (dx.Path.v2).

Probability P(y_1..y_n | w_1..w_n) = q(y_1..y_n) exp(-beta sum of path(w_i, y_i)) / Z(w_1..w_n)
            q: a public law of sentences (@dx_priors), which never sees the input; path: the length
            of the shortest path on a public graph, whose edges a policy makes longer or shorter
Guarantee   epsilon = 2 beta nats per unit of path, for texts of the same layout that differ in any
            words (metric-dp): the numerators of two texts differ by exp(beta sum path(w_i, v_i)) at
            most, and so do the sums Z. Of words alone, epsilon = beta + max over edges of
            |ln Z_w - ln Z_v| / length, which is exact, and beta is solved for
Use         the default: text that reads like text
Papers      this project, docs/path.md; Chatzikokolakis, Palamidessi, Stronati 2015 (elastic
            metrics); Scott 2002 (forward filtering, backward sampling)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..graph.kernel import Kernel
from ..graph.policy import Policy, policy_graph, policy_of, told
from ..guarantee import Guarantee
from ..priors.chain import Chain
from ..registries import registry
from ..sentences.alone import WordDraw
from ..sentences.budgets import beta_of
from ..space import Space
from ..ty import Prior
from ..validate import fail, positive
from .base.sentences import SentenceMechanism, Sentences
from .exponential import LARGEST_SCORE

HOW = {
    "alone": "Words alone",
    "sentence": "Whole sentences",
    "left to right": "Words drawn from left to right, each given those released before it",
}
FLOAT_STEP = 2.0**-24  # of float32, in which sums over states are made


@registry.dx_mechanisms("dx.Path.v2")
def make_path_v2(
    epsilon: float,
    policy: str | dict[str, float] = "general",
    prior: Prior | None = None,
) -> SentenceMechanism:
    """epsilon: nats per unit of path, above 0.

    policy: "plain" (the lengths of dx.Path.v1), "general", "clinical" or "strict", or a table of
    the fields of graph.policy.Policy. prior: the public law of sentences; dx.WordPairs.v1 if None.
    """
    epsilon = positive("epsilon", epsilon)
    name, lengths = policy_of(policy)
    prior = registry.dx_priors.get("dx.WordPairs.v1")() if prior is None else prior
    if not isinstance(prior, Prior) or prior.draws not in HOW:
        raise fail("prior", "a prior of @dx_priors, with name, draws and fit(space)", type(prior))
    guarantee = Guarantee(
        kind="metric-dp",
        epsilon=epsilon,
        metric="path",
        status="computed" if prior.draws == "alone" else "proven",
        source="docs/path.md, theorem 2",
        notes=told(name, lengths),
        protects="word" if prior.draws == "alone" else "text",
    )
    return SentenceMechanism("dx.Path.v2", guarantee, PathV2Settings(epsilon, name, lengths, prior))


@dataclass(frozen=True)
class PathV2Settings:
    """What make_path_v2 was given, checked."""

    epsilon: float
    policy_name: str
    policy: Policy
    prior: Prior

    def on(self, space: Space, guarantee: Guarantee) -> Sentences:
        """The mechanism on this space. Raises DxError where it has no solution there."""
        graph = policy_graph(space, self.policy, self.policy_name)
        chain = self.prior.fit(space)
        alone = self.prior.draws == "alone"
        if self.epsilon * graph.longest > LARGEST_SCORE:
            most = f"at most {LARGEST_SCORE / graph.longest:.4g} on this space"
            raise fail("epsilon", most, self.epsilon)
        beta = self.epsilon / 2
        if alone:
            beta = beta_of(space, graph, chain, self.epsilon)
        kernel = Kernel(graph, beta)
        how = HOW[self.prior.draws]
        notes = (
            f"{how}, by exp(-{beta:.6g} path) and {self.prior.name} ({chain.digest[:12]}). "
            f"{guarantee.notes} Rounding: {rounding(chain):.2g} nats a word."
        )
        words = WordDraw(kernel, chain.unigram)
        promise = replace(guarantee, notes=notes)
        return Sentences(chain, kernel, words, promise, self._measured(space))

    def _measured(self, space: Space) -> bool:
        default = make_path_v2(self.epsilon).settings
        return self == default and space.digest == Space.builtin().digest


def rounding(chain: Any) -> float:
    """Nats a word of a text that the rounding of sums over states adds to the loss at most.

    docs/path.md, "floats", has the proof, with 6.1 in place of 6.5.
    """
    states = chain.states if isinstance(chain, Chain) else 0  # others are in float64
    return 6.5 * (states + 8) * FLOAT_STEP
