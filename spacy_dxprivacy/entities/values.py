"""Values, which are no names, dates or addresses: amounts with units, scales, votes and code.

Rules and the network guess by the words beside a number, and so take Gbit for a person in "1.2
Gbit/s", and "90 cm wide" for an address. What the form of a number says is surer than such a guess.
The form of a code is judged where it is read (NUMBER_FORM in data/entities/forms.txt): a code after
a word that says so stays a code, whatever its form.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile

from ..text.mentions import Entity, is_word
from ..text.tokens import Tokens
from .tables import (
    FIRMS,
    FOLLOWING,
    GOODS,
    LISTED,
    MAKERS,
    NAMES,
    PLACES,
    TOP_AGE,
    expanded,
    pattern,
    words,
)
from .words import builtin_lexicon, kinds

_PLACED = frozenset({"PERSON", "GPE", "ORG", "ADDRESS"})
_DATED = frozenset({"DATE", "TIME"})
MAX_UNIT = 6  # letters of a unit, such as Mbit
_LONG_UNITS = frozenset(unit for unit in FOLLOWING["UNIT"] if len(unit) > 3)
_UNITS = "|".join(sorted(map(re.escape, FOLLOWING["UNIT"]), key=len, reverse=True))
_AMOUNT = rf"[+−±~≈≤≥<>-]?\d+(?:[.,]\d+)*\s?(?:%|(?:{_UNITS})(?!\w))"
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
# Calls and list items: t(212, 12]-[15.
_CALL = re.compile(r"[A-Za-z]{1,3}[(\[]\d{1,6}|\d+\]\s?[-–,]\s?\[\d+")
_CODES_IN_ROW = re.compile(r"[A-Z]{2,5} \d{1,6} [A-Z]{2,5} \d{1,6}\.?")  # SPN 3251 FMI 0
_STITCHES = re.compile(r"\d{1,3} st [x×]")
_WORK = re.compile(r"\d{1,3} No\.? \d{1,3}")
_BEFORE_NUMBERS = frozenset(
    "alloc baud build byte calloc chunk errno error fd gid heap inode len length line malloc mtu "
    "offset opcode packet page pid port ppid realloc rssi sector seq size sizeof stack strlen tid "
    "timeout ttl uid version".split()
)
_BEFORE_WORKS = frozenset({"op", "opus"})
_GROUP = re.compile(r"[a-z]{2,}-\d{1,4}s?")  # under-16s
_AGE_GROUP = re.compile(r"[UO]-?\d\ds?")  # U16
_LETTER_AND_NUMBER = re.compile(r"[A-Z]\d{1,6}")
_NUMBERED = re.compile(r"[A-Z]\d{1,2}(?:\+\d{1,2})?")  # G2 P1
_SIGNS = frozenset("+ - − < > = ~ ± @ ≤ ≥".split())
# Numbers of several parts: scores and decimals in a row, and large amounts.
_MARKS = re.compile(r"[-–. ]")
_SCORES = re.compile(
    r"\d\d?-\d\d?(?: \d\d?-\d\d?)+(?: \d\d?)?|\d{1,3}\.\d\d(?: \d{1,3}\.\d\d)+(?: \d{1,3})?"
)
_CLOCKS = re.compile(r"\d{1,3}\.\d{1,2}(?:\s?[-–/ ]\s?\d{1,3}\.\d{1,2})+(?:[-– ]\d{1,3})?")
_ITEM = re.compile(r"\((?:(?P<year>(?:1[89]|20)\d\d)|[1-9]\d{1,4})\) ?", re.A)
# At the start of a line: the number of an item, and the first cell of a row.
NUMBER_OF_ITEM = re.compile(r"\d{1,2}[.)](?:\s|\Z)|\d{1,6}[,;|\t](?=\S)")
_OF_CODE = re.compile(r"(?:\bCode|§|\b[Ss]ections?|\bC\.?F\.?R\.?|\bU\.?S\.?C\.?|\bStat\.) \Z")
_FROM_GROUPED = re.compile(r"\d[ .]\d{3} (?:to|[-–]) \Z")  # from 2 340 118 to |12 345 678
_HOURS_OF_DAY = re.compile(r"(?:[01]\d|2[0-3])[0-5][05] ?[-–] ?(?:[01]\d|2[0-3])[0-5][05]", re.A)
_CALLED = re.compile(rf"\b(?:{expanded('CALL_WORD')}|dial|whatsapp|number|no|contact)s?\b", re.I)
MIN_PHONE = 8  # digits of a telephone number with the code of its country
_GROUPED = re.compile(r"\d{1,3}(?:[ .]\d{3}){2,}(?:[.,]\d\d)?|\d{1,2}(?: \d\d)+ \d{3}")
# So no telephone number is written: 12 345 678, and lakhs (45 00 000).
_SURELY_GROUPED = re.compile(r"\d{1,2}(?P<mark>[ .])\d{3}(?P=mark)\d{3}|\d{1,2}(?: \d\d)+ 000")
_HOW_MANY = re.compile(
    r"\b(?:of|than|about|around|only|over|nearly|almost|some|reached|exceed(?:s|ed)?|claimed|paid|"
    r"spent|earned|sold|made|owe[sd]?|cost|RCW|(?:rose|fell|grew|came|amounts?|amounted) (?:by|to)"
    r")\s\Z"
)
_FROM_NUMBER = re.compile(r"\d+ (?:to|and|or)")  # 1105 to |1120
_TO_NUMBER = re.compile(r"(?:to|[-–]) ?\d{4}", re.A)
_NO_YEAR = re.compile(r"(?!1[5-9]|2[01])\d{4}", re.A)
_ROUND_RANGE = re.compile(r"\d{1,3}(?:[ .]\d{3})+\s?[-–]\s?\d{1,3}(?:[ .]\d{3})*(?<=00)")
_AFTER_AMOUNT = re.compile(
    rf" ?(?:{expanded('CURRENCY')}|{expanded('COINS')}|{_UNITS})(?!\w)", re.I
)
LEAD = 24  # characters beside numbers that say what they are
BESIDE = 12  # tokens, of at least as many characters but for a few
ROUND, MOST_SHARE = 50, 50  # ends of a range are round, or a fiftieth apart
LARGEST_STEP = 20  # of a series of numbers that are not round: 12 34 56 78 is none
MAX_ABBREVIATION = 5  # letters
MAX_COUNT = 3  # digits of a number of things that is no identifier
# Votes, ranges, doses, where no word before them makes them dates: 11-4-2, 10–18, 16.1, 90/80/70.
_NUMBERS = re.compile(r"(\d{1,3})\s?([-–./])\s?(\d{1,3})(?:\s?\2\s?(\d{1,3}))?", re.A)
# Behind a decimal: its unit, or the end of its range (from 31.5 to 28 litres), and no day.
_AFTER_DECIMAL = re.compile(
    rf" ?(?:{_UNITS})(?!\w)| ?(?:to|[-–]) ?\d{{1,4}}(?![\w./-]| (?:of )?{expanded('MONTH')}\b)",
    re.I,
)
_NO_NOUNS = frozenset(
    "MONTH DAY ORDINAL YEAR DECADE RELATIVE AMOUNT SEASON IN_TIME DATE_UNIT TIME_UNIT DAYPART "
    "NUM".split()
)
_BULLETS = frozenset("- – — • *".split())
_BEFORE_DAYS = frozenset("on since until till by from before after between at in".split())
# A fraction at the end of a sentence, and one behind a full date.
_SENTENCE_END = re.compile(
    rf"\d\d?/\d\d?\.\s+(?=[^\n]{{0,20}}(?:{expanded('MONTH')}|\d{{4}}|\d/\d\d?/\d\d))", re.A | re.I
)
_BEHIND_YEAR = re.compile(
    r"[^\n]{0,40}(?:(?:[/.-]\d\d|\d{4}),? \d\d?/\d\d?|"
    r"\d[/-]\d\d?[/-]\d\d(?:\d\d)?,? [0-2]\d[0-5]\d)",
    re.A,
)
# A month and its year before a value, and a day before a pressure.
_BEFORE_VALUES = re.compile(
    rf"{expanded('MONTH')}-\d\d(?= (?!(?:19|20)\d\d\b)\d)|"
    r"\d\d?/\d\d?(?=,? \d{2,3}/\d{2,3}(?![/\d]))",
    re.A | re.I,
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
_PART = re.compile(r"(?:ss?|rr?|nn?|pp?|arts?|regs?|cls?|paras?|ch)\. ?\d[\w.()]*", re.I)
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
_SOFTWARE = re.compile(r"[A-Za-z]{2,20}/\d{1,3}(?:\.\d{1,4})+")  # nginx/1.24.0
_SHORT_TIME = re.compile(r"\d{1,4} [sh]")  # 75 s
_OF_AMOUNT = re.compile(rf" (?:of \d|(?!units?\b)(?:{_UNITS})(?!\w))", re.I)  # 410 of 640, 35 g
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
# Two sizes of which both readings as days would go back: 3/4–1/2.
_SHARES = re.compile(r"(\d{1,2})/([248]|16|32) ?[–-] ?(\d{1,2})/([248]|16|32)", re.A)
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
_PER_TIME = re.compile(rf"{_AMOUNT}/\d*[a-z]{{1,3}}")  # 4.6mm/24h
_UNIT_APART = re.compile(r"(\d[\d.,]*) (?=[A-Za-z]{2})")
_JOINED_TO_WORDS = re.compile(rf"(?i:{expanded('JOINED')})(?:\s[a-z]+)*")  # 64KiB headers
_REPORTED = re.compile(rf"\d{{1,4}}\s{expanded('LAW_REPORT')}\.?\s\d")  # 575 U.S. 348
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
_RANK_IN_PARTS = re.compile(r"[A-Z]{1,3}/[A-Z]")
_DAYPARTS = frozenset("morning afternoon evening night".split())
_DECIMAL = re.compile(rf"\d+[.,]\d+\s?(?:{_UNITS})\.?", re.I)  # by 12.5 m.
_DECIMAL_PERIOD = re.compile(r"\d+[.,]\d+\s?(?:days?|weeks?|wks?|months?|mths?|years?|yrs?)", re.I)
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
# An amount that begins a part of a sentence: 12 May, 21 to 23 minutes.
_COUNTING = re.compile(
    rf"\d{{1,3}}(?:\s?(?:to|[-–])\s?\d{{1,3}})?\s?(?:{expanded('COUNTED')}|(?:{_UNITS})[²³]?(?!\w))"
)
_SHORT_HOUR = re.compile(r"\d{1,2}(?:[:.]\d\d)?[ap]", re.I)
# Hours of a day of the week: Mon/Wed 9-11, and not Fri 4-6 March.
_HOURS = re.compile(
    r"\d{1,2}(?:[.:]\d\d)?[ap]?\s?(?:[-–]|to)\s?\d{1,2}(?:[.:]\d\d)?(?:[ap](?:\.?m)?)?"
    r"(?![\w/]|\.\d)"
    rf"(?!\s(?:of\s)?{expanded('MONTH')}\b)",
    re.I,
)
_PER_CENT = re.compile(r"\s?\d{1,3}(?:[.,]\d+)?\s?%")
_PLAIN_NUMBER = re.compile(r"[+−-]?\d+(?:[.,]\d+)*", re.A)
# What is long enough for a postal code.
_CODES = re.compile(r"(?<![\d.,])(?:\d{4}|\d{3} \d\d|\d\d-\d{3})")
_DASHES = frozenset("-–")
_ORDERS = frozenset("first second third fourth fifth last next other".split())
_ARTICLES = frozenset({"the", "a", "an"})
_THINGS = words("NUMBERED_THINGS", "terms")
# Between a thing and its number, and between numbers: Parts No. K70386 and DF6174.
_BEFORE_CODES = frozenset("no no. nos nos. nr nr. number numbers code codes is are # ( :".split())
_BESIDE_CODES = _BEFORE_CODES | frozenset(", - – / and or & then to through".split())
_OWNED = frozenset("a an my your his her our their its".split())
_KEYED = re.compile(expanded("KEYS"))
_OF_SOMEONE = re.compile(rf"{expanded('KEYS')}|{expanded('USER')}|cv[vc]2?")  # Snapchat jsmith92
_SERIES = re.compile(r"[A-Z]{2,5}")
_KINDS = words("KINDS", "terms")
_NAMING_THINGS = _KINDS | _THINGS
_PARTS_OF_BODIES = frozenset("unit block wing suite room floor".split())
_OF_ADDRESSES = frozenset({"lot", "station"})  # Lot 22, Banksia Drive
MAX_KIND = 5  # digits of a code of a kind of things
_PLATE = re.compile(r"[A-Z]{2,3}[- ]?\d{2,4}(?:[- ]?[A-Z]{1,3})?|\d{2,4}[- ]?[A-Z]{2,3}")
MAX_LIST = 12  # tokens between a thing and its last number
_DIGIT = re.compile(r"\d")
_ROAD = re.compile(r"[ABEIMN]-?\d{3,4}", re.A)  # the B4027, the I-495
_GLUED_DEGREES = re.compile(r"\d{2,4}[CF]")
_SMALL_REVISIONS = frozenset({"rev", "rev.", "revision", "issue"})
_BEFORE_REVISION = re.compile(r"\d(?:[A-Z]|-[A-Z]{1,2})?[,;)]? \(?[Rr]ev\.? \Z", re.A)
_ROMAN = re.compile(r"[IVX]{1,4}")
_ORDER = re.compile(r"\d{1,3}(?:st|nd|rd|th)", re.I)
_QUARTER = re.compile(r"[QH][1-4](?:\s?[/–-]\s?[QH][1-4]){0,3}")
# Runway 09/27 and 27L, CAS 7722-84-1; a question of an exam, with its parts or marks.
_NUMBER_OF_THING = re.compile(r"\d\d/\d\d|\d{1,3}[A-Z]?|\d{2,7}-\d\d-\d", re.A)
_QUESTION = re.compile(r"Q\d{1,2}:? ?(?:\([a-z]\)|(?<= )\d{1,3} (?:marks?|points?)\b)", re.A)
_DAY_BEFORE_NOON = re.compile(r"\d{1,2}/\d{1,2} ?[ap]\.?m\.?", re.A | re.I)
_ANSWERS = re.compile(r"^(?:A\d{0,2}[.:)][ \t]|Q(?:[5-9]|\d\d)[.:)])", re.M | re.A)
_SIGN = re.compile(f"[{expanded('SIGN')}]")
_CLOCK_PARTS = re.compile(r"(\d{1,4})[:.](\d{1,4})|(?=\d{4}\b)(\d\d)(\d\d)", re.A)
_RACE = re.compile(r"\d{1,2}:\d\d\.\d{1,3}(?:,[\d:.]+)*", re.A)  # 1:08.20, and such cells of a row
# Behind a word for a key or below a head of identifiers: on the chart was 92.6, ref 10–125,
# 400 mg TDS, a record of 12-4-2, the figures of a bowler, 9.2-1-38-4; but a sort code is one.
_RESULT = re.compile(
    r"(?:[A-Z]-[A-Z] )?\d{1,4}\.\d{1,2}(?:[-–]\d{1,4}\.\d{1,2})?|\d{1,3}–\d{1,3}|"
    r"(?!\d\d-\d\d-\d\d)\d\d?-\d\d?-\d\d?|\d\d?(?:\.\d)?-\d\d?-\d{1,3}-\d\d?|"
    rf"\d[\d.,]*(?: ?%| (?:{_UNITS}|m|days?|weeks?|months?|years?|hours?)(?: [A-Z]{{2,3}})?)",
    re.A,
)
# A code that is as short as the name of a model, and what says that it is of somebody.
_SHORT_CODE = re.compile(r"(?=[^\d]*(?:\d[^\d]*){1,4}\Z)[A-Z]{0,4}-?\d{1,4}[A-Za-z]{0,2}", re.A)
_VARIANT = re.compile(r"[A-Z]{1,4}-?\d{1,4}-\d{1,4}[A-Z]{0,3}", re.A)  # Airbus A320-214
_MODEL_BEHIND_NAME = re.compile(r"[A-Z]{1,4}-?\d{2,5}[A-Z]{0,2}(?:-[A-Z\d]{1,5})?", re.A)
_MODEL_OF_MAKER = re.compile(r"[A-Z]{1,2}\d{2,3}", re.A)
_LETTER_UNITS = frozenset({"s", "h", "g", "m", "l", "t", "V", "W", "°C", "N"})
MAX_SHORT = 3  # digits of a code that is too short for somebody's number
_OWNING = frozenset(
    "bakkie bike bus car drove driver driving jeep lorry matatu moped motorbike motorcycle okada "
    "parked parking plate plates rego sedan suv taxi trailer truck ute van vehicle".split()
)
_ENGINE_FAULT = re.compile(r"[PBCU][0-3][\dA-F]\d[\dA-F]", re.A)
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
_SHORT_FAULT = re.compile(rf"(?:SC|[EFHU]|Er?|Err)-?\d{{2,3}}|{_ENGINE_FAULT.pattern}", re.A)
_OF_ENGINES = frozenset(
    "airbag alternator cambelt cam camshaft catalyst catalytic cel crank crankshaft dpf dtc dtcs "
    "ecm ecu egr engine exhaust gearbox ignition injector injectors lambda maf misfire misfires "
    "misfiring obd obd2 obdii pcm plugs solenoid swirl tcm throttle timing transmission turbo "
    "turbocharger vvt".split()
)
_BEFORE_ENGINE_FAULTS = frozenset("code codes dtc dtcs error errors fault faults".split())
_OF_FAULTS = frozenset(
    "alarm beeps blinking blinks boiler combi copier dishwasher dryer error errors fault faults "
    "flashes flashing fuser inverter jam jammed lockout mfp photocopier printer thermostat toner "
    "unplug washer".split()
)
_SHOWN_CODE = re.compile(r"[A-Z]{1,2}-?\d{1,3}", re.A)
_SHOWING = frozenset("alarm alert code display error fault light message symbol warning".split())
_BEHIND_NAME = re.compile(
    r"\d{1,3}[.,]\d{1,2}/\d{1,3}(?:[.,]\d{1,2})?|V(?:oy)?\.?\d{2,4}[A-Z]?", re.A
)
_FURTHER = re.compile(r"-\d{1,2}", re.A)  # of a row of numbers
_OWNED_BESIDE, KEY_BESIDE = 6, 3  # tokens on each side of a code, and before it
_CLOCK = re.compile(
    r"\d{1,2}(?:[:.]\d\d|:\d\d:\d\d(?:[.,]\d{1,9})?|h\d\d)(?:\s?(?:h|hrs?|hours))?",
    re.A | re.I,
)
_HOURS_BEHIND = re.compile(r"(?<=\d\d)\s?h(?:ou)?r?s?\Z", re.I)
_COLON_CLOCK = re.compile(r"(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])", re.A)
_AFTER_DECIMAL_CLOCK = re.compile(rf"\s?(?:%|per ?cent|LTS\b|(?:{_UNITS})(?!\w))", re.I)
# Of a kiln or an oven: 150/hr to 1040, 20 °C to 1220.
_BEFORE_HEAT = re.compile(r"\d ?(?:/ ?h(?:r|our)?|° ?[CF]?|[CF]) (?:(?:up|down) )?to \Z")
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
_BESIDE_DATES, _ABBREVIATIONS = words("BESIDE_DATES"), words("ABBREVIATIONS", "terms")


def are_amounts(text: str, start: int, end: int) -> bool:
    """Return whether numbers with blanks or marks between them, in characters, are a range, a large
    amount, a series, times or scores, and no telephone number."""
    number = text[start:end]
    if number.startswith("000") and text[max(start - 2, 0) : start][:1].isdigit():
        return True  # the rest of 2 000 000
    if number[0] == "+":
        return _count_digits(number) < MIN_PHONE or are_amounts(text, start + 1, end)
    if (item := _ITEM.match(number)) is not None:  # (1999) 12345, (12) 1200-1500
        return item["year"] is not None or are_amounts(text, start + item.end(), end)
    if _SCORES.fullmatch(number) or _CLOCKS.fullmatch(number) or _are_hours(number):
        return True
    parts = _MARKS.split(number)
    if number[0] == "0" or not all(map(str.isdigit, parts)):
        return False
    before, after = text[max(start - LEAD, 0) : start], text[end : end + LEAD]
    if _GROUPED.fullmatch(number) and _is_grouped_amount(number, before, after):
        return True
    if _ROUND_RANGE.fullmatch(number):
        return True
    values = [*map(int, parts)]
    if len(values) < 2:
        return False
    if len(values) == 2:
        return _is_range(parts, values, before, after)
    return _is_series(values) or (len(values) > 2 and _AFTER_AMOUNT.match(after) is not None)


def _is_grouped_amount(number: str, before: str, after: str) -> bool:
    """Return whether a number in groups is an amount: beside money; round; or as no telephone
    number is written and behind a word for how many, for a policy may have it too."""
    if (
        pattern("BEFORE_AMOUNT").search(before)
        or _FROM_GROUPED.search(before)
        or _AFTER_AMOUNT.match(after)
    ):
        return True
    is_amount = _SURELY_GROUPED.fullmatch(number) is not None and _HOW_MANY.search(before)
    return bool(is_amount or number.endswith("000")) and _CALLED.search(before) is None


def _are_hours(number: str) -> bool:
    """Return whether a number is of two times of a day: 0345-0350."""
    return _HOURS_OF_DAY.fullmatch(number) is not None and number[:4] < number[-4:]


def _count_digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _is_range(parts: list[str], values: list[int], before: str, after: str) -> bool:
    low, high = values
    if _OF_CODE.search(before):  # the number of a section: Code 1798.100
        return True
    if not 0 <= len(parts[1]) - len(parts[0]) <= 1 or low >= high:
        return False
    if low % ROUND == high % ROUND == 0 or (high - low) * MOST_SHARE <= low:
        return True
    if high > 2 * low:
        return False
    if pattern("BEFORE_RANGE").search(before):
        return True
    return pattern("COUNTED").match(after.lstrip(" ")) is not None


def _is_series(values: list[int]) -> bool:
    """Return whether numbers grow or fall by the same amount: 36-38-40-42, 1000 1200 1400."""
    steps = {b - a for a, b in pairwise(values)}
    step = abs(min(steps))
    if steps == {0}:
        return True  # 255 255 255
    is_round = all(value % 10 == 0 for value in values)
    if len(values) > 2 and all(value % ROUND == 0 for value in values):
        return True  # 1200-800-600
    low, high = min(values), max(values)
    if len(values) > 2 and low >= 100 and high - low <= low // 10:
        return True  # 410 420 400 430
    return len(steps) == 1 and step > 0 and (is_round or (len(values) > 3 and step <= LARGEST_STEP))


def is_value(tokens: Tokens, entity: Entity) -> bool:
    """Return whether a name, a place, a date or an identifier is a value, or a part of one."""
    label, start, end = entity
    if tokens.texts[start][0].isdigit() and _SIGN.fullmatch(tokens.between(start - 1, start)):
        return True  # ₹43,218
    if label in _DATED:
        return _is_undated(tokens, label, start, end)
    if label in ("ID", "ADDRESS") and _is_of_births(tokens, start, end):
        return True
    if label == "PHONE":
        text = tokens.between(start, end)
        is_short = text.isdigit() and len(text) < MIN_PHONE  # Driver: 415-555-0199 is no code
        closes = text.count(")") - text.count("(") - (tokens.texts[start - 1 : start] == ["("])
        return closes > 0 or (is_short and _is_behind_thing(tokens, start))  # (2104) 7.5 is none
    if label == "ID":
        return (
            _is_count(tokens, start, end)
            or _RACE.fullmatch(tokens.between(start, end)) is not None  # record 1:01.77
            or _RESULT.fullmatch(tokens.between(start, end)) is not None
            or _SIGNED_AMOUNT.fullmatch(tokens.between(start, end)) is not None
            or _is_fault(tokens, start, end)
            or _is_temperature(tokens, start, end)
            or _is_reading(tokens, start, end)
            or _is_release_of_heading(tokens, start, end)
            or _is_round_amount(tokens, start, end)
            or _is_road(tokens, start, end)
            or _is_of_thing(tokens, start)
            or _is_of_kind(tokens, start, end)
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
        _is_of_thing(tokens, start) or _is_of_kind(tokens, start, end)
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
        if _RATE.match(tokens.between(start, start + 3)) or _is_unit_of(before, first):
            return True
    if end - start > 1:
        return _is_stage(text)
    if _is_revision(tokens, start):
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
        return not any(_is_key(word.rstrip(".")) for word in words_before)
    is_round = number.isdigit() and number.endswith("00")
    return is_round and _CURRENCY.fullmatch(before) is not None


def is_model_code(word: str) -> bool:
    """Return whether a word is a code of capitals and digits, as no part of a name is: the Tilley
    X246B."""
    return _MODEL_BEHIND_NAME.fullmatch(word) is not None


def _is_key(lower: str) -> bool:
    """Return whether a word says that the code behind it is of someone."""
    return lower in LISTED["ID_WORD"] or _OF_SOMEONE.fullmatch(lower) is not None


def is_short_code(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a code is as short as that of a model, and no word beside it says that it is
    of somebody: a Kalmar DRG450; not his car, WXY123. One of four digits has an article or stands
    before a noun: an L4701, the L3200 tractor."""
    code = tokens.between(start, end)
    if _SHORT_CODE.fullmatch(code) is None or code.isdigit():
        return False
    ahead = tokens.lowers[max(start - _OWNED_BESIDE, 0) : start]
    if not _OWNING.isdisjoint((*ahead, *tokens.lowers[end : end + _OWNED_BESIDE])):
        return False
    keys = [word.rstrip(".") for word in ahead[-KEY_BESIDE:]]
    if any(map(_is_key, keys)):
        return False
    before = tokens.lowers[start - 1] if start else ""
    if before in GOODS or before in FIRMS:
        return _MODEL_OF_MAKER.fullmatch(code) is not None  # Suzuki DF115; not my Yamaha KXR-214
    if _count_digits(code) <= MAX_SHORT or before in _ARTICLES:
        return True
    after = tokens.texts[end] if end < len(tokens.texts) else ""
    return after.islower() and builtin_lexicon().of(after) == {"noun"}


