"""What runs over shards have to remember of the clear texts, apart from what is handed on.

Beside the output `out` lies `out.private`, open to its owner alone: a key, what the source of each
shard was, and draws by user. A digest is keyed: without the key nobody can hold a guessed text
against it. Who has the folder can; it is as private as the texts.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import srsly

from ..errors import DxError, Errors

KEY_BYTES = 32
OLD_USERS = "_users"  # where 0.1.0 kept the key and the users: in the output folder
INPUTS = "inputs.jsonl"
NAME = re.compile(r"[0-9a-f]{1,64}(\.tmp)?")


class Private:
    """The folder of an output folder; made where there is none. inputs: by the hidden name under
    which a shard was written, the keyed digest, size and time of its source.

    Raises DxError where it is a link or belongs to somebody else.
    """

    def __init__(self, out: Path) -> None:
        self.folder = out.with_name(f"{out.name}.private")
        refuse_link(self.folder)
        old = out / OLD_USERS
        refuse_link(old)
        if old.is_dir() and not self.folder.exists():
            os.rename(old, self.folder)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._check_owner()
        self.key = self._key()
        self.inputs: dict[str, dict[str, Any]] = {}
        for line in self._lines():
            self.inputs[line.pop("temporary")] = line

    def _check_owner(self) -> None:
        """Somebody who may write here could put a key of theirs."""
        if os.name != "posix":
            return
        status = self.folder.stat()
        if status.st_uid != os.getuid():
            raise DxError(Errors.DX078.format(path=self.folder, why="belongs to somebody else."))
        if stat.S_IMODE(status.st_mode) & 0o077:
            self.folder.chmod(0o700)

    def _key(self) -> bytes:
        path = self.folder / "key"
        refuse_link(path)
        if not path.exists():
            _write_new(path, os.urandom(KEY_BYTES))
        key = path.read_bytes()
        if len(key) != KEY_BYTES:
            raise DxError(Errors.DX078.format(path=path, why="is damaged."))
        return key

    def _lines(self) -> Iterator[dict[str, Any]]:
        """Without a last line that was cut off: what it is about has not been released."""
        path = self.folder / INPUTS
        refuse_link(path)
        with suppress(FileNotFoundError):
            whole, _, rest = path.read_bytes().rpartition(b"\n")
            if rest:
                os.truncate(path, len(whole) + 1 if whole else 0)
            try:
                yield from map(srsly.json_loads, whole.splitlines())
            except ValueError:
                raise DxError(Errors.DX078.format(path=path, why="is damaged.")) from None

    def remember(self, temporary: str, source: dict[str, Any]) -> None:
        """Writes down the source of a shard, before the shard is released. Raises OSError where
        that fails."""
        line = srsly.json_dumps({"temporary": temporary, **source}).encode() + b"\n"
        with open(self.folder / INPUTS, "ab", opener=for_owner) as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self.inputs[temporary] = source


def digest_under(key: bytes, sha256: str) -> str:
    """The keyed digest (BLAKE2b, hexadecimal) of what has this SHA-256."""
    hasher = hashlib.blake2b(bytes.fromhex(sha256), key=key, digest_size=32, person=b"dx source")
    return hasher.hexdigest()


def refuse_link(path: Path) -> None:
    """A link would lead what is written there to another place. Raises DxError."""
    if path.is_symlink():
        raise DxError(Errors.DX078.format(path=path, why="is a link, which is not followed."))


def _write_new(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def for_owner(path: str, flags: int) -> int:
    """As `opener` of open: nobody else may read a file that is made."""
    return os.open(path, flags, 0o600)
