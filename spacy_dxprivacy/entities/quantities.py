"""Reasons for which an address or a date is a quantity: a measure, a count, a fraction, an hour."""

from __future__ import annotations

import re

from ..text.mentions import Entity, is_word
from . import network
from .context import (
    AFTER_THING,
    ARTICLES,
    BESIDE,
    CELLS,
    FRACTION_SIGNS,
    MIN_POSTAL_CODE,
    Context,
    reason,
)
from .decoding import odds
from .facts import DIGIT
from .fractions import is_score
from .phrases import STREET_WORDS, counts_things
from .tables import FOLLOWING, expanded, pattern, words
from .words import builtin_lexicon, is_ordinary, kinds

# Odds of the network from which a number and a noun in the plural are an address.
SURELY_HOUSE = 20.0
MIN_STREET = 4  # letters of a word in capitals that may be a street, and no unit of a value
MIN_STREET_NUMBER = 3  # digits of a number that is of a house rather than of a list
_BESIDE_DATES = words("BESIDE_DATES") - {"the", "of", "in", "on", "at", "a", "and", "to"}
_PREPOSITIONS = frozenset("at by from in of off on out to up".split())
_NAMED_DAY = re.compile(rf"(?:{expanded('MONTH')}|{expanded('WEEKDAY')})s?", re.I)
_OF_TIME = frozenset(
    "MONTH WEEKDAY DAY ORDINAL YEAR DECADE RELATIVE AMOUNT SEASON IN_TIME DATE_UNIT TIME_UNIT "
    "DAYPART NUM".split()
)
_ROAD = re.compile(r"[AMN]\d{1,2}(?:\([MT]\))?", re.A)
_EARLY = re.compile(r"0\d[0-5]\d", re.A)  # no house has a number that begins with zero
_VERBS = frozenset("sat wed sun march may".split())  # and days and months
_BEFORE_TIMES = frozenset(
    "in on of by till until since from to this last next every each early mid late during before "
    "after for and or & - – / , ( : through".split()
)
_MEASURE = re.compile(r"\d{1,6} ?(?:[a-z]{0,2}[A-Z]{1,2}|([A-Za-z]{1,5}))")  # 132 kV, 200 Mbps
_UNIT_OF_SCIENCE = re.compile(  # of two signs or more, as houses have letters: 50 Hz, 250 cm³
    r"[pnuµmcdkMGT]?(?:Hz|Pa|dB|Wh|VA|bar|mol|rpm|ppm)|[pnuµmkMGT][WVANJFΩLlg]|[mck]?m[²³]"
)
_DOSED = frozenset({"iu", "mcg", "mg", "ml", "kg"})
_SHORT_UNITS = frozenset("s h g V W A K N J Pa Hz".split())
_AMOUNT_UNITS = frozenset(
    "mg mcg µg μg microg ng kg ml mL dl dL cl µl µL μL mmol mol mM µM nM ppm ppb rpm mph mm cm µm "
    "nm kHz MHz GHz Hz kW MW kWh mA mV kV Nm kPa MPa psi ms min mins hrs secs IU units puffs "
    "tablets tabs capsules drops sachets patches pills doses mmHg bpm % °C °F".split()
)
_CURRENTS = frozenset({"V DC", "V AC", "kV AC", "kV DC", "A DC", "A AC", "mV DC", "mV AC"})
# a dose, with how often a drug is given
_FREQUENCY = re.compile(
    r"\d{1,3} [a-z]{2,8}(?: [a-z]{2,8})? (?:q\d{1,2}[hd]|[oO][dD]|[bBtTqQ][iI]?[dD]|"
    r"[tTqQ]?[dD][sS]|[pP][rR][nN]|[mM]ane|[nN]octe|stat|STAT)(?: .*)?",
    re.A,
)
_LARGE_AMOUNT_FIRST = re.compile(r"\d{1,3}(?:,\d{3})+ ")
_AMOUNT_FIRST = re.compile(r"\d{1,3}(?:,\d{3})+ |\d+(?:\.\d+)? [a-zµ]")
_PARTS = frozenset("bay block flat floor gate level lot plot room stage unit zone".split())
_SIZES = frozenset(
    "acre arm bed bedroom berth day hectare hole hour metre month phase piece point seat star "
    "storey way week year".split()
)
_LEADING_VALUE = re.compile(r"\d{1,4}(?:[ckm]?m|[kMG]|kg|g|k?W|k?V|A|L) [A-Z]", re.A)
_PART_NUMBER = re.compile(r"\d{1,3}[A-Za-z]?")
_PART_NOUNS = frozenset({"adjective", "gerund", "noun", "plural"})
_BEFORE_PARTS = frozenset("at from in into near of outside to".split())
_COUNTED = re.compile(r"\d{1,3} (?:the|of the) [A-Z]")  # by 5 to 2 the Court dismissed it
_BEFORE_CLAUSE = frozenset("the a an she he it they we i you there".split())
_BETWEEN_VALUES = re.compile(r"\d{1,4} [a-z]{2,5} \d{1,4}")  # 165 over 95
_FRACTIONS = re.compile(
    r"(?:[^\W\d_]{2,9}-?\d\d?\s)?[^\d/]*\d\d?/\d\d?(?:[^\d/]+\d\d?/\d\d?)*[^\d/]*", re.ASCII
)
_CELLS = re.compile(r"[+-]?\d[\d.,%]*(?:[;|\t][+-]?\d[\d.,%]*)+")  # 6.5;+112
# No date: the end of a range of values, and an ordinal of no day of a month.
_VALUE = re.compile(
    r"(?:(?:from|to|of|in|at|by|the)\s)+\d{1,3}|(?:from\s)?\d{1,3}\sto\s\d{1,3}|"
    r"(?:(?:from|to|of|in|at|by|the)\s)*(?:3[2-9]|[4-9]\d|\d{3,})(?:st|nd|rd|th)|"
    # falls: 3 this month, 5 last; pages 4,8
    r"\d{1,3},\d{1,3}|"
    r"\d{1,4}\s(?:last|next|before)|"
    # a version, the strength of a drug, a saturation, a server
    r"\d{1,3}\.\d{1,4}\.(?:\d|\d{3})|\d{3}/\d{1,2}|(?:1[3-9]|[2-9]\d|\d{3})/\d{3,4}|"
    r"sat\s(?:3[2-9]|[4-9]\d|100)|[a-z]{2,}-\d{1,4}|"
    # a seat, a rate, a score, and a range of sizes or seats
    r"\d{1,3}[a-eg-ln-z]|[a-z]{2,5}\s\d{1,3}\.\d{1,2}|"
    r"(?:1[3-9]|[2-9]\d)\s?[-–]\s?(?:1[3-9]|[2-9]\d)|"
    # some of all, a draw of lanes, a blood pressure, five digits, and several days of a week
    r"\d{1,3}\sof\s\d{1,3}|\d{1,3}(?:[-–]\d{1,3}){3,}|(?:[^\W\d]+\s){0,2}\d{3}/\d{1,3}|\d{5}|[−–-]\d{1,3}\.\d{1,3}|"
    rf"\d{{1,2}}\s(?:{expanded('WEEKDAY')})s|"
    # an item of an agenda: 6. A.O.B.
    r"\d{1,2}\. (?:[a-z]\.){2,4}|"
    # a fraction that ends a sentence, and the number that begins the next
    r"\d\d?/\d\d?\.\s\d{1,3}|"
    # a count with a comma
    r"\d{1,3}(?:,\d{3})+|"
    # a share, and a number with a fraction
    rf"[^%]{{0,12}}%[^%]{{0,6}}|\d{{0,3}}[{FRACTION_SIGNS}]",
    re.I | re.ASCII,
)
# The first of two hours that a place is open, or of a score: Saturday, 11 to 5; 10-8.
_RANGE_START = re.compile(
    rf"(?:(?:{expanded('WEEKDAY')}s?|to|and|on|from)[,.]?[\s–-]+)*\d{{1,2}}(?:\.\d{{1,2}})?", re.I
)
_RANGE_END = re.compile(
    r"\s?(?:to|until|till|[-–])\s?\d{1,2}(?:\.\d{1,2}|[-–]\d{1,2})?"
    rf"(?![\w/-]|\.\d|\s(?:of\s)?{expanded('MONTH')}\b)",
    re.I,
)
_SEASON_IN_ORDER = re.compile(  # first winter
    r"(?:(?:the|his|her|my|our|your|their|its)\s)?(?:first|second|third|fourth)\s(?:spring|summer|autumn|fall|winter)",
    re.I,
)
# Sat 9-5: hours, whose day the rules find
_HOURS = re.compile(rf"(?:{expanded('WEEKDAY')}[,.]?[\s–-]+)+\d{{1,2}}\s?[-–]\s?\d{{1,2}}", re.I)
_SOME_OF = re.compile(r"\d{1,3} of", re.A)
_LETTERS = re.compile(r"[^\W\d_]+")
_OF_DATE = re.compile(
    rf"{expanded('MONTH')}|{expanded('WEEKDAY')}s?|{expanded('ORDINAL_END')}|s|t|z|q|w|h|y|yo|yrs?|mid|of",
    re.I,
)
_BELOW_90 = re.compile(r"[1-8]?\d", re.A)

