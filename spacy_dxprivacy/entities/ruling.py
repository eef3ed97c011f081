"""A recogniser of names, dates, places and numbers by rules, for pipelines that have no NER.

It finds what public lists and forms can find, and misses the rest: see docs/entities.md for its
recall. Nothing that it misses is protected by the entity sanitizer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn, cast

import numpy as np
from spacy import util
from spacy.lang.en.lex_attrs import like_num
from spacy.lang.lex_attrs import like_email, like_url, word_shape
from spacy.language import Language
from spacy.matcher import Matcher
from spacy.pipeline import EntityRuler
from spacy.tokens import Doc, Span, Token
from spacy.vocab import Vocab

from ..arrays import Bools1d
from ..text.mentions import plain_label
from ..text.tokens import with_fields_apart
from ..validate import fail
from .fields import plain_digits
from .lists import FOLLOWING
from .phrases import match_phrases
from .refine import completed, without_terms
from .rules import GROUPS, LABELS, WEAK, all_words, forms, patterns
from .words import OfPublicWords, flag_getters, kinds

FREE_FLAGS = range(19, 64)  # spaCy's own lexeme flags end at 18
Match = tuple[str, int, int]


class DxEntityRuler(EntityRuler):
    """spaCy's EntityRuler with rules for English of its own, made from the built-in space.

    guess: also take capitalised words within a sentence that no list holds for persons; more
    names are found, and more brands and terms are marked. overwrite_ents: replace the entities
    of earlier components rather than add to them.

    Your own patterns (`add_patterns`) come on top, and they alone are saved with the pipeline:
    the built-in ones are made anew from the package. Every Doc leaves with ENT_IOB set. Like the
    sanitizer, it lets no error handler swallow an error.
    """

    def __init__(
        self,
        nlp: Language,
        name: str = "dx_entity_ruler",
        *,
        guess: bool = True,
        overwrite_ents: bool = False,
    ) -> None:
        super().__init__(nlp, name, overwrite_ents=overwrite_ents)
        self.guess = guess
        flags = _set_flags(nlp.vocab)
        self._live, self._anchors = flags.pop("LIVE"), [flags.pop(group) for group in GROUPS]
        self._rules = _matchers(nlp.vocab, flags, guess)

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels that the rules and your own patterns give."""
        return tuple(sorted({*LABELS, *super().labels}))

    def __call__(self, doc: Doc) -> Doc:
        """The Doc with its entities. One that holds rows of a table is replaced by a Doc in which
        each field has its own tokens."""
        return super().__call__(with_fields_apart(doc))

    def match(self, doc: Doc) -> list[tuple[Any, int, int]]:
        """(label, start, end) of all matches, the one to prefer first."""
        own = super().match(doc) if len(self) else []
        text = plain_digits(doc.text)  # made anew by spaCy each time that it is asked for
        phrases = set(match_phrases(doc, text))
        found = {*self._match_words(doc), *_match_forms(doc, text), *phrases}
        # What a key says is an account is none of a telephone.
        found -= {("PHONE", start, end) for label, start, end in phrases if label == "ID"}
        return own + sorted(without_terms(doc, found), key=_preference)

    def set_annotations(self, doc: Doc, matches: Iterable[tuple[Any, int, int]]) -> None:
        """Every matched word becomes part of an entity: where two matches overlap, the later one
        keeps what the earlier left. What earlier components found stays, unless overwritten."""
        kept = [] if self.overwrite else list(doc.ents)
        taken = {i for span in kept for i in range(span.start, span.end)}
        for label, start, end in matches:
            key, span_id = self._ent_ids.get(label) or (label, "")
            for first, last in _free_runs(doc, start, end, taken):
                kept.append(Span(doc, first, last, label=key, span_id=span_id or ""))
            taken.update(range(start, end))
        doc.ents = _with_mentions(doc, kept)

    def _match_words(self, doc: Doc) -> Iterator[Match]:
        # The flags of words belong to a vocabulary; a Doc of another one is read through a copy.
        if doc.vocab is not self.nlp.vocab:
            doc = Doc(self.nlp.vocab, [t.text for t in doc], [bool(t.whitespace_) for t in doc])
        flags = doc.to_array([self._live, *self._anchors]).astype(bool)
        for anchors, (rules, keys) in zip(flags.T[1:], self._rules, strict=True):
            for first, last in _segments(flags[:, 0], anchors):
                for key, start, end in rules(doc[first:last]):
                    label, before, after = keys[key]
                    yield label, first + start + before, first + end - after

    def set_error_handler(self, error_handler: Callable[..., None]) -> None:
        """Does nothing: a handler that swallows errors would leave names unmarked."""

    def get_error_handler(self) -> Callable[..., NoReturn]:
        """The one that raises: a text whose names were not looked for is never let through."""
        return util.raise_error


def _with_mentions(doc: Doc, found: list[Span]) -> tuple[Span, ...]:
    """With every further mention of what was found, of earlier components as well."""
    known = [(plain_label(span.label_), span.start, span.end) for span in found]
    again = completed(doc, known)[len(known) :]
    return (*found, *(Span(doc, start, end, label=label) for label, start, end in again))


