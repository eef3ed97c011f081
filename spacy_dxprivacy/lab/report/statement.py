"""One page that can be signed: what the receipts of a run say, in plain words first, and "not
shown" where nothing was measured. It holds no text, and is made without the originals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...about import __version__
from ...privacy.levels import sentence
from .accounts import Account
from .plain import alarms, answers, without_receipt

NOT_SHOWN = "not shown"
# What an officer asks, and the command that measures it on the very texts.
ASKED = (
    ("Share of all words that an attacker names", "dx attack guess BEFORE"),
    ("Share of the rare words that an attacker names", "dx attack frontier BEFORE"),
    ("The same with what stands round a word", "dx attack context BEFORE"),
    ("Documents linked to their originals", "dx attack link BEFORE"),
    ("Whether a text was in the corpus", "dx attack membership BEFORE"),
    ("Words that left in clear, against the receipt", "dx audit release AFTER --against BEFORE"),
    ("Whether the mechanism keeps its promise", "dx audit mechanism CONFIG"),
)
LAW = (
    ("HIPAA, safe harbor: 18 identifiers removed", "no setting removes all of them"),
    ("HIPAA, expert determination", "the signature below, of an expert, with figures"),
    ("GDPR: singling out", "figures of rare words and of linking"),
    ("GDPR: linkability", "figures of linking and membership"),
    ("GDPR: inference", "figures of words found, with and without context"),
)


def statement(
    accounts: Sequence[Account], without: int, shown: Mapping[int, str] | None = None
) -> str:
    """Markdown. accounts: one for each sanitizer that the receipts tell of. without: how many
    documents carry none. shown: what was measured, by the line of ASKED (see measured)."""
    last = [account for account in accounts if not account.earlier]
    parts = [
        "# Statement on a sanitised release",
        *_alarms(accounts, without),
        *_section("What was released", _released(last, without)),
        *_found(last, shown or {}),
        *_section("What stays in clear, and what is not covered", _uncovered(accounts)),
        *_table("What the law asks", LAW, "what it would take"),
        *_section("The promise, and where it comes from", _promise(last)),
        "## Signed",
        "I have read this page, and what is not shown I have measured or decided to do without.",
        "Purpose and recipients: ______________________________________________",
        "Name, role, date: ______________________________________________",
        f"spacy_dxprivacy {__version__}; spaces: {_spaces(accounts)}",
    ]
    return "\n\n".join(parts) + "\n"


def _alarms(accounts: Sequence[Account], without: int) -> list[str]:
    return [f"**{alarm}**" for alarm in alarms(accounts, without)]


def _section(title: str, lines: Iterable[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {line}" for line in dict.fromkeys(lines))]


def _released(accounts: Sequence[Account], without: int) -> list[str]:
    lines = [line for account in accounts for line in answers(account).protected]
    if without:
        lines.append(f"{without:,} document(s) without a receipt: of these, nothing is shown.")
    return lines or without_receipt().protected


def _found(accounts: Sequence[Account], shown: Mapping[int, str]) -> list[str]:
    rows = [(what, f"`python -m spacy {command}` measures it") for what, command in ASKED]
    elsewhere = [line for account in accounts for line in _elsewhere(account)]
    return [*_table("What an attacker would find in this text", rows, "how", shown), *elsewhere]


def _elsewhere(account: Account) -> list[str]:
    """What was found on other texts at the same setting: a hint, and no figure of this one."""
    told = account.terms.attacker
    return [] if told is None else [f"{sentence(told)} (docs/attacks.md)"]


def _table(
    title: str,
    rows: Iterable[tuple[str, str]],
    third: str,
    shown: Mapping[int, str] | None = None,
) -> list[str]:
    lines = [f"| | in this release | {third} |", "| --- | --- | --- |"]
    for number, (what, how) in enumerate(rows):
        lines.append(f"| {what} | {(shown or {}).get(number, NOT_SHOWN)} | {how} |")
    return [f"## {title}", "\n".join(lines)]


def _uncovered(accounts: Sequence[Account]) -> list[str]:
    lines = [line for account in accounts for line in answers(account).not_protected]
    return lines or without_receipt().not_protected


def _promise(accounts: Sequence[Account]) -> list[str]:
    lines = [line for account in accounts for line in answers(account).against]
    return lines or without_receipt().against


def _spaces(accounts: Sequence[Account]) -> str:
    return "; ".join(dict.fromkeys(account.terms.space for account in accounts)) or NOT_SHOWN
