"""Sums of losses and counts: of units (persons, callers) with a limit each, and of a run.

An account holds names of units, counts and losses, and no text. It is a SQLite table, in memory or
in a file that threads, processes and services share. Each charge is one transaction.

The tally of a run is its receipt, with a summary without text.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import textwrap
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DxError, Errors
from ..pipeline.count import Count
from ..pipeline.receipt import Receipt, ReceiptTerms, Stage, largest_person_loss, revealed_by_counts
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
        """Return the receipt of a unit. stages: the stages of its texts, see Terms.stages."""
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


# -- the receipt of a run --------------------------------------------------------------------------

WIDTH = 92
MAX_UNKNOWN_SHARE, MIN_UNKNOWN = 0.25, 20  # of English notes the built-in space lacks about 1 in 20


@dataclass
class Tally:
    """Counts and losses of a run, and the terms that the receipts of its documents share."""

    terms: ReceiptTerms
    count: Count = field(default_factory=Count)
    loss: Loss = field(default_factory=Loss)
    in_clear: list[str] = field(default_factory=list)  # in plaintext besides the terms' in_clear
    by_person: dict[str, Any] | None = None  # number of persons, and the largest loss of a person

    @property
    def failures(self) -> int:
        """Number of documents that could not be sanitised."""
        return sum(map(len, self.count.failed))

    @property
    def visible(self) -> list[str]:
        """Descriptions of what the output shows of the input in plaintext, without duplicates."""
        visible = [*self.terms.in_clear, *self.in_clear, *revealed_by_counts(self.count)]
        return list(dict.fromkeys(visible))

    @property
    def share_not_held(self) -> float:
        """Share of the words of all documents that are not in the space, 0 to 1."""
        words = self.count.perturbed + self.count.unknown
        return self.count.unknown / words if words else 0.0

    def add(self, receipt: Receipt) -> None:
        """Add the receipt of a document."""
        self.count += receipt.count
        self.loss += receipt.loss

    def to_dict(self) -> Receipt:
        """Return the receipt of the run, for JSON."""
        loss: dict[str, Any] = self.loss.to_dict()
        if self.by_person is not None:
            loss["by_person"] = self.by_person
        stages = self.terms.stages(self.visible)
        return Receipt(stages=stages, count=self.count.to_dict(), loss=loss)

    def summary(self) -> list[str]:
        """Return the summary for a terminal, at most six lines."""
        count, terms = self.count, self.terms
        failed = f"; {plural(self.failures, 'record')} failed, not written" if self.failures else ""
        title = f"Sanitised {plural(count.documents, 'document')}, {plural(count.tokens, 'token')}"
        by_label = {label: counts["replaced"] for label, counts in count.mentions.items()}
        parts_of_text = (
            (count.perturbed, f"{plural(count.perturbed, 'word')} sampled"),
            (count.unknown, f"{plural(count.unknown, 'word')} unknown"),
            (count.numbers, plural(count.numbers, "number")),
            *sorted(((n, f"{n:,} {label}") for label, n in by_label.items()), reverse=True),
            (count.uncovered, f"{plural(count.uncovered, 'passage')} redacted"),
        )
        replaced = [described for number, described in parts_of_text if number]
        parts = sum(count.dropped.values())
        dropped = f"{plural(parts, 'part')} not written, " if parts else ""
        measured, attacker = terms.attacker, "not measured at this setting: see `dx attack`"
        if by_label and not count.perturbed:
            attacker = "reads what the recogniser misses: `dx evaluate` measures that"
        elif measured is not None:
            attacker = (
                f"recovers {measured['found']:.0%} of the words of {measured['texts']}, "
                f"{measured['rare_found']:.0%} of the rare ones"
            )
        stays = [plural(count.kept, "token"), "the layout", *self.in_clear]
        rows = {
            "Replaced": f"{dropped}{', '.join(replaced) or 'nothing'}",
            "Guarantee": self._guarantee_summary(),
            "Attacker": attacker,
            "Unmodified": ", ".join(stays),
            "Receipt": "as JSON with -v, or in a file with --receipt FILE.json",
        }
        return [
            f"{title}{failed}.",
            *(
                f"  {name:<11}{textwrap.shorten(text, WIDTH - 13, placeholder=' ...')}"
                for name, text in rows.items()
                if count.documents
            ),
        ]

    def _guarantee_summary(self) -> str:
        """Return the guarantee in a few words: of sampled words, or else of surrogates."""
        guarantee, scale, surrogates = self.terms.guarantee, self.terms.scale, self.terms.surrogates
        replaced = [label for label, n in self.count.mentions.items() if n["replaced"]]
        if replaced and not self.count.perturbed:
            terms = surrogates or {}
            budgeted = [label for label in replaced if terms[label]["guarantee"]["epsilon"] != 0]
            if budgeted:
                return f"an epsilon for {', '.join(budgeted)}; all others reveal only what -v lists"
            return "surrogates reveal only what -v lists"
        if guarantee.kind == "none":
            return "none"
        epsilon = f"epsilon {guarantee.epsilon:.3g}, {guarantee.status}"
        if guarantee.kind != "metric-dp":
            return f"{epsilon}, {guarantee.unit} a word"
        diameter = "" if scale is None else f"; any two: {scale['diameter']['nats']:,.0f} nats"
        return f"near words are hard to tell apart ({epsilon}){diameter}"

    def alarms(self) -> list[str]:
        """Return warnings: seeded noise, no guarantee, or many unknown words."""
        guarantee = self.terms.guarantee
        alarms = []
        if self.terms.seeded:
            alarms.append(
                "the random numbers were seeded, and anyone with the seed can undo the sampling."
            )
        if guarantee.kind == "none":
            alarms.append(f"{self.terms.mechanism} gives no guarantee. {guarantee.notes}".strip())
        elif guarantee.status == "refuted":
            alarms.append(f"the published proof of {self.terms.mechanism} does not hold.")
        alarms = [f"NO PRIVACY: {alarm}" for alarm in alarms]
        # Text of another language would be sampled at the few words that the space shares with it.
        if self.count.unknown >= MIN_UNKNOWN and self.share_not_held >= MAX_UNKNOWN_SHARE:
            name = self.terms.space.rpartition(" (")[0]
            alarms.append(
                f"UNKNOWN WORDS: {self.share_not_held:.0%} of the words are not in the space "
                f"{name!r}. Check that the space has the language of these texts."
            )
        return alarms


def plural(number: int, noun: str) -> str:
    """Return "1 document" or "1,000 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
