"""Receipts in plain words: what was protected, against what, and what was not.

A receipt comes from the .json of `dx sanitize --receipt`, or with the documents of a .spacy file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from ...about import __version__
from ...errors import UsageError
from ...io.files.limits import read_json
from ...io.tally import COUNTS, Tally
from ...pipeline.receipt import MENTIONS, PERSONS_SHOWN, Terms
from ...privacy.guarantee import Guarantee
from ...privacy.levels import sentence
from ..audit.files import BadFile, Text, as_receipt, read_file

DAMAGED = "a receipt is damaged."
OF_DOCUMENT = (*COUNTS, "total", "earlier", "stood_in", "rewritten", "persons")


@dataclass
class Account:
    """The receipts of one sanitizer, with the same terms, and counts added up.

    raw: the receipt without its counts. total: the guarantee of the document with the most draws.
    failed: for each input file, the records of which nothing was written; None if unknown. earlier:
    of a sanitizer before the last one. carried: the receipt came unsigned in the file with the
    texts, so it is a claim.
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
        """Return an account of no document, with the terms of this receipt."""
        raw = {k: v for k, v in receipt.items() if k not in OF_DOCUMENT}
        raw["in_clear"] = [shown for shown in raw["in_clear"] if shown != PERSONS_SHOWN]
        if "surrogates" in raw:
            raw["surrogates"] = _without_mentions(raw["surrogates"])
        if raw.get("numbers") is not None:
            raw["numbers"] = {"guarantee": raw["numbers"]["guarantee"]}
        return cls(_terms_of(receipt), raw=raw, earlier=earlier, carried=carried)

    @property
    def alarms(self) -> list[str]:
        """Warnings that come first: no privacy, a seed."""
        return Tally(self.terms).alarms()

    def add(self, receipt: dict[str, Any]) -> None:
        """Add the receipt of one document."""
        self.documents += 1
        if PERSONS_SHOWN in receipt["in_clear"] and PERSONS_SHOWN not in self.terms.in_clear:
            self.terms = replace(self.terms, in_clear=(*self.terms.in_clear, PERSONS_SHOWN))
        for name in COUNTS:
            self.counts[name] += int(receipt[name])
        total = Guarantee.from_dict(receipt["total"])
        if self.total is None or total.epsilon > self.total.epsilon:
            self.total = total


def read_receipt(path: Path) -> Account:
    """Read a receipt of `dx sanitize --receipt`, or the manifest of its shards."""
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
    """Read the receipts in .spacy files: an account for each set of terms, and how many documents
    have no receipt that fits them."""
    accounts: dict[str, Account] = {}
    without = 0
    for path in paths:
        try:
            texts = [item for item in read_file(path, "") if isinstance(item, Text)]
        except BadFile as error:
            raise UsageError(f"{path}: {error}") from None
        for receipt in (text.receipt for text in texts):
            if receipt is None:
                without += 1
                continue
            try:
                # Claimed receipts of earlier sanitizers are numbers without terms.
                before = [one for one in receipt.get("earlier", ()) if not one.get("claimed")]
                for one, earlier in [*((one, True) for one in before), (receipt, False)]:
                    account = Account.of(one, earlier=earlier, carried=True)
                    key = json.dumps([earlier, account.raw], sort_keys=True)
                    accounts.setdefault(key, account).add(one)
            except (AttributeError, KeyError, TypeError, ValueError):
                raise UsageError(DAMAGED) from None
    return sorted(accounts.values(), key=lambda account: account.earlier), without


def _terms_of(receipt: dict[str, Any]) -> Terms:
    """Return the terms in a stored receipt."""
    optional = {"numbers", "editor", "surrogates", "attacker", "editor_model", "odds"}
    names = {f.name for f in fields(Terms)} - {"guarantee", "in_clear"} - optional
    numbers = receipt.get("numbers")
    return Terms(
        guarantee=Guarantee.from_dict(receipt["guarantee"]),
        in_clear=tuple(receipt["in_clear"]),
        numbers=None if numbers is None else Guarantee.from_dict(numbers["guarantee"]),
        editor=receipt.get("editor"),
        editor_model=receipt.get("editor_model"),
        attacker=receipt.get("attacker"),
        odds=receipt.get("odds"),
        surrogates=_without_mentions(receipt.get("surrogates")),
        **{name: receipt[name] for name in names},
    )


