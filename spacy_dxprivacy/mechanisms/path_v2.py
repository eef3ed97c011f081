"""Sample sentences near the input from a public language model (dx.Path.v2).

Probability P(y_1..y_n | w_1..w_n) = q(y_1..y_n) exp(-beta sum of path(w_i, y_i)) / Z(w_1..w_n)
            q: a public language model (@dx_priors), which never sees the input; path: the length of
            the shortest path on a public graph, whose edges a policy makes longer or shorter
Guarantee   epsilon = 2 beta nats per unit of path, for texts of the same layout that differ in any
            words (metric-dp): the numerators of two texts differ by exp(beta sum path(w_i, v_i)) at
            most, and so do the sums Z. For words drawn independently, epsilon = beta + max over
            edges of |ln Z_w - ln Z_v| / length, which is exact, and beta is solved for
Use         the default; it gives the most fluent text
Papers      this project, docs/explanation/sentences.md; Chatzikokolakis, Palamidessi, Stronati
            2015 (elastic metrics); Scott 2002 (forward filtering, backward sampling)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ..metric.policy import MetricPolicy, describe, policy_graph, policy_of, stored_distances
from ..metric.policy_graph import Kernel
from ..prior.chain import Chain, Prior
from ..privacy.guarantee import Guarantee
from ..privacy.randomness import Rng
from ..registries import registry
from ..sampler.calibration import beta_of
from ..sampler.emissions import UNKNOWN_ROW, Emissions
from ..sampler.forward_backward import BLOCK_STATES
from ..sampler.likelihood import SentenceLikelihood
from ..sampler.sentence_level import InputRows, SentenceSampler
from ..sampler.word_level import WordSampler
from ..space import Space
from ..ty import Draw, Facts, Needed
from ..validate import fail
from .built import LARGEST_SCORE, ProbabilityMechanism, checked_flags, checked_layout, checked_rows
from .levels import MECHANISM, to_epsilon

SAMPLING = {"alone": "Word-level", "sentence": "Sentence-level"}
FLOAT_STEP = 2.0**-24  # of float32, in which sums over states are made


@registry.dx_mechanisms("dx.Path.v2")
def make_path_v2(
    epsilon: float | str,
    policy: str | dict[str, float] = "general",
    prior: Prior | None = None,
) -> SentenceMechanism:
    """Create the mechanism that draws sentences from a public language model.

    Args:
        epsilon: Nats per unit of path, above 0; or the name of a level, such as "strong".
        policy: "plain" (the lengths of dx.Path.v1), "general", "clinical", "training" or
            "strict", or a table of the fields of metric.policy.MetricPolicy.
        prior: The public language model; dx.WordPairs.v1 if None.
    """
    epsilon = to_epsilon(epsilon, MECHANISM)
    name, lengths = policy_of(policy)
    prior = registry.dx_priors.get("dx.WordPairs.v1")() if prior is None else prior
    if not isinstance(prior, Prior) or prior.draws not in SAMPLING:
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
    builder = partial(build, policy_name=name, policy=lengths, prior=prior)
    facts = Facts(draws_sentences=not alone)
    return SentenceMechanism("dx.Path.v2", guarantee, builder, facts)


def build(
    space: Space,
    guarantee: Guarantee,
    *,
    policy_name: str,
    policy: MetricPolicy,
    prior: Prior,
) -> Sentences:
    graph, epsilon = policy_graph(space, policy, policy_name), guarantee.epsilon
    chain = prior.fit(space)
    if epsilon * graph.longest > LARGEST_SCORE:
        expected = f"at most {LARGEST_SCORE / graph.longest:.4g} on this space"
        raise fail("epsilon", expected, epsilon)
    alone = prior.draws == "alone"
    beta = beta_of(space, graph, chain, epsilon) if alone else epsilon / 2
    kernel = Kernel(graph, beta)
    notes = (
        f"{SAMPLING[prior.draws]} sampling by exp(-{beta:.6g} path) and {prior.name} "
        f"({chain.digest[:12]}). {guarantee.notes} Rounding: {rounding(chain):.2g} nats a word."
    )
    guarantee = replace(guarantee, notes=notes, loss_range=2 * beta / epsilon)
    default_prior = registry.dx_priors.get("dx.WordPairs.v1")()
    default = (policy_name, policy, prior) == (*policy_of("general"), default_prior)
    stored = stored_distances(space, policy)
    facts = Facts(
        draws_sentences=not chain.is_unigram,
        measured=default and space.digest == Space.builtin().digest,
        longest=graph.longest,
        distance_quantiles=stored.get("apart"),
        near_names=stored.get("near_names", ()),
        farthest=graph.farthest,
        store_paths=graph.store,
    )
    return Sentences(chain, kernel, WordSampler(kernel, chain.unigram), guarantee, facts)


def rounding(chain: Chain) -> float:
    """Return an upper bound on the loss, in nats a word, that rounding of sums over states adds.

    Reference:
        docs/explanation/sentences.md, "floats", with 6.1 in place of 6.5.
    """
    terms = chain.states
    if len(chain.base):  # the longest sums: transitions into a state, and folded contexts
        terms = (
            int(np.diff(chain.incoming_transitions().indptr).max() + np.bincount(chain.base).max())
            + 4
        )
    return 6.5 * (terms + min(chain.states, BLOCK_STATES) + 10) * FLOAT_STEP


@dataclass(frozen=True, eq=False, repr=False)
class Sentences:
    """The distribution on one space, and its guarantee."""

    chain: Chain  # the public language model
    kernel: Kernel
    words: WordSampler  # word-level sampling
    guarantee: Guarantee
    facts: Facts

    @cached_property
    def emissions(self) -> Emissions:
        return Emissions(self.chain, self.kernel)

    @cached_property
    def draw(self) -> SentenceSampler:
        return SentenceSampler(self.chain, self.emissions)

    @cached_property
    def likelihood(self) -> SentenceLikelihood:
        return SentenceLikelihood(self.chain, self.emissions)


class SentenceMechanism(ProbabilityMechanism[Sentences]):
    """Sentence-level sampling if `starts` is given, else word-level.

    A word that the space lacks has no emission likelihood: its replacement is drawn from the
    language model, given the words around it.
    """

    def _fitted_facts(self, space: Space, built: Sentences) -> Facts:
        return built.facts

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
            unknown: bool (k,), words that the space lacks; their rows are ignored.

        Returns:
            Rows (k,), without vectors.

        Raises:
            DxError: Before fit, for rows out of range, and for other shapes.
        """
        k, n, built = np.asarray(rows).size, len(self.space.words), self.built
        is_unknown = checked_flags("unknown", unknown, k, missing=False)
        rows = np.where(is_unknown, 0, rows) if is_unknown.any() else rows
        checked = checked_rows(rows, n)
        checked[is_unknown] = UNKNOWN_ROW
        begins, stays = checked_layout(k, starts, fixed)
        if (checked[stays] == UNKNOWN_ROW).any():
            raise fail("fixed", "False for words that the space lacks", True)
        if starts is None or not built.facts.draws_sentences:
            return Draw(built.words(checked, stays, rng))
        return Draw(built.draw(InputRows(checked, begins, stays), rng))

    def log_likelihood(
        self,
        rows: Ints1d,
        outputs: Ints1d,
        starts: Bools1d | None = None,
        fixed: Bools1d | None = None,
        candidates: Ints2d | None = None,
        needed: Needed | None = None,
    ) -> Floats1d | Floats2d:
        if starts is None or self.built.chain.is_unigram:
            return super().log_likelihood(rows, outputs, starts, fixed, candidates)
        text, outputs, candidates = self._checked(rows, outputs, starts, fixed, candidates)
        likelihood = self.built.likelihood
        if candidates is None:
            return likelihood(InputRows(*text), outputs)
        return likelihood.of_candidates(InputRows(*text), outputs, candidates, needed)

    def log_p(self, rows: Ints1d, outputs: Ints1d) -> Floats1d:
        return self.built.words.log_likelihood(rows, outputs)

    def log_weights(self, rows: Ints1d, outputs: Ints1d) -> tuple[Floats2d, Floats1d]:
        """Return ln of the word-level weights of different outputs (q,), float64 (k, q), and of
        lower bounds on their sums, (k,)."""
        n = len(self.space)
        return self.built.words.log_weights(checked_rows(rows, n), checked_rows(outputs, n))

    def log_sums(self, rows: Ints1d) -> Floats1d:
        """Return ln of the sums of word-level weights, float64 (k,)."""
        return self.built.words.log_sums(checked_rows(rows, len(self.space)))

    def distribution(self, rows: Ints1d) -> Floats2d:
        """Return the word-level probability of every output, float64 (k, n)."""
        return self.built.words.distribution(checked_rows(rows, len(self.space)))

    def distances(self, rows: Ints1d) -> Floats2d:
        """Return the metric of the guarantee, float64 (k, n)."""
        return self.built.kernel.graph.distances(checked_rows(rows, len(self.space)))
