"""A recogniser of names, dates, places and numbers by rules, for pipelines that have no NER.

It finds what public lists and forms can find, and misses the rest: see docs/entities.md for its
recall. Nothing that it misses is protected by the entity sanitizer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NoReturn

from spacy import util
from spacy.language import Language
from spacy.matcher import Matcher
from spacy.pipeline import EntityRuler
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from .entity_rules import LABELS, forms, patterns
from .entity_words import flag_getters
from .errors import DxError, Errors

FREE_FLAGS = range(19, 64)  # spaCy's own lexeme flags end at 18
Match = tuple[str, int, int]


@Language.factory(
    "dx_entity_ruler",
    assigns=["doc.ents", "token.ent_type", "token.ent_iob"],
    default_config={"guess": True, "overwrite_ents": False},
)
def make_dx_entity_ruler(
    nlp: Language, name: str, guess: bool, overwrite_ents: bool
) -> DxEntityRuler:
    """Find entities by rules. See DxEntityRuler."""
    return DxEntityRuler(nlp, name, guess=guess, overwrite_ents=overwrite_ents)


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
        self._rules, self._keys = _matcher(nlp.vocab, guess)

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels that the rules and your own patterns give."""
        return tuple(sorted({*LABELS, *super().labels}))

    def match(self, doc: Doc) -> list[tuple[Any, int, int]]:
        """(label, start, end) of all matches, the one to prefer first."""
        own = super().match(doc) if len(self) else []
        found = {*self._match_words(doc), *_match_forms(doc)}
        return own + sorted(found, key=_preference)

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
        doc.ents = tuple(kept)

    def _match_words(self, doc: Doc) -> Iterator[Match]:
        # The flags of words belong to a vocabulary; a Doc of another one is read through a copy.
        vocab = self._rules.vocab
        if doc.vocab is not vocab:
            doc = Doc(vocab, [t.text for t in doc], [bool(t.whitespace_) for t in doc])
        for key, start, end in self._rules(doc):
            label, before, after = self._keys[key]
            yield label, start + before, end - after

    def set_error_handler(self, error_handler: Callable[..., None]) -> None:
        """Does nothing: a handler that swallows errors would leave names unmarked."""

    def get_error_handler(self) -> Callable[..., NoReturn]:
        return util.raise_error


def _matcher(vocab: Vocab, guess: bool) -> tuple[Matcher, dict[int, tuple[str, int, int]]]:
    """The rules, and for each key of theirs its label and tokens of context before and after."""
    matcher = Matcher(vocab, validate=False)
    keys = {}
    for (label, before, after), some in patterns(_set_flags(vocab), guess=guess).items():
        name = f"{label}/{before}/{after}"
        matcher.add(name, some)
        keys[vocab.strings[name]] = (label, before, after)
    return matcher, keys


def _set_flags(vocab: Vocab) -> dict[str, str]:
    """Kind -> name of the lexeme flag that says whether a word is of this kind.

    A second recogniser on the vocabulary takes the same flags. Raises DxError where other
    components have left too few.
    """
    taken = {getter: bit for bit, getter in vocab.lex_attr_getters.items()}
    free = [bit for bit in FREE_FLAGS if bit not in vocab.lex_attr_getters]
    flags = {}
    for kind, getter in flag_getters().items():
        if getter not in taken and not free:
            given = f"only {len(FREE_FLAGS)} lexeme flags, some of them taken"
            raise DxError(Errors.DX020.format(expected="a free lexeme flag a kind", given=given))
        bit = taken[getter] if getter in taken else vocab.add_flag(getter, free.pop(0))
        flags[kind] = f"FLAG{bit}"
    return flags


def _preference(match: Match) -> tuple[int, int, int]:
    """The longest first, then by label, then from left to right."""
    label, start, end = match
    return start - end, LABELS.index(label), start


def _free_runs(doc: Doc, start: int, end: int, taken: set[int]) -> Iterator[tuple[int, int]]:
    """The parts of a match that are still free and hold more than punctuation."""
    free = [i for i in range(start, end) if i not in taken]
    for place, i in enumerate(free):
        if place and free[place - 1] == i - 1:
            continue
        last = i
        while last + 1 < end and last + 1 not in taken:
            last += 1
        if any(not (doc[j].is_punct or doc[j].is_space) for j in range(i, last + 1)):
            yield i, last + 1


@lru_cache(maxsize=1)
def _forms() -> re.Pattern[str]:
    return forms()


def _match_forms(doc: Doc) -> Iterator[Match]:
    """What is found by its letters; a form that a token only partly belongs to takes all of it."""
    for match in _forms().finditer(doc.text):
        span = doc.char_span(*match.span(), alignment_mode="expand")
        assert span is not None and match.lastgroup is not None
        label = match.lastgroup.partition("_")[0]
        yield ("ID" if label == "CODE" else label), span.start, span.end
