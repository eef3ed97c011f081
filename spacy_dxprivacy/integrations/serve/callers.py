"""Callers of the service: their tokens, and the epsilon that they spent.

The ledger holds names of callers, numbers of draws and sums of epsilon (nats per unit of the metric
of the mechanism) and of the rho of zCDP, and nothing of a text. The smaller epsilon counts: the
sum, or that of rho at delta = 1e-6 (privacy.composition).
"""

from __future__ import annotations

import math
import os
import re
import secrets
import sqlite3
import stat
import threading
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...errors import DxError, Errors, UsageError
from ...io.files.keys import keep_from_git
from ...io.files.limits import MB, regular
from ...pipeline.selection import LONGEST
from ...privacy.composition import Change, change_of, of_every_word, repeat
from ...privacy.guarantee import Guarantee

TOKENS, LEDGER = "a list of tokens", "a ledger"
SPENT = "the budget of this caller is spent."
_LINE = re.compile(r"([\w.@-]{1,64})[ \t]+([\x21-\x7e]{20,})", re.ASCII)
_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;  -- a sum that is lost is a budget twice
CREATE TABLE IF NOT EXISTS about (unit TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS spent (
    caller TEXT PRIMARY KEY, epsilon REAL NOT NULL, delta REAL NOT NULL, draws INTEGER NOT NULL,
    rho REAL  -- NULL: no bound
);
"""
_FIRST = "INSERT INTO about SELECT ? WHERE NOT EXISTS (SELECT * FROM about)"
_ADD = """
INSERT INTO spent VALUES (?, ?, ?, ?, ?) ON CONFLICT (caller) DO UPDATE SET
epsilon = epsilon + excluded.epsilon, delta = delta + excluded.delta,
draws = draws + excluded.draws, rho = rho + excluded.rho
"""
_GET = "SELECT rho, epsilon, delta, draws FROM spent WHERE caller = ?"


class Refused(Exception):
    """An error response: a status, a sentence that holds nothing of the request, and after how
    many seconds to ask again, where that helps."""

    def __init__(self, status: int, why: str, *, after: int | None = None) -> None:
        super().__init__(why)
        self.status, self.why = status, why
        self.headers = {} if after is None else {"retry-after": str(after)}
        if status == 401:
            self.headers["www-authenticate"] = "Bearer"


class Callers:
    """Names by token; without tokens, everybody is "anybody"."""

    def __init__(self, tokens: Mapping[str, str] | None = None) -> None:
        # By SHA-256, so that the time of a look-up reveals nothing of a token.
        self._names = {sha256(t.encode()).digest(): name for t, name in (tokens or {}).items()}
        self.known = bool(self._names)  # whether a token is required

    def name(self, authorization: str | None) -> str:
        """Return who sends the header Authorization. Raise Refused (401) without a known token."""
        scheme, _, token = (authorization or "").partition(" ")
        name = self._names.get(sha256(token.strip().encode("latin1", "replace")).digest())
        if self.known and (scheme.lower() != "bearer" or name is None):
            raise Refused(401, "send a bearer token of this service.")
        return name or "anybody"


def read_callers(path: Path) -> Callers:
    """Read lines `NAME TOKEN`; a caller may have several. Raise DxError, without a token, for a
    file that is missing, empty or no such list, or that others can read."""
    tokens: dict[str, str] = {}
    try:
        _check_private(path, TOKENS)
        lines = regular(path).read_bytes()[:MB].decode("utf8", "replace").splitlines()
    except OSError as error:
        raise _bad(path, TOKENS, error.strerror or "it cannot be read") from None
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            match = _LINE.fullmatch(line.strip())
            if match is None:
                expected = "a name, a blank and a token of 20 characters or more"
                raise _bad(path, TOKENS, f"line {number} is not {expected}")
            tokens[match[2]] = match[1]
    if not tokens:
        raise _bad(path, TOKENS, "it has no token; `dx serve --new-token NAME` makes one")
    return Callers(tokens)


def add_token(path: Path, name: str) -> str:
    """Append a new token for a caller to the file (mode 600), and return it."""
    token, ending = secrets.token_urlsafe(32), ""
    if _LINE.fullmatch(f"{name} {token}") is None:
        raise UsageError("a name must be 1 to 64 letters, digits and . _ @ -.")
    if path.exists():
        read_callers(path)
        # An editor, or printf, may have left out the end of the last line.
        ending = "" if path.read_bytes().endswith(b"\n") else "\n"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "w", encoding="utf8") as file:
        file.write(f"{ending}{name} {token}\n")
    keep_from_git(path)
    return token


def _bad(path: Path | None, what: str, why: str) -> DxError:
    return DxError(Errors.DX144.format(path=path, what=what, why=why))


def _check_private(path: Path, what: str) -> None:
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise _bad(path, what, "other users can read it. Replace it, with mode 600")


class Ledger:
    """The privacy loss of each caller, added up over workers and restarts.

    path: a SQLite file (mode 600); None for memory. promise: of one word. Raises DxError for a file
    that is none, that others can read, or that adds up another guarantee.
    """

    def __init__(self, path: Path | None, promise: Guarantee, budget: float | None = None) -> None:
        self.promise, self.budget = promise, budget
        if budget is not None and not promise.holds:
            raise UsageError("`budget` needs a mechanism with a guarantee that holds.")
        self._lock = threading.Lock()
        metric, space = promise.metric or "no metric", promise.space[:16] or "any"
        unit = f"{promise.kind}, {metric}, space {space}"
        try:
            if path is not None:
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
                _check_private(path, LEDGER)
            self._db = sqlite3.connect(
                path or ":memory:", isolation_level=None, check_same_thread=False, timeout=10
            )
            self._db.executescript(_TABLES)
            self._db.execute(_FIRST, (unit,))
            (written,) = self._db.execute("SELECT unit FROM about").fetchone()
            self._sums("")
        except OSError as error:
            raise _bad(path, LEDGER, error.strerror or "it cannot be opened") from None
        except sqlite3.Error:
            raise _bad(path, LEDGER, "it is not a ledger, or it is damaged") from None
        if written != unit:
            raise DxError(Errors.DX145.format(path=path, found=written, expected=unit))

    def charge(self, caller: str, draws: Sequence[int], *, capped: bool = False) -> None:
        """Add texts with so many draws each. Where the sum would exceed the budget, add what is
        left if `capped`, else nothing, and raise Refused (403)."""
        # Without a guarantee there is no sum; SQLite cannot add infinity.
        counts = draws if self.promise.holds else []
        totals = [repeat(self.promise, count) for count in counts]
        epsilon = sum(total.epsilon for total in totals)
        delta = min(1.0, sum(total.delta for total in totals))
        rho = sum(of_every_word(self.promise, count, LONGEST).rho for count in counts)
        # One transaction: workers, and several services, share a file.
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            before, _ = self._sums(caller)
            after = change_of(before.rho + rho, before.plain + epsilon, before.plain_delta + delta)
            if self.budget is not None and after.epsilon > self.budget:
                if not capped:
                    raise Refused(403, SPENT)
                epsilon = max(0.0, self.budget - before.epsilon)
            known = rho if math.isfinite(rho) else None
            self._db.execute(_ADD, (caller, epsilon, delta, sum(draws), known))

    def check(self, caller: str) -> None:
        """Raise Refused (403) for a caller that has nothing left."""
        if self.budget is not None and self.spent(caller)["epsilon"] >= self.budget:
            raise Refused(403, SPENT)

    def spent(self, caller: str) -> dict[str, Any]:
        """Return what a caller spent so far: epsilon, the smaller one, and its delta; the sum
        `plain`; rho, None without a bound; and draws."""
        with self._lock:
            sums, draws = self._sums(caller)
        return {**sums.to_dict(), "draws": draws}

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _sums(self, caller: str) -> tuple[Change, int]:
        row = self._db.execute(_GET, (caller,)).fetchone()
        rho, plain, delta, draws = row or (0.0, 0.0, 0.0, 0)
        return change_of(math.inf if rho is None else rho, plain, delta), draws
