"""The privacy loss of each recognised person of a document, summed before sampling.

The loss of a person is that of all mentions together. Each word of a mention counts as the largest
distance of two names of the space, which is public. The distance of the name itself would reveal
the name in the receipt.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..arrays import Ints1d
from ..errors import DxError, Errors
from ..privacy.guarantee import Guarantee
from ..privacy.loss import Loss
from ..surrogates.base import LINKED_BY_SCOPE, Surrogate
from ..surrogates.name_forms import form_of, persons
from ..surrogates.replacements import Replacement
from ..surrogates.unified_names import unify
from ..text.mentions import Entity, plain_label
from .context import StageContext
from .count import PERSONS_LISTED, Persons
from .draft import Draft
from .kinds import Kind, of_kind
from .name_distances import naming_rate
from .selectors import Entities

PLAINTEXT = Guarantee("none")


def check_persons(draft: Draft, context: StageContext) -> Draft:
    """Sum the losses of each recognised person. Raise DxError if one exceeds the budget, or if
    there is a budget but no recogniser ran."""
    budget = context.settings.max_epsilon_per_person
    groups = list[Persons | None]()
    for i, doc in enumerate(draft.docs):
        spans = [span for span in draft.entities[i] or () if plain_label(span.label) == "PERSON"]
        has_person = any(plain_label(entity.label_) == "PERSON" for entity in doc.ents)
        if not spans and (budget is not None or has_person):
            key = getattr(context.settings.selector, "spans_key", None)
            spans = Entities(["PERSON"], key).entities(doc)
        persons_of_doc = _persons_of(draft, i, context, spans) if spans else None
        groups.append(persons_of_doc)
        spent = 0.0 if persons_of_doc is None else persons_of_doc.largest.epsilon()
        if budget is not None and spent > budget:
            raise DxError(Errors.DX178.format(spent=spent, budget=budget))
    return replace(draft, persons=groups)


def _persons_of(draft: Draft, i: int, context: StageContext, spans: Sequence[Entity]) -> Persons:
    """Return the persons of document i; those with most mentions are listed first."""
    doc, part, mechanism = draft.docs[i], draft.parts[i], context.settings.mechanism
    kinds, sentences = np.full(len(doc), Kind.SURROGATE), np.zeros(len(doc), dtype=np.int64)
    stays, sources = ~of_kind(draft.kinds[part], Kind.SURROGATE), draft.sources[part]
    kinds[sources[stays]] = draft.kinds[part][stays]
    sentences[sources] = draft.sentences[part]
    items = draft.replacements[i] or ()
    surrogate_at = dict[int, tuple[int, str]]()  # token -> number of its surrogate, label
    for number, item in enumerate(items):
        if item.text is not None:
            surrogate_at |= dict.fromkeys(range(item.start, item.end), (number, item.mention.label))
    distance, nearest = context.name_distances
    mentions_of: dict[Hashable, list[tuple[int, int]]] = defaultdict(list)
    for person, (_, start, end) in zip(_numbers_of(context, doc, spans, items), spans, strict=True):
        mentions_of[person].append((start, end))
    rows, largest = list[dict[str, Any]](), Loss()
    for mentions in mentions_of.values():
        tokens = np.concatenate([np.arange(*mention) for mention in mentions])
        sizes = _sizes(context, doc, tokens[of_kind(kinds[tokens], Kind.SELECTED)], sentences)
        used = {surrogate_at[token] for token in tokens.tolist() if token in surrogate_at}
        unsampled = _surrogate_loss(context.surrogates, used)
        if of_kind(kinds[tokens], Kind.PLAIN).any():
            unsampled += Loss.of(PLAINTEXT, [1.0])
        changed = np.array(sizes, dtype=np.float64)
        loss = Loss.of(mechanism.guarantee, (changed * distance).tolist()) + unsampled
        row: dict[str, Any] = {"mentions": len(mentions), **loss.to_dict()}
        for unit in nearest:
            nearest_loss = Loss.of(mechanism.guarantee, (changed * unit).tolist()) + unsampled
            row["near"] = nearest_loss.to_dict()
        if sizes and math.isfinite(loss.plain):
            right = naming_rate(mechanism, sum(sizes))
            row |= {} if right is None else {"right": right}
        rows.append(row)
        largest = largest.cover(loss)
    rows.sort(key=itemgetter("mentions"), reverse=True)
    return Persons(len(rows), distance, tuple(rows[:PERSONS_LISTED]), largest)


def _numbers_of(
    context: StageContext, doc: Doc, spans: Sequence[Entity], items: Sequence[Replacement]
) -> Sequence[Hashable]:
    """Return the number of the person of each mention, as name surrogates group them.

    If surrogates hide which mentions are of one person, each mention counts as a person.
    """
    for label, surrogate in context.surrogates.items():
        hidden = not {*LINKED_BY_SCOPE["document"], *LINKED_BY_SCOPE["corpus"]}.intersection(
            surrogate.in_clear
        )
        if surrogate.way == "drawn" and hidden and plain_label(label) == "PERSON":
            return range(len(spans))
    read = {(item.start, item.end): item.person for item in items if item.person is not None}
    if read:  # what is no name, such as a user name, is of a person of its own
        return [read.get((start, end), doc[start:end].text) for _, start, end in spans]
    forms = []
    for _, start, end in spans:
        forms.append(form_of(doc[start:end].text, doc[start - 1].text if start else ""))
    return [person.number for person in persons(unify(forms))]


def _sizes(context: StageContext, doc: Doc, drawn: Ints1d, sentences: Ints1d) -> list[int]:
    """Return the number of these words in each draw of the mechanism."""
    if context.settings.scope == "type":  # one draw for each distinct word
        return [1] * len({doc[place].lower for place in drawn.tolist()})
    if context.settings.draws_together:
        return list(Counter(sentences[drawn].tolist()).values())
    return [1] * len(drawn)


def _surrogate_loss(surrogates: Mapping[str, Surrogate], used: set[tuple[int, str]]) -> Loss:
    """Return the loss of surrogates, given their numbers and labels.

    The distance of two names is known only for guarantees of all pairs ("approx-dp").
    """
    loss = Loss()
    for _, label in sorted(used):
        guarantee = surrogates[label].guarantee
        loss += Loss.of(guarantee if guarantee.kind == "approx-dp" else PLAINTEXT, [1.0])
    return loss
