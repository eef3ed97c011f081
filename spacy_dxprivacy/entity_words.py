"""What a word may be in a name, a date or a place, judged from its letters and the public table.

`kinds` gives the kinds of one word. The recogniser sets each kind as a flag of the lexeme, so a
word is judged once, when the vocabulary meets it, and its rules then compare bits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .space import Space

KINDS = (
    # people
    "SURE_FIRST FIRST SURE_SURNAME SURNAME NEW PART BODY INITIAL TITLE ROLE PARTICLE "
    "LOW_FIRST LOW_NAME LOW_NEW MID GREETING SIGNOFF FIELD "
    # times
    "SURE_MONTH MONTH SURE_WEEKDAY WEEKDAY DAY ORDINAL YEAR DAY_MONTH DECADE RELATIVE AMOUNT "
    "SEASON HOLIDAY IN_TIME "
    # places and codes
    "SURE_PLACE PLACE PLACE_HEAD STATE IN_PLACE CODE ID_WORD"
).split()

def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Public lists of the kinds that are looked up in lower case, without a final full stop.
LISTED: dict[str, frozenset[str]] = {
    "TITLE": _set(
        "mr mrs ms miss mister dr doctor prof professor rev reverend sir madam lord lady capt "
        "captain lt col gen sgt cpl pvt maj hon judge justice senator sen rep congressman "
        "congresswoman governor gov president mayor officer detective sheriff pastor rabbi imam "
        "sister brother nurse aunt auntie uncle grandma grandpa king queen prince princess duke "
        "señor señora señorita monsieur madame mme mlle herr frau fr sr. mx"
    ),
    "ROLE": _set(
        "patient client attorney lawyer physician surgeon therapist teacher manager colleague "
        "friend neighbor neighbour wife husband son daughter mother father mom dad boyfriend "
        "girlfriend partner roommate boss coach author artist actor actress singer rapper "
        "songwriter guitarist drummer bassist producer director writer poet composer player "
        "minister chancellor ambassador secretary named cousin niece nephew fiancé fiancée spouse "
        "counselor psychiatrist psychologist dentist pharmacist agent representative ceo "
        "spokesman spokeswoman founder journalist reporter witness defendant plaintiff"
    ),
    "PARTICLE": _set(
        "de del della di da do dos das du la le las los van von der den ter ten bin bint ibn al el "
        "ben abu y zu af av st ap mac mc 't san dela"
    ),
    "GREETING": _set("hi hello hey dear hiya howdy dearest hallo"),
    "SIGNOFF": _set(
        "regards sincerely best cheers thanks yours love respectfully truly xoxo thx faithfully "
        "cordially wishes rgds"
    ),
    "FIELD": _set("name from to cc attn attention signed surgeon physician provider attending"),
    "IN_PLACE": _set("in near outside around visiting visit visited toward towards downtown"),
    "ORDINAL": _set(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth "
        "thirtieth"
    ),
    "RELATIVE": _set("last next this past previous coming following recent early late mid"),
    "AMOUNT": _set(
        "a an few several couple many some one two three four five six seven eight nine ten eleven "
        "twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty "
        "fifty sixty seventy eighty ninety hundred"
    ),
    "SEASON": _set("spring summer autumn fall winter"),
    "HOLIDAY": _set(
        "christmas easter thanksgiving halloween ramadan hanukkah passover diwali xmas eid "
        "juneteenth kwanzaa lent pentecost yom"
    ),
    "IN_TIME": _set("in by since until till before after during around from of to for on through"),
    "ID_WORD": _set(
        "mrn ssn id no number account acct policy license licence passport invoice order ticket "
        "case ref reference record chart badge member #"
    ),
    "PLACE_HEAD": _set(
        "new san santa los las el la saint st fort port north south east west united saudi sri "
        "hong buenos rio cape mount lake são puerto costa baton des great"
    ),
}
# Kinds that only ever follow another word of a rule; the rules look these up as they come.
FOLLOWING: dict[str, frozenset[str]] = {
    "CUE": _set(
        "is was has had will would can could does did went goes came says said told asked wants "
        "wanted needs needed likes liked loves loved lives lived works worked called calls thinks "
        "thought knows knew got gets made makes took gave left moved married died born 's ’s"
    ),
    "DATE_UNIT": _set(
        "day days week weeks month months year years yr yrs decade decades century centuries "
        "weekend weekends fortnight quarter semester wk wks mo mos"
    ),
    "TIME_UNIT": _set("hour hours minute minutes second seconds hr hrs min mins sec secs"),
    "DAYPART": _set("morning afternoon evening night noon midnight"),
    "UNIT": _set(
        "mg mcg g kg lb lbs oz ml cc l dl cm mm m km ft inch inches miles mile units unit mmhg bpm "
        "calories kcal percent % people times dollars euros pounds mg/dl meq gb mb tb kb"
    ),
}
_LISTED_KINDS: dict[str, frozenset[str]] = {
    word: frozenset(kind for kind, words in LISTED.items() if word in words)
    for word in frozenset().union(*LISTED.values())
}
_CLOSED = _set(
    "pronoun possessive determiner preposition conjunction auxiliary negation wh_word "
    "adverb_particle adverb_function interjection modal"
)
_NONE: frozenset[str] = frozenset()
_PEOPLES = _set("nationality religion language region")
_NAMES = _set("first_name surname")
_LANDS = _set("country state region")
_PLACES = _LANDS | {"city"}
_SURE = _set("SURE_FIRST LOW_FIRST")
# Words that a name does not go on with, though they are written with a capital.
_NO_PART = _set(
    "street st. avenue ave road rd boulevard blvd lane drive suite apt hospital clinic university "
    "college school church inc llc ltd corp company department center centre institute foundation "
    "association ministry airport station county city bank hotel park building house award act "
    "state states city university group systems services records review history patient doctor"
)
_ALSO_FIRST = _set("Will May")  # names, though their other use is in a closed class
_JOINTS = ("-", "‐", "–", " ")
_SUFFIX = _set("jr jr. sr sr. ii iii iv esq")
_AMBIGUOUS_MONTHS = _set("may march mar dec sep jan jun")
_AMBIGUOUS_WEEKDAYS = _set("sun sat wed mon thu thur")
# Endings of common nouns that no list holds in full: illnesses, drugs, procedures, doctrines.
_COMMON_END = re.compile(
    r"(itis|osis|emia|pathy|ology|scopy|gram|graphy|tomy|plasty|algia|pril|olol|statin|cillin|"
    r"mycin|azole|idine|amine|tion|sion|ment|ness|ing|ism|ists?|able|ible|ical|ally|less|ship|"
    r"hood|ware|oid|phile|phobia|ated|ized|ised|ization)s?$"
)
_NAME_SHAPE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_INNER_CAPITAL = re.compile(r"(?:Mc|Mac|O['’]|D['’]|De|Di|La|Le|Van|Von|Fitz|St)[A-Z]")
_INITIAL = re.compile(r"(?:[^\W\d_]\.){1,3}|(?![AI])[^\W\d_]")
_PIECE = re.compile(r"[^\W\d_]{3,}")
_DIGIT = re.compile(r"\d")
_DIGIT_KINDS = {
    "DAY": re.compile(r"0?[1-9]|[12]\d|3[01]"),
    "DAY_MONTH": re.compile(r"(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])"),
    "YEAR": re.compile(r"(?:1[89]|20)\d\d"),
    "DECADE": re.compile(r"(?:mid-)?(?:(?:1[5-9]|20)\d0|\d0)['’]?s"),
    "ORDINAL": re.compile(r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)"),
}


@dataclass(frozen=True)
class Lexicon:
    """The public table as the rules see it. rank: word -> row; rows go by frequency."""

    rank: dict[str, int]
    classes: dict[str, frozenset[str]]

    @classmethod
    def from_space(cls, space: Space) -> Lexicon:
        """A space without classes knows no names."""
        masks = space.classes if space.classes is not None else np.zeros(len(space), np.uint64)
        named = {int(mask): _names(int(mask), space.class_names) for mask in np.unique(masks)}
        classes = {w: named[m] for w, m in zip(space.words, masks.tolist(), strict=True)}
        return cls({word: row for row, word in enumerate(space.words)}, classes)

    def of(self, word: str) -> frozenset[str]:
        """The classes of a word, none for one that the table does not hold."""
        return self.classes.get(word, _NONE)

    def plainness(self, word: str) -> float:
        """How much more frequent the lower-case word is than the capitalised one, by ranks: above
        1/2, as for "Grace" and "Will", the capitalised one may just start a sentence."""
        nowhere = 10 * len(self.rank)
        lower = self.rank.get(word.lower(), nowhere)
        return (self.rank.get(word, nowhere) + 1) / (lower + 1)


def _names(mask: int, class_names: Sequence[str]) -> frozenset[str]:
    return frozenset(name for bit, name in enumerate(class_names) if mask >> bit & 1)


@lru_cache(maxsize=1)
def builtin_lexicon() -> Lexicon:
    return Lexicon.from_space(Space.builtin())


@lru_cache(maxsize=1)  # A new word is asked for its kinds one after the other; none is kept.
def kinds(word: str) -> frozenset[str]:
    """The kinds of a word, by the built-in table."""
    return frozenset(judge(word, builtin_lexicon()))


def judge(word: str, lexicon: Lexicon) -> set[str]:
    """The kinds of a word, a subset of KINDS."""
    lower = word.lower()
    found = set(_LISTED_KINDS.get(lower.rstrip("."), _NONE))
    if word[:1].isdigit() or word.startswith("mid-"):
        return found | _judge_digits(lower)
    if _NAME_SHAPE.fullmatch(word.rstrip(".")):
        _judge_calendar(word, lexicon, found)
        _judge_letters(word, lexicon, found)
    elif len(word) > 1:
        _judge_glued(word, lexicon, found)
    if _INITIAL.fullmatch(word) and word[0].isupper() and word != "I.":
        found |= {"INITIAL", "BODY"}
    if "PARTICLE" in found or word in _JOINTS or lower in _SUFFIX:
        found.add("BODY")
    if word == ",":
        found.add("MID")
    return found


def _judge_digits(lower: str) -> set[str]:
    found = {kind for kind, shape in _DIGIT_KINDS.items() if shape.fullmatch(lower)}
    return found | {"CODE"} if len(_DIGIT.findall(lower)) > 2 else found


def _judge_letters(word: str, lexicon: Lexicon, found: set[str]) -> None:
    if word.islower():
        _judge_lower(word, lexicon, found)
    elif word[0].isupper() and len(word) > 1:
        _judge_capitalised(word, lexicon, found)


def _judge_glued(word: str, lexicon: Lexicon, found: set[str]) -> None:
    """Words that a tokenizer left together, as in Anna/Peter or Peter:"Yes, and codes."""
    if len(_DIGIT.findall(word)) > 2:
        found.add("CODE")
    if "@" in word or "www" in word or "//" in word:
        return
    pieces = _PIECE.findall(word)
    if len(pieces) < 9 and any(_SURE & judge(piece, lexicon) for piece in pieces):
        found.add("SURE_FIRST")


