"""From files to the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ...batch.manifests import receipt_beside
from ...batch.records import Fields
from ...errors import UsageError, Warnings, warn_always
from ...language.model import LanguageModel
from ...space import Space
from ..tuning.judge import Judged, judged
from .accounts import DAMAGED, Account, read_receipt, receipts_of
from .files import Source, plan_sources, read_pairs
from .measured import measured
from .page import make_report, render
from .pairs import Pair
from .plain import alarms, answers
from .statement import statement


def page_of_files(
    before: Path,
    after: Path,
    space: Space,
    *,
    receipt: Path | None = None,
    lines: bool = False,
    fields: Fields | None = None,
    label: str | None = None,
    documents: int = 20,
    judge: LanguageModel | None = None,
    progress: Callable[[Iterable[Pair]], Iterable[Pair]] = iter,
) -> str:
    """The page as HTML.

    before, after: a file and what became of it, or two folders. space: in whose vectors similarity
    is taken. receipt: what `dx sanitize --receipt` wrote. lines: a line of a .txt file is a
    document. fields: which one of .jsonl and .csv holds the text. label: the field with the class
    of a document. documents: how many are shown. judge: a causal model that says how well the texts
    read; not the one that they were edited by. progress: wraps the documents, as tqdm does.

    Raises UsageError for files that do not fit together, DxError where a library is missing.
    """
    sources = plan_sources(before, after, lines=lines)
    receipt = receipt or receipt_beside(after)
    account = read_receipt(receipt) if receipt is not None else None
    failed = None if account is None else account.failed
    pairs = list(read_pairs(sources, fields or Fields(), label=label, failed=failed))
    if not pairs:
        raise UsageError(f"{before}: holds no document.")
    if account is not None and account.documents != len(pairs):
        raise UsageError(
            f"the receipt is one of {account.documents} document(s), and AFTER has {len(pairs)}."
        )
    accounts, without = _accounts(account, sources)
    made = make_report(
        pairs,
        space,
        accounts=accounts,
        without=without,
        label=label,
        documents=documents,
        progress=progress,
    )
    if judge is not None:
        texts = zip(*(pair.texts for pair in pairs), strict=True)
        made = replace(made, judged=_judged(judge, accounts, *texts))
    return render(made)


def _judged(
    judge: LanguageModel, accounts: Sequence[Account], before: Sequence[str], after: Sequence[str]
) -> Judged | None:
    found = judged(judge, before, after)
    if found is None or judge.digest not in {a.terms.editor_model for a in accounts}:
        return found
    warn_always(Warnings.DX161.format(name=judge.name), stacklevel=4)
    return replace(found, is_editor=True)


def statement_of_files(
    after: Path,
    *,
    receipt: Path | None = None,
    lines: bool = False,
    attacks: Sequence[Path] = (),
    audits: Sequence[Path] = (),
) -> str:
    """A page to sign (Markdown), from receipts alone, and from what was measured: the arguments are
    those of page_of_files, and of `measured`.

    Raises UsageError for a receipt that is none, and for a file that does not exist.
    """
    receipt = receipt or receipt_beside(after)
    account = read_receipt(receipt) if receipt is not None else None
    accounts, without = _accounts(account, plan_sources(after, after, lines=lines))
    return statement(accounts, without, measured(accounts, attacks, audits))


def _accounts(given: Account | None, sources: list[Source]) -> tuple[list[Account], int]:
    """The one that was given, or those of .spacy files; and how many documents carry none."""
    carried, without = receipts_of(s.after for s in sources if s.read_after == "spacy")
    found = carried if given is None else [given]
    try:
        [(answers(account), alarms([account], 0)) for account in found]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # Anybody may have written it: what cannot be told is no receipt.
        raise UsageError(DAMAGED) from None
    return found, without
