"""The page: figures, plots and texts in one HTML file that asks no other for anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import islice
from typing import Any

from ...about import __version__
from ...space import Space
from ..tuning.judge import Judged
from . import plain, plots
from .accounts import Account
from .extra import check
from .labels import ROUTES, Accuracies, accuracies_of
from .metrics import OFTEN, Utility, utility_of
from .pairs import Pair, Token

LONGEST = 600  # tokens of a document that are shown


@dataclass(frozen=True)
class Contents:
    """All that the page says. shown: the pairs whose text is on it. without: how many documents of
    a .spacy file carry no receipt. space: whose vectors similarity was taken in.
    judged: by a language model, if one was asked."""

    utility: Utility
    accounts: Sequence[Account]
    shown: Sequence[Pair]
    without: int = 0
    accuracies: Accuracies | None = None
    label: str | None = None
    space: str = ""
    judged: Judged | None = None


@dataclass(frozen=True)
class Piece:
    """A stretch of text of which all or nothing was changed."""

    text: str
    changed: bool


def make_report(
    pairs: Sequence[Pair],
    space: Space,
    *,
    accounts: Sequence[Account] = (),
    without: int = 0,
    label: str | None = None,
    documents: int = 20,
    progress: Callable[[Iterable[Pair]], Iterable[Pair]] = iter,
) -> Contents:
    """space: in which similarity is taken. accounts, without: of receipts_of or read_receipt.
    label: the name of the field that the pairs' labels come from. documents: how many are shown.

    Raises DxError where a library of the extra `report` is missing, UsageError where the labels
    are too few.
    """
    check()
    return Contents(
        utility=utility_of(pairs, space, progress=progress),
        accounts=accounts,
        shown=list(islice(pairs, documents)),
        without=without,
        accuracies=accuracies_of(pairs) if label else None,
        label=label,
        space=f"{space.name} ({space.digest[:12]})",
    )


def render(report: Contents) -> str:
    """The page. Every text on it is escaped by the template."""
    from markupsafe import Markup

    last = [account for account in report.accounts if not account.earlier]
    drawn = {
        "by_document": plots.by_document(report.utility.kept_by_document),
        "by_part": plots.by_part(report.utility.parts) if report.utility.parts else "",
    }
    return str(
        _template().render(
            version=__version__,
            report=report,
            utility=report.utility,
            alarms=[*plain.alarms(report.accounts, report.without), *_doubts(report.utility)],
            sections=[(a, plain.answers(a), plain.nats_of(a)) for a in report.accounts],
            unknown=None if last else plain.without_receipt(),
            plots={
                name: Markup(svg) for name, svg in drawn.items()
            },  # made by plots, not by a text
            rows=[(pieces(p, "before"), pieces(p, "after")) for p in report.shown],
            longest=LONGEST,
            routes=ROUTES,
            often=OFTEN,
            receipts=[json.dumps(a.raw, indent=2, ensure_ascii=False) for a in report.accounts],
        )
    )


def pieces(pair: Pair, side: str) -> list[Piece]:
    """The text of one side, cut where changed words begin and end; the first LONGEST tokens."""
    tokens: list[Token] = getattr(pair, side)
    changed = pair.changes()[0 if side == "before" else 1]
    found: list[Piece] = []
    for token, mark in islice(zip(tokens, changed, strict=True), LONGEST):
        mark = mark and not token.text.isspace()
        found += [Piece(token.text, True)] if mark else []
        found.append(Piece(token.blank if mark else token.text + token.blank, False))
    if len(tokens) > LONGEST:
        found.append(Piece(" \u2026", False))
    return found


def _doubts(utility: Utility) -> list[str]:
    if utility.words and not utility.changed:
        return ["NO WORD IS ANOTHER ONE. Is AFTER the file that you mean?"]
    return []


@lru_cache(maxsize=1)
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    source = resources.files(__package__).joinpath("template.html").read_text(encoding="utf8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(source)
