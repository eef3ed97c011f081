"""An index in a folder, as spaces/index_folder.py writes it, read for one table."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Floats2d, blocks
from ..errors import DxError, Errors
from ..files.limits import read_json
from ..machine.compute import let_go
from .faiss_codes import ADD_ROWS, load_faiss

FORMAT = 1
ABOUT, CODES = "index.json", "index.faiss"
_FIELDS = {"factory": str, "refine": int, "faiss": str, "rows": int, "dims": int, "table": str}


@dataclass(frozen=True, eq=False, repr=False)
class SavedIndex:
    index: Any
    factory: str
    refine: int


def read_index(path: Path, X: Floats2d) -> SavedIndex:
    """The index in a folder, for the table X: float32 (n, d).

    Raises DxError where it is missing, damaged, of another version of faiss, or of another table.
    """
    about = _read_about(path)
    faiss = load_faiss()
    if about["faiss"] != faiss.__version__:
        raise DxError(Errors.DX052.format(path=path, saved=about["faiss"], found=faiss.__version__))
    if (about["rows"], about["dims"]) != X.shape or about["table"] != table_digest(X):
        saved = f"{about['rows']} x {about['dims']} ({about['table'][:12]})"
        found = f"{X.shape[0]} x {X.shape[1]} ({table_digest(X)[:12]})"
        raise DxError(Errors.DX051.format(path=path, saved=saved, found=found))
    try:
        index = faiss.read_index(str(path / CODES), faiss.IO_FLAG_MMAP_IFC)
    except RuntimeError:
        why = f"{CODES} is missing, cut short or not an index of faiss."
        raise DxError(Errors.DX050.format(path=path, why=why)) from None
    if (index.ntotal, index.d) != X.shape:
        why = f"{CODES} and {ABOUT} do not belong together."
        raise DxError(Errors.DX050.format(path=path, why=why))
    return SavedIndex(index, about["factory"], about["refine"])


def _read_about(path: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = read_json(path / ABOUT)
    except (OSError, ValueError):
        why = f"it has no {ABOUT} that can be read."
        raise DxError(Errors.DX050.format(path=path, why=why)) from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        why = f"{ABOUT} is not of format {FORMAT}."
        raise DxError(Errors.DX050.format(path=path, why=why))
    if any(not isinstance(about.get(name), kind) for name, kind in _FIELDS.items()):
        why = f"{ABOUT} is incomplete."
        raise DxError(Errors.DX050.format(path=path, why=why))
    return about


def table_digest(X: Floats2d) -> str:
    """SHA-256 of the shape and the float32 rows, in hexadecimal.

    The digest of a space has its words in it as well, and an index sees vectors alone: those of
    a mechanism may be clipped or turned.
    """
    hasher = hashlib.sha256(f"{X.shape}\n".encode())
    for part in blocks(len(X), ADD_ROWS):
        hasher.update(np.ascontiguousarray(X[part], dtype="<f4").data)
        let_go(X)
    return hasher.hexdigest()
