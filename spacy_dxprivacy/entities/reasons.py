"""Reasons why a prediction of the network is no entity: another use of its words, or a value.

The network reads nine words at a time. What the whole document shows, and what public tables and
the forms of values say, decides here. A reason is a function with `@reason(labels)`: it returns
whether it holds of an entity in its document, and gives an example. Add one here, and a test.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

from spacy.tokens import Doc, Span, Token

from ..arrays import Floats2d
from ..text.mentions import NUMBERS, Entity, is_capitalised, is_word
from . import network
from .capitals import capital_share, is_listed, is_only_first_name, is_placed_as_name, least_odds
from .decoding import odds
from .extent import (
    FIRM_ENDS,
    INSTITUTIONS,
    LEGAL,
    Bounds,
    is_brand,
    is_rather_common,
    is_specialty,
)
from .fractions import is_score
from .heads import CELL_MARKS, head_rows
from .phrases import STREET_WORDS, counts_things
from .tables import (
    DESCRIBING,
    FIRMS,
    FOLLOWING,
    GOODS,
    LANDS,
    LISTED,
    PERSON_WORDS,
    PLACES,
    PRODUCTS,
    expanded,
    pattern,
    words,
)
from .words import (
    ALSO_FIRST,
    builtin_lexicon,
    is_name,
    is_ordinary,
    is_plain,
    is_plural,
    is_setting,
    is_town,
    kinds,
)

MIXED_SHARE = 0.15  # share of unknown words, above which a word in small letters may be a name
# Ratio of the probability of an entity to that of no entity, from which common words are names;
# of a firm, from which common words with a number are.
SURELY = {"PERSON": 6.0, "GPE": 5.0, "ORG": 20.0}
SURELY_BODY = 300.0  # of a firm, from which "Staff Council" is; of a name, from which "Grid 7" is
SURELY_SMALL = 100.0  # the same for a common word in small letters beside a name with a capital
SURELY_HOUSE = 20.0  # the same for a number and a noun in the plural
SURELY_SHORT_FORM = 10.0  # the same for a few capitals: on ZFS, My ORCID
SURELY_KIND = 20.0  # the same for a word before a noun in small letters: Perl jobs
SURELY_PLAIN = 10.0  # as many times surer the network must be of common words with capitals
SURELY_LAST = 2.0  # the same for a common word behind a name: Victoria Sponge
# Odds below which a word only opens its sentence, and how much surer the network is of the next.
MOST_OPENING, SURER_THAN_OPENING = 0.1, 20.0
LEAST_PLACE = 1.0  # odds from which a listed city is one behind what describes a thing
SURELY_TITLE = 30.0  # the same for a word in a heading whose words have capitals
MAX_CLAUSE = 16  # tokens on each side of a word that show whether it stands in a heading
MIN_STREET = 4  # letters of a word in capitals that may be a street, and no unit of a value
MIN_STREET_NUMBER = 3  # digits of a number that is of a house rather than of a list
MIN_POSTAL_CODE = 4  # digits of a number that is an address by itself; rules find shorter ones
MAX_SHORT_FORM = 5  # letters of an abbreviation
MAX_MODEL = 4  # letters of the name of a model in capitals
MIN_SMALL = 3  # letters of a place or firm in small letters
BESIDE = 60  # characters on each side of a fraction that show whether it is a date

_FUNCTION_CLASSES = frozenset(
    "interjection negation determiner pronoun possessive conjunction preposition wh_word "
    "adverb_function auxiliary".split()
)
_ARTICLES, _AFTER_THING = (
    frozenset({"the", "a", "an"}),
    frozenset(". , ; : ! ? ) under in on at to by for from with and or".split()),
)
_NOBLE = frozenset({"Lord", "Lady"})
_BEFORE_OWNERS = _ARTICLES | {"my", "your", "his", "her", "our", "their", "this", "that"}
_ONE = frozenset({"a", "an"})
_BEFORE_SMALL = _ARTICLES | {"this"}
_COUNTS = frozenset("two three four five six seven eight nine ten several both".split())
_MODEL = re.compile(rf" (?:[A-Za-z]{{1,4}}[ -]?)?\d[\w-]*(?! ?(?:{expanded('MONTH')})\b)")
# The code of a model, and no postal code: S7-1500, 4008S. A long one is surely no bed: IC-7300.
_MODEL_CODE = re.compile(
    r" (?:[A-Z]{1,5}-?[A-Z]?\d[A-Z\d]{0,5}(?:-[A-Z\d]{1,5})?|\d{2,4}[A-Z]{1,2})"
    r"(?![\w/]| \d[A-Z]{2}\b)",
    re.A,
)
_LONG_CODE = re.compile(r" (?:[A-Z]+(?:-|\d{3})|\d{3})", re.A)
MIN_MODEL_CODE = 3  # letters and digits of one behind a firm
_BESIDE_DATES = words("BESIDE_DATES") - {"the", "of", "in", "on", "at", "a", "and", "to"}
_NAMED_DAY = re.compile(rf"(?:{expanded('MONTH')}|{expanded('WEEKDAY')})s?", re.I)
_OF_TIME = frozenset(
    "MONTH WEEKDAY DAY ORDINAL YEAR DECADE RELATIVE AMOUNT SEASON IN_TIME DATE_UNIT TIME_UNIT "
    "DAYPART NUM".split()
)
_KEYS = re.compile("|".join([*LISTED["ID_WORD"], expanded("USER"), expanded("KEYS_SHORT")]))
# Abbreviated before the names and the numbers of officers.
RANKS = frozenset("dc pc ds di dci dsu pcso wpc wdc sgt cpl maj lt capt col insp supt".split())
_EXHIBIT = re.compile(r"[A-Z]{1,2}-?\d{1,4}", re.A)
_LINKS = frozenset("of for and the on to in".split())
_PUBLIC_BODIES = frozenset(
    "authority board bureau commission committee constabulary council department directorate "
    "inspectorate ministry ombudsman prosecution registry secretariat treasury".split()
)
_HOUR = re.compile(r"(?:0\d|1[0-4]|2[23])[0-5]\d", re.A)
_CALLING = LISTED["TITLE"] | LISTED["GREETING"] | {"thanks", "cheers", "you"}
_SPEAK = frozenset("speak speaks spoke speaking spoken fluent".split())
_REPEATED = re.compile(r"(.)\1+")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1\1")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_DIGIT = re.compile(r"\d")
_BRAND_CODE = re.compile(
    r" (?=[A-Za-z\d-]{0,8}\d)[A-Z\d][A-Za-z\d]{0,7}(?:-[A-Za-z\d]{1,7}){0,2}(?![\w/])", re.A
)
_BEFORE_SERVICES = frozenset("on over via through using in into".split())
_GIVE = frozenset("gave give gives giving".split())
_PAY = frozenset("pay paid pays paying payment payments".split())
_OF_FIRMS = frozenset(  # what only a firm has
    "staff employee worker executive manager dealer dealership share plant factory office boss "
    "job headquarters representative engineer technician lawyer branch store shop depot "
    "warehouse".split()
)
_HALLS = frozenset(
    "canteen centre center gym hall hut kitchen library office pavilion room".split()
)
_CELL_MARKS = frozenset(CELL_MARKS)
_BEFORE_NATIONS = frozenset("is was are were be been am being 's ’s not half part very".split())
_VERBS = frozenset("sat wed sun march may".split())  # and days and months
_BEFORE_TIMES = frozenset(
    "in on of by till until since from to this last next every each early mid late during before "
    "after for and or & - – / , ( : through".split()
)
_STAGES = frozenset("stage grade class type score level".split())
_ENDS = frozenset({"'s", "’s"})
_BEFORE_SENTENCES = frozenset('. ? ! : ; " “ ( -'.split())
_CLAUSE_ENDS = frozenset(". ! ? : ; |".split())
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)  # code in Markdown
_PATH = re.compile(r"\w+=[\"']?(?:[$/~]|[A-Z]:\\)|[A-Za-z]:\\|\\\\\w|~?/\w+/")
_VERSION = re.compile(r"v?\d{1,3}(?:\.\d{1,4}){1,3}")
_STRENGTH = re.compile(  # 100/6: no day and month
    r"(?=[\d.,/]*(?:3[2-9]|[4-9]\d|\d{3}))\d{1,4}(?:[.,]\d)?(?:/\d{1,4}(?:[.,]\d)?){1,2}|"
    r"\d{1,4}(?:[.,]\d{1,2})?(?:mg|mcg|ml)"
)
_WEIGHTS = frozenset("g kg mg ml cl dl l oz lb lbs tsp tbsp tsps tbsps cup cups".split())
_PARTS = "½⅓⅔¼¾⅛"
_STORMS = frozenset("storm hurricane typhoon cyclone".split())
_VERSES = re.compile(r" \d{1,3}:(?!(?:00|15|30|45)\b)\d{1,3}[-–]\d{1,3}(?![:.\d])", re.A)
_UNITS = frozenset("mg mcg µg ml micrograms milligrams".split())
_MIXED_UNIT = re.compile(r"[a-zµ]{1,2}[A-Z][A-Za-z]?")  # dBm, kWh
_SIGN = expanded("SIGN")
_PRICE = re.compile(rf"[{_SIGN}] ?\d[\d.,]*[kKmM]?/\Z")
_ENDS_WITH_SIGN = re.compile(rf"[{_SIGN}]\Z")
_MEASURE = re.compile(r"\d{1,6} ?(?:[a-z]{0,2}[A-Z]{1,2}|([A-Za-z]{1,5}))")  # 132 kV, 200 Mbps
_COUNTED = re.compile(r"\d{1,3} (?:the|of the) [A-Z]")  # by 5 to 2 the Court dismissed it
_BETWEEN_VALUES = re.compile(r"\d{1,4} [a-z]{2,5} \d{1,4}")  # 165 over 95
_FRACTIONS = re.compile(
    r"(?:[^\W\d_]{2,9}-?\d\d?\s)?[^\d/]*\d\d?/\d\d?(?:[^\d/]+\d\d?/\d\d?)*[^\d/]*", re.ASCII
)
# No date: the end of a range of values, and an ordinal of no day of a month.
_VALUE = re.compile(
    r"(?:(?:from|to|of|in|at|by|the)\s)+\d{1,3}|(?:from\s)?\d{1,3}\sto\s\d{1,3}|"
    r"(?:(?:from|to|of|in|at|by|the)\s)*(?:3[2-9]|[4-9]\d|\d{3,})(?:st|nd|rd|th)|"
    # a version, the strength of a drug, a saturation, a server
    r"\d{1,3}\.\d{1,4}\.(?:\d|\d{3})|\d{3}/\d{1,2}|(?:1[3-9]|[2-9]\d|\d{3})/\d{3,4}|"
    r"sat\s(?:3[2-9]|[4-9]\d|100)|[a-z]{2,}-\d{1,4}|"
    # a seat, a rate, a score, and a range of sizes or seats
    r"\d{1,3}[a-eg-ln-z]|[a-z]{2,5}\s\d{1,3}\.\d{1,2}|"
    r"(?:1[3-9]|[2-9]\d)\s?[-–]\s?(?:1[3-9]|[2-9]\d)|"
    # an item of an agenda: 6. A.O.B.
    r"\d{1,2}\. (?:[a-z]\.){2,4}|"
    # a fraction that ends a sentence, and the number that begins the next
    r"\d\d?/\d\d?\.\s\d{1,3}|"
    # a share, and a number with a fraction
    rf"[^%]{{0,12}}%[^%]{{0,6}}|\d{{0,3}}[{_PARTS}]",
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
# Sat 9-5: hours, whose day the rules find
_HOURS = re.compile(rf"(?:{expanded('WEEKDAY')}[,.]?[\s–-]+)+\d{{1,2}}\s?[-–]\s?\d{{1,2}}", re.I)
_LETTERS = re.compile(r"[^\W\d_]+")
_OF_DATE = re.compile(
    rf"{expanded('MONTH')}|{expanded('WEEKDAY')}s?|{expanded('ORDINAL_END')}|s|t|z|q|w|h|y|yo|yrs?|mid|of",
    re.I,
)
_BELOW_90 = re.compile(r"[1-8]?\d", re.A)


@dataclass(frozen=True)
class Context:
    """A document, of which a reason reads what it needs.

    bounds: Its words and text. shares: Tag probabilities of the network, shape (tokens, tags).
    ruled, guessed: Tokens of the persons and places that a rule, or a guess, found. unknown: Share
    of the lower-case words that are in no public table.
    """

    bounds: Bounds
    shares: Floats2d
    ruled: AbstractSet[int] = field(default_factory=frozenset)
    guessed: AbstractSet[int] = field(default_factory=frozenset)
    unknown: float = 0.0

    @property
    def doc(self) -> Doc:
        """The document."""
        return self.bounds.doc

    def text(self, start: int, end: int | None = None) -> str:
        """Return the text of tokens, or of one; "" outside of the document."""
        if end is None or end == start + 1:
            return self.bounds.texts[start] if 0 <= start < len(self.bounds.texts) else ""
        return self.bounds.between(start, end)

    @property
    def whole(self) -> str:
        """The text of the document."""
        return self.bounds.text

    @cached_property
    def is_capitalised(self) -> bool:
        """Whether the document writes its names with capitals."""
        return self.unknown <= MIXED_SHARE and is_capitalised(self.whole)

    @cached_property
    def capitalises_names(self) -> bool:
        """Whether the document writes at least two given names with a capital, and none without,
        as many chats do whose sentences begin with small letters."""
        given = {w for w in self.counts if w.isalpha() and "SURE_FIRST" in kinds(w.capitalize())}
        small = any(word.islower() and not is_word(word) for word in given)
        return not small and sum(map(str.istitle, given)) > 1

    @cached_property
    def small(self) -> AbstractSet[str]:
        """The words in small letters, if names have capitals."""
        small = (text for text in self.bounds.texts if text.islower() and text.isalpha())
        return frozenset(small if self.is_capitalised else ())

    @cached_property
    def least_odds(self) -> float:
        """The odds from which the network alone makes a word with a capital a name."""
        return least_odds(capital_share(self.bounds.texts, self.counts))

    @cached_property
    def counts(self) -> Counter[str]:
        """How often the document has each word, with its capitals."""
        return Counter(self.bounds.texts)

    @cached_property
    def _fences(self) -> list[tuple[int, int]]:
        return [match.span() for match in _FENCE.finditer(self.whole)]

    def is_in_code(self, i: int) -> bool:
        """Return whether a token is in a block of code."""
        return self._is_within(i, self._fences)

    @cached_property
    def _heads(self) -> list[tuple[int, int]]:
        return [*head_rows(self.whole)]

    def is_in_head(self, i: int) -> bool:
        """Return whether a token is in the row of heads of a table."""
        return self._is_within(i, self._heads)

    def _is_within(self, i: int, ranges: list[tuple[int, int]]) -> bool:
        """Return whether a token is in one of some ranges of characters."""
        return any(first <= self.doc[i].idx < last for first, last in ranges)

    def is_ruled(self, entity: Entity) -> bool:
        """Return whether a rule found a part of an entity."""
        return not self.ruled.isdisjoint(range(entity.start, entity.end))

    def is_certain(self, label: str, i: int) -> bool:
        """Return whether the network takes a word for a name even if it is common."""
        return odds(self.shares, label, i) > SURELY[label]


def without_small_ends(context: Context, entity: Entity) -> Entity:
    """Return a name with capitals without common words in small letters at its ends, as in "the
    Dublin region" and "Nyloc nut", unless the network is certain of them; and without a
    common word with a capital behind a legal form (Tarn Ltd Respondent), or one that only opens its
    sentence (Haha Joan)."""
    label, start, end = entity
    if label not in SURELY or not any(t[0].isupper() for t in context.bounds.texts[start:end]):
        return entity
    doc = context.doc

    def is_beside(i: int) -> bool:
        token = doc[i]
        if token.is_title:
            return i > start and doc[i - 1].text.rstrip(".") in LEGAL and _is_common(doc, i)
        if not (token.is_lower and token.is_alpha):
            return False
        is_word_of_text = token.is_stop or _is_common(doc, i) or token.lower_ in LISTED["TITLE"]
        is_word_of_text |= is_plain(token.text)
        return is_word_of_text and odds(context.shares, label, i) <= SURELY_SMALL

    while doc[start].whitespace_ and (is_beside(start) or doc[start].text == "the"):
        start += 1
    start += end - start > 1 and _only_opens(context, label, start)
    while doc[end - 2].whitespace_ and is_beside(end - 1):
        end -= 1
    return Entity(label, start, end)


def _only_opens(context: Context, label: str, i: int) -> bool:
    """Return whether a word that is in no list of names has the capital of its sentence, before a
    word with one of which the network is far surer."""
    before, text, after = context.text(i - 1), context.text(i), context.text(i + 1)
    if not (text.istitle() and after[:1].isupper() and context.doc[i].whitespace_):
        return False
    if (before and not before.isspace() and before not in _BEFORE_SENTENCES) or is_name(text):
        return False
    own = odds(context.shares, label, i)
    return own < MOST_OPENING and own * SURER_THAN_OPENING < odds(context.shares, label, i + 1)


def relabel(context: Context, entity: Entity) -> Entity:
    """Return a firm as a person if it is a given name that a rule found, or the name of a person
    before a common noun in small letters (said that Bella limps, the Singh brothers), and a date of
    four digits as a time if they are no year: 0930."""
    label, start, end = entity
    if label == "DATE" and end - start == 1 and _HOUR.fullmatch(context.text(start)):
        return Entity("TIME", start, end)
    if label != "ORG" or start not in context.ruled | context.guessed:
        return entity
    is_behind = end - start == 2 and context.doc[start].is_title and context.doc[start].whitespace_
    last = context.text(end - 1)
    if is_behind and last.islower() and "noun" in builtin_lexicon().of(last):
        return Entity("PERSON", start, end - 1)
    is_given = end - start == 1 and "SURE_FIRST" in kinds(context.text(start))
    is_firm = _is_brand(context.text(start).lower()) or _is_beside_firm(context, start, end)
    return Entity("PERSON", start, end) if is_given and not is_firm else entity


Reason = Callable[[Context, Entity], bool]
# Label -> reasons: for entities of one word, and for all. They are asked in this order.
OF_WORD: dict[str, list[Reason]] = {label: [] for label in network.LABELS}
OF_ALL: dict[str, list[Reason]] = {label: [] for label in network.LABELS}


def reason(*labels: str, of_word: bool = False) -> Callable[[Reason], Reason]:
    """Register a reason for entities of these labels; with `of_word`, only of one word."""

    def register(function: Reason) -> Reason:
        for label in labels:
            (OF_WORD if of_word else OF_ALL)[label].append(function)
        return function

    return register


def is_entity(context: Context, entity: Entity) -> bool:
    """Return whether no reason holds against an entity."""
    label, start, end = entity
    reasons = OF_ALL[label] if end - start > 1 else OF_ALL[label] + OF_WORD[label]
    for holds in reasons:  # a generator takes half as long again
        if holds(context, entity):
            return False
    return True


# -- any label -------------------------------------------------------------------------------------


@reason(*network.LABELS)
def is_function_words(context: Context, entity: Entity) -> bool:
    """Return whether an entity is of marks or of words as "as of"."""
    _, start, end = entity
    texts = context.bounds.texts[start:end]
    if all(map(str.islower, texts)) and all(t.is_stop for t in context.doc[start:end]):
        return True
    return not any(map(str.isalnum, "".join(texts)))


@reason(*network.LABELS)
def is_path(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a path or a setting with one: C:\\notes, PWD=/srv."""
    return _PATH.match(context.text(entity.start, entity.end)) is not None