Rules = tuple[Matcher, dict[int, tuple[str, int, int]]]


def _matchers(vocab: Vocab, flags: dict[str, str], guess: bool) -> list[Rules]:
    """For each group the rules, and for each key of theirs its label and tokens of context before
    and after."""
    made: list[Rules] = [(Matcher(vocab, validate=False), {}) for _ in GROUPS]
    group_of = {
        label: rules for rules, some in zip(made, GROUPS.values(), strict=True) for label in some
    }
    for (label, before, after), some in patterns(flags, guess=guess).items():
        matcher, keys = group_of[label]
        name = f"{label}/{before}/{after}"
        matcher.add(name, some)
        keys[vocab.strings[name]] = (label, before, after)
    return made


def _set_flags(vocab: Vocab) -> dict[str, str]:
    """Kind -> name of the lexeme flag that says whether a word is of this kind.

    A second recogniser on the vocabulary takes the same flags. Raises DxError where other
    components have left too few.
    """
    getters = {**flag_getters(), "LIVE": is_live} | {group: IsAnchor(group) for group in GROUPS}
    present: dict[int, Any] = vocab.lex_attr_getters  # type: ignore[attr-defined]
    taken = {getter: bit for bit, getter in present.items()}
    free = [bit for bit in FREE_FLAGS if bit not in present]
    new = [getter for getter in getters.values() if getter not in taken]
    if len(new) > len(free):
        raise fail("the number of free lexeme flags", f"{len(new)} or more", len(free))
    with kinds.remember(), _tokens_matched.remember():
        pairs = zip(new, free, strict=False)
        taken |= {getter: vocab.add_flag(getter, bit) for getter, bit in pairs}
    return {kind: f"FLAG{taken[getter]}" for kind, getter in getters.items()}


def is_live(word: str) -> bool:
    """Whether a word can be a token of any rule, but for MID, which only comes first."""
    return bool(_tokens_matched(word) - {"MID"}) or word.isspace()


@dataclass(frozen=True)
class IsAnchor:
    """A lexeme flag: whether a word has a kind that makes an entity of a group begin, and not a
    weak one alone. Equal for equal groups, and small to pickle."""

    group: str

    def __call__(self, word: str) -> bool:
        return not _tokens_matched(word).isdisjoint(_anchors(self.group))


@OfPublicWords
def _tokens_matched(word: str) -> frozenset[str]:
    lower = word.lower()
    found = {kind for kind, words in FOLLOWING.items() if lower in words} | kinds(word)
    if lower in all_rule_words():
        found.add(lower)
    if like_num(word) or like_email(word) or like_url(word):
        found.add("NUM")
    shape = word_shape(word)
    found |= {"LOW_INITIAL"} if shape in {"x", "x."} else {"YY"} if shape == "dd" else set()
    return frozenset(found)


@lru_cache(maxsize=1)
def all_rule_words() -> frozenset[str]:
    """Those of all groups."""
    return all_words()


@lru_cache(maxsize=len(GROUPS))
def _anchors(group: str) -> frozenset[str]:
    return (all_words(GROUPS[group]) | ({"NUM"} if group == "COUNTED" else set())) - WEAK


def _segments(live: Bools1d, anchors: Bools1d) -> Iterator[tuple[int, int]]:
    """The stretches of a Doc where a rule can match: live words, at least one of them an anchor,
    and the word before them. Most of a text is not looked at any further. live, anchors: bool
    (tokens,)."""
    places = np.flatnonzero(anchors)
    if not len(places):
        return
    dead = np.append(np.flatnonzero(~live), len(live))
    around = np.searchsorted(dead, places)
    for k in sorted(set(around.tolist())):
        yield max(int(dead[k - 1]) if k else 0, 0), int(dead[k])


def _preference(match: Match) -> tuple[int, int, int]:
    """The longest first, then by label, then from left to right."""
    label, start, end = match
    return start - end, LABELS.index(label), start


def _free_runs(doc: Doc, start: int, end: int, taken: set[int]) -> Iterator[tuple[int, int]]:
    """The parts of a match that are still free, without punctuation and space at their ends."""
    free = [i not in taken and not _is_edge(doc[i]) for i in range(start, end)]
    while any(free):
        first = free.index(True)
        last = first + 1
        while last < len(free) and start + last not in taken:
            last += 1
        run = max(i for i in range(first, last) if free[i]) + 1
        yield start + first, start + run
        free[first:last] = [False] * (last - first)


def _is_edge(token: Token) -> bool:
    return token.is_space or (token.is_punct and not token.text.startswith("#"))


@lru_cache(maxsize=1)
def _forms() -> re.Pattern[str]:
    return forms()


def _match_forms(doc: Doc, text: str) -> Iterator[Match]:
    """What is found by its letters, in text, that of the Doc with plain digits; a
    form that a token only partly belongs to takes all of it."""
    for match in _forms().finditer(text):
        # "expand" finds a span for all that is in the text, and each alternative has a name.
        span = cast(Span, doc.char_span(*match.span(), alignment_mode="expand"))
        label = str(match.lastgroup).partition("_")[0]
        yield ("ID" if label == "CODE" else label), span.start, span.end
