"""Weights that make sums even, for one table, law and epsilon: made once, kept beside the table."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats1d
from ..graph.even import Even, drawn_of, even, stated
from ..graph.policy_graph import PolicyGraph
from ..tables import learned
from ..tables.kept_json import JsonFile
from ..validate import fail

KIND = "even"
COLUMNS = ("weights", "logs")


@dataclass(frozen=True, eq=False, repr=False)
class Evened:
    """digest: of the table. law: of the graph, the weights before, and epsilon. weights, logs:
    float64 (n,), after, and ln Z. beta: of the draw."""

    digest: str
    law: str
    beta: float
    weights: Floats1d
    logs: Floats1d


def even_of(space: learned.Table, graph: PolicyGraph, weights: Floats1d, epsilon: float) -> Even:
    """weights: float64 (n,), above 0. Raises DxError where nothing is left of some of them."""
    law = _law(graph, weights, epsilon)
    found: Evened | None = learned.find(space, FILE.name(law))
    if found is None:
        made = even(graph, weights, epsilon)
        found = Evened(space.digest, law, made.beta, made.weights, made.logs)
        learned.keep(space, FILE.name(law), found)
        return made
    if found.weights.shape != (len(graph),):
        raise fail("even", f"weights of {len(graph)} words", found.weights.shape)
    return stated(graph, found.weights, found.logs, found.beta, epsilon)


def _law(graph: PolicyGraph, weights: Floats1d, epsilon: float) -> str:
    hasher, drawn = hashlib.sha256(repr(float(epsilon)).encode()), drawn_of(graph)
    for part in (graph.starts, graph.ends, graph.steps, graph.radii, drawn.steps):
        hasher.update(np.ascontiguousarray(part, dtype=np.int64).tobytes())
    hasher.update(np.ascontiguousarray(weights, dtype=np.float64).tobytes())
    return hasher.hexdigest()


def _to_fields(some: Evened) -> dict[str, Any]:
    # All bits of each number: sums that stand in a promise are of these very weights.
    columns = {name: getattr(some, name).astype("<f8").tobytes().hex() for name in COLUMNS}
    return {"digest": some.digest, "law": some.law, "beta": float(some.beta).hex(), **columns}


def _from_fields(fields: dict[str, Any]) -> Evened:
    parts = (np.frombuffer(bytes.fromhex(fields[name]), dtype="<f8") for name in COLUMNS)
    weights, logs = (part.astype(np.float64) for part in parts)
    beta = float.fromhex(fields["beta"])
    good = weights.shape == logs.shape and (weights > 0).all() and np.isfinite(logs).all()
    if not (good and beta > 0):
        raise ValueError("weights that no law has")
    return Evened(str(fields["digest"]), str(fields["law"]), beta, weights, logs)


FILE = JsonFile(KIND, "even.json", _to_fields, _from_fields)
FILE.register()
