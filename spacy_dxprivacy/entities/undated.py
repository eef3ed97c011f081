"""Dates and times that are none: values, votes, scores, versions, sizes, terms and parts of code.

Two or three numbers with marks between them are a day only where nothing beside them says that they
measure, count or number something: 11-4-2 votes, a 12-24-12 fertiliser, 1950 rpm, page 1998.
"""

from __future__ import annotations

import re
from itertools import takewhile

from ..text.mentions import is_word
from ..text.tokens import Tokens
from .amounts import UNITS
from .numbered import KINDS, THINGS, is_of_thing
from .tables import FOLLOWING, GOODS, LISTED, NAMES, PLACES, TOP_AGE, expanded, pattern, words
from .words import builtin_lexicon, kinds

MAX_UNIT = 6  # letters of a unit, such as Mbit
# Calls and list items: t(212, 12]-[15.
_CALL = re.compile(r"[A-Za-z]{1,3}[(\[]\d{1,6}|\d+\]\s?[-–,]\s?\[\d+")
BEFORE_NUMBERS = frozenset(
    "alloc baud build byte calloc chunk errno error fd gid heap inode len length line malloc mtu "
    "offset opcode packet page pid port ppid realloc rssi sector seq size sizeof stack strlen tid "
    "timeout ttl uid version".split()
)
AGE_GROUP = re.compile(r"[UO]-?\d\ds?")  # U16
_TO_NUMBER = re.compile(r"(?:to|[-–]) ?\d{4}", re.A)
_NO_YEAR = re.compile(r"(?!1[5-9]|2[01])\d{4}", re.A)
BESIDE = 12  # tokens, of at least as many characters but for a few
MAX_COUNT = 3  # digits of a number of things that is no identifier
# Votes, ranges, doses, where no word before them makes them dates: 11-4-2, 10–18, 16.1, 90/80/70.
_NUMBERS = re.compile(r"(\d{1,3})\s?([-–./])\s?(\d{1,3})(?:\s?\2\s?(\d{1,3}))?", re.A)
# Behind a decimal: its unit, or the end of its range (from 31.5 to 28 litres), and no day.
_AFTER_DECIMAL = re.compile(
    rf" ?(?:{UNITS})(?!\w)| ?(?:to|[-–]) ?\d{{1,4}}(?![\w./-]| (?:of )?{expanded('MONTH')}\b)",
    re.I,
)
# Four digits that are a time of day: behind a full date (03/14/2023 1900), at 1910 on 12 May.
_BEFORE_HOURS = re.compile(rf"(?:{expanded('BEFORE_HOURS')})\Z")
_HOURS_LIKE_YEAR = re.compile(expanded("HOURS_LIKE_YEAR"))
_ON_DAY = re.compile(rf"\d{{4}} on (?:the )?(?:\d|{expanded('WEEKDAY')}\b|{expanded('MONTH')}\b)")
BEFORE_HOURS = 12  # tokens before such digits, in which the date stands
# A thread or a tyre by its size, and a version behind the word for its change.
_THREAD = re.compile(r"\d{1,2}/\d{1,2}-\d{1,3}", re.A)
_TYRE = re.compile(r"(?:\d{3}|[4-9]\d)/(?:\d{3}|[4-9]\d)-\d\d", re.A)
_THREADED = frozenset(
    "bolt bolts die hex nut nuts npt rod screw screws stud studs tap taps thread threads unc unef "
    "unf".split()
)
_BEFORE_VERSION = re.compile(
    r"(?<!was )(?<!were )(?<!been )(?<!being )\b(?:upgrad\w{1,5}|downgrad\w{1,5}|bump(?:ed|s|ing)?)"
    r"(?: [\w@/.-]{1,40})?(?: from \d{1,3}(?:\.\d{1,4}){2})? (?:from|to) \Z",
    re.A,
)
# Before a version of two numbers: versions 20.04 and 22.04, upgraded from 20.04 to 22.04.
_BEFORE_RELEASE = re.compile(
    r"\b(?:(?:versions?|releases?|kernel|firmware|driver|build)(?: \d{1,3}\.\d{1,3},?(?: and| or|"
    r" to)?)?|(?:upgrad|downgrad|migrat)\w{1,5}(?: [\w@/.-]{1,40})?(?: from \d{1,3}\.\d{1,3})? "
    r"(?:from|to)) \Z",
    re.A | re.I,
)
_GRADE = re.compile(r"(?:[1-9]\d?|0)(?:-(?:[1-9]\d?|0)){2}", re.A)  # of a fertiliser: 12-24-12
_FERTILISERS = frozenset("fertiliser fertilisers fertilizer fertilizers npk".split())
# A number of a part of a statute (s.98), and a product with its version (Kubernetes v1.22).
PART = re.compile(r"(?:ss?|rr?|nn?|pp?|arts?|regs?|cls?|paras?|ch)\. ?\d[\w.()]*", re.I)
_SOFTWARE = re.compile(r"[A-Za-z]{2,20}/\d{1,3}(?:\.\d{1,4})+")  # nginx/1.24.0
SHORT_TIME = re.compile(r"\d{1,4} [sh]")  # 75 s
_METRES = re.compile(r"\d{3,5} ?m", re.A)  # second in the 100 m; no months: 9 m
# Two sizes of which both readings as days would go back: 3/4–1/2.
_SHARES = re.compile(r"(\d{1,2})/([248]|16|32) ?[–-] ?(\d{1,2})/([248]|16|32)", re.A)
# Four or more numbers of one row of values (10/20/30/40), and decimals that are no month of a year
# (52.8310), or no days of months (10.15/10.60).
_ROW_OF_VALUES = re.compile(
    r"\d{1,4}(?:/\d{1,4}){3,}|(?!(?:0?[1-9]|1[0-2])\.(?:1[5-9]|2[01])\d\d$)\d{1,3}\.\d{3,}|"
    r"\d{1,3}\.(?:1[3-9]|[2-9]\d)/\d{1,3}\.\d\d|\d{1,4}\.\d/\d{1,4}",
    re.A,
)
# A day and a month with a hyphen before a time of day: 15-03 08:05.
_DOTTED_DAY = re.compile(r"(?<![\d.])\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?!\d)", re.A)
_DASHED_DAY = re.compile(rf"{expanded('EITHER_DASHED')},? (?:at )?\d\d?:\d\d", re.A)
_DAYPARTS = frozenset("morning afternoon evening night".split())
_DECIMAL = re.compile(rf"\d+[.,]\d+\s?(?:{UNITS})\.?", re.I)  # by 12.5 m.
_DECIMAL_PERIOD = re.compile(r"\d+[.,]\d+\s?(?:days?|weeks?|wks?|months?|mths?|years?|yrs?)", re.I)
_DECIMALS = re.compile(r"\d{1,3}\.\d{1,2} (?:to|and|or) \d{1,3}\.\d{1,2}", re.A)  # 14.9 to 15.4
_JOINED_WORD = re.compile(r"\d+(?:[.,]\d+)?((?![yY])[^\W\d_]{3,6})")  # 54sqm, and no 54yof
_FELL = frozenset("fallen faller fell fracture fractured slipped stumbled tripped".split())
MAX_DAY, MAX_MONTH = 31, 12
MONTH_LETTERS = 3  # of a month or a weekday in short: OCT, SAT
_AFTER_MODAL = frozenset("also be have not only still well".split())
# What makes an hour or an amount of the number before it; no words: On May 5 people came.
_HALF, _SHORT = r"[ap]\.?m\b", "|".join(u for u in FOLLOWING["UNIT"] if len(u) < 3 and u.isalpha())
_AFTER_VALUE = re.compile(
    rf"\s?(?:{_HALF}|(?:to|[-–])\s?\d{{1,2}}(?:[.:]\d\d)?\s?{_HALF}|[°%]|(?:{_SHORT}|h|hrs?)\b)",
    re.I,
)
_RANKED = frozenset("he i she they we who".split())
_RANKING = frozenset("am are came ended finished is lay placed ranked stood was were".split())
_UNDATED = (_CALL, PART, _SOFTWARE, _ROW_OF_VALUES, AGE_GROUP, SHORT_TIME, _METRES)
_TAIL = re.compile(r"[-–]+\Z|(?<=\d)\)\Z")  # (11-8), of which a date begins behind the bracket
_PER_CENT = re.compile(r"\s?\d{1,3}(?:[.,]\d+)?\s?%")
_NAMING_THINGS = KINDS | THINGS
_DIGIT = re.compile(r"\d")
_QUARTER = re.compile(r"[QH][1-4](?:\s?[/–-]\s?[QH][1-4]){0,3}")
# Runway 09/27 and 27L, CAS 7722-84-1; a question of an exam, with its parts or marks.
_NUMBER_OF_THING = re.compile(r"\d\d/\d\d|\d{1,3}[A-Z]?|\d{2,7}-\d\d-\d", re.A)
_QUESTION = re.compile(r"Q\d{1,2}:? ?(?:\([a-z]\)|(?<= )\d{1,3} (?:marks?|points?)\b)", re.A)
_DAY_BEFORE_NOON = re.compile(r"\d{1,2}/\d{1,2} ?[ap]\.?m\.?", re.A | re.I)
_ANSWERS = re.compile(r"^(?:A\d{0,2}[.:)][ \t]|Q(?:[5-9]|\d\d)[.:)])", re.M | re.A)
SIGN = re.compile(f"[{expanded('SIGN')}]")
_CLOCK_PARTS = re.compile(r"(\d{1,4})[:.](\d{1,4})|(?=\d{4}\b)(\d\d)(\d\d)", re.A)
RACE = re.compile(r"\d{1,2}:\d\d\.\d{1,3}(?:,[\d:.]+)*", re.A)  # 1:08.20, and such cells of a row
_FURTHER = re.compile(r"-\d{1,2}", re.A)  # of a row of numbers
_CLOCK = re.compile(
    r"\d{1,2}(?:[:.]\d\d|:\d\d:\d\d(?:[.,]\d{1,9})?|h\d\d)(?:\s?(?:h|hrs?|hours))?",
    re.A | re.I,
)
_HOURS_BEHIND = re.compile(r"(?<=\d\d)\s?h(?:ou)?r?s?\Z", re.I)
_COLON_CLOCK = re.compile(r"(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])", re.A)
_AFTER_DECIMAL_CLOCK = re.compile(rf"\s?(?:%|per ?cent|LTS\b|(?:{UNITS})(?!\w))", re.I)
# Of a kiln or an oven: 150/hr to 1040, 20 °C to 1220.
BEFORE_HEAT = re.compile(r"\d ?(?:/ ?h(?:r|our)?|° ?[CF]?|[CF]) (?:(?:up|down) )?to \Z")
_BEFORE_CLOCKS = frozenset(
    "a about after an and approx around at before between begins by closed closes closing doors "
    "ended ends for from is later local meet meeting my now on open opened opens or our past since "
    "start started starts that the this till time times to today tomorrow tonight until was "
    "yesterday your".split()
)
SCORE_DIGITS = 4  # of most results of the SAT
LAST_HOUR, LAST_MINUTE = 24, 59
_SECONDS = re.compile(r"\d0s", re.A)
_BEFORE_PARTS = frozenset(
    "chapter clause driver firmware item kernel para paragraph point release rule section step "
    "version".split()
)
_THREE_PARTS = re.compile(r"\d{1,3}(?:\.\d{1,3}){2}", re.A)  # with a year of four digits, a date
_BEFORE_SECONDS = frozenset("after every for within took takes than timeout".split())
# Of stitches, and words of a pattern that has them: Dec 1 st each end of the row.
_DECREASE = re.compile(r"[Dd]ec \d", re.A)
_OF_KNITTING = frozenset("st sts rnd rnds row rows knit purl yarn yo k2tog ssk psso needle".split())
_YEARS = re.compile(r"(\d{2,3})[-\s]?(?:years?|yrs?)\.?(?:[-\s]old)?", re.A | re.I)
_WITH_TERM = frozenset(
    "bond concession copyright flood franchise guarantee lease leasehold leases loan mortgage "
    "storm tenancy term treaty war warranty".split()
)
MAX_AGE = 122  # years of the longest life
_AGED_THINGS, _MATERIALS = words("AGED_THINGS", "terms"), words("MATERIALS", "terms")
MAX_DESCRIBING = 3  # words between an age and what has it
_BEHIND_AGED = frozenset(
    "adverb auxiliary conjunction modal negation past preposition pronoun third_person "
    "wh_word".split()
)
_BEING = frozenset("is was are were be 's ’s".split())
_NEARLY = frozenset(
    "about almost already around at at least some nearly now only over roughly approximately "
    "well more than easily probably maybe perhaps said to be".split()
)
BEFORE_TERM = 6  # tokens before years that name what has a term
_SCALES = words("SCORES", "terms") | frozenset(
    "dilution formation formula gear mix mixture npk odds ratio scale".split()
)
_RATINGS = frozenset(
    "baud bits bytes calories elo gram grams iso kcal lumens lux mls psi rated rating rpm ticks "
    "watts".split()
)
_RATED, _STATED = (
    frozenset({"elo", "fide", "uscf"}),
    frozenset("is was at to only about v vs against".split()),
)
_OF_TIME = FOLLOWING["DATE_UNIT"] | FOLLOWING["TIME_UNIT"]


