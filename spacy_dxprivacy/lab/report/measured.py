"""What was measured of a release, from the files of `dx attack --out` and `dx audit --json`: a
figure counts where mechanism and epsilon are those of the receipts."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...files.limits import MB, TooLarge, check_size, read_json
from ..audit.release import CLEAN, LEAKED
from ..audit.report import INCONCLUSIVE, NOT_REFUTED, REFUTED
from .accounts import Account

MOST_CSV = 16 * MB
# Attack -> the line of the statement that it answers; "frontier" answers that of rare words.
ATTACKS = {"guess": 0, "frontier": 1, "context": 2, "link": 3, "membership": 4}
RELEASE, MECHANISM = 5, 6
_VERDICTS = {
    RELEASE: (CLEAN, LEAKED),
    MECHANISM: (NOT_REFUTED, REFUTED, INCONCLUSIVE),
}
Shown = dict[int, str]


def measured(accounts: Sequence[Account], attacks: Iterable[Path], audits: Iterable[Path]) -> Shown:
    """Line of the statement -> what to show there. attacks: .csv files, or folders of them. audits:
    .json files. Raises UsageError for files that are neither, and for verdicts of another
    mechanism than that of the receipts."""
    shown: Shown = {}
    for path in attacks:
        for sheet in sorted(path.glob("*.csv")) if path.is_dir() else [path]:
            shown |= _of_attack(_rows(sheet), sheet, accounts)
    for path in audits:
        shown |= _of_audit(_verdict(path), path, accounts)
    return shown


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        check_size(path, MOST_CSV)
        return list(csv.DictReader(io.StringIO(path.read_text("utf8"))))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except (ValueError, csv.Error, TooLarge):
        raise _no_file(path, "attack") from None


def _of_attack(rows: list[dict[str, str]], path: Path, accounts: Sequence[Account]) -> Shown:
    """The figure of the attacker that finds most, at the settings of the release."""
    found: Shown = {}
    worst: dict[int, float] = {}
    for row in rows:
        try:
            if row.get("measured") == "False":  # a point between two that were
                continue
            line, value, told = _figure(row)
            mine = _is_of(row["mechanism"], float(row["epsilon"]), accounts)
        except (KeyError, TypeError, ValueError):
            raise _no_file(path, "attack") from None
        if mine and value >= worst.get(line, -math.inf):
            worst[line], found[line] = value, told.replace("|", " ").replace("\n", " ")
    return found


def _figure(row: dict[str, str]) -> tuple[int, float, str]:
    if "rare_found" in row:
        value = float(row["rare_found"])
        by = f" ({row['rare_attacker']})" if row.get("rare_attacker") else ""
        return ATTACKS["frontier"], value, f"{value:.1%} of the rare words{by}"
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    who = ", ".join(row[name] for name in ("measure", "attacker", "setting") if row[name])
    interval = f"{low:.1%} to {high:.1%}"
    return ATTACKS[row["attack"]], value, f"{value:.1%} ({who}; {interval}, of {int(row['n']):,})"


def _is_of(mechanism: str, epsilon: float, accounts: Sequence[Account]) -> bool:
    """Whether the receipts tell of this mechanism at this epsilon; sheets have four digits."""
    terms = [account.terms for account in accounts]
    return any(
        t.mechanism == mechanism and math.isclose(t.guarantee.epsilon, epsilon, rel_tol=1e-3)
        for t in terms
    )


def _verdict(path: Path) -> dict[str, Any]:
    try:
        told = read_json(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except ValueError:
        raise _no_file(path, "audit") from None
    if not isinstance(told, dict) or not isinstance(told.get("verdict"), str):
        raise _no_file(path, "audit")
    return told


def _of_audit(told: dict[str, Any], path: Path, accounts: Sequence[Account]) -> Shown:
    line = MECHANISM if "mechanism" in told else RELEASE
    if told["verdict"] not in _VERDICTS[line]:
        raise _no_file(path, "audit")
    if line == MECHANISM and told["mechanism"] not in {a.terms.mechanism for a in accounts}:
        raise UsageError(f"{path}: is of another mechanism than the receipts.")
    if line == MECHANISM:
        promise = told.get("guarantee")
        epsilon = promise.get("epsilon") if isinstance(promise, dict) else None
        at = f", at epsilon {epsilon:g}" if isinstance(epsilon, int | float) else ""
        return {line: f"{told['verdict']}{at}"}
    return {line: told["verdict"]}


def _no_file(path: Path, command: str) -> UsageError:
    return UsageError(f"{path}: is not what `python -m spacy dx {command}` writes.")
