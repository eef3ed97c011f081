"""How much was drawn for each user, without the names of users.

A user is a keyed hash of 64 bits. Two users with one hash count as one, so the largest total is
never too small. The key and the hashes are for the owner of the text alone: whoever has both can
ask whether a name they know is among them. They lie in the folder `_users`, which nothing but the
next run needs.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = "_users"
KEY_BYTES = 32
AT_A_TIME = 2**24  # rows in memory, of 16 bytes each

_DTYPE = np.dtype([("user", "<u8"), ("draws", "<i8")])


def user_id(key: bytes, user: Any) -> int:
    """A number for a user that says nothing of who it is without the key."""
    raw = user if isinstance(user, bytes) else str(user).encode("utf8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, key=key, digest_size=8).digest(), "little")


def key_of(out: Path) -> bytes:
    """The key of an output folder; made, and readable for its owner alone, where there is none."""
    path = out / FOLDER / "key"
    if not path.exists():
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
    return path.read_bytes()


def write_users(out: Path, name: str, users: dict[int, int]) -> None:
    """As a .npy file, sorted by user."""
    table = np.fromiter(users.items(), dtype=_DTYPE, count=len(users))
    table.sort(order="user")
    with (out / FOLDER / f"{name}.npy").open("wb") as file:
        np.save(file, table)
        file.flush()
        os.fsync(file.fileno())


def largest(out: Path, names: Iterable[str]) -> tuple[int, int]:
    """Of the files that write_users wrote: how many users, and the most draws of one. Memory holds
    some of the users at a time."""
    paths = [out / FOLDER / f"{name}.npy" for name in names]
    tables = [np.load(path, mmap_mode="r") for path in paths if path.stat().st_size]
    parts = 1 + sum(map(len, tables)) // AT_A_TIME
    ends = np.array([2**64 * i // parts for i in range(1, parts)], dtype=np.uint64)
    cuts = [[0, *np.searchsorted(table["user"], ends), len(table)] for table in tables]
    count = most = 0
    for part in range(parts):
        some = [t[c[part] : c[part + 1]] for t, c in zip(tables, cuts, strict=True)]
        rows = np.concatenate([np.zeros(0, _DTYPE), *some])
        found, where = np.unique(rows["user"], return_inverse=True)
        totals = np.zeros(len(found), dtype=np.int64)
        np.add.at(totals, where, rows["draws"])
        count += len(found)
        most = max(most, int(totals.max(initial=0)))
    return count, most
