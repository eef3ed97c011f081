"""The report page (HTML), from files by a template. It loads nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import DxError, UsageError
from ...io.jobs import Job
from ...prior.pairs import frequency_of
from ...space import Space
from ..attacks.language import RARE
from ..odds import Odds, times
from .measure import Measured, Release, Request, attacker_of, secrets_of
from .pairs import Pair, judged, plan_sources, read_pairs, scores_of, utility_of
from .receipts import (
    DAMAGED,
    NO_RECEIPT,
    Releases,
    alarms,
    answers,
    read_receipt,
    receipts_of,
    rendered,
)

LONGEST = 600  # tokens shown of a document
WORST = 5  # documents on the first screen
# Upper ends of the bars of the odds, and what each is called.
BARS = (
    (0.015, "1 time in 100"), (0.03, "1 in 50"), (0.07, "1 in 20"), (0.14, "1 in 10"),
    (0.26, "1 in 5"), (0.4, "1 in 3"), (0.58, "1 in 2"), (0.8, "2 in 3"), (0.97, "9 in 10"),
    (1.01, "always"),
)  # fmt: skip


def read_release(before: Path, after: Path, space: Space, asked: Request) -> Release:
    """Read two files or two folders, and their receipts. Raise UsageError where they do not fit."""
    sources = plan_sources(before, after)
    account = None if asked.receipt is None else read_receipt(asked.receipt)
    failed = None if account is None else account.count.failed or None
    pairs = list(read_pairs(sources, asked.fields, label=asked.label, failed=failed))
    if not pairs:
        raise UsageError(f"{before}: holds no document.")
    if account is not None and account.documents != len(pairs):
        raise UsageError(
            f"the receipt covers {account.documents} document(s), and AFTER has {len(pairs)}."
        )
    return Release((before, after), space, asked, pairs, *_accounts(account, sources))


def page_of(release: Release, measured: Measured | None = None) -> str:
    """Return the page as HTML, with similarity in the space."""
    pairs, accounts, space, asked = release.pairs, release.accounts, release.space, release.asked
    utility = utility_of(pairs, space, progress=lambda steps: asked.progress(steps, "documents"))
    warnings = alarms(accounts, release.without)
    if utility.words and not utility.changed:
        warnings.append("NO WORD IS ANOTHER ONE. Is AFTER the file that you mean?")
    shown = None if measured is None else measured.sentences
    sections = [(a.terms.mechanism, a.documents, answers(a, shown)) for a in accounts]
    worst = worst_first(release, measured)
    secrets = _secrets(release) if measured is None else measured.secrets
    if not any(not a.earlier for a in accounts):
        sections.append(("", 0, NO_RECEIPT))
    old, after = zip(*(pair.texts for pair in pairs), strict=True)
    return rendered(
        "template.html",
        utility=utility,
        scores=scores_of(pairs) if asked.label else None,
        judged=None if asked.judge is None else judged(asked.judge, old, after),
        label=asked.label,
        space=f"{space.name} ({space.digest[:12]})",
        alarms=warnings,
        # The last sanitizer made the text: it comes first.
        sections=sections[::-1],
        measured=measured,
        bars=bars(secrets),
        secrets=secrets[: WORST if asked.documents else 0],
        worst=worst,
        rows=worst.rows[: asked.documents],
        first=WORST,
        times=times,
        longest=LONGEST,
        receipts=[json.dumps(a.receipt, indent=2, ensure_ascii=False) for a in accounts],
    )


def _accounts(account: Releases | None, sources: list[Job]) -> tuple[list[Releases], int]:
    """Return the given account or those of .spacy files, and how many documents carry none."""
    carried, without = receipts_of(s.target for s in sources if s.target and s.write_as == "spacy")
    accounts = carried if account is None else [account]
    try:
        [(answers(item), alarms([item], 0)) for item in accounts]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # Anybody may have written it.
        raise UsageError(DAMAGED) from None
    return accounts, without


class Bar(NamedTuple):
    """Shares of secrets, 0 to 1, whose odds are in one step: at most, and after this release."""

    label: str
    bound: float
    posterior: float | None


def bars(odds: Sequence[Odds]) -> list[Bar]:
    """Return a histogram of the odds; [] of none."""
    if not odds:
        return []
    edges = [0.0, *(end for end, _ in BARS)]
    counted = np.histogram([secret.bound for secret in odds], edges)[0] / len(odds)
    posteriors = [secret.posterior for secret in odds if secret.posterior is not None]
    after = (
        np.histogram(posteriors, edges)[0] / len(posteriors) if posteriors else [None] * len(BARS)
    )
    labels = [label for _, label in BARS]
    return [Bar(*row) for row in zip(labels, counted, after, strict=True)]


def _secrets(release: Release) -> list[Odds]:
    """Return the odds before the release; [] where the receipt does not say enough."""
    with suppress(DxError):
        if release.accounts and release.account.draws_all:
            attacker = attacker_of(release.account, release.asked.settings)
            return secrets_of(attacker, release.pairs, released=False)
    return []


class PageDocument(NamedTuple):
    """A document of the page. badly: how bad it is, as its row says."""

    number: int
    badly: str
    before: list[MarkedText]
    after: list[MarkedText]


class Worst(NamedTuple):
    """The documents, the worst one first. by: what makes them bad. marked: what is marked; ""."""

    by: str
    marked: str
    rows: list[PageDocument]


def worst_first(release: Release, measured: Measured | None) -> Worst:
    """Return the documents by what the attacker recovers of them, or by what stays."""
    pairs = release.pairs
    if release.accounts and not release.account.draws_all:
        marked = [rare_unchanged(pair, release.space) for pair in pairs]
        rows = [(float(len(places)), f"{len(places)}", places) for places in marked]
        by, legend = "number of rare words that stay", "rare words that stay"
    elif measured is not None and measured.recovered:
        rows = [_shared(len(got), len(of), got) for got, of in measured.recovered]
        by, legend = "share of words that the attacker recovers", "words that it recovers"
    else:
        rows = [_shared(*pair.kept(), set()) for pair in pairs]
        by, legend = "share of words that are unchanged", ""
    order = sorted(range(len(rows)), key=lambda i: (-rows[i][0], i))
    shown = [
        PageDocument(
            i + 1, rows[i][1], pieces(pairs[i], "before", rows[i][2]), pieces(pairs[i], "after")
        )
        for i in order
    ]
    return Worst(by, legend, shown)


def _shared(part: int, of: int, marked: set[int]) -> tuple[float, str, set[int]]:
    return (part / of, f"{part / of:.0%}", marked) if of else (-1.0, "", marked)


def rare_unchanged(pair: Pair, space: Space) -> set[int]:
    """Return the places of unchanged words that are rare in public text, or not in the space."""
    often, changed = frequency_of(space), pair.changes()[0]
    places = set()
    for place, (token, is_new) in enumerate(zip(pair.before, changed, strict=True)):
        row = space.find(token.text) if token.word and not is_new else 0
        if row < 0 or (row and often[row] < RARE):
            places.add(place)
    return places


class MarkedText(NamedTuple):
    """A stretch of text. mark: "" where it is unchanged, "old", "new", or "got": recovered by the
    attacker, or rare and unchanged."""

    text: str
    mark: str


def pieces(pair: Pair, side: str, got: Iterable[int] = ()) -> list[MarkedText]:
    """Split the first LONGEST tokens of one side where marks begin and end. got: places to mark."""
    tokens = pair.before if side == "before" else pair.after
    changed = pair.changes()[0 if side == "before" else 1]
    marked, usual = set(got), "old" if side == "before" else "new"
    stretches: list[MarkedText] = []
    for i, (token, is_new) in islice(enumerate(zip(tokens, changed, strict=True)), LONGEST):
        mark = "got" if i in marked else usual if is_new and not token.text.isspace() else ""
        stretches += [MarkedText(token.text, mark)] if mark else []
        stretches.append(MarkedText(token.blank if mark else token.text + token.blank, ""))
    if len(tokens) > LONGEST:
        stretches.append(MarkedText(" \u2026", ""))
    return stretches
