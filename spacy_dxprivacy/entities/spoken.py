"""Numbers that are dictated in words: "my code is four seven one nine", "oh seven double seven".

A run of number words is an identifier or a telephone number where a word before it says so, or
where it is as long as a telephone number and begins with zero or has digits alone. Digits may stand
on either side of the words (07700 nine hundred one two three). Counts (one, two, three) and prose
stay. data/entities/spoken.txt has the words of the six languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from ..text.mentions import Entity
from .tables import LANGUAGES, by_letter, sections, words

SPOKEN = "spoken"
_HUNDRED = "hundred"  # in English, of the numbers that are said by their digits: nine hundred
MIN_DIGITS, MIN_PHONE, MIN_WHOLE, MAX_PHONE = 3, 7, 9, 15
BEFORE = 60  # characters before a number in which a cue stands
_CUE, _MARKS = re.compile(r"[^\W\d_]+|[^\w\s]"), frozenset(",:'’\"*-–…(")
# Letters of a number that is dictated: hospital number B oh four four eight
_LETTERS_BEFORE = re.compile(r"(?:\b[A-Z]\b[ ,-]{1,2}){1,4}\Z")
# Beside the words of a number, and neither times, dates nor amounts.
_DIGITS_AHEAD = re.compile(
    r"(?<![\w.,:/$£€%-])(?P<digits>\+?\d{2,6}(?:[ -]\d{2,6}){0,2})[ ,-]{1,2}\Z"
)
_DIGITS_BEHIND = re.compile(r"[ ,-]{1,2}(?P<digits>\d{2,6}(?:[ -]\d{2,6}){0,2})(?![\w%]|[.,:/-]\d)")
_BETWEEN = r"(?:[ \t]?[,;…–-][ \t\n]?|[ \t]{1,2}|\n)"


@dataclass(frozen=True)
class SpokenNumber:
    """A number in words. parts: where each number word stands in the text, its value, and how many
    times it is said, as (start, end, value, times)."""

    text: str
    language: str
    parts: tuple[tuple[int, int, int, int], ...]

    @property
    def digits(self) -> str:
        """The digits of the number."""
        return "".join(str(value) * times for _, _, value, times in self.parts)

    @property
    def is_of_digits(self) -> bool:
        """Whether each word is of one digit, or of hundreds: nine hundred."""
        return all(value < 10 for _, _, value, _ in self.parts)

    def write(self, number: str) -> str:
        """Write the digits of another number, of as many digits, in the place of the words."""
        digits = "".join(filter(str.isdigit, number))
        written, end, at = "", 0, 0
        for start, stop, value, times in self.parts:
            size = len(str(value)) * times
            part, at = digits[at : at + size], at + size
            written += self.text[end:start] + _in_words(part, times, self.language)
            end = stop
        written += self.text[end:]
        if self.text.isupper():
            return written.upper()
        return written[:1].upper() + written[1:] if self.text[:1].isupper() else written


def _in_words(digits: str, times: int, language: str) -> str:
    """Write digits: one said several times ("double seven"), a number of two digits, or each."""
    repeat = {count: word for word, count in _pairs(f"times {language}").items()}
    named = number_names(language)
    if times > 1 and len(set(digits)) == 1:
        return f"{repeat[times]} {named[int(digits[0])]}"
    if times == 1 and len(digits) == 2 and digits[0] != "0":
        return named[int(digits)]
    return " ".join(named[int(digit)] for digit in digits)


def _pairs(name: str) -> dict[str, int]:
    """Return word -> number of a section, the first spelling of a number last."""
    pairs = (pair.rpartition(":") for pair in " ".join(sections(SPOKEN)[name]).split()[::-1])
    return {word: int(number) for word, _, number in pairs}


@cache
def number_names(language: str) -> dict[int, str]:
    """Return number -> word, from 0 to 99."""
    spelled = " ".join(sections(SPOKEN)[language]).split()
    return {number: word.replace("_", " ") for number, word in enumerate(spelled)}


@cache
def _values(language: str) -> dict[str, int]:
    """Return number word -> value, with blanks for hyphens."""
    values = {word.replace("-", " "): value for value, word in number_names(language).items()}
    return values | _pairs(f"more {language}")


@cache
def _forms(language: str, *, hundreds: bool = False) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a number word, and of a run of them; also with the word for 00."""
    spelled = [*_values(language), *([_HUNDRED] if hundreds else ())]
    spellings = sorted(spelled, key=len, reverse=True)
    word = by_letter(spelling.replace(" ", r"\W") for spelling in spellings)
    times = "|".join(_pairs(f"times {language}"))
    part = rf"(?:(?:{times})[ -]?)?(?:{word})(?!\w)"
    begins = "".join(sorted({spelling[0] for spelling in (*spellings, *times.split("|"))}))
    run = rf"(?i)(?<![\w-])(?=[{begins}]){part}(?:{_BETWEEN}{part}){{1,{MAX_PHONE}}}(?![\w]|-\w)"
    return re.compile(rf"(?i)(?:(?P<times>{times})[ -]?)?(?P<word>{word})(?!\w)"), re.compile(run)


