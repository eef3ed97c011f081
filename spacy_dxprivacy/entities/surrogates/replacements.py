"""Surrogates for the mentions and the numbers of one document: found, drawn, checked. An output
that breaks the protocol of surrogates raises, so no original is released in its place."""

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

from ...arrays import Bools1d
from ...errors import DxError, Errors
from ...privacy.randomness import Rng
from ...text.language import base_language, language_of_doc
from ...text.layout import Piece
from ...text.mentions import Entity, plain_label, united
from ...text.users import identity, is_nobody
from .base import Draws, Mention, Surrogate, is_same
from .name_forms import is_particle

UNLIKELY = 1e-12  # originals that come out as they were, by chance alone
TAIL = 12  # words after a mention that a surrogate sees
MOST_WORDS = 2**14  # of the vocabulary that surrogates are tokenized with
# In the user data of the input's Doc: whose it is, and which caller of the service sent it.
USER, CALLER = "dx_user", "dx_caller"


@dataclass(frozen=True)
class Replacements:
    """The surrogates of one document of n tokens. replaced, kept, words: bool (n,), tokens of
    mentions that are replaced, that stay, and that the mechanism draws. counts: of mentions, by
    label. pairs: originals and surrogates, for the holder of the originals alone."""

    pieces: list[Piece]
    replaced: Bools1d
    kept: Bools1d
    words: Bools1d
    counts: dict[str, dict[str, int]]
    pairs: list[tuple[Mention, str]] = field(default_factory=list, repr=False)


def replace_mentions(
    doc: Doc,
    surrogates: Mapping[str, Surrogate],
    rng: Rng,
    entities: Sequence[Entity] | None = None,
    *,
    rest_is_plain: bool = False,
) -> Replacements:
    """Draw surrogates for all mentions of a document.

    Args:
        doc: The document.
        surrogates: By label.
        rng: Source of randomness.
        entities: What a selector found, in place of doc.ents.
        rest_is_plain: Whether all words outside of entities are released unmodified.

    Raises:
        DxError: A surrogate returns something else than a text for each mention, or originals.
    """
    found = find(doc, surrogates, entities)
    user, caller = doc.user_data.get(USER), str(doc.user_data.get(CALLER, ""))
    user = "" if is_nobody(user) else identity(user)
    plain = _outside(doc, [*found, *(entities or ())]) if rest_is_plain else frozenset[str]()
    draws = Draws(rng, user, caller=caller, plain=plain)
    draws.language, draws.base = language_of_doc(doc), base_language(doc.vocab.lang)
    words, spaced = [token.text for token in doc], [token.text_with_ws for token in doc]

    def text_of(start: int, end: int) -> str:
        return "".join(spaced[start : end - 1]) + words[end - 1] if end > start else ""

    # Mentions of equal surrogates are drawn together.
    groups: dict[Hashable, list[int]] = {}
    mentions = []
    for i, (label, start, end) in enumerate(found):
        one = surrogates[label]
        groups.setdefault(one if isinstance(one, Hashable) else id(one), []).append(i)
        before = words[start - 1] if start else ""
        lead = text_of(max(start - 4, 0), start)
        stop = found[i + 1][1] if i + 1 < len(found) else len(doc)
        tail = text_of(end, min(end + TAIL, stop))
        mentions.append(Mention(text_of(start, end), label, before, lead, tail))
    texts: dict[int, str | None] = {}
    # Persons first: mail addresses are made of their names.
    drawers = [(surrogates[found[group[0]][0]], group) for group in groups.values()]
    for one, group in sorted(drawers, key=lambda pair: not pair[0].name.startswith("dx.Name.")):
        drawn_texts = _checked(one, [mentions[i] for i in group], draws)
        texts |= zip(group, drawn_texts, strict=True)
    masks = {way: np.zeros(len(doc), dtype=bool) for way in ("drawn", "kept", "words")}
    counts: dict[str, dict[str, int]] = {}
    drawn = []
    for i, (label, start, end) in enumerate(found):
        text, way = texts[i], "words" if surrogates[label].way == "words" else "kept"
        if text is not None:
            way = "drawn"
            drawn.append((start, end, mentions[i], text))
        masks[way][start:end] = True
        of_label = counts.setdefault(label, {"found": 0, "replaced": 0, "kept": 0})
        of_label["found"] += 1
        of_label["kept" if way == "kept" else "replaced"] += 1
    lang = doc.vocab.lang or "xx"
    written = {text: _tokenized(text, lang) for text in {text for *_, text in drawn}}
    pieces = [
        Piece(start, end, list(written[text][0]), list(written[text][1]))
        for start, end, _, text in drawn
    ]
    pairs = [(mention, text) for *_, mention, text in drawn]
    return Replacements(pieces, masks["drawn"], masks["kept"], masks["words"], counts, pairs)


