"""What stands for the mentions of one document: found, drawn, checked. Fails closed."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import spacy
from spacy.attrs import IS_SPACE
from spacy.language import Language
from spacy.tokens import Doc

from ..arrays import Bools1d
from ..errors import DxError, Errors
from ..randomness import Rng
from ..text.layout import Piece
from ..text.mentions import Entity, plain_label
from .base import Mention, Surrogate, is_same
from .streams import Draws

UNLIKELY = 1e-12  # originals that come out as they were, by chance alone
MOST_WORDS = 2**14  # of the vocabulary that stand-ins are cut with
# In the user data of the input's Doc: whose it is, and which caller of the service sent it.
USER, CALLER = "dx_user", "dx_caller"


@dataclass(frozen=True)
class Found:
    """Tokens start to end, without end, that a recogniser gave a label."""

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class StandIns:
    """Those of one document of n tokens. replaced, kept, words: bool (n,), tokens of mentions that
    are replaced, that stay, and that the mechanism draws. counts: of mentions, by label. pairs: the
    originals and what stands for them; no one but the holder of the originals may see them."""

    pieces: list[Piece]
    replaced: Bools1d
    kept: Bools1d
    words: Bools1d
    counts: dict[str, dict[str, int]]
    pairs: list[tuple[Mention, str]] = field(default_factory=list, repr=False)


def find(
    doc: Doc, labels: Collection[str], entities: Sequence[Entity] | None = None
) -> list[Found]:
    """The mentions with these labels: of doc.ents, or of entities, whose labels are plain ones.
    Raises DxError for a document that no recogniser read."""
    if entities is None:
        if len(doc) and not doc.has_annotation("ENT_IOB"):
            raise DxError(Errors.DX030)
        found = [Found(e.start, e.end, e.label_) for e in doc.ents if e.label_ in labels]
    else:
        own = {(e.start, e.end): e.label_ for e in doc.ents}
        known = [(_label(own.get((i, j), plain), plain, labels), i, j) for plain, i, j in entities]
        found = [Found(i, j, label) for label, i, j in known if label is not None]
    return apart(found, np.asarray(doc.to_array(IS_SPACE), dtype=bool)) if found else []


def _label(own: str, plain: str, labels: Collection[str]) -> str | None:
    """What a mention is called among the labels: as its recogniser does, or else as others do."""
    if own in labels:
        return own
    return plain if plain in labels else next((x for x in labels if plain_label(x) == plain), None)


def apart(found: Sequence[Found], blank: Bools1d) -> list[Found]:
    """Spans that touch no other: those that overlap or nest become one, with the label of the
    longest. White space at their ends is no part of them; what is empty is left out. blank: bool
    (tokens,)."""
    merged: list[tuple[Found, Found]] = []
    for span in sorted(found, key=lambda f: (f.start, -f.end)):
        if merged and span.start < merged[-1][0].end and span.end > span.start:
            whole, longest = merged[-1]
            longest = max(longest, span, key=lambda f: f.end - f.start)
            end = max(whole.end, span.end)
            merged[-1] = Found(whole.start, end, longest.label), longest
        elif span.end > span.start:
            merged.append((span, span))
    return [f for f in (_bare(whole, blank) for whole, _ in merged) if f.end > f.start]


def _bare(span: Found, blank: Bools1d) -> Found:
    inside = np.flatnonzero(~blank[span.start : span.end])
    if not len(inside):
        return Found(span.start, span.start, span.label)
    return Found(span.start + int(inside[0]), span.start + int(inside[-1]) + 1, span.label)


def stand_in(
    doc: Doc,
    surrogates: Mapping[str, Surrogate],
    rng: Rng,
    entities: Sequence[Entity] | None = None,
    *,
    rest_is_plain: bool = False,
) -> StandIns:
    """Draws for all mentions of a document. entities: what a selector found. rest_is_plain: all
    words outside of entities are released unmodified. Raises DxError where a stand-in gives
    something else than a text for each, or gives the originals back."""
    found = find(doc, surrogates, entities)
    user, caller = (str(doc.user_data.get(name, "")) for name in (USER, CALLER))
    plain = _outside(doc, found, entities or ()) if rest_is_plain else frozenset[str]()
    draws = Draws(rng, user, caller=caller, plain=plain)
    texts: list[str | None] = [None] * len(found)
    mentions = [_mention(doc, span) for span in found]
    for group in _groups(found, surrogates):
        surrogate = surrogates[found[group[0]].label]
        some = [mentions[i] for i in group]
        for i, text in zip(group, checked(surrogate, some, draws), strict=True):
            texts[i] = text
    return _told(doc, found, mentions, texts, surrogates)


def _outside(doc: Doc, found: Sequence[Found], entities: Sequence[Entity]) -> frozenset[str]:
    """The words outside of all entities, as they are written and with a capital."""
    spans = [(one.start, one.end) for one in found] + [(one.start, one.end) for one in doc.ents]
    spans += [(start, end) for _, start, end in entities]
    inside = {i for start, end in spans for i in range(start, end)}
    words = {token.text for token in doc if token.is_alpha and token.i not in inside}
    return frozenset(words | {word.title() for word in words})


def _mention(doc: Doc, span: Found) -> Mention:
    before = doc[span.start - 1].text if span.start else ""
    lead = doc[max(span.start - 4, 0) : span.start].text
    return Mention(doc[span.start : span.end].text, span.label, before, lead)


def _groups(found: Sequence[Found], surrogates: Mapping[str, Surrogate]) -> list[list[int]]:
    """Which mentions are drawn together: those of equal stand-ins."""
    groups: dict[Hashable, list[int]] = {}
    for i, span in enumerate(found):
        one = surrogates[span.label]
        key: Hashable = one if isinstance(one, Hashable) else id(one)
        groups.setdefault(key, []).append(i)
    return list(groups.values())


def checked(surrogate: Surrogate, mentions: Sequence[Mention], draws: Draws) -> list[str | None]:
    """What the stand-in draws, if it is a text for each mention that is not the original, chance
    aside."""
    drawn = surrogate.replace(mentions, draws)
    right = isinstance(drawn, list) and len(drawn) == len(mentions)
    if not right or not all(t is None or (isinstance(t, str) and t.strip()) for t in drawn):
        raise DxError(Errors.DX113.format(name=surrogate.name, count=len(mentions)))
    pairs = zip(mentions, drawn, strict=True)
    same = {m.text for m, text in pairs if text is not None and is_same(m.text, text)}
    if same and surrogate.chance ** len(same) < UNLIKELY:
        raise DxError(Errors.DX114.format(name=surrogate.name, count=len(same)))
    return drawn


def _told(
    doc: Doc,
    found: Sequence[Found],
    mentions: Sequence[Mention],
    texts: Sequence[str | None],
    surrogates: Mapping[str, Surrogate],
) -> StandIns:
    masks = {way: np.zeros(len(doc), dtype=bool) for way in ("drawn", "kept", "words")}
    counts: dict[str, dict[str, int]] = {}
    for span, text in zip(found, texts, strict=True):
        way = "drawn" if text is not None else surrogates[span.label].way
        way = "kept" if way == "drawn" and text is None else way
        masks[way][span.start : span.end] = True
        of_label = counts.setdefault(span.label, {"found": 0, "replaced": 0, "kept": 0})
        of_label["found"] += 1
        of_label["kept" if way == "kept" else "replaced"] += 1
    replaced = [(f, m, t) for f, m, t in zip(found, mentions, texts, strict=True) if t is not None]
    tokens = tokenized([text for *_, text in replaced], doc.vocab.lang or "xx")
    pieces = [Piece(f.start, f.end, *t) for (f, *_), t in zip(replaced, tokens, strict=True)]
    pairs = [(mention, text) for _, mention, text in replaced]
    return StandIns(pieces, masks["drawn"], masks["kept"], masks["words"], counts, pairs)


def tokenized(texts: Sequence[str], lang: str) -> list[tuple[list[str], list[bool]]]:
    """Words of each text and whether a blank follows, as the tokenizer of the language cuts them.
    It has a vocabulary of its own, which met no original, and is made anew when it is full."""
    if not texts:
        return []
    if len(_blank(lang).vocab) > MOST_WORDS:
        _blank.cache_clear()
    docs = [_blank(lang).make_doc(" ".join(text.split())) for text in texts]
    return [([t.text for t in doc], [bool(t.whitespace_) for t in doc]) for doc in docs]


@lru_cache(maxsize=4)
def _blank(lang: str) -> Language:
    return spacy.blank(lang)
