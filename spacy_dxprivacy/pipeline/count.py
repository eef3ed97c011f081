"""Additive counts of receipts: of a document, a file, a run, a person or a caller."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..privacy.loss import Loss

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
        number: Number of persons.
        distance: Upper bound on the distance of two names, by which each word may change.
        listed: For JSON, mentions and loss of the persons with most mentions. `near`: the loss
            from a typical name to its nearest; `right`: the largest probability that an attacker
            names the person, as in `odds`.
        largest: Upper bound on the loss of each person.
    """

    number: int
    distance: float
    listed: tuple[dict[str, Any], ...]
    largest: Loss

    def __add__(self, other: Persons) -> Persons:
        """Add persons of other documents of the pipeline, counted as different persons."""
        rows = sorted([*self.listed, *other.listed], key=lambda row: -row["mentions"])
        largest = self.largest.cover(other.largest)
        listed = tuple(rows[:PERSONS_LISTED])
        return Persons(self.number + other.number, self.distance, listed, largest)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; None for infinity."""
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
        documents: Number of documents.
        tokens: Tokens of the released documents. Each is perturbed (sampled by the mechanism,
            possibly as the input word), unknown (not in the space), sampled as a number, of a
            surrogate, or kept (in plaintext; includes punctuation and white space).
        draws, number_draws: Draws of the word mechanism, and of the number mechanism.
        most_draws: Draws of the word mechanism in the document with most draws; not a sum.
        uncovered: Redacted passages in uncovered languages and scripts.
        mentions: Mentions found, replaced and kept, by label.
        persons: Recognised persons; None if there are none.
        dropped: Parts of documents that were not released, by kind.
        orders: Documents by the order of day and month in which their numeric dates were read.
        rewrites: Where a rewriter ran: paragraphs `rewritten`, paragraphs `refused`, which stay as
            the sanitizer released them, and `tokens` of the rewritten documents. All other counts
            are of the release that it read.
        failed: For each file, the numbers of failed records; 0 for the file itself.
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
    orders: Mapping[str, int] = field(default_factory=dict)
    rewrites: Mapping[str, int] = field(default_factory=dict)
    failed: tuple[tuple[int, ...], ...] = ()

    @property
    def kept(self) -> int:
        """Number of tokens in plaintext."""
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
            orders=_added(self.orders, other.orders),
            rewrites=_added(self.rewrites, other.rewrites),
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
            **({"orders": dict(sorted(self.orders.items()))} if self.orders else {}),
            **({"rewrites": dict(self.rewrites)} if self.rewrites else {}),
        }

    @classmethod
    def from_dict(cls, payload: Mapping[str, Any]) -> Count:
        """Read what to_dict returned.

        Raises:
            KeyError: A field is missing.
            TypeError, ValueError: A field is not a count.
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
            orders={order: _whole(n) for order, n in payload.get("orders", {}).items()},
            rewrites={name: _whole(n) for name, n in payload.get("rewrites", {}).items()},
        )


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("A count is a whole number, 0 or more.")
    return value


def _added(counts: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    return {name: counts.get(name, 0) + others.get(name, 0) for name in {**counts, **others}}
