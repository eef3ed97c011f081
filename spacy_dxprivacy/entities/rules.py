"""The rules of the recogniser: sequences of word kinds, and the forms of numbers and addresses.

A rule is a line of tokens. KIND in capitals is a kind of words.py, `{1,3}`, `?`, `*` and
`+` repeat it, NUM is spaCy's LIKE_NUM, SPACE a white-space token; a word in small letters stands
for itself, in any case. What is in (parentheses), before or after, has to be there and is not
part of the entity.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from .lists import FOLLOWING

# PERSON, in three degrees: certain names; ambiguous ones beside a cue; guesses from the capital.
_PERSON = """
SURE_FIRST
SURE_FIRST BODY{0,5} PART
SURE_FIRST a NEW
SURE_FIRST a SURNAME
FIRST BODY{0,4} SURE_SURNAME
FIRST BODY{0,4} NEW
FIRST SURNAME
FIRST INITIAL{1,2} PART
FIRST a NEW
NEW BODY{0,4} NEW
NEW BODY{0,4} SURNAME
NEW INITIAL{1,2} PART
NEW a NEW
NEW a SURNAME
NEW - PART
SURE_SURNAME SURE_SURNAME
SURE_SURNAME - PART
SURE_SURNAME BODY{0,3} NEW
SURE_SURNAME (, SURE_FIRST)
INITIAL{1,3} SURNAME
INITIAL{1,3} NEW
INITIAL PARTICLE{1,3} PART
PARTICLE{1,3} NEW
van PARTICLE{0,2} SURE_SURNAME
von PARTICLE{0,2} SURE_SURNAME
de PARTICLE{0,2} SURE_SURNAME
PARTICLE - NEW
(TITLE) PART
(TITLE) BODY{1,5} PART
(TITLE) INITIAL
(TITLE) LOW_NEW
(ROLE) SURE_SURNAME
(ROLE) NEW
(ROLE :) SURE_SURNAME
(MID) SURE_SURNAME
SURE_SURNAME (CUE)
SURE_SURNAME (AUX)
SURNAME (and SURE_SURNAME)
(SURE_SURNAME and) SURNAME
SURNAME (and NEW)
(NEW and) SURNAME
(MID) FIRST
(MID) SURNAME (CUE)
FIRST (CUE)
FIRST (MODAL)
PART INITIAL{1,2} SURE_SURNAME
PART SURE_SURNAME (CUE)
SURNAME (HUMAN)
LOW_SUR (HUMAN)
LOW_NEW LOW_INITIAL LOW_SUR
(says) PARTICLE{0,2} SURNAME
(says) NEW
(said) SURE_SURNAME
(said) NEW
(says) du PART
(said) du PART
FIRST (and SURE_FIRST)
(SURE_FIRST and) FIRST
LOW_FIRST
LOW_FIRST LOW_NAME
LOW_FIRST LOW_NEW
LOW_NAME LOW_SUR
LOW_NAME LOW_INITIAL LOW_SUR
LOW_NEW LOW_SUR
LOW_FIRST LOW_INITIAL LOW_NAME
(SPACE) FIRST (:)
LOW_FIRST LOW_INITIAL LOW_NEW
(name is) PART BODY{0,3}
(name 's) PART BODY{0,3}
(name was) PART BODY{0,3}
(name ?) PART BODY{0,3}
(name ? SPACE) PART BODY{0,3}
(name is) LOW_NEW
(name 's) LOW_NEW
(my name is) LOW_NAME LOW_NEW?
(my name is) LOW_NAME LOW_NAME
(my name is) LOW_NEW LOW_NEW
(my name 's) LOW_NAME LOW_NEW?
(my name 's) LOW_NEW LOW_NEW
(i am) NEW BODY{0,3}
(i 'm) NEW BODY{0,3}
(i 'm) FIRST BODY{0,3}
(this is) NEW BODY{0,3}
(this is) FIRST BODY{0,3}
(call me) PART BODY{0,3}
(call me) LOW_NAME
(call me) LOW_NEW
(calls me) PART
(calls me) LOW_NEW
(GREETING) NEW BODY{0,3}
(GREETING) FIRST BODY{0,3}
(GREETING) SURNAME BODY{0,3}
(GREETING) LOW_NAME
(FIELD :) PART BODY{0,4}
(FIELD : SPACE) PART BODY{0,4}
(FIELD :) LOW_NEW{1,3}
(FIELD : SPACE) LOW_NEW{1,3}
(FIELD :) LOW_NEW LOW_INITIAL LOW_NEW
(FIELD :) LOW_INITIAL LOW_SUR
(FIELD : SPACE) LOW_NEW LOW_INITIAL LOW_NEW
(SIGNOFF , SPACE) PART BODY{0,3}
(SIGNOFF SPACE) PART BODY{0,3}
(SIGNOFF ,) FIRST
(SIGNOFF ,) NEW
"""

# Capitalised words that the table does not hold, where nothing else speaks for a name.
_GUESS = """
NEW
NEW BODY{0,3} PART
(MID) PART NEW
SURE_SURNAME
"""

# An optional comma at the end of a match is cut off again.
_DATE = """
MONTH DAY ,? YEAR?
MONTH the? ORDINAL ,? YEAR?
MONTH of? ,? YEAR
MONTH ' YY
MONTH - YEAR
MONTH / YEAR
DAY of? MONTH ,? YEAR?
DAY MONTH ' YY
DAY - MONTH -? YEAR?
ORDINAL of? MONTH ,? YEAR?
(on the) ORDINAL
(until the) ORDINAL
SURE_MONTH
(IN_TIME) MONTH
SURE_WEEKDAY DAYPART?
SURE_WEEKDAY ,? the? ORDINAL of? MONTH? ,? YEAR?
WEEKDAY ,? MONTH the? DAY ,? YEAR?
WEEKDAY ,? MONTH the? ORDINAL ,? YEAR?
WEEKDAY ,? DAY MONTH ,? YEAR?
(on) WEEKDAY
RELATIVE MONTH
RELATIVE WEEKDAY
RELATIVE AMOUNT? DATE_UNIT
last NUM DATE_UNIT
next NUM DATE_UNIT
past NUM DATE_UNIT
previous NUM DATE_UNIT
following NUM DATE_UNIT
RELATIVE SEASON
(in the) SEASON
SEASON of ' YY
yesterday
today
tomorrow
NUM -? DATE_UNIT -? old?
NUM DATE_UNIT ago
NUM DATE_UNIT later
NUM DATE_UNIT earlier
NUM to NUM DATE_UNIT
NUM - NUM DATE_UNIT
AMOUNT AMOUNT? DATE_UNIT ago?
AMOUNT AMOUNT? DATE_UNIT old
AMOUNT - AMOUNT DATE_UNIT old?
AMOUNT DATE_UNIT later
AMOUNT DATE_UNIT earlier
a? AMOUNT of DATE_UNIT ago?
(aged) NUM
(age) NUM
(age of) NUM
(age :) NUM
(turned) NUM
(turn) NUM
(he was) NUM
(she was) NUM
(i was) NUM
NUM y/o
NUM yo
NUM y.o
NUM y.o.
YEAR
YEAR - YEAR
YEAR – YEAR
YEAR - YY
YEAR / YY
the? RELATIVE? -? DECADE
(in ') YY
(of ') YY
(since ') YY
' DECADE
"""

_TIME = """
this DAYPART
tonight
RELATIVE DAYPART
(yesterday) DAYPART
(tomorrow) DAYPART
(at) DAYPART
(in the) DAYPART
NUM TIME_UNIT ago?
AMOUNT TIME_UNIT ago?
NUM o'clock
AMOUNT o'clock
RELATIVE TIME_UNIT
NUM am
NUM pm
NUM a.m.
NUM p.m.
"""

_PLACE = """
SURE_PLACE
PLACE_HEAD PLACE PLACE?
PLACE , STATE
NEW , STATE
(IN_PLACE) PLACE
(IN_PLACE) NEW
(city of) NEW
(city of) PLACE
"""

RULES: dict[str, str] = {
    "PERSON": _PERSON,
    "DATE": _DATE,
    "TIME": _TIME,
    "GPE": _PLACE,
    "QUANTITY": "NUM UNIT\nNUM NUM UNIT\nNUM - UNIT\n$ NUM\n€ NUM\n£ NUM\n",
    "CARDINAL": "NUM",
    "ID": "(ID_WORD) CODE\n(ID_WORD :) CODE\n(ID_WORD #) CODE\n(ID_WORD is) CODE\n",
    "EMAIL": "EMAIL",
    "URL": "URL",
}
# Where two entities have the same extent, the label that comes first here is kept.
LABELS = "DATE TIME EMAIL URL PHONE ID ADDRESS ORG GPE PERSON QUANTITY CARDINAL".split()

# Kinds and words that are frequent and mean nothing by themselves. Every rule holds some other
# token that is not optional, its anchor; where there is none, no rule is tried.
WEAK = frozenset(
    "MID BODY PARTICLE AMOUNT IN_TIME IN_PLACE PLACE_HEAD CUE AUX MODAL HUMAN LOW_NAME "
    "LOW_INITIAL ROLE FIELD van von de du says said "
    "RELATIVE SPACE TITLE ID_WORD the a of in on at to and is was 's ' i am 'm this me he she my "
    "new old last next past previous following since mother father good - – / , : ? #".split()
)
# Rules that are tried apart: where no name can begin, none is looked for.
GROUPS = {
    "NAMED": ("PERSON", "GPE"),
    "COUNTED": ("DATE", "TIME", "QUANTITY", "CARDINAL", "ID", "EMAIL", "URL"),
}

_BUILT_IN: dict[str, dict[str, Any]] = {
    "NUM": {"LIKE_NUM": True},
    "SPACE": {"IS_SPACE": True},
    "EMAIL": {"LIKE_EMAIL": True},
    "URL": {"LIKE_URL": True},
    "YY": {"SHAPE": "dd"},
    "LOW_INITIAL": {"SHAPE": {"IN": ["x", "x."]}},
    **{kind: {"LOWER": {"IN": sorted(words)}} for kind, words in FOLLOWING.items()},
}
_OPERATOR = re.compile(r"(.+?)(\{\d,\d\}|[?*+])?")

Pattern = list[dict[str, Any]]


def patterns(flags: dict[str, str], *, guess: bool) -> dict[tuple[str, int, int], list[Pattern]]:
    """Token patterns for spaCy's Matcher, by label and the number of tokens of context around.

    flags: kind -> name of its lexeme flag. Keys: (label, tokens before, tokens after). Those that
    GROUPS names together have one Matcher.
    """
    rules = {**RULES, "PERSON": _PERSON + (_GUESS if guess else "")}
    found: dict[tuple[str, int, int], list[Pattern]] = {}
    for label, lines in rules.items():
        for line in filter(None, lines.splitlines()):
            before, after, pattern = _parse(line, flags)
            found.setdefault((label, before, after), []).append(pattern)
    return found


def _parse(line: str, flags: dict[str, str]) -> tuple[int, int, Pattern]:
    """One rule -> (tokens of context before, after, pattern)."""
    match = _read(re.compile(r"(?:\((.*?)\) )?(.+?)(?: \((.*?)\))?"), line)
    parts = [(part or "").split() for part in match.groups()]
    pattern = [_token(word, flags) for part in parts for word in part]
    return len(parts[0]), len(parts[2]), pattern


def _read(form: re.Pattern[str], part: str) -> re.Match[str]:
    """Raises ValueError where a part of a rule of ours is not of this form."""
    match = form.fullmatch(part)
    if match is None:
        raise ValueError(f"not of the form of a rule: {part!r}")
    return match


def words_of(line: str) -> Iterator[tuple[str, bool]]:
    """The tokens of a rule without operators, and whether each is optional."""
    for word in line.replace("(", " ").replace(")", " ").split():
        match = _read(_OPERATOR, word)
        yield match[1], (match[2] or "")[:2] in {"?", "*", "{0"}


def all_words(labels: Collection[str] = tuple(RULES)) -> frozenset[str]:
    """Every kind and every literal word of the rules of these labels."""
    texts = [RULES[label] for label in labels] + [_GUESS] * ("PERSON" in labels)
    lines = [line for text in texts for line in text.splitlines()]
    return frozenset(word for line in lines for word, _ in words_of(line))


def _token(word: str, flags: dict[str, str]) -> dict[str, Any]:
    base, operator = _read(_OPERATOR, word).groups()
    if base in flags:
        token: dict[str, Any] = {flags[base]: True}
    else:
        token = dict(_BUILT_IN.get(base, {"LOWER": base}))
    return {**token, "OP": operator} if operator else token


# Forms that a tokenizer cuts in ways of its own, so they are sought in the text.
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_CLOCK = r"\d\d?:\d\d(?::\d\d(?:\.\d+)?)?"
_HALF = r" ?[ap](?:m\b|\.m\.)"
_ZONE = r"(?:z| ?[+-]\d\d:?\d\d| ?(?:utc|gmt|[ecmp][sd]t))"
_AT = rf"(?:(?:t|,? (?:at )?){_CLOCK}(?:{_HALF})?{_ZONE}?)?"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_EXTENSION = r"(?: ?(?:x|ext\.?) ?\d{1,6})?"

_CALLED = (
    "(?:"
    + "|".join(
        f"(?<={before})"
        for before in (
            "at ",
            "to ",
            "on ",
            "is ",
            "call ",
            "e: ",
            "l: ",
            "x: ",
            "k: ",
            "e:\\n",
            "l:\\n",
        )
    )
    + ")"
)

_FORMS = {
    "DATE": rf"""\d{{4}}(?P<d1>[-/.])\d\d?(?P=d1)\d\d?{_AT}
        \d\d?(?P<d2>[-/])\d\d?(?P=d2)(?:\d{{4}}|\d\d)(?!(?P=d2)\d){_AT}
        \d\d?\.\d\d?\.(?:\d{{4}}|\d\d)(?!\.?\d){_AT}
        \d\d?[-/. ](?:{_MONTHS})[-/. ](?:\d{{4}}|\d\d)
        (?:{_MONTHS})[-/.](?:\d{{4}}|\d\d)
        (?:0?[1-9]|1[0-2])/(?:19|20)\d\d
        (?:19|20)\d\d-(?:0[1-9]|1[0-2])""",
    "TIME": rf"""{_CLOCK}(?:{_HALF})?{_ZONE}?
        \d\d?(?:\.\d\d)?{_HALF}""",
    "ID": rf"""{_OCTET}(?:\.{_OCTET}){{3}}
        (?:[0-9a-f]{{1,4}}:){{3,7}}:?[0-9a-f]{{1,4}}
        (?:[0-9a-f]{{2}}[:-]){{5}}[0-9a-f]{{2}}
        \d{{3}}-\d\d-\d{{4}}
        \d{{4}}(?P<i1>[ -])\d{{4}}(?P=i1)\d{{4}}(?P=i1)\d{{1,7}}
        [a-z]{{2}}\d\d(?: ?[a-z0-9]{{4}}){{2,7}}(?: ?[a-z0-9]{{1,4}})?(?<=\d)""",
    "PHONE": rf"""\+\d[\d ()./-]{{5,}}\d{_EXTENSION}
        \(\d{{2,5}}\) ?\d[\d ./-]{{3,}}\d{_EXTENSION}
        (?:001|1)[-. ]\(?\d{{3}}\)?[-. ]?\d{{3}}[-. ]\d{{4}}{_EXTENSION}
        (?=(?:[-. ]?\d){{7,12}}(?![-. ]?\d))0\d{{1,4}}(?:[-. ]\d{{2,8}}){{1,5}}{_EXTENSION}
        (?=(?:[-. ]?\d){{8,12}}(?![-. ]?\d))\d\d\d?(?P<p1>[-. ])\d\d\d?(?:(?P=p1)\d{{2,4}}){{1,4}}
        {_CALLED}\d{{2,4}} \d{{5,8}}
        (?=(?:[-. ]?\d){{7}})\d{{2,5}}(?:[-. ]\d{{2,5}}){{1,4}}(?<=\d{{3}}){_EXTENSION}
        \d{{2,4}}(?:[-. ]\d\d){{3,4}}""",
    "CODE": r"""(?=\w*[a-z])(?=[a-z-]*\d[a-z-]*\d[a-z-]*\d)[a-z0-9]+(?:-[a-z0-9]+)*
        \d{6,}""",
}


def forms() -> re.Pattern[str]:
    """One expression for all forms; the name of its last group is the label, and a number.

    Every form has a digit among its first letters, which the expression looks for first.
    """
    lines = [(label, line) for label, text in _FORMS.items() for line in text.split("\n")]
    named = [
        f"(?P<{label}_{i}>{line.strip()})" for i, (label, line) in enumerate(lines)
    ]  # fmt: skip
    start = r"(?<![\w.@])(?=[+(]?[a-z:/.-]{0,10}\d)"
    return re.compile(start + f"(?:{'|'.join(named)})" + r"(?!\w)", re.IGNORECASE | re.ASCII)
