"""The languages and scripts that a pipeline covers, and errors or redaction for others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError, Errors
from ..space import BUILTIN, Space
from ..text.coded import CODED, moved_levels
from ..text.language import COVERED, NAMES, Span, language_of
from ..text.normal_doc import MARKS, annotated, bounds_of, words_at
from .receipt import UNCOVERED
from .selectors import Entities
from .settings import SanitizerSettings
from .unknown_words import REDACTED

# Factories that cover COVERED only.
RECOGNISERS = ("dx_entity_ruler", "dx_entity_recognizer", "dx_language_models")
MULTILINGUAL = "xx"


@dataclass(frozen=True)
class Coverage:
    """The languages that a pipeline can sanitise; None for all in its scripts.

    scripts: whether only Latin script is covered. own: whether the pipeline's own language is
    covered.
    """

    languages: frozenset[str] | None
    scripts: bool = True
    own: bool = True


def coverage_of(
    settings: SanitizerSettings, nlp: Language, component: object, space: Space
) -> Coverage:
    """Return the coverage of a pipeline up to its sanitizer.

    With surrogates, it is that of the recognisers: six languages for those of this package, the
    pipeline's language for others. Without surrogates, it is that of the space: English for the
    built-in space; any other space is assumed to be in the language of the texts.
    """
    if isinstance(settings.selector, Entities) and settings.active_surrogates:
        if not _has_other_recogniser(nlp, component):
            return Coverage(frozenset(COVERED), own=nlp.lang in (*COVERED, MULTILINGUAL))
        if nlp.lang == MULTILINGUAL:
            return Coverage(None, scripts=False)
        return Coverage(frozenset({*COVERED, str(nlp.lang)}), scripts=nlp.lang in COVERED)
    if space.path == BUILTIN:
        return Coverage(frozenset({"en"}), own=nlp.lang in ("en", MULTILINGUAL))
    return Coverage(None, scripts=nlp.lang in NAMES)


def _has_other_recogniser(nlp: Language, component: object) -> bool:
    """Return whether a component of another package may set entities before the sanitizer."""
    for name, _ in takewhile(lambda item: item[1] is not component, nlp.pipeline):
        meta = nlp.get_pipe_meta(name)
        may_set = {"doc.ents", "doc.spans"} & set(meta.assigns) or not meta.assigns
        if meta.factory not in RECOGNISERS and may_set:
            return True
    return False


def refusal(text: str, passages: Sequence[Span], coverage: Coverage) -> DxError:
    """Return the error for a text with uncovered passages; it quotes nothing of the text."""
    if not coverage.own:
        return DxError(Errors.DX181)
    start, end = passages[0]
    language = NAMES.get(language_of(text[start:end])) or NAMES[MULTILINGUAL]
    covered = ", ".join(NAMES[code] for code in NAMES if code in (coverage.languages or ()))
    return DxError(Errors.DX180.format(language=language, covered=covered or "Latin script"))


def redact(doc: Doc, passages: Sequence[Span]) -> Doc:
    """Return a Doc with one public token in place of each passage, extended to whole tokens."""
    text, bounds = doc.text, bounds_of(doc)
    starts, stops = bounds[::2], bounds[1::2]
    parts, last, size = list[str](), 0, 0
    edits: list[tuple[int, int, int]] = []  # start and end in the old text, end in the new one
    for first, end in passages:
        start = max(min(first, starts[bisect_right(stops, first)]), last)
        stop = max(end, stops[bisect_left(starts, end) - 1])
        size += start - last + len(REDACTED)
        parts += text[last:start], REDACTED
        edits.append((start, stop, size))
        last = stop
    parts.append(text[last:])
    begins = [start for start, *_ in edits]

    def moved(place: int, *, left: bool = False) -> int:
        """Return the new offset of a place. Within a passage, that is the end of its token; with
        `left`, also at the start of the passage."""
        i = (bisect_right if left else bisect_left)(begins, place) - 1
        if i < 0:
            return place
        _, stop, new_end = edits[i]
        return new_end + max(place - stop, 0)

    words, spaces = words_at("".join(parts), [moved(place) for place in bounds])
    data = {**doc.user_data, UNCOVERED: len(edits)}
    if MARKS in data:
        data[MARKS] = [moved(place) for place in data[MARKS]]
    if CODED in data:
        data[CODED] = moved_levels(data[CODED], lambda places: [moved(p) for p in places])
    copy = Doc(doc.vocab, words=words, spaces=spaces)
    # An entity within a passage becomes empty: `left` moves its start to its end.
    return annotated(doc, copy, [moved(place, left=True) for place in bounds], data)
