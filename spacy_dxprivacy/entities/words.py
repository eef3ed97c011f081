"""What a word may be in a name, a date or a place, judged from its letters and the public table.

`kinds` gives the kinds of one word. The recogniser sets each kind as a flag of the lexeme, so a
word is judged once, when the vocabulary meets it, and its rules then compare bits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ..space import Space
from .lists import (
    ALSO_FIRST,
    ALSO_SURE,
    AMBIGUOUS_MONTHS,
    AMBIGUOUS_WEEKDAYS,
    CHAT,
    CLOSED,
    CLOSINGS,
    JOINTS,
    LISTED_KINDS,
    NAMES,
    NO_PART,
    NONE,
    PEOPLES,
    PLACES,
    SMALL_FIRST,
    SUFFIX,
    SURE,
)
from .names import by_ending, listed_names

KINDS = (
    # people
    "SURE_FIRST FIRST SURE_SURNAME SURNAME NEW PART BODY INITIAL TITLE ROLE PARTICLE "
    "LOW_FIRST LOW_NAME LOW_SUR LOW_NEW MID GREETING SIGNOFF FIELD "
    # times
    "SURE_MONTH MONTH SURE_WEEKDAY WEEKDAY DAY ORDINAL YEAR DECADE RELATIVE AMOUNT "
    "SEASON IN_TIME "
    # places and codes
    "SURE_PLACE PLACE PLACE_HEAD STATE IN_PLACE CODE ID_WORD"
).split()


# Endings of common nouns that no list holds in full: illnesses, drugs, procedures, doctrines.
_COMMON_END = re.compile(
    r"(itis|osis|emia|pathy|ology|scopy|gram|graphy|tomy|plasty|algia|pril|olol|statin|cillin|"
    r"mycin|azole|idine|amine|tion|sion|ment|ness|ing|ism|able|ible|ical|ally|less|ship|"
    r"hood|ware|oid|phile|phobia|iasis|ectasia|uria|penia|plegia|rrh?ea|rrhoea|megaly|dynia|trophy|lysis|o?edema|cyte|plasm|(?:carcin|aden|sarc|lymph|mel|gli|fibr|hemat|haemat|papill|my|ang)oma|zepam|zolam|sartan|prazole|floxacin|[uix]mab|tinib|caine|phylline|barbital|dipine|gliptin|triptan|setron|olone|thiazide|ated|ized|ised|ization)s?$"
)
_PREFIX = re.compile(
    r"(?:non|un|re|pre|post|anti|inter|over|under|super|sub|hyper|hypo|peri|intra|extra|micro|"
    r"multi|auto|bio|neuro|cardio|mid|self|co|de|dis|mis|out|psycho)(?=.{5})"
)
_NAME_SHAPE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_INNER_CAPITAL = re.compile(r"(?:Mc|Mac|O['’]|D['’]|De|Di|La|Le|Van|Von|Fitz|St)[A-Z]")
_INITIAL = re.compile(r"(?:[^\W\d_]\.){1,3}|(?![AI])[^\W\d_]")
_PIECE = re.compile(r"[^\W\d_]{3,}")
_DIGIT = re.compile(r"\d")
_DIGIT_KINDS = {
    "DAY": re.compile(r"0?[1-9]|[12]\d|3[01]"),
    "YEAR": re.compile(r"(?:1[89]|20)\d\d"),
    "DECADE": re.compile(r"(?:mid-)?(?:(?:1[5-9]|20)\d0|\d0)['’]?s"),
    "ORDINAL": re.compile(r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)"),
}


@dataclass(frozen=True)
class Lexicon:
    """The public table as the rules see it. rank: word -> row; rows go by frequency."""

    rank: dict[str, int]
    classes: dict[str, frozenset[str]]
    listed: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def from_space(
        cls, space: Space, listed: Mapping[str, frozenset[str]] | None = None
    ) -> Lexicon:
        """A space without classes knows no names but those that are listed."""
        masks = space.classes if space.classes is not None else np.zeros(len(space), np.uint64)
        named = {int(mask): _names(int(mask), space.class_names) for mask in np.unique(masks)}
        classes = {w: named[m] for w, m in zip(space.words, masks.tolist(), strict=True)}
        return cls({word: row for row, word in enumerate(space.words)}, classes, listed or {})

    def of(self, word: str) -> frozenset[str]:
        """The classes of a word; none where neither the table nor the list of names has it."""
        known = self.classes.get(word)
        if known is None and word[:1].isupper():
            known = self.listed.get(word.lower()) or by_ending(word)
        return known or NONE

    def plainness(self, word: str) -> float:
        """How much more frequent the lower-case word is than the capitalised one, by ranks: above
        1/2, as for "Grace" and "Will", the capitalised one may just start a sentence."""
        if word not in self.rank and word.lower() not in self.rank:
            return 0.0
        nowhere = 10 * len(self.rank)
        lower = self.rank.get(word.lower(), nowhere)
        return (self.rank.get(word, nowhere) + 1) / (lower + 1)


def _names(mask: int, class_names: Sequence[str]) -> frozenset[str]:
    return frozenset(name for bit, name in enumerate(class_names) if mask >> bit & 1)


@lru_cache(maxsize=1)
def builtin_lexicon() -> Lexicon:
    """The kinds of the words of the built-in space."""
    return Lexicon.from_space(Space.builtin(), listed_names())


class OfPublicWords:
    """A function of words that remembers its values for the words of the built-in table: these
    are public, and as many for every text. Of all others, which may name somebody, it remembers
    the last one alone, or all of them within `remember`."""

    def __init__(self, judged: Callable[[str], frozenset[str]]) -> None:
        self._judged = judged
        self._public: list[frozenset[str] | None] = []  # by the row of a word
        self._sets: dict[frozenset[str], frozenset[str]] = {}  # equal values are one object
        self._others: dict[str, frozenset[str]] = {}
        self._most = 1

    def __call__(self, word: str) -> frozenset[str]:
        found = self._others.get(word)
        return self._ask(word) if found is None else found

    def _ask(self, word: str) -> frozenset[str]:
        rank = builtin_lexicon().rank
        row = rank.get(word)
        if row is not None:
            self._public = self._public or [None] * len(rank)
            if (known := self._public[row]) is not None:
                return known
        found = self._judged(word)
        found = self._sets.setdefault(found, found)
        if row is not None:
            self._public[row] = found
            return found
        if len(self._others) >= self._most:
            self._others.clear()
        self._others[word] = found
        return found

    @contextmanager
    def remember(self) -> Iterator[None]:
        """Keep what is asked within, for a vocabulary that is gone through once for each kind."""
        self._most = 2**16
        try:
            yield
        finally:
            self._most = 1
            self._others.clear()


@OfPublicWords
def kinds(word: str) -> frozenset[str]:
    """The kinds of a word, by the built-in table."""
    return frozenset(judge(word, builtin_lexicon()))


def judge(word: str, lexicon: Lexicon) -> set[str]:
    """The kinds of a word, a subset of KINDS."""
    lower = word.lower()
    found = set(LISTED_KINDS.get(lower.rstrip("."), NONE))
    if word[:1].isdigit() or word.startswith("mid-"):
        return found | _judge_digits(lower)
    if _NAME_SHAPE.fullmatch(word.rstrip(".")):
        _judge_calendar(word, lexicon, found)
        _judge_letters(word, lexicon, found)
    elif len(word) > 1:
        _judge_glued(word, lexicon, found)
    if _INITIAL.fullmatch(word) and word[0].isupper() and word != "I.":
        found |= {"INITIAL", "BODY"}
    if "PARTICLE" in found or word in JOINTS or lower in SUFFIX:
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
    if len(pieces) < 9 and any(SURE & judge(piece, lexicon) for piece in pieces):
        found.add("SURE_FIRST")


def _judge_calendar(word: str, lexicon: Lexicon, found: set[str]) -> None:
    bare, written = word.lower().rstrip("."), word[:1].isupper()
    classes = lexicon.of(bare.capitalize())
    if "month" in classes:
        found.add("MONTH")
        if bare not in AMBIGUOUS_MONTHS and (written or len(bare) > 3):
            found.add("SURE_MONTH")
    if "weekday" in classes:
        found.add("WEEKDAY")
        if bare not in AMBIGUOUS_WEEKDAYS:
            found.add("SURE_WEEKDAY")


def _judge_lower(word: str, lexicon: Lexicon, found: set[str]) -> None:
    """Names written small, as in chats: only words that are nothing else in the table."""
    named, lower = lexicon.of(word.capitalize()), lexicon.of(word)
    if not lower & {"determiner", "possessive"}:
        found.add("MID")
    if named & NAMES and not lower & CLOSED:
        found.add("LOW_NAME")
    if len(word) < 3 or word in CHAT or (word in lexicon.rank and word not in SMALL_FIRST):
        return
    if found & {"MONTH", "WEEKDAY", "PARTICLE"}:
        return
    if "first_name" in named and (len(word) > 3 or word.capitalize() in lexicon.rank):
        found.add("LOW_FIRST")
    if "surname" in named and len(word) > 3:
        found.add("LOW_SUR")
    if "TITLE" not in found and _may_be_name(word):
        found.add("LOW_NEW")


def _judge_capitalised(word: str, lexicon: Lexicon, found: set[str]) -> None:
    title = word.capitalize() if word.isupper() else word.rstrip(".")
    classes, lower = lexicon.of(title), lexicon.of(title.lower())
    if lower & CLOSED and title not in ALSO_FIRST:
        return
    _judge_place(word, title, lexicon, found)
    peoples = classes & PEOPLES and not classes & NAMES
    if peoples or "nationality" in classes or found & {"SURE_MONTH", "WEEKDAY"}:
        return
    _judge_name(word, title, lexicon, found)


def _judge_place(word: str, title: str, lexicon: Lexicon, found: set[str]) -> None:
    classes = lexicon.of(title)
    if title.lower() in CHAT:
        return
    if classes & PLACES:
        found.add("PLACE")
        named = classes & NAMES or title in ALSO_SURE
        if not named and lexicon.plainness(title) < 0.5 and len(title) > 2 and "MONTH" not in found:
            found.add("SURE_PLACE")
    if word.isupper() and lexicon.of(word) & {"state", "country"}:
        found.add("STATE")


def _judge_name(word: str, title: str, lexicon: Lexicon, found: set[str]) -> None:
    classes = lexicon.of(title)
    if title.lower() in CHAT or (word.isupper() and title.lower() in NO_PART):
        return
    if title.lower() not in NO_PART and ("TITLE" not in found or "surname" in classes):
        found |= {"PART", "BODY"}
    if found & {"TITLE", "ROLE"} or title.lower() in CLOSINGS or (word.isupper() and len(word) < 4):
        return
    sure = lexicon.plainness(title) <= 0.5 and len(title) > 2
    if "first_name" in classes or title in ALSO_FIRST:
        found |= {"FIRST", "SURE_FIRST"} if sure else {"FIRST"}
    if "surname" in classes:
        found |= {"SURNAME", "SURE_SURNAME"} if sure else {"SURNAME"}
    if _is_new(word, lexicon) and title.lower() not in NO_PART | CHAT:
        found.add("NEW")


def _is_new(word: str, lexicon: Lexicon) -> bool:
    """Capitalised, and neither it nor a near form of it is in the table."""
    lower = word.lower()
    forms = {word, lower, _PREFIX.sub("", lower, count=1)}
    forms |= {lower[: -len(ending)] for ending in ("s", "es", "ed") if lower.endswith(ending)}
    return not word.isupper() and _may_be_name(word) and not forms & lexicon.rank.keys()


def _may_be_name(word: str) -> bool:
    """Not an abbreviation, a product in camel case, or a common noun by its ending."""
    inner = any(not c.islower() for c in word[1:])
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
    """For each kind of word, what tells whether a string is of that kind."""
    return {kind: HasKind(kind) for kind in KINDS}
