"""Counts of receipts, which add up: of a document, a file, a run, a person, a caller."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..privacy.composition import Loss

MENTIONS = ("found", "replaced", "kept")  # counts of the mentions of a label
PERSONS_LISTED = 10
SUMMED = (
    "documents", "tokens", "perturbed", "unknown", "numbers", "surrogates", "draws",
    "number_draws", "uncovered",
)  # fmt: skip


@dataclass(frozen=True)
class Persons:
    """The recognised persons of documents, without names.

    Attributes:
        number: How many there are.
        distance: An upper bound on the distance of two names, by which each word may change.
        listed: For JSON, the mentions and the loss of those with most mentions; `near`: the loss
            for the nearest name of a typical name; `right`: how often an attacker names them at
            most, as in `odds`.
        largest: A bound on the loss of each of the persons.
    """

    number: int
    distance: float
    listed: tuple[dict[str, Any], ...]
    largest: Loss

    def __add__(self, other: Persons) -> Persons:
        """Add the persons of other documents of one pipeline, which are taken for others."""
        rows = sorted([*self.listed, *other.listed], key=lambda row: -row["mentions"])
        largest = self.largest.cover(other.largest)
        listed = tuple(rows[:PERSONS_LISTED])
        return Persons(self.number + other.number, self.distance, listed, largest)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, None for infinity."""
        return {
            "count": self.number,
            "apart": None if math.isinf(self.distance) else self.distance,
            "most": list(self.listed),
            "largest": self.largest.to_dict(),
        }

    @classmethod
    def from_dict(cls, payload: Mapping[str, Any]) -> Persons:
        """Read what to_dict returned."""
        distance = math.inf if payload["apart"] is None else float(payload["apart"])
        largest = Loss.from_dict(payload["largest"])
        return cls(_whole(payload["count"]), distance, tuple(payload["most"]), largest)


@dataclass(frozen=True)
class Count:
    """Sums over released documents.

    Attributes:
        documents: How many there are.
        tokens: Of the released documents. Each of them is perturbed (drawn by the mechanism, which
            may draw the word that went in), unknown (not in the space), drawn as a number, of a
            surrogate, or kept (unmodified, punctuation and white space among them).
        draws, number_draws: Draws of the mechanism, and of the one for numbers.
        most_draws: Draws of the mechanism for the document with most of them; not a sum.
        uncovered: Passages that were redacted, since no rule knows their language or script.
        mentions: How many were found, replaced and kept, by label.
        persons: The recognised ones; None for none.
        dropped: Parts of documents that were not released, by kind.
        failed: For each file, the numbers of the records that were not released; 0 for the file.
    """

    documents: int = 0
    tokens: int = 0
    perturbed: int = 0
    unknown: int = 0
    numbers: int = 0
    surrogates: int = 0
    draws: int = 0
    number_draws: int = 0
    most_draws: int = 0
    uncovered: int = 0
    mentions: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    persons: Persons | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    failed: tuple[tuple[int, ...], ...] = ()

    @property
    def kept(self) -> int:
        """How many tokens are unmodified."""
        return self.tokens - self.perturbed - self.unknown - self.numbers - self.surrogates

    def __add__(self, other: Count) -> Count:
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMMED}
        mentions = {
            label: _added(self.mentions.get(label, {}), other.mentions.get(label, {}))
            for label in {**self.mentions, **other.mentions}
        }
        pair = self.persons, other.persons
        persons = pair[0] + pair[1] if pair[0] and pair[1] else pair[0] or pair[1]
        return Count(
            **sums,
            most_draws=max(self.most_draws, other.most_draws),
            mentions=mentions,
            persons=persons,
            dropped=_added(self.dropped, other.dropped),
            failed=self.failed + other.failed,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            **{name: getattr(self, name) for name in (*SUMMED, "kept", "most_draws")},
            "mentions": {label: dict(counts) for label, counts in self.mentions.items()},
            "persons": None if self.persons is None else self.persons.to_dict(),
            "dropped": dict(sorted(self.dropped.items())),
            "failed": list(map(list, self.failed)),
        }

    @classmethod
    def from_dict(cls, payload: Mapping[str, Any]) -> Count:
        """Read what to_dict returned.

        Raises:
            KeyError: A field is missing.
            TypeError, ValueError: A field is no count.
        """
        numbers = {name: _whole(payload[name]) for name in (*SUMMED, "most_draws")}
        persons = payload["persons"]
        return cls(
            **numbers,
            mentions={
                label: {name: _whole(counts[name]) for name in MENTIONS}
                for label, counts in payload["mentions"].items()
            },
            persons=None if persons is None else Persons.from_dict(persons),
            dropped={kind: _whole(number) for kind, number in payload["dropped"].items()},
            failed=tuple(tuple(map(_whole, numbers)) for numbers in payload["failed"]),
        )


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("A count is a whole number, 0 or more.")
    return value


def _added(counts: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    return {name: counts.get(name, 0) + others.get(name, 0) for name in {**counts, **others}}
