"""Draws and losses added up over a shard, and over each user without the names of users.

A user is a keyed 64-bit hash. Two users with one hash count as one, so the largest total is never
too small. Whoever has the key and the hashes can test whether a name is among them: both lie in the
private folder of the owner (see journal.py).
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
from numpy.typing import NDArray

from ...errors import DxError, Errors
from ...io.tally import Sums
from ...pipeline.persons import largest_in
from ...privacy.concentrated import NO_CHANGE, Change, change_of, together

_WHOLE = re.compile(r"-?\d{1,30}(\.0*)?", re.ASCII)
LOSSES = ("rho", "plain", "plain_delta")  # of concentrated.Change
_DTYPE = np.dtype([("user", "<u8"), ("draws", "<i8"), *((name, "<f8") for name in LOSSES)])


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


@dataclass(frozen=True)
class UserSpent:
    """What the documents of a user come to: draws, and the guarantee of the recognised persons in
    them, of whom the user may be any."""

    draws: int = 0
    change: Change = NO_CHANGE

    def plus(self, draws: int, change: Change) -> UserSpent:
        """Return the sum with another document."""
        return UserSpent(self.draws + draws, together([self.change, change]))


def write_users(folder: Path, name: str, users: Mapping[int, UserSpent]) -> None:
    """Write sums by user to NAME.npy, sorted by user; its owner alone can read it."""
    table = _table(users)
    with open(folder / f"{name}.npy", "wb", opener=for_owner) as file:
        np.save(file, table)
        file.flush()
        os.fsync(file.fileno())


def _table(users: Mapping[int, UserSpent]) -> NDArray[Any]:
    losses = {user: [getattr(one.change, name) for name in LOSSES] for user, one in users.items()}
    rows = ((user, one.draws, *losses[user]) for user, one in users.items())
    table = np.fromiter(rows, dtype=_DTYPE, count=len(users))
    table.sort(order="user")
    return table


class UserTotals:
    """The sums of each user over files of write_users: 40 bytes a user."""

    def __init__(self, folder: Path, names: Iterable[str]) -> None:
        self._rows: NDArray[Any] = np.zeros(0, _DTYPE)
        for name in names:
            self._rows = _added(self._rows, np.load(folder / f"{name}.npy"))

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def most_draws(self) -> int:
        """The most draws of one user."""
        return int(self._rows["draws"].max(initial=0))

    @property
    def largest(self) -> Change:
        """What bounds the loss of each user."""
        return change_of(*(float(self._rows[name].max(initial=0.0)) for name in LOSSES))

    def add(self, users: Mapping[int, UserSpent]) -> None:
        """Add the sums of a shard."""
        self._rows = _added(self._rows, _table(users))

    def largest_with(self, users: Mapping[int, UserSpent]) -> float:
        """Return the largest epsilon of these users, were they added."""
        rows = _added(self._rows[np.isin(self._rows["user"], [*users])], _table(users))
        totals = (change_of(*(float(row[name]) for name in LOSSES)) for row in rows)
        return max((total.epsilon for total in totals), default=0.0)


def _added(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    rows = np.concatenate([one, other])
    users, where = np.unique(rows["user"], return_inverse=True)
    added = np.zeros(len(users), _DTYPE)
    added["user"] = users
    for name in ("draws", *LOSSES):
        np.add.at(added[name], where, rows[name])
    return added


def for_owner(path: str, flags: int) -> int:
    """Open a file with mode 600; an `opener` of open."""
    return os.open(path, flags, 0o600)


@dataclass(kw_only=True)
class ShardSums(Sums):
    """The sums of a shard; by user where there is a key. most: max_epsilon_per_person."""

    key: bytes = field(default=b"", repr=False)
    most: float | None = None
    failed: int = 0  # documents of which nothing was written
    without_user: int = 0
    users: dict[int, UserSpent] = field(default_factory=dict, repr=False)  # see user_id

    def charge(self, receipt: Mapping[str, Any], user: Any) -> str:
        """Count one document for its user; where that is too much, count nothing and return why."""
        if self.key and is_nobody(user):
            self.without_user += 1
        elif self.key:
            number = user_id(self.key, user)
            before = self.users.get(number, UserSpent())
            spent = before.plus(receipt["draws"], largest_in(receipt))
            if self.most is not None and spent.change.epsilon > self.most:
                return Errors.DX179.format(spent=spent.change.epsilon, budget=self.most)
            self.users[number] = spent
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**super().to_dict(), "failed": self.failed}
