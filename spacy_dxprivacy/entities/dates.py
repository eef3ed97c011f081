"""How English writes dates: the parts that the recogniser and the date surrogate read alike, and
the dates of several words or numbers that the recogniser looks for in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .fields import lowered

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:sday|s)?|wed(?:nesday)?|thu(?:rsday|rs|r)?|fri(?:day)?|sat(?:urday)?|"
    r"sun(?:day)?)"
)
ORDINAL_END = r"(?:st|nd|rd|th)"
SEASON = r"(?:spring|summer|autumn|fall|winter)"
TO = r"(?:\s?[-–—]\s?|\s(?:to|through|thru|until|till|and)\s)"
_HOLIDAYS = (
    "christmas( eve| day)?|x-?mas|boxing day|(lunar |chinese )?new year'?s?( eve| day)?|"
    "easter( sunday| monday| weekend)?|good friday|palm sunday|ash wednesday|all saints'? day|"
    "thanksgiving( day| eve)?|black friday|cyber monday|hallowe'?en|valentine'?s( day)?|"
    "independence day|(the )?(fourth|4th) of july|juneteenth|veterans?'?s? day|memorial day|"
    "labou?r day|columbus day|indigenous peoples?'? day|presidents?'?s? day|"
    "washington's birthday|mlk( jr.?)? day|martin luther king,?( jr.?)?('s birthday| day)|"
    "mother'?s'? day|father'?s'? day|(st.?|saint) patrick'?s( day)?|mardi gras|groundhog day|"
    "cinco de mayo|earth day|election day|inauguration day|flag day|canada day|victoria day|"
    "anzac day|australia day|bastille day|remembrance day|armistice day|bonfire night|"
    "bank holiday|hanukkah|chanukah|passover|rosh hashanah?|yom kippur|ramadan|"
    "eid([- ]al[- ](fitr|adha))?|diwali|kwanzaa|pentecost|epiphany|purim|sukkot"
)
# Apostrophes of both kinds, any blanks, and no groups.
HOLIDAY = (
    f"(?:{_HOLIDAYS})".replace("'", "['’]")
    .replace("(", "(?:")
    .replace("(?:?:", "(?:")
    .replace(".", r"\.")
    .replace(" ", r"\s")
)
YEAR = r"(?:(?:1[5-9]|20)\d\d|['’]\d\d)"
_DAY = rf"(?:0?[1-9]|[12]\d|3[01]){ORDINAL_END}?(?![\d/])"
_PAIR = r"(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])"
_ANY_PAIR = r"[0-3]?\d/[0-3]?\d"
_NUMERIC = rf"{_ANY_PAIR}(?:/\d{{4}}|/\d\d)?"
# Small fractions, scores and doses: dates only where a word says so.
_COUNTED = (
    r"(?!\s?(?:%|mg|mm|ml|cm|in\b|of\b|tab|dose|pill|cup|strength|power|murmur|systolic|score))"
)
_FRACTION = r"(?:(?P<same>\d\d?)/(?P=same)|(?:[1-9]|10)/(?:[234568]|10))(?!\d)"
_TENS = r"(?:9\d|1[0-3]\d)"  # ages over 89, and 90
_TENS_WORDS = (
    r"(?:ninety(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|(?:one|a) hundred"
    r"(?:[- ](?:and[- ])?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))?)"
)
_TENTHS = r"ninetieth|ninety[- ]\w{3,5}(?:st|nd|rd|th)|(?:one )?hundredth"
_IS = "|".join(f"(?<={cue} )" for cue in ("he is", "he was", "he's", "i am", "i'm", "patient is"))
_MEASURED = "%|°|degrees|kg|lbs?|pounds|cm|mm|inches|feet|percent|minutes|hours|days|weeks|months"
_EVENT = (
    r"(?:on|since|until|till|by|from|before|after|between|dated?:?|dos:?|seen|admitted|"
    r"discharged|d/c|born|died|due|starting|started|through|thru)"
)
_FORMS = {
    "DATE": rf"""{HOLIDAY}(?: day)?,? \(?(?:{MONTH}\.? {_DAY}(?:,? {YEAR})?|{_NUMERIC})
        (?:{MONTH}\.? {_DAY}(?:,? {YEAR})?|{_NUMERIC}),? \(?{HOLIDAY}
        {MONTH}\.? ?{_DAY}(?:,? ?{YEAR})?{TO}{MONTH}\.? ?{_DAY}(?:,? ?{YEAR})?
        {MONTH}\.? ?{_DAY}(?:\s?[-–—]\s?|\s(?:to|through|thru|until|till)\s){_DAY}(?:,? ?{YEAR})?
        {MONTH}\.? ?{_DAY} and {_DAY},? {YEAR}
        {_DAY}(?: {MONTH}\.?(?:,? {YEAR})?)?{TO}{_DAY} {MONTH}\b\.?(?:,? {YEAR})?
        {_NUMERIC}{TO}{_ANY_PAIR}/(?:\d{{4}}|\d\d)
        {_PAIR}\s?[-–—]\s?{_PAIR}(?![/\d])
        {WEEKDAY}\.?,? {_PAIR}(?:/\d{{4}}|/\d\d)?(?!/)
        (?<![/-])(?!{_FRACTION}){_PAIR}(?![/-]){_COUNTED}
        week \d\d? (?:of |in )?(?:19|20)\d\d
        (?:19|20)\d\d-?w\d\d
        (?:q[1-4]|[1-4]q|h[12])(?:[ /'’-]{{0,2}}(?:of )?(?:\d{{4}}|\d\d))?
        (?:19|20)\d\d[ -]?q[1-4]
        (?:first|second|third|fourth) (?:quarter|half)(?:,? (?:of )?{YEAR})?
        (?:fy|fiscal(?: year)?) ?['’]?(?:\d{{4}}|\d\d)(?:[-/](?:\d{{4}}|\d\d))?
        {SEASON}(?:,? (?:of )?{YEAR})(?:[-/–](?:\d{{4}}|\d\d))?
        (?:{WEEKDAY},? )?{HOLIDAY}(?: weekend)?(?:,? (?:of )?{YEAR}|,? {WEEKDAY}\b)?
        mid-?{MONTH}
        {_TENS}{ORDINAL_END} b(?:irth)?day
        (?:{_TENTHS}) birthday
        {_TENS} ?-?(?:yo|y\.?/?o\.?|yrs?|years?[- ]olds?)
        {_TENS_WORDS}[- ](?:years?[- ]olds?|years of age|y/?o)
        {_TENS}[mf](?=[ ,.;:/)]|$)(?<!of \d\d[mf])(?<!\$\d\d[mf])(?<!\bt \d\d[mf])(?<!temp \d\d[mf])
        (?<=aged ){_TENS_WORDS}
        (?<=age ){_TENS_WORDS}
        (?<=turned ){_TENS_WORDS}
        nonagenarians?|centenarians?
        (?:{_IS}){_TENS}(?=[ .,;]?(?:\s|$|with|and|now|today))(?!\.\d|[ -]?(?:{_MEASURED}))
        (?:early|late|mid)[- ]{MONTH}\.?,? {YEAR}""",
    "TIME": """noon|midday|midnight
        half past (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)
        quarter (?:to|past) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)""",
}


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    lines = [(label, line) for label, text in _FORMS.items() for line in text.split("\n")]
    named = [f"(?P<{label}_{i}>{line.strip()})" for i, (label, line) in enumerate(lines)]
    cued = rf"\b{_EVENT} (?P<DATE_cued>{_PAIR}(?: and {_PAIR})?)(?![/\d-]){_COUNTED}"
    return re.compile(rf"(?<![\w/.])(?:{'|'.join(named)}|{cued})(?!\w)")


def date_phrases(text: str) -> Iterator[tuple[str, int, int]]:
    """(label, start, end) of dates, times and ages over 89 that are more than one word, or that a
    tokenizer cuts in ways of its own."""
    for match in _pattern().finditer(lowered(text)):
        name = str(match.lastgroup)
        yield (name.partition("_")[0], *match.span(name))
