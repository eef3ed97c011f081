"""The report page: HTML from a template, without external resources."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import DxError, UsageError
from ...io.jobs import Job
from ...io.statements import QUESTIONS, times
from ...prior.builtin import frequency_of
from ...space import Space
from ..attacks.language import RARE
from ..odds import Odds
from .measure import Measured, Release, Request, attacker_of, secrets_of
from .pairs import Pair, judge_texts, plan_sources, read_pairs, scores_of, utility_of
from .receipts import (
    DAMAGED,
    NO_RECEIPT,
    Releases,
    alarms,
    answers,
    read_receipt,
    receipts_of,
    render,
)

MAX_PAGE_TOKENS = 600  # tokens shown of a document
PAGE_DOCUMENTS = 5  # documents on the first screen
# Upper ends of the bars of the odds, and their labels.
BARS = (
    (0.015, "1 time in 100"), (0.03, "1 in 50"), (0.07, "1 in 20"), (0.14, "1 in 10"),
    (0.26, "1 in 5"), (0.4, "1 in 3"), (0.58, "1 in 2"), (0.8, "2 in 3"), (0.97, "9 in 10"),
    (1.01, "always"),
)  # fmt: skip


def read_release(before: Path, after: Path, space: Space, request: Request) -> Release:
    """Read two files or two folders, and their receipts. Raise UsageError if they do not match."""
    sources = plan_sources(before, after)
    account = None if request.receipt is None else read_receipt(request.receipt)
    failed = None if account is None else account.count.failed or None
    pairs = list(read_pairs(sources, request.fields, label=request.label, failed=failed))
    if not pairs:
        raise UsageError(f"{before}: holds no document.")
    if account is not None and account.count.documents != len(pairs):
        raise UsageError(
            f"the receipt covers {account.count.documents} document(s), and AFTER has {len(pairs)}."
        )
    return Release((before, after), space, request, pairs, *_accounts(account, sources))


def page_of(release: Release, measured: Measured | None = None) -> str:
    """Return the page as HTML, with similarity in the space."""
    pairs, accounts, space, request = (
        release.pairs,
        release.accounts,
        release.space,
        release.request,
    )
    utility = utility_of(pairs, space, progress=lambda steps: request.progress(steps, "documents"))
    warnings = alarms(accounts, release.without)
    if utility.words and not utility.changed:
        warnings.append("NO WORD IS ANOTHER ONE. Is AFTER the file that you mean?")
    figures = () if measured is None else measured.figures.values()
    shown = None if measured is None else [f.sentence for f in figures if f.sentence]
    sections = [(a.terms.mechanism, a.count.documents, answers(a, shown)) for a in accounts]
    worst = worst_first(release, measured)
    secrets = _secrets(release) if measured is None else measured.secrets
    if not any(not a.earlier for a in accounts):
        sections.append(("", 0, NO_RECEIPT))
    old, after = zip(*(pair.texts for pair in pairs), strict=True)
    return render(
        "template.html",
        utility=utility,
        scores=scores_of(pairs) if request.label else None,
        judged=None if request.judge is None else judge_texts(request.judge, old, after),
        label=request.label,
        space=f"{space.name} ({space.digest[:12]})",
        alarms=warnings,
        # The last sanitizer, which made the text, comes first.
        sections=sections[::-1],
        measured=measured,
        bars=bars(secrets),
        secrets=secrets[: PAGE_DOCUMENTS if request.documents else 0],
        worst=worst,
        rows=worst.rows[: request.documents],
        first=PAGE_DOCUMENTS,
        questions=QUESTIONS,
        times=times,
        longest=MAX_PAGE_TOKENS,
        receipts=[json.dumps(a.to_dict(), indent=2, ensure_ascii=False) for a in accounts],
    )


def _accounts(account: Releases | None, sources: list[Job]) -> tuple[list[Releases], int]:
    """Return the account or those of .spacy files, and the number of documents without one."""
    carried, without = receipts_of(s.target for s in sources if s.target and s.write_as == "spacy")
    accounts = carried if account is None else [account]
    try:
        [(answers(item), alarms([item], 0)) for item in accounts]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise UsageError(DAMAGED) from None
    return accounts, without


class Bar(NamedTuple):
    """Shares of secrets in a bar, 0 to 1: by the bound, and by the posterior."""

    label: str
    bound: float
    posterior: float | None


def bars(odds: Sequence[Odds]) -> list[Bar]:
    """Return a histogram of the odds; [] without any."""
    if not odds:
        return []
    edges = [0.0, *(end for end, _ in BARS)]
    counted = np.histogram([secret.bound for secret in odds], edges)[0] / len(odds)
    posteriors = [secret.posterior for secret in odds if secret.posterior is not None]
    after: Any = [None] * len(BARS)
    if posteriors:
        after = np.histogram(posteriors, edges)[0] / len(posteriors)
    labels = [label for _, label in BARS]
    return [Bar(*row) for row in zip(labels, counted, after, strict=True)]


def _secrets(release: Release) -> list[Odds]:
    """Return the odds before the release; [] if the receipt states too little."""
    with suppress(DxError):
        if release.accounts and release.account.draws_all:
            attacker = attacker_of(release.account, release.request.settings)
            return secrets_of(attacker, release.pairs, released=False)
    return []


class PageDocument(NamedTuple):
    """A document of the page. score: by which documents are sorted, as text."""

    number: int
    score: str
    before: list[MarkedText]
    after: list[MarkedText]


class SortedDocuments(NamedTuple):
    """Documents, worst first. by: the name of the score. marked: the name of the marked words."""

    by: str
    marked: str
    rows: list[PageDocument]


def worst_first(release: Release, measured: Measured | None) -> SortedDocuments:
    """Return the documents, sorted by the words that an attacker recovers or that are unchanged."""
    pairs = release.pairs
    if release.accounts and not release.account.draws_all:
        marked = [rare_unchanged(pair, release.space) for pair in pairs]
        rows = [(float(len(places)), f"{len(places)}", places) for places in marked]
        by, legend = "number of rare words that stay", "rare words that stay"
    elif measured is not None and measured.recovered:
        rows = [_score(len(hits), len(tries), hits) for hits, tries in measured.recovered]
        by, legend = "share of words that the attacker recovers", "words that it recovers"
    else:
        rows = [_score(*pair.kept(), set()) for pair in pairs]
        by, legend = "share of words that are unchanged", ""
    order = sorted(range(len(rows)), key=lambda i: (-rows[i][0], i))
    shown = []
    for i in order:
        _, score, places = rows[i]
        before, after = pieces(pairs[i], "before", places), pieces(pairs[i], "after")
        shown.append(PageDocument(i + 1, score, before, after))
    return SortedDocuments(by, legend, shown)


def _score(part: int, total: int, marked: set[int]) -> tuple[float, str, set[int]]:
    return (part / total, f"{part / total:.0%}", marked) if total else (-1.0, "", marked)


def rare_unchanged(pair: Pair, space: Space) -> set[int]:
    """Return the unchanged words that are rare in public text, or not in the space."""
    frequency, changed = frequency_of(space), pair.changes()[0]
    places = set()
    for place, (token, is_new) in enumerate(zip(pair.before, changed, strict=True)):
        row = space.find(token.text) if token.word and not is_new else 0
        if row < 0 or (row and frequency[row] < RARE):
            places.add(place)
    return places


class MarkedText(NamedTuple):
    """A part of a text. mark: "" (unchanged), "old", "new", or "got" (recovered, or rare and
    unchanged)."""

    text: str
    mark: str


def pieces(pair: Pair, side: str, recovered: Iterable[int] = ()) -> list[MarkedText]:
    """Split the first tokens of one side, MAX_PAGE_TOKENS at most, by their marks.

    recovered: tokens to mark."""
    tokens = pair.before if side == "before" else pair.after
    changed = pair.changes()[0 if side == "before" else 1]
    marked, usual = set(recovered), "old" if side == "before" else "new"
    stretches: list[MarkedText] = []
    for i, (token, is_new) in islice(enumerate(zip(tokens, changed, strict=True)), MAX_PAGE_TOKENS):
        mark = "got" if i in marked else usual if is_new and not token.text.isspace() else ""
        stretches += [MarkedText(token.text, mark)] if mark else []
        stretches.append(MarkedText(token.blank if mark else token.text + token.blank, ""))
    if len(tokens) > MAX_PAGE_TOKENS:
        stretches.append(MarkedText(" \u2026", ""))
    return stretches
