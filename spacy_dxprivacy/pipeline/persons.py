"""What a release says of each recognised person: the guarantee of all their mentions at once.

The distance of a mention is public: that of the two names of the space that are farthest apart, for
each of its words. The distance of the name itself would show the name in the receipt.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..arrays import Bools1d, Ints1d
from ..entities.surrogates.base import LINKED, Surrogate
from ..entities.surrogates.name_forms import form_of, persons
from ..entities.surrogates.replacements import Replacements
from ..privacy.composition import Loss
from ..privacy.guarantee import Guarantee
from ..space import Space
from ..text.mentions import Entity, plain_label
from ..ty import facts_of
from .count import PERSONS_LISTED, Persons
from .parts import Parts, right_of

PLAINTEXT = Guarantee("none")


@dataclass(frozen=True, eq=False, repr=False)
class Treatment:
    """What is done to each token. drawn, plain: bool (tokens,), words that the mechanism draws, and
    words that stay. sentences: int64 (tokens,), numbers. stood: surrogates, or None."""

    drawn: Bools1d
    plain: Bools1d
    sentences: Ints1d
    stood: Replacements | None


def persons_of(
    parts: Parts, doc: Doc, treatment: Treatment, spans: Sequence[Entity], space: Space
) -> Persons:
    """Return the persons of a document, those with the most mentions first.

    Args:
        parts: The settings, whose mechanism is fitted.
        doc: The document.
        treatment: What is done to its tokens.
        spans: The mentions of persons.
        space: Public words.
    """
    mentions_of: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (_, start, end) in zip(_numbers_of(parts, doc, spans), spans, strict=True):
        mentions_of[number].append((start, end))
    distance, mechanism = parts.names_apart(space), parts.mechanism
    nearest = facts_of(mechanism).near_names[:1]
    pieces, rows, largest = _pieces_at(treatment.stood), list[dict[str, Any]](), Loss()
    for mentions in mentions_of.values():
        tokens = np.concatenate([np.arange(*mention) for mention in mentions])
        sizes = _sizes(parts, doc, tokens[treatment.drawn[tokens]], treatment.sentences)
        plaintext = Loss.of(PLAINTEXT, [1.0] * bool(treatment.plain[tokens].any()))
        touched = sorted({pieces[token] for token in tokens.tolist() if token in pieces})
        undrawn = plaintext + _of_surrogates(
            parts.active_surrogates, [label for _, label in touched]
        )
        loss, *nearest_loss = (
            Loss.of(mechanism.guarantee, [size * unit for size in sizes]) + undrawn
            for unit in (distance, *nearest)
        )
        row: dict[str, Any] = {"mentions": len(mentions), **loss.to_dict()}
        if nearest_loss:
            row["near"] = nearest_loss[0].to_dict()
        if sizes and math.isfinite(loss.plain):
            right = right_of(mechanism, sum(sizes))
            row |= {} if right is None else {"right": right}
        rows.append(row)
        largest = largest.cover(loss)
    rows.sort(key=lambda row: -row["mentions"])
    return Persons(len(rows), distance, tuple(rows[:PERSONS_LISTED]), largest)


def _numbers_of(parts: Parts, doc: Doc, spans: Sequence[Entity]) -> Sequence[int]:
    """Return the person of each mention, as surrogates of names group them.

    Where surrogates hide which mentions are of one person, each mention is a person.
    """
    for label, surrogate in parts.active_surrogates.items():
        hidden = not {*LINKED["document"], *LINKED["corpus"]}.intersection(surrogate.in_clear)
        if surrogate.way == "drawn" and hidden and plain_label(label) == "PERSON":
            return range(len(spans))
    befores = (doc[start - 1].text if start else "" for _, start, _ in spans)
    forms = [form_of(doc[s:e].text, b) for (_, s, e), b in zip(spans, befores, strict=True)]
    return [person.number for person in persons(forms)]


def _sizes(parts: Parts, doc: Doc, drawn: Ints1d, sentences: Ints1d) -> list[int]:
    """Return how many of the drawn words are changed in each draw of the mechanism."""
    if parts.scope == "type":  # drawn once for each distinct word
        return [1] * len({doc[place].lower for place in drawn.tolist()})
    if not parts.draws_together:
        return [1] * len(drawn)
    return list(Counter(sentences[drawn].tolist()).values())


def _pieces_at(stood: Replacements | None) -> dict[int, tuple[int, str]]:
    """Return the number and the label of the surrogate in place of each token that has one."""
    if stood is None:
        return {}
    pieces = enumerate(zip(stood.pieces, stood.pairs, strict=True))
    return {
        token: (number, mention.label)
        for number, (piece, (mention, _)) in pieces
        for token in range(piece.start, piece.end)
    }


def _of_surrogates(surrogates: Mapping[str, Surrogate], labels: Iterable[str]) -> Loss:
    """Return the loss of surrogates with these labels.

    A distance between names is known for guarantees of all pairs alone ("approx-dp").
    """
    guarantees = [surrogates[label].guarantee for label in labels]
    losses = (Loss.of(g if g.kind == "approx-dp" else PLAINTEXT, [1.0]) for g in guarantees)
    return sum(losses, Loss())
