"""Numbers that are dictated in words: "my code is four seven one nine", "oh seven double seven".

A run of number words is an identifier or a telephone number where a word before it says so, or
where it is as long as a telephone number and begins with zero or has digits alone. Counts (one,
two, three) and prose stay. data/entities/spoken.txt has the words of the six languages.
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
MIN_DIGITS, MIN_PHONE, MAX_PHONE = 3, 7, 15
BEFORE = 60  # characters before a number in which a cue stands
_CUE, _MARKS = re.compile(r"[^\W\d_]+|[^\w\s]"), frozenset(",:'’\"*-–…(")
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
def _forms(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a number word, and of a run of them."""
    spellings = sorted(_values(language), key=len, reverse=True)
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
        part, run = _forms(tried)
        if run.fullmatch(text.strip()):
            return _read(text, tried, part)
    return None


def _read(text: str, language: str, part: re.Pattern[str]) -> SpokenNumber:
    values, times = _values(language), _pairs(f"times {language}")
    parts = tuple(
        (
            *match.span(),
            values[match["word"].lower().replace("-", " ")],
            times[match["times"].lower()] if match["times"] else 1,
        )
        for match in part.finditer(text)
    )
    return SpokenNumber(text, language, parts)


def spoken_numbers_in(text: str, language: str) -> Iterator[Entity]:
    """Yield identifiers and telephone numbers in words, in characters."""
    part, run = _forms(language)
    for match in run.finditer(text):
        number = _read(match[0], language, part)
        label = _label(number, text[max(match.start() - BEFORE, 0) : match.start()])
        if label:
            yield Entity(label, *match.span())


def _label(number: SpokenNumber, before: str) -> str:
    """Return "PHONE", "ID", or "" for a count and for words that nothing shows to be a number."""
    digits, values = number.digits, [value for _, _, value, _ in number.parts]
    cues, steps = _cues(before), {later - earlier for earlier, later in pairwise(values)}
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
