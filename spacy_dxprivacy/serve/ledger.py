"""What each caller was given, added up, across restarts.

A sum is of the epsilon of words (nats per unit of the metric of the mechanism): names of callers,
numbers of draws and promises are kept, and nothing of a text. It is written before an answer
leaves.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import DxError, Errors, UsageError
from ..guarantee import Guarantee
from ..privacy.composition import repeat
from ..validate import positive
from .limits import Refused

_TABLES = """
CREATE TABLE IF NOT EXISTS about (unit TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS spent (
    caller TEXT PRIMARY KEY, epsilon REAL NOT NULL, delta REAL NOT NULL, draws INTEGER NOT NULL
);
"""
SPENT = "the budget of this caller is spent: what it was given adds up to the most it may have."


class Ledger:
    """path: a SQLite file, made with mode 600; None keeps the sums in memory, until the end.
    promise: of one word. budget: the most epsilon of a caller, None for any.

    Raises DxError where the file is none or adds up another promise, and UsageError for a budget
    where nothing is promised.
    """

    def __init__(self, path: Path | None, promise: Guarantee, budget: float | None = None) -> None:
        self.promise = promise
        self.budget = None if budget is None else positive("budget", budget)
        if budget is not None and not promise.holds:
            raise UsageError("`budget` needs a mechanism with a guarantee that holds.")
        self._lock = threading.Lock()
        self._path = path
        self._open()

    def charge(self, caller: str, draws: list[int], *, capped: bool = False) -> None:
        """Adds texts with so many draws each, all or none. Raises Refused (403) where the sum would
        be more than the budget, and then nothing was added. capped: add what is left instead."""
        totals = [repeat(self.promise, number) for number in draws]
        # Without a promise there is no sum; SQLite has no room for infinity as a number to add.
        epsilon = sum(one.epsilon for one in totals) if self.promise.holds else 0.0
        delta = min(1.0, sum(one.delta for one in totals)) if self.promise.holds else 0.0
        with self._change() as table:
            if self.budget is not None and self._epsilon(table, caller) + epsilon > self.budget:
                if not capped:
                    raise Refused(403, SPENT)
                epsilon = max(0.0, self.budget - self._epsilon(table, caller))
            table.execute(
                "INSERT INTO spent VALUES (?, ?, ?, ?) ON CONFLICT (caller) DO UPDATE SET "
                "epsilon = epsilon + excluded.epsilon, delta = delta + excluded.delta, "
                "draws = draws + excluded.draws",
                (caller, epsilon, delta, sum(draws)),
            )

    def check(self, caller: str) -> None:
        """Raises Refused (403) for a caller that has nothing left."""
        if self.budget is not None and self.spent(caller)["epsilon"] >= self.budget:
            raise Refused(403, SPENT)

    def spent(self, caller: str) -> dict[str, float]:
        """epsilon, delta and draws of a caller so far."""
        with self._lock:
            found = self._db.execute(
                "SELECT epsilon, delta, draws FROM spent WHERE caller = ?", (caller,)
            ).fetchone()
        return dict(zip(("epsilon", "delta", "draws"), found or (0.0, 0.0, 0), strict=True))

    def close(self) -> None:
        """The file can be moved afterwards."""
        with self._lock:
            self._db.close()

    # -- the file ----------------------------------------------------------------------------------

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """One transaction; several services may share a file."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _epsilon(self, table: sqlite3.Connection, caller: str) -> float:
        found = table.execute("SELECT epsilon FROM spent WHERE caller = ?", (caller,)).fetchone()
        return 0.0 if found is None else float(found[0])

    def _open(self) -> None:
        try:
            if self._path is not None:
                os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
            self._db = sqlite3.connect(
                self._path or ":memory:", isolation_level=None, check_same_thread=False, timeout=10
            )
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")  # a sum that is lost is a budget twice
            self._db.executescript(_TABLES)
            self._check_unit()
        except OSError as error:
            raise self._bad(error.strerror or "it cannot be opened") from None
        except sqlite3.Error:
            raise self._bad("it is not a ledger, or it is damaged") from None

    def _check_unit(self) -> None:
        p = self.promise
        ours = f"{p.kind}, {p.metric or 'no metric'}, space {p.space[:16] or 'any'}"
        with self._change() as table:
            row = table.execute("SELECT unit FROM about").fetchone()
            if row is None:
                table.execute("INSERT INTO about VALUES (?)", (ours,))
        if row is not None and row[0] != ours:
            raise DxError(Errors.DX145.format(path=self._path, found=row[0], expected=ours))

    def _bad(self, why: str) -> DxError:
        return DxError(Errors.DX144.format(path=self._path, what="a ledger", why=why))
