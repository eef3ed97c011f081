"""A receipt in plain words: what was protected, against what, and what was not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...privacy.levels import sentence
from .accounts import Account

MIDDLE = "two words at random"
TELLING = 3.0  # nats from which on a bound is worth little: even odds to 95 %
LOOSE = 7.0  # nats from which on it is worth next to nothing: even odds to 99.9 %
BEYOND = 0.9999  # surer than this is written as "practically certain"


CLAIMED_BY = "As the file itself claims, which no key signed:"
CLAIMED = (
    "Against whoever wrote the file: its receipt came with the text, and any receipt can be "
    "written into a file. `assert_sanitized(doc, key=FILE)` takes only what `release` signed with "
    "that key."
)
_CLAIMED_EARLIER = ["Nothing that counts here: that it was there is claimed by the file alone."]


class Answers(NamedTuple):
    """One sentence an entry."""

    protected: list[str]
    against: list[str]
    not_protected: list[str]


class Nats(NamedTuple):
    """What a pair of words looks like to someone who thought both equally likely."""

    pair: str
    distance: float
    nats: float
    factor: str
    certainty: str


def answers(account: Account) -> Answers:
    """What is protected, against whom, and what is not. What a file says of an earlier sanitizer
    counts for nothing: nobody saw it."""
    if account.earlier:
        return Answers(_CLAIMED_EARLIER, ["Against nothing that this page counts."], [CLAIMED])
    lead, doubt = ([CLAIMED_BY], [CLAIMED]) if account.carried else ([], [])
    return Answers(
        [*lead, *_protected(account)], _against(account), [*_not_protected(account), *doubt]
    )


def without_receipt() -> Answers:
    """For texts that nobody vouches for."""
    return Answers(
        ["There is no receipt, so this page cannot say that anything was protected."],
        ["Against nothing that this page knows of."],
        [
            "Take the text for unprotected until you have the receipt: run `dx sanitize` with "
            "--receipt and give the file to `dx report`, or sanitise to a .spacy file, which "
            "carries it."
        ],
    )


def nats_of(account: Account) -> list[Nats]:
    """Rows for words that are near, middling and far; [] where the space has no such scale."""
    names = {
        "nearest": "a word and its nearest one",
        "median": MIDDLE,
        "diameter": "the two most distant words, at most",
    }
    scale = account.terms.scale
    rows = [] if scale is None else [(names[k], scale[k]) for k in names if k in scale]
    return [_nats(pair, told["distance"], told["nats"]) for pair, told in rows]


def _nats(pair: str, distance: float, nats: float) -> Nats:
    sure = 1 / (1 + math.exp(-nats))
    certainty = f"{sure:.1%}" if sure < BEYOND else "practically certain"
    return Nats(pair, distance, nats, _factor(nats), certainty)


def _protected(account: Account) -> list[str]:
    terms, counts = account.terms, account.counts
    each = "for each place" if terms.scope == "token" else "for each different word of a document"
    space = terms.space.rpartition(" (")[0] or terms.space
    lines = [
        f"Which word stood in each of {counts['perturbed']:,} places (of {counts['tokens']:,} "
        f"tokens) in {account.documents:,} document(s). The word there now was drawn at random, "
        f"anew {each}, by {terms.mechanism} from the public list of words {space}. A word may be "
        "drawn as itself; the sanitised text does not say where that happened."
    ]
    if counts["unknown"]:
        lines.append(
            f"{counts['unknown']:,} words are not on that list. They were treated by the rule "
            f"{terms.unknown_policy}, which lets none of them through."
        )
    if terms.numbers is not None:
        drawn = counts["tokens"] - counts["perturbed"] - counts["unknown"] - counts["kept"]
        lines.append(
            f"{drawn:,} numbers were drawn at random near their value, by a promise of their own: "
            f"{terms.numbers}. {terms.numbers.notes}"
        )
    if not terms.guarantee.holds or terms.seeded:
        lines.insert(0, "Nothing with a guarantee that holds. What was done:")
    return lines


def _against(account: Account) -> list[str]:
    g = account.terms.guarantee
    if g.kind == "none":
        return [f"Against nobody in particular: {account.terms.mechanism} gives no guarantee."]
    reader = (
        "Against a reader of the sanitised text who knows the method, its settings and the list of "
        "words, has any computer, and may know every other word of the original. Only the random "
        "numbers are secret."
    )
    status = {
        "proven": "This is a proven theorem",
        "computed": "This was computed on the very list of words that was used",
        "claimed": "This is claimed, and not proven here",
        "refuted": "THE PUBLISHED PROOF DOES NOT HOLD: do not rely on this",
        "none": "Nobody has shown this",
    }[g.status]
    source = f" ({g.source})" if g.source else ""
    notes = [g.notes] if g.notes else []
    found = sentence(account.terms.attacker)
    return [reader, *_bound(account), found, f"{status}{source}.", *notes]


def _bound(account: Account) -> list[str]:
    g = account.terms.guarantee
    delta = f", but for a probability of delta = {g.delta:.3g}" if g.delta else ""
    if g.kind == "approx-dp":
        return [
            f"What such a reader learns of one {g.protects} is bounded: epsilon = {g.epsilon:.4g}. "
            f"The odds between two {g.protects}s that are covered change by a factor of at most "
            f"exp(epsilon) = {_factor(g.epsilon)}{delta}.",
            f"This covers {g.adjacency}.",
        ]
    return [
        f"What such a reader learns of one {g.protects} is bounded: epsilon = {g.epsilon:.4g} "
        f"for each unit of {g.metric} distance. The odds between two {g.protects}s that are d "
        f"apart change by a factor of at most exp({g.epsilon:.4g} d){delta}: the nearer two "
        f"{g.protects}s are, the less the text tells which of them it was.",
        *map(_sentence, nats_of(account)),
        f"This covers {g.adjacency}.",
    ]


def _sentence(row: Nats) -> str:
    return (
        f"For {row.pair}, {row.distance:.3g} apart, the factor is at most {row.factor}: from even "
        f"odds to {row.certainty}."
    )


def _factor(nats: float) -> str:
    return f"{math.exp(nats):,.1f}" if nats < 10 else f"10^{nats / math.log(10):.0f}"


def _not_protected(account: Account) -> list[str]:
    terms, g = account.terms, account.terms.guarantee
    lines = [f"Visible as it was: {what}." for what in terms.in_clear]
    if g.kind != "none" and g.covers != "all":
        lines.append(
            f"The difference between words that are not covered. Covered are {g.adjacency}."
        )
    kept = account.counts["kept"]
    lines.append(
        f"{kept:,} tokens were not touched: punctuation, white space, and what the settings leave."
    )
    if g.kind == "metric-dp":
        lines += _far_apart(account)
        lines.append(
            "The subject as a whole. Replacements are near the originals by design, so what a "
            "text is about can often be guessed, and so can a rare fact that several words tell "
            "together."
        )
    lines += _sum(account)
    lines += [
        "A text that is sanitised twice, or a person with several texts: every release adds up.",
        "What a reader knows or finds elsewhere, who wrote the text and when, file names, and "
        "fields that were kept beside it.",
    ]
    return [*dict.fromkeys(lines)]


def _far_apart(account: Account) -> list[str]:
    """What the reader of a single epsilon overlooks most easily."""
    middle = next((row for row in nats_of(account) if row.pair == MIDDLE), None)
    if middle is None or middle.nats < TELLING:
        return []
    return [
        "The difference between unrelated words. Someone who hesitates between two words that have "
        f"nothing to do with each other can be told by the text which it was (odds × "
        f"{middle.factor})."
        + (
            " A disease is hidden among diseases, not among all words."
            if not _loose(account)
            else ""
        )
    ]


def _loose(account: Account) -> str:
    """What the bound still allows, where that is next to everything; else ""."""
    g = account.terms.guarantee
    if g.kind == "approx-dp" and g.epsilon > LOOSE:
        return f"any two words that are covered: odds × {_factor(g.epsilon)}"
    nearest = next((row for row in nats_of(account) if g.kind == "metric-dp"), None)
    if nearest is not None and nearest.nats > LOOSE:
        return f"{nearest.pair}: odds × {nearest.factor}"
    return ""


def _sum(account: Account) -> list[str]:
    total = account.total
    if total is None or not math.isfinite(total.epsilon):
        return []
    return [
        "A document as strongly as a word. What its words give away adds up: for the document with "
        f"the most replaced words, epsilon is {total.epsilon:,.4g} {total.unit} in total."
    ]


def alarms(accounts: Sequence[Account], without: int) -> list[str]:
    """What must not be overlooked."""
    found = [alarm for account in accounts for alarm in account.alarms]
    found += [
        "A WEAK PROMISE: at this epsilon the guarantee lets nearly everything be told apart, even "
        f"{loose}. What protection there is, is seen on these texts, and not promised."
        for loose in map(_loose, accounts)
        if loose
    ]
    if accounts and without:
        found.append(
            f"NO PRIVACY: {without:,} document(s) carry no receipt; their text may be the original."
        )
    return [*dict.fromkeys(found)]