def is_small_word(word: str) -> bool:
    """Return whether a word is a common one in small letters, and no name or place."""
    of_title = builtin_lexicon().of(word.capitalize())
    return word.islower() and is_word(word) and not of_title & (NAMES | PLACES)


def is_unit_of(number: str, word: str) -> bool:
    """Return whether a word is the unit of the number before it: 380 Mbps, 38 mA."""
    return len(word) <= MAX_UNIT and pattern("UNITED").fullmatch(f"{number}{word}") is not None


def _is_other_word(tokens: Tokens, i: int, end: int) -> bool:
    """Return whether a month or a weekday in three capitals is an abbreviation, where neither a
    number nor other capitals stand beside it (OCT confirmed it, the SAT), or a fall is no season
    in a text of somebody who fell."""
    if tokens.lowers[end - 1] == "fall":
        return not _FELL.isdisjoint(tokens.lowers)
    if end - i > 1 or not (tokens.texts[i].isupper() and len(tokens.texts[i]) == MONTH_LETTERS):
        return False
    beside = (*tokens.texts[max(i - 1, 0) : i], *tokens.texts[i + 1 : i + 2])
    words = [text for text in beside if text[0].isalnum()]
    return bool(words) and not any(word.isupper() or word[0].isdigit() for word in words)


