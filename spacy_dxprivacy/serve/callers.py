"""Who may ask: names and their bearer tokens, in a file that its owner alone can read."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from pathlib import Path

from ..errors import DxError, Errors, UsageError
from ..files.limits import regular
from .limits import Refused

ANYBODY = "anybody"  # who asks where no tokens are wanted
LEAST = 20  # characters of a token
MOST = 2**20  # bytes of the file
_LINE = re.compile(r"([\w.@-]{1,64})[ \t]+([\x21-\x7e]+)", re.ASCII)


class Callers:
    """By the SHA-256 of tokens: a look-up of a digest tells by its time nothing of a token. Without
    tokens, everybody is ANYBODY."""

    def __init__(self, tokens: dict[str, str] | None = None) -> None:
        """tokens: name by token."""
        self._names = {_digest(token.encode()): name for token, name in (tokens or {}).items()}

    @property
    def known(self) -> bool:
        """Whether a token is wanted."""
        return bool(self._names)

    def name(self, authorization: str | None) -> str:
        """Of the header Authorization. Raises Refused (401) without a token that is known."""
        if not self._names:
            return ANYBODY
        scheme, _, token = (authorization or "").partition(" ")
        name = self._names.get(_digest(token.strip().encode("latin1", "replace")))
        if scheme.lower() != "bearer" or name is None:
            raise Refused(401, "a bearer token of this service is needed.")
        return name


def read_callers(path: Path) -> Callers:
    """A line `NAME TOKEN` for each token; a caller may have several. Raises DxError where the file
    is missing, empty, no such list, or others can read it; no message holds a token."""
    try:
        info = path.stat()
        if os.name == "posix" and info.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise _bad(path, "others can read it, and may have done so (mode 600 keeps them out)")
        lines = regular(path).read_bytes()[:MOST].decode("utf8", "replace").splitlines()
    except OSError as error:
        raise _bad(path, error.strerror or "it cannot be read") from None
    tokens: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            name, token = _parsed(path, number, line.strip())
            tokens[token] = name
    if not tokens:
        raise _bad(path, "it has no token; `dx serve --new-token NAME` makes one")
    return Callers(tokens)


def _parsed(path: Path, number: int, line: str) -> tuple[str, str]:
    found = _LINE.fullmatch(line)
    if found is None:
        raise _bad(path, f"line {number} is not a name, a blank and a token")
    if len(found[2]) < LEAST:
        raise _bad(path, f"the token in line {number} is shorter than {LEAST} characters")
    return found[1], found[2]


def add_token(path: Path, name: str) -> str:
    """A new token for a caller, appended to the file, which is made with mode 600. Raises
    UsageError for a name that is none, and OSError as writing does."""
    token = secrets.token_urlsafe(32)
    if _LINE.fullmatch(f"{name} {token}") is None:
        raise UsageError("a name is of letters, digits and . _ @ -, 64 at most.")
    if path.exists():
        read_callers(path)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "w", encoding="utf8") as file:
        file.write(f"{name} {token}\n")
    return token


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def _bad(path: Path, why: str) -> DxError:
    return DxError(Errors.DX144.format(path=path, what="a list of tokens", why=why))
