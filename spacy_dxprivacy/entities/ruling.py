"""A rule-based recogniser of names, dates, places and numbers, for pipelines without NER.

It finds what public lists and forms can find, and misses the rest: see docs/how-to/entities.md for
its recall. The entity sanitizer does not protect what it misses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from spacy.language import Language
from spacy.matcher import Matcher
from spacy.pipeline import EntityRuler
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ..errors import FailsClosed
from ..text.language import language_of_doc
from ..text.mentions import Entity, mentions, plain_label
from ..text.normal import in_normal_form
from ..text.tokens import with_fields_apart
from ..validate import fail
from .disguised import match_disguised
from .extent import bounded
from .foreign import match_foreign, match_foreign_days
from .phrases import match_phrases
from .review import further_persons, relabelled
from .tables import LABELS, patterns
from .words import KINDS, HasKind, kinds

FREE_FLAGS = range(19, 64)  # spaCy's own lexeme flags end at 18


class DxEntityRuler(FailsClosed, EntityRuler):
    """Find entities by rules, made from the built-in space, and by your own patterns.

    Your own patterns (`add_patterns`) come on top, and they alone are saved with the pipeline: the
    built-in ones are made anew from the package. Every Doc leaves with ENT_IOB set. Like the
    sanitizer, it lets no error handler swallow an error.

    Args:
        nlp: The pipeline.
        name: The component's name.
        guess: Also take capitalised words within a sentence that no list holds for persons; more
            names are found, and more brands and terms are marked.
        overwrite_ents: Replace the entities of earlier components rather than add to them.
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
        self._rules = Matcher(nlp.vocab, validate=False)
        # For each rule its label, and its numbers of tokens of context before and after.
        self._keys: dict[int, tuple[str, int, int]] = {}
        for key, token_patterns in patterns(self._flags, guess=guess).items():
            rule = "/".join(map(str, key))
            self._rules.add(rule, token_patterns)
            self._keys[nlp.vocab.strings[rule]] = key

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels of the rules and your own patterns."""
        return tuple(sorted({*LABELS, *super().labels}))

    def __call__(self, doc: Doc) -> Doc:
        """Set the entities. A Doc that holds rows of a table is replaced by one in which each field
        has its own tokens."""
        return super().__call__(with_fields_apart(in_normal_form(doc, self.nlp, self)))

    def match(self, doc: Doc) -> list[tuple[Any, int, int]]:
        """Return (label, start, end) of all matches: your own, then the longest first, then by
        label, then from left to right."""
        own_matches = super().match(doc) if len(self) else []
        order = {label: i for i, label in enumerate(LABELS)}
        language = language_of_doc(doc)
        if language == "en":
            matches = {*self._match_words(doc), *match_phrases(doc), *match_foreign_days(doc)}
            # Bounded twice: an entity whose label changed ends at other words.
            entities = {*bounded(doc, relabelled(doc, bounded(doc, matches)))}
        else:
            entities = match_foreign(doc, language)
        entities |= {*match_disguised(doc)}
        return own_matches + sorted(entities, key=lambda m: (m[1] - m[2], order[m[0]], m[1]))

    def set_annotations(self, doc: Doc, matches: Iterable[tuple[Any, int, int]]) -> None:
        """Make every matched word part of an entity, and find further mentions of all.

        Where two matches overlap, the later one keeps what the earlier left. What earlier
        components found stays, unless overwritten.
        """
        spans = [] if self.overwrite else list(doc.ents)
        taken = {i for span in spans for i in range(span.start, span.end)}
        for label, start, end in matches:
            key, span_id = self._ent_ids.get(label) or (label, "")
            for first, last in _free_runs(doc, start, end, taken):
                spans.append(Span(doc, first, last, label=key, span_id=span_id or ""))
            taken.update(range(start, end))
        entities = sorted(
            ((plain_label(span.label_), span.start, span.end) for span in spans),
            key=lambda entity: entity[1],
        )
        further = further_persons(doc, entities) if language_of_doc(doc) == "en" else []
        further += mentions(doc, [*entities, *further])
        again = bounded(doc, further)
        doc.ents = (*spans, *(Span(doc, start, end, label=label) for label, start, end in again))

    def _match_words(self, doc: Doc) -> Iterator[Entity]:
        # Lexeme flags belong to a vocabulary; a Doc of another one is read through a copy.
        if doc.vocab is not self.nlp.vocab:
            doc = Doc(self.nlp.vocab, [t.text for t in doc], [bool(t.whitespace_) for t in doc])
        for key, start, end in self._rules(doc):
            label, before, after = self._keys[key]
            yield label, start + before, end - after


def _set_flags(vocab: Vocab) -> dict[str, str]:
    """Map each kind to the name of its lexeme flag.

    A second recogniser on the vocabulary takes the same flags. Raises DxError where other
    components have left too few.
    """
    getters = {kind: HasKind(kind) for kind in KINDS}
    present: dict[int, Any] = vocab.lex_attr_getters  # type: ignore[attr-defined]
    taken = {getter: bit for bit, getter in present.items()}
    free = [bit for bit in FREE_FLAGS if bit not in present]
    absent = [getter for getter in getters.values() if getter not in taken]
    if len(absent) > len(free):
        raise fail("the number of free lexeme flags", f"{len(absent)} or more", len(free))
    with kinds.remember():
        taken |= {g: vocab.add_flag(g, bit) for g, bit in zip(absent, free, strict=False)}
    return {kind: f"FLAG{taken[getter]}" for kind, getter in getters.items()}


def _free_runs(doc: Doc, start: int, end: int, taken: set[int]) -> Iterator[tuple[int, int]]:
    """The parts of a match that are still free, without punctuation and space at their ends."""
    if taken.issuperset(range(start, end)):
        return
    edges = (t.is_space or (t.is_punct and not t.text.startswith("#")) for t in doc[start:end])
    free = [i not in taken and not edge for i, edge in enumerate(edges, start)]
    while any(free):
        first = free.index(True)
        last = first + 1
        while last < len(free) and start + last not in taken:
            last += 1
        run = max(i for i in range(first, last) if free[i]) + 1
        within = doc[start + first : start + run].text
        run += run < last and doc[start + run].text == ")" and within.count("(") > within.count(")")
        yield start + first, start + run
        free[first:last] = [False] * (last - first)
