"""What was drawn: added up for a shard, and for each user, without the names of users.

A user is a keyed hash of 64 bits. Two users with one hash count as one, so the largest total is
never too small. The key and the hashes are for the owner of the text alone: whoever has both can
ask whether a name they know is among them. They lie in the private folder, see journal.py.

7, 7.0, "7" and "007" are one user: a table with gaps holds numbers as 7.0, a file of text as "7".
NULL, NaN and empty texts are nobody; what is neither text nor a whole number nor a UUID is refused.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
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


def user_id(key: bytes, user: Any) -> int:
    """A number for a user that says nothing of who it is without the key."""
    raw = identity(user).encode("utf8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, key=key, digest_size=8).digest(), "little")


def is_nobody(user: Any) -> bool:
    """Whether a value names no user: None, NaN, or an empty text."""
    is_nan = isinstance(user, Real | Decimal) and user != user
    return user is None or is_nan or (isinstance(user, str | bytes) and not user.strip())


def identity(user: Any) -> str:
    """The one text for all ways to write a user. Raises DxError, without the value, for values that
    may or may not be the same user: fractions, booleans, times, lists."""
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


def write_users(folder: Path, name: str, users: dict[int, int]) -> None:
    """As a .npy file in the private folder, sorted by user; its owner alone can read it."""
    table = np.fromiter(users.items(), dtype=_DTYPE, count=len(users))
    table.sort(order="user")
    with open(folder / f"{name}.npy", "wb", opener=for_owner) as file:
        np.save(file, table)
        file.flush()
        os.fsync(file.fileno())


def largest(folder: Path, names: Iterable[str]) -> tuple[int, int]:
    """Of the files that write_users wrote: how many users, and the most draws of one. Memory holds
    16 bytes a user."""
    known = np.zeros(0, _DTYPE)
    for name in names:
        rows = np.concatenate([known, np.load(folder / f"{name}.npy")])
        users, where = np.unique(rows["user"], return_inverse=True)
        known = np.zeros(len(users), _DTYPE)
        known["user"] = users
        np.add.at(known["draws"], where, rows["draws"])
    return len(known), int(known["draws"].max(initial=0))


def for_owner(path: str, flags: int) -> int:
    """Open a file as `opener` of open does, that nobody else may read if it is made."""
    return os.open(path, flags, 0o600)


@dataclass(kw_only=True)
class ShardSums(Sums):
    """Of a shard. failed: documents of which nothing was written. users: draws by user, see
    user_id, where there is a key; without_user: documents that name none."""

    key: bytes = field(default=b"", repr=False)
    failed: int = 0
    without_user: int = 0
    users: dict[int, int] = field(default_factory=dict, repr=False)

    def count(self, counts: Mapping[str, int], user: Any = None) -> None:
        """Count one document, by the counts of its receipt, for this user."""
        self.merge({"documents": 1, "nulls": 0, "most_draws": counts["draws"], **counts})
        if self.key and is_nobody(user):
            self.without_user += 1
        elif self.key:
            number = user_id(self.key, user)
            self.users[number] = self.users.get(number, 0) + counts["draws"]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for json."""
        return {**super().to_dict(), "failed": self.failed}
