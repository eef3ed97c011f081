"""Receipts in plain words: four answers for those who decide, and the guarantee behind them.

A receipt comes from the .json of `dx sanitize --receipt`, or with the documents of a .spacy file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from ...about import __version__
from ...errors import UsageError
from ...io.files.limits import read_json
from ...io.tally import Tally, times
from ...pipeline.count import MENTIONS, Count
from ...pipeline.receipt import COUNTS, PERSONS_SHOWN, Terms, count_of
from ...privacy.composition import repeat
from ...privacy.guarantee import Guarantee
from ...privacy.levels import named
from ..audit.files import BadFile, Text, read_file

DAMAGED = "a receipt is damaged."
OF_DOCUMENT = (*COUNTS, "total", "earlier", "stood_in", "rewritten", "persons")


@dataclass
class Releases:
    """The receipts of one sanitizer, with the same terms, and counts added up.

    raw: the receipt without its counts. person: the recognised person of whom most is learned, as
    receipts state it. earlier: of a sanitizer before the last one. carried: the receipt came
    unsigned in the file with the texts, so it is a claim.
    """

    terms: Terms
    raw: dict[str, Any]
    count: Count = field(default_factory=Count)
    person: dict[str, Any] | None = None
    earlier: bool = False
    carried: bool = False

    @classmethod
    def of(
        cls, receipt: dict[str, Any], *, earlier: bool = False, carried: bool = False
    ) -> Releases:
        """Return the releases of no document, with the terms of this receipt."""
        raw = {k: v for k, v in receipt.items() if k not in OF_DOCUMENT}
        raw["in_clear"] = [shown for shown in raw["in_clear"] if shown != PERSONS_SHOWN]
        if "surrogates" in raw:
            raw["surrogates"] = _without_mentions(raw["surrogates"])
        if raw.get("numbers") is not None:
            raw["numbers"] = {"guarantee": raw["numbers"]["guarantee"]}
        return cls(_terms_of(receipt), raw=raw, earlier=earlier, carried=carried)

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return self.count.documents

    @property
    def draws_words(self) -> bool:
        """Whether the mechanism replaced any word; else the receipt names it and it did nothing."""
        return self.count.perturbed > 0

    @property
    def draws_all(self) -> bool:
        """Whether the mechanism replaced words, and no surrogate stands for an entity."""
        return self.draws_words and not self.terms.surrogates

    @property
    def total(self) -> Guarantee:
        """The guarantee of the document with the most draws."""
        return repeat(self.terms.guarantee, self.count.most_draws)

    def add(self, receipt: dict[str, Any]) -> None:
        """Add the receipt of one document; of persons, keep that of the largest loss."""
        if PERSONS_SHOWN in receipt["in_clear"] and PERSONS_SHOWN not in self.terms.in_clear:
            self.terms = replace(self.terms, in_clear=(*self.terms.in_clear, PERSONS_SHOWN))
        count = count_of(receipt)
        self.count += count
        rows = [] if count.persons is None else [*count.persons.listed]
        rows += [] if self.person is None else [self.person]
        self.person = max(rows, key=lambda row: _nats(row["epsilon"]), default=None)


def _nats(stated: float | None) -> float:
    """Return nats as receipts state them: None is infinity."""
    return math.inf if stated is None else float(stated)


def read_receipt(path: Path) -> Releases:
    """Read a receipt of `dx sanitize --receipt`."""
    try:
        receipt = read_json(path)
        failed = tuple(tuple(map(int, numbers)) for numbers in receipt["failed"] or ())
        raw = {k: v for k, v in receipt.items() if k != "failed"}
        releases = Releases(_terms_of(receipt), raw)
        releases.add(receipt)
        documents = int(receipt["documents"])
        releases.count = replace(releases.count, documents=documents, failed=failed)
        return releases
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{path}: is not a receipt of `dx sanitize --receipt`.") from None


def receipts_of(paths: Iterable[Path]) -> tuple[list[Releases], int]:
    """Read the receipts in .spacy files: releases for each set of terms, and how many documents
    have no receipt that fits them."""
    releases: dict[str, Releases] = {}
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
                before = [stage for stage in receipt.get("earlier", ()) if not stage.get("claimed")]
                for part, earlier in [*((stage, True) for stage in before), (receipt, False)]:
                    release = Releases.of(part, earlier=earlier, carried=True)
                    key = json.dumps([earlier, release.raw], sort_keys=True)
                    releases.setdefault(key, release).add(part)
            except (AttributeError, KeyError, TypeError, ValueError):
                raise UsageError(DAMAGED) from None
    return sorted(releases.values(), key=lambda release: release.earlier), without


def _terms_of(receipt: dict[str, Any]) -> Terms:
    """Return the terms in a stored receipt."""
    optional: dict[str, Any] = {name: receipt.get(name) for name in ("editor", "attacker", "odds")}
    special = {"guarantee", "in_clear", "numbers", "surrogates", *optional}
    names, numbers = {f.name for f in fields(Terms)} - special, receipt.get("numbers")
    return Terms(
        guarantee=Guarantee.from_dict(receipt["guarantee"]),
        in_clear=tuple(receipt["in_clear"]),
        numbers=None if numbers is None else Guarantee.from_dict(numbers["guarantee"]),
        surrogates=_without_mentions(receipt.get("surrogates")),
        **optional,
        **{name: receipt[name] for name in names},
    )


def _without_mentions(surrogates: Any) -> dict[str, dict[str, Any]] | None:
    return surrogates and {
        label: {k: v for k, v in terms.items() if k not in MENTIONS}
        for label, terms in surrogates.items()
    }


# -- in plain words --------------------------------------------------------------------------------

LOOSE = 7.0  # nats from which on a bound is worth next to nothing: even odds to 99.9 %
BESIDE = ("the fields", "the names of the files")  # of in_clear: what is no text
MONTH = 30.0  # days, for dates that are moved
CLAIMED_BY = "As the file itself claims, which no key signed:"
CLAIMED = (
    "Whoever wrote the file may have written its receipt as well: it came with the text. "
    "A signature of the file, by minisign, cosign or gpg, shows who wrote it."
)
SURROGATES = {
    "dx.Address": "other addresses", "dx.Contact": "other numbers and addresses",
    "dx.DateShift": "dates some days or weeks away", "dx.Digits": "other digits",
    "dx.Mask": "marks", "dx.Name": "other names", "dx.Number": "numbers near them",
    "dx.Organisation": "other organisations", "dx.Place": "other places of their kind",
    "dx.Redact": "a label",
}  # fmt: skip


class Answers(NamedTuple):
    """One sentence or two an entry: the four answers, what is visible, and the guarantee."""

    replaced: list[str]
    recovered: list[str]
    stays: list[str]
    decide: list[str]
    visible: list[str]
    guarantee: list[str]


NO_RECEIPT = Answers(
    ["There is no receipt, so this page cannot say that anything was protected."],
    ["Everything, for all that is known here."],
    ["Treat the text as unprotected."],
    [
        "Find the receipt before anything else: run `dx sanitize` with --receipt and give the file "
        "to `dx report`, or sanitise to a .spacy file, which carries it."
    ],
    [],
    ["None that is known here."],
)
# What a file claims of an earlier sanitizer counts for nothing.
_EARLIER = Answers(
    ["Nothing that counts here: only the file claims this sanitizer."], [], [CLAIMED], [], [], []
)


def answers(account: Releases, shown: Sequence[str] | None = None) -> Answers:
    """Return the answers, by the template answers.md. shown: what was measured, as sentences; None
    where nothing was."""
    if account.earlier:
        return _EARLIER
    text = rendered(
        "answers.md",
        account=account, terms=account.terms, g=account.terms.guarantee, shown=shown,
        rows=_surrogate_rows(account), apart=nats_of(account),
        any_two=account.raw.get("any_two_texts"),
        right=(account.terms.odds or {}).get("right"), times=times, chance_of=chance_of, nats=_nats,
        beside=[what for what in account.terms.in_clear if str(what).startswith(BESIDE)],
        attacker=sentence(account.terms.attacker), claimed_by=CLAIMED_BY, claimed=CLAIMED,
        infinity=math.inf,
    )  # fmt: skip
    parts = [part.splitlines()[1:] for part in text.split("\n# ")]
    return Answers(*([*dict.fromkeys(filter(None, part))] for part in parts))


def chance_of(nats: float) -> float:
    """Return how often a reader picks the right one of two at most, who seemed equally likely."""
    return 1 / (1 + math.exp(-nats))


class SurrogateRow(NamedTuple):
    """What stands for the mentions of some labels. month: the chance of who guesses which of two
    dates, a month apart, it was; None for what is no date. one: the guarantee of a mention."""

    labels: str
    surrogate: str
    found: int
    replaced: int
    kept: int
    month: float | None
    one: str
    drawn_without: bool


def _surrogate_rows(account: Releases) -> list[SurrogateRow]:
    rows: dict[str, list[str]] = {}
    mentions, terms = account.count.mentions, account.terms.surrogates or {}
    for label, counts in mentions.items():
        if counts["found"]:
            rows.setdefault(str(terms[label]["stand_in"]), []).append(label)
    made = []
    for name, labels in rows.items():
        found, replaced, kept = (sum(mentions[n][k] for n in labels) for k in MENTIONS)
        one = Guarantee.from_dict(terms[labels[0]]["guarantee"])
        is_date = one.metric == "days" and one.kind == "metric-dp"
        month = chance_of(MONTH * one.epsilon) if is_date else None
        surrogate = SURROGATES.get(name.rpartition(".v")[0], f"what {name} draws")
        drawn = one.kind != "none" and one.epsilon == 0
        named = ", ".join(labels), surrogate
        made.append(SurrogateRow(*named, found, replaced, kept, month, str(one), drawn))
    return made


class Apart(NamedTuple):
    """Two words that seemed equally likely before. chance: how often a reader names the right one
    at most."""

    pair: str
    nats: float
    chance: float


def nats_of(account: Releases) -> list[Apart]:
    """Return the nearest, median and maximum distance, if the space has such a scale."""
    names = {
        "nearest": "a word and its nearest one",
        "median": "two words at random",
        "diameter": "the two most distant words",
    }
    scale = account.terms.scale or {}
    found = [(pair, float(scale[key]["nats"])) for key, pair in names.items() if key in scale]
    return [Apart(pair, nats, chance_of(nats)) for pair, nats in found]


def _loose(account: Releases) -> str:
    """Return what the bound still allows where that is next to everything, else ""."""
    g = account.terms.guarantee
    if g.kind == "approx-dp" and g.epsilon > LOOSE:
        return "any two words that are covered"
    nearest = next((row for row in nats_of(account) if g.kind == "metric-dp"), None)
    return nearest.pair if nearest is not None and nearest.nats > LOOSE else ""


def alarms(accounts: Sequence[Releases], without: int) -> list[str]:
    """Return all warnings; without: how many documents carry no receipt."""
    found = [alarm for account in accounts for alarm in Tally(terms=account.terms).alarms()]
    found += [
        "A WEAK GUARANTEE: at this epsilon the bound is next to nothing, even for "
        f"{loose}. Protection can be measured on these texts, but it is not guaranteed."
        for loose in (_loose(account) for account in accounts if account.draws_words)
        if loose
    ]
    if accounts and without:
        found.append(
            f"NO PRIVACY: {without:,} document(s) carry no receipt; their text may be the original."
        )
    return [*dict.fromkeys(found)]


def rendered(name: str, **values: Any) -> str:
    """Render a template of this folder; HTML pages escape every text."""
    from jinja2 import Environment, StrictUndefined, TemplateRuntimeError

    def in_a_line(value: Any) -> Any:
        return " ".join(value.splitlines()) if isinstance(value, str) else value

    source = resources.files(__package__).joinpath(name).read_text(encoding="utf8")
    environment = Environment(
        autoescape=name.endswith(".html"), undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
        # A line is an entry, so a receipt must not begin lines of its own.
        finalize=in_a_line if name == "answers.md" else None,
    )  # fmt: skip
    try:
        return environment.from_string(source).render(version=__version__, **values)
    except TemplateRuntimeError:
        raise ValueError(f"{name} lacks a value") from None


def sentence(found: Mapping[str, Any] | None) -> str:
    """Describe `attacker` of a receipt; None: not measured."""
    if found is None:
        return (
            "The attack success rate at this setting was not measured. `dx attack frontier TEXT` "
            "measures it on your texts."
        )
    return f"On other texts ({found['texts']}) at this setting, an attacker {named(found)}."
