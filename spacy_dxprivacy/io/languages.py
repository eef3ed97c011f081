"""The language of a file, by its first records; an error where nothing here covers it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain

from spacy.language import Language

from ..entities.surrogates.base import Surrogate
from ..errors import UsageError
from ..pipeline.component import DxSanitizer
from ..pipeline.coverage import OWN
from ..pipeline.select import Entities
from ..space import BUILTIN
from ..text.language import COVERED, MOST, NAMES, base_language, language_of
from .build import the_sanitizer
from .record import Record

SAMPLE = 64  # first records, by which the language of a file is known


def with_language(
    nlp: Language,
    records: Iterable[Record],
    language: str | None = None,
    ready: Callable[[], bool] | None = None,
) -> Iterator[Record]:
    """Return the records, with the language of the first ones where it is known.

    Args:
        nlp: A pipeline with a sanitizer.
        records: Of one file.
        language: Of the texts; where it is given, nothing is refused.
        ready: Whether the next record is there. A stream is not waited for.

    Raises:
        UsageError: The pipeline cannot sanitise text of this language.
    """
    rest, first, size = iter(records), list[Record](), 0
    for record in rest:
        first.append(record)
        size += record.length
        if len(first) == SAMPLE or size > MOST or (ready is not None and not ready()):
            break
    texts = (record.text or " ".join(record.words or ()) for record in first)
    if language is None:
        language = language_of("\n".join(text[:MOST] for text in texts))
        _check(nlp, the_sanitizer(nlp), language)
    if language == base_language(nlp.vocab.lang) or language not in COVERED:
        return chain(first, rest)
    return (replace(record, language=language) for record in chain(first, rest))


def not_covered(nlp: Language, text: str) -> str:
    """Return why a pipeline cannot sanitise a text of this language; "" where it can."""
    try:
        _check(nlp, the_sanitizer(nlp), language_of(text))
    except UsageError as error:
        return str(error)
    return ""


def _check(nlp: Language, sanitizer: DxSanitizer, language: str) -> None:
    """Raise UsageError where a text of this language would not be sanitised as it should be."""
    redacts = sanitizer.unknown_language == "redact"
    if language in ("", "en"):
        return
    looks, give = f"the text looks {NAMES[language]}", "or `language` = en if it is English"
    surrogates: list[Surrogate] = list(sanitizer.active_surrogates.values())
    by_entity = isinstance(sanitizer.selector, Entities) and surrogates
    if not by_entity and sanitizer.space.path == BUILTIN and not redacts:
        raise UsageError(
            f"{looks}, and the built-in space has English words. Name a space and a prior of "
            f"the language in a `config`, {give}."
        )
    if not by_entity:
        return
    keyed = any(getattr(getattr(one, "scope", None), "key", None) for one in surrogates)
    if language in COVERED:
        if keyed and language != base_language(nlp.vocab.lang):
            raise UsageError(
                f"{looks}. With a key all surrogates are of one language: set `language` to "
                f"{language}, {give}."
            )
        return
    if redacts:
        return
    made = {nlp.get_pipe_meta(name).factory: nlp.get_pipe_meta(name) for name in nlp.pipe_names}
    others = [meta for factory, meta in made.items() if factory not in OWN]
    if not any("doc.ents" in meta.assigns for meta in others):
        raise UsageError(
            f"{looks}, which the recogniser does not cover. Give a `model` with a recogniser for "
            f"it, {give}. Covered: {', '.join(NAMES[one] for one in COVERED)}."
        )
