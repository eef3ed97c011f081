"""Secret keys of users, in files that they alone can read, or in the keyring of the system.

A key is 32 bytes of the operating system, written in hex. Whoever has it and a list of names can
tell who stands for whom: it is never kept beside what is released.
"""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache
from pathlib import Path

from ..errors import DxError, Errors, UsageError
from .keyrings import name_in_keyring, put_in_keyring, taken_from_keyring

BYTES = 32
MOST = 4096  # bytes of a file that is read as a key
_KEY = re.compile(r"dx-key:([0-9a-f]{64,1024})\s*", re.ASCII)


def make_key(path: Path) -> None:
    """A new key in a new file of mode 600, or at `keyring:NAME`. Raises UsageError where there is
    one already, DxError where there is no keyring, and OSError as writing does."""
    if (name := name_in_keyring(path)) is not None:
        return put_in_keyring(name, _new())
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        handle = os.open(path, flags, 0o600)
    except FileExistsError:
        raise UsageError(
            f"{path}: exists already. A key that is lost cannot be made again."
        ) from None
    with os.fdopen(handle, "w") as file:
        file.write(f"{_new()}\n")


def _new() -> str:
    return f"dx-key:{os.urandom(BYTES).hex()}"


def read_key(path: str | Path) -> bytes:
    """The key in a file, or in the keyring. Raises DxError where it is missing, short, no key, or
    can be read by others."""
    if (name := name_in_keyring(path)) is not None:
        return _decoded(taken_from_keyring(name), path)
    found = Path(path).expanduser().absolute()
    try:
        info = os.stat(found)
        if os.name == "posix" and info.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise _bad(found, "others can read it, and may have done so (mode 600 keeps them out)")
        return _read(found, info.st_mtime_ns)
    except OSError as error:
        raise _bad(found, error.strerror or "it cannot be read") from None


@lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> bytes:
    return _decoded(path.read_bytes()[: MOST + 1].decode("ascii", "replace"), path)


def _decoded(content: str, path: str | Path) -> bytes:
    found = _KEY.fullmatch(content)
    if found is None:
        raise _bad(path, f"it is not a key of {BYTES} bytes or more")
    return bytes.fromhex(found[1][: len(found[1]) // 2 * 2])


def check_apart(key: Path, output: Path | None) -> None:
    """Raises UsageError for a key in the folder of what is released, or in one below it."""
    if output is None or name_in_keyring(key) is not None:
        return
    folder = output.resolve() if output.is_dir() else output.resolve().parent
    if key.expanduser().resolve().is_relative_to(folder):
        raise UsageError(f"{key}: a key is not kept beside the output. Put it in another folder.")


def _bad(path: str | Path, why: str) -> DxError:
    return DxError(Errors.DX111.format(path=path, why=why))