def spoken_number(text: str, language: str) -> SpokenNumber | None:
    """Return the number that a text is in words; None for any other text.

    Args:
        text: A mention.
        language: The language that is tried first.
    """
    if any(map(str.isdigit, text)) or len(text.split()) < 2:
        return None
    for tried in dict.fromkeys((language, "en", *LANGUAGES)):
        part, run = _forms(tried, hundreds=True)
        if run.fullmatch(text.strip()):
            return _read(text, tried, part)
    return None


def _read(text: str, language: str, part: re.Pattern[str]) -> SpokenNumber:
    values = {**_values(language), _HUNDRED: 0}
    times = {**_pairs(f"times {language}"), "": 1}
    parts = tuple(
        (
            *match.span(),
            values[match["word"].lower().replace("-", " ")],
            2 if match["word"].lower() == _HUNDRED else times[(match["times"] or "").lower()],
        )
        for match in part.finditer(text)
    )
    return SpokenNumber(text, language, parts)


def spoken_numbers_in(text: str, language: str) -> Iterator[Entity]:
    """Yield identifiers and telephone numbers in words, in characters, and the digits beside them
    that are parts of the same number."""
    yield from _partly_spoken(text, language)
    part, run = _forms(language)
    for match in run.finditer(text):
        number = _read(match[0], language, part)
        label = _label(number, text[max(match.start() - BEFORE, 0) : match.start()])
        if label:
            yield Entity(label, *match.span())


def _partly_spoken(text: str, language: str) -> Iterator[Entity]:
    """Yield the parts of telephone numbers in digits and in words: 07700 nine hundred one two four.
    As a number of people may stand behind a time of day, they have each digit as a word."""
    part, run = _forms(language, hundreds=True)
    for match in run.finditer(text):
        ahead = _DIGITS_AHEAD.search(text, max(match.start() - BEFORE, 0), match.start())
        behind = _DIGITS_BEHIND.match(text, match.end())
        if not (ahead or behind):
            continue
        number = _read(match[0], language, part)
        pieces = [ahead and ahead["digits"], number.digits, behind and behind["digits"]]
        written = "".join(filter(None, pieces))
        digits = "".join(filter(str.isdigit, written))
        start = ahead.start() if ahead else match.start()
        cues = _cues(text[max(start - BEFORE, 0) : start])
        is_phone = written[0] in "0+" or not cues.isdisjoint(words("PHONE_CUES", SPOKEN))
        if not (is_phone and MIN_WHOLE <= len(digits) <= MAX_PHONE) or not number.is_of_digits:
            continue
        spans = [ahead and ahead.span("digits"), match.span(), behind and behind.span("digits")]
        yield from (Entity("PHONE", *span) for span in spans if span)


def _label(number: SpokenNumber, before: str) -> str:
    """Return "PHONE", "ID", or "" for a count and for words that nothing shows to be a number."""
    digits, values = number.digits, [value for _, _, value, _ in number.parts]
    cues = _cues(_LETTERS_BEFORE.sub("", before))
    steps = {later - earlier for earlier, later in pairwise(values)}
    counts = steps in ({1}, {-1}, {10}) and ("," in number.text or not cues)
    if len(digits) < MIN_DIGITS or counts:
        return ""
    is_long = MIN_PHONE <= len(digits) <= MAX_PHONE
    if cues:
        is_phone = not cues.isdisjoint(words("PHONE_CUES", SPOKEN)) or digits[0] == "0"
        is_id = cues <= words("ID_CUES", SPOKEN) and not is_long
        return "PHONE" if is_long and is_phone else "ID" if is_id or is_long else ""
    has_digits_alone = max(values) < 10 and {*values} != {1}
    return "PHONE" if is_long and (digits[0] == "0" or has_digits_alone) else ""


def _cues(before: str) -> set[str]:
    """Return the cues right before a number, without a sentence between them."""
    found = set[str]()
    for word in reversed(_CUE.findall(before.lower())):
        if word in words("PHONE_CUES", SPOKEN) or word in words("ID_CUES", SPOKEN):
            found.add(word)
        elif word not in words("CUE_LINKS", SPOKEN) and word not in _MARKS:
            break
    return found
