"""What is left of texts where surrogates replace entities, and what an epsilon is there.

Names, places, numbers of accounts and addresses are drawn without the original: epsilon 0, and
nothing to tune. Dates have an epsilon for each day, numbers one for each unit of their metric, and
dx.Words.v1 that of the mechanism.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from spacy.language import Language

from ...batch.build import make_pipeline, the_sanitizer
from ...batch.jobs import Job, plan_jobs, text_job
from ...batch.trial import Preview, previews
from ...config import FileConfig
from ...randomness import Rng
from ...surrogates.base import Mention
from ...surrogates.number import make_number
from ...surrogates.standing import StandIns
from ...surrogates.streams import Draws
from ...text.mentions import PIECE, is_word, plain_label

Names = frozenset[str]
EPSILONS = (0.003, 0.01, 0.03, 0.1)  # nats per day
WINDOWS = (30, 180, 365)  # days
NUMBER_EPSILONS = (3.0, 10.0, 30.0, 100.0)
NUMBER, DRAWS = 80, 2000  # "80 mg", drawn so often
SAMPLE = (
    "Patient: Maria Lopez, 47, MRN 0044-1209, of 12 Main Street, Springfield 62704.\n"
    "Dr. John Smith saw Ms. Lopez on March 5, 2023 for chest pain; aspirin 80 mg was begun.\n"
    "Maria went home on 03/12/2023, one week later, and may call 555-867-5309.\n"
)


@dataclass(frozen=True)
class DateLaw:
    """By how many days dates move under a setting: on the average, in 95 % of documents at most;
    how often by none, and by a week or less; and the delta of a window, for dates a day apart."""

    setting: str
    mean: float
    most: int
    stays: float
    in_a_week: float
    delta: float = 0.0


def date_laws(
    epsilons: Sequence[float] = EPSILONS, windows: Sequence[int] = WINDOWS
) -> Iterator[DateLaw]:
    """Exact, from the laws of dx.DateShift.v1. epsilons: nats per day. windows: days."""
    for epsilon in epsilons:
        q = math.exp(-epsilon)

        def within(days: int, q: float = q) -> float:
            return 1 - 2 * q ** (days + 1) / (1 + q)

        mean = 2 * q / ((1 - q) * (1 + q))
        most = max(0, math.ceil(math.log(0.05 * (1 + q) / 2) / math.log(q)) - 1)
        yield DateLaw(f"epsilon {epsilon:g}", mean, most, within(0), within(7))
    for window in windows:
        steps = 2 * window + 1
        most = math.ceil((0.95 * steps - 1) / 2)
        week = min(1.0, 15 / steps)
        mean = window * (window + 1) / steps
        yield DateLaw(f"window {window}", mean, most, 1 / steps, week, 1 / steps)


@dataclass(frozen=True)
class NumberLaw:
    """What 80 becomes at an epsilon of dx.Number.v1: in nine of ten draws between low and high, and
    how often it stays."""

    epsilon: float
    low: float
    high: float
    stays: float


def number_laws(rng: Rng, epsilons: Sequence[float] = NUMBER_EPSILONS) -> Iterator[NumberLaw]:
    """By draws, in the scale "relative"."""
    for epsilon in epsilons:
        mentions = [Mention(str(NUMBER), "NUMBER")] * DRAWS
        drawn = make_number(epsilon).replace(mentions, Draws(rng))
        values = np.array(drawn, dtype=float)
        low, high = np.quantile(values, [0.05, 0.95])
        yield NumberLaw(epsilon, float(low), float(high), float((values == NUMBER).mean()))


@dataclass
class Left:
    """What is left of some texts under one setting. counts: by label, mentions found, replaced and
    kept. named, readable: texts that name a person, and those of which a part of such a name is in
    the output. undated: dates that became [DATE]. It holds no text."""

    setting: str
    texts: int = 0
    failed: int = 0
    words: int = 0
    changed: int = 0
    named: int = 0
    readable: int = 0
    undated: int = 0
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, preview: Preview, drawn: StandIns | None, names: Names) -> None:
        """One text, what was drawn for it, and the names in it."""
        self.texts += 1
        self.failed += bool(preview.why)
        told = [(piece, changed) for piece, changed in preview.before if piece[:1].isalnum()]
        self.words += len(told)
        self.changed += sum(changed for _, changed in told)
        after = {piece.lower() for piece, _ in preview.after}
        self.named += bool(names)
        self.readable += not names.isdisjoint(after)
        if drawn is None:
            return
        for label, of_label in drawn.counts.items():
            self.counts.setdefault(label, Counter()).update(of_label)
        self.undated += sum(text == "[DATE]" for _, text in drawn.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for json."""
        return {**vars(self), "counts": {label: dict(of) for label, of in self.counts.items()}}


def names_in(mentions: Iterable[Mention]) -> Names:
    """The parts of names of persons that are no other words."""
    names = [m.text for m in mentions if plain_label(m.label) == "PERSON"]
    pieces = {piece.lower() for name in names for piece in PIECE.findall(name)}
    return frozenset(piece for piece in pieces if len(piece) > 2 and not is_word(piece))


@dataclass(frozen=True)
class EntityTexts:
    """Texts to look at under several settings of entity mode. text: a file, "-", or None for a
    sample. most: how many of them. space: of what is drawn word by word."""

    labels: tuple[str, ...]
    text: str | None
    field: str
    space: str | None
    most: int

    def open(self, setting: str) -> tuple[Language, Job]:
        """Return a pipeline, and the texts. Raise UsageError for what cannot be read or does not
        fit. setting: the kind of surrogates; "none" draws word by word."""
        job = text_job(SAMPLE) if self.text is None else plan_jobs(self.text, None)[0]
        nlp = make_pipeline(entities=self.labels, surrogates=setting, space=self.space)
        return nlp, job


@dataclass(frozen=True)
class Seen:
    """What was seen of the texts themselves: for the eyes of who holds them. names: of each."""

    previews: list[Preview] = field(repr=False)
    names: list[Names] = field(repr=False)


def what_is_left(
    texts: EntityTexts, setting: str, opened: tuple[Language, Job], before: Seen | None = None
) -> tuple[Left, Seen]:
    """The first texts, through the pipeline once. opened: as texts.open(setting) returns it.
    before: what was seen of the same texts under a setting with surrogates, which knows their
    names."""
    nlp, job = opened
    left, shown, drawn = Left(setting), list[Preview](), list[StandIns]()
    sanitizer = the_sanitizer(nlp)
    sanitizer.on_stand_ins = lambda doc, one: drawn.append(one)
    try:
        for preview in previews(nlp, job, FileConfig(field=(texts.field,)), texts.most):
            shown.append(preview)
    finally:
        sanitizer.on_stand_ins = None
    done = iter(drawn)
    each = [None if preview.why else next(done, None) for preview in shown]
    names = [names_in(m for m, _ in one.pairs) if one else frozenset() for one in each]
    names = names if before is None else before.names
    for one in zip(shown, each, names, strict=True):
        left.add(*one)
    return left, Seen(shown, names)
