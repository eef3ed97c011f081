"""Values, which are no names, dates or addresses: amounts with units, scales, votes and code.

Rules and the network guess by the words beside a number, and so take Gbit for a person in "1.2
Gbit/s", and "90 cm wide" for an address. What the form of a number says is surer than such a guess.
The form of a code is judged where it is read (NUMBER_FORM in data/entities/forms.txt): a code after
a word that says so stays a code, whatever its form. Dates are judged in `undated`, codes of things
in `numbered`, and numbers in a row in `amounts`.
"""

from __future__ import annotations

import re

from ..text.mentions import Entity, is_word
from ..text.tokens import Tokens
from .amounts import MARKS, MIN_PHONE, UNITS, are_amounts
from .numbered import (
    ARTICLES,
    KEY_BESIDE,
    THINGS,
    is_behind_model,
    is_behind_thing,
    is_fault,
    is_key,
    is_of_kind,
    is_of_thing,
    is_revision,
)
from .tables import FOLLOWING, expanded, pattern, words
from .undated import (
    AGE_GROUP,
    BEFORE_HEAT,
    BEFORE_NUMBERS,
    BESIDE,
    MAX_COUNT,
    MAX_UNIT,
    PART,
    RACE,
    SHORT_TIME,
    SIGN,
    is_small_word,
    is_undated,
    is_unit_of,
)

