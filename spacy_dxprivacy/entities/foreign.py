"""Recognise entities in German, French, Spanish, Dutch and Italian text.

Names are words of public lists that are not words of the language, and words that follow a title.
The regular expressions in data/entities/foreign.txt find dates, addresses and numbers. The rules of
`ruling` recognise English text.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from functools import cache, partial

from spacy.tokens import Doc

from ..about import DATA
from ..text.language import common_words
from ..text.mentions import Entity
from .heads import values_in
from .phrases import in_tokens, numbers_in
from .tables import (
    DAY,
    LANGUAGES,
    MARK,
    NAMES,
    NONE,
    YEAR,
    date_words,
    forms,
    listed_of,
    pattern,
    words,
)
from .words import builtin_lexicon

_WORD = re.compile(r"[^\s,;:()]+")
_INITIAL = re.compile(r"[^\W\d_]\.?")
_JOINT = re.compile(r"(?:(?:van|von|de|der|den|die|di|del|ter|ten|te|zu|zur|'t|in)[ ]){1,3}\Z")
_STARTS = re.compile(r"(?:\A|[.!?:]|\n)\s*\Z")
OLD = 90
_foreign_words = partial(cache(words), file="foreign")
Word = tuple[str, int, int]  # with its start and end in characters


def match_foreign(doc: Doc, language: str) -> set[Entity]:
    """Return the entities of a text in the language."""
    text = doc.text
    entities = {*dates_in(text, language), *numbers_with_keys(text), *addresses_in(text)}
    entities |= {*_places(text, language)}
    entities |= {*values_in(text)}
    taken = {
        place
        for label, start, end in entities
        if label in ("ADDRESS", "ORG")
        for place in range(start, end)
    }
    named = ((s, end) for s, end in _persons(text, language) if not {s, end - 1} <= taken)
    entities |= {Entity("PERSON", *span) for span in named}
    return {in_tokens(doc, *entity) for entity in entities}


def match_foreign_days(doc: Doc) -> Iterator[Entity]:
    """Yield days of months in other languages: a short text may be mistaken for English."""
    for match in any_day().finditer(doc.text):
        yield in_tokens(doc, "DATE", *match.span())


@cache
def any_day() -> re.Pattern[str]:
    """Return the pattern of days of months in all languages but English."""
    months = {name for language in LANGUAGES for name in date_words(language).months}
    names = "|".join(sorted(months - {"august", "april"}, key=len, reverse=True))
    gap = r"(?:\.\s?|\s(?:de\s|di\s)?)"
    year = rf"(?:,?\s(?:del?\s)?{YEAR})?"
    return re.compile(rf"(?<!\w){DAY}{MARK}{gap}(?:{names})(?!\w){year}", re.I)


# -- dates, numbers, places ------------------------------------------------------------------------


@cache
def _date_forms(language: str) -> list[tuple[str, re.Pattern[str]]]:
    patterns = date_words(language).patterns()
    return [(kind, re.compile(rf"(?<!\w){form}", re.I)) for kind, form in patterns]


def dates_in(text: str, language: str) -> Iterator[Entity]:
    """Yield dates and times of day, in characters."""
    names = date_words(language)
    for kind, form in _date_forms(language):
        for match in form.finditer(text):
            if kind == "age" and int(match["n"]) < OLD:
                continue
            if kind == "month" and not (match["y"] or match["m"].lower() in names.months):
                continue
            yield Entity("TIME" if kind == "clock" else "DATE", *match.span())


@cache
def _forms(table: str, frame: str) -> list[tuple[str, re.Pattern[str]]]:
    """Compile the forms of a table. frame: regular expression around each form."""
    return [(label, re.compile(frame.format(form))) for label, form in forms(table, "foreign")]


def numbers_with_keys(text: str) -> Iterator[Entity]:
    """Yield numbers with a known form or key, in characters."""
    for label, form in _forms("number forms", r"(?<![\w.-]){}(?!\w)"):
        yield from (Entity(label, *match.span()) for match in form.finditer(text))
    for match in pattern("keyed", "foreign").finditer(text):
        yield Entity("ID", *match.span("code"))
    yield from numbers_in(text)


def addresses_in(text: str) -> Iterator[Entity]:
    """Yield streets, in characters."""
    for _, form in _forms("street forms", r"(?<!\w)(?:{})"):
        yield from (Entity("ADDRESS", *match.span()) for match in form.finditer(text))


def _places(text: str, language: str) -> Iterator[Entity]:
    """Yield firms and places, in characters."""
    for match in pattern("firms", "foreign").finditer(text):
        yield Entity("ORG", *match.span())
    for match in _known_places(language).finditer(text):
        yield Entity("GPE", *match.span())
    for match in pattern("placed", "foreign").finditer(text):
        town = match["town"]
        if any(_is_town(word, match["where"].lower(), language) for word in town.split()):
            start = match.start("town")
            yield Entity("GPE", start, start + len(_first_words(town, language)))


def _is_town(word: str, preposition: str, language: str) -> bool:
    """Return whether a word after a preposition is a town: a listed city or, after a preposition
    of place, a word that is not of the language (in German, also with a town's suffix)."""
    classes = builtin_lexicon().of(word)
    located = preposition in _foreign_words("LOCATIVES")
    ends = pattern("TOWN_ENDS", "foreign").fullmatch(word) is not None
    if "first_name" in classes or (
        _is_plain(word, language) and not ("city" in classes and located and ends and len(word) > 6)
    ):
        return False
    return "city" in classes or (located and (language != "de" or ends) and len(word) > 3)


def _first_words(town: str, language: str) -> str:
    """Return a town without words of the language at its end: German nouns have capitals."""
    words = town.split(" ")
    while len(words) > 1 and _is_plain(words[-1].strip("()"), language):
        words.pop()
    return " ".join(words)


@cache
def _known_places(language: str) -> re.Pattern[str]:
    names = listed_of(language, "towns") + listed_of(language, "countries")
    alternatives = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")


# -- persons ---------------------------------------------------------------------------------------


@cache
def _plain_names() -> dict[str, frozenset[str]]:
    """Return language -> names that are also words of the language, in lower case."""
    text = gzip.decompress((DATA / "plain_names.txt.gz").read_bytes()).decode()
    rows = iter(text.split("\n"))
    return {head.removeprefix("== "): frozenset(next(rows).split()) for head in rows}


def _is_plain(word: str, language: str) -> bool:
    lower = word.lower().rstrip(".")
    if lower in common_words(language):
        return True
    return lower in _plain_names()[language] and lower not in _foreign_words("SURE_SURNAMES")


def _classes(word: str, language: str) -> frozenset[str]:
    """Return the name classes of a capitalised word; none for words of the language."""
    bare = word.strip(".'’")
    short = len(bare) < 3 or (bare.isupper() and len(bare) < 5)
    if short or not bare[0].isupper() or _is_plain(bare, language):
        return frozenset()
    title = bare.capitalize() if bare.isupper() else bare
    classes = builtin_lexicon().of(title) & NAMES
    if not classes:
        parts = re.split(r"[-'’]", title)
        classes = NONE.union(*(builtin_lexicon().of(part.capitalize()) & NAMES for part in parts))
    if title.lower() in _foreign_words("SURE_SURNAMES"):
        classes |= {"surname"}
    return classes


def _persons(text: str, language: str) -> Iterator[tuple[int, int]]:
    for match in pattern("CUED", "foreign").finditer(text):
        yield match.span("name" if match["name"] else "birth")
    for run in pattern("NAME_RUN", "foreign").finditer(text):
        words = [
            (m[0], run.start() + m.start(), run.start() + m.end()) for m in _WORD.finditer(run[0])
        ]
        before = text[max(run.start() - 40, 0) : run.start()]
        yield from _names_in(words, language, before)


def _names_in(words: list[Word], language: str, before: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of persons in a run of adjacent words that follows the text `before`."""
    joint = _JOINT.search(before)
    last = (before.split() or [""])[-1].lower()
    i, titled = 0, _is_title(last) and not before.endswith("\n")
    if joint and _is_title((before[: joint.start()].split() or [""])[-1]):  # mevrouw van den Berg
        titled, words[0] = True, (words[0][0], words[0][1] - len(joint[0]), words[0][2])
    article = re.split("['’]", last)[0] in _foreign_words("ARTICLES")
    while i < len(words):
        word = words[i][0]
        if _is_title(word):
            titled, i = True, i + 1
            continue
        initial = _INITIAL.fullmatch(word) and i + 1 < len(words)
        end = i
        if titled or initial or _classes(word, language):
            sure = word.lower() in _foreign_words("SURE_SURNAMES")
            after_end = _ends(words[i - 1][0]) if i else _STARTS.search(before)
            # After an article ("Der Koch") or a sentence's end, one surname is weak evidence.
            starts = (bool(after_end) and not sure) or (not i and article)
            end = _end(words, i, language, titled=titled, starts=starts)
        if end > i:
            last, _, stop = words[end - 1]
            yield words[i][1], stop - _ends(last)
        i, titled = max(end, i + 1), False


def _ends(word: str) -> bool:
    """Return whether a word ends a sentence."""
    return word.endswith(".") and not (_INITIAL.fullmatch(word) or _is_title(word))


def _is_title(word: str) -> bool:
    return not _foreign_words("TITLES").isdisjoint({word.lower(), word.lower().rstrip(".")})


def _end(words: list[Word], i: int, language: str, *, titled: bool, starts: bool) -> int:
    """Return the end of the name that begins with the i-th word, or i if there is no name. A rare
    name alone at the start of a sentence is too little evidence."""
    first = _classes(words[i][0], language)
    end, k, unknown, joined = i + 1, i + 1, 0, False
    while k < len(words) and k < i + 7 and not _ends(words[k - 1][0]):
        word = words[k][0]
        if word.lower() in _foreign_words("PARTICLES") or _INITIAL.fullmatch(word):
            k, joined = k + 1, True
            continue
        listed = word[0].isupper() and bool(builtin_lexicon().of(word.rstrip(".'’")) & NAMES)
        named = bool(_classes(word, language)) or (listed and "first_name" in first)
        named = named or (joined and (titled or "first_name" in first))
        guess = not named and not unknown and not _is_plain(word, language) and word[0].isupper()
        if not named and not (guess and "first_name" in first):
            break
        unknown, joined = unknown + (not named), False
        end = k = k + 1
    word = words[i][0]
    plain = word.lower() in _plain_names()[language]
    frequent = word in builtin_lexicon().classes and "first_name" in first and not plain
    named = bool(first or builtin_lexicon().of(word.rstrip(".'’")) & NAMES)
    sure = frequent or end > i + 1 or (titled and (named or not _is_plain(word, language)))
    return end if sure or (first and not starts) else i