def _judge_calendar(word: str, lexicon: Lexicon, found: set[str]) -> None:
    bare, written = word.lower().rstrip("."), word[:1].isupper()
    classes = lexicon.of(bare.capitalize())
    if "month" in classes:
        found.add("MONTH")
        if bare not in _AMBIGUOUS_MONTHS and (written or len(bare) > 3):
            found.add("SURE_MONTH")
    if "weekday" in classes:
        found.add("WEEKDAY")
        if bare not in _AMBIGUOUS_WEEKDAYS:
            found.add("SURE_WEEKDAY")


def _judge_lower(word: str, lexicon: Lexicon, found: set[str]) -> None:
    """Names written small, as in chats: only words that are nothing else in the table."""
    named, lower = lexicon.of(word.capitalize()), lexicon.of(word)
    if not lower & {"determiner", "possessive"}:
        found.add("MID")
    if named & _NAMES and not lower & _CLOSED:
        found.add("LOW_NAME")
    if word in lexicon.rank or len(word) < 3 or found & {"MONTH", "WEEKDAY", "PARTICLE"}:
        return
    if "first_name" in named:
        found.add("LOW_FIRST")
    if "TITLE" not in found and _may_be_name(word):
        found.add("LOW_NEW")


def _judge_capitalised(word: str, lexicon: Lexicon, found: set[str]) -> None:
    title = word.capitalize() if word.isupper() else word.rstrip(".")
    classes, lower = lexicon.of(title), lexicon.of(title.lower())
    if lower & _CLOSED and title not in _ALSO_FIRST:
        return
    _judge_place(word, title, lexicon, found)
    peoples = classes & _PEOPLES and not classes & _NAMES
    if peoples or "nationality" in classes or found & {"SURE_MONTH", "WEEKDAY"}:
        return
    _judge_name(word, title, lexicon, found)


