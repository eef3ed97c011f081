"""The report page (HTML) and the statement to sign (Markdown), each from files by one template.

The page loads nothing from elsewhere. The statement holds no text and needs no originals: it is
made from receipts, with "not shown" where nothing was measured.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...config import FileConfig
from ...editors.model import LanguageModel
from ...errors import UsageError, Warnings, warn_always
from ...io.files.limits import MB, TooLarge, check_size, read_json
from ...privacy.levels import sentence
from ...space import Space
from ..audit.claims import INCONCLUSIVE, NOT_REFUTED, REFUTED
from ..audit.files import receipt_beside
from ..audit.release import CLEAN, LEAKED
from .metrics import OFTEN, ROUTES, Judged, accuracies_of, check_extra, judged, utility_of
from .pairs import Pair, Source, plan_sources, read_pairs
from .receipts import (
    DAMAGED,
    NO_RECEIPT,
    Account,
    alarms,
    answers,
    nats_of,
    read_receipt,
    receipts_of,
    rendered,
)

LONGEST = 600  # tokens shown of a document


@dataclass(frozen=True)
class Request:
    """Settings of a page. receipt: of `dx sanitize --receipt`; None for that of the files. lines: a
    line of a .txt file is a document. fields: of .jsonl and .csv. label: the field with the class
    of a document, for a classifier. documents: how many are shown. judge: a causal model that
    scores the texts. progress: wraps the documents, as tqdm does."""

    receipt: Path | None = None
    lines: bool = False
    fields: FileConfig = field(default_factory=FileConfig)
    label: str | None = None
    documents: int = 20
    judge: LanguageModel | None = None
    progress: Callable[[Iterable[Pair]], Iterable[Pair]] = iter


def page_of_files(before: Path, after: Path, space: Space, asked: Request) -> str:
    """Return the page as HTML, from two files or two folders, with similarity in the space."""
    check_extra()
    sources = plan_sources(before, after, lines=asked.lines)
    receipt = asked.receipt or receipt_beside(after)
    account = None if receipt is None else read_receipt(receipt)
    failed = None if account is None else account.failed
    pairs = list(read_pairs(sources, asked.fields, label=asked.label, failed=failed))
    if not pairs:
        raise UsageError(f"{before}: holds no document.")
    if account is not None and account.documents != len(pairs):
        raise UsageError(
            f"the receipt covers {account.documents} document(s), and AFTER has {len(pairs)}."
        )
    accounts, without = _accounts(account, sources)
    utility = utility_of(pairs, space, progress=asked.progress)
    shares = utility.retention_by_document
    found = alarms(accounts, without)
    if utility.words and not utility.changed:
        found.append("NO WORD IS ANOTHER ONE. Is AFTER the file that you mean?")
    return rendered(
        "template.html",
        utility=utility,
        mean=float(np.nanmean(shares)) if utility.words else 0.0,
        accuracies=accuracies_of(pairs) if asked.label else None,
        judged=None if asked.judge is None else _judged(asked.judge, accounts, pairs),
        label=asked.label,
        space=f"{space.name} ({space.digest[:12]})",
        alarms=found,
        sections=[(a, answers(a), nats_of(a)) for a in accounts],
        unknown=None if any(not a.earlier for a in accounts) else NO_RECEIPT,
        rows=[(pieces(p, "before"), pieces(p, "after")) for p in pairs[: asked.documents]],
        longest=LONGEST,
        routes=ROUTES,
        often=OFTEN,
        receipts=[json.dumps(a.raw, indent=2, ensure_ascii=False) for a in accounts],
    )


def statement_of_files(
    after: Path,
    *,
    receipt: Path | None = None,
    lines: bool = False,
    attacks: Sequence[Path] = (),
    audits: Sequence[Path] = (),
) -> str:
    """Return the statement as Markdown.

    after: the release. receipt: None for that of the files. attacks: files or folders of `dx attack
    --out`. audits: files of `dx audit --json`.
    """
    receipt = receipt or receipt_beside(after)
    given = None if receipt is None else read_receipt(receipt)
    accounts, without = _accounts(given, plan_sources(after, after, lines=lines))
    last = [account for account in accounts if not account.earlier]
    released = [line for account in last for line in answers(account).protected]
    if without:
        released.append(f"{without:,} document(s) without a receipt: of these, nothing is shown.")
    found = [account.terms.attacker for account in last]
    text = rendered(
        "statement.md",
        alarms=alarms(accounts, without),
        released=released or NO_RECEIPT.protected,
        shown=measured(accounts, attacks, audits),
        # Attack success on other texts at the same setting: no figure of this release.
        elsewhere=[sentence(one) for one in found if one is not None],
        uncovered=[line for account in accounts for line in answers(account).not_protected]
        or NO_RECEIPT.not_protected,
        promise=[line for a in last for line in answers(a).against] or NO_RECEIPT.against,
        spaces=[account.terms.space for account in accounts],
    )
    return text.rstrip("\n") + "\n"


def _accounts(given: Account | None, sources: list[Source]) -> tuple[list[Account], int]:
    """Return the given account or those of .spacy files, and how many documents carry none."""
    carried, without = receipts_of(s.after for s in sources if s.read_after == "spacy")
    found = carried if given is None else [given]
    try:
        [(answers(account), alarms([account], 0)) for account in found]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # Anybody may have written it.
        raise UsageError(DAMAGED) from None
    return found, without


def _judged(
    judge: LanguageModel, accounts: Sequence[Account], pairs: Sequence[Pair]
) -> Judged | None:
    found = judged(judge, *zip(*(pair.texts for pair in pairs), strict=True))
    if found is None or judge.digest not in {a.terms.editor_model for a in accounts}:
        return found
    warn_always(Warnings.DX161.format(name=judge.name), stacklevel=4)
    return replace(found, is_editor=True)


class Piece(NamedTuple):
    """A stretch of text that is changed or unchanged as a whole."""

    text: str
    changed: bool


def pieces(pair: Pair, side: str) -> list[Piece]:
    """Split the first LONGEST tokens of one side where changed words begin and end."""
    tokens = pair.before if side == "before" else pair.after
    changed = pair.changes()[0 if side == "before" else 1]
    found: list[Piece] = []
    for token, mark in islice(zip(tokens, changed, strict=True), LONGEST):
        mark = mark and not token.text.isspace()
        found += [Piece(token.text, True)] if mark else []
        found.append(Piece(token.blank if mark else token.text + token.blank, False))
    if len(tokens) > LONGEST:
        found.append(Piece(" \u2026", False))
    return found


# -- attacks and audits, for the statement ---------------------------------------------------------

ATTACKS = ("guess", "frontier", "link", "membership")
VERDICTS = {
    "release": (CLEAN, LEAKED),
    "mechanism": (NOT_REFUTED, REFUTED, INCONCLUSIVE),
}


def measured(
    accounts: Sequence[Account], attacks: Iterable[Path], audits: Iterable[Path]
) -> dict[str, str]:
    """Return what to show for each attack, and for "release" and "mechanism".

    A figure counts where mechanism and epsilon are those of the receipts.
    """
    shown: dict[str, str] = {}
    for path in attacks:
        for sheet in sorted(path.glob("*.csv")) if path.is_dir() else [path]:
            shown |= _of_attack(sheet, accounts)
    for path in audits:
        shown |= _of_audit(path, accounts)
    return shown


def _of_attack(path: Path, accounts: Sequence[Account]) -> dict[str, str]:
    """Return the highest success rate of each attack at the settings of the release."""
    found: dict[str, tuple[float, str]] = {}
    try:
        check_size(path, 16 * MB)
        for row in csv.DictReader(io.StringIO(path.read_text("utf8"))):
            if row.get("measured") == "False":  # a point between two that were
                continue
            name, value, text = _figure(row)
            mine = any(  # sheets have four digits
                account.terms.mechanism == row["mechanism"]
                and math.isclose(
                    account.terms.guarantee.epsilon, float(row["epsilon"]), rel_tol=1e-3
                )
                for account in accounts
            )
            if mine and value >= found.get(name, (-math.inf, ""))[0]:
                found[name] = value, text.replace("|", " ").replace("\n", " ")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except (KeyError, TypeError, ValueError, csv.Error, TooLarge):
        raise _no_file(path, "attack") from None
    return {name: text for name, (_, text) in found.items()}


def _figure(row: Mapping[str, str]) -> tuple[str, float, str]:
    """Return the attack of a row, its success rate, and the cell of the statement."""
    if "rare_found" in row:
        value = float(row["rare_found"])
        by = f" ({row['rare_attacker']})" if row.get("rare_attacker") else ""
        return "frontier", value, f"{value:.1%} of the rare words{by}"
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    who = ", ".join(row[name] for name in ("measure", "attacker", "setting") if row[name])
    text = f"{value:.1%} ({who}; {low:.1%} to {high:.1%}, of {int(row['n']):,})"
    return ATTACKS[ATTACKS.index(row["attack"])], value, text


def _of_audit(path: Path, accounts: Sequence[Account]) -> dict[str, str]:
    try:
        found = read_json(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except ValueError:
        raise _no_file(path, "audit") from None
    kind = "mechanism" if isinstance(found, dict) and "mechanism" in found else "release"
    if not isinstance(found, dict) or found.get("verdict") not in VERDICTS[kind]:
        raise _no_file(path, "audit")
    if kind == "release":
        return {kind: found["verdict"]}
    if found["mechanism"] not in {a.terms.mechanism for a in accounts}:
        raise UsageError(f"{path}: is for another mechanism than the receipts.")
    promise = found.get("guarantee")
    epsilon = promise.get("epsilon") if isinstance(promise, dict) else None
    at = f", at epsilon {epsilon:g}" if isinstance(epsilon, int | float) else ""
    return {kind: f"{found['verdict']}{at}"}


def _no_file(path: Path, command: str) -> UsageError:
    return UsageError(f"{path}: is not what `python -m spacy dx {command}` writes.")
