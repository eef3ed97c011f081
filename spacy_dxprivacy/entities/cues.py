"""Names that are also plain words, told by what stands beside them: a title, a greeting, a verb."""
# A form is a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from .addresses import UP, Span

_NAME = rf"{UP}(?:['’]{UP})?\w+(?:-{UP}\w*)*"
# Given names in two parts, as "Ji-hoon" and "Hyun-woo", beside a family name.
_PARTED = rf"{UP}[a-zà-ÿ]{{1,7}}-[a-zà-ÿ]{{1,7}}"
_KOREAN = frozenset(
    "Kim Lee Park Choi Jung Jeong Chung Kang Cho Yoon Jang Lim Han Seo Shin Kwon Hwang Ahn Song Ryu Hong Jeon Moon "
    "Yang Bae Baek Nam Noh Yoo Oh Ko Son Heo".split()
)
_VIETNAMESE = (
    "Nguyễn|Nguyen|Trần|Tran|Lê|Phạm|Pham|Huỳnh|Huynh|Hoàng|Phan|Vũ|Võ|Đặng|Bùi|Đỗ|Hồ|Ngô|Dương|Lý"
)
_NO_TITLE = r"(?!(?:Mrs?|Ms|Mx|Miss|Dr|Prof|Doctor|Nurse|Patient|Judge|Officer|Father|Mother|Sister|Brother)\b)"
# Whoever is greeted and has no name.
_NOBODY = (
    r"(?!(?:All|Sir|Madam|Team|Everyone|Everybody|There|Folks|Friends?|Customers?|Colleagues?|Doctors?|Members?|Both|"
    r"Hiring|Support|Guys|Ladies|Gentlemen|Mom|Mum|Dad|God|Lord|Diary|Santa|Again|Sirs|Please|The|This|My|Our|Thank|Thanks|How|I|We|You|It|Is|Am|And)\b)"
)
_BEFORE = {
    "titled": "Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Mr.|Mrs.|Ms.|Mx.|Dr.|Prof.|MR.|MRS.|MS.|DR.",
    "greeted": "Hi|Hello|Hey|Dear",
    "verb": "met|saw|told|asked|phoned|emailed|e-mailed|texted|thanked|married|contacted|spoke to|spoke with|"
    "speak to|speak with|talked to|talked with|talk to",
}
_CUES = {
    name: "(?:" + "|".join(rf"(?<=\b{re.escape(cue)} )" for cue in cues.split("|")) + ")"
    for name, cues in _BEFORE.items()
}
# All begin with a capital, which is looked for first.
_FORMS = {
    "parted": rf"(?P<two>{_PARTED})[ ](?P<after>{UP}\w+)\b|(?P<ahead>{UP}\w+)[ ](?P<second>{_PARTED})\b",
    "vietnamese": rf"(?:{_VIETNAMESE})(?:[ ]{UP}\w+){{1,3}}",
    "titled": rf"{_CUES['titled']}(?!(?:The|This|Is|Was|And|Or|Said)\b){_NAME}",
    "greeted": rf"{_CUES['greeted']}{_NOBODY}{_NAME}(?=[ ]?[,!:\n])",
    "verb": rf"{_CUES['verb']}{_NO_TITLE}{_NAME}",
    "inverted": rf"(?m:^){_NAME},[ ](?P<given>{_NAME})(?:[ ]{UP}\b\.?)?(?=[ \t]*(?:\n|\Z|\(|\d|[-|;]))",
}


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    forms = "|".join(f"(?P<{name}>{form})" for name, form in _FORMS.items())
    return re.compile(rf"(?<!\w)(?={UP})(?:{forms})")


def cued(
    text: str,
    is_name: Callable[[str], bool],
    is_first: Callable[[str], bool],
    is_word: Callable[[str], bool],
) -> Iterator[Span]:
    """(start, end) of each. is_name, is_first: whether a word is a name, or a first name, whatever
    else it is; is_word: whether the dictionary has it."""
    for match in _pattern().finditer(text):
        if match["verb"] and not is_name(match[0]):
            continue
        if match["parted"] and not _is_parted(match, is_name, is_word):
            continue
        if match["inverted"] and not is_first(match["given"]):
            continue
        yield match.span()


def _is_parted(
    match: re.Match[str], is_name: Callable[[str], bool], is_word: Callable[[str], bool]
) -> bool:
    """A family name beside two syllables that are no words; the second may be one beside the
    commonest names of Korea."""
    given, family = match["two"] or match["second"], match["after"] or match["ahead"]
    one, other = given.split("-")
    return (
        is_name(family)
        and not is_word(one)
        and (not is_word(other) or family.capitalize() in _KOREAN)
    )