_OF_DATES = frozenset("DATE_UNIT TIME_UNIT DAYPART SEASON MONTH WEEKDAY RELATIVE ORDINAL".split())
_AFTER_SAT = frozenset("for in at down with there by beside next up behind and".split())
_TRAFFIC = frozenset("route line bus tram junction exit platform".split())


@reason(*network.LABELS)
def is_measure(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a value and its unit (180ms, 132 kV, 47nF, RM70,080), or a date
    ends with one."""
    text = context.text(entity.start, entity.end)
    lower = text.lower().rpartition(" ")[2] if entity.label == "DATE" else text.lower()
    if pattern("JOINED").fullmatch(lower.replace(" ", "", 1)) or pattern("LETTERED").fullmatch(
        lower
    ):
        return True
    if entity.label != "ADDRESS":  # no house 5A
        return pattern("UNITED").fullmatch(text) is not None
    after = context.text(entity.end) if text.isdigit() else ""
    number, unit = text.partition(" ")[::2]
    if (number.isdigit() or after) and _UNIT_OF_SCIENCE.fullmatch((unit or after).rstrip(".")):
        return True
    measure = _MEASURE.fullmatch(text)
    if measure is None:
        return False
    return measure[1] is None or measure[1].lower() in FOLLOWING["UNIT"]


@reason("PERSON", "GPE", "ORG")
def is_number_in_words(context: Context, entity: Entity) -> bool:
    """Return whether a name is of numbers in small letters: ninety-nine."""
    _, start, end = entity
    if not context.text(start).islower():
        return False
    tokens = [token for token in context.doc[start:end] if token.text != "-"]
    return all(token.like_num and token.is_lower for token in tokens)


@reason("PERSON", "GPE", "ORG")
def begins_with_amount(context: Context, entity: Entity) -> bool:
    """Return whether an amount begins a name of several words (27,480 t clinker), or a unit of the
    number before it: 4000 IU sc."""
    _, start, end = entity
    if context.text(start - 1)[-1:].isdigit() and (
        context.bounds.lowers[start] in _DOSED or context.text(start, end) in _CURRENTS
    ):
        return True
    text = context.text(start, end) if context.text(start)[:1].isdigit() else ""
    amount = _AMOUNT_FIRST if entity.label == "PERSON" else _LARGE_AMOUNT_FIRST
    return end - start > 1 and amount.match(text) is not None


@reason(*network.LABELS)
def is_fraction(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a fraction, as in "power 4/5", that no word beside it makes a
    date. The rules read these words."""
    doc, (_, start, end) = context.doc, entity
    text = context.text(start, end)
    if "/" not in text or not _FRACTIONS.fullmatch(text):
        return False
    first, last = doc[start].idx, doc[end - 1].idx + len(doc[end - 1])
    low = max(first - BESIDE, 0)
    beside = context.whole[low : last + BESIDE].lower()
    if is_score(beside, first - low, last - low):
        return True
    dates = pattern("DATE_PHRASE").finditer(beside)
    return not any(m.start() < last - low and m.end() > first - low for m in dates)


@reason("ADDRESS")
def is_dose(context: Context, entity: Entity) -> bool:
    """Return whether an address is a dose with how often it is given: 1 neb q6h."""
    return _FREQUENCY.fullmatch(context.text(entity.start, entity.end)) is not None


@reason("ADDRESS")
def ends_before_unit(context: Context, entity: Entity) -> bool:
    """Return whether the unit of an amount stands behind the number that ends an address: changed
    to telmisartan 40 mg, a delay of 75 s. A house may have the letter of a unit, so one of these
    needs the end of a clause behind it."""
    end = entity.end
    unit, after = context.text(end).rstrip("."), context.text(end + 1)
    ends = context.text(end) != unit
    if not context.text(end - 1).replace(".", "").replace(",", "").isdigit():
        return False
    if unit in _SHORT_UNITS:
        is_apart = bool(context.doc[end - 1].whitespace_)
        return is_apart and (ends or not after or after.isspace() or after in AFTER_THING)
    return unit in _AMOUNT_UNITS or (unit.lower() in _DOSED and not unit.isupper())


@reason("ADDRESS")
def is_number_in_code(context: Context, entity: Entity) -> bool:
    """Return whether an address is a number in a block of code."""
    return context.is_in_code(entity.start) and context.text(entity.start, entity.end).isdigit()


@reason("ADDRESS")
def is_count(context: Context, entity: Entity) -> bool:
    """Return whether an address is a number of things: no street follows that of a house. So are
    165 over 95, 50 ± 5, 5 to 2 the Court, and the number of a line: the 73."""
    doc, (_, start, end) = context.doc, entity
    text, after = doc[start:end].text, doc[end] if end < len(doc) else None
    text = text[4:] if text[:4] in ("the ", "The ") else text
    if after is not None and after.text in ("±", "+/-", "+-", "×"):
        return True
    if _BETWEEN_VALUES.fullmatch(text) or _COUNTED.match(text) or counts_things(text):
        return True
    if text.isdigit() and len(text) < MIN_POSTAL_CODE:
        ends = after is None or after.is_space or (after.is_upper and len(after) < MIN_STREET)
        if ends or after is None:
            return ends
        if after.text in _BEFORE_CLAUSE and context.text(end + 1).islower():
            return True  # at 20 the priest hears
        return is_word(after.lower_) and (after.text.endswith("s") or _describes(after.text))
    # 3 Brown Long-eared: an address ends with a word
    is_cut = after is not None and after.text == "-" and not doc[end - 1].whitespace_
    return is_cut and text[0].isdigit() and context.text(end + 1).islower()


def _describes(text: str) -> bool:
    """Return whether a word in small letters is an adjective or a noun, and no street: 14 speaking
    stops."""
    classes = builtin_lexicon().of(text) if text.islower() and text not in STREET_WORDS else ()
    return bool(classes) and {"adjective", "gerund", "noun", "plural", "verb"}.issuperset(classes)


@reason("ADDRESS")
def is_of_ordinary_words(context: Context, entity: Entity) -> bool:
    """Return whether an address is of ordinary words in small letters behind an article, without a
    number: the station square, the old mill lane. In a text that has no capitals it may be a
    street."""
    _, start, end = entity
    texts = context.bounds.texts[start:end]
    before = context.text(start - 1).lower()
    has_article = texts[0] in ARTICLES or before in ARTICLES
    is_plain = all(text.islower() and is_ordinary(text) for text in texts)
    return has_article and is_plain and context.is_capitalised


@reason("ADDRESS", of_word=True)
def is_number_of_list(context: Context, entity: Entity) -> bool:
    """Return whether a number counts on from the one before it: 4 Darnell, 5 Shiva."""
    text, start = context.text(entity.start), context.doc[entity.start].idx
    if not (text.isdigit() and len(text) < MIN_STREET_NUMBER):
        return False
    before = context.whole[max(start - BESIDE, 0) : start]
    item = rf"(?:\A|[,;:\n] ?){int(text) - 1}[.)]? [^\d\n,;]*[,;\n] ?\Z"
    return re.search(item, before) is not None


@reason("ADDRESS")
def ends_within_phrase(context: Context, entity: Entity) -> bool:
    """Return whether an address ends with a function word in small letters (a majority of 5 to 2
    the Court), or with one in capitals that looks like a state: 2023 AT 11.00."""
    last = context.doc[entity.end - 1]
    return last.is_stop and (last.is_lower or last.text == "AT")


@reason("ADDRESS")
def is_part_of_building(context: Context, entity: Entity) -> bool:
    """Return whether an address is a part of a building or an estate with its number, of which the
    text says something, and where nobody is: Unit 4 boiler serviced, Plot 6 skirting."""
    _, start, end = entity
    if (
        context.bounds.lowers[start] not in _PARTS
        or context.text(start - 1).lower() in _BEFORE_PARTS
    ):
        return False
    rest = context.text(start + 1, end).split() if end - start > 1 else []
    if not rest:
        return True  # Unit, of Unit 2
    if not _PART_NUMBER.fullmatch(rest[0]) or len(rest) > 2:
        return False
    word = rest[1] if len(rest) > 1 else context.text(end)
    return word.islower() and not _PART_NOUNS.isdisjoint(builtin_lexicon().of(word))


@reason("ADDRESS")
def is_size(context: Context, entity: Entity) -> bool:
    """Return whether an address is a number and what it measures of a thing (2 Storey extension, 5
    Way junction), or begins with a value and its unit: 25m Pool."""
    _, start, end = entity
    first, after = context.text(start), context.text(start + 1)
    if _LEADING_VALUE.match(context.text(start, end)):
        return True
    return first.isdigit() and end - start < 4 and after.lower() in _SIZES


@reason("ADDRESS")
def is_number_of_things(context: Context, entity: Entity) -> bool:
    """Return whether an address is a number and a common noun in the plural, of which the network
    is not certain: 17 Drops."""
    _, start, end = entity
    if end - start != 2 or not context.text(start).isdigit():
        return False
    noun = context.bounds.lowers[start + 1]
    if noun in STREET_WORDS or not (noun.endswith("s") and is_word(noun)):
        return False
    return odds(context.shares, "ADDRESS", start) <= SURELY_HOUSE


@reason("ADDRESS")
def is_common_phrase(context: Context, entity: Entity) -> bool:
    """Return whether an address has neither a number nor a kind of street and is of common words in
    small letters (back to the old dose), or described by one: the old BenQ."""
    tokens = context.doc[entity.start : entity.end]
    are_common = all(t.is_lower and t.is_alpha and is_word(t.text) for t in tokens)
    is_described = len(tokens) > 2 and tokens[0].text == "the" and tokens[1].is_lower
    if not (are_common or is_described) or any(map(str.isdigit, tokens.text)):
        return False
    return not any(t.lower_ in STREET_WORDS for t in tokens)


@reason("DATE")
def holds_more(context: Context, entity: Entity) -> bool:
    """Return whether a date holds an amount that a rule found (86 ml), or a noun beside a date that
    one found, which then stays: the outage of February 2023."""
    _, start, end = entity
    if any(start <= low and high <= end for low, high in context.amounts):
        return True
    if not any(low < end and start < high for low, high in context.dates):
        return False
    of = next((i for i in range(start + 1, end) if context.text(i) == "of"), end)
    noun = context.bounds.lowers[of - 1] if of < end else ""
    is_of_dates = not kinds(noun).isdisjoint(_OF_DATES)
    return not is_of_dates and {"noun"} == builtin_lexicon().of(noun)


@reason("ADDRESS")
def is_way_of_traffic(context: Context, entity: Entity) -> bool:
    """Return whether an address is the number of a line or an exit in small letters: route 61."""
    _, start, end = entity
    is_number = end - start == 2 and context.text(end - 1).isdigit()
    return is_number and context.text(start) in _TRAFFIC


@reason("ADDRESS", of_word=True)
def is_letter(context: Context, entity: Entity) -> bool:
    """Return whether an address is a letter alone (under s. 83), or a half of the day or an hour of
    a rota: AM, 0800."""
    text = context.text(entity.start).rstrip(".")
    is_hour = _EARLY.fullmatch(text) is not None or text.lower() in ("am", "pm")
    return is_hour or (len(text) == 1 and text.isalpha())


@reason("DATE")
def is_plain_number(context: Context, entity: Entity) -> bool:
    """Return whether a date is a value (3 to 5, and 47 of 50), the numbers of cells beside each
    other (6.5;+112), or hours of a day of the week: Sat 9-5."""
    text = context.text(entity.start, entity.end)
    if _SOME_OF.fullmatch(text) and context.text(entity.end).isdigit():
        return True
    return any(form.fullmatch(text) for form in (_VALUE, _CELLS, _HOURS, _SEASON_IN_ORDER))


@reason("DATE", of_word=True)
def is_number_of_row(context: Context, entity: Entity) -> bool:
    """Return whether a number below 90 is the first cell of a row: 4;30/1/2024;Ada Lind."""
    i = entity.start
    opens = i == 0 or "\n" in context.text(i - 1)
    return opens and context.text(i + 1) in CELLS and _is_below_90(context.text(i))


def _is_below_90(text: str) -> bool:
    return _BELOW_90.fullmatch(text) is not None


@reason("DATE")
def is_undated(context: Context, entity: Entity) -> bool:
    """Return whether a date without a digit is a noun that is no word of a calendar, of numbers or
    of time: the drought."""
    text = context.text(entity.start, entity.end)
    if DIGIT.search(text) or pattern("DATE_PHRASE").search(text.lower()):
        return False
    words = re.findall(r"[^\W_]+", text.lower())
    if _PREPOSITIONS.issuperset(words):
        return True  # out at 6 km
    known = (
        word in _BESIDE_DATES or _NAMED_DAY.fullmatch(word) or not _OF_TIME.isdisjoint(kinds(word))
        for word in words
    )
    return not any(known) and bool(words) and "noun" in builtin_lexicon().of(words[-1])


@reason("ADDRESS", "GPE")
def is_road(context: Context, entity: Entity) -> bool:
    """Return whether an entity is the number of a main road, on which everybody drives: the M6, the
    A9."""
    i, end = entity.start, entity.end
    at = i + (context.text(i) == "the")
    is_known = at > i or context.text(i - 1) == "the"
    return is_known and end - at == 1 and _ROAD.fullmatch(context.text(at)) is not None


@reason("DATE")
def is_verb(context: Context, entity: Entity) -> bool:
    """Return whether a verb in small letters, as which no day or month is written where names have
    capitals, stands behind its subject or a modal verb (we sat, they will march), or anywhere
    before a word that no weekday has: sat for four days."""
    last = entity.end - 1
    text = context.text(last)
    if text == "sat" and context.text(last + 1) in _AFTER_SAT:
        return True
    if text not in _VERBS or entity.end - entity.start > 2 or not context.is_capitalised:
        return False
    return context.text(last - 1).lower() not in _BEFORE_TIMES


@reason("DATE", of_word=True)
def is_age_behind_sex(context: Context, entity: Entity) -> bool:
    """Return whether a number below 90 stands behind the letter of a sex: (M, 42)."""
    i = entity.start
    is_behind = context.text(i - 1) in (",", "/") and context.text(i - 2) in ("M", "F")
    return is_behind and _is_below_90(context.text(i))


@reason("DATE")
def is_joined_number(context: Context, entity: Entity) -> bool:
    """Return whether a number is joined to letters of no day, month, ordinal or year: p95, 4GbE,
    the 172S."""
    _, start, end = entity
    start += end - start > 1 and context.bounds.lowers[start] in ARTICLES
    text = context.text(start, end).rstrip(".")
    if " " in text:
        return False
    runs = _LETTERS.findall(text) if any(map(str.isdigit, text)) else []
    return bool(runs) and not any(map(_OF_DATE.fullmatch, runs))


@reason("DATE")
def is_before_hour(context: Context, entity: Entity) -> bool:
    """Return whether a date ends with the first number of a range that is no range of days: the
    hours that a place is open, or a score."""
    span = context.doc[entity.start : entity.end]
    if not _RANGE_START.fullmatch(span.text):
        return False
    return _RANGE_END.match(context.whole, span.end_char) is not None


@reason("DATE")
def is_answer(context: Context, entity: Entity) -> bool:
    """Return whether a number below 90, an age that stays or a count, is all that a speaker says
    in a sentence."""
    _, start, end = entity
    before, after = context.text(start - 1), context.text(end)
    opens = before == ":" or before.isspace()
    closes = not after or after.isspace() or after in (".", "!", "?")
    return opens and closes and _is_below_90(context.text(start, end))
