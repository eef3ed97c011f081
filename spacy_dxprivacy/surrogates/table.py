"""What stands for whom, for the holder of the originals alone: an encrypted table, and the way
back for what a model or a colleague answered.

AES-256 in GCM mode (the package cryptography), by a key in a file. Whoever has both has the
originals of all stand-ins in it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DxError, UsageError
from ..validate import needs
from .base import Mention, is_same
from .person import form_of

HEAD = b"dx-table-1\n"
MOST = 2**28  # bytes that are read
NONCE = 12


@dataclass
class Table:
    """originals: what each stand-in stands for, by its small letters; more than one where two
    documents drew the same."""

    originals: dict[str, set[str]] = field(default_factory=dict, repr=False)

    def add(self, mention: Mention, text: str, *, is_name: bool) -> None:
        """One mention and what stands for it; of a name, its parts as well."""
        pairs = [(mention.text, text)]
        one, other = form_of(mention.text).parts, form_of(text).parts
        if is_name and min(len(one), len(other)) > 1:
            ends = [(one[0], other[0]), (one[-1], other[-1])]
            pairs += [(" ".join((one[0], one[-1])), " ".join((other[0], other[-1]))), *ends]
        for original, stand_in in pairs:
            if not is_same(original, stand_in):
                key = " ".join(stand_in.casefold().split())
                self.originals.setdefault(key, set()).add(" ".join(original.split()))

    def restore(self, text: str) -> Restored:
        """The text with the originals in the place of their stand-ins, in whatever case. Those that
        stand for several stay as they are."""
        done = {"restored": 0, "unclear": 0}
        if not self.originals:
            return Restored(text, 0, 0)

        def back(found: re.Match[str]) -> str:
            known = _told(self.originals[" ".join(found[0].casefold().split())])
            done["restored" if known else "unclear"] += 1
            return found[0] if not known else known.upper() if _is_upper(found[0]) else known

        return Restored(_pattern(self.originals).sub(back, text), *done.values())


@dataclass(frozen=True)
class Restored:
    """A text with originals put back, how many, and how many stayed as they could be several."""

    text: str = field(repr=False)
    restored: int
    unclear: int


def _told(originals: set[str]) -> str:
    """The one original, case aside, in capitals and small letters if it is written so anywhere;
    "" where there are several."""
    if len({original.casefold() for original in originals}) > 1:
        return ""
    return max(originals, key=lambda text: (not _is_upper(text), not text.islower(), text))


def _is_upper(text: str) -> bool:
    return sum(c.isalpha() for c in text) > 1 and text.isupper()


def _pattern(stand_ins: Iterable[str]) -> re.Pattern[str]:
    """Any of them as whole words, the longest first."""
    ordered = sorted(stand_ins, key=lambda s: (-len(s), s))
    parts = [r"\s+".join(re.escape(word) for word in stand_in.split()) for stand_in in ordered]
    return re.compile(r"(?<!\w)(?:" + "|".join(parts) + r")(?!\w)", re.I)


def write_table(table: Table, path: Path, key: bytes, *, force: bool = False) -> None:
    """The table in a file of mode 600, encrypted. Raises UsageError where there is a file already
    and force is not set, and DxError without the package cryptography."""
    told = {stand_in: sorted(of) for stand_in, of in sorted(table.originals.items())}
    nonce = os.urandom(NONCE)
    sealed = _cipher(key).encrypt(nonce, json.dumps(told).encode(), HEAD)
    path.parent.mkdir(parents=True, exist_ok=True)
    if force:
        path.unlink(missing_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(f"{path}: exists already. `force` overwrites it.") from None
    with os.fdopen(handle, "wb") as file:
        file.write(HEAD + nonce + sealed)


def read_table(path: Path, key: bytes) -> Table:
    """The table of a file. Raises UsageError for what is none, is damaged, or has another key."""
    try:
        raw = path.read_bytes()[:MOST]
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    if not raw.startswith(HEAD):
        raise UsageError(f"{path}: is not a table of stand-ins.")
    start = len(HEAD) + NONCE
    try:
        told = json.loads(_cipher(key).decrypt(raw[len(HEAD) : start], raw[start:], HEAD))
    except DxError:
        raise
    except Exception:
        raise UsageError(f"{path}: is damaged, or was made with another key.") from None
    return Table({stand_in: set(of) for stand_in, of in told.items()})


def check_cipher() -> None:
    """Raises DxError without the package cryptography."""
    _cipher(b"")


def _cipher(key: bytes) -> Any:
    needs("cryptography", "A table", extra="table")
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(hmac.new(key, b"dx table", hashlib.sha256).digest())
