"""Names that are also plain words, told by what stands beside them: a title, a greeting, a verb."""
# A form is a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from .addresses import UP, Span

_NAME = rf"{UP}(?:['’]{UP})?\w+(?:-{UP}\w*)*"
_NO_TITLE = r"(?!(?:Mrs?|Ms|Mx|Miss|Dr|Prof|Doctor|Nurse|Patient|Judge|Officer|Father|Mother|Sister|Brother)\b)"
# Whoever is greeted and has no name.
_NOBODY = (
    r"(?!(?:All|Sir|Madam|Team|Everyone|Everybody|There|Folks|Friends?|Customers?|Colleagues?|Doctors?|Members?|Both|"
    r"Hiring|Support|Guys|Ladies|Gentlemen|Mom|Mum|Dad|God|Lord|Diary|Santa|Again|Sirs|Please|The|This|My|Our|Thank|Thanks|How|I|We|You|It|Is|Am|And)\b)"
)
_BEFORE = {
    "titled": "Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Mr.|Mrs.|Ms.|Mx.|Dr.|Prof.",
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
    text: str, is_name: Callable[[str], bool], is_first: Callable[[str], bool]
) -> Iterator[Span]:
    """(start, end) of each. is_name, is_first: whether a word is a name, or a first name, whatever
    else it is."""
    for match in _pattern().finditer(text):
        if match["verb"] and not is_name(match[0]):
            continue
        if match["inverted"] and not is_first(match["given"]):
            continue
        yield match.span()
