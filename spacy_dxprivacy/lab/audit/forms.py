"""The forms in which a replaced name, place or identifier may still be readable in a text.

A part of a name counts in any case and spelling (Müller, mueller), possessive (Habermehls), as a
user name (mhabermehl), within a longer word, broken by a hyphen, with letters apart, and with one
letter wrong. Initials count for a name of several parts. A code counts by its digits and letters.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from ...entities.foreign import is_plain_in
from ...entities.tables import LANGUAGES, date_words, listed, listed_of
from ...entities.words import builtin_lexicon, is_plain, listed_names
from ...surrogates.name_forms import TITLES
from ...text.language import common_words
from ...text.mentions import NAME_PARTICLES, in_ascii, initials_of
from ...text.speakers import NO_INITIALS
from ...text.spelling import without_accents

MIN_PART = 3  # letters of a part of a name
MIN_GENITIVE = 4  # letters of a part that may have an s
MIN_GLUED = 4  # letters of a part within an address, a path or the name of a file
MIN_WITHIN = 6  # letters of a part within a longer word
MIN_TYPO = 5  # letters of a part that may have one wrong
MIN_FOREIGN_TYPO = 6  # in languages without a lexicon
MIN_FIRST_TYPO = 7  # where the wrong letter is the first
MIN_DIGITS = 5  # digits of a code
NATIONAL_DIGITS = 8  # digits of a telephone number that are compared, without its country
CODES = frozenset({"PHONE", "ID", "USERNAME", "EMAIL", "URL", "SECRET", "ZIP", "ZIP_CODE"})
WHOLE = frozenset({"DATE"})  # without parts
OF_PLACE = "adjective of the place"
USER = "user"  # label of the words of a user name or of the local part of a mail address
LETTERS = re.compile(r"[^\W\d_]+")
# A word with marks inside: an address, a path, a user name, the name of a file.
_GLUED = re.compile(r"[^\s\"'<>()\[\]{},;:|]*[@/_.\\\d][^\s\"'<>()\[\]{},;:|]*")
_BROKEN = re.compile(r"[^\W\d_]{2,}(?:[-\u00ad\u2010\u2011]\s{0,4}[^\W\d_]{2,})+")
_APART = re.compile(r"(?<!\w)[^\W\d_](?:[ .\u00b7-][^\W\d_]){3,}(?!\w)")
_DOTTED = re.compile(r"(?<![\w.])(?:[^\W\d_]\.[ -]?){2,4}(?!\w)")
_BRACKETED = re.compile(r"\(([^\W\d_]{2,4})\)")
_SPEAKER = re.compile(r"^([^\W\d_]{2,4}):", re.M)
_ALNUM = re.compile(r"[^\W_]+")
MAX_CODE_PIECES = 8  # pieces of a code, between blanks and marks
MAX_CODE_GAP = 3  # characters between these
_RUN = re.compile(r"\d(?:[ \t\u00a0()/.\-\u2013]{0,3}\d)+")
_NUMERIC_DATE = re.compile(r"(?<!\d)(\d{1,2}|\d{4})([./-])(\d{1,2})\2(\d{4}|\d{1,2})(?!\d)")
_DATE = re.compile(
    r"(?<!\d)(\d{1,2})(?:\.|st|nd|rd|th|er|º)? (?:de )?([^\W\d_]{3,})\.?,? (?:del? )?"
    r"(\d{4})(?!\d)|"
    r"([^\W\d_]{3,})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)"
)
DateKey = tuple[int, frozenset[int]]  # year of the century, and month and day in either order
_STREETS = {"strasse": "str", "straat": "str"}
_SENTENCE_END = re.compile(r"(?:^|[.!?:\n\t\"\u201e\u201c(*-])\s*\Z")
_IN_PLACE = frozenset("in aus nach bei from to near at à de en a uit naar te".split())
_OLD_ENDS = ("en", "er", "e", "ens", "ers", "es", "n", "r", "s", "")


class Sought(NamedTuple):
    """An entity of an original whose forms are searched."""

    label: str
    text: str


@dataclass(frozen=True)
class Hit:
    """A form in a text, in characters. form: how it is written. word: in lower case."""

    start: int
    end: int
    form: str
    word: str = field(repr=False)
    secret: str = field(repr=False)


def fold(word: str) -> str:
    """Return a word in lower case without accents: muller for Müller."""
    return without_accents(word.casefold())


@cache
def drawn_words() -> frozenset[str]:
    """Return the words of all public lists that surrogates are drawn from, folded."""
    names = ("female", "male", "surnames", "streets", "cities", "countries", "states")
    entries = [entry for name in names for entry in listed(name)]
    for language in LANGUAGES:
        for name in ("female", "male", "surnames", "towns", "streets", "countries"):
            entries += listed_of(language, name)
    return frozenset(fold(word) for entry in entries for word in LETTERS.findall(entry))


def is_public(word: str, language: str) -> bool:
    """Return whether a word, in lower case, is an ordinary word that may be no name."""
    if word in common_words(language) or is_plain(word):
        return True
    return language != "en" and is_plain_in(word, language)


def is_known(word: str) -> bool:
    """Return whether a public list has a word, in lower case, as a word or as a name."""
    lexicon = builtin_lexicon().rank
    return word in lexicon or word.capitalize() in lexicon or word in listed_names()


@cache
def _months() -> dict[str, int]:
    languages = (date_words(language).spellings for language in ("en", *LANGUAGES))
    return {fold(name): number for names in languages for name, number in names.items()}


def dates_in(text: str) -> Iterator[tuple[int, int, DateKey]]:
    """Yield start, end and key of each full date, in numbers or with the name of a month."""
    for match in _NUMERIC_DATE.finditer(text):
        first, _, middle, last = match.groups()
        year, other = (first, last) if len(first) == 4 else (last, first)
        yield *match.span(), (int(year) % 100, frozenset((int(middle), int(other))))
    for match in _DATE.finditer(text):
        day, month, year = match.group(1, 2, 3) if match[1] else match.group(5, 4, 6)
        if number := _months().get(fold(month)):
            yield *match.span(), (int(year) % 100, frozenset((number, int(day))))


def is_calendar(word: str) -> bool:
    """Return whether a word, in lower case, is a month or a weekday in any language."""
    return fold(word) in _calendar()


def starts_sentence(before: str) -> bool:
    """Return whether a word after this text starts a sentence, a line or a quotation."""
    return _SENTENCE_END.search(before) is not None


@cache
def _calendar() -> frozenset[str]:
    words = set[str]()
    for language in ("en", *LANGUAGES):
        of = date_words(language)
        words |= {fold(w) for w in (*of.months, *of.spellings, *of.weekdays)}
    return frozenset(words)


class Forms:
    """The forms of some entities, to be searched in texts of their language."""

    def __init__(self, sought: Iterable[Sought], language: str = "en", *, exact: bool = False):
        self.language, self.exact = language, exact
        self.parts: dict[str, str] = {}  # folded part -> as it is in the original, in lower case
        self.places: set[str] = set()
        self.dates: dict[DateKey, str] = {}
        self.codes: dict[str, str] = {}
        self.numbers: dict[str, str] = {}
        names = []
        for label, text in sought:
            text = " ".join(text.split())
            if label in CODES or (label not in WHOLE and sum(c.isdigit() for c in text) > 4):
                self._add_code(label, text)
            if label in WHOLE:
                self.dates |= {key: text.casefold() for *_, key in dates_in(text)}
            elif label not in CODES:
                names += [text] if label == "PERSON" else []
                self._add_parts(label, text)
        initials = set() if exact else initials_of(names)
        self.initials = initials - NO_INITIALS
        self.reversed = {letters[::-1] for letters in initials} - NO_INITIALS
        self._typos: dict[str, set[str]] = defaultdict(set)
        for part in self.parts:
            if len(part) >= MIN_TYPO and not exact:
                for shorter in _shortened(part):
                    self._typos[shorter].add(part)

    def __bool__(self) -> bool:
        return bool(self.parts or self.dates or self.codes or self.numbers)

    def _add_parts(self, label: str, text: str) -> None:
        pieces = LETTERS.findall(text)
        for piece in pieces:
            lower = piece.casefold()
            if len(piece) < MIN_PART or lower in NAME_PARTICLES or is_calendar(lower):
                continue
            # A name of several words, such as a street, has ordinary ones.
            if label != "PERSON" and len(pieces) > 1 and is_public(lower, self.language):
                continue
            ends = {end: fold(lower).removesuffix(end) + short for end, short in _STREETS.items()}
            streets = {short for end, short in ends.items() if fold(lower).endswith(end)}
            for spelled in {fold(lower), *in_ascii(lower), *streets}:
                self.parts.setdefault(spelled, lower)
                if label not in ("PERSON", USER):
                    self.places.add(spelled)

    def _add_code(self, label: str, text: str) -> None:
        squeezed = "".join(c for c in text.casefold() if c.isalnum())
        digits = "".join(c for c in text if c.isdigit())
        if label == "PHONE" and len(digits) > MIN_DIGITS:
            self.numbers[digits[-NATIONAL_DIGITS:]] = squeezed
        elif len(digits) >= MIN_DIGITS:
            self.codes[digits] = squeezed
        if label in CODES and len(squeezed) > MIN_DIGITS:
            self.codes[squeezed] = squeezed

    def find(self, text: str) -> list[Hit]:
        """Return the forms in a text, in order; one for each place."""
        hits: dict[int, Hit] = {}
        finders = [self._names, self._dates, self._codes]
        finders += [] if self.exact else [self._glued, self._broken, self._initials, self._near]
        taken = list[tuple[int, int]]()
        for finder in finders:
            for hit in finder(text):
                if not any(hit.start < end and start < hit.end for start, end in taken):
                    hits[hit.start] = hit
                    taken.append((hit.start, hit.end))
        return [hits[start] for start in sorted(hits)]

    def _names(self, text: str) -> Iterator[Hit]:
        for match in LETTERS.finditer(text):
            word = match[0]
            part, form = self._part_of(fold(word))
            ordinary = is_public(part, self.language) and part not in self.places
            if form == "genitive" and ordinary:
                continue
            # An adjective of a town tells it from the ordinary word (Jenaer, Essener).
            is_place = form == OF_PLACE and not is_public(word.casefold(), self.language)
            if part and (is_place or self._is_name(part, word, text, match.start())):
                form = "upper case" if word.isupper() and len(word) > 1 and not form else form
                yield Hit(*match.span(), form or "part of the name", word.lower(), self.parts[part])

    def _part_of(self, folded: str) -> tuple[str, str]:
        """Return the part that a word is, and its form: possessive, or of a place."""
        for end in ("s", "es", "ens"):
            stem = folded.removesuffix(end)
            if stem != folded and len(stem) >= MIN_GENITIVE and stem in self.parts:
                return stem, "genitive"
        if folded in self.parts:
            return folded, ""
        for end in ("er", "ern", "ers"):
            stem = folded.removesuffix(end)
            if stem != folded and len(stem) >= MIN_GENITIVE and stem in self.places:
                return stem, OF_PLACE
        return "", ""

    def _is_name(self, part: str, word: str, text: str, start: int) -> bool:
        """Return whether a word is a name rather than the ordinary word: with a capital, within a
        sentence; in German, where all nouns have one, only beside a title or another part."""
        lower = word.casefold()
        if word.islower() and self.language == "en" and lower in builtin_lexicon().rank:
            return False
        if not (is_public(lower, self.language) or is_public(self.parts[part], self.language)):
            return True
        if not word[0].isupper():
            return False
        before = text[max(0, start - 40) : start]
        last = next(iter(LETTERS.findall(before)[-1:]), "")
        if part in self.places and (last in _IN_PLACE or (last[:1].isupper() and word != last)):
            return True
        if starts_sentence(before):
            return False
        beside = fold(last) in self.parts or last.casefold() in TITLES
        return beside or (self.language != "de" and not word.isupper())

    def _codes(self, text: str) -> Iterator[Hit]:
        if self.numbers:
            for match in _RUN.finditer(text):
                digits = "".join(c for c in match[0] if c.isdigit())
                found = next((n for n in self.numbers if digits.endswith(n)), "")
                if found:
                    yield Hit(*match.span(), "code", digits, self.numbers[found])
        pieces = list(_ALNUM.finditer(text)) if self.codes else []
        for i, first in enumerate(pieces):
            squeezed, end = "", first.start()
            for piece in pieces[i : i + MAX_CODE_PIECES]:
                if piece.start() - end > MAX_CODE_GAP:
                    break
                squeezed, end = squeezed + piece[0].casefold(), piece.end()
                if squeezed in self.codes:
                    yield Hit(first.start(), end, "code", squeezed, self.codes[squeezed])
                    break

    def _dates(self, text: str) -> Iterator[Hit]:
        for start, end, key in dates_in(text) if self.dates else ():
            if key in self.dates:
                yield Hit(start, end, "date", text[start:end].casefold(), self.dates[key])

    def _glued(self, text: str) -> Iterator[Hit]:
        """Find parts in addresses, paths, names of files and user names, and in longer words."""
        for match in _GLUED.finditer(text):
            folded = fold(match[0])
            for part, lower in self.parts.items():
                if len(part) >= MIN_GLUED and part in folded and self._stands_out(part, folded):
                    yield Hit(*match.span(), "user name or file name", folded, lower)
                    break
        for match in LETTERS.finditer(text):
            folded = fold(match[0])
            if len(folded) <= MIN_WITHIN or is_known(folded):
                continue
            for part, lower in self.parts.items():
                inside = len(part) >= MIN_WITHIN and part in folded
                if inside and not is_public(lower, self.language):
                    yield Hit(*match.span(), "within a longer word", folded, lower)
                    break

    def _stands_out(self, part: str, folded: str) -> bool:
        """Return whether a part within a word with marks is no piece of an ordinary word."""
        pieces = LETTERS.findall(folded)
        return any(part in piece and not is_public(piece, self.language) for piece in pieces)

    def _broken(self, text: str) -> Iterator[Hit]:
        for found in (_BROKEN, _APART):
            for match in found.finditer(text):
                part, _ = self._part_of(fold("".join(LETTERS.findall(match[0]))))
                if part:
                    form = "hyphen" if found is _BROKEN else "letters apart"
                    yield Hit(*match.span(), form, match[0].lower(), self.parts[part])

    def _initials(self, text: str) -> Iterator[Hit]:
        if not self.initials:
            return
        for found in (_DOTTED, _BRACKETED, _SPEAKER):
            for match in found.finditer(text):
                letters = "".join(LETTERS.findall(match[0]))
                names = self.initials | (self.reversed if found is _DOTTED else set())
                if letters.isupper() and letters in names:
                    end = match.start() + len(match[0].rstrip())
                    yield Hit(match.start(), end, "initials", letters.lower(), letters.lower())

    def _near(self, text: str) -> Iterator[Hit]:
        """Find words with one letter missing, wrong, added, or in the place of its neighbour."""
        if not self._typos:
            return
        for match in LETTERS.finditer(text):
            folded = fold(match[0])
            if len(folded) < MIN_TYPO - 1 or is_known(folded) or is_public(folded, self.language):
                continue
            if not match[0][0].isupper() and self.language != "en":
                continue
            shorter = _shortened(folded)
            near = {part for key in {folded, *shorter} for part in self._typos.get(key, ())}
            near |= shorter & self.parts.keys()
            least = MIN_TYPO if self.language == "en" else MIN_FOREIGN_TYPO
            for part in sorted(near):
                # The first letter of a listed name tells it from many others.
                is_rare = len(part) >= MIN_FIRST_TYPO and not is_known(part)
                is_near = part[0] == folded[0] or is_rare
                if len(part) >= least and is_near and _is_one_off(part, folded):
                    yield Hit(*match.span(), "one letter off", folded, self.parts[part])
                    break


def _shortened(word: str) -> set[str]:
    return {word[:i] + word[i + 1 :] for i in range(len(word))}


def _is_one_off(part: str, word: str) -> bool:
    """Return whether one edit turns a part into a word, which is no other ending of it."""
    if part == word:
        return False
    common = 0
    while common < min(len(part), len(word)) and part[common] == word[common]:
        common += 1
    old, new = part[common:], word[common:]
    if old in _OLD_ENDS and new in _OLD_ENDS:
        return False
    swapped = len(old) > 1 and old[1::-1] == new[:2] and old[2:] == new[2:]
    return swapped or old[1:] == new[1:] or old[1:] == new or old == new[1:]
