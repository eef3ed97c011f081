"""Sign receipts, and check that a receipt and its files are as they were signed.

HMAC-SHA256 over the receipt and the relative path, the size and the SHA-256 of each file that was
handed on. Whoever can check a signature has the key, and could make one: give it to nobody whose
receipts you want to tell from your own.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from ...errors import DxError, Errors, UsageError
from .digests import digest_of
from .limits import TooLarge, read_json

SIGNED = "signed"
FORMAT = 2
_DOMAIN = b"dx receipt"  # a key may have other uses


def signed(
    receipt: Mapping[str, Any],
    key: bytes,
    files: Mapping[str, Path],
    known: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a receipt with its signature of files, by path relative to the folder handed on.

    Those that are `known` from an earlier receipt, by `signed_files`, are not read again, so that a
    change since then is not signed.
    """
    known = known or {}
    listed = {name: known.get(name) or _about(path) for name, path in sorted(files.items())}
    block = {"format": FORMAT, "count": len(listed), "files": listed}
    return {**receipt, SIGNED: {**block, "hmac": _hmac({**receipt, SIGNED: block}, key)}}


def signed_files(path: Path, key: bytes) -> dict[str, Any]:
    """Return size and digest by path from a receipt; {} if this key did not sign it."""
    try:
        return _checked_hmac(path, key)
    except (DxError, ValueError, OSError):
        return {}


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
        listed = _checked_hmac(receipt, key)
        present = _files_of(release, receipt)
        same = {
            name for name in set(present) & set(listed) if _is_same(present[name], listed[name])
        }
        differences = {
            "added or renamed": set(present) - set(listed),
            "removed": set(listed) - set(present),
            "changed": set(present) & set(listed) - same,
        }
        for how, names in differences.items():
            if names:
                # repr: a name may hold what a terminal obeys.
                what = f"{len(names)} file(s) {how}, such as {min(names)!r},"
                raise DxError(Errors.DX177.format(path=release, what=what))
    except (TooLarge, ValueError) as error:
        if isinstance(error, DxError):
            raise
        raise UsageError(f"{receipt}: is not a receipt of `dx sanitize`.") from None
    except OSError as error:
        raise UsageError(f"{error.filename or receipt}: {error.strerror}.") from None
    return len(listed)


def _about(path: Path) -> dict[str, Any]:
    return {"size": path.stat().st_size, "sha256": digest_of(path)}


def _is_same(path: Path, listed: Mapping[str, Any]) -> bool:
    if path.is_symlink() or not path.is_file() or path.stat().st_size != listed["size"]:
        return False
    return _about(path) == listed


def _checked_hmac(path: Path, key: bytes) -> dict[str, Any]:
    """Return the files that a receipt lists. Raise DxError if the key did not sign it."""
    read = read_json(path)
    receipt = read if isinstance(read, dict) else {}
    block = dict(receipt[SIGNED]) if isinstance(receipt.get(SIGNED), dict) else {}
    stated = block.pop("hmac", None)
    right = _hmac({**receipt, SIGNED: block}, key)
    same = isinstance(stated, str) and hmac.compare_digest(stated.encode(), right.encode())
    files = block.get("files")
    if not same or not isinstance(files, dict) or block.get("format") != FORMAT:
        raise DxError(Errors.DX176.format(path=path))
    return files


def _files_of(release: Path, receipt: Path) -> dict[str, Path]:
    """Return all but folders and the receipt, by relative path. Links are not followed."""

    def fail(error: OSError) -> NoReturn:
        raise error

    if not release.is_dir():
        return {release.name: release}
    found, own = dict[str, Path](), receipt.resolve()
    for folder, folders, names in os.walk(release, onerror=fail):
        for name in [*names, *(name for name in folders if Path(folder, name).is_symlink())]:
            path = Path(folder, name)
            if path.is_symlink() or path.resolve() != own:
                found[path.relative_to(release).as_posix()] = path
    return found


def _hmac(receipt: Mapping[str, Any], key: bytes) -> str:
    content = json.dumps(receipt, sort_keys=True).encode()
    return hmac.new(key, _DOMAIN + content, hashlib.sha256).hexdigest()
