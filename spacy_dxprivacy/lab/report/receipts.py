"""Receipts of a release: the statements on it, what is visible, and the guarantee.

A receipt is the file of `dx sanitize --receipt`, or in the documents of a .spacy file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from ...about import __version__
from ...errors import UsageError
from ...files.limits import read_json
from ...io.statements import (
    Statement,
    Statements,
    chance_of,
    mention_groups,
    nats_of,
    person_of,
    statements,
    times,
)
from ...io.statements import alarms as alarms_of
from ...io.tally import Tally
from ...pipeline.receipt import Receipt, ReceiptTerms, revealed_by_counts
from ...privacy.composition import repeat
from ...privacy.guarantee import Guarantee
from ..audit.files import BadFile, ReleasedText, read_file

DAMAGED = "a receipt is damaged."


@dataclass
class Releases(Tally):
    """The sum of receipts with the same stages.

    earlier: whether it is of a sanitizer before the last. carried: whether it is from the file with
    the texts, and so a claim.
    """

    earlier: bool = False
    carried: bool = False

    @property
    def draws_words(self) -> bool:
        """Whether the mechanism sampled any word."""
        return self.count.perturbed > 0

    @property
    def draws_all(self) -> bool:
        """Whether the mechanism sampled words, and there are no surrogates."""
        return self.draws_words and not self.terms.surrogates

    @property
    def total(self) -> Guarantee:
        """The guarantee of the sampled words of the document with the most draws."""
        return repeat(self.terms.guarantee or Guarantee("none"), self.count.most_draws)


def _terms_of(receipt: Receipt) -> ReceiptTerms:
    """Return the terms of a stored receipt, without phrases that follow from its counts."""
    terms, phrases = ReceiptTerms.of(receipt), revealed_by_counts(receipt.count)
    return replace(terms, in_clear=tuple(p for p in terms.in_clear if p not in phrases))


def read_receipt(path: Path) -> Releases:
    """Read a receipt of `dx sanitize --receipt`."""
    try:
        receipt = Receipt(read_json(path))
        columns = receipt["count"].get("columns", {})
        cells = {head: (row["changed"], row["stayed"]) for head, row in columns.items()}
        releases = Releases(_terms_of(receipt), columns=cells)
        releases.add(receipt)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise UsageError(f"{path}: is not a receipt of `dx sanitize --receipt`.") from None
    return releases


def receipts_of(paths: Iterable[Path]) -> tuple[list[Releases], int]:
    """Return the sums of receipts in .spacy files, by stages, and the number of documents without a
    valid receipt."""
    releases: dict[str, Releases] = {}
    without = 0
    for path in paths:
        try:
            texts = [item for item in read_file(path, "text") if isinstance(item, ReleasedText)]
        except BadFile as error:
            raise UsageError(f"{path}: {error}") from None
        for stored in (text.receipt for text in texts):
            if stored is None:
                without += 1
                continue
            try:
                receipt = Receipt(stored)
                # Claimed receipts of earlier sanitizers have no stages.
                before = [stage for stage in receipt.earlier if not stage.get("claimed")]
                for part in [*map(Receipt, before), receipt]:
                    earlier, terms = part is not receipt, _terms_of(part)
                    key = json.dumps([earlier, terms.stages(terms.in_clear)], sort_keys=True)
                    empty = Releases(terms, earlier=earlier, carried=True)
                    releases.setdefault(key, empty).add(part)
            except (AttributeError, LookupError, TypeError, ValueError):
                raise UsageError(DAMAGED) from None
    return sorted(releases.values(), key=lambda release: release.earlier), without


# -- in plain words --------------------------------------------------------------------------------

MAX_USEFUL_NATS = 7.0  # nats, above which a bound is almost void: from even odds to 99.9 %
CLAIMED_BY = "As the file itself claims, which no key signed:"
CLAIMED = (
    "Whoever wrote the file may have written its receipt as well: it came with the text. "
    "A signature of the file, by minisign, cosign or gpg, shows who wrote it."
)


class Answers(NamedTuple):
    """The statements of a receipt, what is visible, and the guarantee; an entry has one or two
    sentences."""

    statements: Statements
    visible: list[str]
    guarantee: list[str]


def _only(replaced: list[str], unchecked: list[str], actions: list[str]) -> Answers:
    """Return answers with nothing but these sentences."""
    nothing = Statement("", [])
    first, third, last = (Statement("", sentences) for sentences in (replaced, unchecked, actions))
    return Answers(Statements(first, nothing, third, nothing, last), [], [])


NO_RECEIPT = _only(
    ["There is no receipt, so this page cannot say that anything was protected."],
    ["Everything. Treat the text as unprotected."],
    [
        "Find the receipt before anything else: run `dx sanitize` with --receipt and give the file "
        "to `dx report`, or sanitise to a .spacy file, which carries it."
    ],
)
# The claim of a file about an earlier sanitizer proves nothing.
_EARLIER = _only(["Nothing that counts here: only the file claims this sanitizer."], [CLAIMED], [])


def answers(account: Releases, shown: Sequence[str] | None = None) -> Answers:
    """Return the answers on a release. shown: sentences on measurements; None without any."""
    if account.earlier:
        return _EARLIER
    stated = statements(account, shown)
    if account.carried:
        headline, sentences = stated.replaced
        stated = stated._replace(replaced=Statement(headline, [CLAIMED_BY, *sentences]))
    guarantee = account.terms.guarantee or Guarantee("none")
    text = render(
        "guarantee.md",
        account=account, terms=account.terms, g=guarantee, person=person_of(account),
        groups=mention_groups(account), apart=word_distances(account), times=times, nats=nats_of,
        claimed=CLAIMED, infinity=math.inf,
    )  # fmt: skip
    visible = [f"{what[0].upper()}{what[1:]}." for what in account.visible if what]
    return Answers(stated, visible, [*dict.fromkeys(filter(None, text.splitlines()))])


class WordDistance(NamedTuple):
    """Two equally likely words. chance: the largest probability of choosing correctly."""

    pair: str
    nats: float
    chance: float


def word_distances(account: Releases) -> list[WordDistance]:
    """Return the nearest, median and maximum distance, if the receipt states a scale."""
    names = {
        "nearest": "a word and its nearest one",
        "median": "two words at random",
        "diameter": "the two most distant words",
    }
    scale = account.terms.scale or {}
    pairs = [(pair, float(scale[key]["nats"])) for key, pair in names.items() if key in scale]
    return [WordDistance(pair, nats, chance_of(nats)) for pair, nats in pairs]


def _loose(account: Releases) -> str:
    """Return the words for which the bound is almost void, else ""."""
    g = account.terms.guarantee or Guarantee("none")
    if g.kind == "approx-dp" and g.epsilon > MAX_USEFUL_NATS:
        return "any two words that are covered"
    nearest = next((row for row in word_distances(account) if g.kind == "metric-dp"), None)
    return nearest.pair if nearest is not None and nearest.nats > MAX_USEFUL_NATS else ""


def alarms(accounts: Sequence[Releases], without: int) -> list[str]:
    """Return all warnings. without: number of documents without a receipt."""
    warnings = [alarm for account in accounts for alarm in alarms_of(Tally(terms=account.terms))]
    warnings += [
        "A WEAK GUARANTEE: at this epsilon the bound is next to nothing, even for "
        f"{loose}. Protection can be measured on these texts, but it is not guaranteed."
        for loose in (_loose(account) for account in accounts if account.draws_words)
        if loose
    ]
    if accounts and without:
        warnings.append(
            f"NO PRIVACY: {without:,} document(s) carry no receipt; their text may be the original."
        )
    return [*dict.fromkeys(warnings)]


def render(name: str, **values: Any) -> str:
    """Render a template of this folder; HTML pages escape texts."""
    from jinja2 import Environment, StrictUndefined, TemplateRuntimeError

    def in_a_line(value: Any) -> Any:
        return " ".join(value.splitlines()) if isinstance(value, str) else value

    source = resources.files(__package__).joinpath(name).read_text(encoding="utf8")
    environment = Environment(
        autoescape=name.endswith(".html"), undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
        # A line is an entry, so values of a receipt must not begin new lines.
        finalize=in_a_line if name == "guarantee.md" else None,
    )  # fmt: skip
    try:
        return environment.from_string(source).render(version=__version__, **values)
    except TemplateRuntimeError:
        raise ValueError(f"{name} lacks a value") from None


def sentence(level: Mapping[str, Any] | None) -> str:
    """Describe `attacker` of a receipt; None if it was not measured."""
    if level is None:
        return (
            "The attack success rate at this setting was not measured. `dx attack frontier TEXT` "
            "measures it on your texts."
        )
    rare = level["rare_attacker"]
    subject = "" if rare == level["attacker"] else f"one with {rare} "
    return (
        f"On other texts ({level['texts']}) at this setting, an attacker with {level['attacker']} "
        f"recovered {level['found']:.0%} of the words, and {subject}{level['rare_found']:.0%} of "
        f"the rare words; {level['kept']:.0%} of the words were unchanged."
    )
