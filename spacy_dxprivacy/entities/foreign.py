"""Recognise entities in German, French, Spanish, Dutch and Italian text.

Names are words of public lists that are not words of the language, and words that follow a title.
The regular expressions in data/entities/foreign.txt find dates, addresses and numbers. The rules of
`ruling` recognise English text.
"""

from __future__ import annotations

import gzip
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise, takewhile
from operator import itemgetter

from spacy.tokens import Doc

from ..about import DATA
from ..text.language import common_words, language_of_doc
from ..text.mentions import Entity, is_capitalised
from ..text.tokens import Tokens, text_of, texts_of
from .heads import head_of
from .labels import labels_in
from .phrases import identifiers_in, in_tokens, numbers_in
from .spoken import spoken_numbers_in
from .tables import (
    DAY,
    LANGUAGES,
    MARK,
    NAMES,
    NONE,
    TOP_AGE,
    YEAR,
    DateWords,
    date_words,
    expanded,
    forms,
    listed_of,
    pattern,
    sections,
    words,
)
from .weeks import are_weekdays, recurring_lines
from .words import builtin_lexicon

_WORD = re.compile(r"[^\s,;:()]+")
_INITIAL = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_a-zß-öø-ÿ][a-z]?\.-?){1,3}")
_JOINT = re.compile(
    r"(?<!\w)(?:van|von|de|der|den|die|di|del|della|du|ter|ten|te|zu|zur|'t|in)[ ]"
    r"(?:(?:de|der|den|het|'t|la|las|los|lo)[ ]){0,2}\Z"
)
_ARTICLE = re.compile(r"(?:la|las|los|lo)[ ]")
_NEXT = re.compile(r"(?:,|,?[ ](?:et|y|e|und|en))[ ](?:(?:de|del|el|la)[ ])?")
_STARTS = re.compile(r"(?:\A|[.!?:]|\n)\s*\Z")
_ELIDED = re.compile(r"\w{1,5}['’][a-zß-öø-ÿ]")  # L'impôt, Dell'arte
_COMMANDS = {"fr": ("ez",), "it": ("ate", "ete")}  # ends of verbs that open a sentence
MIN_CAPITALS = 4  # letters of a family name in capitals that no list has
MAX_GERMAN, MAX_GIVEN = 8, 12  # letters of a given name in no list
_OF_THE = frozenset({"des", "eines", "im", "am"})  # before a noun: "des Bauers Hof", "im Winter"
_UNSURE = frozenset({"apposed", "inverted", "kin"})  # groups of what may be no name
_INVERTED = re.compile(r"[^\s,;][^,;\n]*, (?P<given>[^,;\n]*[^\s,;])")  # Behrens, Maike
_AND_NAME = re.compile(r" (?:et|y|e|und|en|&) [^\W\d_a-zß-öø-ÿ]")
_AND = re.compile(r" (?:et|y|e|und|en|&) ")
_CALLED = re.compile(r"(?<![\w.'’-])(\w{3,8}) \(\Z")
_FOR = re.compile(r"(?<!\w)i\.[ ]?\Z")
_AT_COURT = re.compile(r"[ ](?:am|beim)[ ]\w{0,25}(?:gericht|hof)")
_ELISION = re.compile(r"\A\w{1,5}['’](?=\w\w)")
_SCORES = words("SCORES", "foreign")
_POINTS = re.compile(r"\d{1,2}/\d{1,2}(?:/\d{1,2})?", re.ASCII)
_LAST_WORD = re.compile(r"([^\W\d_]+)[ :=]{1,3}\Z")
_BEFORE_POINTS = re.compile(r"[ :=]{1,3}\d{1,2}/\d", re.ASCII)
_NUMBER_OF_YEAR = re.compile(r"\d{1,6}/\d{4}|\d{4}-\d{3,5}", re.ASCII)
_LINE_END = re.compile(r"[ \t.,]*(?:\n|\Z)")
_CLAUSE_END = re.compile(r"\s?[.,;:)!?\n]|\Z")
MAX_DAY, MAX_MONTH = 31, 12
MIN_TOWN = 3  # letters of a town that is found again
_DIARY = re.compile(r"^[ \t>*•–-]{0,9}(\d{1,2})\.(\d{1,2})\.:?(?=[ \t])", re.M | re.A)
_BEFORE_CLOCK = re.compile(
    r",?\s(?:(?:om|um|alle(?:\sore)?|ore|à|vers|a\slas?)\s\d|\d\d?[:.h]\d\d)", re.I
)
LEAD = 20  # characters before a day, in which its weekday stands
BEFORE_PERIOD = 60  # characters before a number that say that it is a period
_BEFORE_VALUE = re.compile(r"[ \t\u00a0\u202f]{0,3}[:=]")
_foreign_words = partial(cache(words), file="foreign")
Word = tuple[str, int, int]  # with its start and end in characters


def match_foreign(tokens: Tokens, language: str, stated: set[Entity]) -> set[Entity]:
    """Return the entities of a text in the language. stated: values that a label names."""
    text = tokens.text
    entities = {*dates_in(text, language), *numbers_with_keys(text), *addresses_in(text)}
    entities |= {*_places(text, language)}
    entities |= {*_towns_again(text, language, entities)}
    entities |= {*spoken_numbers_in(text, language)}
    # A number with the key or the form of an identifier is not a telephone number, nor a month or
    # a year with a number.
    identifiers = [entity for entity in entities if entity.label == "ID"]
    entities -= {entity._replace(label="PHONE") for entity in identifiers}
    entities -= {
        entity._replace(label="DATE")
        for entity in identifiers
        if _NUMBER_OF_YEAR.fullmatch(text, entity.start, entity.end)
    }
    entities = {e for e in entities if not (_is_scored(text, e) or _is_period(text, e))}
    entities -= {*_weekdays_of_weeks(text, entities)}
    taken = {
        place
        for label, start, end in entities
        if label in ("ADDRESS", "ORG")
        for place in range(start, end)
    }
    persons = (span for span in _persons(text, language) if not _is_score(text, *span))
    named = ((s, end) for s, end in persons if not {s, end - 1} <= taken)
    entities |= {Entity("PERSON", *span) for span in named}
    labels = {*labels_in(text)}
    entities = {e for e in entities if not (e[1:] in labels or _is_key(text, *e))}
    phones = {entity._replace(label="PHONE") for entity in stated if entity.label == "ID"}
    return ({in_tokens(tokens.doc, *entity) for entity in entities} | stated) - phones