_PLACED = frozenset({"PERSON", "GPE", "ORG", "ADDRESS"})
_DATED = frozenset({"DATE", "TIME"})
_ABBREVIATIONS = words("ABBREVIATIONS", "terms")
_LONG_UNITS = frozenset(unit for unit in FOLLOWING["UNIT"] if len(unit) > 3)
_AMOUNT = rf"[+−±~≈≤≥<>-]?\d+(?:[.,]\d+)*\s?(?:%|(?:{UNITS})(?!\w))"
_OF_VALUES = re.compile(rf"{expanded('JOINED')}(?:\s?[/x×–-]\s?{expanded('JOINED')})*", re.I)
# An abbreviation and its value (ST +3 mm), an amount and what it measures (90 cm wide).
_WITH_AMOUNT = re.compile(
    rf"(?:[A-Z][A-Za-z]{{0,4}}|[a-z]{{1,9}})\s(?:[<>=~±]?\s?(?:{_AMOUNT}|(?i:{expanded('JOINED')}))|"
    r"[<>=~±+−-]\s?\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)?:\d+)"
)
_MEASURED = re.compile(
    rf"(?:{expanded('JOINED')}|{_AMOUNT}|(?i:{_AMOUNT})(?=\s[A-Z]{{2}}))(?:\s(?:[a-z]+|[A-Z]{{2,5}}))*"
)
_SETTING = re.compile(r"[a-z_.]+=-?\d[\d.]*[a-z]{0,3}")
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}(?<![²³])|[^\W\d_]\.")
_CODES_IN_ROW = re.compile(r"[A-Z]{2,5} \d{1,6} [A-Z]{2,5} \d{1,6}\.?")  # SPN 3251 FMI 0
_STITCHES = re.compile(r"\d{1,3} st [x×]")
_WORK = re.compile(r"\d{1,3} No\.? \d{1,3}")
_BEFORE_WORKS = frozenset({"op", "opus"})
_GROUP = re.compile(r"[a-z]{2,}-\d{1,4}s?")  # under-16s
_LETTER_AND_NUMBER = re.compile(r"[A-Z]\d{1,6}")
_NUMBERED = re.compile(r"[A-Z]\d{1,2}(?:\+\d{1,2})?")  # G2 P1
_SIGNS = frozenset("+ - − < > = ~ ± @ ≤ ≥".split())
_FROM_NUMBER = re.compile(r"\d+ (?:to|and|or)")  # 1105 to |1120
MAX_ABBREVIATION = 5  # letters
_VERSIONED = re.compile(r".*\bv\d{1,3}(?:\.\d{1,4})+(?:-?[a-z]{1,5}\d{0,3})?")
_RELEASED = re.compile(r"[^\W\d_][\w+#-]* \d{1,3}(?:\.\d{1,3}){1,3}")  # PostgreSQL 16.4
_ABBREVIATED = re.compile(
    r"[A-Z]{3,5}\s?[<>=~]?\d{1,3}(?:[.,]\d+)?(?:\s?[-–>]+\s?\d+)?"
)  # NRS 7->4
_LATER_READING = re.compile(r" ?(?:to|->|→|[-–]|and then) ?(\d{3,8})(?!\w|[.,]\d)", re.A)
_METERS = frozenset("meter meters reading readings odometer odo counter clock mileage".split())
_HEADED_RELEASE = re.compile(
    r"(?:[A-Za-z]{1,20}-)?v?\d{1,3}(?:\.\d{1,4}){1,2}(?:[._-]?[a-z]{1,5}[.-]?\d{0,3})?", re.A
)
# A short word and several values: Ct 24.1/24.3/24.0.
_WITH_SEVERAL = re.compile(
    r"[A-Z][A-Za-z\d]{0,4} \d{1,4}\.\d{1,3}(?:/\d{1,4}(?:\.\d{1,3})?){1,5}", re.A
)
_OF_AMOUNT = re.compile(rf" (?:of \d|(?!units?\b)(?:{UNITS})(?!\w))", re.I)  # 410 of 640, 35 g
_WIND = re.compile(r"\d{1,3} (?:NNE|ENE|ESE|SSE|SSW|WSW|WNW|NNW)\b")  # gust 52 WSW 1510
_BEHIND_MONEY = re.compile(rf"\b{expanded('MONEY_LEAD')} \Z", re.I)
_SPEED = re.compile(r"\d{1,3} (?:mph|kmh|km/h|kph|acres?|hectares?) ", re.I)
# A part of a statute, a place at a table, a weight of gold, and a value with its unit.
_OF_PART = re.compile(
    r"\d{1,3} (?:of (?:Schedule|Appendix|Part|Annex|Section|Chapter|Article|Order|Rule|Table)\b"
    r"|of [A-Z]{3,6} \d{1,4}\Z|place (?:setting|mat|card|holder)|ct\Z"
    r"|(?:Nm|uL|µL|Ah|kPa|MPa|MHz|kHz|dB)\b)"
)
_PRESSURES = frozenset("baro barometer glass qfe qnh".split())
LEAST_PRESSURE, MOST_PRESSURE = 870, 1085  # of the air at the sea, in hPa
_BEHIND_OPTION = re.compile(r"(?<!\S)--?[a-z][\w-]{0,30} \Z")  # of a command
_BEHIND_SET = re.compile(r"\bset (?:the )?[\w ]{1,20} to \Z", re.I)  # set MTU to 1492
# An amount and what it counts, or behind its currency: 4,500 gns, Kshs 6.2M, IR£42,300.
_NAMED_AMOUNT = re.compile(
    rf"\d[\d.,/]* [a-z]+|(?:{expanded('SHILLINGS')}|{expanded('CURRENCY')})\.? ?\d[\d.,]*[MmKkBb]?|"
    rf"[A-Z]{{1,3}}[{expanded('SIGN')}]\d[\d.,]*[MmKkBb]?"
)
# With letters before the sign: CA$219.99.
_SIGNED_AMOUNT = re.compile(rf"[A-Z]{{1,3}}[{expanded('SIGN')}]\d[\d.,]*[MmKkBb]?")
_CURRENCY = re.compile(expanded("CURRENCY"))
_AFTER_NUMBER = re.compile(r"(?:[kMG]?Wh|m[²³3]|[mkM]?Ω|[kM]?[lL]|TEU|hours|units)(?!\w)")
_TIMES = re.compile(r" ?[@x×] ?\d")  # Invoice: 12 @ 4.50
_LEAST_ORDER = re.compile(
    r"\b(?:min|minimum|max|maximum|smallest|largest|bulk|repeat|standing|last|re)\.?[ -]{1,2}"
    r"orders?"
    r"(?: (?:qty|quantity|size))?(?: (?:is|of|was))?[ :]{0,2}\Z",
    re.I,
)
_RATE = re.compile(r"[^\W\d_]{1,5}/[^\W\d_]{1,3}(?!\w)")  # µmol/L
_PER_AMOUNT = re.compile(  # 4.6mm/24h, 12.3MB/45.6MB
    rf"(?i:{_AMOUNT})/(?:\d*[a-z]{{1,3}}|\d[\d.,]*[A-Za-z]{{0,2}})"
)
_UNIT_APART = re.compile(r"(\d[\d.,]*) (?=[A-Za-z]{2})")
_JOINED_TO_WORDS = re.compile(rf"(?i:{expanded('JOINED')})(?:\s[a-z]+)*")  # 64KiB headers
_REPORTED = re.compile(rf"\d{{1,4}}\s{expanded('LAW_REPORT')}\.?\s\d")  # 575 U.S. 348
_PLAIN_NUMBER = re.compile(r"[+−-]?\d+(?:[.,]\d+)*", re.A)
# What is long enough for a postal code.
_CODES = re.compile(r"(?<![\d.,])(?:\d{4}|\d{3} \d\d|\d\d-\d{3})")
_DASHES = frozenset("-–")
_PARTS_OF_BODIES = frozenset("unit block wing suite room floor".split())
_OF_ADDRESSES = frozenset({"lot", "station"})  # Lot 22, Banksia Drive
_ROAD = re.compile(r"[ABEIMN]-?\d{3,4}", re.A)  # the B4027, the I-495
_GLUED_DEGREES = re.compile(r"\d{2,4}[CF]")
_ROMAN = re.compile(r"[IVX]{1,4}")
_ORDER = re.compile(r"\d{1,3}(?:st|nd|rd|th)", re.I)
# Behind a word for a key or below a head of identifiers: on the chart was 92.6, ref 10–125,
# 400 mg TDS, a record of 12-4-2, the figures of a bowler, 9.2-1-38-4; but a sort code is one.
_RESULT = re.compile(
    r"(?:[A-Z]-[A-Z] )?\d{1,4}\.\d{1,2}(?:[-–]\d{1,4}\.\d{1,2})?|\d{1,3}–\d{1,3}|"
    r"(?!\d\d-\d\d-\d\d)\d\d?-\d\d?-\d\d?|\d\d?(?:\.\d)?-\d\d?-\d{1,3}-\d\d?|"
    rf"\d[\d.,]*(?: ?%| (?:{UNITS}|m|days?|weeks?|months?|years?|hours?)(?: [A-Z]{{2,3}})?)",
    re.A,
)
_LETTER_UNITS = frozenset({"s", "h", "g", "m", "l", "t", "V", "W", "°C", "N"})
# Pregnancies and births (G2P1L1), which look like a postal code of Quebec, and what speaks of them.
_BIRTHS = re.compile(expanded("BIRTHS_LIKE_CODE"), re.I)
_FURTHER_BIRTHS = re.compile(r"[GTPAL]\d{1,2}(?: [GTPAL]\d{1,2}){0,3}", re.A)
_OF_BIRTHS = frozenset(
    "anc antenatal breech caesarean cephalic cervix contractions epds fetal fetus foetal foetus "
    "gbs gdm gestation gestational gravida lmp lscs midwife midwives miscarriage multip multipara "
    "nvd obstetric obstetrics obstetrician parity pih placenta postnatal postpartum pregnancies "
    "pregnancy pregnant primi primip stillbirth svd trimester uterus".split()
)
_WEEKS = frozenset("week weeks wk wks".split())
_SHOWN_CODE = re.compile(r"[A-Z]{1,2}-?\d{1,3}", re.A)
_SHOWING = frozenset("alarm alert code display error fault light message symbol warning".split())


