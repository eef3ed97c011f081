"""Walks on the graph of words that mechanisms of one metric share: most of an attacker's time.

What is remembered here are candidates, which the attacker chooses, and the text under attack.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arrays import Ints1d, Numbers1d
from ...graph.policy_graph import PolicyGraph
from ...mechanisms.base.sentences import SentenceMechanism

MOST_BYTES = 2**29


@dataclass(frozen=True, eq=False)
class RememberedGraph(PolicyGraph):
    """A graph that walks from each word once, until its memory is full."""

    kept: dict[int, tuple[Numbers1d, Numbers1d]] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)

    def within(self, rows: Ints1d) -> list[tuple[Numbers1d, Numbers1d]]:
        new = np.array([row for row in rows.tolist() if row not in self.kept], dtype=np.int64)
        walked = dict(zip(new.tolist(), super().within(new), strict=True)) if len(new) else {}
        found = [walked[row] if row in walked else self.kept[row] for row in rows.tolist()]
        self.sizes.append(sum(words.nbytes + steps.nbytes for words, steps in walked.values()))
        if sum(self.sizes) < MOST_BYTES:
            self.kept.update(walked)
        return found


class Walks:
    """Graphs of the mechanisms that were seen."""

    def __init__(self) -> None:
        self._graphs: list[RememberedGraph] = []

    def share(self, mechanism: Any) -> None:
        """Let a fitted mechanism take the walks of others on the same graph."""
        if not isinstance(mechanism, SentenceMechanism):
            return
        kernel = mechanism.built.kernel
        kernel.graph = self._of(kernel.graph)

    def _of(self, graph: PolicyGraph) -> RememberedGraph:
        for known in self._graphs:
            if np.array_equal(known.steps, graph.steps) and np.array_equal(
                known.radii, graph.radii
            ):
                return known
        made = RememberedGraph(graph.starts, graph.ends, graph.steps, graph.radii, graph.quanta)
        self._graphs.append(made)
        return made
