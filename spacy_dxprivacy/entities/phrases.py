"""What is told by its letters or by a word beside it, and found in the text of a Doc: addresses,
postal codes, organisations, places, names beside a cue, accounts, numbers, dates of several words.

The forms are in data/entities/forms.txt; here is what a form alone does not decide.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import cast

from spacy.tokens import Doc, Span

from .grids import cells
from .tables import kind_of, pattern, words
from .words import ALSO_FIRST, builtin_lexicon, is_name

Match = tuple[str, int, int]
# Most texts have none of these, and are not searched for what needs them.
_NUMBER = re.compile(r"\d{3}|\d\d-\d{3}|\d[A-Z\d]? ?\d[A-Z]", re.IGNORECASE)
_SHORT_CODE = re.compile(r" (?:\d{3} ?\d\d?|\d\d-\d{3})(?!\w)")
_SMALL_FIRM = re.compile(r"\b(?:inc|llc|ltd|gmbh)\b")
_JOINS = frozenset("de del di da do la le el upon am an sur der den nad pod".split())
_SHOUTED_TERMS, _KOREAN = words("SHOUTED_TERMS"), words("KOREAN")
_STROKES = {"／": "/", "－": "-", "．": ".", "：": ":", "，": ","}
_FOREIGN = re.compile(rf"[^\D0-9]|[{''.join(_STROKES)}]")


def match_phrases(doc: Doc) -> set[Match]:
    """(label, start, end) in tokens; a token that a phrase only partly holds is part of it."""
    text = plain_digits(doc.text)
    phrases = {_in_tokens(doc, *found) for found in _phrases(text)}
    numbers = {
        _in_tokens(doc, kind_of(match).replace("CODE", "ID"), *match.span())
        for match in pattern("NUMBER_FORM").finditer(text)
    }
    # What a key says is an account is none of a telephone.
    accounts = {("PHONE", start, end) for label, start, end in phrases if label == "ID"}
    return (phrases | numbers) - accounts


def _in_tokens(doc: Doc, label: str, start: int, end: int) -> Match:
    # "expand" finds a span for all that is in the text.
    span = cast(Span, doc.char_span(start, end, alignment_mode="expand"))
    return label, span.start, span.end


def _phrases(text: str) -> Iterator[Match]:
    """(label, start, end) in the text."""
    yield from (("ADDRESS", *span) for span in _addresses(text))
    yield from (("ORG", *span) for span in _organisations(text))
    yield from (("GPE", *span) for span in _places(text))
    for match in pattern("CUED_NAME").finditer(text):
        if _is_cued(match):
            yield "PERSON", *match.span()
    yield from cells(text)
    lower = _lowered(text)
    for match in pattern("FIELD_CODE").finditer(lower):
        yield "ID", *match.span(match.lastindex or 0)
    for match in pattern("DATE_PHRASE").finditer(lower):
        yield kind_of(match), *match.span(str(match.lastgroup))


# -- addresses ---------------------------------------------------------------------------------


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    """An address begins with a core that tells itself (a street with a number or a word for it, a
    box, a postal code) and goes on over what follows: units, towns, states, countries, codes."""
    yield from _beside_towns(text)
    if _NUMBER.search(text):
        for found in pattern("POSTAL_CODE").finditer(text):
            yield found.span(found.lastindex or 0)
    place = 0
    while core := pattern("ADDRESS").search(text, place):
        start, end = core.start(), _extended(text, core.end())
        yield start, end
        place = max(end, start + 1)


def _extended(text: str, end: int) -> int:
    """How far an address goes on: to the last piece that is surely of it, and over a town that has
    no plain word and no name of persons."""
    firm, pieces, unit = end, 0, False
    weak = False  # whether a piece since the last firm one may be something else
    while pieces < 9 and (found := pattern("PIECE").match(text, end)):
        kind, broken = kind_of(found), found["gap"].strip(" \t") != ""
        if not broken and (
            kind in ("lower", "small") or (kind == "town" and text[end - 1] in ".?!")
        ):
            break
        end, pieces = found.end(), pieces + 1
        if kind in ("unit", "code", "land", "small") or (kind == "state" and broken):
            firm, weak = end, False
        elif kind == "town" and not weak and (unit or not any(map(_is_plain, found[0].split()))):
            firm = end
        else:
            weak = True
        unit = kind == "unit" and not broken  # a town may follow it on the same line
    return firm


def _beside_towns(text: str) -> Iterator[tuple[int, int]]:
    """Short postal codes after a word that is no other than a town's."""
    for found in pattern("TOWNS").finditer(text) if _SHORT_CODE.search(text) else ():
        town = (found["town"] or found["place"]).split()
        written = town[0][0].isupper() or not _JOINS.isdisjoint(town)
        if found["null"] or (any(map(_is_new, town)) and (written or text.islower())):
            yield found.span("code" if found["code"] else "number")


