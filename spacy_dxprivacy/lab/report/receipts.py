"""Receipts as the owner of the texts reads them: what was protected, against what, what was not.

A receipt comes from the .json of `dx sanitize --receipt`, or with the documents of a .spacy file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...batch.source import gunzip, pack_of
from ...batch.tally import COUNTS, Tally
from ...errors import UsageError
from ...files.docbin import MOST_DOCBIN, BadPacked, read_docbin, unpack
from ...files.limits import TooLarge, check_size, read_json
from ...guarantee import Guarantee
from ...pipeline.receipt import MENTIONS, RECEIPT_KEY, Terms, fits
from ...privacy.levels import sentence
from ..manifests import as_receipt

DAMAGED = "a receipt is damaged."
OF_DOCUMENT = (*COUNTS, "total", "earlier", "stood_in", "rewritten")


@dataclass
class Account:
    """What one sanitizer reports of all documents: the same terms, and counts added up.

    Attributes:
        terms: Settings and guarantee.
        raw: The receipt without its counts.
        total: The guarantee of the document with the most draws.
        failed: For each input file, the records of which nothing was written; None where the
            receipt does not say.
        earlier: A sanitizer that was there before the last one.
        carried: The receipt came in the file with the texts, and nobody signed it: what it says is
            claimed.
    """

    terms: Terms
    raw: dict[str, Any]
    documents: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    total: Guarantee | None = None
    failed: list[list[int]] | None = None
    earlier: bool = False
    carried: bool = False

    @classmethod
    def of(
        cls, receipt: dict[str, Any], *, earlier: bool = False, carried: bool = False
    ) -> Account:
        """The account of no document yet, under the terms of this receipt of one."""
        raw = {k: v for k, v in receipt.items() if k not in OF_DOCUMENT}
        if "surrogates" in raw:
            raw["surrogates"] = _without_mentions(raw["surrogates"])
        if raw.get("numbers") is not None:
            raw["numbers"] = {"guarantee": raw["numbers"]["guarantee"]}
        return cls(_terms_of(receipt), raw=raw, earlier=earlier, carried=carried)

    @property
    def alarms(self) -> list[str]:
        """What a reader has to know first: no privacy, a seed."""
        return Tally(self.terms).alarms()

    def add(self, receipt: dict[str, Any]) -> None:
        """Count one more document, by its receipt."""
        self.documents += 1
        for name in COUNTS:
            self.counts[name] += int(receipt[name])
        total = Guarantee.from_dict(receipt["total"])
        if self.total is None or total.epsilon > self.total.epsilon:
            self.total = total


def read_receipt(path: Path) -> Account:
    """Read what `dx sanitize --receipt` wrote, or the manifest of its shards. Raise UsageError for
    anything else."""
    try:
        receipt = as_receipt(read_json(path))
        account = Account(_terms_of(receipt), {k: v for k, v in receipt.items() if k != "failed"})
        account.documents = int(receipt["documents"])
        account.counts = {name: int(receipt[name]) for name in COUNTS}
        account.total = Guarantee.from_dict(receipt["total"])
        failed = receipt["failed"]
        account.failed = None if failed is None else [[int(n) for n in some] for some in failed]
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{path}: is not a receipt of `dx sanitize --receipt`.") from None
    return account


def receipts_of(paths: Iterable[Path]) -> tuple[list[Account], int]:
    """Read the receipts in .spacy files.

    Returns:
        One account for each set of terms, and how many documents have no receipt, or one that is
        not whole or is of another text.
    """
    accounts: dict[str, Account] = {}
    without = 0
    for path in paths:
        for receipt, tokens in _carried(path):
            if not fits(receipt, tokens):
                without += 1
                continue
            try:
                # What sanitizers before marked as claimed are numbers without terms.
                before = [one for one in receipt.get("earlier", ()) if not one.get("claimed")]
                for one, earlier in [*((one, True) for one in before), (receipt, False)]:
                    account = Account.of(one, earlier=earlier, carried=True)
                    key = json.dumps([earlier, account.raw], sort_keys=True)
                    accounts.setdefault(key, account).add(one)
            except (AttributeError, KeyError, TypeError, ValueError):
                raise UsageError(DAMAGED) from None
    return sorted(accounts.values(), key=lambda account: account.earlier), without


def _carried(path: Path) -> list[tuple[Any, int]]:
    """Of each document of a .spacy file: its receipt, or None, and how many tokens it has."""
    try:
        check_size(path, MOST_DOCBIN)
        raw = path.read_bytes()
        packed = read_docbin(gunzip(raw) if pack_of(path) else raw)
        found = []
        for data in packed.user_data:
            held = {} if data is None else unpack(data, use_list=False)
            # Keys of extensions are lists, and no receipts.
            pairs = held.items() if isinstance(held, dict) else held
            found.append({key: value for key, value in pairs if isinstance(key, str)})
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except (OSError, BadPacked, TypeError, ValueError):
        raise UsageError(f"{path}: is not a DocBin, or it is damaged.") from None
    tokens = np.diff(packed.ends, prepend=0).tolist()
    return [(held.get(RECEIPT_KEY), n) for held, n in zip(found, tokens, strict=True)]


def _terms_of(receipt: dict[str, Any]) -> Terms:
    """The terms of a component, out of a receipt as it was stored."""
    optional = {"numbers", "editor", "surrogates", "attacker", "editor_model"}
    names = {f.name for f in fields(Terms)} - {"guarantee", "in_clear"} - optional
    numbers = receipt.get("numbers")
    return Terms(
        guarantee=Guarantee.from_dict(receipt["guarantee"]),
        in_clear=tuple(receipt["in_clear"]),
        numbers=None if numbers is None else Guarantee.from_dict(numbers["guarantee"]),
        editor=receipt.get("editor"),
        editor_model=receipt.get("editor_model"),
        attacker=receipt.get("attacker"),
        surrogates=_without_mentions(receipt.get("surrogates")),
        **{name: receipt[name] for name in names},
    )


def _without_mentions(surrogates: Any) -> dict[str, dict[str, Any]] | None:
    """What a receipt says of its surrogates, but for how many mentions there were."""
    if surrogates is None:
        return None
    return {
        label: {k: v for k, v in terms.items() if k not in MENTIONS}
        for label, terms in surrogates.items()
    }


# -- in plain words --------------------------------------------------------------------------------

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


NO_RECEIPT = Answers(
    ["There is no receipt, so this page cannot say that anything was protected."],
    ["Against nothing that this page knows of."],
    [
        "Take the text for unprotected until you have the receipt: run `dx sanitize` with "
        "--receipt and give the file to `dx report`, or sanitise to a .spacy file, which "
        "carries it."
    ],
)
# What a file says of an earlier sanitizer counts for nothing: nobody saw it.
_EARLIER = Answers(
    ["Nothing that counts here: that it was there is claimed by the file alone."],
    ["Against nothing that this page counts."],
    [CLAIMED],
)


def answers(account: Account) -> Answers:
    """What is protected, against whom, and what is not."""
    if account.earlier:
        return _EARLIER
    lead, doubt = ([CLAIMED_BY], [CLAIMED]) if account.carried else ([], [])
    return Answers(
        [*lead, *_protected(account)], _against(account), [*_not_protected(account), *doubt]
    )


def nats_of(account: Account) -> list[Nats]:
    """Rows for the nearest, median and maximum distance; [] where the space has no such scale."""
    names = {
        "nearest": "a word and its nearest one",
        "median": MIDDLE,
        "diameter": "the two most distant words, at most",
    }
    rows = []
    for key, pair in names.items():
        if account.terms.scale is not None and key in account.terms.scale:
            distance, nats = (account.terms.scale[key][name] for name in ("distance", "nats"))
            sure = 1 / (1 + math.exp(-nats))
            certainty = f"{sure:.1%}" if sure < BEYOND else "practically certain"
            rows.append(Nats(pair, distance, nats, _factor(nats), certainty))
    return rows


def _factor(nats: float) -> str:
    return f"{math.exp(nats):,.1f}" if nats < 10 else f"10^{nats / math.log(10):.0f}"


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
    lead = f"What such a reader learns of one {g.protects} is bounded: epsilon = {g.epsilon:.4g}"
    if g.kind == "approx-dp":
        return [
            f"{lead}. The odds between two {g.protects}s that are covered change by a factor of at "
            f"most exp(epsilon) = {_factor(g.epsilon)}{delta}.",
            f"This covers {g.adjacency}.",
        ]
    pairs = [
        f"For {row.pair}, {row.distance:.3g} apart, the factor is at most {row.factor}: from even "
        f"odds to {row.certainty}."
        for row in nats_of(account)
    ]
    return [
        f"{lead} for each unit of {g.metric} distance. The odds between two {g.protects}s that are "
        f"d apart change by a factor of at most exp({g.epsilon:.4g} d){delta}: the nearer two "
        f"{g.protects}s are, the less the text tells which of them it was.",
        *pairs,
        f"This covers {g.adjacency}.",
    ]


def _not_protected(account: Account) -> list[str]:
    terms, g, total = account.terms, account.terms.guarantee, account.total
    lines = [f"Visible as it was: {what}." for what in terms.in_clear]
    if g.kind != "none" and g.covers != "all":
        lines.append(
            f"The difference between words that are not covered. Covered are {g.adjacency}."
        )
    lines.append(
        f"{account.counts['kept']:,} tokens were not touched: punctuation, white space, and what "
        "the settings leave."
    )
    if g.kind == "metric-dp":
        lines += _far_apart(account)
        lines.append(
            "The subject as a whole. Replacements are near the originals by design, so what a "
            "text is about can often be guessed, and so can a rare fact that several words tell "
            "together."
        )
    if total is not None and math.isfinite(total.epsilon):
        lines.append(
            "A document as strongly as a word. What its words give away adds up: for the document "
            f"with the most replaced words, epsilon is {total.epsilon:,.4g} {total.unit} in total."
        )
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
    hidden = " A disease is hidden among diseases, not among all words."
    return [
        "The difference between unrelated words. Someone who hesitates between two words that have "
        f"nothing to do with each other can be told by the text which it was (odds × "
        f"{middle.factor})." + ("" if _loose(account) else hidden)
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


def alarms(accounts: Sequence[Account], without: int) -> list[str]:
    """What must not be overlooked. without: how many documents carry no receipt."""
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