def _without_mentions(surrogates: Any) -> dict[str, dict[str, Any]] | None:
    return surrogates and {
        label: {k: v for k, v in terms.items() if k not in MENTIONS}
        for label, terms in surrogates.items()
    }


# -- in plain words --------------------------------------------------------------------------------

MIDDLE = "two words at random"
LOOSE = 7.0  # nats from which on a bound is worth next to nothing: even odds to 99.9 %
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
    """What is learned about a pair of words that seemed equally likely before."""

    pair: str
    distance: float
    nats: float
    factor: str
    certainty: str


NO_RECEIPT = Answers(
    ["There is no receipt, so this page cannot say that anything was protected."],
    ["Against nothing that is known here."],
    [
        "Treat the text as unprotected until you have the receipt: run `dx sanitize` with "
        "--receipt and give the file to `dx report`, or sanitise to a .spacy file, which "
        "carries it."
    ],
)
# What a file claims of an earlier sanitizer counts for nothing.
_EARLIER = Answers(
    ["Nothing that counts here: only the file claims this sanitizer."],
    ["Against nothing that this page counts."],
    [CLAIMED],
)


def answers(account: Account) -> Answers:
    """Return what is protected, against whom, and what is not, by the template answers.md."""
    if account.earlier:
        return _EARLIER
    nats, g = nats_of(account), account.terms.guarantee
    middle = next((row for row in nats if row.pair == MIDDLE), None)
    text = rendered(
        "answers.md",
        **{name: getattr(account, name) for name in ("terms", "counts", "documents", "carried")},
        g=g, nats=nats, factor=_factor(g.epsilon), loose=_loose(account), total=account.total,
        # From 3 nats on (even odds to 95 %) a bound is worth little.
        middle=None if middle is None or middle.nats < 3 else middle,
        attacker=sentence(account.terms.attacker), claimed_by=CLAIMED_BY, claimed=CLAIMED,
        infinity=math.inf,
    )  # fmt: skip
    parts = [part.splitlines()[1:] for part in text.split("\n# ")]
    return Answers(*([*dict.fromkeys(filter(None, part))] for part in parts))


def nats_of(account: Account) -> list[Nats]:
    """Return rows for the nearest, median and maximum distance, if the space has such a scale."""
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
            certainty = f"{sure:.1%}" if sure < 0.9999 else "practically certain"
            rows.append(Nats(pair, distance, nats, _factor(nats), certainty))
    return rows


def _factor(nats: float) -> str:
    return f"{math.exp(nats):,.1f}" if nats < 10 else f"10^{nats / math.log(10):.0f}"


def _loose(account: Account) -> str:
    """Return what the bound still allows where that is next to everything, else ""."""
    g = account.terms.guarantee
    if g.kind == "approx-dp" and g.epsilon > LOOSE:
        return f"any two words that are covered: odds × {_factor(g.epsilon)}"
    nearest = next((row for row in nats_of(account) if g.kind == "metric-dp"), None)
    if nearest is not None and nearest.nats > LOOSE:
        return f"{nearest.pair}: odds × {nearest.factor}"
    return ""


def alarms(accounts: Sequence[Account], without: int) -> list[str]:
    """Return all warnings; without: how many documents carry no receipt."""
    found = [alarm for account in accounts for alarm in account.alarms]
    found += [
        "A WEAK GUARANTEE: at this epsilon the bound is next to nothing, even for "
        f"{loose}. Protection can be measured on these texts, but it is not guaranteed."
        for loose in map(_loose, accounts)
        if loose
    ]
    if accounts and without:
        found.append(
            f"NO PRIVACY: {without:,} document(s) carry no receipt; their text may be the original."
        )
    return [*dict.fromkeys(found)]


def rendered(name: str, **values: Any) -> str:
    """Render a template of this folder; HTML pages escape every text."""
    from jinja2 import Environment, StrictUndefined

    source = resources.files(__package__).joinpath(name).read_text(encoding="utf8")
    environment = Environment(
        autoescape=name.endswith(".html"), undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
        # A line is an entry, so a receipt must not begin lines of its own.
        finalize=_in_a_line if name == "answers.md" else None,
    )  # fmt: skip
    return environment.from_string(source).render(version=__version__, **values)


def _in_a_line(value: Any) -> Any:
    return " ".join(value.splitlines()) if isinstance(value, str) else value