def _ends_with_modal(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether numbers stand before the verb may, which another follows, in a text that
    writes months with capitals: numbers 11 to 19 may go home."""
    if tokens.texts[end - 1] != "may" or end - start < 2 or tokens.text.islower():
        return False
    after = tokens.texts[end] if end < len(tokens.texts) else ""
    is_dated = tokens.lowers[max(start - 1, 0)] in ("on", "the", "by", "from", "until")
    return after in _AFTER_MODAL or ("verb" in builtin_lexicon().of(after) and not is_dated)


def _is_number_alone(tokens: Tokens, start: int, end: int, mark: str) -> bool:
    """Return whether what stands beside numbers makes no day of them. mark: what joins them."""
    if mark == "." and _AFTER_DECIMAL.match(
        tokens.between_with_blank(end - 1, end + BESIDE), len(tokens.texts[end - 1])
    ):
        return True
    if _DASHED_DAY.match(tokens.between_with_blank(start, end + BESIDE)):
        return False
    if mark == "." and not _DAYPARTS.isdisjoint(tokens.lowers[end : end + 2]):
        return False  # 15.04 evening, early morning
    if mark == "to" or (mark == "." and tokens.lowers[start - 1] == "by"):
        return _DOTTED_DAY.search(tokens.text) is None  # it rose by 10.12, from 14.9 to 15.4
    return pattern("BEFORE_DATE").search(tokens.between_with_blank(start - 3, start)) is None


def _is_joined(text: str) -> bool:
    """Return whether a number is joined to a word that is neither a month nor a unit of time:
    54sqm, and no 17MAR."""
    joined = _JOINED_WORD.fullmatch(text)
    if joined is None or joined[1].lower() in _OF_TIME:
        return False
    return "MONTH" not in kinds(joined[1].capitalize())


def _are_sizes(text: str) -> bool:
    """Return whether two fractions are sizes, as no days are in order: the first would be the later
    one, whether the month stands first or last."""
    shares = _SHARES.fullmatch(text)
    if shares is None:
        return False
    a, b, c, d = map(int, shares.groups())
    return a < b and c < d and (b, a) > (d, c) and (a, b) > (c, d)


def _is_called_or_counted(tokens: Tokens, start: int, end: int, text: str) -> bool:
    """Return whether four digits are a number to call (dial 1990), or the first of a range that are
    no years: 3400 to 3600."""
    if text.isdigit() and tokens.lowers[max(start - 1, 0)] in ("dial", "press", "ring", "text"):
        return True
    is_first = _TO_NUMBER.fullmatch(tokens.between(end, end + 2)) is not None
    return is_first and _NO_YEAR.fullmatch(text) is not None


def is_undated(tokens: Tokens, label: str, start: int, end: int) -> bool:
    """Return whether a date is a part of code, a value joined to its unit, numbers without a word
    before them that makes them a date, or the rate APR."""
    text = _TAIL.sub("", tokens.between(start, end))
    if _DIGIT.search(text) is None:
        is_sign = SIGN.match(text[-1:]) is not None
        is_score = end - start == 1 and (_is_test(tokens, start, end) or _is_rate(tokens, start))
        return is_sign or (label == "DATE" and (is_score or _is_other_word(tokens, start, end)))
    if any(form.fullmatch(text) for form in _UNDATED):
        return True
    if end - start == 1 and amount_or_hour(tokens, start):
        return True
    if label == "TIME":
        is_heat = BEFORE_HEAT.search(tokens.between_with_blank(start - 5, start)) is not None
        return is_heat or _is_no_clock(text) or _is_period(tokens, start, end, text)
    if _is_named_number(tokens, start, end, text) or _ends_with_modal(tokens, start, end):
        return True
    if _is_called_or_counted(tokens, start, end, text) or _are_sizes(text):
        return True
    if _DECIMAL.fullmatch(text) or _DECIMAL_PERIOD.fullmatch(text) or _is_joined(text):
        return True
    numbers = _NUMBERS.fullmatch(text)
    if numbers is not None and _FURTHER.fullmatch(tokens.between(end, end + 2)):
        return True  # 8-2-19-3
    if _DECIMALS.fullmatch(text) or (numbers is not None and _are_no_date(numbers)):
        return _is_number_alone(tokens, start, end, numbers[2] if numbers is not None else "to")
    is_number = (
        _is_decrease(tokens, text)
        or _is_measured(tokens, start, text)
        or _is_size(tokens, start, end, text)
    )
    is_number |= _is_rank(tokens, start, end)
    return is_number or _is_no_life(tokens, start, end)


def _is_decrease(tokens: Tokens, text: str) -> bool:
    """Return whether Dec 1 takes stitches away, in a pattern for knitting."""
    return (
        _DECREASE.fullmatch(text) is not None and len(_OF_KNITTING.intersection(tokens.lowers)) > 1
    )


def _is_no_clock(text: str) -> bool:
    """Return whether a number is no time of day: 60:40, 1.72, 4127, 7:04.2 of a race, and a day
    with its half, 21/02 PM."""
    parts = _CLOCK_PARTS.fullmatch(text)
    if parts is None:
        return any(form.fullmatch(text) for form in (RACE, _DAY_BEFORE_NOON))
    hour, minute = parts[1] or parts[3], parts[2] or parts[4]
    if int(hour) >= LAST_HOUR:
        return int(hour) > LAST_HOUR or int(minute) > 0
    return len(minute) != 2 or int(minute) > LAST_MINUTE


def _is_period(tokens: Tokens, start: int, end: int, text: str) -> bool:
    """Return whether a number in the form of a time of day is a period, a ratio, a decimal or a
    version: won in 1:52:20, elapsed 0:30:00, 5:12 min, odds 7:20, mix 1.25, 14.29 %, Ubuntu 22.04,
    and at 09:30 TSH 2.31."""
    if _CLOCK.fullmatch(text) is None:
        return False
    before = tokens.lowers[start - 1] if start else "\n"
    size = len(_HOURS_BEHIND.sub("", text))
    after = tokens.between_with_blank(start, end + BESIDE)[size:]
    if before in _SCALES or pattern("AFTER_PERIOD").match(after):
        return True
    if pattern("BEFORE_PERIOD").search(tokens.between_with_blank(start - 2 * BESIDE, start)):
        return True
    if ":" in text or "." not in text:
        return before in ("in", "for") and text.count(":") > 1
    return _is_decimal(tokens, start, text, after)


def _is_decimal(tokens: Tokens, start: int, text: str, after: str) -> bool:
    """Return whether a number like 9.30 is a decimal or a version. after: the text behind it."""
    if text.startswith("0.") or _AFTER_DECIMAL_CLOCK.match(after):
        return True
    before = tokens.lowers[start - 1] if start else "\n"
    if before in GOODS or _BEFORE_RELEASE.search(tokens.between_with_blank(start - BESIDE, start)):
        return True
    is_named = before[-1].isalpha() and "WEEKDAY" not in kinds(before)
    if not is_named or before in _BEFORE_CLOCKS:
        return False
    # Whoever writes 09:30 does not write 9.30.
    return _COLON_CLOCK.search(tokens.text) is not None


def _is_named_number(tokens: Tokens, start: int, end: int, text: str) -> bool:
    """Return whether a date is the number of a thing (Runway 09/27, Main Switch Q1), seconds (after
    30s), or the year of a product or a model: Windows Server 2019, the 2010 model."""
    before = tokens.texts[start - 1] if start else ""
    if _QUARTER.fullmatch(text) and is_of_thing(tokens, start):
        return True
    if _NUMBER_OF_THING.fullmatch(text.rstrip(".")):
        return before.lower() in _NAMING_THINGS
    if text[0] == "Q" and _is_question(tokens, start, end):
        return True
    if end - start > 1:
        return end - start == 2 and _is_of_program(tokens, end - 1)
    if _SECONDS.fullmatch(text):
        return before.lower() in _BEFORE_SECONDS
    if not (text.isdigit() and len(text) == 4):
        return False
    if _is_counted(tokens, start) or _is_hour(tokens, start):
        return True
    is_product = before.istitle() or before.isupper()
    if is_product and (before.lower() in GOODS or before == "Server"):
        return True
    return tokens.lowers[end : end + 1] in (["model"], ["models"])


def _is_question(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a quarter is the number of a question: before its parts or marks, or at the
    head of a line, in a text that answers them or has more than four."""
    if _QUESTION.match(tokens.between(start, end + BESIDE)):
        return True
    opens = start == 0 or "\n" in tokens.texts[start - 1]
    is_item = (
        tokens.between(end, end + 1)[:1] in (".", ":", ")") or tokens.texts[end - 1][-1] == "."
    )
    return opens and is_item and _ANSWERS.search(tokens.text) is not None


def _is_hour(tokens: Tokens, i: int) -> bool:
    """Return whether a number like a year is a time of day, by the date beside it."""
    before = tokens.between_with_blank(i - BEFORE_HOURS, i).lower()
    after = tokens.between(i, i + BESIDE).lower()
    if before.endswith("at ") and _ON_DAY.match(after):
        return True
    return _HOURS_LIKE_YEAR.match(after) is not None and _BEFORE_HOURS.search(before) is not None


def _is_size(tokens: Tokens, start: int, end: int, text: str) -> bool:
    """Return whether numbers are the size of a thread or a tyre (1/2-13 UNC tap, 90/90-18), or the
    grade of a fertiliser: spread fertiliser 12-24-12."""
    if _TYRE.fullmatch(text):
        return True
    after = tokens.lowers[end] if end < len(tokens.lowers) else ""
    if _THREAD.fullmatch(text):
        return after in _THREADED
    if _GRADE.fullmatch(text) is None:
        return False
    is_behind = start > 1 and tokens.texts[start - 2].isalpha()
    return after in _FERTILISERS or (is_behind and tokens.texts[start - 1] in _FERTILISERS)


def _is_of_program(tokens: Tokens, i: int) -> bool:
    """Return whether four digits stand behind what a program or a book numbers: pid 1988."""
    before = tokens.lowers[i - 1] if i else ""
    text = tokens.texts[i]
    is_number = text.isdigit() and len(text) == 4
    return is_number and before.removesuffix("s") in BEFORE_NUMBERS


def _is_counted(tokens: Tokens, i: int) -> bool:
    """Return whether a number like a year counts or measures what stands behind it, or is that of a
    page: 1950 rpm, 1850 Elo, 2012 miles, page 1998. In 1998 people came is a year."""
    before = tokens.lowers[i - 1] if i else ""
    if _is_of_program(tokens, i):
        return True
    unit = tokens.lowers[i + 1].rstrip(".") if i + 1 < len(tokens.lowers) else ""
    if unit == "s":  # 2048 s, and no year of an act before a section: 2008 s 12
        return not (tokens.between(i + 2, i + 3)[:1].isdigit() or before == "act")
    if before in LISTED["IN_TIME"] or not unit.isalpha():
        return False
    return unit in _RATINGS or unit in FOLLOWING["UNIT"] or is_unit_of(tokens.texts[i], unit)


def _is_no_life(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a number of years that may be an age over 89 is longer than a life, or stands
    beside what has a term: the lease runs 99 years."""
    if end - start == 1 and tokens.lowers[end + 1 : end + 2] in (["year"], ["yr"]):
        end += 2  # 95|-year-old
    match = _YEARS.fullmatch(tokens.between(start, end).rstrip("-"))
    years = int(match[1]) if match else 0
    if years < TOP_AGE:
        return False
    beside = tokens.lowers[max(start - BEFORE_TERM, 0) : start] + tokens.lowers[end : end + 2]
    if years > MAX_AGE or not _WITH_TERM.isdisjoint(beside):
        return True
    is_said = "years" in tokens.lowers[start:end] and _is_said_of_thing(tokens, start)
    return is_said or _is_thing_of_age(tokens, end)


def _is_thing_of_age(tokens: Tokens, i: int) -> bool:
    """Return whether a thing stands behind its age, or behind an adjective or what it is made of: a
    114 year old brass clock; not a 94 year old piano teacher."""
    while tokens.lowers[i : i + 1] in (["-"], ["old"]):  # 95-year|-old oak
        i += 1
    last = i + MAX_DESCRIBING + 1
    named = [*takewhile(lambda word: _may_describe(word) or _is_aged(word), tokens.texts[i:last])]
    if not named or not _is_aged(named[-1]):
        return False
    after = "".join(tokens.texts[i + len(named) : i + len(named) + 1])
    goes_on = after.isalpha() and after.islower()
    return not goes_on or not _BEHIND_AGED.isdisjoint(builtin_lexicon().of(after))


def _is_aged(word: str) -> bool:
    return not {word, word.removesuffix("s")}.isdisjoint(_AGED_THINGS | _MATERIALS)


def _may_describe(word: str) -> bool:
    """Return whether a word may stand between the age of a thing and the thing."""
    if not word.islower():
        return False
    return word == "cast" or "adjective" in builtin_lexicon().of(word)


def _is_said_of_thing(tokens: Tokens, start: int) -> bool:
    """Return whether a verb stands before an age, and a thing, or "it", before the verb: the piano
    is about 114 years old."""
    i = start - 1
    while i > 0 and tokens.lowers[i] in _NEARLY:
        i -= 1
    if i < 1 or tokens.lowers[i] not in _BEING:
        return False
    return tokens.lowers[i - 1] in ("it", "its", "which") or _is_aged(tokens.lowers[i - 1])


def _is_measured(tokens: Tokens, i: int, text: str) -> bool:
    """Return whether a number of four digits, or one of parts, stands behind the name of a rating,
    a unit or a score (Elo 1850, rpm 1900, Apgar 8/9/10), or behind a version or a rule: 1.2.12."""
    before = tokens.lowers[i - 1] if i else ""
    is_rating = len(text) == 4 and text.isdigit()
    if _THREE_PARTS.fullmatch(text) and (
        before.removesuffix("s") in _BEFORE_PARTS
        or _BEFORE_VERSION.search(tokens.between_with_blank(i - BESIDE, i).lower())
    ):
        return True
    if is_rating and before in _STATED and not _RATED.isdisjoint(tokens.lowers):
        return True  # is 1890 but plays, in a text with an Elo
    return before in (_RATINGS if is_rating else _SCALES)


def _is_test(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether SAT is a test with its score, which is no time of day: SAT 1480."""
    score = tokens.between(end, end + 1)
    return tokens.texts[start] == "SAT" and len(score) == SCORE_DIGITS and _is_no_clock(score)


def _is_rate(tokens: Tokens, i: int) -> bool:
    """Return whether APR is a rate beside a share, rather than April."""
    text = tokens.texts[i]
    if not (text.isupper() and "MONTH" in kinds(text)):
        return False
    before = tokens.between(i - 1, i)
    return before == "%" or _PER_CENT.match(tokens.between(i + 1, i + 4)) is not None


def _is_rank(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a date is the place of someone (he was 12th), or ends with a place among
    several, or with a part of one: 11th of 12."""
    if end - start == 1 and "ORDINAL" in kinds(tokens.texts[start]):
        who, verb = tokens.between(start - 2, start - 1), tokens.lowers[max(start - 1, 0)]
        return who.lower() in _RANKED and verb in _RANKING
    if "of" not in tokens.lowers[start : end + 1]:
        return False
    for i in range(max(start, end - 3), end):
        if tokens.lowers[i + 1 : i + 2] == ["of"] and "ORDINAL" in kinds(tokens.texts[i]):
            number = tokens.between(i + 2, i + 3).rstrip(".")
            return number.isdigit() and len(number) <= MAX_COUNT
    return False


def _are_no_date(numbers: re.Match[str]) -> bool:
    """Return whether numbers are no ages over 89, and neither a day, a month and a year nor a
    fraction, which other rules judge."""
    first, mark, second, third = numbers.groups()
    if third is None:
        return mark != "/" and max(int(first), int(second)) < TOP_AGE
    days = sorted(map(int, (first, second)))
    is_date = len(third) == 2 and 1 <= days[0] <= MAX_MONTH and days[1] <= MAX_DAY
    return not is_date


def amount_or_hour(tokens: Tokens, i: int) -> re.Match[str] | None:
    """Return what makes an hour or an amount of a number of two digits; None for no such number."""
    number = tokens.texts[i]
    if not number.isdigit() or len(number) > 2:
        return None
    return _AFTER_VALUE.match(tokens.between_with_blank(i, i + BESIDE), len(number))