def find(
    doc: Doc, labels: Collection[str], entities: Sequence[Entity] | None = None
) -> list[Entity]:
    """Return the mentions with these labels: of doc.ents, or of entities, whose labels are plain
    ones. Raises DxError for a document that no recogniser read."""
    if entities is None:
        if len(doc) and not doc.has_annotation("ENT_IOB"):
            raise DxError(Errors.DX030)
        found = [(e.label_, e.start, e.end) for e in doc.ents if e.label_ in labels]
    else:
        # As the recogniser calls it, or else as others do.
        own = {(e.start, e.end): e.label_ for e in doc.ents}
        found = []
        for plain, start, end in entities:
            names = (own.get((start, end), plain), plain)
            alike = (label for label in labels if plain_label(label) == plain)
            label = next((name for name in names if name in labels), None) or next(alike, None)
            if label is not None:
                found.append((label, start, end))
    if not found:
        return []
    return _with_particles(doc, apart(found, np.asarray(doc.to_array(IS_SPACE), dtype=bool)))


def _with_particles(doc: Doc, found: list[Entity]) -> list[Entity]:
    """Join a particle that a recogniser cut off ("van") with the name after it."""
    joined: list[Entity] = []
    for label, start, end in found:
        if joined and joined[-1][0] == label and joined[-1][2] == start:
            _, first, last = joined[-1]
            if plain_label(label) == "PERSON" and is_particle(doc[first:last].text):
                joined[-1] = label, first, end
                continue
        joined.append((label, start, end))
    return joined


def apart(found: Sequence[Entity], blank: Bools1d) -> list[Entity]:
    """Return spans that touch no other. Those that overlap or nest become one, with the label of
    the longest; white space at their ends and empty spans are left out. blank: bool (tokens,)."""
    spans = []
    for label, start, end in united([one for one in found if one[2] > one[1]]):
        inside = np.flatnonzero(~blank[start:end])
        if len(inside):
            spans.append((label, start + int(inside[0]), start + int(inside[-1]) + 1))
    return spans


def _outside(doc: Doc, found: Sequence[Entity]) -> frozenset[str]:
    """Return the words outside of all entities, as they are written and with a capital."""
    spans = [(one.start, one.end) for one in doc.ents] + [(start, end) for _, start, end in found]
    inside = {i for start, end in spans for i in range(start, end)}
    words = {token.text for token in doc if token.is_alpha and token.i not in inside}
    return frozenset(words | {word.title() for word in words})


def _checked(surrogate: Surrogate, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
    """Draw texts; raise unless there is one for each mention, and no original beyond chance."""
    drawn = surrogate.replace(mentions, draws)
    right = isinstance(drawn, list) and len(drawn) == len(mentions)
    if not right or not all(t is None or (isinstance(t, str) and t.strip()) for t in drawn):
        raise DxError(Errors.DX113.format(name=surrogate.name, count=len(mentions)))
    pairs = zip(mentions, drawn, strict=True)
    same = {m.text for m, text in pairs if text is not None and is_same(m.text, text)}
    if same and surrogate.chance ** len(same) < UNLIKELY:
        raise DxError(Errors.DX114.format(name=surrogate.name, count=len(same)))
    return drawn


def _tokenized(text: str, lang: str) -> tuple[list[str], list[bool]]:
    """Return words, and whether a blank follows each. The tokenizer has a vocabulary of its own,
    which met no original, and is made anew when it is full."""
    if len(_blank(lang).vocab) > MOST_WORDS:
        _blank.cache_clear()
    lines = (" ".join(line.split()) for line in text.strip().split("\n"))
    doc = _blank(lang).make_doc("\n".join(lines))
    return [token.text for token in doc], [bool(token.whitespace_) for token in doc]


@lru_cache(maxsize=4)
def _blank(lang: str) -> Language:
    return spacy.blank(lang)


class NumberDraw(Surrogate, Protocol):
    """A surrogate that finds the tokens that it takes, by a public pattern."""

    def find(self, doc: Doc) -> Bools1d:
        """Return a mask of the tokens, bool, shape (n_tokens,)."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Figures:
    """The m numbers of one document. words: m strings in their place. draws: how many draws were
    made."""

    words: list[str]
    draws: int


def find_figures(doc: Doc, selected: Bools1d, numbers: NumberDraw) -> Bools1d:
    """Return a mask of the selected tokens that are numbers, bool, shape (n_tokens,)."""
    found = np.asarray(numbers.find(doc))
    if found.shape != (len(doc),) or found.dtype != np.bool_:
        given = f"{found.dtype} of shape {found.shape}"
        raise _bad(given, len(doc), "one boolean a token")
    return found & selected


def draw_figures(
    doc: Doc, mask: Bools1d, numbers: NumberDraw, rng: Rng, *, once_per_type: bool
) -> Figures:
    """Draw once for each token of the mask, or with once_per_type for each different text."""
    texts = [doc[place].text for place in np.flatnonzero(mask).tolist()]
    if not texts:
        return Figures([], 0)
    keys = list(dict.fromkeys(texts)) if once_per_type else texts
    drawn = numbers.replace([Mention(text, "NUMBER") for text in keys], Draws(rng))
    words = [text for text in drawn if isinstance(text, str) and text]
    if not isinstance(drawn, list) or not len(words) == len(drawn) == len(keys):
        raise _bad("something else", len(keys), "a list of as many texts")
    of = dict(zip(keys, words, strict=True))
    return Figures([of[text] for text in texts] if once_per_type else words, len(keys))


def _bad(given: str, count: int, expected: str) -> DxError:
    part = "The mechanism for numbers"
    return DxError(Errors.DX038.format(part=part, given=given, count=count, expected=expected))
