"""Receipts that are signed: that one is of who holds a key, and which files it was made with.

HMAC-SHA256 over the receipt and the SHA-256 of each file that was handed on. Whoever can check
a signature has the key, and could make one: give it to nobody whose receipts you want to tell from
your own.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import DxError, Errors, UsageError
from .digests import digest_of
from .limits import TooLarge, read_json

SIGNED = "signed"
_DOMAIN = b"dx receipt"  # a key may have other uses


def signed(told: Mapping[str, Any], key: bytes, files: Mapping[str, Path]) -> dict[str, Any]:
    """A receipt with its signature. files: what it is about, by the names that it may tell. Raises
    OSError where one cannot be read."""
    digests = {name: digest_of(path) for name, path in sorted(files.items())}
    content = {**told, SIGNED: {"files": digests}}
    return {**told, SIGNED: {"files": digests, "hmac": _hmac(content, key)}}


def check_signed(path: Path, key: bytes, release: Path, apart: Iterable[str] = ()) -> int:
    """How many files are as they were when this receipt was signed with this key: all of `release`,
    a file or a folder. apart: names in the folder that are none of the files.

    Raises DxError for a receipt that was not signed with it, and a file that changed, came or went;
    UsageError where a file cannot be read.
    """
    try:
        told = read_json(path)
        files = _check_hmac(path, told, key)
        found = [digest_of(file) for file in _files_of(release, {path.resolve()}, set(apart))]
    except (TooLarge, ValueError) as error:
        if isinstance(error, DxError):
            raise
        raise UsageError(f"{path}: this is not a receipt of `dx sanitize`.") from None
    except OSError as error:
        raise UsageError(f"{error.filename or path}: {error.strerror}.") from None
    if set(found) != files:
        what = "a file was changed or added" if set(found) - files else "a file is missing"
        raise DxError(Errors.DX177.format(path=release, what=what))
    return len(found)


def _check_hmac(path: Path, told: Any, key: bytes) -> set[str]:
    """The digests of the files that it is about."""
    told = told if isinstance(told, dict) else {}
    block = told[SIGNED] if isinstance(told.get(SIGNED), dict) else {}
    stated, files = block.get("hmac"), block.get("files")
    content = {**told, SIGNED: {"files": files}}
    same = isinstance(stated, str) and hmac.compare_digest(
        stated.encode(), _hmac(content, key).encode()
    )
    if not same or not isinstance(files, dict):
        raise DxError(Errors.DX176.format(path=path))
    return set(files.values())


def _files_of(release: Path, apart: set[Path], names: set[str]) -> list[Path]:
    if not release.is_dir():
        return [release]
    files = (path for path in release.rglob("*") if path.is_file())
    return [path for path in files if path.resolve() not in apart and path.name not in names]


def _hmac(told: Mapping[str, Any], key: bytes) -> str:
    content = json.dumps(told, sort_keys=True).encode()
    return hmac.new(key, _DOMAIN + content, hashlib.sha256).hexdigest()
