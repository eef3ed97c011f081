"""Secret keys, in files that only their owner can read.

A key is 32 random bytes of the operating system, in hexadecimal. With a key and a list of names,
surrogates can be linked to originals, so a key must not lie beside the release.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import stat
from functools import lru_cache
from pathlib import Path

from ..errors import DxError, Errors, UsageError
from .limits import regular

BYTES = 32
MAX_KEY_FILE = 4096  # bytes
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
    keep_from_git(path)


def keep_from_git(path: Path) -> None:
    """Add a private file to the .gitignore in its folder, so that `git add .` skips it."""
    line = "/" + re.sub(r"([\\*?\[\]! #])", r"\\\1", path.name)
    ignore = path.parent / ".gitignore"
    if ignore.is_symlink():
        return
    try:
        before = ignore.read_text("utf8") if ignore.exists() else ""
        if line not in before.splitlines():
            ending = "" if not before or before.endswith("\n") else "\n"
            ignore.write_text(f"{before}{ending}{line}\n", "utf8")
    except (OSError, UnicodeDecodeError):
        pass  # the private file itself was written


def read_key(path: str | Path) -> bytes:
    """Return the key in a file. Raise DxError if it has none, or if other users can read it."""
    file = Path(path).expanduser().absolute()
    try:
        info = os.stat(file)
        if os.name == "posix" and info.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise _bad_key(file, "other users can read it. Replace it, with mode 600")
        return _read(file, info.st_mtime_ns)
    except OSError as error:
        raise _bad_key(file, error.strerror or "it cannot be read") from None


@lru_cache(maxsize=8)  # surrogates read their key at each draw
def _read(path: Path, changed: int) -> bytes:
    key = _KEY.fullmatch(regular(path).read_bytes()[: MAX_KEY_FILE + 1].decode("ascii", "replace"))
    if key is None:
        raise _bad_key(path, f"it is not a key of {BYTES} bytes or more")
    return bytes.fromhex(key[1][: len(key[1]) // 2 * 2])


def derive_key(key: bytes, *purpose: str) -> bytes:
    """Derive a key for a purpose with HMAC-SHA256. Keys of other purposes are independent."""
    parts = [part.encode() for part in purpose]
    content = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hmac.new(key, b"dx derived" + content, hashlib.sha256).digest()


def check_key_location(key: Path, output: Path | None, *, is_folder: bool = False) -> None:
    """Raise UsageError if a key lies in the output folder, or in the folder of the output file."""
    if output is None:
        return
    place, folder = key.expanduser().resolve(), output.resolve()
    if place.is_relative_to(folder) if is_folder else place.parent == folder.parent:
        raise UsageError(f"{key}: is in the folder of the output. Move it to another folder.")


def _bad_key(path: Path, why: str) -> DxError:
    return DxError(Errors.DX111.format(path=path, why=why))
