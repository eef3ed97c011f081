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

from ..graph.kernel import Kernel
from ..graph.policy import Policy, policy_graph, policy_of, told
from ..graph.policy_graph import PolicyGraph
from ..guarantee import Guarantee
from ..priors.chain import Chain, alone_chain
from ..registries import registry
from ..sentences.alone import WordDraw
from ..sentences.calibration import beta_of, even_of
from ..sentences.forward import ADDED
from ..space import Space
from ..ty import Prior
from ..validate import fail, positive
from .base.checks import LARGEST_SCORE
from .base.sentences import SentenceMechanism, Sentences

HOW = {
    "alone": "Words alone",
    "sentence": "Whole sentences",
}
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
        source="docs/path.md, theorem 2",
        notes=told(name, lengths),
        protects="word" if prior.draws == "alone" else "text",
    )
    settings = PathV2Settings(epsilon, name, lengths, prior, bool(even))
    return SentenceMechanism("dx.Path.v2", guarantee, settings)


@dataclass(frozen=True)
class PathV2Settings:
    """What make_path_v2 was given, checked."""

    epsilon: float
    policy_name: str
    policy: Policy
    prior: Prior
    even: bool = False

    def on(self, space: Space, guarantee: Guarantee) -> Sentences:
        """The mechanism on this space. Raises DxError where it has no solution there."""
        graph = policy_graph(space, self.policy, self.policy_name)
        chain = self.prior.fit(space)
        alone = self.prior.draws == "alone"
        if self.epsilon * graph.longest > LARGEST_SCORE:
            most = f"at most {LARGEST_SCORE / graph.longest:.4g} on this space"
            raise fail("epsilon", most, self.epsilon)
        if self.even:
            return self._evened(space, graph, chain, guarantee)
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
        words = WordDraw(kernel, found.weights)  # those that Z was summed with, to the last bit
        return Sentences(
            chain,
            kernel,
            words,
            replace(guarantee, notes=notes),
            measured=False,
            stated=found.stated,
            before=before,
        )

    def _measured(self, space: Space) -> bool:
        default = make_path_v2(self.epsilon).settings
        return self == default and space.digest == Space.builtin().digest


def rounding(chain: Chain) -> float:
    """Nats a word of a text that the rounding of sums over states adds to the loss at most.

    docs/path.md, "floats", has the proof, with 6.1 in place of 6.5.
    """
    return 6.5 * (chain.states + min(chain.states, ADDED) + 10) * FLOAT_STEP