def _is_fault(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a code is that of a fault, which a machine shows: of an engine in a text that
    names a part of one (P0420 of the catalyst), or a short one near a word for faults: the fuser
    stopped with SC542. No word before it says that it is of someone."""
    code = tokens.between(start, end).rstrip(".")
    if _SHORT_FAULT.fullmatch(code) is None:
        return False
    ahead = [word.rstrip(".") for word in tokens.lowers[max(start - KEY_BESIDE, 0) : start]]
    is_keyed = any(_is_key(word) and word != "no" for word in ahead) or ahead[-1:] == ["no"]
    if is_keyed or not _OWNING.isdisjoint(ahead[-1:]):
        return False
    if _ENGINE_FAULT.fullmatch(code):
        is_told = not _BEFORE_ENGINE_FAULTS.isdisjoint(tokens.lowers)
        return is_told and not _OF_ENGINES.isdisjoint(tokens.lowers)
    beside = tokens.lowers[max(start - MAX_LIST, 0) : end + MAX_LIST]
    return not _OF_FAULTS.isdisjoint(beside)


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


def _is_of_thing(tokens: Tokens, i: int) -> bool:
    """Return whether a number is that of a thing, or one of several: Part No. 4225393M1, fault
    codes P0420 and U1000."""
    is_keyed = i > 0 and tokens.lowers[i - 1].rstrip(".") in LISTED["ID_WORD"]
    series, dash, _ = tokens.between(i, i + 2).partition("-")
    if _precedes_thing(tokens, i) or (dash and not is_keyed and series.lower() in _THINGS):
        return True  # SOP-CH-019
    for j in range(i - 1, max(i - MAX_LIST, 0) - 1, -1):
        lower = tokens.lowers[j]
        if _is_thing(lower):
            return "serial" not in tokens.lowers[max(j - MAX_LIST, 0) : j]
        is_point = lower == "." and tokens.lowers[j - 1] in _BESIDE_CODES
        if not (is_point or _names_series(tokens, j) or _is_beside_codes(lower)):
            return False
    return False


def _is_thing(lower: str) -> bool:
    return lower in _THINGS or lower.removesuffix("s") in _THINGS


def _names_series(tokens: Tokens, i: int) -> bool:
    """Return whether letters are the series of a thing, right behind it: insert CCMT 09T304. Behind
    the number of a thing they begin another one: firmware 4.2.1, MAC 00:1A:2B:3C:4D:5E."""
    return i > 0 and _is_thing(tokens.lowers[i - 1]) and bool(_SERIES.fullmatch(tokens.texts[i]))


def _is_behind_thing(tokens: Tokens, i: int) -> bool:
    """Return whether a number is that of the thing right before it: station 03772, TTL: 86400."""
    j = i - 1
    while j >= 0 and tokens.lowers[j] in _BEFORE_CODES:
        j -= 1
    return j >= 0 and tokens.lowers[j] in _THINGS


def _is_behind_model(tokens: Tokens, i: int) -> bool:
    """Return whether a number is that of the model whose make or name stands right before it, and
    neither somebody's name nor a place: a Sprinter 4325."""
    before = tokens.texts[i - 1] if i else ""
    if not before.istitle() or before.lower() not in GOODS | MAKERS:
        return False
    return not (kinds(before) & {"FIRST"} or builtin_lexicon().of(before) & (NAMES | PLACES))


def _is_beside_codes(lower: str) -> bool:
    return lower in _BESIDE_CODES or any(map(str.isdigit, lower))


def _precedes_thing(tokens: Tokens, i: int) -> bool:
    """Return whether the word for a thing stands behind its number, or the last of several: P120
    and P240 grit. No word before the numbers says that they are of someone."""
    beside = tokens.lowers[max(i - MAX_LIST, 0) : i]
    words_before = (t for t in reversed(beside) if t != "." and t not in _BESIDE_CODES)
    word = next(words_before, "")
    if word in LISTED["ID_WORD"] or _KEYED.fullmatch(word) or "serial" in beside:
        return False
    end = min(i + MAX_LIST, len(tokens.texts))
    last = next((j for j in range(i + 1, end) if not _is_beside_codes(tokens.lowers[j])), end)
    if last == end or tokens.lowers[last - 1] in _BESIDE_CODES - {")"}:
        return False
    return _is_thing(tokens.lowers[last])


def _is_of_kind(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a short code says what kind a thing is: behind its maker (Siemens S7-1500, a
    Hobart A200), or behind the word for it (Form N260). What looks like a plate is of a kind
    behind a maker of things without one: Roland YEP-642."""
    code, before = tokens.between(start, end), _word_before(tokens, start)
    lower = before.lower()
    is_variant = lower in MAKERS and _VARIANT.fullmatch(code) is not None
    if not (0 < _count_digits(code) <= MAX_KIND or is_variant) or lower in LISTED["ID_WORD"]:
        return False
    if code[0] == "@" or _OF_SOMEONE.fullmatch(lower):
        return False
    if lower in _KINDS:
        return _count_digits(code) < MAX_KIND
    if lower in MAKERS or (start > 1 and tokens.lowers[start - 2] in MAKERS):
        return True  # Dell PowerVault ME4024
    if _PLATE.fullmatch(code) or not before[:1].isupper():
        return False
    is_maker = lower in FIRMS or lower in GOODS
    if start > 1 and not is_word(lower):  # Philips IntelliVue MX450
        is_maker |= tokens.lowers[start - 2] in FIRMS | GOODS | MAKERS
    return is_maker or (_is_one_of_many(tokens, start - 1) and not is_word(lower))


def _word_before(tokens: Tokens, i: int) -> str:
    """Return the word before a token, with both parts of a maker with a hyphen: TP-Link AX3000."""
    before = tokens.texts[i - 1] if i else ""
    if i > 2 and tokens.texts[i - 2] == "-" and tokens.between(i - 3, i).lower() in MAKERS:
        return tokens.between(i - 3, i)
    return before


def _is_one_of_many(tokens: Tokens, i: int) -> bool:
    """Return whether an article, an owner or a number makes the name at a place that of things: a
    Hobart A200, your Elna E-350, two Scania R450."""
    before = tokens.lowers[i - 1] if i else ""
    return before in _OWNED or (i > 0 and bool(tokens.doc[i - 1].like_num))


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
    if _SHORT_TIME.fullmatch(text) or (
        text.isdigit() and _OF_AMOUNT.match(tokens.between_with_blank(end - 1, end + 2), len(text))
    ):
        return True
    if text[0].isdigit() and _REPORTED.match(tokens.between(start, start + BESIDE)):
        return True
    if any(map(str.isalpha, text)):
        return _OF_PART.match(text) is not None or _is_named_thing(tokens, start, end)
    if text.isdigit() and (_FROM_NUMBER.fullmatch(before) or _is_amount_alone(tokens, start, end)):
        return True
    if _is_behind_thing(tokens, start) or _is_behind_model(tokens, start):
        return True
    if _CODES.search(text):
        first = tokens.between_with_blank(start - BESIDE, start)
        beside = first + tokens.between_with_blank(start, end + BESIDE)
        is_parted = _MARKS.search(text) is not None
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
    if _BEFORE_HEAT.search(tokens.between_with_blank(start - 5, start)):
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
    is_numbered = first in _THINGS - _OF_ADDRESSES and last[-1].isdigit()
    if end - start == 2 and last.isdigit() and first in _PARTS_OF_BODIES:
        is_numbered |= start > 0 and tokens.texts[start - 1].istitle()  # Medical Unit 3
    if _AGE_GROUP.fullmatch(last) or (is_numbered and end - start == 2):
        return True
    at = start + (first in _ARTICLES)
    if at < end and " " not in tokens.between(at, end) and _is_of_thing(tokens, at):
        return True
    if first in _ARTICLES and _SHOWN_CODE.fullmatch(tokens.between(start + 1, end)):
        return tokens.between(end, end + 1) in _SHOWING  # the E01 code
    return first in _ARTICLES and tokens.between(start + 1, end).islower()


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
    return (text.isdigit() and word.removesuffix("s") in _BEFORE_NUMBERS) or (
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


def _is_revision(tokens: Tokens, i: int) -> bool:
    """Return whether a letter is that of a revision: rev D; drawing 4471-B, Rev. C."""
    if len(tokens.texts[i].rstrip(".")) > 1:
        return False
    if tokens.between(i - 1, i) in _SMALL_REVISIONS:
        return True  # (rev D, p. 7)
    return _BEFORE_REVISION.search(tokens.between_with_blank(i - BESIDE, i)) is not None


def _is_stage(text: str) -> bool:
    """Return whether a text is the name of a scale and a Roman number: ASA III, NYHA II."""
    scale, _, stage = text.partition(" ")
    return scale in _ABBREVIATIONS and _ROMAN.fullmatch(stage) is not None


def _is_number(text: str) -> bool:
    """Return whether a text with a digit has no two letters side by side, sets a number, is of
    common words in small letters (the gap 1.8), a group by age, a part of a statute or a version.
    """
    forms = (_PART, _VERSIONED, _ABBREVIATED, _PER_TIME, _WITH_SEVERAL)
    if any(form.fullmatch(text) for form in forms):
        return True
    parts = text.split()
    if all(_is_plain(part) or _PLAIN_NUMBER.fullmatch(part) for part in parts):
        return True
    if _TWO_LETTERS.search(text) is None or _SETTING.fullmatch(text):
        return True
    return _GROUP.fullmatch(text) is not None and is_word(text.partition("-")[0])


def _is_plain(word: str) -> bool:
    """Return whether a word is a common one in small letters, and no name or place."""
    of_title = builtin_lexicon().of(word.capitalize())
    return word.islower() and is_word(word) and not of_title & (NAMES | PLACES)


def _is_unit_of(number: str, word: str) -> bool:
    """Return whether a word is the unit of the number before it: 380 Mbps, 38 mA."""
    return len(word) <= MAX_UNIT and pattern("UNITED").fullmatch(f"{number}{word}") is not None


def _is_unit(tokens: Tokens, i: int) -> bool:
    """Return whether a word is the unit of a rate: 1.2 Gbit/s."""
    before, unit, after, time = (tokens.between(j, j + 1) for j in range(i - 1, i + 3))
    if not (before[-1:].isdigit() and after == "/" and len(unit) <= MAX_UNIT):
        return False
    return not tokens.doc[i].whitespace_ and len(time) in (1, 2, 3)


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
    if mark == "." and tokens.lowers[start - 1] == "by":
        return _DOTTED_DAY.search(tokens.text) is None  # it rose by 10.12
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


def _is_undated(tokens: Tokens, label: str, start: int, end: int) -> bool:
    """Return whether a date is a part of code, a value joined to its unit, numbers without a word
    before them that makes them a date, or the rate APR."""
    text = tokens.between(start, end).rstrip("-–")
    if _DIGIT.search(text) is None:
        is_sign = _SIGN.match(text[-1:]) is not None
        is_score = end - start == 1 and (_is_test(tokens, start, end) or _is_rate(tokens, start))
        return is_sign or (label == "DATE" and (is_score or _is_other_word(tokens, start, end)))
    if any(form.fullmatch(text) for form in (_CALL, _PART, _SOFTWARE, _ROW_OF_VALUES, _AGE_GROUP)):
        return True
    if _SHORT_TIME.fullmatch(text) or (end - start == 1 and _amount_or_hour(tokens, start)):
        return True
    if label == "TIME":
        is_heat = _BEFORE_HEAT.search(tokens.between_with_blank(start - 5, start)) is not None
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
    if numbers is not None and _are_no_date(numbers):
        return _is_number_alone(tokens, start, end, numbers[2])
    is_value = (
        _is_decrease(tokens, text)
        or _is_measured(tokens, start, text)
        or _is_size(tokens, start, end, text)
    )
    is_value |= _is_rank(tokens, start, end)
    return is_value or _is_no_life(tokens, start, end)


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
        return any(form.fullmatch(text) for form in (_RACE, _DAY_BEFORE_NOON))
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
    if _QUARTER.fullmatch(text) and _is_of_thing(tokens, start):
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
    return is_number and before.removesuffix("s") in _BEFORE_NUMBERS


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
    return unit in _RATINGS or unit in FOLLOWING["UNIT"] or _is_unit_of(tokens.texts[i], unit)


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
    """Return whether a date ends with a place among several, or with a part of one: 11th of 12."""
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


def _is_end_of_rank(tokens: Tokens, start: int) -> bool:
    """Return whether a letter is the last one of a rank with a slash: SR/N Lind."""
    rank = "".join(tokens.texts[start - 2 : start + 1])
    is_joined = not any(tokens.doc[i].whitespace_ for i in (start - 2, start - 1))
    return is_joined and _RANK_IN_PARTS.fullmatch(rank) is not None


def extent_of_name(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a name without the letter of a number before its hyphen (12-B.
    Visibility) or of a rank before it (SR/N Lind), and without what is behind it: the code of a
    model (a Denis Wick 6BL), the strength of a drug (Zorvam 2.5/20), the voyage of a ship (V.042).
    """
    last = tokens.texts[end - 1]
    if end - start > 1 and start > 1 and _is_end_of_rank(tokens, start):
        start += 1
    if end - start > 1 and last[-1].isalnum() and any(map(str.isdigit, last)):
        is_apart = _BEHIND_NAME.fullmatch(last) is not None or _is_one_of_many(tokens, start)
        return start, end - is_apart
    if start < 2 or tokens.texts[start - 1] != "-":
        return start, end
    doc, number = tokens.doc, tokens.texts[start - 2]
    if len(tokens.texts[start].rstrip(".")) > 1:
        return start, end
    if doc[start - 2].whitespace_ or doc[start - 1].whitespace_ or not number[-1].isdigit():
        return start, end
    return (end, end) if all(map(is_word, tokens.lowers[start + 1 : end])) else (start + 1, end)


def _amount_or_hour(tokens: Tokens, i: int) -> re.Match[str] | None:
    """Return what makes an hour or an amount of a number of two digits; None for no such number."""
    number = tokens.texts[i]
    if not number.isdigit() or len(number) > 2:
        return None
    return _AFTER_VALUE.match(tokens.between_with_blank(i, i + BESIDE), len(number))


def _is_no_day(tokens: Tokens, i: int, end: int) -> bool:
    """Return whether a number that a date may end with is an hour or an amount: Mon/Wed 9-11, 12
    May, 86 m³."""
    value, before = _amount_or_hour(tokens, i), tokens.texts[i - 1]
    if value is not None and value.end() >= len(tokens.between(i, end)):
        return True
    beside = tokens.between_with_blank(i, i + BESIDE)
    if "WEEKDAY" in kinds(before):
        return _HOURS.match(beside) is not None
    return before == "," and _COUNTING.match(beside) is not None


def _without_order(tokens: Tokens, start: int, end: int) -> int:
    """Return the start of a date without an order and its "from": the first from 18 December."""
    i = start + (tokens.lowers[start] == "the")
    is_order = tokens.lowers[i + 1 : i + 2] == ["from"] and tokens.lowers[i] in _ORDERS
    return i + 2 if is_order and i + 2 < end else start


def _extent_in_lines(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date without a number on the line above it (Meeting 27), without that
    of an item or a row on the next line or of a sentence or an item that begins there (From
    3 May), and without what stands below a blank line."""
    for i in range(start + 1, end):
        lines = tokens.texts[i - 1].count("\n")
        if lines and i == start + 2 and tokens.texts[start].isdigit():
            return i, end
        if lines > 1 or (lines and NUMBER_OF_ITEM.match(tokens.text, tokens.doc[i].idx)):
            return start, i - 1
        text = tokens.texts[i]
        if lines and (text in _BULLETS or (text.istitle() and text.lower() in _BEFORE_DAYS)):
            return start, i - 1
    return start, end


def _without_nouns(tokens: Tokens, start: int, end: int) -> int:
    """Return the start of a date without the nouns before its weekday (theatre Wednesday 8/3/23),
    and without what was done last: last used 3 May."""
    if tokens.lowers[start] in ("last", "next") and end - start > 2:
        done = tokens.texts[start + 1]
        if done.islower() and "verb" in builtin_lexicon().of(done) and not _NO_NOUNS & kinds(done):
            return start + 2
    for i in range(start, end):
        text = tokens.texts[i]
        if "WEEKDAY" in kinds(text):
            is_feast = pattern("HOLIDAY").match(tokens.between(start, end).lower()) is not None
            return start if is_feast else i
        if not _is_plain(text) or text in _BESIDE_DATES or _NO_NOUNS & kinds(text):
            break
    return start


def _without_fractions(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date without a fraction that ends the sentence before it (GCS 3/15. 5
    May), and without one behind its year: 14/03/2023 4/5 power."""
    if end - start < 2:
        return start, end
    if _SENTENCE_END.match(tokens.between(start, end)):
        start += 2
    is_behind_year = _BEHIND_YEAR.fullmatch(tokens.between(start, end)) is not None
    return start, end - is_behind_year


def _without_values(tokens: Tokens, start: int, end: int) -> int:
    """Return the end of a date before the value behind a month and its year (Jan-23 120), and
    before the pressure behind a day: on 12/3, 130/85."""
    last = _BEFORE_VALUES.match(tokens.between(start, end)) if end - start > 1 else None
    if last is None:
        return end
    size = len(last[0])
    return next(i for i in range(start + 1, end + 1) if len(tokens.between(start, i)) >= size)


def _without_short_hours(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date without an hour with the letter of its half at one of its ends:
    7a Tues, Fri 8 May 6:30p."""
    if end - start > 1 and _SHORT_HOUR.fullmatch(tokens.texts[start]):
        start += 1
    return start, end - (
        end - start > 1 and _SHORT_HOUR.fullmatch(tokens.texts[end - 1]) is not None
    )


def _ends_with_order(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether the order of a thing stands behind a date: on Tuesday the first full load."""
    if end - start < 3 or tokens.lowers[end - 1] not in _ORDERS or tokens.lowers[end - 2] != "the":
        return False
    after = tokens.between(end, end + 1)
    return after.islower() and not {"noun", "adjective"}.isdisjoint(builtin_lexicon().of(after))


def _with_whole_words(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date with the parts of its first and its last word that a tokenizer
    cuts off, as it takes wed for we'd."""
    texts = tokens.texts

    def are_joined(i: int) -> bool:
        is_word = 0 <= i < len(texts) - 1 and texts[i].isalpha() and texts[i + 1].isalpha()
        return is_word and not tokens.doc[i].whitespace_

    while are_joined(start - 1):
        start -= 1
    while are_joined(end - 1):
        end += 1
    return start, end


def extent_of_date(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the extent of a date with all of its first word, within its lines, without the hour or
    the amount behind it (May 8 pm, Dec 5 cm), without what belongs to another clause, and
    without the noun that its days count: 28 days holiday."""
    doc, texts = tokens.doc, tokens.texts
    start, end = _extent_in_lines(tokens, _without_order(tokens, start, end), end)
    start, end = _with_whole_words(tokens, start, end)
    start, end = _without_fractions(tokens, _without_nouns(tokens, start, end), end)
    start, end = _without_short_hours(tokens, start, _without_values(tokens, start, end))
    for i in range(start + 1, end):
        if texts[i][0].isdigit() and _is_no_day(tokens, i, end):
            return start, i
    if _ends_with_order(tokens, start, end):
        end -= 2
    counts = end - start > 2 and tokens.lowers[start + 1] in FOLLOWING["DATE_UNIT"]
    if counts and doc[start].like_num:
        for i in range(start + 2, end):
            text = texts[i]
            if text.islower() and text.isalpha() and text not in _BESIDE_DATES:
                return (start, i) if is_word(text) else (start, end)
            if not text.islower():
                break
    return start, end
