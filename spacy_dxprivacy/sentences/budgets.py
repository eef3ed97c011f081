"""The budgets of words drawn alone on one table: learned once, kept beside it.

The exact epsilon of a beta takes a walk from every word, which are minutes for 60,000 of them; what
comes of it are two columns of numbers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats1d
from ..graph.policy_graph import PolicyGraph
from ..priors.chain import Chain
from ..tables import learned
from ..tables.kept_json import JsonFile
from .calibration import exact_epsilon, solved_for_words, weights_at

KIND = "alone"
MANY = 5_000  # words, from which on walks from all of them are made once only
BETAS = np.round(0.02 * 1.01 ** np.arange(640), 6)  # to 11.5: one percent apart


@dataclass(frozen=True, eq=False, repr=False)
class Budgets:
    """digest: of the table. law: of the graph and the weights of its words. betas, epsilons:
    float64 (k,), the least epsilon that each beta holds."""

    digest: str
    law: str
    betas: Floats1d
    epsilons: Floats1d

    def beta(self, epsilon: float) -> float:
        """The largest of the betas that holds epsilon; half of it, which any holds, at least."""
        held = self.betas[self.epsilons <= epsilon]
        return max(epsilon / 2, float(held.max(initial=0.0)))


def beta_of(space: learned.Table, graph: PolicyGraph, chain: Chain, epsilon: float) -> float:
    """The beta of words that are drawn alone by the unigrams of the chain: within 1e-4 of what
    holds epsilon where the walks are quickly made, else within one percent, and never above."""
    law = law_of(graph, chain)
    found: Budgets | None = learned.find(space, FILE.name(law))
    if found is None:
        if len(graph) < MANY:
            return solved_for_words(graph, chain.unigram, epsilon)
        found = learn(space, graph, chain)
    return found.beta(epsilon)


def learn(space: learned.Table, graph: PolicyGraph, chain: Chain) -> Budgets:
    """Walk from every word, and keep what comes of it beside the table."""
    at = weights_at(graph, chain.unigram)
    exact = np.array([exact_epsilon(graph, at, beta) for beta in BETAS.tolist()])
    epsilons = np.ceil(exact * 1e6) / 1e6  # as files have it
    made = Budgets(space.digest, law_of(graph, chain), BETAS, epsilons)
    learned.keep(space, FILE.name(made.law), made)
    return made


def law_of(graph: PolicyGraph, chain: Chain) -> str:
    """A digest of all that the numbers come of."""
    hasher = hashlib.sha256(chain.digest.encode())
    for part in (graph.starts, graph.ends, graph.steps, graph.radii):
        hasher.update(np.ascontiguousarray(part, dtype=np.int64).tobytes())
    return hasher.hexdigest()


def _to_fields(budgets: Budgets) -> dict[str, Any]:
    columns = {"betas": budgets.betas.tolist(), "epsilons": budgets.epsilons.tolist()}
    return {"digest": budgets.digest, "law": budgets.law, **columns}


def _from_fields(fields: dict[str, Any]) -> Budgets:
    betas, epsilons = (np.asarray(fields[k], dtype=np.float64) for k in ("betas", "epsilons"))
    # Whatever was written there: no beta holds less than itself, or more than twice that.
    within = betas.shape == epsilons.shape and (betas > 0).all()
    if not within or (epsilons < betas).any() or (epsilons > 2 * betas + 1e-5).any():
        raise ValueError("budgets that no law has")
    return Budgets(str(fields["digest"]), str(fields["law"]), betas, epsilons)


FILE = JsonFile(KIND, "budgets.json", _to_fields, _from_fields)
FILE.register()