def is_value(tokens: Tokens, entity: Entity) -> bool:
    """Return whether a name, a place, a date or an identifier is a value, or a part of one."""
    label, start, end = entity
    if tokens.texts[start][0].isdigit() and SIGN.fullmatch(tokens.between(start - 1, start)):
        return True  # ₹43,218
    if label in _DATED:
        return is_undated(tokens, label, start, end)
    if label in ("ID", "ADDRESS") and _is_of_births(tokens, start, end):
        return True
    if label == "PHONE":
        text = tokens.between(start, end)
        is_short = text.isdigit() and len(text) < MIN_PHONE  # Driver: 415-555-0199 is no code
        closes = text.count(")") - text.count("(") - (tokens.texts[start - 1 : start] == ["("])
        return closes > 0 or (is_short and is_behind_thing(tokens, start))  # (2104) 7.5 is none
    if label == "ID":
        return (
            _is_count(tokens, start, end)
            or RACE.fullmatch(tokens.between(start, end)) is not None  # record 1:01.77
            or _RESULT.fullmatch(tokens.between(start, end)) is not None
            or _SIGNED_AMOUNT.fullmatch(tokens.between(start, end)) is not None
            or is_fault(tokens, start, end)
            or _is_temperature(tokens, start, end)
            or _is_reading(tokens, start, end)
            or _is_release_of_heading(tokens, start, end)
            or _is_round_amount(tokens, start, end)
            or _is_road(tokens, start, end)
            or is_of_thing(tokens, start)
            or is_of_kind(tokens, start, end)
        )
    if label not in _PLACED:
        return False
    text = tokens.between(start, end).rstrip(".")
    if any(map(str.isdigit, text)):
        return _is_value_with_digit(tokens, entity, text)
    if label == "ADDRESS":
        return _has_measure(text, tokens.between(start - 1, start), "")
    return _is_unit_or_stage(tokens, start, end, text)


