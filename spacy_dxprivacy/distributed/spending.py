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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from ..arrays import Ints2d
from ..errors import DxError, Errors
from ..pipeline.receipt import COUNTS, Receipt, StoodIn

_WHOLE = re.compile(r"-?\d{1,30}(\.0*)?", re.ASCII)
AT_A_TIME = 2**24  # rows in memory, of 16 bytes each

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
    some of the users at a time."""
    paths = [folder / f"{name}.npy" for name in names]
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


def for_owner(path: str, flags: int) -> int:
    """Open a file as `opener` of open does, that nobody else may read if it is made."""
    return os.open(path, flags, 0o600)


@dataclass
class Sums:
    """documents: how many were written. nulls: rows without a text. failed: documents of which
    nothing was written. most_draws: of a single document. users: draws by user, see users.user_id,
    where there is a key; without_user: documents that name none. told: what stands in, by label.
    """

    key: bytes = field(default=b"", repr=False)
    documents: int = 0
    nulls: int = 0
    failed: int = 0
    without_user: int = 0
    most_draws: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    users: dict[int, int] = field(default_factory=dict, repr=False)
    told: StoodIn = field(default_factory=StoodIn)

    def add(self, receipt: Receipt, user: Any = None) -> None:
        """Adds the counts of one document, of this user."""
        self.add_rows(np.array([[receipt[name] for name in COUNTS]]), [user])
        self.told.add(receipt)

    def add_rows(self, counts: Ints2d, users: Sequence[Any], *, nulls: int = 0) -> None:
        """counts: int64 (rows, 5), negative where there is no document. users: one a row."""
        good = np.flatnonzero(counts[:, 0] >= 0)
        draws = counts[:, COUNTS.index("draws")]
        self.documents += len(good)
        self.nulls += nulls
        self.most_draws = max(self.most_draws, int(draws[good].max(initial=0)))
        for name, number in zip(COUNTS, counts[good].sum(axis=0).tolist(), strict=True):
            self.counts[name] += number
        for row in good.tolist() if self.key else ():
            if is_nobody(users[row]):
                self.without_user += 1
            else:
                number = user_id(self.key, users[row])
                self.users[number] = self.users.get(number, 0) + int(draws[row])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for json."""
        return {
            "documents": self.documents,
            "nulls": self.nulls,
            "failed": self.failed,
            **self.counts,
            "most_draws": self.most_draws,
            **self.told.to_dict(),
        }
