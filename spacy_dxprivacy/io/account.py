"""Charge units (persons, callers) for their losses, up to a limit each.

An account holds names of units, counts and losses, and no text. It is a SQLite table, in memory or
in a file that threads, processes and services share. Each charge is one transaction.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import DxError, Errors
from ..pipeline.count import Count
from ..pipeline.receipt import Receipt, Stage, largest_person_loss
from ..privacy.loss import Loss, rho_of_epsilon

FILE = "a ledger"
ROUNDING = 1 - 1e-12  # factor of a limit, so that rounding errors do not exceed it
_TABLE = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;  -- after a lost write, the budget could be spent twice
CREATE TABLE IF NOT EXISTS account (
    unit TEXT PRIMARY KEY, basis TEXT NOT NULL, rho REAL NOT NULL, plain REAL NOT NULL,
    delta REAL NOT NULL, count TEXT NOT NULL
);
"""
_BASIS_UNIT = ""  # the unit whose row holds the basis
_GET = "SELECT rho, plain, delta, count FROM account WHERE unit = ?"
_UNITS = "SELECT unit, rho, plain, delta, count FROM account WHERE unit != ''"
_BASIS = "SELECT basis FROM account WHERE unit = ''"
_ADD = "INSERT OR IGNORE INTO account VALUES (?, ?, 0, 0, 0, ?)"
_SET = "INSERT OR REPLACE INTO account VALUES (?, '', ?, ?, ?, ?)"


class OverLimit(Exception):
    """A charge would exceed the limit of a unit, and was not made. spent: epsilon with it, nats."""

    def __init__(self, spent: float, limit: float) -> None:
        super().__init__(f"epsilon = {spent:.6g} is more than {limit:g}.")
        self.spent, self.limit = spent, limit


class Account:
    """The losses and counts of units, added up.

    Args:
        path: A SQLite file (mode 600); None for memory.
        limit: The largest epsilon of a unit, nats (at delta = 1e-6 for zCDP); None for no limit.
        basis: The guarantee that all losses refer to. Losses of other guarantees cannot be added.

    Raises:
        DxError: If the file is no account, other users can read it, or it has another basis.
    """

    def __init__(
        self, path: Path | None = None, *, limit: float | None = None, basis: str = ""
    ) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        try:
            if path is not None:
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
                check_private(path, FILE)
            self._db = sqlite3.connect(
                path or ":memory:", isolation_level=None, check_same_thread=False, timeout=60
            )
            # Python 3.13 warns of a connection that nobody closed.
            weakref.finalize(self, self._db.close)
            self._db.executescript(_TABLE)
            self._db.execute(_ADD, (_BASIS_UNIT, basis, json.dumps(Count().to_dict())))
            (saved_basis,) = self._db.execute(_BASIS).fetchone()
            self._get(_BASIS_UNIT)
        except OSError as error:
            raise unusable(path, FILE, error.strerror or "it cannot be opened") from None
        except (sqlite3.Error, LookupError, TypeError, json.JSONDecodeError):
            raise unusable(path, FILE, "it is not a ledger, or it is damaged") from None
        if saved_basis != basis:
            raise DxError(Errors.DX145.format(path=path, found=saved_basis, expected=basis))

    def charge(
        self, unit: str, loss: Loss, count: Count | None = None, *, capped: bool = False
    ) -> None:
        """Add a loss and a count to a unit.

        If the sum would exceed the limit, `capped` sets it to the limit.

        Raises:
            OverLimit: If the sum would exceed the limit and is not capped. Nothing is added.
        """
        with self._transaction():
            before, counted = self._get(unit)
            after = before + loss
            if self.limit is not None and after.epsilon() > self.limit:
                if not capped:
                    raise OverLimit(after.epsilon(), self.limit)
                plain = max(before.plain, self.limit)
                after = Loss(rho_of_epsilon(self.limit * ROUNDING), plain, after.delta)
            text = json.dumps((counted + (count or Count())).to_dict())
            self._db.execute(_SET, (unit, after.rho, after.plain, after.delta, text))

    def check(self, unit: str) -> None:
        """Raise OverLimit if a unit has spent its limit."""
        loss, _ = self.get(unit)
        if self.limit is not None and loss.epsilon() >= self.limit * ROUNDING**2:
            raise OverLimit(loss.epsilon(), self.limit)

    def get(self, unit: str) -> tuple[Loss, Count]:
        """Return the loss and the count of a unit; zeros if it was never charged."""
        with self._lock:
            return self._get(unit)

    def receipt(self, unit: str, stages: list[Stage]) -> Receipt:
        """Return the receipt of a unit, with the stages of its texts (see ReceiptTerms.stages)."""
        loss, count = self.get(unit)
        return Receipt(stages=stages, count=count.to_dict(), loss=loss.to_dict())

    def items(self) -> dict[str, tuple[Loss, Count]]:
        """Return the loss and the count of each unit."""
        with self._lock:
            rows = self._db.execute(_UNITS).fetchall()
        return {unit: (Loss(*numbers), _parse_count(text)) for unit, *numbers, text in rows}

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _get(self, unit: str) -> tuple[Loss, Count]:
        row = self._db.execute(_GET, (unit,)).fetchone()
        return (Loss(), Count()) if row is None else (Loss(*row[:3]), _parse_count(row[3]))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Lock the table for this thread and process; roll back if the block raises."""
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield


def charge_person(account: Account, person: str, receipts: Sequence[Receipt]) -> str:
    """Charge a person for the receipts of a record. Return why the limit forbids it, or ""."""
    try:
        account.charge(person, largest_person_loss(receipts))
    except OverLimit as error:
        return Errors.DX179.format(spent=error.spent, budget=error.limit)
    return ""


def _parse_count(text: str) -> Count:
    return Count.from_dict(json.loads(text))


def check_private(path: Path, what: str) -> None:
    """Raise DxError if other users can read the file."""
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise unusable(path, what, "other users can read it. Replace it, with mode 600")


def unusable(path: Path | None, what: str, why: str) -> DxError:
    """Return the error for a file that cannot be used. what: its purpose. why: the reason."""
    return DxError(Errors.DX144.format(path=path, what=what, why=why))
