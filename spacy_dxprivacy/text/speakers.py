"""Who speaks by initials: the capitals that open the lines of a transcript.

Before them stand the time or the counter of a recording, and behind them a mark, brackets with how
it is said, a gap or the time: 112  AL (laughs): Yes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection

# Initials that are an abbreviation, too. Of these, the ones that may be those of a speaker.
NO_INITIALS = frozenset(
    "US UK UN EU AM PM PS EG IE AD BC CV ID OK QC TV PC IT HR PR MD PHD".split()
)
_MAY_SPEAK = NO_INITIALS - frozenset("EG IE ID OK PS".split())
_LINE = re.compile(
    r"^[^\w\n]{0,9}(?P<item>(?:[a-z]|\d{1,2})[.)][ ]{1,3})?"
    r"(?:\d[\d:.,/T-]{0,20}Z?[^\w\n]{1,9}){0,2}(?P<who>[^\W\d_a-zß-öø-ÿ]{2,4})"
    r"(?:(?:[ ]?[(\[][^()\[\]\n]{1,40}[)\]])?[\]*_]{0,3}(?:[ ](?:says|wrote))?"
    r"(?P<colon>:|[ ]?[>»]{1,2})(?=[*_]{0,3}\s)|[\].]?[ ]?\t[ ]{0,3}(?=\S)"
    r"|[ ]{2,9}(?=\S)|[ ][|·–—-][ ](?=\S)|[\].][ ](?=\S)"
    r"|[*_ ,@·–—-]{0,5}[\[(]?\d[\d:.]{3,9}[)\]:]{0,2}[ ]*\n|[ ]\d[\d:.]{3,9}\][ ])",
    re.M,
)
# What stands in the place of a speaker, and is no name: roles, labels and what is measured.
_ROLES = frozenset(
    "INT INTV INTR IV RES RESP PAR PART MOD FAC ALL UNK UNID UM UF VO SFX DR DOC NUR RN PT SW OT "
    "SLT GP HCA OFF OP SOL CLK CRT WIT MAG JUD THE BTW FYI TBC TBD TBA NB PPS POS NEG QTY REF TEL "
    "FAX MOB CC BCC RE FW FWD TL DB BP HR RR HB GCS SOP API URL".split()
)
MIN_LINES = 2  # of who speaks behind no colon, or by initials of no known name


def speakers_in(text: str, known: Collection[str], may_be: Callable[[str], bool]) -> dict[int, str]:
    """Return the initials of those who speak, by their first characters.

    Where one speaks who is known, whoever else speaks in turns with a colon is a person, too. One
    who is known may also have the task of an item: b) AL - order it.

    known: Initials of the persons of the text. may_be: Whether others may be initials.
    """
    if not known:
        return {}
    lines = [*_LINE.finditer(text)]
    often = {who for who, n in Counter(line["who"] for line in lines).items() if n >= MIN_LINES}
    sure = {who for who in known if who not in NO_INITIALS or who in _MAY_SPEAK & often}
    speakers = sure & often
    turns = Counter(line["who"] for line in lines if line["colon"]) if speakers else {}
    others = {who for who, n in turns.items() if n >= MIN_LINES and who not in _ROLES}
    others = {who for who in others - NO_INITIALS if may_be(who)}
    return {
        line.start("who"): line["who"]
        for line in lines
        if line["who"] in speakers
        or (line["colon"] and line["who"] in sure | others)
        or (line["item"] and line["who"] in sure)
    }
