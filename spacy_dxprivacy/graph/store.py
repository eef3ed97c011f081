"""One graph for a space and its kept classes: learned once, kept beside the space."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..space import Space
from ..tables import learned
from .files import from_fields, read_graph, to_fields, write_graph
from .sampled import check_graph
from .word_graph import WordGraph, build

KIND = "graph"


def graph_of(space: Space, keep: Sequence[str] = (), unfinished: Path | None = None) -> WordGraph:
    """The graph that was learned from the space or came with it; built where there is none yet.

    unfinished: as of build. Raises DxError as build does.
    """
    graph: WordGraph | None = kept_graph(space, keep)
    if graph is None:
        graph = build(space, keep, unfinished)
        learned.keep(space, _name(keep), graph)
    return graph


def kept_graph(space: Space, keep: Sequence[str] = ()) -> WordGraph | None:
    """The graph of the space, where it is known already. Raises DxError for one that was read and
    is not what the vectors give."""
    graph: WordGraph | None = learned.find(space, _name(keep), partial(check_graph, space=space))
    return graph


def _name(keep: Sequence[str]) -> str:
    """ "graph", and for kept classes a name that no class name can make unfit for a folder."""
    if not keep:
        return KIND
    return f"{KIND}-{hashlib.sha256(chr(10).join(keep).encode()).hexdigest()[:12]}"


learned.register(
    KIND,
    learned.Codec(
        name=lambda graph: _name(graph.keep),
        write=write_graph,
        read=lambda folder, digest: read_graph(folder, digest=digest),
        to_fields=to_fields,
        from_fields=from_fields,
    ),
)
