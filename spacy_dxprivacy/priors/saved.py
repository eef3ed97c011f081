"""The folder that a prior is saved in.

prior.json   format, kind ("pairs"), name, digest, and the figures of its making
law.npz      the words, UTF-8 with line breaks between, and the arrays of the chain
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import srsly

from ..errors import DxError, Errors, UsageError
from ..files.atomic import new_folder
from ..files.limits import check_ratio, read_json, regular
from ..registries import retired
from .chain import TABLES, from_fields, to_fields
from .law import Law

FORMAT, KIND = 1, "pairs"
ABOUT, LAW = "prior.json", "law.npz"
DAMAGE = (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError)


def digest_of(law: Law) -> str:
    """SHA-256 of the words and of the chain, in hexadecimal."""
    return hashlib.sha256("\n".join([law.chain.digest, *law.words]).encode()).hexdigest()


def check_target(path: Path, *, force: bool) -> None:
    """Raise UsageError where the path cannot be a new prior, or replace one with `force`."""
    if path.exists() and not (path / ABOUT).is_file():
        raise UsageError(f"{path}: is no prior, and will not be replaced.")
    if path.exists() and not force:
        raise UsageError(f"{path}: exists already. `force` replaces it.")


def write_law(law: Law, path: Path, figures: Mapping[str, Any], *, force: bool) -> None:
    """All or nothing. figures: further entries of prior.json."""
    check_target(path, force=force)
    with new_folder(path) as folder:
        words = np.frombuffer("\n".join(law.words).encode(), dtype=np.uint8)
        np.savez_compressed(folder / LAW, words=words, **to_fields(law.chain))
        about = {"format": FORMAT, "kind": KIND, "name": law.name, "digest": digest_of(law)}
        srsly.write_json(folder / ABOUT, {**about, **figures})


def read_law(path: Path) -> Law:
    """Read a saved prior. Raises DxError in one sentence where the folder is missing, damaged, of
    another format or kind, or not what its digest says."""
    if not (path / ABOUT).is_file():
        hint = "A prior is a folder written by: python -m spacy dx prior PUBLIC_TEXTS OUT"
        raise DxError(Errors.DX026.format(path=path, hint=hint))
    try:
        about = read_json(path / ABOUT)
        _check_about(about, path)
        law = _read(path / LAW, str(about["name"]))
    except DxError as error:
        raise error if "DX060" not in str(error) else _bad(path, str(error)) from None
    except (*DAMAGE, zipfile.BadZipFile) as error:
        raise _bad(path, f"a file in it is missing or damaged ({type(error).__name__})") from None
    if digest_of(law) != about["digest"]:
        raise _bad(path, "it is not what its digest says")
    return law


def _check_about(about: Any, path: Path) -> None:
    if about["format"] != FORMAT:
        why = f"its format is {about['format']!r}, and this version reads {FORMAT}"
        raise _bad(path, why)
    if about["kind"] == "hidden-markov":
        raise retired("dx.HiddenMarkov.v1")
    if about["kind"] != KIND:
        raise _bad(path, f"its kind is {about['kind']!r}, and {KIND!r} was asked for")


def _read(path: Path, name: str) -> Law:
    with zipfile.ZipFile(regular(path)) as archive:
        unpacked = sum(info.file_size for info in archive.infolist())
        check_ratio(path.name, path.stat().st_size, unpacked)
    with np.load(path, allow_pickle=False) as saved:
        arrays = {key: saved[key] for key in saved.files}
    words = bytes(arrays.pop("words")).decode().split("\n")
    if any(array.dtype.kind not in "fi" for array in arrays.values()):
        raise ValueError("not numbers")
    chain = from_fields(arrays, len(words))
    for table in TABLES:
        getattr(chain, table).check_format(full_check=True)
    return Law(words, chain, name)


def _bad(path: Path, why: str) -> DxError:
    return DxError(Errors.DX063.format(path=path, why=why))
