"""What a release says of each recognised person: the guarantee of all their mentions at once.

The distance of a mention is public: that of the two names of the space that are farthest apart, for
each of its words. The distance of the name itself would show the name in the receipt.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..arrays import Ints1d
from ..entities.surrogates.base import LINKED, Surrogate
from ..entities.surrogates.name_forms import form_of, persons
from ..errors import DxError, Errors
from ..privacy.composition import Loss
from ..privacy.guarantee import Guarantee
from ..text.mentions import Entity, plain_label
from .count import PERSONS_LISTED, Persons
from .draft import PLAIN, SELECTED, SURROGATE, Draft
from .select import Entities
from .selection import Run
from .settings import right_of

PLAINTEXT = Guarantee("none")


def check_persons(draft: Draft, run: Run) -> Draft:
    """Add up the losses of recognised persons. Raise DxError where one would exceed the budget, and
    with a budget where nobody looked for persons."""
    budget = run.settings.max_epsilon_per_person
    groups = list[Persons | None]()
    for i, doc in enumerate(draft.docs):
        spans = [span for span in draft.entities[i] or () if plain_label(span[0]) == "PERSON"]
        has_person = any(plain_label(entity.label_) == "PERSON" for entity in doc.ents)
        if not spans and (budget is not None or has_person):
            key = getattr(run.settings.selector, "spans_key", None)
            spans = Entities(["PERSON"], key).entities(doc)
        persons_of_doc = _persons_of(draft, i, run, spans) if spans else None
        groups.append(persons_of_doc)
        spent = 0.0 if persons_of_doc is None else persons_of_doc.largest.epsilon()
        if budget is not None and spent > budget:
            raise DxError(Errors.DX178.format(spent=spent, budget=budget))
    return replace(draft, persons=groups)


def _persons_of(draft: Draft, i: int, run: Run, spans: Sequence[Entity]) -> Persons:
    """Return the persons of document i, by their mentions, those with the most mentions first."""
    doc, part, mechanism = draft.docs[i], draft.parts[i], run.settings.mechanism
    kinds, sentences = np.full(len(doc), SURROGATE), np.zeros(len(doc), dtype=np.int64)
    stays, sources = draft.kinds[part] != SURROGATE, draft.sources[part]
    kinds[sources[stays]] = draft.kinds[part][stays]
    sentences[sources] = draft.sentences[part]
    pieces = dict[int, tuple[int, str]]()  # the surrogate of each token, and its label
    for number, item in enumerate(draft.replacements[i] or ()):
        if item.text is not None:
            pieces |= dict.fromkeys(range(item.start, item.end), (number, item.mention.label))
    distance, nearest = run.name_distances
    mentions_of: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for person, (_, start, end) in zip(_numbers_of(run, doc, spans), spans, strict=True):
        mentions_of[person].append((start, end))
    rows, largest = list[dict[str, Any]](), Loss()
    for mentions in mentions_of.values():
        tokens = np.concatenate([np.arange(*mention) for mention in mentions])
        sizes = _sizes(run, doc, tokens[kinds[tokens] == SELECTED], sentences)
        touched = {pieces[token] for token in tokens.tolist() if token in pieces}
        undrawn = _of_surrogates(run.surrogates, touched)
        if (kinds[tokens] == PLAIN).any():
            undrawn += Loss.of(PLAINTEXT, [1.0])
        changed = np.array(sizes, dtype=np.float64)
        loss = Loss.of(mechanism.guarantee, (changed * distance).tolist()) + undrawn
        row: dict[str, Any] = {"mentions": len(mentions), **loss.to_dict()}
        for unit in nearest:
            near = Loss.of(mechanism.guarantee, (changed * unit).tolist()) + undrawn
            row["near"] = near.to_dict()
        if sizes and math.isfinite(loss.plain):
            right = right_of(mechanism, sum(sizes))
            row |= {} if right is None else {"right": right}
        rows.append(row)
        largest = largest.cover(loss)
    rows.sort(key=itemgetter("mentions"), reverse=True)
    return Persons(len(rows), distance, tuple(rows[:PERSONS_LISTED]), largest)


def _numbers_of(run: Run, doc: Doc, spans: Sequence[Entity]) -> Sequence[int]:
    """Return the person of each mention, as surrogates of names group them.

    Where surrogates hide which mentions are of one person, each mention is a person.
    """
    for label, surrogate in run.surrogates.items():
        hidden = not {*LINKED["document"], *LINKED["corpus"]}.intersection(surrogate.in_clear)
        if surrogate.way == "drawn" and hidden and plain_label(label) == "PERSON":
            return range(len(spans))
    forms = []
    for _, start, end in spans:
        forms.append(form_of(doc[start:end].text, doc[start - 1].text if start else ""))
    return [person.number for person in persons(forms)]


def _sizes(run: Run, doc: Doc, drawn: Ints1d, sentences: Ints1d) -> list[int]:
    """Return how many of the drawn words are changed in each draw of the mechanism."""
    if run.settings.scope == "type":  # drawn once for each distinct word
        return [1] * len({doc[place].lower for place in drawn.tolist()})
    return list(Counter(sentences[drawn].tolist()).values()) if run.together else [1] * len(drawn)


def _of_surrogates(surrogates: Mapping[str, Surrogate], touched: set[tuple[int, str]]) -> Loss:
    """Return the loss of surrogates, given their numbers and labels.

    A distance between names is known for guarantees of all pairs alone ("approx-dp").
    """
    loss = Loss()
    for _, label in sorted(touched):
        guarantee = surrogates[label].guarantee
        loss += Loss.of(guarantee if guarantee.kind == "approx-dp" else PLAINTEXT, [1.0])
    return loss
