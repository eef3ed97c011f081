"""What a release says of each recognised person: the guarantee of all their mentions at once.

The distance of a mention is public: that of the two names of the space that are farthest apart, for
each of its words. The distance of the name itself would show the name in the receipt.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..arrays import Bools1d, Ints1d
from ..entities.surrogates.base import LINKED, Surrogate
from ..entities.surrogates.name_forms import form_of, persons
from ..entities.surrogates.replacements import Replacements
from ..errors import Errors
from ..privacy.composition import NO_CHANGE, Change, change, change_of, together
from ..privacy.guarantee import Guarantee
from ..space import Space
from ..text.mentions import Entity, plain_label
from ..ty import Mechanism, facts_of
from .parts import Parts, right_of

MOST = 10  # persons of a receipt
PLAINTEXT = Guarantee("none")


@dataclass(frozen=True, eq=False, repr=False)
class Treatment:
    """What is done to each token. drawn, plain: bool (tokens,), words that the mechanism draws, and
    words that stay. sentences: int64 (tokens,), numbers. stood: surrogates, or None."""

    drawn: Bools1d
    plain: Bools1d
    sentences: Ints1d
    stood: Replacements | None


@dataclass(frozen=True)
class PersonLoss:
    """The mentions of a person, how many of their words the mechanism draws, and the guarantees for
    another name in all of them: any name, and the nearest one of a name like most, if known."""

    mentions: int
    words: int
    change: Change
    near: Change | None


def persons_of(
    parts: Parts, doc: Doc, treatment: Treatment, spans: Sequence[Entity], space: Space
) -> list[PersonLoss]:
    """Return the persons of a document, those with the most mentions first.

    Args:
        parts: The settings, whose mechanism is fitted.
        doc: The document.
        treatment: What is done to its tokens.
        spans: The mentions of persons.
        space: Public words.
    """
    of_person: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (_, start, end) in zip(_numbers_of(parts, doc, spans), spans, strict=True):
        of_person[number].append((start, end))
    apart = parts.names_apart(space)
    nearest = facts_of(parts.mechanism).near_names[:1]
    guarantee = parts.mechanism.guarantee
    stood, found, surrogates = treatment.stood, [], parts.active_surrogates
    pieces = stood.pieces if stood is not None else ()
    piece_at = {i: k for k, piece in enumerate(pieces) for i in range(piece.start, piece.end)}
    for mentions in of_person.values():
        inside = np.concatenate([np.arange(*mention) for mention in mentions])
        drawn = inside[treatment.drawn[inside]]
        sizes = _sizes(parts, doc, drawn, treatment.sentences)
        others = [change(PLAINTEXT, [1.0])] if treatment.plain[inside].any() else []
        if stood is not None:
            touched = sorted({piece_at[i] for i in inside.tolist() if i in piece_at})
            others += _of_surrogates(surrogates, [stood.pairs[k][0].label for k in touched])
        losses = [
            together([change(guarantee, [size * unit for size in sizes]), *others])
            for unit in (apart, *nearest)
        ]
        near = losses[1] if nearest else None
        found.append(PersonLoss(len(mentions), sum(sizes), losses[0], near))
    return sorted(found, key=lambda person: -person.mentions)


def _numbers_of(parts: Parts, doc: Doc, spans: Sequence[Entity]) -> Sequence[int]:
    """The person of each mention, as surrogates of names group them. Where surrogates hide which
    mentions are of one person, each is one of its own."""
    for label, one in parts.active_surrogates.items():
        hidden = not {*LINKED["document"], *LINKED["corpus"]}.intersection(one.in_clear)
        if one.way == "drawn" and hidden and plain_label(label) == "PERSON":
            return range(len(spans))
    befores = (doc[start - 1].text if start else "" for _, start, _ in spans)
    forms = [form_of(doc[s:e].text, b) for (_, s, e), b in zip(spans, befores, strict=True)]
    return [person.number for person in persons(forms)]


def _sizes(parts: Parts, doc: Doc, drawn: Ints1d, sentences: Ints1d) -> list[int]:
    """How many of the drawn words are changed in each draw of the mechanism."""
    if parts.scope == "type":  # drawn once for each distinct word
        return [1] * len({doc[place].lower for place in drawn.tolist()})
    if not parts.draws_together:
        return [1] * len(drawn)
    return list(Counter(sentences[drawn].tolist()).values())


def _of_surrogates(surrogates: Mapping[str, Surrogate], labels: Sequence[str]) -> list[Change]:
    """The guarantees of the surrogates in place of mentions. A distance between names is known for
    pairs alike alone."""
    guarantees = [surrogates[label].guarantee for label in labels]
    return [change(g if g.kind == "approx-dp" else PLAINTEXT, [1.0]) for g in guarantees]


# -- in the receipt --------------------------------------------------------------------------------


def receipt_of(found: Sequence[PersonLoss], mechanism: Mechanism, apart: float) -> dict[str, Any]:
    """Return plain values for a receipt, None for infinity.

    count: of persons. apart: distance of a changed word. most: of those mentioned most, mentions
    and guarantee; near: the same for the nearest name of a name like most; right: how often an
    attacker names them at most, as in `odds`. largest: bounds for any of the persons.
    """
    rows = []
    for person in found[:MOST]:
        row: dict[str, Any] = {"mentions": person.mentions, **person.change.to_dict()}
        if person.near is not None:
            row["near"] = person.near.to_dict()
        bounded = person.words > 0 and math.isfinite(person.change.plain)
        if bounded and (right := right_of(mechanism, person.words)) is not None:
            row["right"] = right
        rows.append(row)
    return {
        "count": len(found),
        "apart": None if math.isinf(apart) else apart,
        "most": rows,
        "largest": largest_of([person.change for person in found]).to_dict(),
    }


def merged(one: Mapping[str, Any] | None, other: Mapping[str, Any]) -> dict[str, Any]:
    """Add the persons of two receipts of one pipeline, which are taken for different ones."""
    if one is None:
        return dict(other)
    rows = sorted([*one["most"], *other["most"]], key=lambda row: -row["mentions"])[:MOST]
    largest = largest_of([Change.of(one["largest"]), Change.of(other["largest"])])
    count = one["count"] + other["count"]
    return {**one, "count": count, "most": rows, "largest": largest.to_dict()}


def largest_in(receipt: Mapping[str, Any]) -> Change:
    """Return what bounds the loss of each person of a document, by its receipt."""
    persons = receipt.get("persons")
    return NO_CHANGE if persons is None else Change.of(persons["largest"])


class PersonBudget:
    """The losses of persons, added up over the records of each.

    Args:
        most: The largest epsilon of a person, nats; None for any.
    """

    def __init__(self, most: float | None) -> None:
        self.most = most
        self.spent: dict[Hashable, Change] = {}

    def charge(self, person: Hashable, receipts: Iterable[Mapping[str, Any]]) -> str:
        """Add the texts of a record; where that would be too much, add nothing, and return why."""
        total = together([self.spent.get(person, NO_CHANGE), *map(largest_in, receipts)])
        if self.most is not None and total.epsilon > self.most:
            return Errors.DX179.format(spent=total.epsilon, budget=self.most)
        self.spent[person] = total
        return ""

    def restore(self, spent: Mapping[str, Mapping[str, Any]]) -> None:
        """Take up what persons had spent at the end of an earlier file, by Change.to_dict."""
        for person, payload in spent.items():
            so_far = self.spent.get(person, NO_CHANGE)
            self.spent[person] = largest_of([so_far, Change.of(payload)])

    def to_dict(self) -> dict[str, Any]:
        """Return how many persons there are, and bounds for each of them, for JSON."""
        spent = [*self.spent.values()]
        return {"persons": len(spent), "largest": largest_of(spent or [NO_CHANGE]).to_dict()}


def largest_of(changes: Sequence[Change]) -> Change:
    """Return a guarantee that holds for each of these changes."""
    columns = ("rho", "plain", "plain_delta")
    return change_of(*(max(getattr(one, name) for one in changes) for name in columns))
