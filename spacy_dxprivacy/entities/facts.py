"""Recognise the facts among the mentions: what stays, whatever a recogniser takes it for.

The year of a statute, the number of a norm, an item of an agenda, the amounts of a column and the
words of a label look like dates, identifiers, addresses and names. `Facts.without_facts` yields
what is left of the mentions without them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from operator import itemgetter

from spacy.tokens import Doc

from ..text.mentions import Entity, is_word
from ..text.normal_doc import FACTS_OF_PIECES, MARKS
from ..text.tokens import Tokens
from .dates import extent_of_date
from .fields import values_in
from .heads import head_of
from .labels import labels_in
from .numbered import extent_of_name, is_model_code, is_short_code
from .table_rows import facts_in, values_in_columns
from .tables import LISTED, PLACES, expanded, pattern, words
from .values import is_value
from .weeks import are_weekdays, recurring_lines, recurring_months, recurring_seasons
from .words import builtin_lexicon, is_name, is_ordinary, kinds

# Hours in the evening have the form of a telephone number of Hong Kong.
_HOURS_OR_NUMBER = re.compile(r"2\d{3}[-–]\d{4}", re.A)
_BEFORE_NUMBER = re.compile(
    r"\b(?:phone|ph|tel|telephone|fax|mobile|mob|cell|whatsapp|number is)\.? ?:? ?\Z", re.I
)
BEFORE_NUMBER = 4  # tokens
# The lines of an examination: a question, and the answer behind it.
_QUESTIONS = re.compile(r"^Q\. [^\n]*\n{1,2}A\. ", re.M)
_OF_QUESTIONS = re.compile(r"^[QA](?=\. )", re.M)
MAX_STATE = 3  # letters of the code of a state, and one
NAMED = frozenset({"PERSON", "GPE", "ORG"})
DIGIT = re.compile(r"\d")
AND = frozenset({"and", "&", "or", "for"})
ABBREVIATIONS, STATUTES = words("ABBREVIATIONS", "terms"), words("STATUTES", "terms")
_PLAIN = frozenset({"CARDINAL", "QUANTITY", "EMAIL", "URL", "SECRET"})
_NUMBERED = frozenset({"DATE", "ID", "PHONE"})
_FACTUAL = _NUMBERED | NAMED | {"ADDRESS", "TIME"}
_NORMS = frozenset(
    "AISI ANSI API AS ASME ASTM BS CSA DIN EN GOST I.S. IEC IEEE ISO JIS NEN NFPA NZS OSHA SABS "
    "SAE SANS UL VDE".split()
)  # bodies, before their numbers
# The short name of a statute behind the number of a part of it, before its year.
_ACT_END = re.compile(
    r"\b(?:(?:ss?|arts?|regs?|rr?|paras?)\.?|sections?|articles?|regulations?|rules?) ?\d[\w.()]*"
    r"(?: of the)? (?-i:[A-Z][A-Za-z]{0,3}[A-Z]) \Z",
    re.I,
)
_OPENS_YEAR = frozenset("[(")
# A report of cases: of a neutral citation, or between the volume and the page.
_REPORT_AFTER = re.compile(
    rf"[\])] (?:(?:\d{{1,3}} )?{expanded('LAW_REPORT')}|\d{{1,3}} (?:[A-Z][A-Za-z.]{{1,5}}|"
    r"[A-Z][A-Za-z.]{0,3} & [A-Z]{1,3}))\.? "
    r"\d{1,5}(?!\w)"
)
_REPORT_BEFORE = re.compile(r"\d{1,4} [A-Z][A-Z.]{1,7}(?: [A-Z\d][\w.]{0,5}){0,2} \d{1,5} \(\Z")
_NUMBER_OF_YEAR = re.compile(r"\d{1,4}/(?:19|20)\d\d", re.A)
_NUMBERED_ACTS = STATUTES | frozenset(
    "advisory alert ballot bill bulletin bylaw bye-law circular decision decree determination "
    "edict gazette guideline instruction law meeting memo minute motion notice opinion ordinance "
    "policy proposal recommendation resolution ruling session".split()
)
# In small letters, too: board meeting 3/2023.
_COUNTED_IN_YEARS = frozenset("meeting meetings motion resolution bylaw circular decision".split())
_SERIAL = re.compile(r"\d{1,3}(?:\.\d{1,2})?", re.A)
STATUTE_WORDS = frozenset(
    re.findall(r"[A-Za-z]{3,}", f"{expanded('STATUTE_END')} {expanded('TREATY_END')}")
)
_BEFORE_YEARS = frozenset({"the", "that", "this", "said"})  # of statutes: the 1996 Act
_BEFORE_ORDERS = frozenset({"on", "the"})
_OF_ORDINALS = frozenset("annual anniversary council edition floor session".split())  # also Council
_ORDINAL_ENDS = ("st", "nd", "rd", "th")
_JOIN_DAYS = frozenset({",", "and", "&", "or", "the"})  # the ordinals of a list
_OBJECTS = frozenset({"determiner", "pronoun", "possessive"})
_PERSONS = re.compile(rf"(?:{expanded('KIN')})s?")
_SPACED = re.compile(r"\d{1,2} ([/.-]) \d{1,2} \1 \d{4}", re.A)  # 19 / 04 / 1967
_ITEM = re.compile(r"^[ \t]*(\d\d)/(\d\d)[.:)]?[ \t]+[A-Z]{3}", re.M | re.A)
_NORM = re.compile(r"[A-Z]?\d{1,5}(?:\.\d{1,3}){0,2}")  # the number of a norm
MIN_ITEMS = 3  # of an agenda
_ENTRY = re.compile(r"(?:^|[.;] )[ \t]*((?:[01]\d|2[0-3])[0-5]\d)(?=:? [^\W\d_])", re.M | re.A)
_IN_YEAR = re.compile(r"\b(in|since|of|from|until|by) (\d{4})(?!\d)", re.I | re.A)
MIN_ENTRIES = 2  # of a note, whose times can be no year
# Between the word for a code and the code; the currency of an account, too.
_BEFORE_STATED = frozenset(["is", "was", ":", "=", *expanded("CURRENCY").lower().split("|")])
_DAYS_BESIDE = frozenset({"today", "tomorrow", "tonight", "yesterday"})
_BEFORE_SEASONS = frozenset("the in by each every during over of most all".split())
_CELLS = frozenset({"|", ",", ";", "\t"})


_BODIES = frozenset(expanded("FIRM_NOUNS").split("|"))


class Facts(Tokens):
    """The tokens of a document, of which some are facts."""

    def __init__(self, doc: Doc) -> None:
        super().__init__(doc)
        self._left: dict[Entity, Entity | None] = {}  # many matches are equal

    def without_facts(self, matches: Iterable[Entity]) -> list[Entity]:
        """Return the matches that are no values, and no numbers of statutes, norms or things, each
        without the number of an item of an agenda: 24/07 VILLAGE HALL."""
        left = list[Entity | None]()
        for match in matches:
            if match not in self._left:
                is_fact = self._is_in_fact_form(*match)
                self._left[match] = None if is_fact else self._remaining(match)
            left.append(self._left[match])
        return list(filter(None, left))

    def _may_be_value(self, label: str, start: int, end: int) -> bool:
        """Return whether to ask if a match is a value: most names have no digit, no sign behind
        them, no number before them, no stroke behind a number, and more than a letter."""
        if label not in NAMED:
            return label not in _PLAIN
        after = self.texts[end : end + 1]
        is_before_sign = end - start == 1 and bool(after) and not after[0][0].isalnum()
        first, before = self.texts[start], self.texts[start - 1] if start else ""
        return (
            is_before_sign
            or len(first) == 1
            or before[-1:].isdigit()
            or first in ABBREVIATIONS
            or any(map(DIGIT.search, self.texts[start:end]))
            or (end - start > 2 and self.texts[start + 1] == "/")
        )

    def _is_fact(self, label: str, start: int, end: int) -> bool:
        if label == "EMAIL":  # the office that an address begins with: bursar
            return end - start == 1 and is_ordinary(self.lowers[start])
        if label == "URL":
            return pattern("CLAUSE_NUMBER").fullmatch(self.between(start, end)) is not None
        is_number = label in _NUMBERED or (label == "ADDRESS" and self.texts[start].isdigit())
        if is_number and self._is_of_statute(start, end):
            return True
        if label in NAMED and self.texts[start] in _NORMS and self._is_norm(start, end):
            return True
        if self._facts and self.is_in_column_of_facts(label, start, end):
            return True
        if self._is_within(self._labels, start, end):  # such as City
            return True
        if label in NAMED and (self.is_head(start, end) or self._recurs_small(start, end)):
            return True
        if label == "ID" and self._is_of_nobody(start, end):
            return True
        if label in ("GPE", "ORG", "DATE") and self._is_within(self._statutes, start, end):
            return True
        return self._may_be_value(label, start, end) and is_value(self, Entity(label, start, end))

    def is_head(self, start: int, end: int) -> bool:
        """Return whether words before a colon are a label in any language, and no name:
        Geburtsdatum: 3.4.1960."""
        last = end + (self.texts[end : end + 1] == ["."])  # Geb.-Dat.: 3.4.1960
        is_before_colon = self.texts[last : last + 1] in ([":"], [".:"])
        if not is_before_colon or any(map(is_name, self.texts[start:end])):
            return False
        return head_of(self.between(start, end)) is not None

    def _is_norm(self, start: int, end: int) -> bool:
        """Return whether a name is of bodies before the number of their norm: I.S. EN 14081."""
        last = next((i for i in range(start, len(self.texts)) if self.texts[i] not in _NORMS), end)
        number = self.texts[last] if last < len(self.texts) else ""
        return last >= end - 1 and _NORM.fullmatch(number) is not None

    def _remaining(self, match: Entity) -> Entity | None:
        label, start, end = match
        if label == "DATE":
            start, end = self._list_of_days(start, end)
            if self._is_time_of_entry(start, end):
                return Entity("TIME", start, end)
            if self._is_no_date(start, end):
                return None
        if label == "TIME" and self._is_called(start, end):
            return Entity("PHONE", start, end)
        if self._is_fact(label, start, end):
            return None
        if label == "DATE":
            start, end = extent_of_date(self, start, end)
            if self.texts[start][0].isalpha() and self._recurs(start, end):
                return None
        elif label in NAMED:
            start, end = extent_of_name(self, start, end)
            end -= label == "PERSON" and end - start > 1 and is_model_code(self.texts[end - 1])
            while start < end and self._is_in_fact_form(label, end - 1, end):
                end -= 1
            end -= 2 * (label == "GPE" and end - start > 2 and self._goes_on_in_capitals(end))
        return self._behind_item(label, start, end) if start < end else None

    def _is_called(self, start: int, end: int) -> bool:
        """Return whether hours over midnight are a telephone number: Tel: 2145-0745."""
        if _HOURS_OR_NUMBER.fullmatch(self.between(start, end)) is None:
            return False
        before = self.between_with_blank(start - BEFORE_NUMBER, start)
        return _BEFORE_NUMBER.search(before) is not None

    def _goes_on_in_capitals(self, end: int) -> bool:
        """Return whether the word behind a town and a comma opens the rest of a sentence in
        capitals, and is no state: LONDON, OR ELSE."""
        town, comma, word = self.texts[end - 3 : end]
        after = self.between(end, end + 1)
        is_shouted = town.isupper() and after.isupper() and after.isalpha() and len(after) > 1
        return is_shouted and comma == "," and is_word(word.lower()) and len(word) < MAX_STATE

    def _behind_item(self, label: str, start: int, end: int) -> Entity | None:
        """Return an entity without the number of an item of an agenda before it, or the letter of
        an answer: A. Ben Okafor came."""
        if label in NAMED and self.doc[start].idx in self._answers and end - start > 1:
            start += 1 + (self.texts[start + 1] == ".")
        if self._items and self.doc[start].idx in self._items:
            start += 1
            if label == "ADDRESS" and not any(map(str.isdigit, self.texts[start:end])):
                return None
        return Entity(label, start, end) if start < end else None

    @cached_property
    def _facts(self) -> list[tuple[int, int, str]]:
        """The cells of columns of facts, and values of such labels, in characters."""
        marks_of_rows = (*":|\t;,", "  ") if "\n" in self.text else ":"
        has_rows = any(mark in self.text for mark in marks_of_rows)
        held = self.doc.user_data.get(FACTS_OF_PIECES) or {}
        marks = self.doc.user_data.get(MARKS, ()) if held else ()
        cells = [(marks[2 * i], marks[2 * i + 1], label) for i, label in held.items()]
        return sorted([*cells, *(facts_in(self.text) if has_rows else ())])

    @cached_property
    def _labels(self) -> list[tuple[int, int]]:
        """The labels of first columns, in characters."""
        return labels_in(self.text)

    @cached_property
    def _statutes(self) -> list[tuple[int, int]]:
        """The names of statutes with their years, in characters."""
        if not any(map(STATUTE_WORDS.__contains__, self.texts)):
            return []
        return [match.span() for match in pattern("STATUTE").finditer(self.text)]

    def _is_within(self, places: Sequence[tuple[int, int]], start: int, end: int) -> bool:
        """Return whether a mention is in one of some places, in characters and in order."""
        if not places:
            return False
        first = self._starts[start]
        i = bisect_right(places, first, key=itemgetter(0)) - 1
        return i >= 0 and first + len(self.between(start, end)) <= places[i][1]

    @cached_property
    def _headed(self) -> Collection[int]:
        """Places of the persons in columns whose head names persons, in characters."""
        if "\n" not in self.text:
            return ()
        values = values_in_columns(self.text)
        return {start for label, start, _ in values if label == "PERSON"}

    def is_headed(self, i: int) -> bool:
        """Return whether a token begins a person in a column whose head names persons."""
        return self._starts[i] in self._headed

    @cached_property
    def _has_issues(self) -> bool:
        """Whether the document speaks of changes of software by their numbers."""
        return pattern("ISSUE").search(self.text) is not None

    @cached_property
    def _keyed(self) -> Collection[int]:
        """Places of the values that a label or a head makes identifiers, in characters."""
        return {start for label, start, _ in values_in(self.text) if label == "ID"}

    def _is_of_nobody(self, start: int, end: int) -> bool:
        """Return whether an identifier is the number of an issue, or the code of a model."""
        if self._is_issue(start, end):
            return True
        return is_short_code(self, start, end) and self._starts[start] not in self._keyed

    def _is_issue(self, start: int, end: int) -> bool:
        """Return whether a number is that of an issue: behind #, in a document that speaks of pull
        requests or lists changes. In others, and behind a word for what someone has (order #3381),
        it may be theirs."""
        if end - start > 1 or self.texts[start - 1] != "#" or not self.texts[start].isdigit():
            return False
        return self._has_issues and self.lowers[max(start - 2, 0)] not in LISTED["ID_WORD"]

    @cached_property
    def _fact_forms(self) -> list[tuple[int, int]]:
        """Facts that their form shows, as reports of the weather, and markup, in characters."""
        spans = [match.span() for match in pattern("FACT_FORM").finditer(self.text)]
        if "<" in self.text or "&" in self.text:
            spans += [match.span() for match in pattern("MARKUP").finditer(self.text)]
        if "point" in self.lowers:
            spans += [match.span() for match in pattern("SPOKEN_DECIMAL").finditer(self.text)]
        return sorted(spans)

    def _is_in_fact_form(self, label: str, start: int, end: int) -> bool:
        """Return whether a match is a part of what its form shows to be a fact. A word before it
        that makes it the number of someone is surer."""
        if not self._fact_forms or label not in _FACTUAL:
            return False
        last = self._starts[start] + len(self.between(start, end).rstrip("."))
        first = self._starts[start + (self.lowers[start] == "the" and end - start > 1)]
        i = bisect_right(self._fact_forms, first, key=itemgetter(0)) - 1
        if i < 0 or last > self._fact_forms[i][1]:
            return False
        before = start - 1
        while before > 0 and self.lowers[before] in _BEFORE_STATED:
            before -= 1
        return start == 0 or self.lowers[before] not in LISTED["ID_WORD"]

    def is_in_column_of_facts(self, label: str, start: int, end: int) -> bool:
        """Return whether a number is the amount, or all that names the thing, of a cell whose head
        says that it holds one; whether it is of several such cells; or whether a name stands in a
        cell whose head says that it holds a thing, and is the full name of nobody."""
        if label not in _FACTUAL or not self._facts:
            return False
        first = self._starts[start]
        i = bisect_right(self._facts, first, key=itemgetter(0)) - 1
        if i >= 0 and label in NAMED and first < self._facts[i][1]:
            is_body = label == "ORG" and end - start > 1 and self.texts[end - 1] in _BODIES
            if not is_body and _is_thing(self._facts[i][2], self.texts[start:end]):
                return True
        if not any(map(DIGIT.search, self.texts[start:end])):
            return False
        last = first + len(self.between(start, end))
        cells = self._facts[max(i, 0) : bisect_left(self._facts, last, key=itemgetter(0))]
        if i < 0 or not cells or last > cells[-1][1]:
            return False
        if len(cells) > 1:
            return all(after[0] == before[1] + 1 for before, after in pairwise(cells))
        cell_start, cell_end, kind = cells[0]
        if kind == "HOURS":
            return label == "DATE"
        if kind == "VALUE" or label == "ADDRESS":
            return True
        beside = self.text[cell_start:first] + self.text[last:cell_end]
        if any(char.isalpha() and char not in "x×" for char in beside):
            return False
        texts = self.texts[start:end]
        has_letters = any(map(str.isalpha, "".join(texts)))
        return label != "DATE" or (has_letters and not any("MONTH" in kinds(t) for t in texts))

    def _is_no_date(self, start: int, end: int) -> bool:
        """Return whether a date is one of two, part of another name, or an order of things."""
        return (
            self._is_of_two(start, end)
            or self._is_in_phrase(start, end)
            or self._is_of_thing(start, end)
        )

    def _is_time_of_entry(self, start: int, end: int) -> bool:
        """Return whether four digits, which look like a year, are the time of an entry of a note
        that has others: 0600 obs stable. 1900 wife visited."""
        is_one = end - start == 1 and len(self.texts[start]) == 4 and self.texts[start].isdigit()
        return is_one and self._starts[start] in self._entries

    @cached_property
    def _entries(self) -> Collection[int]:
        """The places of four digits that open a line or a sentence of a note and are a time of day,
        in characters, if two of them can be no year. What is a year elsewhere (in 2015) is none."""
        places = [(match.start(1), match[1]) for match in _ENTRY.finditer(self.text)]
        sure = [hour for _, hour in places if hour[0] == "0" or "10" <= hour[:2] < "15"]
        if len(sure) < MIN_ENTRIES:
            return ()
        years = {year for _, year in _IN_YEAR.findall(self.text)}
        return {place for place, hour in places if hour not in years}

    def _recurs(self, start: int, end: int) -> bool:
        """Return whether a date is of weekdays, months or a season that say when something recurs:
        Mon-Fri, open May to July, each spring."""
        if self._is_season(start, end):
            return True
        is_of_week = self._is_within(self._weeks, start, end)
        if is_of_week and are_weekdays(self.between(start, end)):
            return True
        return self._is_of_months(start, end)

    def _is_of_months(self, start: int, end: int) -> bool:
        """Return whether a date, or May, is of the months between which something recurs."""
        if not any("MONTH" in kinds(text) for text in self.texts[start:end]):
            return False
        return self._is_within(self._months, start, end)

    @cached_property
    def _months(self) -> list[tuple[int, int]]:
        """The months between which something recurs each year, in characters."""
        return recurring_months(self.text)

    def _is_season(self, start: int, end: int) -> bool:
        """Return whether the season of a date, which has no other word but an article, recurs."""
        if not self._seasons:
            return False
        at = [i for i in range(start, end) if self.lowers[i] not in _BEFORE_SEASONS]
        is_one = bool(at) and not any(map(DIGIT.search, self.texts[start:end]))
        return is_one and self._is_within(self._seasons, at[0], at[-1] + 1)

    def _recurs_small(self, start: int, end: int) -> bool:
        """Return whether a name, as Autumn and May are, is a season or a month that recurs."""
        return self._is_small_season(start, end) or self._is_of_months(start, end)

    def _is_small_season(self, start: int, end: int) -> bool:
        """Return whether a name, as Autumn is, is a season that recurs, in small letters."""
        return self.texts[start] in LISTED["SEASON"] and self._is_season(start, end)

    @cached_property
    def _seasons(self) -> list[tuple[int, int]]:
        """The seasons that recur, in characters."""
        if LISTED["SEASON"].isdisjoint(word.removesuffix("s") for word in self.lowers):
            return []
        return recurring_seasons(self.text)

    @cached_property
    def _weeks(self) -> list[tuple[int, int]]:
        """The lines in which weekdays say when something recurs, in characters."""
        return recurring_lines(self.text)

    def _list_of_days(self, start: int, end: int) -> tuple[int, int]:
        """Return the extent of a date with the other ordinals of a list that it is part of: on the
        4th, 11th and 18th."""
        at = start + (self.lowers[start] == "the")
        if at >= end or not self._is_ordinal(at):
            return start, end
        low, high = self._end_of_list(at, -1), self._end_of_list(end - 1, 1) + 1
        if AND.isdisjoint(self.lowers[low:high]):
            return start, end
        return min(low - (self.lowers[low - 1 : low] == ["the"]), start), high

    def _end_of_list(self, at: int, step: int) -> int:
        """Return the last ordinal of a list, from one of them on to the right (1) or left (-1)."""
        i = at + step
        while 0 <= i < len(self.lowers) and self.lowers[i] in _JOIN_DAYS:
            i += step
            if 0 <= i < len(self.lowers) and self._is_ordinal(i):
                at, i = i, i + step
        return at

    def _is_ordinal(self, i: int) -> bool:
        return self.lowers[i].endswith(_ORDINAL_ENDS) and "ORDINAL" in kinds(self.texts[i])

    def _is_of_list(self, i: int) -> bool:
        return self.lowers[i] in _JOIN_DAYS or self._is_ordinal(i)

    def _is_of_thing(self, start: int, end: int) -> bool:
        """Return whether ordinals count things (the 3rd floor), rather than days. A patient and
        other persons after them may begin a clause: on the 3rd patient was well."""
        things = self.texts[end : end + 1]
        if self._fills_cell(start, end):
            return self._is_ordinal(end - 1)  # | 1st |
        if things and things[0].lower() in _OF_ORDINALS:
            return self._is_ordinal(end - 1)
        if not (things and things[0].islower()) or _PERSONS.fullmatch(things[0]):
            return False
        before = (i for i in range(start, end - 1) if self.lowers[i] not in _BEFORE_ORDERS)
        if not (self._is_ordinal(end - 1) and all(map(self._is_of_list, before))):
            return False
        classes, after = builtin_lexicon().of(things[0]), self.lowers[end + 1 : end + 2]
        if "noun" not in classes and (classes or not is_ordinary(things[0])):
            return False  # on the 9th centile
        is_object = bool(after) and not _OBJECTS.isdisjoint(builtin_lexicon().of(after[0]))
        return not ("verb" in classes and is_object)  # on the 5th call me

    def _fills_cell(self, start: int, end: int) -> bool:
        """Return whether a single word fills a cell, between two delimiters. Behind a word for a
        day, commas are none: tomorrow, 14th, at two."""
        beside = (*self.texts[max(start - 1, 0) : start], *self.texts[end : end + 1])
        if self.lowers[max(start - 2, 0)] in _DAYS_BESIDE:
            return False
        return end - start == 1 and len(beside) == 2 and _CELLS.issuperset(beside)

    @cached_property
    def _items(self) -> Collection[int]:
        """Places of the numbers of an agenda, as 24/01 before a heading in capitals, in characters:
        at least three that count up."""
        places, run, last = set[int](), list[int](), (0, 0)
        for match in _ITEM.finditer(self.text) if "/" in self.text else ():
            number = int(match[1]), int(match[2])
            run = [*run, match.start(1)] if number == (last[0], last[1] + 1) else [match.start(1)]
            last = number
            places.update(run if len(run) >= MIN_ITEMS else ())
        return places

    @cached_property
    def _answers(self) -> Collection[int]:
        """Places of the letters that open questions and answers, in characters."""
        letters = _QUESTIONS.findall(self.text) and _OF_QUESTIONS.finditer(self.text)
        return {match.start() for match in letters or ()}

    def _is_of_statute(self, start: int, end: int) -> bool:
        """Return whether a number is the year of a statute (Equality Act 2010, the 1996 Act), its
        number (Preservation Order 112), or the number of a norm, as in EN 1992-1-1."""
        has_comma = start > 1 and self.texts[start - 1] == ","  # Consumer Protection Act, 2019
        at = start - has_comma
        before = self.texts[at - 1] if at else ""
        if before in _NORMS and not has_comma:
            return (
                _NORM.fullmatch(self.texts[start]) is not None or "-" in self.texts[start : end + 1]
            )
        is_year = end - start == 1 or not self.texts[start + 1].isalnum()
        if is_year and (self._is_of_act(start) or self._is_number_of_year(start)):
            return True
        if self._is_before_act(start):
            return True
        if end - start == 1 and before in _OPENS_YEAR and self._is_cited(start):
            return True
        return bool(
            is_year
            and before.istitle()
            and before.lower() in STATUTES
            and at > 1
            and self.texts[at - 2].istitle()
            and ("YEAR" in kinds(self.texts[start]) or _SERIAL.fullmatch(self.texts[start]))
        )

    def _is_of_act(self, i: int) -> bool:
        """Return whether a year ends the short name of a statute after a part of it: s.98 ERA 1996,
        section 13 of the EqA 2010."""
        before = self.texts[i - 1] if i else ""
        if not (before.isalpha() and before[-1].isupper() and "YEAR" in kinds(self.texts[i])):
            return False
        return _ACT_END.search(self.between_with_blank(max(i - 9, 0), i)) is not None

    def _is_before_act(self, i: int) -> bool:
        """Return whether a year tells a statute from others of its kind: the 1996 Act."""
        before, after = self.lowers[i - 1] if i else "", self.texts[i + 1 : i + 2]
        if before not in _BEFORE_YEARS or not (after and after[0].istitle()):
            return False
        return after[0].lower() in STATUTES | {"regs"} and "YEAR" in kinds(self.texts[i])

    def _is_cited(self, i: int) -> bool:
        """Return whether a year in brackets belongs to the citation of a case: [1992] 15 MLR 144,
        575 U.S. 348 (2015)."""
        if "YEAR" not in kinds(self.texts[i]):
            return False
        if _REPORT_AFTER.match(self.between(i + 1, i + 9)) is not None:
            return True
        return _REPORT_BEFORE.search(self.between(max(i - 9, 0), i)) is not None

    def _is_number_of_year(self, i: int) -> bool:
        """Return whether a number is that of a decision within its year: Resolution 4/2020, Alert
        No. 014/2025."""
        at = i - 1
        while at > 0 and self.lowers[at].rstrip(".") in ("", "no"):
            at -= 1
        before = self.texts[at] if at >= 0 else ""
        is_act = before.istitle() and before.lower() in _NUMBERED_ACTS
        numbered = is_act or before in _COUNTED_IN_YEARS
        return numbered and _NUMBER_OF_YEAR.fullmatch(self.texts[i]) is not None

    def _is_of_two(self, start: int, end: int) -> bool:
        """Return whether a date begins with the day of the month before it ("March 5 - June 2020"),
        or joins two dates by a slash between blanks; the days of one month are one date: Mon 3 /
        Tue 4 June."""
        doc, texts = self.doc, self.texts
        after_month = start > 0 and "MONTH" in kinds(texts[start - 1])
        if after_month and end - start > 1 and len(texts[start]) < 3 and doc[start].is_digit:
            return "DAY" in kinds(texts[start]) and not doc[start + 1].is_digit
        if _SPACED.fullmatch(self.between(start, end)):
            return False
        slashes = [i for i in range(start + 1, end - 1) if texts[i] == "/" and doc[i].whitespace_]
        if not slashes or any("MONTH" in kinds(text) for text in texts[start : slashes[0]]):
            return bool(slashes)
        return pattern("DAYS_OF_MONTH").fullmatch(self.between(start, end).lower()) is None

    def _is_in_phrase(self, start: int, end: int) -> bool:
        """Return whether a weekday is part of another name (Taco Tuesday, Sunday Times)."""
        words = [] if end - start > 2 else self.texts[start:end]
        if not any(word.isalpha() and "WEEKDAY" in kinds(word) for word in words):
            return False
        around = self.doc[max(start - 3, 0) : end + 3]
        first, last = (self.doc[i].idx - around.start_char for i in (start, end - 1))
        phrases = pattern("WEEKDAY_PHRASE").finditer(around.text.lower())
        return any(phrase.start() <= first and last < phrase.end() for phrase in phrases)


def _is_thing(kind: str, texts: Sequence[str]) -> bool:
    """Return whether a name in a cell is that of a thing. kind: what the head says of its cells."""
    if kind == "WARE":
        is_full = len(texts) > 1 and is_name(texts[-1])
        return not (is_full and builtin_lexicon().is_first_name(texts[0]))
    is_listed = any(is_name(text) or builtin_lexicon().of(text) & PLACES for text in texts)
    return kind == "THING" and not is_listed
