"""One graph for a space and its kept classes: learned once, kept beside the space.

graph.json   format, the digest of the space, kept classes, reach
starts.npy ends.npy steps.npy   edges of each word
counts.npy   (n, reach), how many words are at each distance
parts.npy    the part of each word, where classes are kept
lists.npy    the words within reach, where they were few enough to keep

The arrays are mapped into memory. A graph that was read from files is compared with what vectors
give: of few words it is learned again. Of more, some words are looked at: those that a generator
draws, which nobody can foresee, and those at which the sums Z are extreme or steepest, since these
make the epsilon that is stated. What is wrong for a few other words is not seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import srsly

from ..arrays import Floats2d, Ints1d, Ints2d, Numbers1d
from ..errors import DxError, Errors
from ..io.files.digests import SMALL, check_sealed, sealed
from ..io.files.limits import read_array, read_json
from ..privacy.randomness import Rng
from ..space import Space
from ..space.tables import learned
from .word_graph import (
    JOINED,
    RANKED,
    WordGraph,
    build,
    edges,
    log_sums,
    parts_of,
    reach_of,
    with_classes,
)

FORMAT = 1
NEEDED = ("starts", "ends", "steps", "counts")
FILES = tuple(f"{name}.npy" for name in (*NEEDED, "parts", "lists"))


def write_graph(graph: WordGraph, folder: Path) -> None:
    """The folder is made if it is missing; files in it are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    about, arrays = to_fields(graph, lists=graph.lists).values()
    for file in FILES:
        (folder / file).unlink(missing_ok=True)
        if (name := Path(file).stem) in arrays:
            np.save(folder / file, arrays[name])
    srsly.write_json(folder / "graph.json", {**about, "files": sealed(folder, FILES)})


def read_graph(folder: Path, *, digest: str) -> WordGraph:
    """Raises DxError where it belongs to another space than that of the digest, or is damaged, or
    was changed since it was saved; large files are not read through for that."""
    try:
        about = read_json(folder / "graph.json")
        if about["digest"] == digest:
            check_sealed(folder, about.get("files"), FILES, SMALL)
        # As plain arrays: slices of a memmap are ten times as slow to make.
        arrays = {p.stem: read_array(p).view(np.ndarray) for p in sorted(folder.glob("*.npy"))}
        graph = from_fields({"about": about, "arrays": arrays})
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        why = f"its graph is incomplete or damaged ({type(error).__name__})."
        raise DxError(Errors.DX024.format(path=folder, why=why)) from None
    if graph.digest != digest:
        raise DxError(Errors.DX045.format(path=folder, found=graph.digest, expected=digest))
    return graph


def to_fields(graph: WordGraph, lists: Numbers1d | None = None) -> dict[str, Any]:
    """For msgpack; without the lists, which can be walked again."""
    about = {"format": FORMAT, "digest": graph.digest}
    arrays = {name: getattr(graph, name) for name in NEEDED}
    if graph.keep:
        arrays["parts"] = graph.parts
    if lists is not None:
        arrays["lists"] = lists
    return {"about": {**about, "keep": list(graph.keep), "reach": graph.reach}, "arrays": arrays}


def from_fields(fields: dict[str, Any]) -> WordGraph:
    """The graph out of what to_fields made. Raises ValueError for arrays that do not fit."""
    about, arrays = fields["about"], fields["arrays"]
    if about["format"] != FORMAT:
        raise ValueError("another format")
    starts, ends, steps, counts = (arrays[name] for name in NEEDED)
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


# -- compared with the vectors ---------------------------------------------------------------------


SAMPLE = 32  # words whose shortest paths are searched again
JOINED_AGAIN = 3  # words whose neighbours are
# Edges of those that have to be alike. Few words that are near to nobody have shorter ones (of
# three words of the built-in space .76 were alike at least), nearly equal distances are ranked one
# way here and another there, and of more than 100,000 words some neighbours are missed.
ALIKE = 0.5
BETAS = (0.5, 1.0, 2.0, 4.0)  # at which extremes are looked for


def check_graph(graph: WordGraph, space: Space) -> bool:
    """Whether it is, in all of it, what the space gives; False where that holds of samples.

    Raises:
        DxError: It is not.
    """
    try:
        fits = len(graph) == len(space) and graph.reach == reach_of(len(space))
        fits = fits and np.array_equal(graph.parts, parts_of(space, graph.keep))
        if fits and len(space) <= learned.FEW and _are_equal(graph, build(space, graph.keep)):
            return True
        if fits and _paths_agree(graph) and _edges_agree(graph, space):
            return False
    except (ValueError, IndexError, TypeError):  # arrays that are no graph
        pass
    why = "its graph is not what its vectors give. Remove the folder of it, or learn it again."
    raise DxError(Errors.DX024.format(path=space.path or space.name, why=why))


def random_words(n: int, k: int) -> Ints1d:
    """k of n words, some perhaps twice."""
    return Rng().integers(n, k)


