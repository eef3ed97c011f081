"""What a reason against a prediction of the network reads, and the register of reasons.

The network reads nine words at a time. What the whole document shows, and what public tables and
the forms of values say, is a reason why its prediction is no entity: another use of its words, or
a value. A reason is a function with `@reason(labels)`: it returns whether it holds of an entity in
its document, and gives an example.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from spacy.tokens import Doc

from ..arrays import Floats2d
from ..text.mentions import Entity, is_capitalised, is_word
from . import network
from .capitals import capital_share, least_odds
from .decoding import odds
from .extent import Bounds
from .table_rows import CELL_MARKS, head_rows
from .tables import words
from .words import is_ordinary, kinds

MIXED_SHARE = 0.15  # share of unknown words, above which a word in small letters may be a name
# Ratio of the probability of an entity to that of no entity, from which common words are names;
# of a firm, from which common words with a number are.
SURELY = {"PERSON": 6.0, "GPE": 5.0, "ORG": 20.0}
SURELY_BODY = 300.0  # of a firm, from which "Staff Council" is; of a name, from which "Grid 7" is
# Odds below which a word only opens its sentence, and how much surer the network is of the next.
MOST_OPENING, SURER_THAN_OPENING = 0.1, 20.0
MIN_NAMES = 3  # with a capital, of a document with many unknown words
MIN_POSTAL_CODE = 4  # digits of a number that is an address by itself; rules find shorter ones
BESIDE = 60  # characters on each side of a fraction that show whether it is a date
ONE = frozenset({"a", "an"})
ARTICLES = ONE | {"the"}
AFTER_THING = frozenset(". , ; : ! ? ) under in on at to by for from with within and or".split())
FRACTION_SIGNS = "½⅓⅔¼¾⅛"
CELLS = frozenset(CELL_MARKS)
BEFORE_SENTENCES = frozenset('. ? ! : ; " “ ( -'.split())
# Abbreviations that stand for themselves where several are near; some are names elsewhere.
SHORTHAND = words("SHORTHAND", "terms") | words("ABBREVIATIONS", "terms")
NEAR, MIN_SHORT_FORMS = 40, 3  # tokens on each side, and different abbreviations among them
MIN_FORMS_OF_NOTE = 6  # different abbreviations anywhere in a note
_SHORT_HEAD = re.compile(r"\b[A-Z]{2,4}\b")
_TITRE = re.compile(r"[<>≥≤]?1:\d{1,5}", re.A)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)  # code in Markdown


def is_titre(text: str) -> bool:
    """Return whether a text is how far a serum is thinned: 1:80."""
    return _TITRE.fullmatch(text) is not None


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
        """Whether the document writes its names with capitals. If it has many unknown words in
        small letters, as those of a kitchen, three that may be names have to have one."""
        if not is_capitalised(self.whole):
            return False
        return self.unknown <= MIXED_SHARE or sum(map(_may_name, self.counts)) >= MIN_NAMES

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
    def tested(self) -> AbstractSet[str]:
        """The short words before a number, those in capitals before a titre: Na 131, ANA 1:80."""
        return frozenset(
            text
            for text, after in pairwise(self.bounds.texts)
            if (len(text) < 3 and after[:1].isdigit()) or (text.isupper() and is_titre(after))
        )

    @cached_property
    def amounts(self) -> list[tuple[int, int]]:
        """The tokens of the amounts that rules found."""
        return [(ent.start, ent.end) for ent in self.doc.ents if ent.label_ == "QUANTITY"]

    @cached_property
    def dates(self) -> list[tuple[int, int]]:
        """The tokens of the dates that rules found."""
        return [(ent.start, ent.end) for ent in self.doc.ents if ent.label_ == "DATE"]

    @cached_property
    def _fences(self) -> list[tuple[int, int]]:
        return [match.span() for match in _FENCE.finditer(self.whole)]

    def is_in_code(self, i: int) -> bool:
        """Return whether a token is in a block of code."""
        return self._is_within(i, self._fences)

    @cached_property
    def _heads(self) -> list[tuple[int, int]]:
        return [*head_rows(self.whole)]

    @cached_property
    def short_heads(self) -> AbstractSet[str]:
        """The heads of tables that are a few capitals."""
        heads = " ".join(self.whole[first:last] for first, last in self._heads)
        return frozenset(_SHORT_HEAD.findall(heads)) if heads else frozenset()

    def is_in_head(self, i: int) -> bool:
        """Return whether a token is in the row of heads of a table."""
        return self._is_within(i, self._heads)

    def _is_within(self, i: int, ranges: list[tuple[int, int]]) -> bool:
        """Return whether a token is in one of some ranges of characters."""
        return any(first <= self.doc[i].idx < last for first, last in ranges)

    @cached_property
    def _short_forms(self) -> list[int]:
        """The tokens that are abbreviations of notes."""
        return [i for i, text in enumerate(self.bounds.texts) if text in SHORTHAND]

    def is_in_shorthand(self, start: int, end: int) -> bool:
        """Return whether several abbreviations of notes are near some tokens, in which they do not
        count."""
        first = bisect_left(self._short_forms, start - NEAR)
        last = bisect_left(self._short_forms, end + NEAR)
        near = self._short_forms[first:last]
        return len({self.text(i) for i in near if not start <= i < end}) >= MIN_SHORT_FORMS

    @cached_property
    def is_note(self) -> bool:
        """Whether the document has many abbreviations of notes, and names with one capital."""
        forms = {self.text(i) for i in self._short_forms}
        if len(forms) < MIN_FORMS_OF_NOTE:
            return False
        return sum(w.istitle() and "SURE_FIRST" in kinds(w) for w in self.counts) > 1

    def is_ruled(self, entity: Entity) -> bool:
        """Return whether a rule found a part of an entity."""
        return not self.ruled.isdisjoint(range(entity.start, entity.end))

    def is_certain(self, label: str, i: int) -> bool:
        """Return whether the network takes a word for a name even if it is common."""
        return odds(self.shares, label, i) > SURELY[label]


def _may_name(word: str) -> bool:
    """Return whether a word has a capital, may be a name, and is no ordinary one."""
    return word.istitle() and "PART" in kinds(word) and not is_ordinary(word.lower())


Reason = Callable[[Context, Entity], bool]
# Label -> reasons: for entities of one word, and for all.
OF_WORD: dict[str, list[Reason]] = {label: [] for label in network.LABELS}
OF_ALL: dict[str, list[Reason]] = {label: [] for label in network.LABELS}


def reason(*labels: str, of_word: bool = False) -> Callable[[Reason], Reason]:
    """Register a reason for entities of these labels; with `of_word`, only of one word."""

    def register(function: Reason) -> Reason:
        for label in labels:
            (OF_WORD if of_word else OF_ALL)[label].append(function)
        return function

    return register
