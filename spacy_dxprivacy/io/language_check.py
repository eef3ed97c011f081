"""Detect the language of a file from its first records, and check that the pipeline covers it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain

from spacy.language import Language

from ..errors import UsageError
from ..pipeline.coverage import coverage_of, refusal
from ..text.language import COVERED, LANGUAGE, MAX_CHARACTERS, NAMES, base_language, language_of
from .build import get_sanitizer
from .records import Failed, Input

MAX_RECORDS = 64  # from which the language of a file is detected


def with_language(
    nlp: Language,
    records: Iterable[Input],
    language: str | None = None,
    ready: Callable[[], bool] | None = None,
) -> Iterator[Input]:
    """Detect the language from the first records, and return all records with it in their data.

    language: if given, it is not checked. ready: returns whether the next record can be read
    without waiting. Raises UsageError if the pipeline cannot sanitise text of this language.
    """
    remaining, first, texts, size = iter(records), list[Input](), list[str](), 0
    for record in remaining:
        first.append(record)
        texts += [] if isinstance(record, Failed) else map(str, record.texts)
        size = sum(map(len, texts))
        is_waiting = ready is not None and not ready()
        if len(first) == MAX_RECORDS or size > MAX_CHARACTERS or is_waiting:
            break
    if language is None:
        sample = "\n".join(text[:MAX_CHARACTERS] for text in texts)
        language = language_of(sample)
        _check_language(nlp, sample, language)
    records = chain(first, remaining)
    if language == base_language(nlp.vocab.lang) or language not in COVERED:
        return iter(records)
    return (
        record
        if isinstance(record, Failed)
        else replace(record, data={**record.data, LANGUAGE: language})
        for record in records
    )


def _check_language(nlp: Language, text: str, language: str) -> None:
    """Raise UsageError if the pipeline cannot sanitise text of this language."""
    sanitizer = get_sanitizer(nlp)
    settings = sanitizer.settings
    if language in ("", "en"):
        return
    coverage = coverage_of(settings, nlp, sanitizer, sanitizer.space)
    if coverage.languages is not None and language not in coverage.languages:
        if settings.unknown_language == "refuse":
            raise UsageError(str(refusal(text, [(0, len(text))], coverage)))
        return
    scopes = (getattr(drawn, "scope", None) for drawn in settings.active_surrogates.values())
    keyed = any(isinstance(getattr(scope, "key", None), str) for scope in scopes)
    if keyed and language in COVERED and language != base_language(nlp.vocab.lang):
        raise UsageError(
            f"the text looks {NAMES[language]}. With a key all surrogates are of one language: set "
            f"`language` to {language}, or to en if it is English."
        )
