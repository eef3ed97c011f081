"""A file of the paths from the commonest words, which each machine computes once.

The file is not trusted. Its content follows from a public graph, in whole numbers, so the package
ships its digest for each policy of the built-in space (paths.json, by the digest of the graph). The
header has the digest of each row. It has to match the shipped digest, and each row, when it is
read, the digest in the header. If anybody damages or changes the file, paths are searched instead.
Other graphs have no file.

Rows are read, not mapped: truncating a mapped file would kill the process. Processes share the
system's cache of the file, and none keeps it open, so a fork shares no state. Only its owner can
read the file, since the cached parts reveal which words were read.

header  FORMAT; uint32 (k,), where each row ends; SHA-256 of each row, (k, 32) bytes
row     uint16 words (m,), by row; uint16 (m,), quanta by which each is nearer than both radii
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
from ..files.limits import regular
from ..space import BUILTIN

FORMAT = b"dx paths 1".ljust(16)
TABLE_WORDS = 12_000  # the first of a space, which are .97 of English text
DIGESTS = BUILTIN / "paths.json"
CELL = 4  # bytes of a word in a row
DIGEST = 32
WORDS_AT_ONCE = 120  # words searched from at a time

Steps = tuple[Numbers1d, Numbers1d]


class Graph(Protocol):
    """The members of a PolicyGraph that a table needs."""

    @property
    def arrays(self) -> tuple[Numbers1d, ...]: ...
    def __len__(self) -> int: ...
    def search_within(self, rows: Ints1d) -> list[Steps]: ...


def cache_folder() -> Path | None:
    """Return the folder of cached files, by DX_CACHE or else XDG_CACHE_HOME; None if DX_CACHE is
    empty, or there is no home folder."""
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

    def __init__(self, path: Path, header: bytes) -> None:
        k = (len(header) - len(FORMAT)) // (CELL + DIGEST)
        ends = np.frombuffer(header, "<u4", k, len(FORMAT)).astype(np.int64)
        self.path, self.header = path, header
        self._ends = (len(header) + CELL * np.append(0, ends)).tolist()

    def __len__(self) -> int:
        return len(self._ends) - 1

    def read(self, rows: Iterable[int]) -> dict[int, Steps]:
        """Return the results of these rows, by row, without missing and damaged ones."""
        wanted = [row for row in rows if row < len(self)]
        stored: dict[int, Steps] = {}
        digests = len(self.header) - DIGEST * len(self)
        try:
            with regular(self.path).open("rb", buffering=0) as file:
                for row in wanted:
                    file.seek(self._ends[row])
                    data = file.read(self._ends[row + 1] - self._ends[row]) or b""
                    at = digests + DIGEST * row
                    if hashlib.sha256(data).digest() == self.header[at : at + DIGEST]:
                        words, nearer = np.frombuffer(data, "<u2").reshape(2, -1)
                        stored[row] = words.astype(np.int32), nearer.astype(np.int16)
        except OSError:  # the file was removed
            pass
        return stored

    @property
    def is_complete(self) -> bool:
        """Whether every row matches its digest."""
        parts = (range(*part.indices(len(self))) for part in blocks(len(self), WORDS_AT_ONCE))
        return all(len(self.read(rows)) == len(rows) for rows in parts)


def open_table(graph: Graph) -> PathTable | None:
    """Return the table of a graph, or None without a valid file."""
    folder = cache_folder()
    if folder is None or not folder.is_dir():
        return None
    name, root = _file_of(graph)
    return None if root is None else _open(folder / name, root, len(graph))


def store_table(graph: Graph, report: Callable[[int], object] = lambda _: None) -> bool:
    """Compute and store the table of a graph, unless a complete one is stored.

    Warns if the folder cannot be written.

    Args:
        graph: The graph.
        report: Called with the number of words searched since the last call.

    Returns:
        Whether there is a table.
    """
    from ..files.atomic import Output

    folder, (name, root) = cache_folder(), _file_of(graph)
    if folder is None or root is None:
        return False
    try:
        table = _open(folder / name, root, len(graph))
        if table is not None and table.is_complete:
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
    """Write the table of a graph of at most 65,536 words into a new file; return its header."""
    k = min(TABLE_WORDS, len(graph))
    ends, digests, end = [], [], 0
    file.seek(_length(k))
    for part in blocks(k, WORDS_AT_ONCE):
        rows: Ints1d = np.arange(*part.indices(k))
        for words, nearer in graph.search_within(rows):
            data = words.astype("<u2").tobytes() + nearer.astype("<u2").tobytes()
            file.write(data)
            end += len(words)
            ends.append(end)
            digests.append(hashlib.sha256(data).digest())
        report(len(rows))
    header = FORMAT + np.array(ends, dtype="<u4").tobytes() + b"".join(digests)
    file.seek(0)
    file.write(header)
    return header


def _file_of(graph: Graph) -> tuple[str, str | None]:
    """Return the name of the file, and the shipped digest of its header, or None."""
    digest = digest_of(graph)
    return f"paths-{digest[:16]}.bin", json.loads(DIGESTS.read_bytes()).get(digest)


def _length(k: int) -> int:
    return len(FORMAT) + (CELL + DIGEST) * k


def _open(path: Path, root: str, n: int) -> PathTable | None:
    try:
        with regular(path).open("rb") as file:
            header = file.read(_length(min(TABLE_WORDS, n)))
    except OSError:
        return None
    return PathTable(path, header) if hashlib.sha256(header).hexdigest() == root else None
