"""Receipts, from the .json of `dx sanitize --receipt` or from the documents of a .spacy file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from ...batch.manifests import as_receipt
from ...batch.source import pack_of, unpacked
from ...batch.tally import COUNTS, Tally
from ...doc.receipt import MENTIONS, Terms
from ...errors import Errors, UsageError
from ...files.docbin import MOST_DOCBIN, BadPacked, read_docbin, unpack
from ...files.limits import TooLarge, check_size, read_json
from ...guarantee import Guarantee
from ...rebuild import RECEIPT_KEY, fits

DAMAGED = "a receipt is damaged."
OF_DOCUMENT = (*COUNTS, "total", "earlier", "stood_in", "rewritten")


@dataclass
class Account:
    """What one sanitizer said of all documents: the same terms, and counts added up.

    total: the guarantee of the document with the most draws. failed: for each input file, the
    records of which nothing was written; None where the receipt does not say. earlier: a sanitizer
    that was there before the last one. carried: the receipt came in the file with the texts, and
    nobody signed it: what it says is claimed. raw: the receipt without its counts.
    """

    terms: Terms
    raw: dict[str, Any]
    documents: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    total: Guarantee | None = None
    failed: list[list[int]] | None = None
    earlier: bool = False
    carried: bool = False

    @property
    def alarms(self) -> list[str]:
        """What a reader has to know first: no privacy, a seed."""
        return Tally(self.terms).alarms()

    def add(self, receipt: dict[str, Any]) -> None:
        """The receipt of one document."""
        self.documents += 1
        for name in COUNTS:
            self.counts[name] += int(receipt[name])
        total = Guarantee.from_dict(receipt["total"])
        if self.total is None or total.epsilon > self.total.epsilon:
            self.total = total


def read_receipt(path: Path) -> Account:
    """What `dx sanitize --receipt` wrote, or the manifest of its shards. Raises UsageError
    for anything else."""
    try:
        told = as_receipt(read_json(path))
        account = Account(terms_of(told), raw={k: v for k, v in told.items() if k != "failed"})
        account.documents = int(told["documents"])
        account.counts = {name: int(told[name]) for name in COUNTS}
        account.total = Guarantee.from_dict(told["total"])
        failed = told["failed"]
        account.failed = None if failed is None else [[int(n) for n in some] for some in failed]
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{path}: is not a receipt of `dx sanitize --receipt`.") from None
    return account


def receipts_of(paths: Iterable[Path]) -> tuple[list[Account], int]:
    """One account for each set of terms in these .spacy files, and how many documents have no
    receipt, or one that is not whole or is of another text."""
    accounts: dict[str, Account] = {}
    without = 0
    for path in paths:
        for stored, tokens in _user_data(path):
            receipt: Any = stored.get(RECEIPT_KEY)
            if not fits(receipt, tokens):
                without += 1
                continue
            for earlier in _earlier(receipt):
                _add(accounts, earlier, earlier=True)
            _add(accounts, receipt, earlier=False)
    return sorted(accounts.values(), key=lambda account: account.earlier), without


def _earlier(receipt: Any) -> list[dict[str, Any]]:
    """Those of sanitizers before, without what they themselves marked as claimed numbers."""
    try:
        return [told for told in receipt.get("earlier", ()) if not told.get("claimed")]
    except (AttributeError, TypeError):
        raise UsageError(DAMAGED) from None


def terms_of(receipt: dict[str, Any]) -> Terms:
    """The terms of a component, out of a receipt as it was stored."""
    names = {f.name for f in fields(Terms)} - {"guarantee", "in_clear", "numbers", "editor"}
    names -= {"surrogates", "attacker", "editor_model"}
    others = {name: receipt[name] for name in names}
    numbers = receipt.get("numbers")
    return Terms(
        guarantee=Guarantee.from_dict(receipt["guarantee"]),
        in_clear=tuple(receipt["in_clear"]),
        numbers=None if numbers is None else Guarantee.from_dict(numbers["guarantee"]),
        editor=receipt.get("editor"),
        editor_model=receipt.get("editor_model"),
        attacker=receipt.get("attacker"),
        surrogates=without_mentions(receipt.get("surrogates")),
        **others,
    )


def without_mentions(told: Any) -> dict[str, dict[str, Any]] | None:
    """What a receipt says of its stand-ins, but for how many mentions there were."""
    if told is None:
        return None
    return {
        label: {k: v for k, v in terms.items() if k not in MENTIONS}
        for label, terms in told.items()
    }


def without_counts(receipt: dict[str, Any]) -> dict[str, Any]:
    """What is the same for all documents."""
    raw = {k: v for k, v in receipt.items() if k not in OF_DOCUMENT}
    if "surrogates" in raw:
        raw["surrogates"] = without_mentions(raw["surrogates"])
    numbers = raw.get("numbers")
    return raw if numbers is None else {**raw, "numbers": {"guarantee": numbers["guarantee"]}}


def _user_data(path: Path) -> list[tuple[dict[Any, Any], int]]:
    """Of each document: what it holds, and how many tokens it has."""
    try:
        check_size(path, MOST_DOCBIN)
        raw, pack = path.read_bytes(), pack_of(path)
        packed = read_docbin(unpacked(raw, pack) if pack else raw)
        held = [{} if d is None else unpack(d, use_list=False) for d in packed.user_data]
        tokens = np.diff(packed.ends, prepend=0).tolist()
        stored = list(zip(map(_pairs, held), tokens, strict=True))
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except (OSError, BadPacked):
        raise UsageError(f"{path}: is not a DocBin, or it is damaged.") from None
    return stored


def _pairs(stored: Any) -> dict[Any, Any]:
    """User data by their keys: those of extensions are lists, and no receipts."""
    pairs = stored.items() if isinstance(stored, dict) else stored
    try:
        return {key: value for key, value in pairs if isinstance(key, str)}
    except (TypeError, ValueError):
        raise BadPacked(Errors.DX097.format(why="user data of another kind")) from None


def _add(accounts: dict[str, Account], receipt: dict[str, Any], *, earlier: bool) -> None:
    try:
        raw = without_counts(receipt)
        key = json.dumps([earlier, raw], sort_keys=True)
        if key not in accounts:
            accounts[key] = Account(terms_of(receipt), raw=raw, earlier=earlier, carried=True)
        accounts[key].add(receipt)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UsageError(DAMAGED) from None
