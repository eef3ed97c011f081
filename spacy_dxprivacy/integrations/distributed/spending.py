"""Draws added up over a shard, and over each user without the names of users.

A user is a keyed 64-bit hash. Two users with one hash count as one, so the largest total is never
too small. Whoever has the key and the hashes can test whether a name is among them: both lie in the
private folder of the owner (see journal.py).
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from ...errors import DxError, Errors
from ...io.tally import Sums

_WHOLE = re.compile(r"-?\d{1,30}(\.0*)?", re.ASCII)
_DTYPE = np.dtype([("user", "<u8"), ("draws", "<i8")])


def is_nobody(user: Any) -> bool:
    """Return whether a value names no user: None, NaN, or an empty text."""
    is_nan = isinstance(user, Real | Decimal) and user != user
    return user is None or is_nan or (isinstance(user, str | bytes) and not user.strip())


def identity(user: Any) -> str:
    """Return one text for all spellings of a user.

    7, 7.0, "7" and "007" are one user: a table with gaps holds numbers as 7.0, a file as "7".
    Raises DxError, without the value, where that is unclear (fractions, booleans, times, lists).
    """
    if isinstance(user, bytes):
        try:
            user = user.decode("utf8")
        except UnicodeDecodeError:
            return str(user.hex())
    if isinstance(user, str):
        name = unicodedata.normalize("NFC", user.strip())
        return str(int(name.partition(".")[0])) if _WHOLE.fullmatch(name) else name
    if isinstance(user, UUID):
        return str(user)
    if isinstance(user, Real | Decimal) and not isinstance(user, bool):
        number: Any = user
        if number == number // 1:  # infinity // 1 is NaN
            return str(int(number))
    raise DxError(Errors.DX110.format(given=type(user).__name__))


def user_id(key: bytes, user: Any) -> int:
    """Return the keyed hash of a user, 64 bits."""
    raw = identity(user).encode("utf8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, key=key, digest_size=8).digest(), "little")


def write_users(folder: Path, name: str, users: dict[int, int]) -> None:
    """Write draws by user to NAME.npy, sorted by user; its owner alone can read it."""
    table = np.fromiter(users.items(), dtype=_DTYPE, count=len(users))
    table.sort(order="user")
    with open(folder / f"{name}.npy", "wb", opener=for_owner) as file:
        np.save(file, table)
        file.flush()
        os.fsync(file.fileno())


def largest(folder: Path, names: Iterable[str]) -> tuple[int, int]:
    """Return how many users are in files of write_users, and the most draws of one of them."""
    known = np.zeros(0, _DTYPE)  # 16 bytes a user
    for name in names:
        rows = np.concatenate([known, np.load(folder / f"{name}.npy")])
        users, where = np.unique(rows["user"], return_inverse=True)
        known = np.zeros(len(users), _DTYPE)
        known["user"] = users
        np.add.at(known["draws"], where, rows["draws"])
    return len(known), int(known["draws"].max(initial=0))


def for_owner(path: str, flags: int) -> int:
    """Open a file with mode 600; an `opener` of open."""
    return os.open(path, flags, 0o600)


@dataclass(kw_only=True)
class ShardSums(Sums):
    """The sums of a shard; by user where there is a key."""

    key: bytes = field(default=b"", repr=False)
    failed: int = 0  # documents of which nothing was written
    without_user: int = 0
    users: dict[int, int] = field(default_factory=dict, repr=False)  # draws, see user_id

    def add_draws(self, draws: int, user: Any) -> None:
        """Count the draws of one document for its user."""
        if self.key and is_nobody(user):
            self.without_user += 1
        elif self.key:
            number = user_id(self.key, user)
            self.users[number] = self.users.get(number, 0) + draws

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**super().to_dict(), "failed": self.failed}