# -- organisations, places, names --------------------------------------------------------------


def _organisations(text: str) -> Iterator[tuple[int, int]]:
    """What begins with a first name of persons is an organisation only if its own words say it."""
    for match in pattern("FIRM").finditer(text):
        beside = kind_of(match) in ("cue", "after")
        if not (beside and _is_sure_first(match[0].split()[0].strip(","))):
            yield match.span()
    if _SMALL_FIRM.search(text):
        yield from (match.span() for match in pattern("SMALL_FIRM").finditer(text))


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Each country, and what stands where places stand and is written so: neither abbreviations nor
    plain words that a heading writes in capitals."""
    for match in pattern("COUNTRY" if text.islower() else "PLACE").finditer(text):
        named = re.sub(r"[()]", " ", match[0]).split()
        if kind_of(match) in ("shouted", "going"):
            if not _SHOUTED_TERMS.isdisjoint(named):
                continue
            if not any(len(word) > 3 and _is_new(word) for word in named):
                continue
        yield match.span()


def _is_cued(match: re.Match[str]) -> bool:
    """Whether what stands where a name stands is one."""
    kind = kind_of(match)
    if kind == "parted":
        return _is_parted(match)
    if kind == "inverted":
        given = match["given"].capitalize()
        return "first_name" in builtin_lexicon().of(given) or given in ALSO_FIRST
    return kind != "verb" or is_name(match[0])


def _is_parted(match: re.Match[str]) -> bool:
    """A family name beside two syllables that are no words; the second may be one beside the
    commonest names of Korea."""
    given, family = match["two"] or match["second"], match["after"] or match["ahead"]
    one, other = (half.lower() in builtin_lexicon().rank for half in given.split("-"))
    return is_name(family) and not one and (not other or family.capitalize() in _KOREAN)


# -- words and letters -------------------------------------------------------------------------


def _is_plain(word: str) -> bool:
    """Whether a word is in the dictionary as it is written, or is a person's name."""
    word = word.strip(",.()\n")
    in_table = word.lower() in builtin_lexicon().rank
    return is_name(word) or (in_table and "city" not in builtin_lexicon().of(word.capitalize()))


def _is_sure_first(word: str) -> bool:
    """Whether a word is a first name, and hardly anything else."""
    lexicon = builtin_lexicon()
    return "first_name" in lexicon.of(word) and lexicon.plainness(word) <= 0.5


def _is_new(word: str) -> bool:
    """Whether a word is in no list, or in that of cities, and may be said aloud."""
    lexicon, lower = builtin_lexicon(), word.lower()
    if "city" in lexicon.of(word.capitalize()) and (len(word) > 4 or not word.isupper()):
        return True
    spoken = any(c in "aeiouyáéíóúäöüåøæ" for c in lower) or not word.isascii()
    return spoken and lower not in lexicon.rank and word not in lexicon.rank and len(word) > 4


def plain_digits(text: str) -> str:
    """Digits and strokes of all scripts as those of ASCII, each where it was."""
    return text if text.isascii() else _FOREIGN.sub(_plain, text)


def _plain(found: re.Match[str]) -> str:
    return _STROKES.get(found[0]) or str(unicodedata.digit(found[0]))


def _lowered(text: str) -> str:
    """In small letters, each where it was: those that would become two stay as they are. Without
    capitals a search is twice as fast as one that ignores case."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
