"""The folder of a saved Space.

space.json    format, name, shape, digest, class names
words.txt     one word a line, UTF-8, in row order
vectors.npy   float32 (n, d), mapped into memory; or int8 (n, d), with
scales.npy    float32 (n,), the scales of int8 rows
classes.npy   uint64 (n,), a bit for each class (optional)
aliases.json  further keys and their rows (optional)
graph/        the word graph (optional; see learned.py)
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import srsly

from ..arrays import Floats2d, blocks
from ..errors import DxError, Errors
from ..files.atomic import new_folder
from ..files.limits import MAX_HASHED, check_digests, file_digests, read_array, read_json, regular

FORMAT = 1
SEALED = ("classes.npy", "aliases.json")  # which the digest of the space does not cover


@dataclass(frozen=True, eq=False, repr=False)
class SpaceTable:
    """The content of the folder. vectors: float32 (n, d); classes: uint64 (n,) or None. digest: of
    words and vectors, or "". verified: whether the digest was compared with these."""

    words: list[str]
    vectors: Floats2d
    aliases: dict[str, int] = field(default_factory=dict)
    classes: Any = None
    class_names: tuple[str, ...] = ()
    name: str = "custom"
    digest: str = ""
    verified: bool = True


def write_table(
    table: SpaceTable, path: Path, beside: Mapping[str, Callable[[Path], None]]
) -> None:
    """Write the folder atomically. beside: name -> function that writes a subfolder of results.

    Raises DxError if the path is anything but a saved space.
    """
    if path.exists() and not (path / "space.json").exists():
        raise DxError(Errors.DX024.format(path=path, why="it holds something else."))
    n, d = table.vectors.shape
    with new_folder(path) as folder:
        np.save(folder / "vectors.npy", table.vectors)
        (folder / "words.txt").write_bytes("".join(w + "\n" for w in table.words).encode())
        if table.classes is not None:
            np.save(folder / "classes.npy", table.classes)
        if table.aliases:
            srsly.write_json(folder / "aliases.json", table.aliases)
        about = {"format": FORMAT, "name": table.name, "rows": n, "dims": d, "digest": table.digest}
        seal = {"class_names": list(table.class_names), "files": file_digests(folder, SEALED)}
        srsly.write_json(folder / "space.json", {**about, **seal})
        for name, write in beside.items():
            write(folder / name)


def read_table(path: Path, *, verify: bool | None = None) -> SpaceTable:
    """Read the folder; float32 vectors are mapped into memory.

    verify: whether to compare the content with its digest; None does so up to 128 MB. Raises
    DxError if the folder is missing, incomplete, changed, or from another version.
    """
    if not path.is_dir() or not (path / "space.json").is_file():
        raise DxError(Errors.DX024.format(path=path, why="it has no space.json."))
    try:
        table = _read_files(path)
    except DxError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        why = f"a file in it is missing or damaged ({type(error).__name__})."
        raise DxError(Errors.DX024.format(path=path, why=why)) from error
    if verify is None:
        verify = table.vectors.nbytes <= MAX_HASHED
    if verify and digest_of(table.words, table.vectors) != table.digest:
        raise DxError(Errors.DX024.format(path=path, why="it does not match its digest."))
    return replace(table, verified=verify)


def _read_files(path: Path) -> SpaceTable:
    about = read_json(path / "space.json")
    if about.get("format") != FORMAT:
        why = f"its format is {about.get('format')!r}, and this version reads {FORMAT}."
        raise DxError(Errors.DX024.format(path=path, why=why))
    check_digests(path, about.get("files"), SEALED, MAX_HASHED)
    words = regular(path / "words.txt").read_bytes().decode().split("\n")[:-1]
    vectors = read_array(path / "vectors.npy")
    if vectors.dtype == np.int8:
        vectors = vectors.astype(np.float32) * read_array(path / "scales.npy")[:, None]
    if vectors.dtype != np.float32 or not vectors.flags.c_contiguous:
        why = f"its vectors are {vectors.dtype}, not float32 or int8 rows."
        raise DxError(Errors.DX024.format(path=path, why=why))
    if vectors.shape != (about["rows"], about["dims"]) or len(words) != about["rows"]:
        raise DxError(Errors.DX024.format(path=path, why="its files differ in size."))
    classes, aliases = path / "classes.npy", path / "aliases.json"
    return SpaceTable(
        words,
        vectors,
        aliases=read_json(aliases) if aliases.exists() else {},
        classes=np.array(read_array(classes)) if classes.exists() else None,
        class_names=tuple(about["class_names"]),
        name=about["name"],
        digest=about["digest"],
    )


def digest_of(words: Sequence[str], vectors: Floats2d) -> str:
    """Return the SHA-256 of the shape, the words and the float32 rows, in hexadecimal."""
    hasher = hashlib.sha256(f"{vectors.shape}\n".encode())
    hasher.update("\n".join(words).encode("utf-8", "surrogatepass"))
    for part in blocks(len(vectors), 65536):
        hasher.update(np.ascontiguousarray(vectors[part], dtype="<f4").data)
    return hasher.hexdigest()
