"""Finds the mentions of a document, draws their surrogates and checks them. An output that breaks
the protocol of surrogates raises, so that no original is released in its place."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import numpy as np
import spacy
from spacy.attrs import IS_SPACE
from spacy.language import Language
from spacy.tokens import Doc

from ..arrays import Bools1d
from ..entities.foreign import addresses_in
from ..entities.phrases import addresses
from ..errors import DxError, Errors, PartCall
from ..privacy.randomness import Rng
from ..text.language import base_language, language_of_doc
from ..text.lines import unwrap
from ..text.mentions import Entity, plain_label, unite
from ..text.tokens import Tokens
from ..text.users import identity, is_nobody
from .base import Draws, Mention, Surrogate, is_same
from .name_forms import is_particle

ONE_LINE = ("DATE", "ADDRESS", "EMAIL")
MIN_PROBABILITY = 1e-12  # unchanged originals with a lower probability than this raise
LEAD_WORDS, TAIL_WORDS = 6, 40  # words before and after a mention that a surrogate sees
MAX_VOCABULARY = 2**14  # largest vocabulary of the tokenizer of surrogates
# Keys in the user data of the input's Doc: its user, the caller of the service who sent it, and the
# order of day and month in earlier texts.
USER, CALLER, ORDER = "dx_user", "dx_caller", "dx_order"


@dataclass(frozen=True)
class Replacement:
    """A mention at the tokens from start up to, but not including, end, and its surrogate.

    text: None if the mention stays ("kept") or the mechanism samples its words ("words").
    order: of a date, the order of day and month in which numeric dates of the document were read;
    "" if it has none. person: of a name, the number of its person, if a surrogate read it.
    """

    mention: Mention
    start: int
    end: int
    text: str | None = field(repr=False)
    way: str
    order: str = ""
    person: int | None = None


def replace_mentions(
    doc: Doc,
    surrogates: Mapping[str, Surrogate],
    rng: Rng,
    entities: Sequence[Entity] | None = None,
    *,
    rest_is_plain: bool = False,
) -> list[Replacement]:
    """Draw surrogates for all mentions of a document, in order.

    Args:
        doc: The document.
        surrogates: Surrogates by label.
        rng: Source of randomness.
        entities: Entities of a selector, which replace doc.ents.
        rest_is_plain: Whether all words outside of entities are released in plaintext.

    Raises:
        DxError: A surrogate does not return a text for each mention, or it returns originals.
    """
    spans = find(doc, surrogates, entities)
    mentions = _mentions_of(doc, spans)
    user, caller = doc.user_data.get(USER), str(doc.user_data.get(CALLER, ""))
    language, base = language_of_doc(doc), base_language(doc.vocab.lang)
    draws = Draws(
        rng,
        "" if is_nobody(user) else identity(user),
        caller=caller,
        plain=_words_outside(doc, [*spans, *(entities or ())]) if rest_is_plain else frozenset(),
        language=language,
        base=base,
        order=str(doc.user_data.get(ORDER, "")),
    )
    # Mentions with equal surrogates are drawn together.
    groups: dict[Hashable, list[int]] = {}
    for i, mention in enumerate(mentions):
        surrogate = surrogates[mention.label]
        key = surrogate if isinstance(surrogate, Hashable) else id(surrogate)
        groups.setdefault(key, []).append(i)
    texts: dict[int, str | None] = {}
    # Persons are drawn first, since mail addresses are made of their names.
    is_person = [plain_label(mention.label) == "PERSON" for mention in mentions]
    for group in sorted(groups.values(), key=lambda group: not any(is_person[i] for i in group)):
        surrogate = surrogates[mentions[group[0]].label]
        group_texts = _draw_checked(surrogate, [mentions[i] for i in group], draws)
        texts |= zip(group, group_texts, strict=True)
    replacements = []
    for i, (mention, (label, start, end)) in enumerate(zip(mentions, spans, strict=True)):
        way = "words" if surrogates[label].way == "words" else "kept"
        way = way if texts[i] is None else "drawn"
        order = draws.read_order if plain_label(label) == "DATE" else ""
        person = draws.persons.get(mention)
        replacements.append(Replacement(mention, start, end, texts[i], way, order, person))
    return replacements


def _mentions_of(doc: Doc, spans: Sequence[Entity]) -> list[Mention]:
    tokens = Tokens(doc)
    text_of, words = tokens.between, tokens.texts
    mentions, stop = list[Mention](), len(doc)
    for label, start, end in reversed(spans):
        before, lead = words[start - 1] if start else "", text_of(start - LEAD_WORDS, start)
        tail = text_of(end, min(end + TAIL_WORDS, stop))
        text = text_of(start, end)
        text = doc[start:end].text if "\n" in text else text  # with its own ends of lines
        text = unwrap(text) if _is_wrapped(plain_label(label), text) else text
        mentions.append(Mention(text, label, before, lead, tail))
        stop = start if plain_label(label) == "PERSON" else stop
    return mentions[::-1]


def _is_wrapped(label: str, text: str) -> bool:
    """Return whether a mention becomes one line: surrogates of codes keep all signs between digits
    and letters, and those of addresses keep lines of whole parts (12 Main Street / Boston)."""
    first = text.partition("\n")[0]
    if label != "ADDRESS" or first == text:
        return label in ONE_LINE
    found = (*addresses(first), *((start, end) for _, start, end in addresses_in(first)))
    return not any(end == len(first.rstrip(" ,\r")) for _, end in found)


def find(
    doc: Doc, labels: Collection[str], entities: Sequence[Entity] | None = None
) -> list[Entity]:
    """Return the mentions with these labels from doc.ents, or from entities, which have plain
    labels. Raise DxError if no recogniser ran on the document."""
    if entities is None:
        if len(doc) and not doc.has_annotation("ENT_IOB"):
            raise DxError(Errors.DX030)
        spans = [Entity(e.label_, e.start, e.end) for e in doc.ents if e.label_ in labels]
    else:
        # The label of the recogniser is preferred, then an equivalent one.
        recognised = {(plain_label(e.label_), e.start, e.end): e.label_ for e in doc.ents}
        spans = []
        for plain, start, end in entities:
            names = (recognised.get((plain, start, end), plain), plain)
            alike = (label for label in labels if plain_label(label) == plain)
            label = next((name for name in names if name in labels), None) or next(alike, None)
            if label is not None:
                spans.append(Entity(label, start, end))
    if not spans:
        return []
    return _join_particles(
        doc, merge_overlaps(spans, np.asarray(doc.to_array(IS_SPACE), dtype=bool))
    )


def _join_particles(doc: Doc, spans: list[Entity]) -> list[Entity]:
    """Join a particle ("van") that a recogniser separated from the name after it."""
    joined: list[Entity] = []
    for span in spans:
        if joined and joined[-1].label == span.label and joined[-1].end == span.start:
            label, first, last = joined[-1]
            if plain_label(label) == "PERSON" and is_particle(doc[first:last].text):
                joined[-1] = Entity(label, first, span.end)
                continue
        joined.append(span)
    return joined


def merge_overlaps(spans: Sequence[Entity], blank: Bools1d) -> list[Entity]:
    """Return spans without overlaps. Spans that overlap or nest become one, with the label of the
    longest; empty spans and white space at the ends are dropped. blank: white space, bool (t,)."""
    trimmed = []
    for label, start, end in unite([span for span in spans if span.end > span.start]):
        inside = np.flatnonzero(~blank[start:end])
        if len(inside):
            trimmed.append(Entity(label, start + int(inside[0]), start + int(inside[-1]) + 1))
    return trimmed


def _words_outside(doc: Doc, entities: Sequence[Entity]) -> frozenset[str]:
    """Return the words outside of all entities, as written and with an initial capital."""
    spans = [(e.start, e.end) for e in doc.ents] + [(start, end) for _, start, end in entities]
    inside = {i for start, end in spans for i in range(start, end)}
    words = {token.text for token in doc if token.is_alpha and token.i not in inside}
    return frozenset(words | {word.title() for word in words})


def _draw_checked(
    surrogate: Surrogate, mentions: Sequence[Mention], draws: Draws
) -> list[str | None]:
    """Draw texts. Raise DxError if one is missing, or if more originals occur than by chance."""
    with PartCall("surrogate", "Surrogate.replace", surrogate, reads_text=True):
        drawn = surrogate.replace(mentions, draws)
    right = isinstance(drawn, list) and len(drawn) == len(mentions)
    if not right or not all(t is None or (isinstance(t, str) and t.strip()) for t in drawn):
        raise DxError(Errors.DX113.format(name=surrogate.name, count=len(mentions)))
    pairs = zip(mentions, drawn, strict=True)
    same = {m.text for m, text in pairs if text is not None and is_same(m.text, text)}
    if same and surrogate.chance ** len(same) < MIN_PROBABILITY:
        raise DxError(Errors.DX114.format(name=surrogate.name, count=len(same)))
    return drawn


def words_of_surrogate(text: str, lang: str) -> tuple[list[str], list[bool]]:
    """Return words, and whether a space follows each. The tokenizer has a separate vocabulary that
    has seen no original; both are rebuilt when the vocabulary is full."""
    if len(_blank(lang).vocab) > MAX_VOCABULARY:
        _blank.cache_clear()
    lines = (" ".join(line.split()) for line in text.strip().split("\n"))
    doc = _blank(lang).make_doc("\n".join(lines))
    return [token.text for token in doc], [bool(token.whitespace_) for token in doc]


@lru_cache(maxsize=4)
def _blank(lang: str) -> Language:
    return spacy.blank(lang)


class NumberDraw(Surrogate, Protocol):
    """A surrogate that finds the tokens to replace, by a public pattern."""

    def find(self, doc: Doc) -> Bools1d:
        """Return a mask of the tokens, bool, shape (n_tokens,)."""
        ...
