"""Write and read a saved prior, a folder of two files.

prior.json   format, kind ("pairs"), name, digest, and figures of quality
chain.npz    the words, UTF-8, separated by line breaks, and the arrays of the chain
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import srsly

from ..errors import DxError, Errors
from ..files.atomic import check_replaceable, new_folder
from ..files.limits import check_ratio, read_json, regular
from .chain import PairModel, from_fields, to_fields

FORMAT, KIND = 1, "pairs"
ABOUT, MODEL = "prior.json", "chain.npz"
DAMAGE = (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError)


def digest_of(model: PairModel) -> str:
    """Return the SHA-256 of words and chain, in hexadecimal."""
    return hashlib.sha256("\n".join([model.chain.digest, *model.words]).encode()).hexdigest()


def write_model(model: PairModel, path: Path, figures: Mapping[str, Any], *, force: bool) -> None:
    """Write the folder of a prior atomically. figures: further entries of prior.json."""
    check_replaceable(path, ABOUT, "prior", force=force)
    with new_folder(path) as folder:
        words = np.frombuffer("\n".join(model.words).encode(), dtype=np.uint8)
        np.savez_compressed(folder / MODEL, words=words, **to_fields(model.chain))
        about = {"format": FORMAT, "kind": KIND, "name": model.name, "digest": digest_of(model)}
        srsly.write_json(folder / ABOUT, {**about, **figures})


def read_model(path: Path) -> PairModel:
    """Read a saved prior. Raise DxError for a missing or damaged folder, another format or kind,
    and a wrong digest."""
    if not (path / ABOUT).is_file():
        hint = "A prior is a folder written by: scripts/train_prior.py PUBLIC_TEXTS OUT"
        raise DxError(Errors.DX026.format(path=path, hint=hint))
    try:
        about = read_json(path / ABOUT)
        if about["format"] != FORMAT:
            why = f"its format is {about['format']!r}, and this version reads {FORMAT}"
            raise _bad(path, why)
        if about["kind"] != KIND:
            raise _bad(path, f"its kind is {about['kind']!r}; expected {KIND!r}")
        model = _read_model(path / MODEL, str(about["name"]))
    except DxError as error:
        raise error if "DX060" not in str(error) else _bad(path, str(error)) from None
    except (*DAMAGE, zipfile.BadZipFile) as error:
        raise _bad(path, f"a file in it is missing or damaged ({type(error).__name__})") from None
    if digest_of(model) != about["digest"]:
        raise _bad(path, "it does not match its digest")
    return model


def _read_model(path: Path, name: str) -> PairModel:
    with zipfile.ZipFile(regular(path)) as archive:
        unpacked = sum(info.file_size for info in archive.infolist())
        check_ratio(path.name, path.stat().st_size, unpacked)
    with np.load(path, allow_pickle=False) as saved:
        arrays = {key: saved[key] for key in saved.files}
    words = bytes(arrays.pop("words")).decode().split("\n")
    if any(array.dtype.kind not in "fi" for array in arrays.values()):
        raise ValueError("not numbers")
    chain = from_fields(arrays, len(words))
    for table in (chain.delta, chain.emit, chain.context_delta):
        if table is not None:
            table.check_format(full_check=True)
    return PairModel(words, chain, name)


def _bad(path: Path, why: str) -> DxError:
    return DxError(Errors.DX063.format(path=path, why=why))
