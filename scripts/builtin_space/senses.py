"""Which sense an authored anchor means: the one that a walk from the anchors reaches most."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from builtin_space.embed import walk
from builtin_space.graph import Evidence, Graph, lemma_node
from builtin_space.wordnet import WordNet

FLOOR = 0.02  # of the best sense's fit that every other sense keeps


def fit_senses(anchors: dict[str, list[str]], net: WordNet, graph: Graph) -> Evidence:
    """For each anchored lemma of WordNet: synset -> fit in [FLOOR, 1]."""
    lemmas = [lemma for lemma in sorted(anchors) if lemma in net.cased.get(lemma.lower(), ())]
    reached = walk(graph, _anchor_rows(lemmas, anchors, graph))
    evidence: Evidence = {}
    for row, lemma in enumerate(lemmas):
        masses = {s.synset: reached[row, graph.index[s.synset]] for s in net.senses[lemma.lower()]}
        best = max(masses.values())
        evidence[lemma] = {s: max(FLOOR, m / best) if best > 0 else 1.0 for s, m in masses.items()}
    return evidence


def _anchor_rows(
    lemmas: list[str], anchors: dict[str, list[str]], graph: Graph
) -> sparse.csr_array:
    rows = [row for row, lemma in enumerate(lemmas) for _ in anchors[lemma]]
    columns = [graph.index[lemma_node(anchor)] for lemma in lemmas for anchor in anchors[lemma]]
    data = [1.0 / len(anchors[lemma]) for lemma in lemmas for _ in anchors[lemma]]
    shape = (len(lemmas), len(graph.index))
    return sparse.csr_array((np.array(data), (rows, columns)), shape=shape)
