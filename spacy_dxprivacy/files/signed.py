"""Receipts that are signed: that one is of who holds a key, and which files it was made with.

HMAC-SHA256 over the receipt and the relative path, the size and the SHA-256 of each file that was
handed on. Whoever can check a signature has the key, and could make one: give it to nobody whose
receipts you want to tell from your own.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from ..errors import DxError, Errors, UsageError, Warnings, warn_always
from .digests import digest_of
from .limits import TooLarge, read_json

SIGNED = "signed"
FORMAT = 2  # the first one had no format, no sizes, and paths below the folder that all files share
JOURNAL = "_journal.jsonl"  # of shards; the first format left it out
_DOMAIN = b"dx receipt"  # a key may have other uses


def signed(
    told: Mapping[str, Any],
    key: bytes,
    files: Mapping[str, Path],
    known: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a receipt with its signature.

    Args:
        told: The receipt.
        key: The secret key.
        files: What it is about, by path relative to the folder that is handed on.
        known: What `signed_files` gave for files that an earlier run signed; they are not read
            again, so that a change since then is not signed.

    Raises:
        OSError: A file cannot be read.
    """
    known = known or {}
    about = {name: known.get(name) or _about(path) for name, path in sorted(files.items())}
    block = {"format": FORMAT, "count": len(about), "files": about}
    return {**told, SIGNED: {**block, "hmac": _hmac({**told, SIGNED: block}, key)}}


def signed_files(path: Path, key: bytes) -> dict[str, Any]:
    """Return size and digest by path from an earlier receipt; {} where this key did not sign it, or
    in the first format."""
    try:
        block = _checked_hmac(path, read_json(path), key)
    except (DxError, ValueError, OSError):
        return {}
    files: dict[str, Any] = block["files"] if block.get("format") == FORMAT else {}
    return files


def check_signed(receipt: Path, key: bytes, release: Path) -> int:
    """Return how many files are as they were when this receipt was signed with this key.

    Every file in the folder `release` (or that file itself) has to be there under the path, with
    the size and the digest that were signed, and no other may be there but the receipt. A link or
    a special file is never one that was signed.

    Raises:
        DxError: The receipt was not signed with this key (DX176), or a file was changed, renamed,
            added or removed (DX177).
        UsageError: A file cannot be read.
    """
    try:
        block = _checked_hmac(receipt, read_json(receipt), key)
        listed = block["files"]
        there = dict(_files_of(release, receipt))
        if block.get("format") != FORMAT:
            there = _as_first_format(there, listed)
            warn_always(Warnings.DX178.format(path=receipt), stacklevel=2)
        _check_names(release, set(listed), set(there))
        for name, path in there.items():
            if not _is_same(path, listed[name]):
                _refuse(release, "changed", {name})
    except (TooLarge, ValueError) as error:
        if isinstance(error, DxError):
            raise
        raise UsageError(f"{receipt}: this is not a receipt of `dx sanitize`.") from None
    except OSError as error:
        raise UsageError(f"{error.filename or receipt}: {error.strerror}.") from None
    return len(listed)


def _about(path: Path) -> dict[str, Any]:
    return {"size": path.stat().st_size, "sha256": digest_of(path)}


def _checked_hmac(path: Path, told: Any, key: bytes) -> dict[str, Any]:
    """The part of the receipt about its files. Raises DxError where the key did not sign it."""
    told = told if isinstance(told, dict) else {}
    block = dict(told[SIGNED]) if isinstance(told.get(SIGNED), dict) else {}
    stated = block.pop("hmac", None)
    right = _hmac({**told, SIGNED: block}, key)
    same = isinstance(stated, str) and hmac.compare_digest(stated.encode(), right.encode())
    if not same or not isinstance(block.get("files"), dict):
        raise DxError(Errors.DX176.format(path=path))
    return block


def _files_of(release: Path, receipt: Path) -> Iterator[tuple[str, Path]]:
    """All that is no folder, by relative path, except the receipt. Links are not followed."""
    if not release.is_dir():
        yield release.name, release
        return
    own = receipt.resolve()
    for folder, folders, names in os.walk(release, onerror=_raise):
        for name in [*names, *(name for name in folders if Path(folder, name).is_symlink())]:
            path = Path(folder, name)
            if path.is_symlink() or path.resolve() != own:
                yield path.relative_to(release).as_posix(), path


def _raise(error: OSError) -> NoReturn:
    raise error


def _as_first_format(there: dict[str, Path], listed: Mapping[str, Any]) -> dict[str, Path]:
    """The same files by the paths of the first format, without a journal of shards."""
    if JOURNAL not in listed:
        there = {name: path for name, path in there.items() if name != JOURNAL}
    if set(there) == set(listed) or not there:
        return there
    top = Path(os.path.commonpath([path.parent for path in there.values()]))
    return {path.relative_to(top).as_posix(): path for path in there.values()}


def _is_same(path: Path, about: Any) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    if isinstance(about, str):  # of the first format
        return digest_of(path) == about
    same_size: bool = path.stat().st_size == about["size"]
    return same_size and digest_of(path) == about["sha256"]


def _check_names(release: Path, listed: set[str], there: set[str]) -> None:
    if there - listed:
        _refuse(release, "added or renamed", there - listed)
    if listed - there:
        _refuse(release, "removed", listed - there)


def _refuse(release: Path, how: str, names: set[str]) -> NoReturn:
    # A name may hold what a terminal obeys.
    what = f"{len(names)} file(s) {how}, such as {min(names)!r},"
    raise DxError(Errors.DX177.format(path=release, what=what))


def _hmac(told: Mapping[str, Any], key: bytes) -> str:
    content = json.dumps(told, sort_keys=True).encode()
    return hmac.new(key, _DOMAIN + content, hashlib.sha256).hexdigest()
