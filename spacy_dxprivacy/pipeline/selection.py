"""The stages of a draft before sampling: mentions become surrogates, words are selected to be
sampled, and the loss of each recognised person is summed.

The loss of a person is that of all mentions together. Each word of a mention counts as the largest
distance of two names of the space, which is public. The distance of the name itself would reveal
the name in the receipt.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..arrays import Bools1d, Ints1d
from ..errors import DxError, Errors
from ..privacy.guarantee import Guarantee
from ..privacy.loss import MAX_SENTENCE_WORDS, Loss
from ..space import Space
from ..space.blocked import blocked_words
from ..surrogates.base import LINKED_BY_SCOPE, Surrogate
from ..surrogates.name_forms import form_of, persons
from ..surrogates.replacements import Replacement, replace_mentions
from ..text.language import foreign_names
from ..text.mentions import Entity, plain_label, united
from ..ty import facts_of
from .count import PERSONS_LISTED, Persons
from .draft import Draft
from .kinds import TO_DRAW, WORDS_OF_SENTENCES, Kind, of_kind
from .select import Entities
from .settings import SanitizerSettings, max_name_distance, naming_rate

OnReplacements = Callable[[Doc, list[Replacement]], list[Replacement]]


@dataclass(eq=False, repr=False)
class StageContext:
    """What the stages of all batches share: the settings, whose mechanism is fitted on the space.

    latin: whether a word of another script is a name. on_replacements: called with each document
    and its surrogates, for the table of originals; it returns the surrogates to write.
    """

    settings: SanitizerSettings
    space: Space
    latin: bool = True
    on_replacements: OnReplacements | None = None

    @cached_property
    def surrogates(self) -> dict[str, Surrogate]:
        """The surrogates in use, by label."""
        return self.settings.active_surrogates

    @cached_property
    def blocked(self) -> frozenset[str]:
        """The words of the space that are never released."""
        return blocked_words(self.space) if self.settings.space.spares else frozenset()

    @cached_property
    def name_distances(self) -> tuple[float, tuple[float, ...]]:
        """The largest distance of two names, and the distance from a typical name to its nearest if
        it is known."""
        mechanism = self.settings.mechanism
        return max_name_distance(mechanism, self.space), tuple(facts_of(mechanism).near_names[:1])

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields for a worker: without the listener, and without what is computed."""
        kept = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**kept, "on_replacements": None}


def draw_surrogates(draft: Draft, context: StageContext) -> Draft:
    """Replace mentions by surrogates. No other stage changes the number of tokens."""
    settings, selector = context.settings, context.settings.selector
    if not settings.surrogates:
        return draft
    rest_is_plain = isinstance(selector, Entities)
    finder = selector if isinstance(selector, Entities) else Entities(list(context.surrogates))
    entities, replacements = [], []
    for doc in draft.docs:
        spans = finder.entities(doc)
        if context.latin:
            spans = _with_foreign_names(doc, spans, context.surrogates)
        items = replace_mentions(
            doc, context.surrogates, settings.rng, spans, rest_is_plain=rest_is_plain
        )
        if context.on_replacements is not None:
            items = context.on_replacements(doc, items)
        entities.append(spans)
        replacements.append(items)
    return replace(draft.expand(replacements), entities=entities)


def _with_foreign_names(doc: Doc, spans: list[Entity], labels: Collection[str]) -> list[Entity]:
    """Add runs of another script as persons, if persons have a surrogate."""
    runs = foreign_names(doc.text) if "PERSON" in map(plain_label, labels) else []
    if not runs:
        return spans
    names = (doc.char_span(*run, alignment_mode="expand") for run in runs)
    return united([*spans, *(Entity("PERSON", n.start, n.end) for n in names if n is not None)])


def select(draft: Draft, context: StageContext) -> Draft:
    """Select the words to sample, and the numbers among them."""
    kinds = draft.kinds.copy()
    rows = zip(draft.docs, draft.parts, draft.entities, draft.replacements, strict=True)
    for doc, part, entities, items in rows:
        selected, numbers = _selected(context.settings, doc, entities)
        for item in items or ():
            if item.way != "drawn":
                is_word = np.zeros(len(doc), dtype=bool)
                is_word[draft.sources[part][of_kind(kinds[part], Kind.PLAIN)]] = item.way == "words"
                selected[item.start : item.end] = is_word[item.start : item.end]
        sources, stays = draft.sources[part], ~of_kind(kinds[part], Kind.SURROGATE)
        kinds[part][stays & selected[sources]] = Kind.SELECTED
        kinds[part][stays & (selected & numbers)[sources]] = Kind.NUMBER
    draft = cut(draft, kinds)
    return draft if context.settings.scope == "token" else replace(draft, draws=_draw_once(draft))


