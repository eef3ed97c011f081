"""A file of the paths from the commonest words, which each machine computes once.

Nothing in the file is believed. What the right file holds follows from a public graph, in whole
numbers, so the package ships its digest for each policy of the built-in space (paths.json, by the
digest of the graph). The file begins with the digest of each row. This beginning has to match the
digest that ships, and each row, whenever it is read, the one in the beginning. A file that is
damaged, foreign, forged or changed while in use costs the time of a search, whoever may write to
the folder. Other graphs have no file.

Rows are read, not mapped: a mapped file that somebody cuts would end the process. All processes
share what the system caches of the file; none keeps it open, so there is nothing to share in a
fork. The file can be read by its owner alone, since which parts of it the system caches shows
which words were met.

begin   FORMAT; uint32 (k,), where each row ends; SHA-256 of each row, (k, 32) bytes
row     uint16 words (m,), by row; uint16 (m,), how many quanta nearer than both radii
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Protocol

import numpy as np

from ..arrays import Ints1d, Numbers1d, blocks
from ..errors import DxWarning, UsageError, Warnings
from ..io.files.limits import regular
from ..space import BUILTIN

FORMAT = b"dx paths 1".ljust(16)
WORDS = 12_000  # the first of a space, which are .97 of English text
DIGESTS = BUILTIN / "paths.json"
CELL = 4  # bytes of a near word
DIGEST = 32
AT_ONCE = 120  # words searched from at a time

Steps = tuple[Numbers1d, Numbers1d]


class Graph(Protocol):
    """The members of a PolicyGraph that a table needs."""

    @property
    def arrays(self) -> tuple[Numbers1d, ...]: ...
    def __len__(self) -> int: ...
    def searched(self, rows: Ints1d) -> list[Steps]: ...


def cache_folder() -> Path | None:
    """Return the folder of files that are computed again where they are missing, by DX_CACHE, else
    by XDG_CACHE_HOME; None where DX_CACHE is empty, or nobody is at home."""
    folder, base = os.environ.get("DX_CACHE"), os.environ.get("XDG_CACHE_HOME", "")
    try:
        if folder is not None:
            return Path(folder).expanduser() if folder else None
        home = Path(base) if os.path.isabs(base) else Path.home() / ".cache"
    except RuntimeError:
        return None
    return home / "spacy-dxprivacy"


def digest_of(graph: Graph) -> str:
    """Return the digest of a graph, and of the format of its table."""
    digest = hashlib.sha256(FORMAT)
    for array in (np.array([len(array) for array in graph.arrays]), *graph.arrays):
        digest.update(np.ascontiguousarray(array, dtype="<i8").data)
    return digest.hexdigest()


class PathTable:
    """Results of `PolicyGraph.within` for the first words of a space, read from a file."""

    def __init__(self, path: Path, begin: bytes) -> None:
        k = (len(begin) - len(FORMAT)) // (CELL + DIGEST)
        ends = np.frombuffer(begin, "<u4", k, len(FORMAT)).astype(np.int64)
        self.path, self.begin = path, begin
        self._ends = (len(begin) + CELL * np.append(0, ends)).tolist()

    def __len__(self) -> int:
        return len(self._ends) - 1

    def read(self, rows: Iterable[int]) -> dict[int, Steps]:
        """Return the results of these rows by row, without those that are missing or damaged."""
        wanted = [row for row in rows if row < len(self)]
        stored: dict[int, Steps] = {}
        digests = len(self.begin) - DIGEST * len(self)
        try:
            with regular(self.path).open("rb", buffering=0) as file:
                for row in wanted:
                    file.seek(self._ends[row])
                    data = file.read(self._ends[row + 1] - self._ends[row]) or b""
                    at = digests + DIGEST * row
                    if hashlib.sha256(data).digest() == self.begin[at : at + DIGEST]:
                        words, nearer = np.frombuffer(data, "<u2").reshape(2, -1)
                        stored[row] = words.astype(np.int32), nearer.astype(np.int16)
        except OSError:  # it went away
            pass
        return stored

    @property
    def is_whole(self) -> bool:
        """Whether every row matches its digest."""
        parts = (range(*part.indices(len(self))) for part in blocks(len(self), AT_ONCE))
        return all(len(self.read(rows)) == len(rows) for rows in parts)


def open_table(graph: Graph) -> PathTable | None:
    """Return the table of a graph, where a right one is stored."""
    folder = cache_folder()
    if folder is None or not folder.is_dir():
        return None
    name, root = _known(graph)
    return None if root is None else _opened(folder / name, root, len(graph))


def store_table(graph: Graph, report: Callable[[int], object] = lambda _: None) -> bool:
    """Compute and store the table of a graph, unless a whole one is stored.

    A folder that cannot be written is left alone, with a warning.

    Args:
        graph: The graph.
        report: Called with the number of words that were searched from since the last call.

    Returns:
        Whether there is a table.
    """
    from ..io.files.atomic import Output

    folder, (name, root) = cache_folder(), _known(graph)
    if folder is None or root is None:
        return False
    try:
        table = _opened(folder / name, root, len(graph))
        if table is not None and table.is_whole:
            return True
        with Output(folder / name, force=True) as output:
            if os.name == "posix":
                os.fchmod(output.handle.fileno(), 0o600)
            if hashlib.sha256(write_table(graph, output.handle, report)).hexdigest() != root:
                output.discard()
                return False
    except (OSError, UsageError) as error:
        why = getattr(error, "strerror", None) or "it is in use"
        warnings.warn(Warnings.DX105.format(path=folder, why=why), DxWarning, stacklevel=3)
        return False
    return True


def write_table(
    graph: Graph, file: IO[bytes], report: Callable[[int], object] = lambda _: None
) -> bytes:
    """Write the table of a graph of at most 65,536 words into a new file; return its beginning."""
    k = min(WORDS, len(graph))
    ends, digests, end = [], [], 0
    file.seek(_length(k))
    for part in blocks(k, AT_ONCE):
        rows: Ints1d = np.arange(*part.indices(k))
        for words, nearer in graph.searched(rows):
            data = words.astype("<u2").tobytes() + nearer.astype("<u2").tobytes()
            file.write(data)
            end += len(words)
            ends.append(end)
            digests.append(hashlib.sha256(data).digest())
        report(len(rows))
    begin = FORMAT + np.array(ends, dtype="<u4").tobytes() + b"".join(digests)
    file.seek(0)
    file.write(begin)
    return begin


def _known(graph: Graph) -> tuple[str, str | None]:
    """Return the name of the file, and the digest of its beginning, if it ships."""
    digest = digest_of(graph)
    return f"paths-{digest[:16]}.bin", json.loads(DIGESTS.read_bytes()).get(digest)


def _length(k: int) -> int:
    return len(FORMAT) + (CELL + DIGEST) * k


def _opened(path: Path, root: str, n: int) -> PathTable | None:
    try:
        with regular(path).open("rb") as file:
            begin = file.read(_length(min(WORDS, n)))
    except OSError:
        return None
    return PathTable(path, begin) if hashlib.sha256(begin).hexdigest() == root else None