def ends_of_elided(doc: Doc) -> list[int]:
    """Return the ends of the words of a French or Italian text that an apostrophe joins to a
    capital, in characters: d' of "d'Inès", where English tokenizers leave one token."""
    ends = [match.end() for match in pattern("ELISION", "foreign").finditer(text_of(doc))]
    return ends if ends and language_of_doc(doc) in ("fr", "it") else []


def _weekdays_of_weeks(text: str, entities: set[Entity]) -> Iterator[Entity]:
    """Yield the weekdays that say when something recurs: Montag bis Freitag."""
    lines = recurring_lines(text)
    for entity in entities if lines else ():
        label, start, end = entity
        i = bisect_right(lines, start, key=itemgetter(0)) - 1
        if label == "DATE" and i >= 0 and end <= lines[i][1] and are_weekdays(text[start:end]):
            yield entity


def _is_scored(text: str, entity: Entity) -> bool:
    """Return whether numbers that may be a date are points of a score: Apgar 8/9/10."""
    label, start, end = entity
    if label != "DATE" or not _POINTS.fullmatch(text, start, end):
        return False
    word = _LAST_WORD.search(text[max(start - 24, 0) : start])
    return word is not None and word[1].lower() in _SCORES


def _is_period(text: str, entity: Entity) -> bool:
    """Return whether the words beside what may be a time of day say that it is a period: pendant
    3 heures, Dauer 2:15 h."""
    label, start, end = entity
    if label != "TIME":
        return False
    before = text[max(start - BEFORE_PERIOD, 0) : start]
    return bool(pattern("BEFORE_PERIOD").search(before) or pattern("AFTER_PERIOD").match(text, end))


def _is_score(text: str, start: int, end: int) -> bool:
    """Return whether a name is that of a score, with its points behind it: Apgar 9/10."""
    is_score = text[start:end].lower() in _SCORES
    return is_score and _BEFORE_POINTS.match(text, end) is not None


def _is_key(text: str, label: str, start: int, end: int) -> bool:
    """Return whether a name is the key of a form at the head of a line: Ville : Nantes."""
    if label not in ("PERSON", "GPE") or not _BEFORE_VALUE.match(text, end):
        return False
    is_first = not text[text.rfind("\n", 0, start) + 1 : start].strip(" \t>*•-|")
    return is_first and head_of(text[start:end]) is not None


def without_words(doc: Doc, mentions: list[Entity]) -> list[Entity]:
    """Return further mentions without words of the language: in a text whose sentences begin with
    capitals, "le petit Lucas" is no mention of M. Petit, nor "im Sommer" of Herr Sommer."""
    persons = [mention for mention in mentions if mention.label == "PERSON"]
    small = {m for m in persons if doc[m.start : m.end].text.islower()}
    behind = {m for m in persons if _is_behind_article(doc, m.start)}
    language = language_of_doc(doc) if small or behind else "en"
    if language == "en" or not is_capitalised(text_of(doc), least=1):
        return mentions
    words = common_words(language) | _plain_names()[language]
    words |= _foreign_words(f"SURE_SURNAMES {language}")
    words |= {*date_words(language).months, *date_words(language).weekdays}
    if not is_capitalised(text_of(doc), least=1, share=1.0):
        words = frozenset()
    words |= {doc[m.start : m.end].text for m in small & behind}  # le boulanger du quartier
    dropped = {m for m in small if doc[m.start : m.end].text in words}
    if language == "de":
        nouns = {m for m in behind - small if doc[m.start].lower_ in _plain_names()["de"]}
        titled = _titled_words(doc) if nouns else frozenset()
        dropped |= {m for m in nouns if m.end == m.start + 1 and doc[m.start].text in titled}
    return [mention for mention in mentions if mention not in dropped]


def _is_behind_article(doc: Doc, i: int) -> bool:
    """Return whether a token stands behind an article or a possessive, in whatever tokens: English
    tokenizers split "im"."""
    found = _LAST_WORD.search(doc[max(i - 2, 0) : i].text_with_ws) if i else None
    word = found[1].lower() if found else ""
    return word in _foreign_words("ARTICLES") or word in _foreign_words("POSSESSIVES")


def _titled_words(doc: Doc) -> frozenset[str]:
    """Return the words of a Doc that stand behind a title or a given name."""
    texts = texts_of(doc)
    first_names = {word for word in {*texts} if "first_name" in builtin_lexicon().of(word)}
    return frozenset(
        word
        for before, word in pairwise(texts)
        if word.istitle() and (before in first_names or is_title(before))
    )


def match_foreign_days(tokens: Tokens) -> Iterator[Entity]:
    """Yield days of months in other languages, with their weekday: a short text may be mistaken for
    English, and the head of a mail may have one (Montag, 4. März)."""
    for match in any_day().finditer(tokens.text):
        start = match.start()
        lead = _any_weekday().search(tokens.text[max(start - LEAD, 0) : start])
        yield in_tokens(tokens.doc, "DATE", start - (len(lead[0]) if lead else 0), match.end())