def cut(draft: Draft, kinds: Ints1d) -> Draft:
    """Return a draft with these kinds, and sentences of at most LONGEST words."""
    # A selected punctuation mark counts as a word and ends no sentence.
    ends_none = of_kind(draft.kinds, Kind.SENTENCE_END) & of_kind(kinds, Kind.SELECTED)
    sentences = draft.sentences - np.cumsum(ends_none)
    places = np.flatnonzero(of_kind(kinds, WORDS_OF_SENTENCES))
    ordinals = np.arange(len(places))
    begins = np.diff(sentences[places], prepend=-1) > 0
    since = ordinals - np.maximum.accumulate(np.where(begins, ordinals, 0))
    sentences[places] = np.cumsum(since % MAX_SENTENCE_WORDS == 0)
    return replace(draft, kinds=kinds, sentences=sentences)


def _selected(
    settings: SanitizerSettings, doc: Doc, entities: Sequence[Entity] | None
) -> tuple[Bools1d, Bools1d]:
    """Return the selected tokens of an input document, and its numbers, bool (tokens,)."""
    selector, rule = settings.selector, settings.numbers
    if isinstance(selector, Entities) and entities is not None:
        selected = selector.words(doc, entities)  # without a second search for entities
    else:
        selected = np.array(selector.select(doc))
    if selected.shape != (len(doc),) or selected.dtype != np.bool_:
        given = f"{selected.dtype} of shape {selected.shape}"
        raise DxError(Errors.DX037.format(given=given))
    numbers = np.zeros(len(doc), dtype=bool) if rule is None else np.asarray(rule.find(doc))
    if numbers.shape != (len(doc),) or numbers.dtype != np.bool_:
        raise bad_return("The mechanism for numbers", numbers, len(doc), "one boolean a token")
    return selected, numbers


def _draw_once(draft: Draft) -> Ints1d:
    """Return for each token the first equal one of its document: words of one row are equal, and so
    are unknown words with the same letters."""
    draws, firsts = draft.draws.copy(), dict[Any, int]()
    for place in np.flatnonzero(of_kind(draft.kinds, TO_DRAW)).tolist():
        row, text = int(draft.rows[place]), str(draft.words[place])
        word = row if row >= 0 else text.lower()
        token = text if draft.kinds[place] == Kind.NUMBER else word
        key = int(draft.documents[place]), int(draft.kinds[place]), token
        draws[place] = firsts.setdefault(key, place)
    return draws


def bad_return(part: str, returned: Any, count: int, expected: str) -> DxError:
    """Return an error with shape and type only: values may be words of a document."""
    shape = f"{returned.dtype} of shape {returned.shape}"
    return DxError(Errors.DX038.format(part=part, given=shape, count=count, expected=expected))


# -- persons ---------------------------------------------------------------------------------------

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
    surrogate_at = dict[int, tuple[int, str]]()  # token -> number of its surrogate, label
    for number, item in enumerate(draft.replacements[i] or ()):
        if item.text is not None:
            surrogate_at |= dict.fromkeys(range(item.start, item.end), (number, item.mention.label))
    distance, nearest = context.name_distances
    mentions_of: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for person, (_, start, end) in zip(_numbers_of(context, doc, spans), spans, strict=True):
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


def _numbers_of(context: StageContext, doc: Doc, spans: Sequence[Entity]) -> Sequence[int]:
    """Return the number of the person of each mention, as name surrogates group them.

    If surrogates hide which mentions are of one person, each mention counts as a person.
    """
    for label, surrogate in context.surrogates.items():
        hidden = not {*LINKED_BY_SCOPE["document"], *LINKED_BY_SCOPE["corpus"]}.intersection(
            surrogate.in_clear
        )
        if surrogate.way == "drawn" and hidden and plain_label(label) == "PERSON":
            return range(len(spans))
    forms = []
    for _, start, end in spans:
        forms.append(form_of(doc[start:end].text, doc[start - 1].text if start else ""))
    return [person.number for person in persons(forms)]


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
