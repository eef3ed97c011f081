"""Detect the language of a text, by its commonest words and its script.

Surrogates are of the language of a text, so they reveal it. It is not logged.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache

from spacy.tokens import Doc

from ..about import table

COVERED = ("en", "de", "fr", "es", "nl", "it")  # by the recogniser's rules and the surrogates
NAMES = table("languages")
EVIDENCE, DISTINCT = 5, 4  # least number of common words of a language, and of distinct ones
MARGIN = 1.5  # least ratio to the score of any other language; shared words count less
MAX_CHARACTERS = 20_000  # characters that are read
LANGUAGE = "dx_language"  # in the user data of a Doc: its language if it is too short to detect
_WORD = re.compile(r"(?<![\w.])[^\W\d_]{2,}(?!\w)")


def language_of(text: str) -> str:
    """Return the language of a text.

    Args:
        text: Any text; the first 20,000 characters are read.

    Returns:
        A code of two letters; "xx" for a text in another script than Latin; "" if too few words are
        among the commonest of one language, or another has as many.
    """
    words = Counter(_WORD.findall(text[:MAX_CHARACTERS].lower()))
    non_latin = (word for word in words if "LATIN" not in unicodedata.name(word[0], ""))
    foreign = 0 if text.isascii() else sum(words[word] for word in non_latin)
    if foreign >= EVIDENCE and 2 * foreign > words.total():
        return "xx"
    languages = _languages_of()
    counts, distinct = dict[str, int](), Counter[str]()
    scores = dict[str, float]()
    for word in words.keys() & languages.keys():
        distinct.update(languages[word])
        for language in languages[word]:
            counts[language] = counts.get(language, 0) + words[word]
            scores[language] = scores.get(language, 0.0) + words[word] / len(languages[word])
    if not scores:
        return ""
    best = max(scores, key=scores.__getitem__)
    score, second = scores.pop(best), max(scores.values(), default=0.0)
    sure = counts[best] >= EVIDENCE and distinct[best] >= DISTINCT and score >= MARGIN * second
    return best if sure else ""


def base_language(language: str | None) -> str:
    """Return the language if rules and surrogates cover it, else "en"."""
    return language if language in COVERED else "en"


def language_of_doc(doc: Doc) -> str:
    """Return the covered language of a Doc: that of its text, else of its file, else of the
    pipeline, else "en"."""
    candidates = (language_of(doc.text), doc.user_data.get(LANGUAGE))
    language = next((language for language in candidates if language in COVERED), doc.vocab.lang)
    return base_language(language)


@cache
def common_words(language: str) -> frozenset[str]:
    """Return the commonest words of a language, in lower case."""
    return frozenset(word for word, languages in _languages_of().items() if language in languages)


@cache
def languages_known() -> tuple[str, ...]:
    """Return the languages that `language_of` distinguishes."""
    return tuple(table("entities/languages"))


@cache
def _languages_of() -> dict[str, tuple[str, ...]]:
    """Return the languages in which each word is common."""
    languages: dict[str, dict[str, None]] = {}
    for language, words in table("entities/languages").items():
        for word in words.split():
            languages.setdefault(word, {})[language] = None
    return {word: tuple(names) for word, names in languages.items()}