def _is_of_births(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a code counts the pregnancies and births of a woman, in a text that speaks of
    such, or behind the first of its parts: G2P1L1 at 38 weeks, G3 P1 L1 A1."""
    if end - start > 1:
        before = tokens.between(start - 1, start)
        is_further = _FURTHER_BIRTHS.fullmatch(tokens.between(start, end)) is not None
        return is_further and _FURTHER_BIRTHS.fullmatch(before) is not None
    if _BIRTHS.fullmatch(tokens.texts[start]) is None:
        return False
    is_in_weeks = not _WEEKS.isdisjoint(tokens.lowers[end : end + BESIDE // 2])
    return is_in_weeks or not _OF_BIRTHS.isdisjoint(tokens.lowers)


def _is_value_with_digit(tokens: Tokens, entity: Entity, text: str) -> bool:
    """Return whether a name, a place or an address with a digit is a value."""
    label, start, end = entity
    if label == "ADDRESS":
        is_section = start > 0 and tokens.texts[start - 1] in ("§", "§§")
        return (
            is_section
            or (text[-1].isdigit() and tokens.between(end, end + 1) in _LONG_UNITS)  # flat 18 cents
            or _is_pressure(tokens, start)
            or _is_no_address(tokens, start, end)
            or _is_amount(text)
            or _is_release(text)
        )
    is_code = end - start == 1 and (  # logger CR1000X, Siglent SDS1104X
        is_of_thing(tokens, start) or is_of_kind(tokens, start, end)
    )
    is_code |= _NAMED_AMOUNT.fullmatch(text) is not None or _is_price_by_letter(tokens, text)
    return is_code or _is_amount(text) or _is_number(text) or _ORDER.fullmatch(text) is not None


def _is_price_by_letter(tokens: Tokens, text: str) -> bool:
    """Return whether a letter before a number is a currency, with which the text writes amounts
    that have cents: M8, where M9.50 is."""
    if not _LETTER_AND_NUMBER.fullmatch(text):
        return False
    return re.search(rf"(?<!\w){text[0]}\d{{1,6}}\.\d\d(?![\w.])", tokens.text) is not None


def _is_release(text: str) -> bool:
    """Return whether a text is a word and a version, and no part of a building: PostgreSQL 16.4."""
    return _RELEASED.fullmatch(text) is not None and text.split()[0].lower() not in _PARTS_OF_BODIES


def _is_unit_or_stage(tokens: Tokens, start: int, end: int, text: str) -> bool:
    """Return whether a name or a place is the unit of the number before it (1.2 Gbit/s, 380 Mbps),
    a stage (NYHA II), or an abbreviation before a value (CPI + 1%)."""
    before = tokens.texts[start - 1] if start else ""
    speaks = "." in before and tokens.between(end, end + 1) == ":"  # 3.1 KM: Yes.
    if before[-1:].isdigit() and not speaks:
        first = tokens.texts[start]  # 350 mA peak
        if _RATE.match(tokens.between(start, start + 3)) or is_unit_of(before, first):
            return True
    if end - start > 1:
        return _is_stage(text)
    if is_revision(tokens, start):
        return True
    if end >= len(tokens.texts):
        return False
    after = tokens.texts[end]
    return (after == "/" and _is_unit(tokens, start)) or (
        after in _SIGNS and _has_value(tokens, start)
    )


def _is_temperature(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a number before C or F is a temperature, as a text with degrees has: 2345F."""
    return _GLUED_DEGREES.fullmatch(tokens.between(start, end)) is not None and "°" in tokens.text


def _is_reading(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a number is the reading of a meter before a later one: 48812 to 48871."""
    number = tokens.between(start, end)
    later = _LATER_READING.match(tokens.between_with_blank(start, end + BESIDE), len(number))
    if not number.isdigit() or later is None or len(later[1]) != len(number):
        return False
    return tokens.lowers[max(start - 1, 0)] in _METERS and int(later[1]) >= int(number)


def _is_release_of_heading(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a code is a version behind the sign of a heading: ## v2.3.0, # python-3.11."""
    if start == 0 or not tokens.texts[start - 1].endswith("#"):
        return False
    return _HEADED_RELEASE.fullmatch(tokens.between(start, end)) is not None


def _is_road(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a code is the number of a road behind its article: the B4027, the I-495. Where
    a recogniser takes it for an address, it may say where someone lives."""
    if start == 0 or tokens.lowers[start - 1] != "the":
        return False
    return _ROAD.fullmatch(tokens.between(start, end)) is not None


def _is_round_amount(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a currency stands before a round number (LKR 185000), or no word for a code
    before a very round one: to 600000."""
    number, before = tokens.between(start, end), tokens.between(start - 1, start)
    if number.isdigit() and number.endswith("0000") and len(number) < MIN_PHONE:
        words_before = tokens.lowers[max(start - KEY_BESIDE, 0) : start]
        return not any(is_key(word.rstrip(".")) for word in words_before)
    is_round = number.isdigit() and number.endswith("00")
    return is_round and _CURRENCY.fullmatch(before) is not None


def _is_count(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a number counts what stands behind it (no 500 errors, in case 300 more,
    invoice: 12 @ 4.50), or what is ordered at least: min order 100."""
    number = tokens.texts[start]
    if end - start > 1 or not number.isdigit() or len(number) > MAX_COUNT:
        return False
    if _TIMES.match(tokens.between_with_blank(start, start + BESIDE), len(number)):
        return True
    if _LEAST_ORDER.search(tokens.between_with_blank(start - KEY_BESIDE, start)):
        return True
    after = tokens.between(end, end + 1)
    return after in _LETTER_UNITS or pattern("COUNTED").match(after) is not None


def are_values(text: str) -> bool:
    """Return whether the words between numbers are abbreviations: HR 132 RR, 88 BP 120."""
    letters = [part for part in text.split() if part.isalpha()]
    return bool(letters) and _ABBREVIATIONS.issuperset(letters)


def _is_no_address(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether an address is of values, has an article before a small word (the p95), is a
    letter with a number beside another one (G2 P1), or is of numbers too short for a code."""
    text, after = tokens.between(start, end).rstrip("."), tokens.between(end, end + 1)
    if text.startswith("#"):
        return False  # the unit of a block: #05-11
    before = tokens.between(start - 2, start).lower()
    if _CODES_IN_ROW.fullmatch(tokens.between(start - 1, end)) or _has_measure(text, before, after):
        return True
    if are_values(text) or all(map(_NUMBERED.fullmatch, (text, after))):
        return True
    if SHORT_TIME.fullmatch(text) or (
        text.isdigit() and _OF_AMOUNT.match(tokens.between_with_blank(end - 1, end + 2), len(text))
    ):
        return True
    if text[0].isdigit() and _REPORTED.match(tokens.between(start, start + BESIDE)):
        return True
    if any(map(str.isalpha, text)):
        return _OF_PART.match(text) is not None or _is_named_thing(tokens, start, end)
    if text.isdigit() and (_FROM_NUMBER.fullmatch(before) or _is_amount_alone(tokens, start, end)):
        return True
    if is_behind_thing(tokens, start) or is_behind_model(tokens, start):
        return True
    if _CODES.search(text):
        first = tokens.between_with_blank(start - BESIDE, start)
        beside = first + tokens.between_with_blank(start, end + BESIDE)
        is_parted = MARKS.search(text) is not None
        return is_parted and are_amounts(beside, len(first), len(first) + len(text))
    return after in _DASHES or not text.isdigit()


def _is_pressure(tokens: Tokens, i: int) -> bool:
    """Return whether a number is the pressure of the air: baro 1009 falling, QNH 1013."""
    number = tokens.texts[i]
    is_behind = i > 0 and tokens.lowers[i - 1].rstrip(".:") in _PRESSURES
    return is_behind and number.isdigit() and LEAST_PRESSURE <= int(number) <= MOST_PRESSURE


def _is_amount_alone(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a number without a street is an amount or a setting: balance 41250, 41250 kWh,
    set MTU to 1492, a rate of 44100."""
    if _BEHIND_MONEY.search(tokens.between_with_blank(start - 3, start)):
        return True
    if BEFORE_HEAT.search(tokens.between_with_blank(start - 5, start)):
        return True
    if _is_reading(tokens, start, end):
        return True
    before = tokens.between_with_blank(start - 5, start)
    if _BEHIND_SET.search(before) or _BEHIND_OPTION.search(before):
        return True
    return _AFTER_NUMBER.match(tokens.between(end, end + 2)) is not None


def _is_named_thing(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether an address with letters is a thing with its number (Rev P05), a group by age
    (the U16), or a small word behind an article."""
    first, last = tokens.lowers[start].rstrip("."), tokens.texts[end - 1]
    is_numbered = first in THINGS - _OF_ADDRESSES and last[-1].isdigit()
    if end - start == 2 and last.isdigit() and first in _PARTS_OF_BODIES:
        is_numbered |= start > 0 and tokens.texts[start - 1].istitle()  # Medical Unit 3
    if AGE_GROUP.fullmatch(last) or (is_numbered and end - start == 2):
        return True
    at = start + (first in ARTICLES)
    if at < end and " " not in tokens.between(at, end) and is_of_thing(tokens, at):
        return True
    if first in ARTICLES and _SHOWN_CODE.fullmatch(tokens.between(start + 1, end)):
        return tokens.between(end, end + 1) in _SHOWING  # the E01 code
    return first in ARTICLES and tokens.between(start + 1, end).islower()


def _has_measure(text: str, before: str, after: str) -> bool:
    """Return whether the words of an address or beside it make it a value: 22 st x 30 rows, 200 ul,
    spin, port 5432, Op. 59 No. 1, 30 mph Street."""
    if _SPEED.match(text) or _WIND.match(text):
        return True
    if _STITCHES.fullmatch(text):
        return after[:1].isdigit()
    if text.startswith("ul"):
        return before[-1:].isdigit()
    *_, word = before.rstrip(".").split() or [""]
    return (text.isdigit() and word.removesuffix("s") in BEFORE_NUMBERS) or (
        word in _BEFORE_WORKS and _WORK.fullmatch(text) is not None
    )


def _has_value(tokens: Tokens, i: int) -> bool:
    """Return whether a sign and a value follow an abbreviation: CPI + 1%."""
    short, sign, value = (tokens.between(j, j + 1) for j in range(i, i + 3))
    is_short = short.isupper() and len(short) <= MAX_ABBREVIATION
    return is_short and sign in _SIGNS and value[:1].isdigit()


def _is_amount(text: str) -> bool:
    """Return whether a text is an amount with its unit, and small words that it measures."""
    if _OF_VALUES.fullmatch(text) or _WITH_AMOUNT.fullmatch(text):
        return True
    if _MEASURED.fullmatch(text) is not None:
        return True
    joined = _UNIT_APART.sub(r"\1", text, count=1)
    if joined == text:
        return False
    return any(form.fullmatch(joined) for form in (_JOINED_TO_WORDS, _WITH_AMOUNT))


def _is_stage(text: str) -> bool:
    """Return whether a text is the name of a scale and a Roman number: ASA III, NYHA II."""
    scale, _, stage = text.partition(" ")
    return scale in _ABBREVIATIONS and _ROMAN.fullmatch(stage) is not None


def _is_number(text: str) -> bool:
    """Return whether a text with a digit has no two letters side by side, sets a number, is of
    common words in small letters (the gap 1.8), a group by age, a part of a statute or a version.
    """
    forms = (PART, _VERSIONED, _ABBREVIATED, _PER_AMOUNT, _WITH_SEVERAL)
    if any(form.fullmatch(text) for form in forms):
        return True
    parts = text.split()
    if all(is_small_word(part) or _PLAIN_NUMBER.fullmatch(part) for part in parts):
        return True
    if _TWO_LETTERS.search(text) is None or _SETTING.fullmatch(text):
        return True
    return _GROUP.fullmatch(text) is not None and is_word(text.partition("-")[0])


def _is_unit(tokens: Tokens, i: int) -> bool:
    """Return whether a word is the unit of a rate: 1.2 Gbit/s."""
    before, unit, after, time = (tokens.between(j, j + 1) for j in range(i - 1, i + 3))
    if not (before[-1:].isdigit() and after == "/" and len(unit) <= MAX_UNIT):
        return False
    return not tokens.doc[i].whitespace_ and len(time) in (1, 2, 3)
