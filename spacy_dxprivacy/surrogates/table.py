"""What stands for whom, for the holder of the originals alone: an encrypted table.

AES-256 in GCM mode (the package cryptography), by a key in a file. Whoever has both has the
originals of all surrogates in it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..errors import DxError, UsageError
from ..files.limits import regular
from ..validate import needs
from .base import Mention, Surrogate, is_same
from .person import form_of, is_initial
from .restoring import Entry, Restored, is_certain, restore
from .standing import StandIns

HEAD = b"dx-table-2\n"
MOST = 2**28  # bytes that are read
NONCE = 12
_WORD = re.compile(r"\w+")


@dataclass
class Table:
    """What each surrogate stands for, by its small letters.

    plain: The words outside of mentions, and pairs of such words side by side. A surrogate that
    occurs among them is not restored, as nobody could say which of the two an answer means.
    """

    entries: dict[str, Entry] = field(default_factory=dict, repr=False)
    plain: set[str | tuple[str, str]] = field(default_factory=set, repr=False)

    def add(self, mention: Mention, text: str, surrogate: str) -> None:
        """Add one mention and what stands for it; of a name, its parts as well."""
        pairs = [(mention.text, text)]
        if surrogate == "dx.Name.v1":
            pairs += _name_parts(mention, text)
        for original, new in pairs:
            if is_same(original, new):
                continue
            entry = Entry(mention.label, is_certain(new, surrogate))
            entry = self.entries.setdefault(" ".join(new.casefold().split()), entry)
            entry.certain &= is_certain(new, surrogate)
            entry.forms.add(new)
            entry.originals.add(" ".join(original.split()))

    def add_document(self, doc: Doc, drawn: StandIns, surrogates: Mapping[str, Surrogate]) -> None:
        """Add all mentions of a document, and the words outside of them."""
        for mention, text in drawn.pairs:
            self.add(mention, text, surrogates[mention.label].name)
        for (city, one), (state, other) in pairwise(drawn.pairs):
            if state.before == "," and surrogates[state.label].name == "dx.Place.v1":
                both = replace(state, text=f"{city.text}, {state.text}")
                self.add(both, f"{one}, {other}", "dx.Place.v1")
        starts = [0, *(piece.end for piece in drawn.pieces)]
        ends = [*(piece.start for piece in drawn.pieces), len(doc)]
        for start, end in zip(starts, ends, strict=True):
            words = _WORD.findall(doc[start:end].text.casefold())
            self.plain.update(words)
            self.plain.update(pairwise(words))

    def restore(self, text: str) -> Restored:
        """Put originals back where their surrogates cannot be mistaken."""
        self._doubt_plain()
        return restore(text, self.entries)

    def _doubt_plain(self) -> None:
        for surrogate, entry in self.entries.items():
            words = _WORD.findall(surrogate)
            grams = set(words if len(words) == 1 else pairwise(words))
            entry.certain &= not grams <= self.plain

    def to_json(self) -> str:
        """All but the plain words."""
        self._doubt_plain()
        told = {
            surrogate: [entry.label, entry.certain, sorted(entry.forms), sorted(entry.originals)]
            for surrogate, entry in sorted(self.entries.items())
        }
        return json.dumps(told)

    @classmethod
    def from_json(cls, text: bytes) -> Table:
        """What to_json wrote."""
        told = json.loads(text)
        return cls(
            {
                surrogate: Entry(label, certain, set(forms), set(originals))
                for surrogate, (label, certain, forms, originals) in told.items()
            }
        )


def _name_parts(mention: Mention, text: str) -> list[tuple[str, str]]:
    """(original, surrogate) of the parts of a name; initials are nobody's."""
    form, new = form_of(mention.text, mention.before), form_of(text, mention.before)
    one, other = form.parts, new.parts
    pairs = [(mention.text.strip().removesuffix(form.owner), text.strip().removesuffix(new.owner))]
    if min(len(one), len(other)) > 1:
        joined = " ".join((one[0], one[-1])), " ".join((other[0], other[-1]))
        pairs += [joined, (one[0], other[0]), (one[-1], other[-1])]
    elif len(one) == len(other) == 1:
        pairs.append((one[0], other[0]))
    return [pair for pair in pairs if not any(map(is_initial, pair))]


def write_table(table: Table, path: Path, key: bytes, *, force: bool = False) -> None:
    """The table in a file of mode 600, encrypted. Raises UsageError where there is a file already
    and force is not set, and DxError without the package cryptography."""
    nonce = os.urandom(NONCE)
    sealed = _cipher(key).encrypt(nonce, table.to_json().encode(), HEAD)
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
        raw = regular(path).read_bytes()[:MOST]
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    if raw.startswith(b"dx-table-1\n"):
        raise UsageError(f"{path}: is of an earlier version: make it again.")
    if not raw.startswith(HEAD):
        raise UsageError(f"{path}: is not a table of surrogates.")
    start = len(HEAD) + NONCE
    try:
        return Table.from_json(_cipher(key).decrypt(raw[len(HEAD) : start], raw[start:], HEAD))
    except DxError:
        raise
    except Exception:
        raise UsageError(f"{path}: is damaged, or was made with another key.") from None


def check_cipher() -> None:
    """Raises DxError without the package cryptography."""
    _cipher(b"")


def _cipher(key: bytes) -> Any:
    needs("cryptography", "A table", extra="table")
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(hmac.new(key, b"dx table", hashlib.sha256).digest())
