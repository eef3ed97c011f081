"""A space out of public vectors, with what is learned of it: what `dx space` does."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError
from ..graph import graph_of
from ..space import Space
from ..tables.readers import Progress
from .sources import Filter, load


def make_space(
    source: str,
    choose: Filter,
    *,
    graph: bool = True,
    unfinished: Path | None = None,
    progress: Progress | None = None,
) -> Space:
    """The space of a file of vectors, of a saved space, or the built-in one; with its graph, if
    that is wanted. unfinished: a folder for what is done of a graph of many words, which whoever
    saves the space removes. Raises DxError and OSError where there is no such thing."""
    space = load(source, choose, progress=progress)
    if graph:
        graph_of(space, unfinished=unfinished)
    return space


def check_space_folder(path: Path, *, force: bool) -> None:
    """Raises UsageError where a space may not be saved: over what is none, or over one without
    force."""
    if not path.exists():
        return
    if not (path / "space.json").is_file():
        raise UsageError(f"{path}: is no space, and will not be replaced.")
    if not force:
        raise UsageError(f"{path}: exists already. `force` replaces it.")