def _are_equal(one: WordGraph, other: WordGraph) -> bool:
    if one.lists is None:
        other = replace(other, lists=None)
    names = ("starts", "ends", "steps", "counts", "lists")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def _paths_agree(graph: WordGraph) -> bool:
    """Whether the words within reach are those that a search for the shortest paths finds."""
    rows = np.unique(np.concatenate([random_words(len(graph), SAMPLE), _extremes(graph)]))
    ends = np.cumsum(graph.counts.sum(axis=1, dtype=np.int64))
    for part, walks in graph.walker(rows):
        if not np.array_equal(walks.counts(graph.reach), graph.counts[rows[part]]):
            return False
        words = np.split(walks.words, np.cumsum(walks.sizes)[:-1])
        for row, found in zip(rows[part].tolist(), words, strict=True):
            stored = graph.lists
            if stored is not None and (stored[ends[row] - len(found) : ends[row]] != found).any():
                return False
    return True


def _extremes(graph: WordGraph) -> Ints1d:
    """The words with the largest and smallest Z, and the ends of the edge where it differs most."""
    low, high, steps = graph.edges
    found: list[int] = []
    for beta in BETAS:
        logs = log_sums(graph, beta)
        found += [int(logs.argmax()), int(logs.argmin())]
        if len(low):
            steepest = int((np.abs(logs[low] - logs[high]) / steps).argmax())
            found += [int(low[steepest]), int(high[steepest])]
    return np.array(found)


def _edges_agree(graph: WordGraph, space: Space) -> bool:
    """Whether most edges of a few words are as long as the ranks of their ends say."""
    words, Y, n = np.unique(random_words(len(space), JOINED_AGAIN)), with_classes(space), len(space)
    near = _nearest(Y, graph.parts, words)
    around = np.concatenate([graph.walker.edges_of(words)[1], near[:, :JOINED].ravel()])
    others = np.setdiff1d(around, np.append(words, -1))
    near = np.concatenate([near, _nearest(Y, graph.parts, others)])
    # By numbers among those that are met, since lists of all words would be mostly empty.
    met, places = np.unique(near, return_inverse=True)
    here = np.unique(np.concatenate([met[met >= 0], words, others]))
    lists = np.full((len(here), near.shape[1]), -1, dtype=np.int64)
    found = np.where(met < 0, -1, np.searchsorted(here, met))[places].reshape(near.shape)
    lists[np.searchsorted(here, np.concatenate([words, others]))] = found
    low, high, steps = edges(lists)
    theirs = _lengths((here[low], here[high], steps), words, n)
    ours = _lengths(graph.edges, words, n)
    alike = len(ours.items() & theirs.items())
    return alike >= ALIKE * len(ours.keys() | theirs.keys())


def _nearest(Y: Floats2d, parts: Ints1d, words: Ints1d) -> Ints2d:
    """(k, RANKED or fewer): the words of its part that are nearest to each of k; -1 for none."""
    from ..space.search.faiss_index import load_faiss

    lists = np.full((len(words), min(RANKED, len(Y) - 1)), -1, dtype=np.int64)
    for part in np.unique(parts[words]):
        rows, within = np.flatnonzero(parts[words] == part), np.flatnonzero(parts == part)
        depth = min(lists.shape[1] + 1, len(within))
        X = Y if len(within) == len(Y) else Y[within]
        found = within[load_faiss().knn(Y[words[rows]], X, depth)[1]]
        for row, near in zip(rows.tolist(), found, strict=True):
            others = near[near != words[row]][: lists.shape[1]]
            lists[row, : len(others)] = others
    return lists


def _lengths(some: tuple[Ints1d, Ints1d, Ints1d], words: Ints1d, n: int) -> dict[int, int]:
    """Of the edges (low, high, steps) at these words, each by a number for both of its ends."""
    low, high, steps = some
    at = np.isin(low, words) | np.isin(high, words)
    return dict(zip((low[at] * n + high[at]).tolist(), steps[at].tolist(), strict=True))


# -- one graph for a space -------------------------------------------------------------------------


def graph_of(space: Space, keep: Sequence[str] = ()) -> WordGraph:
    """The graph that was learned from the space or came with it; built where there is none yet.
    Raises DxError as build does."""
    graph = kept_graph(space, keep)
    if graph is None:
        graph = build(space, keep)
        learned.keep(space, _name(keep), graph)
    return graph


def kept_graph(space: Space, keep: Sequence[str] = ()) -> WordGraph | None:
    """The graph of the space, where it is known already. Raises DxError for one that was read and
    is not what the vectors give."""
    graph: WordGraph | None = learned.find(space, _name(keep), partial(check_graph, space=space))
    return graph


def _name(keep: Sequence[str]) -> str:
    """ "graph", and for kept classes a name that no class name can make unfit for a folder."""
    digest = hashlib.sha256(chr(10).join(keep).encode()).hexdigest()
    return f"graph-{digest[:12]}" if keep else "graph"


learned.register(
    "graph",
    learned.Codec(
        name=lambda graph: _name(graph.keep),
        write=write_graph,
        read=lambda folder, digest: read_graph(folder, digest=digest),
        to_fields=to_fields,
        from_fields=from_fields,
    ),
)
