"""Secret keys of users, in files that they alone can read.

A key is 32 bytes of the operating system, written in hex. Whoever has it and a list of names can
tell who stands for whom: it is never kept beside what is released.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import stat
from functools import lru_cache
from pathlib import Path

from ...errors import DxError, Errors, UsageError
from .limits import regular

BYTES = 32
MOST = 4096  # bytes of a file that is read as a key
_KEY = re.compile(r"dx-key:([0-9a-f]{64,1024})\s*", re.ASCII)


def make_key(path: Path) -> None:
    """Write a new key to a new file of mode 600. Raise UsageError if it exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        why = "exists already. A key that is lost cannot be made again."
        raise UsageError(f"{path}: {why}") from None
    with os.fdopen(handle, "w") as file:
        file.write(f"dx-key:{os.urandom(BYTES).hex()}\n")


def read_key(path: str | Path) -> bytes:
    """Return the key in a file. Raise DxError if there is none, or others can read it."""
    found = Path(path).expanduser().absolute()
    try:
        info = os.stat(found)
        if os.name == "posix" and info.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise _bad(found, "other users can read it. Replace it, with mode 600")
        return _read(found, info.st_mtime_ns)
    except OSError as error:
        raise _bad(found, error.strerror or "it cannot be read") from None


@lru_cache(maxsize=8)  # a surrogate asks for it at each draw
def _read(path: Path, changed: int) -> bytes:
    key = _KEY.fullmatch(regular(path).read_bytes()[: MOST + 1].decode("ascii", "replace"))
    if key is None:
        raise _bad(path, f"it is not a key of {BYTES} bytes or more")
    return bytes.fromhex(key[1][: len(key[1]) // 2 * 2])


def derived(key: bytes, *purpose: str) -> bytes:
    """Return a key for one purpose, independent of the key and other purposes (HMAC-SHA256)."""
    parts = [part.encode() for part in purpose]
    content = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hmac.new(key, b"dx derived" + content, hashlib.sha256).digest()


def check_apart(key: Path, output: Path | None) -> None:
    """Raise UsageError for a key in the folder of what is released, or in one below it."""
    if output is None:
        return
    folder = output.resolve() if output.is_dir() else output.resolve().parent
    if key.expanduser().resolve().is_relative_to(folder):
        raise UsageError(f"{key}: is in the folder of the output. Move it to another folder.")


def _bad(path: Path, why: str) -> DxError:
    return DxError(Errors.DX111.format(path=path, why=why))
