"""Weights that make sums even, for one table, law and epsilon: made once, kept beside the table."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d
from ..graph.even import Even, Lengths, even, stated
from ..graph.policy import PLAIN, policy_graph
from ..graph.policy_graph import PolicyGraph
from ..space import Space
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


def even_of(space: Space, graph: PolicyGraph, weights: Floats1d, epsilon: float) -> Even:
    """weights: float64 (n,), above 0. Raises DxError where nothing is left of some of them."""
    lengths = Lengths(graph, shorter(graph, policy_graph(space, PLAIN, "plain")))
    law = _law(lengths, weights, epsilon)
    found: Evened | None = learned.find(space, FILE.name(law))
    if found is None:
        made = even(lengths, weights, epsilon)
        found = Evened(space.digest, law, made.beta, made.weights, made.logs)
        learned.keep(space, FILE.name(law), found)
        return made
    if found.weights.shape != (len(graph),):
        raise fail("even", f"weights of {len(graph)} words", found.weights.shape)
    return stated(lengths, found.weights, found.logs, found.beta, epsilon)


def shorter(graph: PolicyGraph, plain: PolicyGraph) -> Bools1d:
    """bool (m,): the edges that a policy made shorter than they are without one, or brought in."""
    ours, theirs = (_edges(one) for one in (graph, plain))
    if not len(theirs):
        return np.ones(len(ours), dtype=bool)
    at = np.minimum(np.searchsorted(theirs, ours), len(theirs) - 1)
    less: Bools1d = (theirs[at] != ours) | (np.asarray(graph.steps) < np.asarray(plain.steps)[at])
    return less


def _edges(graph: PolicyGraph) -> Ints1d:
    """(m,), a number for both ends, rising."""
    low = np.repeat(np.arange(len(graph)), np.diff(graph.starts))
    return low * len(graph) + np.asarray(graph.ends, dtype=np.int64)


def _law(lengths: Lengths, weights: Floats1d, epsilon: float) -> str:
    hasher, graph = hashlib.sha256(repr(float(epsilon)).encode()), lengths.graph
    for part in (graph.starts, graph.ends, graph.steps, graph.radii, lengths.short):
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
