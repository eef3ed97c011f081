"""A recogniser of names, dates, places and numbers by rules, for pipelines that have no NER.

It finds what public lists and forms can find, and misses the rest: see docs/how-to/entities.md for
its recall. Nothing that it misses is protected by the entity sanitizer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import numpy as np
from spacy import util
from spacy.language import Language
from spacy.matcher import Matcher
from spacy.pipeline import EntityRuler
from spacy.tokens import Doc, Span, Token
from spacy.vocab import Vocab

from ..arrays import Bools1d
from ..text.mentions import plain_label
from ..text.tokens import with_fields_apart
from ..validate import fail
from .phrases import Match, match_phrases
from .review import completed, without_terms
from .rules import GROUPS, LABELS, patterns
from .words import KINDS, HasKind, kinds

FREE_FLAGS = range(19, 64)  # spaCy's own lexeme flags end at 18


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
        self._flags = _set_flags(nlp.vocab)
        self._rules = _matchers(nlp.vocab, self._flags, guess)

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels that the rules and your own patterns give."""
        return tuple(sorted({*LABELS, *super().labels}))

    def __call__(self, doc: Doc) -> Doc:
        """Set the entities. A Doc that holds rows of a table is replaced by one in which each field
        has its own tokens."""
        return super().__call__(with_fields_apart(doc))

    def match(self, doc: Doc) -> list[tuple[Any, int, int]]:
        """(label, start, end) of all matches, the one to prefer first."""
        own = super().match(doc) if len(self) else []
        found = {*self._match_words(doc), *match_phrases(doc)}
        return own + sorted(without_terms(doc, found), key=_preference)

    def set_annotations(self, doc: Doc, matches: Iterable[tuple[Any, int, int]]) -> None:
        """Every matched word becomes part of an entity: where two matches overlap, the later one
        keeps what the earlier left. What earlier components found stays, unless overwritten. Every
        further mention of what was found is found as well."""
        kept = [] if self.overwrite else list(doc.ents)
        taken = {i for span in kept for i in range(span.start, span.end)}
        for label, start, end in matches:
            key, span_id = self._ent_ids.get(label) or (label, "")
            for first, last in _free_runs(doc, start, end, taken):
                kept.append(Span(doc, first, last, label=key, span_id=span_id or ""))
            taken.update(range(start, end))
        known = [(plain_label(span.label_), span.start, span.end) for span in kept]
        again = completed(doc, known)[len(known) :]
        doc.ents = (*kept, *(Span(doc, start, end, label=label) for label, start, end in again))

    def _match_words(self, doc: Doc) -> Iterator[Match]:
        # The flags of words belong to a vocabulary; a Doc of another one is read through a copy.
        if doc.vocab is not self.nlp.vocab:
            doc = Doc(self.nlp.vocab, [t.text for t in doc], [bool(t.whitespace_) for t in doc])
        flags = doc.to_array([self._flags[kind] for kind in ("LIVE", *GROUPS)]).astype(bool)
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


Rules = tuple[Matcher, dict[int, tuple[str, int, int]]]


def _matchers(vocab: Vocab, flags: dict[str, str], guess: bool) -> list[Rules]:
    """For each group the rules, and for each key of theirs its label and tokens of context before
    and after."""
    made: list[Rules] = [(Matcher(vocab, validate=False), {}) for _ in GROUPS]
    for key, some in patterns(flags, guess=guess).items():
        matcher, keys = next(
            rules for rules, group in zip(made, GROUPS.values(), strict=True) if key[0] in group
        )
        name = "/".join(map(str, key))
        matcher.add(name, some)
        keys[vocab.strings[name]] = key
    return made


def _set_flags(vocab: Vocab) -> dict[str, str]:
    """Kind -> name of the lexeme flag that says whether a word is of this kind.

    A second recogniser on the vocabulary takes the same flags. Raises DxError where other
    components have left too few.
    """
    getters = {kind: HasKind(kind) for kind in (*KINDS, "LIVE", *GROUPS)}
    present: dict[int, Any] = vocab.lex_attr_getters  # type: ignore[attr-defined]
    taken = {getter: bit for bit, getter in present.items()}
    free = [bit for bit in FREE_FLAGS if bit not in present]
    new = [getter for getter in getters.values() if getter not in taken]
    if len(new) > len(free):
        raise fail("the number of free lexeme flags", f"{len(new)} or more", len(free))
    with kinds.remember():
        taken |= {g: vocab.add_flag(g, bit) for g, bit in zip(new, free, strict=False)}
    return {kind: f"FLAG{taken[getter]}" for kind, getter in getters.items()}


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
