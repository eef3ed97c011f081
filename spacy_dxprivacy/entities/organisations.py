"""Organisations, found in the text by what their names end in, begin with, or stand beside."""
# A form is a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from .addresses import GAP, UP, Span

WORD = rf"{UP}(?:\w{{0,2}}\.(?=[ \t])|[\w'’-]{{0,30}}(?:\.[\w'’-]{{1,20}}){{0,3}})"
# Of companies: they make one of any word before them. The others need two capitalised words.
_LEGAL = (
    r"Inc|LLC|L\.L\.C|Ltd|Limited|Corp|Corporation|Incorporated|Company|GmbH|AG|S\.A|S\.L|S\.p\.A|"
    r"S\.r\.l|SARL|SAS|PLC|plc|LLP|LP|N\.V|B\.V|BV|NV|Oy|Oyj|AB|A/S|ApS|ASA|KG|KGaA|Pty|Sp\. z o\.o|"
    r"Kft|Zrt|S\.R\.L|Co|& Sons|& Co|and Sons|PLLC|P\.C"
)
_NOUNS = (
    "Hospital|Clinic|University|College|Institute|Foundation|Association|Society|Orchestra|Bank|"
    "Insurance|Agency|Academy|School|Ministry|Council|Committee|Church|Museum|Library|Pharmacy|"
    "Laboratories|Laboratory|Labs|Group|Holdings|Partners|Associates|Solutions|Technologies|Systems|"
    "Services|Industries|Enterprises|Consulting|Logistics|Pharmaceuticals|Pharma|Airlines|Airways|"
    "Motors|Media|Press|Studios|Software|Networks|Energy|Capital|Ventures|Investments|"
    "Finance|Financial|Federation|Authority|Commission|Department|Bureau|Centre|Center|"
    "Medical Center|Health Center|Healthcare|Health System|Trust|Band|Times|Restaurant|Hotel|Club|Resort|Theatre|Theater|Cinema|Café|Stadium|Arena|Bakery|"
    "Cemetery|Gallery|Gym"
)
_HEADS = (
    "University|Hospital|College|Institute|Bank|Ministry|Department|Church|School|Museum|"
    "Bureau|Academy|Society|Association|Federation|Council|Board"
)
# Words that begin a sentence or a heading, and no name.
_NO_START = (
    r"(?!(?:The|A|An|In|On|At|For|From|My|Our|His|Her|Your|Their|This|That|I|He|She|It|We|They|Is|Was|Are|"
    r"Please|Medical|Emergency|High|Middle|Elementary|Primary|Secondary|Intensive|Urgent|Critical|Past|Family|Social|Review|And|Or|But|If|When|Call|Visit|With|Of|To|By|As|No|Dr|Mr|Mrs|Ms)\b)"
)
_JOIN = rf"(?:{GAP}(?:and|&|of|for|the|de|y|und|et){GAP}|,{GAP}|{GAP})"
_NAME = rf"{_NO_START}{WORD}(?:{_JOIN}{WORD}){{0,5}}"
_CUE = (
    r"(?:(?<=work for )|(?<=works for )|(?<=worked for )|(?<=working for )|(?<=work at )|(?<=works at )|"
    r"(?<=worked at )|(?<=working at )|(?<=employed by )|(?<=employed at )|(?<=employee of )|"
    r"(?<=hired by )|(?<=fired by )|(?<=founder of )|(?<=CEO of )|(?<=director of )|(?<=job at )|"
    r"(?<=position at )|(?<=manager at )|(?<=nurse at )|(?<=engineer at )|(?<=year at )|(?<=years at )|"
    r"(?<=intern at )|(?<=later became )|(?<=order from )|(?<=bought from )|(?<=invoice from )|(?<=email from )|(?<=staff at )|(?<=team at )|(?<=job with )|(?<=contract with )|(?<=account at )|(?<=owned by )|(?<=published by )|(?<=produced by )|(?<=sponsored by )|(?<=shares of )|(?<=customer of )|(?<=member of )|(?<=members of )|(?<=subsidiary of )|(?<=partner at )|(?<=joined )|(?<=acquired by )|(?<=Employer: )|(?<=Company: )|"
    r"(?<=Organization: )|(?<=Organisation: )|(?<=Facility: )|(?<=Insurance: )|(?<=account with ))"
)
_AFTER = (
    r"(?:office|offices|headquarters|employees|spokesman|spokeswoman|spokesperson|campus|shares|"
    r"customer service|orchestra|is an? (?:[\w-]+ ){0,2}(?:agency|company|firm|startup|bank|charity|multinational|"
    r"corporation|nonprofit|non-profit|manufacturer|retailer|supplier|501\(c\)))\b"
)
# By name: what tells it is in the name, or beside it.
_FORMS = {
    "legal": rf"{_NAME}(?:,?{GAP}|-)(?:{_LEGAL})\b\.?",
    "noun": rf"{_NAME}{GAP}(?:{_NOUNS})\b(?:{GAP}(?:{_NOUNS}|{_LEGAL})\b\.?)*(?:{GAP}of{GAP}(?:the{GAP})?{WORD}(?:{GAP}{WORD})?)?",
    "head": rf"(?:{_HEADS}){GAP}(?:of|for){GAP}(?:the{GAP})?{WORD}(?:{_JOIN}{WORD}){{0,4}}",
    "cue": rf"{_CUE}{WORD}(?:{_JOIN}{WORD}){{0,4}}",
    "after": rf"{_NAME}(?={GAP}{_AFTER})",
}
# Written small, before what makes a firm of it.
_SMALL = rf"(?:(?!(?:of|for|by|and|the|at|in|is|from|with|to|an|my|our|as|was|are) )[\w'’-]{{2,30}}{GAP}){{1,3}}(?:inc|llc|ltd|gmbh)\b\.?"
_LEGAL_SMALL = re.compile(r"\b(?:inc|llc|ltd|gmbh)\b")


@lru_cache(maxsize=2)
def _pattern(small: bool) -> re.Pattern[str]:
    if small:
        return re.compile(rf"(?<![\w@./-])(?:{_SMALL})(?!\w)")
    forms = "|".join(f"(?P<{name}>{form})" for name, form in _FORMS.items())
    return re.compile(rf"(?<![\w@./-])(?={UP})(?:{forms})(?!\w)")


def organisations(text: str, is_first: Callable[[str], bool]) -> Iterator[Span]:
    """(start, end) of each organisation. is_first: whether a word is a first name of persons; what
    begins so is an organisation only if its own words say it."""
    for match in _pattern(False).finditer(text):
        beside = match.lastgroup in ("cue", "after")
        if not (beside and is_first(match[0].split()[0].strip(","))):
            yield match.span()
    if _LEGAL_SMALL.search(text):
        yield from (match.span() for match in _pattern(True).finditer(text))
