"""Callers of the service: their tokens, and the account of their privacy losses.

The account holds names of callers, counts, and losses (nats per unit of the metric of the
mechanism), and no text.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from ...errors import UsageError
from ...io.account import Account, check_private, unusable
from ...io.files.keys import keep_from_git
from ...io.files.limits import MB, regular
from ...privacy.guarantee import Guarantee

TOKENS = "a list of tokens"
_LINE = re.compile(r"([\w.@-]{1,64})[ \t]+([\x21-\x7e]{20,})", re.ASCII)


class HttpError(Exception):
    """An error response. why: a sentence without content of the request. after: seconds until a
    retry, if one can help."""

    def __init__(self, status: int, why: str, *, after: int | None = None) -> None:
        super().__init__(why)
        self.status, self.why = status, why
        self.headers = {} if after is None else {"retry-after": str(after)}
        if status == 401:
            self.headers["www-authenticate"] = "Bearer"


class Callers:
    """Names of callers by token. Without tokens, all callers are "anybody"."""

    def __init__(self, tokens: Mapping[str, str] | None = None) -> None:
        # Keyed by SHA-256, so that the time of a look-up reveals nothing about a token.
        self._names = {sha256(t.encode()).digest(): name for t, name in (tokens or {}).items()}
        self.needs_token = bool(self._names)

    def name(self, authorization: str | None) -> str:
        """Return the caller of an Authorization header. Raise HttpError (401) if unknown."""
        scheme, _, token = (authorization or "").partition(" ")
        name = self._names.get(sha256(token.strip().encode("latin1", "replace")).digest())
        if self.needs_token and (scheme.lower() != "bearer" or name is None):
            raise HttpError(401, "send a bearer token of this service.")
        return name or "anybody"


def read_callers(path: Path) -> Callers:
    """Read a file of lines `NAME TOKEN`; a caller may have several. Raise DxError if it is missing,
    empty or invalid, or if other users can read it. The message holds no token."""
    tokens: dict[str, str] = {}
    try:
        check_private(path, TOKENS)
        lines = regular(path).read_bytes()[:MB].decode("utf8", "replace").splitlines()
    except OSError as error:
        raise unusable(path, TOKENS, error.strerror or "it cannot be read") from None
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            match = _LINE.fullmatch(line.strip())
            if match is None:
                expected = "a name, a blank and a token of 20 characters or more"
                raise unusable(path, TOKENS, f"line {number} is not {expected}")
            tokens[match[2]] = match[1]
    if not tokens:
        raise unusable(path, TOKENS, "it has no token; `dx serve --new-token NAME` makes one")
    return Callers(tokens)


def add_token(path: Path, name: str) -> str:
    """Append a new token for a caller to a file (mode 600), and return the token."""
    token, ending = secrets.token_urlsafe(32), ""
    if _LINE.fullmatch(f"{name} {token}") is None:
        raise UsageError("a name must be 1 to 64 letters, digits and . _ @ -.")
    if path.exists():
        read_callers(path)
        # The last line may lack its line break.
        ending = "" if path.read_bytes().endswith(b"\n") else "\n"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "w", encoding="utf8") as file:
        file.write(f"{ending}{name} {token}\n")
    keep_from_git(path)
    return token


def account_of(path: Path | None, guarantee: Guarantee, budget: float | None = None) -> Account:
    """Return the account of callers, which workers share and which survives restarts.

    Args:
        path: A SQLite file (mode 600); None for memory.
        guarantee: The guarantee of a word.
        budget: The largest epsilon of a caller, nats; None for no limit.

    Raises:
        DxError: If the file is no account, other users can read it, or it is of another guarantee;
            if there is a budget but no guarantee.
    """
    if budget is not None and not guarantee.holds:
        raise UsageError("`budget` needs a mechanism with a guarantee that holds.")
    metric, space = guarantee.metric or "no metric", guarantee.space[:16] or "any"
    return Account(path, limit=budget, basis=f"{guarantee.kind}, {metric}, space {space}")