@reason(*network.LABELS)
def is_measure(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a value and its unit (180ms, 132 kV, RM70,080), or a date ends
    with one."""
    text = context.text(entity.start, entity.end)
    lower = text.lower().rpartition(" ")[2] if entity.label == "DATE" else text.lower()
    if pattern("JOINED").fullmatch(lower.replace(" ", "", 1)) or pattern("LETTERED").fullmatch(
        lower
    ):
        return True
    measure = _MEASURE.fullmatch(text) if entity.label == "ADDRESS" else None
    if measure is None:
        return False
    return measure[1] is None or measure[1].lower() in FOLLOWING["UNIT"]


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


@reason(*network.LABELS)
def is_head(context: Context, entity: Entity) -> bool:
    """Return whether an entity is in the row of heads of a table: Patient | Hosp No | Freq."""
    return context.is_in_head(entity.start)


# -- names: words that the document or English uses otherwise --------------------------------------


@reason("PERSON", "GPE", "ORG", "DATE")
def is_code(context: Context, entity: Entity) -> bool:
    """Return whether a place or a firm has the sign of an account (@nightowl), or whether an entity
    is the name of a setting or a role of common words (max.size, Guest_family), a version that a
    program requires (sync==2.6.1), or an option of a command (-H)."""
    text = context.text(entity.start, entity.end)
    if (
        "==" in text
        or text.startswith("-")
        or (entity.label == "DATE" and "_" in text and not _DIGIT.search(text))
    ):
        return True
    if "_" in text:
        pieces = text.lower().split("_")
        return all(is_word(piece) and not is_name(piece) for piece in pieces if piece.isalpha())
    return (entity.label != "PERSON" and "@" in text) or is_setting(text)


@reason("PERSON", "GPE", "ORG")
def is_spelled(context: Context, entity: Entity) -> bool:
    """Return whether an entity is of letters with blanks, as of a word that is spelled: E M G."""
    texts = context.bounds.texts[entity.start : entity.end]
    is_letter = all(len(text) == 1 and text.isalpha() for text in texts)
    return len(texts) > 1 and is_letter and not context.is_ruled(entity)


@reason("PERSON", "GPE", "ORG")
def is_drawn_out(context: Context, entity: Entity) -> bool:
    """Return whether an entity begins with a common word that is drawn out, as it is said (Nooo
    hun), rather than with a name: Maaaria."""
    text = context.text(entity.start)
    if _DRAWN_OUT.search(text) is None:
        return False
    lower = _REPEATED.sub(r"\1", text.lower())
    return is_word(lower) and not is_name(lower)


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_function_word(context: Context, entity: Entity) -> bool:
    """Return whether a word is an interjection or a function word, as "Nope." and "Ever" are. In
    capitals it may be an abbreviation of a place or a firm: US, WHO."""
    text, before = context.text(entity.start), context.text(entity.start - 1).lower().rstrip(".")
    if before in LISTED["TITLE"] or (entity.label != "PERSON" and text.isupper()):
        return False
    return not context.is_ruled(entity) and not _FUNCTION_CLASSES.isdisjoint(
        builtin_lexicon().of(text.lower())
    )


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_role(context: Context, entity: Entity) -> bool:
    """Return whether a word is a title, an office or a kin term alone (Doctor, Auntie), for which
    no rule speaks, and the network only if it is also a name; or a title before a name that is a
    town, too (Kak Norliza)."""
    text, after = context.text(entity.start), context.text(entity.end)
    if after == ".":
        after = context.text(entity.end + 1)
    if entity.label == "GPE" and text.lower() in LISTED["TITLE"] and after.istitle():
        return True
    if text.isupper() and text.lower() in RANKS and (after.isdigit() or is_name(after)):
        return True  # DC 1427 Holroyd
    if text.lower() not in PERSON_WORDS or context.is_ruled(entity):
        return False
    return not (is_name(text) and context.is_certain(entity.label, entity.start))


@reason("GPE", "ORG", of_word=True)
def is_county(context: Context, entity: Entity) -> bool:
    """Return whether a word only says that a county follows: Co. Clare."""
    text = context.text(entity.start)
    after = entity.end + (context.text(entity.end) == ".")
    return text.rstrip(".") == "Co" and context.text(after).istitle()


@reason("ORG", "GPE")
def is_common_room(context: Context, entity: Entity) -> bool:
    """Return whether an article and common words name a room or a house that each place has: in the
    Parish Hall. A part of a name before it, or a rare word, makes it one of a kind."""
    _, start, end = entity
    if context.bounds.lowers[end - 1] not in _HALLS or end - start > 3:
        return False
    is_described = end - start > 1 and context.text(start - 1) in ("the", "our", "a", ":")
    return is_described and are_common(context.doc[start:end], "ORG")


@reason("PERSON", "GPE", of_word=True)
def is_nationality(context: Context, entity: Entity) -> bool:
    """Return whether a word says what somebody or something is (he was Irish, an English firm), or
    what someone speaks (Tamil and Malay), and no rule takes it for a name."""
    text, before = context.text(entity.start), context.text(entity.start - 1).lower()
    if "language" in builtin_lexicon().of(text) and (
        before in _SPEAK or _is_spoken(context, entity)
    ):
        return not context.is_ruled(entity)
    if not (before in _BEFORE_NATIONS or before in _ARTICLES):
        return False
    if text.lower() in words("NATIONALITIES", "terms"):
        return True
    if context.is_ruled(entity) or entity.start in context.guessed:
        return False
    return "nationality" in builtin_lexicon().of(text)


def _is_spoken(context: Context, entity: Entity) -> bool:
    """Return whether a language stands beside another: speaks Tamil and Malay."""
    before = context.text(entity.start - 1).lower()
    other = context.text(entity.start - 2)
    return before in (",", "and", "or", "/") and "language" in builtin_lexicon().of(other)


@reason("GPE", of_word=True)
def is_pronoun_in_capitals(context: Context, entity: Entity) -> bool:
    """Return whether a verb or "about" in capitals stands before US, as in a heading: VISIT US."""
    before = context.text(entity.start - 1)
    if context.text(entity.start) != "US" or not (before.isupper() and len(before) > 1):
        return False
    return before == "ABOUT" or "verb" in builtin_lexicon().of(before.lower())


@reason("PERSON", "GPE", "ORG")
def is_small(context: Context, entity: Entity) -> bool:
    """Return whether an entity is in small letters where names have capitals, or in code."""
    texts = context.bounds.texts[entity.start : entity.end]
    if not all(text.islower() and text.isalpha() for text in texts):
        return False
    if context.is_capitalised or context.is_in_code(entity.start):
        return True
    before = context.text(entity.start - 1).lower()
    if not before.isalpha() or _KEYS.fullmatch(before):
        return False  # a user name may open a line, or stand behind a mark
    forms = {form.capitalize() for text in texts for form in (text, text.removesuffix("s"))}
    return context.capitalises_names and not any(map(is_name, forms))


@reason("ORG")
def is_small_phrase(context: Context, entity: Entity) -> bool:
    """Return whether words in small letters begin with a common one or have a stop word, in a text
    that has capitals."""
    tokens = context.doc[entity.start : entity.end]
    if len(tokens) < 2 or not tokens.text.islower() or context.whole.islower():
        return False
    return is_word(tokens[0].text) or any(token.is_stop for token in tokens)


@reason("GPE", "ORG")
def is_abbreviation(context: Context, entity: Entity) -> bool:
    """Return whether a place or a firm is one letter or two small ones, or an abbreviation before
    its value (PSA 4) or its stage (IRIS stage 2), or one that begins with a small letter as such do
    (eGFR), also with its value."""
    _, start, end = entity
    if end - start > 2 or (end - start == 2 and not context.text(end - 1).isdigit()):
        return False
    text, after = context.text(start), context.text(start + 1)
    if after in _STAGES or after == ":":
        after = context.text(start + 2)
    if len(text) == 1 or text.islower():
        return len(text.replace(".", "")) < MIN_SMALL
    if not text.isalpha() or text[1:].islower():
        return False
    if text[0].islower():
        return True
    if end - start > 1:
        return False
    is_before_value = after[:1].isdigit() or (_DIGIT.search(after) and not _is_land(text))
    return text.isupper() and len(text) < 5 and bool(is_before_value)


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_before_code(context: Context, entity: Entity) -> bool:
    """Return whether a short word with a full stop stands before a code: Ext. C1."""
    i = entity.start
    is_short = len(context.text(i)) <= MIN_SMALL and context.text(i + 1) == "."
    return is_short and _EXHIBIT.fullmatch(context.text(i + 2)) is not None


@reason("ORG", "GPE", of_word=True)
def is_short_form(context: Context, entity: Entity) -> bool:
    """Return whether a firm or a place is a few capitals, in no list and beside words not in
    capitals, of which the network is not sure: My ORCID is on file. In a field it may be a team or
    a country."""
    i = entity.start
    text, before, after = context.text(i), context.text(i - 1), context.text(i + 1)
    if not (text.isupper() and text.isalpha() and len(text) <= MAX_SHORT_FORM):
        return False
    if context.whole.isupper():
        return False
    if text.lower() in FIRMS or context.is_ruled(entity) or i in context.guessed:
        return False
    if _is_land(text) or is_town(text.capitalize()):
        return False
    if any(word.isupper() and len(word) > 1 for word in (before, after)):
        return False
    is_field = not _CELL_MARKS.isdisjoint((before[-1:], after[:1]))
    return not is_field and odds(context.shares, entity.label, i) <= SURELY_SHORT_FORM


@reason("GPE", of_word=True)
def is_unplaced(context: Context, entity: Entity) -> bool:
    """Return whether a word that is a city, too, stands behind an article or a word that describes
    a thing (the Kenwood, Beef Wellington), and is no place to the network; or alone behind "a"."""
    i = entity.start
    if not context.is_ruled(entity) or is_name(context.text(i)):
        return False
    before = context.text(i - 1).lower()
    if before in _ONE and context.text(i + 1) in _AFTER_THING:
        return True
    if odds(context.shares, "GPE", i) >= LEAST_PLACE or context.counts[context.text(i)] > 1:
        return False
    return before in _ARTICLES or (context.text(i - 1).istitle() and _is_common(context.doc, i - 1))


@reason("PERSON", "GPE", "ORG")
def is_make(context: Context, entity: Entity) -> bool:
    """Return whether the number or the code of a model stands behind a name that is counted or
    has an article: a Kenwood 355, two Lind KM 184."""
    _, start, end = entity
    before = context.text(start - 1)
    if not (before.lower() in _ONE or before.isdigit() or before in _COUNTS):
        return False
    end -= end - start > 1 and any(map(str.isdigit, context.text(end - 1)))
    last = context.doc[end - 1]
    return _MODEL.match(context.whole, last.idx + len(last)) is not None


@reason("PERSON", "GPE")
def ends_with_goods(context: Context, entity: Entity) -> bool:
    """Return whether an entity ends with the name of goods, and of nobody, behind that of a town
    or a person: a Worcester Greenstar."""
    text = context.text(entity.end - 1)
    if entity.end - entity.start < 2 or not text.istitle() or text.lower() not in GOODS:
        return False
    return not (is_name(text) or is_word(text.lower()))


@reason("PERSON", "GPE", "ORG", "ADDRESS")
def is_brand_of_thing(context: Context, entity: Entity) -> bool:
    """Return whether an entity is of brands, and the words beside it make it goods: a model (Sony
    ICD-PX470), the noun for these (the Bosch dishwasher), an owner or an article (my Huawei),
    or what stands before a service (posts on LinkedIn, paid with GCash). An employer has none of
    them; somebody or a place with the name of a brand may have the last two.
    """
    label, start, end = entity
    while end - start > 1 and context.doc[start].is_title and _is_common(context.doc, start):
        start += 1  # Scanner Honeywell CT40
    texts = context.bounds.texts[start:end]
    is_only_brand = not (is_name(texts[0]) or is_town(texts[0]))
    is_owned = _has_owner(context, start)
    if not _is_brand(texts[0].lower()) or _is_beside_firm(context, start, end):
        return False
    if not all(text.isdigit() or _is_brand(text.lower()) for text in texts):
        is_model = any(map(_INNER_CAPITAL.search, texts[1:]))
        if not (is_only_brand or is_model) or (label == "ORG" and texts[-1] in FIRM_ENDS):
            return False
        if any(map(is_name, texts[1:])) or any(map(_is_land, texts[1:])):
            return False
        return is_owned or any(map(_is_model, texts[1:]))
    last = context.doc[end - 1]
    code = _BRAND_CODE.match(context.whole, last.idx + len(last))
    after = context.text(end)
    if after[:1].isupper() and after.lower() in GOODS:
        return True
    if len(texts) > 1 and (last.text.isdigit() or any(text.lower() in GOODS for text in texts)):
        return True
    if _is_noun_of_thing(context, end, is_owned):
        return True
    if code and (is_only_brand or is_owned or not code[0].strip().isdigit()):
        return context.doc[end].ent_type_ in ("", *NUMBERS)
    before = context.text(start - 1).lower()
    before_it = context.text(start - 2).lower()
    is_good = texts[0].lower() in GOODS
    is_used = before in _BEFORE_SERVICES or (before == "with" and before_it in _PAY)
    is_used |= before == "by" and not before_it.endswith("ed")
    is_used = (is_used and is_good) or (is_owned and not after[:1].isupper())
    return is_used and (is_only_brand or before in _ONE or (is_good and before in _ARTICLES))


def _is_noun_of_thing(context: Context, i: int, is_owned: bool) -> bool:
    """Return whether a noun in small letters stands at a token, which no verb can be: behind an
    owner (their Philips monitor), or before the end of a clause (Oracle licences, and)."""
    word, after = context.text(i), context.text(i + 1)
    classes = builtin_lexicon().of(word) if word.islower() else frozenset[str]()
    closes = "plural" in classes and (after in _AFTER_THING or not after)
    if is_owned and word.isalpha() and not (classes or is_word(word)):
        return word.islower()  # a Honda rotavator
    return "noun" in classes and (is_owned or closes or classes <= {"noun", "plural"})


def _is_model(text: str) -> bool:
    """Return whether a word looks like a model, or is a listed one: NPR, 850i, Corolla."""
    is_short = text.isupper() and text.isalpha() and len(text) <= MAX_MODEL
    is_short |= _INNER_CAPITAL.search(text) is not None
    return is_short or _DIGIT.search(text) is not None or text.lower() in GOODS


def _is_land(text: str) -> bool:
    return not LANDS.isdisjoint(builtin_lexicon().of(text))


def _is_brand(lower: str) -> bool:
    return is_brand(lower) or lower in FIRMS


def _is_beside_firm(context: Context, start: int, end: int) -> bool:
    """Return whether the words beside a name make it a firm: employed by Toyota, Toyota staff."""
    first, last = context.doc[start].idx, context.doc[end - 1].idx + len(context.doc[end - 1])
    if context.text(end).removesuffix("s") in _OF_FIRMS:
        return True
    if pattern("AFTER_FIRM").match(context.whole, last):
        return True
    beside = context.whole[max(first - BESIDE, 0) : first]
    return pattern("BEFORE_FIRM").search(beside) is not None


def _has_owner(context: Context, start: int) -> bool:
    """Return whether an article, an owner or a count stands before a word, or before its
    adjective: our old Miele."""
    before = context.text(start - 1).lower()
    owners = _BEFORE_OWNERS | _COUNTS
    if "adjective" in builtin_lexicon().of(before) and before not in owners:
        before = context.text(start - 2).lower()
    return before in owners or before.isdigit()


@reason("PERSON", "GPE", "ORG")
def has_model(context: Context, entity: Entity) -> bool:
    """Return whether the code of a model, which no rule takes for the number of someone, stands
    behind a firm or an unlisted word within a sentence, or ends the entity: the Icom IC-7300,
    Siemens S7-1500. A short one (M9) may be a bed or a part of a town, but for an article."""
    label, start, end = entity
    text, before = context.text(start), context.text(start - 1)
    if end - start > 2 or (end - start == 2 and not _DIGIT.search(context.text(start + 1))):
        return False
    if not before.strip() or before in _CELL_MARKS or before.lower().rstrip(".") in PERSON_WORDS:
        return False
    is_listed = is_name(text) or context.is_ruled(entity) or is_town(text)
    if label != "ORG" and is_listed and not is_brand(text.lower()):
        return False
    if label != "ORG" and odds(context.shares, label, start) > SURELY_KIND:
        return False
    last = context.doc[start]
    code = _MODEL_CODE.match(context.whole, last.idx + len(last))
    if code is None or (end - start == 1 and context.doc[end].ent_type_):
        return False
    if label != "GPE" and (before == "(" or before.lower() in _BEFORE_OWNERS):
        return True
    is_of_firm = label == "ORG" and len(code[0]) > MIN_MODEL_CODE
    return is_of_firm or _LONG_CODE.match(code[0]) is not None


@reason("PERSON", of_word=True)
def is_before_noun(context: Context, entity: Entity) -> bool:
    """Return whether a noun in small letters stands behind a word without an article, which then
    tells the kind of a thing (by Pritchard regimen, Perl jobs), unless the network is sure."""
    i = entity.start
    text, before, after = context.text(i), context.text(i - 1).lower(), context.text(i + 1)
    if not (text.istitle() and after.islower() and after.isalpha() and context.is_capitalised):
        return False
    if before in _BEFORE_OWNERS or before.rstrip(".") in PERSON_WORDS or after in PERSON_WORDS:
        return False
    is_noun = {"noun", "plural"}.issuperset(classes := builtin_lexicon().of(after)) and classes
    return bool(is_noun) and odds(context.shares, "PERSON", i) <= SURELY_KIND


@reason("PERSON", "ORG", of_word=True)
def has_value(context: Context, entity: Entity) -> bool:
    """Return whether the strength of a drug follows (Fostair 100/6, Zorvam 5 mg), also in the next
    cell of a table, or a version follows a firm: Ubuntu 24.04."""
    after, unit = context.text(entity.end), context.text(entity.end + 1).lower()
    is_given = context.text(entity.start - 1).lower() in _GIVE
    if is_given and "first_name" in builtin_lexicon().of(context.text(entity.start)):
        return False  # Gave Arlo 5 ml
    is_listed = context.is_ruled(entity) or is_name(context.text(entity.start))
    if after and after in CELL_MARKS and not is_listed:  # | Oramorph | 5 mg |
        after, unit = unit, context.text(entity.end + 2).lower()
        return after[:1].isdigit() and unit in _UNITS | {"g", "units"}
    if entity.label == "ORG" and _VERSION.fullmatch(after):
        return True
    return _STRENGTH.fullmatch(after) is not None or (after[:1].isdigit() and unit in _UNITS)


@reason("PERSON", "GPE", "ORG")
def is_numbered(context: Context, entity: Entity) -> bool:
    """Return whether a name ends with a version (Python 3.12), or is an abbreviation or a common
    word with a value (BBD 55, Speed 1), of which neither a rule nor the network is certain."""
    label, start, end = entity
    first, last = context.text(start), context.text(end - 1)
    if end - start < 2 or not last[0].isdigit() or context.is_ruled(entity):
        return False
    if end - start == 2 and last.isdigit():
        is_short = first.isupper() and len(first) < 5
        is_of_value = is_short or (is_word(first.lower()) and not is_name(first))
    else:
        is_of_value = _VERSION.fullmatch(last) is not None
    return is_of_value and odds(context.shares, label, start) <= SURELY_BODY


@reason("PERSON", "GPE", of_word=True)
def is_weighed(context: Context, entity: Entity) -> bool:
    """Return whether an amount of it stands before a word, and no verb behind: 1 tsp Caraway."""
    i, after = entity.start, context.text(entity.end)
    amount, unit = context.text(i - 2), context.text(i - 1).lower().rstrip(".")
    if unit not in _WEIGHTS or not (amount[-1:].isdigit() or (amount and amount[-1] in _PARTS)):
        return False
    return not after or after in ("and", "or") or not after[0].isalnum()


@reason("PERSON", "GPE", "ORG")
def is_storm(context: Context, entity: Entity) -> bool:
    """Return whether a storm has the name: Hurricane Maria, after Storm Aiden."""
    first = entity.start if entity.end - entity.start > 1 else entity.start - 1
    word = context.text(first)
    return word.istitle() and word.lower() in _STORMS


@reason("PERSON", "ORG", of_word=True)
def is_acronym(context: Context, entity: Entity) -> bool:
    """Return whether an article and capitals make a first name an acronym: the ELISA drifts."""
    text, after = context.text(entity.start), context.text(entity.end)
    if not (len(text) > 2 and text.isupper() and after.islower() and after.isalpha()):
        return False
    classes = builtin_lexicon().of(text.capitalize())
    is_given = entity.label == "PERSON" or "first_name" in classes
    is_described = context.text(entity.start - 1).lower() in _ARTICLES
    return is_described and is_given and "surname" not in classes


@reason("PERSON", of_word=True)
def is_book(context: Context, entity: Entity) -> bool:
    """Return whether verses, which are no times of day, follow the name of a book: Mark 1:7-11."""
    if not context.text(entity.end)[:1].isdigit():
        return False
    last = context.doc[entity.end - 1]
    return _VERSES.match(context.whole, last.idx + len(last)) is not None


@reason("PERSON", "GPE", of_word=True)
def is_of_spelling(context: Context, entity: Entity) -> bool:
    """Return whether a word stands for its first letter, as one that is spelled: C for Charlie."""
    i, text = entity.start, context.text(entity.start)
    return context.text(i - 1).lower() in ("for", "as") and (
        context.text(i - 2).upper() == text[0].upper()
    )


@reason("PERSON", of_word=True)
def is_among_drugs(context: Context, entity: Entity) -> bool:
    """Return whether a word stands in a list between two drugs."""
    i = entity.start
    if context.text(i - 1) != "," or context.text(i + 1) not in (",", "and"):
        return False
    beside = (context.text(i - 2).lower(), context.text(i + 2).lower())
    is_drug = pattern("MEDICAL_END").fullmatch
    return all(word in PRODUCTS or is_drug(word) is not None for word in beside)


@reason("GPE", of_word=True)
def is_of_nature(context: Context, entity: Entity) -> bool:
    """Return whether an article and a capital make a common noun of a place: to the Lake if."""
    i = entity.start
    if context.text(i - 1) != "the" or not _is_noun(context.text(i)):
        return False
    return not context.text(i + 1)[:1].isupper() and not is_town(context.text(i))


@reason("PERSON", of_word=True)
def has_article(context: Context, entity: Entity) -> bool:
    """Return whether an article makes a name that of a thing: "the Elgar." A noun behind it (the
    Lind file), a plural (the Linds), or a verb behind a listed name that is no noun of English
    leave it one of persons: the Dean agreed, the Lord Lieutenant came."""
    text, before = context.text(entity.start), context.text(entity.start - 1)
    after = context.text(entity.end)
    if text.islower() and before.lower() in _BEFORE_SMALL:
        return True  # this ute
    if before in _NOBLE and _is_noun(text):
        return context.text(entity.start - 2).lower() == "the" and not after[:1].isupper()
    if before.lower() not in _ARTICLES or text.endswith("s"):
        return False
    if not after or after in _AFTER_THING:
        return before.islower()
    is_listed = is_name(text) or context.is_ruled(entity)
    if (is_listed and not _is_noun(text)) or not (after.islower() and is_word(after)):
        return False
    classes = builtin_lexicon().of(after)
    return bool(classes) and "noun" not in classes


def _is_noun(text: str) -> bool:
    return text.istitle() and "noun" in builtin_lexicon().of(text.lower())


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_opening(context: Context, entity: Entity) -> bool:
    """Return whether a common word begins a sentence and a mark follows ("Splendid."), or is in
    capitals there; not one that is alone on its line, as a signature is."""
    doc, i = context.doc, entity.start
    before, after = doc[i - 1 : i], doc[i + 1 : i + 2]
    opens = not before or before[0].is_space or before.text in _BEFORE_SENTENCES
    closes = not after or after[0].is_punct or doc[i].is_upper
    if not (opens and closes and _is_common(doc, i)):
        return False
    fills_line = (not before or before[0].is_space) and (not after or after[0].is_space)
    return doc[i].is_upper or not fills_line


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_in_title(context: Context, entity: Entity) -> bool:
    """Return whether a word has only the capital of its heading (Stock and Dowel Sizes), where
    neither a rule nor a guess finds it, nobody is called so, and the network is not sure."""
    label, i, _ = entity
    if i in context.ruled or i in context.guessed or not context.doc[i].is_title:
        return False
    if context.text(i - 1).lower() in _CALLING:
        return False
    if odds(context.shares, label, i) > SURELY_TITLE:
        return False
    beside = [t for t in clause_around(context.doc, i) if t.is_alpha and not t.is_stop]
    capitals = sum(t.is_title and is_word(t.lower_) and not is_name(t.text) for t in beside)
    small = sum(t.is_lower for t in beside)
    return capitals > small and (capitals > 1 or not small)


def clause_around(doc: Doc, i: int) -> list[Token]:
    """Return the tokens beside the i-th one, as far as the next mark that ends a clause."""
    before = takewhile(_is_within, reversed(doc[max(i - MAX_CLAUSE, 0) : i]))
    after = takewhile(_is_within, doc[i + 1 : i + MAX_CLAUSE])
    return [*before, *after]


def _is_within(token: Token) -> bool:
    return not (token.text in _CLAUSE_ENDS or (token.is_space and "\n" in token.text))


@reason("PERSON", "ORG", of_word=True)
def is_used_as_thing(context: Context, entity: Entity) -> bool:
    """Return whether a text uses an unlisted word as that of a thing: with a number behind it
    (Ryzen 9), after an article and an adjective (a new Glock), or also in small letters; with an
    article alone (a Glock) no person is meant."""
    doc, (label, start, end) = context.doc, entity
    text = doc[start].text
    if is_name(text) or text.islower() or context.is_ruled(entity):
        return False
    if doc[start].lower_ in context.small:
        return True
    before = context.text(start - 1)
    is_described = before.islower() and "adjective" in builtin_lexicon().of(before)
    if is_described and before not in DESCRIBING:
        before = context.text(start - 2)
    if (label == "PERSON" or is_described) and before in ("a", "an"):
        return True
    is_apart = bool(doc[start].whitespace_) and not context.text(end + 1).isdigit()
    number = context.text(end) if is_apart else ""
    numbered = number.isdigit() and len(number) < MIN_POSTAL_CODE and number[0] != "0"
    return numbered and bool(before) and not before.isspace()


@reason("PERSON", "GPE", "ORG")
def is_key(context: Context, entity: Entity) -> bool:
    """Return whether a word says what the code behind it is: Rego QMB318, VIN WVWZZZ1JZXW."""
    i = entity.start
    if not _KEYS.fullmatch(context.text(i).lower()):
        return False
    after = i + 1 + (context.text(i + 1) == ":")
    return after < len(context.doc) and context.doc[after].ent_type_ == "ID"


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_unit(context: Context, entity: Entity) -> bool:
    """Return whether a word is a unit behind its number (-67 dBm, $1,475/FEU), or the sign of a
    currency before it (US$ 20)."""
    text, before = context.text(entity.start), context.text(entity.start - 1)
    if _ENDS_WITH_SIGN.search(text):
        return True
    if _MIXED_UNIT.fullmatch(text) and before[-1:].isdigit():
        return True
    price = context.text(max(entity.start - 4, 0), entity.start)
    return before.endswith("/") and _PRICE.search(price) is not None


@reason("PERSON", "GPE", "ORG", of_word=True)
def is_counted(context: Context, entity: Entity) -> bool:
    """Return whether a number stands before a word in small letters, in a text that has capitals:
    400 000 dinars."""
    text, before = context.text(entity.start), context.text(entity.start - 1)
    return text.islower() and before.isdigit() and not (is_name(text) or context.whole.islower())


@reason("PERSON", "GPE", "ORG")
def is_common(context: Context, entity: Entity) -> bool:
    """Return whether an entity is of common words (Tax Clinic, Ward 7, 2 Garages), for which
    neither a rule nor the network alone speaks."""
    label, start, end = entity
    ends = {context.bounds.lowers[start], context.bounds.lowers[end - 1]}
    is_body = label == "ORG" and not ends.isdisjoint(INSTITUTIONS)
    if is_public_body(context, entity):
        return True
    limit = SURELY_BODY if is_body else SURELY[label]
    goes_on = end in context.ruled and end - 1 in context.ruled  # Tribunal Member R Sandhu
    if context.is_ruled(entity) and not goes_on:
        return _is_department(context, entity)
    if any(odds(context.shares, label, i) > limit for i in range(start, end)):
        return False
    return are_common(context.doc[start:end], label)


def _is_department(context: Context, entity: Entity) -> bool:
    """Return whether several common words, of which the network is sure that they are nobody, are
    written as a sender: Baggage Tracing."""
    label, start, end = entity
    if label != "PERSON" or end - start < 2:
        return False
    unsure = all(odds(context.shares, label, i) < MOST_OPENING for i in range(start, end))
    return unsure and are_common(context.doc[start:end], label)


def _is_only_plain(text: str) -> bool:
    """Return whether a word is a common one that is also a family name, as Church is, and no given
    name."""
    return is_plain(text) and "FIRST" not in kinds(text)


def is_public_body(context: Context, entity: Entity) -> bool:
    """Return whether an entity is a committee or an office of ordinary words alone, whatever the
    network and the rules take it for: Parochial Church Committee."""
    label, start, end = entity
    texts, lowers = context.bounds.texts, context.bounds.lowers
    if label != "ORG" or _PUBLIC_BODIES.isdisjoint((lowers[start], lowers[end - 1])):
        return False
    return all(
        lowers[i] in _LINKS
        or (texts[i].isalpha() and (_is_common(context.doc, i) or _is_only_plain(texts[i])))
        for i in range(start, end)
    )


@reason("PERSON", "GPE", "ORG")
def has_capitals_alone(context: Context, entity: Entity) -> bool:
    """Return whether nothing but its capitals makes a name of words in a document that gives them
    to ordinary words: neither the network is sure, nor are they used or placed as a name is."""
    label, start, end = entity
    if not context.least_odds:
        return False
    are_plain = label != "PERSON" and all(map(is_rather_common, _words_of(context, entity)))
    limit = min(context.least_odds * (SURELY_PLAIN if are_plain else 1), SURELY_BODY)
    if label == "PERSON":
        return _is_no_person(context, entity, limit / 2)
    if any(odds(context.shares, label, i) >= limit for i in range(start, end)):
        return False
    if label == "GPE":
        return not context.is_ruled(entity) and all(map(is_listed, _words_of(context, entity)))
    if end - start > 1:
        return are_plain or (
            is_rather_common(context.text(end - 1)) and context.text(end - 1) not in FIRM_ENDS
        )
    is_matched = context.is_ruled(entity) or start in context.guessed
    return not (is_matched and _stands_as_name(context, entity))


@reason("PERSON", "GPE", "ORG", of_word=True)
def names_a_thing(context: Context, entity: Entity) -> bool:
    """Return whether a noun with a capital stands behind a word, as behind the name of a thing (a
    Belfast Sink, Google Sheets), in a document that gives capitals to ordinary words."""
    label, start, end = entity
    if not context.least_odds or end >= len(context.doc) or not context.doc[start].whitespace_:
        return False
    if not context.doc[end].is_title or not _is_common(context.doc, end):
        return False
    limit = min(context.least_odds * SURELY_PLAIN, SURELY_BODY)
    if odds(context.shares, label, start) > limit:
        return False
    return label != "PERSON" or not is_placed_as_name(context.bounds, start, end)


def _is_no_person(context: Context, entity: Entity, limit: float) -> bool:
    """Return whether a word does not stand as a name, or a common word, as behind a name, ends
    several (Victoria Sponge), where the network is not as sure as a limit."""
    _, start, end = entity
    if end - start > 1:
        start, limit = end - 1, min(limit, SURELY_LAST)
        if not (context.doc[start].is_title and _is_common(context.doc, start)):
            return False
    elif is_only_first_name(context.text(start)):
        return False
    elif not context.is_ruled(entity):
        limit = min(limit, 1.0)  # the network, too, must take it for no name
    unsure = odds(context.shares, "PERSON", start) < limit
    return unsure and not _stands_as_name(context, entity)


def _stands_as_name(context: Context, entity: Entity) -> bool:
    """Return whether a document has the first word of an entity again, or it is placed as names
    are."""
    is_used = context.counts[context.text(entity.start)] > 1
    return is_used or is_placed_as_name(context.bounds, entity.start, entity.end)


def _words_of(context: Context, entity: Entity) -> list[str]:
    return [*filter(str.isalpha, context.bounds.texts[entity.start : entity.end])]


def are_common(span: Span, label: str) -> bool:
    """Return whether a span is of common words, beside numbers and links as "of". A rare word may
    be the name of a firm (Kestrel Freight), and a legal form makes one: Kitchens Limited."""
    is_cut = span.doc[span.end : span.end + 1].text == "-" and not span[-1].whitespace_
    if is_cut or any(t.text.rstrip(".") in LEGAL for t in span):
        return False
    words = [
        t for t in span if not (t.text[0].isdigit() or t.is_punct or t.is_stop or t.lower_ in _ENDS)
    ]
    rare = label == "ORG" and not all(
        is_word(t.lower_) or is_plural(t.lower_) or is_specialty(t.lower_) for t in words
    )
    return bool(words) and not rare and all(_is_common(span.doc, t.i) for t in words)


def _is_common(doc: Doc, i: int) -> bool:
    """Return whether a word is no name and in no case a place, but a common word, or a heading in
    capitals before a full stop."""
    text, lexicon = doc[i].text, builtin_lexicon()
    title = text.capitalize()
    is_place = (lexicon.of(title) | lexicon.of(text.upper())) & PLACES
    if is_name(text) or is_place or title in ALSO_FIRST:
        return False
    if is_ordinary(text.lower()) or is_specialty(text.lower()):
        return True
    return text.isupper() and doc[i + 1 : i + 2].text == "."


# -- addresses -------------------------------------------------------------------------------------


@reason("ADDRESS")
def is_number_in_code(context: Context, entity: Entity) -> bool:
    """Return whether an address is a number in a block of code."""
    return context.is_in_code(entity.start) and context.text(entity.start, entity.end).isdigit()


@reason("ADDRESS")
def is_count(context: Context, entity: Entity) -> bool:
    """Return whether an address is a number of things: no street follows that of a house. So are
    165 over 95, and 5 to 2 the Court."""
    doc, (_, start, end) = context.doc, entity
    text, after = doc[start:end].text, doc[end] if end < len(doc) else None
    if _BETWEEN_VALUES.fullmatch(text) or _COUNTED.match(text) or counts_things(text):
        return True
    if text.isdigit() and len(text) < MIN_POSTAL_CODE:
        ends = after is None or after.is_space or (after.is_upper and len(after) < MIN_STREET)
        return ends or (after is not None and after.text.endswith("s") and is_word(after.lower_))
    # 3 Brown Long-eared: an address ends with a word
    is_cut = after is not None and after.text == "-" and not doc[end - 1].whitespace_
    return is_cut and text[0].isdigit() and context.text(end + 1).islower()


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


# -- dates -----------------------------------------------------------------------------------------


@reason("DATE")
def is_plain_number(context: Context, entity: Entity) -> bool:
    """Return whether a date is a value, or hours of a day of the week: 3 to 5, Sat 9-5."""
    text = context.text(entity.start, entity.end)
    return (_VALUE.fullmatch(text) or _HOURS.fullmatch(text)) is not None


@reason("DATE", of_word=True)
def is_number_of_row(context: Context, entity: Entity) -> bool:
    """Return whether a number below 90 is the first cell of a row: 4;30/1/2024;Ada Lind."""
    i = entity.start
    opens = i == 0 or "\n" in context.text(i - 1)
    return opens and context.text(i + 1) in _CELL_MARKS and _is_below_90(context.text(i))


def _is_below_90(text: str) -> bool:
    return _BELOW_90.fullmatch(text) is not None


@reason("DATE")
def is_undated(context: Context, entity: Entity) -> bool:
    """Return whether a date without a digit is a noun that is no word of a calendar, of numbers or
    of time: the drought."""
    text = context.text(entity.start, entity.end)
    if _DIGIT.search(text) or pattern("DATE_PHRASE").search(text.lower()):
        return False
    words = re.findall(r"[^\W_]+", text.lower())
    known = (
        word in _BESIDE_DATES or _NAMED_DAY.fullmatch(word) or not _OF_TIME.isdisjoint(kinds(word))
        for word in words
    )
    return not any(known) and bool(words) and "noun" in builtin_lexicon().of(words[-1])


@reason("DATE")
def is_verb(context: Context, entity: Entity) -> bool:
    """Return whether a verb in small letters, as which no day or month is written where names have
    capitals, stands behind its subject or a modal verb: we sat, they will march."""
    last = entity.end - 1
    text = context.text(last)
    if text not in _VERBS or entity.end - entity.start > 2 or not context.is_capitalised:
        return False
    return context.text(last - 1).lower() not in _BEFORE_TIMES


@reason("DATE", of_word=True)
def is_age_behind_sex(context: Context, entity: Entity) -> bool:
    """Return whether a number below 90 stands behind the letter of a sex: (M, 42)."""
    i = entity.start
    is_behind = context.text(i - 1) in (",", "/") and context.text(i - 2) in ("M", "F")
    return is_behind and _is_below_90(context.text(i))


@reason("DATE", of_word=True)
def is_joined_number(context: Context, entity: Entity) -> bool:
    """Return whether a number is joined to letters of no day, month, ordinal or year: p95, 4GbE."""
    text = context.text(entity.start)
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
