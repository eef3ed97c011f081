"""Budgets of words drawn alone on the built-in space, for each preset and prior: minutes each.

python scripts/build_budgets.py
"""

from __future__ import annotations

from spacy_dxprivacy import Space, registry
from spacy_dxprivacy.graph.policy import PRESETS, policy_graph
from spacy_dxprivacy.sentences.budgets import KIND, learn
from spacy_dxprivacy.space import BUILTIN
from spacy_dxprivacy.tables import learned

PRIORS = ("dx.WordFrequency.v1", "dx.Uniform.v1")


def main() -> None:
    space = Space.builtin()
    for policy in PRESETS:
        graph = policy_graph(space, PRESETS[policy], policy)
        for prior in PRIORS:
            learn(space, graph, registry.dx_priors.get(prior)().fit(space))
            for name, write in learned.writers(space).items():
                if name.startswith(KIND):
                    write(BUILTIN / name)
            print(policy, prior, flush=True)


if __name__ == "__main__":
    main()