def _judge_place(word: str, title: str, lexicon: Lexicon, found: set[str]) -> None:
    classes = lexicon.of(title)
    if classes & _PLACES:
        found.add("PLACE")
        if not classes & _NAMES and lexicon.plainness(title) < 0.5 and len(title) > 2 and "MONTH" not in found:
            found.add("SURE_PLACE")
    if word.isupper() and lexicon.of(word) & {"state", "country"}:
        found.add("STATE")


def _judge_name(word: str, title: str, lexicon: Lexicon, found: set[str]) -> None:
    classes = lexicon.of(title)
    if title.lower() not in _NO_PART and ("TITLE" not in found or "surname" in classes):
        found |= {"PART", "BODY"}
    if found & {"TITLE", "ROLE"} or (word.isupper() and len(word) < 4):
        return
    sure = lexicon.plainness(title) <= 0.5 and len(title) > 2
    if "first_name" in classes or title in _ALSO_FIRST:
        found |= {"FIRST", "SURE_FIRST"} if sure else {"FIRST"}
    if "surname" in classes:
        found |= {"SURNAME", "SURE_SURNAME"} if sure else {"SURNAME"}
    if _is_new(word, lexicon) and title.lower() not in _NO_PART:
        found.add("NEW")


def _is_new(word: str, lexicon: Lexicon) -> bool:
    """Capitalised, and neither it nor a near form of it is in the table."""
    lower = word.lower()
    forms = {word, lower} | {lower[: -len(e)] for e in ("s", "es", "ed") if lower.endswith(e)}
    return not word.isupper() and _may_be_name(word) and not forms & lexicon.rank.keys()


def _may_be_name(word: str) -> bool:
    inner = any(c.isupper() for c in word[1:])
    if inner and not _INNER_CAPITAL.match(word):
        return False
    return len(word) > 2 and not _COMMON_END.search(word)


@dataclass(frozen=True)
class HasKind:
    """A lexeme flag: whether a word is of a kind. Equal for equal kinds, and small to pickle."""

    kind: str

    def __call__(self, word: str) -> bool:
        return self.kind in kinds(word)


def flag_getters() -> dict[str, Callable[[str], bool]]:
    return {kind: HasKind(kind) for kind in KINDS}