@cache
def _any_weekday() -> re.Pattern[str]:
    """Return the pattern of weekdays in all languages but English, before their day."""
    weekdays = {name for language in LANGUAGES for name in date_words(language).weekdays}
    names = "|".join(sorted(weekdays, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{names})(?:,|\.)?\s(?:(?:den|dem|le|el|il)\s)?\Z", re.I)


@cache
def any_day() -> re.Pattern[str]:
    """Return the pattern of days of months in all languages but English, and of no score before a
    name: lost 3-1. Mai was sad."""
    months = {name for language in LANGUAGES for name in date_words(language).months}
    names = "|".join(sorted(months - {"august", "april"}, key=len, reverse=True))
    gap = r"(?:\.\s?|\s(?:de\s|di\s)?)"
    year = rf"(?:,?\s(?:del?\s)?{YEAR})?"
    return re.compile(rf"(?<![\w:])(?<!\d[-–/.]){DAY}{MARK}{gap}(?:{names})(?!\w){year}", re.I)


# -- dates, numbers, places ------------------------------------------------------------------------


@cache
def _date_forms(language: str) -> list[tuple[str, re.Pattern[str]]]:
    patterns = date_words(language).patterns()
    return [(kind, re.compile(rf"(?<!\w){form}", re.I)) for kind, form in patterns]


def dates_in(text: str, language: str) -> Iterator[Entity]:
    """Yield dates and times of day, in characters."""
    names, diary = date_words(language), _days_of_diary(text) if language == "de" else frozenset()
    for kind, form in _date_forms(language):
        before = -1  # where the last day of two numbers ends
        for match in form.finditer(text):
            if kind == "age" and int(match["n"]) < TOP_AGE:
                continue
            if kind == "numeric":
                if match.start() not in diary and not _is_day(match, language, before):
                    continue
                before = match.end()
            if kind == "month" and not _is_month(match, names):
                continue
            yield Entity("TIME" if kind == "clock" else "DATE", *match.span())


def _is_month(match: re.Match[str], names: DateWords) -> bool:
    """Return whether the name of a month is one: with a year, or written out, and no family name
    behind a title as in "Frau März"."""
    if match["y"]:
        return True
    word = match.string[max(match.start() - 24, 0) : match.start()].split()[-1:]
    is_named = match["m"][0].isupper() and any(map(is_of_family, word))
    return match["m"].lower() in names.months and not is_named


@cache
def _beside_days(language: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns of what stands before a day of two numbers, between two of them, behind a
    fraction, which is none, and before a day and month of two digits each."""
    names = date_words(language)
    on = "|".join((names.on, *names.weekdays))
    return (
        re.compile(rf"(?<!\w)(?:{on})[.:,]{{0,2}}\s?(?:{names.on})?\s?\Z", re.I),
        re.compile(rf"\s?(?:[-–/,&+]|{names.to}|{names.conjunction})\s?", re.I),
        re.compile(
            r"\s?(?:%|[dl]['’]|(?:de[lrsn]?|des|du|dei|degli|di|dos|van|von|sur|su|sobre)\b)"
        ),
        re.compile(rf"(?<!\w)(?:{names.short})(\.?),?\s\Z", re.I),
    )


def _is_day(match: re.Match[str], language: str, before: int) -> bool:
    """Return whether two numbers are a day of a month: after a word as "am" or a day of the week,
    after another such day (am 24.12. und 31.12.), or padded in German (04.05.).

    before: Where the last such day ends; -1 if there is none.
    """
    text, start, day, month = match.string, match.start(), match["a"], match["b"]
    exists = 1 <= int(day) <= 31 and 1 <= int(month) <= 12
    if not exists or (start and text[start - 1] in ".,/-"):
        return False
    names, (cue, between, of, short) = date_words(language), _beside_days(language)
    if match["s"] != "." and of.match(text, match.end()):
        return False
    weekday = short.search(text[max(start - 12, 0) : start])
    has_four, is_surely = len(day + month) == 4, weekday is not None and _is_surely_day(match)
    if match["s"] == "-" and not (has_four or is_surely or _is_hyphenated_day(match, names)):
        return False
    if before >= 0 and between.fullmatch(text, before, start):
        return True
    if cue.search(text[max(start - 24, 0) : start]):
        return True
    if weekday and (has_four or weekday[1] or is_surely):
        return True
    is_padded = has_four and "0" in (day + month).replace("10", "")
    return language == "de" and match["s"] == "." and is_padded


def _is_surely_day(match: re.Match[str]) -> bool:
    """Return whether two numbers behind the short form of a weekday, which may be another word, are
    more than one of one (13/3), or stand before a time of day: lun 3/4 alle 9."""
    is_improper = int(match["a"]) > MAX_MONTH
    return is_improper or _BEFORE_CLOCK.match(match.string, match.end()) is not None


def _days_of_diary(text: str) -> frozenset[int]:
    """Return where the days begin that head lines of a diary: "12.3. Aufnahme", "13.3. OP". No day
    is before the one above it (unless a year begins), and at least one is no number of a section
    behind the one above it: 1.1., 1.2., 2.1."""
    heads = [(m.start(1), (int(m[2]), int(m[1]))) for m in _DIARY.finditer(text)]
    pairs = [*pairwise(day for _, day in heads)]
    if not all(1 <= month <= MAX_MONTH and 1 <= day <= MAX_DAY for _, (month, day) in heads):
        return frozenset()
    is_back = any(one > other and one[0] - other[0] < MAX_MONTH - 1 for one, other in pairs)
    if is_back or all(map(_are_sections, pairs)):
        return frozenset()
    return frozenset(start for start, _ in heads)


def _are_sections(days: tuple[tuple[int, int], tuple[int, int]]) -> bool:
    """Return whether a month and day, and those below it, may be numbers of sections."""
    (month, day), (month_below, day_below) = days
    return (day_below == day and month_below > month) or (day_below > day and month_below == 1)


def _is_hyphenated_day(match: re.Match[str], names: DateWords) -> bool:
    """Return whether two numbers with a hyphen are neither a range nor a score: a number that is
    none of a month comes first (14-3), or they end a clause behind a word as "op"."""
    text, start = match.string, match.start()
    if int(match["a"]) > MAX_MONTH:
        return True
    ends = _CLAUSE_END.match(text, match.end()) is not None
    return (
        ends
        and re.search(rf"\b(?:{names.hyphenated})\s\Z", text[max(start - 12, 0) : start])
        is not None
    )


@cache
def _forms(table: str, frame: str) -> list[tuple[str, re.Pattern[str]]]:
    """Compile the forms of a table. frame: regular expression around each form."""
    return [(label, re.compile(frame.format(form))) for label, form in forms(table, "foreign")]


def numbers_with_keys(text: str) -> Iterator[Entity]:
    """Yield numbers with a known form or key, in characters."""
    for label, form in _forms("number forms", r"(?<![\w.-]){}(?!\w)"):
        yield from (Entity(label, *match.span()) for match in form.finditer(text))
    for table in ("keyed", "keyed parts"):
        for match in pattern(table, "foreign").finditer(text):
            yield Entity("ID", *match.span(match.lastgroup or 0))
    yield from (found for found in identifiers_in(text) if found.label == "ID")
    yield from numbers_in(text)


def addresses_in(text: str) -> Iterator[Entity]:
    """Yield streets and postal codes, in characters; without a label at the head of a line."""
    for _, form in _forms("street forms", r"(?<!\w)(?:{})"):
        for start, end in (match.span() for match in form.finditer(text)):
            line = text.rfind("\n", start, end)
            is_labelled = line >= 0 and begins_with_label(text, line + 1)
            yield Entity("ADDRESS", start, line if is_labelled else end)


# The key of a form, or the first cell of a row: words of which only the first has a capital.
_LABEL = re.compile(
    rf"[ \t>|*•-]{{0,9}}[^\W\d_][\w.'’/-]{{0,40}}(?: (?!{expanded('UP')})[\w.'’/()-]{{1,40}})"
    r"{0,4} {0,3}[:=|\t]"
)
_TO_COLON = re.compile(r"[^\n:=]{1,60}(?=[:=])")


def begins_with_label(text: str, place: int = 0) -> bool:
    """Return whether a label and a colon or the mark of a cell follow a place of a text."""
    if _LABEL.match(text, place):
        return True
    key = _TO_COLON.match(text, place)
    return key is not None and head_of(key[0]) is not None


def _places(text: str, language: str) -> Iterator[Entity]:
    """Yield firms and places, in characters."""
    for match in pattern("firms", "foreign").finditer(text):
        yield Entity("ORG", *match.span())
    for match in _known_places(language).finditer(text):
        if not _is_meal(match):
            yield Entity("GPE", *match.span())
    for match in pattern("placed", "foreign").finditer(text):
        town = match["town"]
        if match["where"].lower() not in _prepositions(language) or _is_person(town, language):
            continue
        if _is_addressee(match):
            yield Entity("PERSON", match.start("town"), match.end())
        elif any(_is_town(word, match["where"].lower(), language) for word in town.split()):
            start = match.start("town")
            end = start + len(_first_words(town, language))
            # à 1000 Bruxelles
            coded = match["code"] is not None
            yield (
                Entity("ADDRESS", match.start("code"), end) if coded else Entity("GPE", start, end)
            )


def _is_person(town: str, language: str) -> bool:
    """Return whether what looks like a town behind "a" or "à" is somebody: Mme Vauquelin, Paco, a
    given and a family name."""
    words = town.split()
    if is_title(words[0]) or words[0].lower() in _foreign_words(f"SURE_FIRST {language}"):
        return True
    classes = [builtin_lexicon().of(word) for word in (words[0], words[-1])]
    last = classes[1] | _classes(words[-1], language)
    return len(words) > 1 and "first_name" in classes[0] and "surname" in last


def _is_addressee(match: re.Match[str]) -> bool:
    """Return whether a word behind "a" or "à" is somebody whom a verb before it may have: "avisar a
    Montse". A listed town is a town."""
    text, start = match.string, match.start()
    if match["where"] not in ("a", "à") or match["code"]:
        return False
    if "city" in builtin_lexicon().of(match["town"].split()[0]):
        return False
    return (
        pattern("BEFORE_ADDRESSEE", "foreign").search(text, max(start - 20, 0), start) is not None
    )


def _is_meal(match: re.Match[str]) -> bool:
    """Return whether a town is rather the German word for a meal: "Essen heute", "das Essen"."""
    text, start = match.string, match.start()
    if match[0] != "Essen":
        return False
    before = re.split(r"\s+", text[max(start - 20, 0) : start].rstrip())[-1].lower()
    named = before in _prepositions("de") or text[start - 2 : start] == ", "
    starts = _STARTS.search(text[max(start - 40, 0) : start]) is not None
    return not named and (starts or before in ("das", "dem", "zum"))


@cache
def _prepositions(language: str) -> frozenset[str]:
    """Return the prepositions of a language before a town: Dutch "en" is none."""
    rows = dict(line.split(": ") for line in sections("foreign")["prepositions"])
    return frozenset(rows[language].split("|"))


def _is_town(word: str, preposition: str, language: str) -> bool:
    """Return whether a word after a preposition is a town: a listed city or, after a preposition
    of place, a word that is not of the language (in German, also with a town's suffix)."""
    classes = builtin_lexicon().of(word)
    located = preposition in _foreign_words("LOCATIVES")
    ends = pattern("TOWN_ENDS", "foreign").fullmatch(word) is not None
    if "first_name" in classes or (
        is_plain_in(word, language)
        and not ("city" in classes and located and ends and len(word) > 6)
    ):
        return False
    is_noun = pattern("NO_TOWN_ENDS", "foreign").fullmatch(word.lower()) is not None
    if (not classes and is_noun) or word.lower() in _foreign_words("EPONYMS"):
        return False
    return "city" in classes or (located and (language != "de" or ends) and len(word) > 3)


def _first_words(town: str, language: str) -> str:
    """Return a town without words of the language at its end: German nouns have capitals."""
    words = town.split(" ")
    while len(words) > 1 and is_plain_in(words[-1].strip("()"), language):
        words.pop()
    return " ".join(words)


def _towns_again(text: str, language: str, entities: set[Entity]) -> Iterator[Entity]:
    """Yield the further mentions of the towns of addresses (94315 Straubing. In Straubing), and the
    towns of lines of place and date."""
    addresses = [(start, end) for label, start, end in entities if label == "ADDRESS"]
    towns = {town for span in addresses for town in _towns_of(text, *span, language)}
    days = {start: end for label, start, end in sorted(entities) if label == "DATE"}
    for match in pattern("place and date", "foreign").finditer(text) if days else ():
        ends_line = _LINE_END.match(text, days.get(match.end(), 0)) is not None
        if match.end() in days and ends_line and _is_before_day(match, towns, language):
            yield Entity("GPE", *match.span("town"))
    by_word: dict[str, list[str]] = {}
    for town in sorted(towns, key=len, reverse=True):
        if len(town) >= MIN_TOWN and not is_plain_in(town, language):
            by_word.setdefault(town.split(" ")[0], []).append(town)
    within = {place for span in addresses for place in range(*span)} if by_word else set()
    for match in pattern("TOWN_WORD", "foreign").finditer(text) if by_word else ():
        start = match.start()
        town = next((t for t in by_word.get(match[0], ()) if text.startswith(t, start)), "")
        end = start + len(town)
        if town and start not in within and not text[end : end + 1].isalnum():
            yield Entity("GPE", start, end)


def _towns_of(text: str, start: int, end: int, language: str) -> Iterator[str]:
    """Yield the town of an address, also without words of the language behind it."""
    for match in pattern("coded town", "foreign").finditer(text, start, end):
        town = (match["town"] or match["before"]).partition(" (")[0]
        yield from {town, _first_words(town, language)}


def _is_before_day(match: re.Match[str], towns: set[str], language: str) -> bool:
    """Return whether a word before a day, at the head of a line, is a town: that of an address, one
    that a list has, or before an article no word of the language ("Straubing, den 3. Mai")."""
    town = match["town"]
    if town in towns or "city" in builtin_lexicon().of(town):
        return True
    is_word = is_plain_in(town, language) or town.lower() in date_words(language).weekdays
    return match["article"] is not None and not is_word


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


def is_plain_in(word: str, language: str) -> bool:
    """Return whether a word is an ordinary one of a language other than English."""
    lower = word.lower().rstrip(".")
    if lower in common_words(language) or lower in _foreign_words("OFFICES"):
        return True
    if lower in _foreign_words("EPONYMS"):
        return True
    return lower in _plain_names()[language] and lower not in _sure_names(language)


@cache
def _sure_names(language: str) -> frozenset[str]:
    """Return the names that count as such although the language has such words."""
    return _foreign_words(f"SURE_SURNAMES {language}") | _foreign_words(f"SURE_FIRST {language}")


def _classes_listed(title: str, language: str) -> frozenset[str]:
    """Return the name classes of a word by the lists of names."""
    given = title.lower() in _foreign_words(f"SURE_FIRST {language}")
    return builtin_lexicon().of(title) & NAMES | ({"first_name"} if given else NONE)


def _classes(word: str, language: str) -> frozenset[str]:
    """Return the name classes of a capitalised word; none for words of the language."""
    bare = word.strip(".'’")
    short = len(bare) < 3 or (bare.isupper() and len(bare) < 5) or _ELIDED.match(bare)
    if short or not bare[0].isupper() or is_plain_in(bare, language):
        return frozenset()
    title = bare.capitalize() if bare.isupper() else bare
    classes = _classes_listed(title, language)
    if not classes:
        parts = [part.capitalize() for part in re.split(r"[-'’]", title) if len(part) > 1]
        is_joined = "'" in title and not title.startswith(("Dell'", "Dall'"))  # Dell'Orto
        plain = is_joined and any(is_plain_in(part, language) for part in parts)
        of_parts = [] if plain else [_classes_listed(part, language) for part in parts]
        classes = NONE.union(*of_parts) if all(of_parts) else NONE
    if _is_sure(title, language) and "first_name" not in classes:
        classes |= {"surname"}
    if not classes and (_has_form(title, language) or (language == "de" and _is_genitive(bare))):
        classes = frozenset({"surname"})
    return classes


@cache
def _surname_forms() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(form) for name, form in forms("surname forms", "foreign")}


def _has_form(word: str, language: str) -> bool:
    """Return whether a word has the form of family names of the language: Goikoetxea."""
    form = _surname_forms().get(language)
    return form is not None and form.fullmatch(word.lower()) is not None


def _is_genitive(word: str) -> bool:
    """Return whether a German word is a name with an s, and is itself no first name and no place:
    Krauses."""
    base = word[:-1]
    if not word.endswith("s") or len(word) < 5 or not base[1:].islower():
        return False
    itself = builtin_lexicon().of(word)
    of_base = builtin_lexicon().of(base)
    is_place = "city" in of_base and base.lower() not in _sure_names("de")
    return not (itself & NAMES or is_place or is_plain_in(base, "de")) and bool(of_base & NAMES)


def _owns(words: list[Word], i: int, language: str) -> bool:
    """Return whether the i-th word is a German name in the genitive before what somebody has, also
    if it is a word of the language: Schneiders Nummer."""
    word = words[i][0]
    if language != "de" or not word.endswith("s") or i + 1 == len(words) or _ends(word):
        return False
    if "first_name" in _classes_listed(word, "de"):
        return False
    after = words[i + 1][0]
    is_thing = after[0].isupper() and not (_classes(after, "de") or is_title(after))
    return _is_genitive(word) or (is_thing and bool(_classes(word[:-1], "de")))


def _is_sure(word: str, language: str) -> bool:
    """Return whether a capitalised word is a name wherever it stands: a frequent surname, or a word
    with a letter that the language does not write."""
    lower = word.lower()
    if lower in _foreign_words(f"SURE_SURNAMES {language}"):
        return True
    return not word.isascii() and not _letters(language).issuperset(lower)


@cache
def _letters(language: str) -> frozenset[str]:
    marked = dict(line.split(": ") for line in sections("foreign")["letters"])
    return frozenset("abcdefghijklmnopqrstuvwxyz-'’.·" + marked[language])


def _persons(text: str, language: str) -> Iterator[tuple[int, int]]:
    for match in pattern("CUED", "foreign").finditer(text):
        start, end = match.span(match.lastgroup or 0)
        if match["signer"]:
            yield match.span("signed")
        start = _behind_titles(text, start, end)
        end = _before_sentence(text, start, end)
        if match.lastgroup == "kin":
            end = _before_words(text, start, end, language)
        if match.lastgroup in _UNSURE and not _is_named_by(match, language):
            continue
        family, comma, given = text[start:end].partition(",")
        is_inverted = family.isupper() or "first_name" in _classes(given.strip(), language)
        yield start, end if is_inverted or not comma else start + len(family)
    yield from _inverted_names(text, language)
    listed_to = -1  # end of the last name of a list that began with a title of several persons
    named_to = -1  # end of the last name of the run before
    for run in pattern("NAME_RUN", "foreign").finditer(text):
        words = [*_words_in(text, *run.span())]
        before = text[max(run.start() - 40, 0) : run.start()]
        goes_on = listed_to >= 0 and _NEXT.fullmatch(text, listed_to, run.start()) is not None
        titles = (_words_of(before)[-1:] or [""])[0], words[0][0]
        several = not _foreign_words("TITLES_OF_SEVERAL").isdisjoint(map(_bare, titles))
        line = Run(words, before, text[run.end() : run.end() + 30], several or goes_on, goes_on)
        names = [*_names_in(line, language)] or [*_companion(text, named_to, words, language)]
        named_to = names[-1][1] if names else -1
        yield from names
        for start, end in names:
            yield from _nickname(text, start, end, language)
        listed_to = names[-1][1] if names and line.several else -1


def _inverted_names(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield the names of lines of names with the family name first, behind a key, or of which one
    has a given name: "Cc: Behrens, Maike; Thees, Rüdiger"."""
    for match in pattern("INVERTED_LIST", "foreign").finditer(text) if ", " in text else ():
        names = [*_INVERTED.finditer(text, *match.span("list"))]
        given = [name["given"].split()[0] for name in names]
        listed = [word for word in given if "first_name" in _classes(word, language)]
        if match["key"] or (listed and len(names) > 1):
            yield from (name.span() for name in names)


def _is_named_by(match: re.Match[str], language: str) -> bool:
    """Return whether a word that stands beside kin or a role, or behind words in capitals, is a
    name: the former no word of the language, the latter a first name."""
    if match["kin"]:
        word = match["kin"].split()[0]
        return _may_be(word, language) and not (is_title(word) or _is_office(word))
    if match["inverted"]:
        family, _, given = match["inverted"].rpartition(", ")
        if len(family) < MIN_CAPITALS and not _classes_listed(family.capitalize(), language):
            return False
        given = given.split()[0]
        return "first_name" in builtin_lexicon().of(given) | _classes(given, language)
    word = match["apposed"].split()[0]
    if is_title(word) or _is_office(word):
        return False
    return bool(_classes(word, language)) or not is_plain_in(word, language)


def _companion(
    text: str, named_to: int, words: list[Word], language: str
) -> Iterator[tuple[int, int]]:
    """Yield the span of a word in no list that a conjunction joins to a name: Jelle en Wytske."""
    word, start, end = words[0]
    if named_to >= 0 and _AND.fullmatch(text, named_to, start):
        bare = word.rstrip(".")
        if _may_be_given(bare, language):
            yield start, end - (len(word) - len(bare))


def _nickname(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int]]:
    """Yield the span of a nickname before a full name in brackets: Truus (Geertruida Hoekstra)."""
    if text[end : end + 1] != ")" or text[start - 2 : start] != " (" or " " not in text[start:end]:
        return
    called = _CALLED.search(text, max(start - 12, 0), start)
    if called and _may_be_given(called[1], language):
        yield called.span(1)


def _behind_titles(text: str, start: int, end: int) -> int:
    """Return the start of a name behind the titles and kin with which a text begins: Dein Enkel."""
    owned = False  # behind a possessive, where a role is no family name
    for word in _WORD.finditer(text, start, end):
        lower = word[0].lower()
        is_role = owned and lower in _foreign_words("ROLES")
        is_possessive = lower in _foreign_words("POSSESSIVES")
        if not (is_title(word[0]) or is_possessive or is_role or lower in _foreign_words("KIN")):
            return word.start()
        owned = owned or is_possessive
    return start


def _before_words(text: str, start: int, end: int, language: str) -> int:
    """Return the end of a name before words of the language: Ante, of "Ante Fußball"."""
    last = start
    for word in _WORD.finditer(text, start, end):
        if word[0][0].isupper() and not _may_be(word[0], language):
            break
        last = word.end() if word[0][0].isupper() else last
    return max(last, start)


def _before_sentence(text: str, start: int, end: int) -> int:
    """Return the end of a name before the next sentence: Joris, of "Joris. De arts"."""
    ends = (word.end() - 1 for word in _WORD.finditer(text, start, end) if _ends(word[0]))
    return next(ends, end)


def _words_in(text: str, start: int, end: int) -> Iterator[Word]:
    """Yield the words of a part of a text, without what an apostrophe joins to a capital."""
    for match in _WORD.finditer(text, start, end):
        first = match.start()
        if "'" in match[0] or "’" in match[0]:
            elided = pattern("ELISION", "foreign").match(text, first, end)
            first = elided.end() if elided else first
        yield text[first : match.end()], first, match.end()


def _words_of(text: str) -> list[str]:
    """Return the words at the end of a text, with those behind an apostrophe apart."""
    return re.split(r"[\s'’(\"«“]+", text.rstrip(" \t"))


def _bare(word: str) -> str:
    return word.lower().rstrip(".")


@dataclass(frozen=True)
class Run:
    """Adjacent words of which some may be names, and the text beside them.

    several: Whether they are part of a list of persons. listed: Whether the list began before.
    """

    words: list[Word]
    before: str
    after: str
    several: bool
    listed: bool

    @property
    def starts(self) -> bool:
        """Return whether a sentence or a line starts with the run."""
        return _STARTS.search(self.before) is not None


def _names_in(run: Run, language: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of persons in a run."""
    words, before = run.words, run.before
    joint = _JOINT.search(before)
    last = _words_of(before)[-1]
    i, titled = 0, run.listed or (is_title(last) and not before.endswith("\n"))
    if joint and _is_before_family(_words_of(before[: joint.start()])[-1], joint[0]):
        titled, words[0] = True, (words[0][0], words[0][1] - len(joint[0]), words[0][2])
    article = re.split("['’]", (before.split() or [""])[-1].lower())[0] in _foreign_words(
        "ARTICLES"
    )
    while i < len(words):
        word = words[i][0]
        joins = run.several and word == "y"
        role = language == "de" and (_is_role(words, i) or _acts_for(run, i))
        joins = joins or role or _bare(word) in _foreign_words("KIN")
        if joins or (is_title(word) and not (i + 1 == len(words) and titled)):
            titled, i = True, i + 1
            continue
        end, noble = i, _particles_of_family(run, i, language) if titled else 0
        with_somebody = not i and last.lower() in _foreign_words("BEFORE_PERSONS")
        opened = titled or with_somebody or _is_opened(run, i, language)
        if noble or (opened and not _is_function_word(word)) or _named(words, i, language):
            sure = _is_surely_named(run, i, language)
            after_end = _ends(words[i - 1][0]) if i else run.starts
            # After an article ("Der Koch") or a sentence's end, one surname is weak evidence.
            behind = words[i - 1][0].lower() in _OF_THE if i else article
            starts = (bool(after_end) and not sure) or behind
            part = words[: _join(words, i)] if run.several else words
            end = _end(part, i + noble, language, titled=opened, starts=starts)
            end = max(end, i + noble + 1) if noble else end
        if end == i and titled and _is_called(run, i, language):
            end = i + 1
        if end > i:
            last, _, stop = words[end - 1]
            yield words[i][1], stop - _ends(last)
        i, titled = max(end, i + 1), False


def _is_before_family(word: str, particles: str) -> bool:
    """Return whether particles behind a word begin a family name: mevrouw van den Berg. Behind a
    title that may be of a place, an article is none of a name: el fiscal de la Corona."""
    has_article = _ARTICLE.search(particles) is not None
    return is_title(word) and (_bare(word) in _foreign_words("ADDRESSED") or not has_article)


def _is_surely_named(run: Run, i: int, language: str) -> bool:
    """Return whether the i-th word is a name also at the start of a sentence: by its form, as the
    owner of what follows, or as a first name that a conjunction joins to another (Jelle en Wytske).
    """
    words, word = run.words, run.words[i][0]
    if _is_sure(word, language) or _owns(words, i, language):
        return True
    if language == "de" and _is_genitive(word):
        return True
    is_last = i + 1 == len(words)
    joined = is_last and _AND_NAME.match(run.after)
    return bool(joined) and "first_name" in _classes(word, language)


def _is_role(words: list[Word], i: int) -> bool:
    """Return whether the i-th word is a German job or rank before a name: Studienrätin Vierck. One
    that may be a family name, by a list or its form, stands before a first and a family name."""
    word, following = words[i][0], words[i + 1 : i + 3]
    is_listed = word.lower() in _foreign_words("ROLES")
    noble = i + 1 + len(_particles(words, i + 1))
    if is_listed and i + 1 < noble < len(words):
        listed = builtin_lexicon().of(words[noble][0].rstrip("."))
        return words[i + 1][0] in ("von", "van") and "surname" in listed
    if not following or _ends(word) or not following[0][0][0].isupper():
        return False
    if not is_listed and not pattern("ROLE_WORD", "foreign").fullmatch(word.lower()):
        return False
    after = following[0][0]
    is_full = len(following) > 1 and following[1][0][0].isupper() and not _ends(after)
    is_given = "first_name" in builtin_lexicon().of(after)
    if builtin_lexicon().of(word) & NAMES:
        ranked = i > 0 and words[i - 1][0].lower() in _foreign_words("ROLES")
        return (is_full and is_given) or is_title(after) or (ranked and not is_given)
    return is_listed or is_full or not is_given or word.lower().endswith(("in", "frau"))


def _acts_for(run: Run, i: int) -> bool:
    """Return whether the i-th word says that someone signs for another (i. A. Sabine Thieme), or is
    the office of a judge (Richter am Amtsgericht Dr. Meinhold)."""
    word, is_last = run.words[i][0], i + 1 == len(run.words)
    if not i and word in ("A.", "V."):
        return not is_last and _FOR.search(run.before) is not None
    is_judge = word.lower() in _foreign_words("ROLES")
    return is_last and is_judge and _AT_COURT.match(run.after) is not None


def _particles_of_family(run: Run, i: int, language: str) -> int:
    """Return the number of particles from the i-th word on that begin a family name behind a title:
    2 for Frau von der Leyen. Behind an article in German (dem Richter von der Osten)
    a list of names has to have the name."""
    words = run.words
    particles = _particles(words, i)
    noble = i + len(particles)
    if noble == len(words) or not particles or particles[0] not in _foreign_words("BEFORE_FAMILY"):
        return 0
    earlier = [*(_words_of(run.before) or [""])[-2:], *(word for word, _, _ in words[:i])][-2:]
    word, call = words[noble][0], _bare(earlier[-1])
    known = builtin_lexicon().of(word.rstrip(".'’"))
    is_any = earlier[0].lower() in _foreign_words("ARTICLES")
    if call not in _foreign_words("ADDRESSED") or (language == "de" and is_any):
        may_be = language == "de" and "surname" in known and "city" not in known
        return len(particles) * may_be
    is_plain = is_plain_in(word, language) and "surname" not in known
    is_noun = _is_german_noun(word) if language == "de" else is_plain
    return 0 if is_noun else len(particles)


def _is_called(run: Run, i: int, language: str) -> bool:
    """Return whether the i-th word is a German noun right after Herr, Frau or Dr.: there it is a
    family name. Behind an article, Frau may be any woman. So is a listed one after a title and
    particles: la señora de la Fuente."""
    words = run.words
    if words[i][2] - words[i][1] > len(words[i][0]):
        return "surname" in builtin_lexicon().of(words[i][0].rstrip("."))
    before = words[i - 1][0] if i else _words_of(run.before)[-1]
    word, call = words[i][0], before.lower().rstrip(".")
    if language != "de" or call not in _foreign_words("CALLS") or not word[1:].islower():
        return False
    earlier = words[i - 2][0] if i > 1 else (_words_of(run.before) or [""])[-1 - (not i)]
    is_woman = call == "frau" and earlier.lower() in _foreign_words("ARTICLES")
    is_known = word.lower() in common_words("de") or _is_function_word(word) or is_title(word)
    return word[0].isupper() and not (
        is_woman or is_known or word.lower() in _foreign_words("ROLES")
    )


def _join(words: list[Word], i: int) -> int:
    """Return the index of the next "y" from the i-th word on: in a list it is no part of a name."""
    return next((k for k in range(i, len(words)) if words[k][0] == "y"), len(words))


def _named(words: list[Word], i: int, language: str) -> frozenset[str]:
    """Return the name classes of the i-th word. The next one may show them: a family name follows a
    first name that is also a word of the language (Ernst Weber); a first name follows a family name
    in capitals (WAJDA Anna)."""
    word, classes = words[i][0], _classes(words[i][0], language)
    if classes or i + 1 == len(words) or _ends(word):
        return classes
    if _owns(words, i, language):
        return frozenset({"surname"})
    after = _classes(words[i + 1][0], language)
    if "surname" in after and _may_be_given(word, language):
        return frozenset({"first_name"})
    listed = builtin_lexicon().of(word) & NAMES
    if word[1:].islower() and "first_name" in listed and "surname" in after:
        return listed
    is_given = "first_name" in after and not words[i + 1][0].isupper()
    if word.isupper() and is_given and _may_be(word, language):
        return frozenset({"surname"})
    return NONE


def _may_be_given(word: str, language: str) -> bool:
    """Return whether a short word in no list may be a given name before a family name: in German,
    longer ones are mostly nouns."""
    size = MAX_GERMAN if language == "de" else MAX_GIVEN
    is_short = 2 < len(word) <= size and word[1:].islower()
    is_other = is_title(word) or word.lower() in _foreign_words("OPENERS") or _is_office(word)
    is_other = is_other or word.endswith(_COMMANDS.get(language, "-"))
    return is_short and not is_other and _may_be(word, language)


def _is_office(word: str) -> bool:
    """Return whether a word is a job or an office of German."""
    lower = word.lower()
    listed = lower in _foreign_words("ROLES") or lower in _foreign_words("ARTICLES")
    return listed or pattern("ROLE_WORD", "foreign").fullmatch(lower) is not None


def _is_opened(run: Run, i: int, language: str) -> bool:
    """Return whether the i-th word is an initial before a name. At the start of a line, a letter
    may number a heading ("A. Procedure"), and behind a noun a thing ("Plan B."): there, a listed
    name or a comma must follow."""
    words = run.words
    k = i
    while k < len(words) and _INITIAL.fullmatch(words[k][0]):
        k += 1
    if k == i or k == len(words) or not words[i][0].endswith("."):
        return False
    if k > i + 1 or _classes(words[k][0], language) or not (i or run.starts):
        return True
    return not i and k + 1 == len(words) and run.after.startswith((",", ";", "\t"))


def _is_function_word(word: str) -> bool:
    """Return whether a word begins no name, also after a title: an article or an office."""
    lower = word.lower()
    particle = lower in _foreign_words("ARTICLES") or lower in _foreign_words("PARTICLES")
    return (particle and word == lower) or lower in _foreign_words("OFFICES")


def named_part(text: str, language: str) -> tuple[int, int]:
    """Return where a name of another recogniser starts and ends, without titles and words of the
    language around it; two equal places if nothing is left."""
    words = [
        match.span()
        for match in _WORD.finditer(text)
        if _may_be(match[0], language) and not is_title(match[0])
    ]
    return (words[0][0], words[-1][1]) if words else (0, 0)


def _ends(word: str) -> bool:
    """Return whether a word ends a sentence."""
    return word.endswith(".") and not (_INITIAL.fullmatch(word) or is_title(word))


def is_title(word: str) -> bool:
    lower = _ELISION.sub("", word.lower())
    if lower.startswith(("dipl.-", "diplom-", "univ.-", "dr.-")):
        return True
    return not _foreign_words("TITLES").isdisjoint({lower, lower.rstrip(".")})


def is_of_family(word: str) -> bool:
    """Return whether a title before one word says that this is a family name: Rechtsanwalt."""
    bare = _ELISION.sub("", word.lower()).rstrip(".")
    return bare in _foreign_words("FAMILY_TITLES") or bare.startswith(("dipl.-", "dr.-"))


def is_call(word: str) -> bool:
    """Return whether a word is a title, or by a list or its form a job or rank of German."""
    lower = word.lower()
    is_role = pattern("ROLE_WORD", "foreign").fullmatch(lower) is not None
    return is_title(word) or lower in _foreign_words("ROLES") or is_role


def _end(words: list[Word], i: int, language: str, *, titled: bool, starts: bool) -> int:
    """Return the end of the name that begins with the i-th word, or i if there is no name. A rare
    name alone at the start of a sentence is too little evidence.

    titled: Whether a title or initial shows that a name begins.
    """
    first = _named(words, i, language)
    given = "first_name" in first
    opened = titled and (language != "de" or _INITIAL.fullmatch(words[i][0]) is not None)
    end, k, unknown, joined = i + 1, i + 1, 0, False
    while k < len(words) and k < i + 7 and not _ends(words[k - 1][0]):
        if _owns(words, k - 1, language):
            break
        word = words[k][0]
        if _leaves_name(words, k, language):
            break
        if word.lower() in _foreign_words("PARTICLES") or _INITIAL.fullmatch(word):
            k, joined = k + 1, True
            continue
        if is_title(word) or (language == "de" and _is_role(words, k)):
            break
        listed = word[0].isupper() and bool(builtin_lexicon().of(word.rstrip(".'’")) & NAMES)
        named = bool(_classes(word, language)) or (listed and (given or opened))
        named = named or (joined and (titled or given)) or (opened and _may_be(word, language))
        guess = not named and not unknown and _may_be(word, language)
        if not named and not (guess and first):
            break
        unknown, joined = unknown + (not named), False
        end = k = k + 1
    word = words[i][0]
    if _INITIAL.fullmatch(word):
        return end if end > i + 1 else i
    if end == i + 1 and word.lower() in _foreign_words("PARTICLES"):
        return i
    plain = word.lower() in _plain_names()[language]
    frequent = word in builtin_lexicon().classes and given and not plain
    frequent = frequent or word.lower() in _foreign_words(f"SURE_FIRST {language}")
    named = bool(first or builtin_lexicon().of(word.rstrip(".'’")) & NAMES)
    sure = frequent or end > i + 1 or (titled and (named or _may_be(word, language)))
    return end if sure or (first and not starts) else i


def _particles(words: list[Word], k: int) -> list[str]:
    """Return the particles in small letters from the k-th word on."""
    rest = (word for word, _, _ in words[k:])
    return [*takewhile(lambda word: word in _foreign_words("PARTICLES"), rest)]


def _leaves_name(words: list[Word], k: int, language: str) -> bool:
    """Return whether the k-th word is no part of the name before it: "y" before another person, one
    that an apostrophe joins to a family name (Dupont d'Orange; not Marie d'Ornano)."""
    word, before = words[k][0], words[k - 1]
    if word in ("y", "e") and _begins_person(words, k + 1, language):
        return True
    if words[k][1] > before[2] + 1:  # behind an apostrophe
        return "first_name" not in _classes(before[0], language)
    is_link = language == "de" and word in _foreign_words("GERMAN_LINKS")
    return is_link and before[0] not in _foreign_words("PARTICLES") and _is_apart(words, k)


def _is_apart(words: list[Word], k: int) -> bool:
    """Return whether a German article or preposition, the k-th word, stands before what is no part
    of a name: Kolbe den Wagen, Hansen zur Buchhaltung; not Antje von der Osten."""
    if words[k][0] in _foreign_words("ARTICLES_ALONE"):
        return True
    particles = _particles(words, k)
    noun = k + len(particles)
    if not particles or noun == len(words):
        return False
    word, given = words[noun][0].rstrip("."), "first_name" in _classes(words[k - 1][0], "de")
    is_listed = "surname" in builtin_lexicon().of(word)
    is_plain = is_plain_in(word, "de")
    if particles == ["von"]:
        return is_plain and not (given and is_listed)
    if particles[0] == "von":  # of nobility, of whom many have names that are words
        is_noun = _is_german_noun(word)
        return (is_noun or is_plain) and (is_noun or not given)
    is_long = len(word) > MAX_GERMAN and not is_listed
    return is_plain or is_long or (particles[0] != "zu" and not given)


def _is_german_noun(word: str) -> bool:
    """Return whether a word has an end of German nouns that are no family names."""
    return pattern("NOUN_ENDS", "foreign").fullmatch(word.lower()) is not None


def _begins_person(words: list[Word], k: int, language: str) -> bool:
    """Return whether the k-th word begins another person behind "y": a title or a first name."""
    k += k < len(words) and words[k][0] in ("de", "di", "del")
    if k >= len(words):
        return False
    word = words[k][0]
    return is_title(word) or "first_name" in _classes(word, language)


def _may_be(word: str, language: str) -> bool:
    """Return whether a word that no list holds may be a name where one is expected."""
    is_short = word.isupper() and 1 < len(word) < 5
    is_open = word[0].isupper() and not is_short and not _ELIDED.match(word)
    return is_open and not is_plain_in(word, language)
