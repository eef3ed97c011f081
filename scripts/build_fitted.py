"""Compute what mechanisms learn of the built-in space, again whenever that changes: minutes.

    python scripts/build_fitted.py [graph] [apart] [alone] [diffractor]     # all if none is named

graph: of near words, for dx.Path. apart: how far words are apart under each preset, and the digest
of the table of paths that each machine computes. alone: epsilon and beta of words drawn alone, for
each preset and prior. diffractor: the list of dx.Diffractor.v1, the slowest fit.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from spacy_dxprivacy import Space, registry
from spacy_dxprivacy.mechanisms.levels import probed_distances
from spacy_dxprivacy.metric.path_table import DIGESTS, digest_of, write_table
from spacy_dxprivacy.metric.policy import DISTANCES_FILE, PRESETS, policy_graph
from spacy_dxprivacy.metric.word_graph import build
from spacy_dxprivacy.pipeline.name_distances import name_rows
from spacy_dxprivacy.sampler.calibration import epsilons_of
from spacy_dxprivacy.space import BUILTIN, learned

PRIORS = ("dx.WordFrequency.v1", "dx.Uniform.v1")


def graph(space: Space) -> None:
    learned.write(build(space), BUILTIN / "graph")


def apart(space: Space) -> None:
    table = {"space": space.digest, "policies": [*measured(space)]}
    (BUILTIN / DISTANCES_FILE).write_text(json.dumps(table) + "\n", encoding="utf8")
    DIGESTS.write_text(json.dumps(dict(tables(space)), indent=1) + "\n", encoding="utf8")


def alone(space: Space) -> None:
    for policy in PRESETS:
        steps = policy_graph(space, PRESETS[policy], policy)
        for prior in PRIORS:
            epsilons_of(space, steps, registry.dx_priors.get(prior)().fit(space))
            write_fitted(space)
            print(policy, prior, flush=True)


def diffractor(space: Space) -> None:
    registry.dx_mechanisms.get("dx.Diffractor.v1")(epsilon=1.0).fit(space)
    write_fitted(space)


def write_fitted(space: Space) -> None:
    for name, write in learned.writers(space).items():
        if name.startswith(learned.FITTED):
            write(BUILTIN / name)


def measured(space: Space) -> Iterator[dict[str, Any]]:
    for policy in PRESETS:
        mechanism = registry.dx_mechanisms.get("dx.Path.v2")(0.5, policy=policy).fit(space)
        distances = probed_distances(mechanism, len(space))
        near = near_names(mechanism, name_rows(space))
        yield {"policy": asdict(PRESETS[policy]), "apart": distances, "near_names": near}


def tables(space: Space) -> Iterator[tuple[str, str]]:
    """The digest of the graph of each preset, and of the beginning of its table of paths."""
    for policy in PRESETS:
        steps = policy_graph(space, PRESETS[policy], policy)
        with tempfile.TemporaryFile() as file:
            yield digest_of(steps), hashlib.sha256(write_table(steps, file)).hexdigest()


def near_names(mechanism: Any, rows: Any) -> list[float]:
    """The distances of the 99 nearest names from the one that is guessed as often as the median of
    400 names, at 1 nat a unit of distance."""
    probes = rows[np.linspace(0, len(rows) - 1, 400).astype(int)]
    D = np.sort(mechanism.distances(probes)[:, rows], axis=1)[:, 1:100]
    order = np.argsort(np.exp(-D).sum(axis=1), kind="stable")
    return list(D[order[len(D) // 2]].tolist())


STEPS = {"graph": graph, "apart": apart, "alone": alone, "diffractor": diffractor}

if __name__ == "__main__":
    for step in sys.argv[1:] or STEPS:
        STEPS[step](Space.builtin())
