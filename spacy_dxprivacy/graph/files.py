"""A graph in a folder, or as one value.

graph.json   format, the digest of the space, kept classes, reach
starts.npy ends.npy steps.npy   edges of each word
counts.npy   (n, reach), how many words are at each distance
parts.npy    the part of each word, where classes are kept
lists.npy    the words within reach, where they were few enough to keep

The arrays are mapped into memory, and shared between processes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import srsly

from ..errors import DxError, Errors
from ..files.limits import read_array, read_json
from ..files.seals import SMALL, check_sealed, sealed
from .word_graph import WordGraph

FORMAT = 1
_EDGES = ("starts", "ends", "steps", "counts")
FILES = tuple(f"{name}.npy" for name in (*_EDGES, "parts", "lists"))


def write_graph(graph: WordGraph, folder: Path) -> None:
    """The folder is made if it is missing; files in it are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = _arrays(graph)
    for name in (*_EDGES, "parts", "lists"):
        (folder / f"{name}.npy").unlink(missing_ok=True)
        if name in arrays:
            np.save(folder / f"{name}.npy", arrays[name])
    files = sealed(folder, FILES)
    srsly.write_json(folder / "graph.json", {**_about(graph), "files": files})


def read_graph(folder: Path, *, digest: str) -> WordGraph:
    """Raises DxError where it belongs to another space than that of the digest, or is damaged, or
    was changed since it was saved; large files are not read through for that."""
    try:
        about = read_json(folder / "graph.json")
        if about["digest"] == digest:
            check_sealed(folder, about.get("files"), FILES, SMALL)
        found = {p.stem: _mapped(p) for p in sorted(folder.glob("*.npy"))}
        graph = _graph(about, found)
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        why = f"its graph is incomplete or damaged ({type(error).__name__})."
        raise DxError(Errors.DX024.format(path=folder, why=why)) from None
    if graph.digest != digest:
        raise DxError(Errors.DX045.format(path=folder, found=graph.digest, expected=digest))
    return graph


def to_fields(graph: WordGraph) -> dict[str, Any]:
    """For msgpack; without the lists, which can be walked again."""
    return {"about": _about(graph), "arrays": _arrays(replace(graph, lists=None))}


def from_fields(fields: dict[str, Any]) -> WordGraph:
    """The graph out of what to_fields made. Raises DxError for arrays that do not fit."""
    return _graph(fields["about"], fields["arrays"])


def _about(graph: WordGraph) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "digest": graph.digest,
        "keep": list(graph.keep),
        "reach": graph.reach,
    }


def _arrays(graph: WordGraph) -> dict[str, Any]:
    arrays = {name: getattr(graph, name) for name in _EDGES}
    if graph.keep:
        arrays["parts"] = graph.parts
    if graph.lists is not None:
        arrays["lists"] = graph.lists
    return arrays


def _mapped(path: Path) -> Any:
    # As a plain array: slices of a memmap are ten times as slow to make.
    return read_array(path).view(np.ndarray)


def _graph(about: dict[str, Any], arrays: dict[str, Any]) -> WordGraph:
    if about["format"] != FORMAT:
        raise ValueError("another format")
    starts, ends, steps, counts = (arrays[name] for name in _EDGES)
    n, reach = counts.shape
    lists = arrays.get("lists")
    whole = lists is None or len(lists) == counts.sum(dtype=np.int64)
    if len(starts) != n + 1 or len(ends) != starts[-1] or len(steps) != len(ends) or not whole:
        raise ValueError("files that do not fit together")
    if reach != about["reach"] or (len(ends) and ends.max() >= n):
        raise ValueError("files that do not fit together")
    parts = arrays.get("parts", np.zeros(n, dtype=np.int64))
    keep = tuple(about["keep"])
    return WordGraph(about["digest"], keep, reach, starts, ends, steps, parts, counts, lists)
