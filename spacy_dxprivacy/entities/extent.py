"""Split mentions at words and marks that separate two names, and drop terms.

A recogniser may join adjacent names ("Paris with Chase", "Smith v. Jones"). A surrogate replaces
all words of a mention, so the words between the two names would be lost. `Bounds` splits mentions
at these words, which the public lists BETWEEN_NAMES and BETWEEN_DATES contain.

Recognisers also take "Directorate", "Babinski" and "Amiodarone" for persons. Public lists
(data/entities/terms.txt) contain such terms: institutions, legal words, drugs, illnesses, tests,
goods, abbreviations. The words beside a term decide whether it is the name of a person.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import accumulate, islice, pairwise, takewhile
from operator import itemgetter
from weakref import WeakKeyDictionary

from spacy.attrs import IS_PUNCT, IS_SPACE
from spacy.tokens import Doc, Span

from ..text.mentions import QUOTES, Entity, initials_in, is_word, plain_label
from ..text.normal_doc import FACTS_OF_PIECES, MARKS
from ..text.spelling import without_accents
from ..text.tokens import Tokens
from .heads import facts_in, values_in_columns
from .labels import labels_in
from .phrases import in_tokens
from .tables import (
    DESCRIBING,
    FIRMS,
    FOLLOWING,
    GOODS,
    LISTED,
    MAKERS,
    NAMES,
    PLACES,
    PRODUCTS,
    STATES,
    TERM_NOUNS,
    expanded,
    pattern,
    words,
)
from .values import extent_of_date, extent_of_name, is_value
from .words import builtin_lexicon, is_name, is_only_ordinary, is_plain, kinds

_NAMED = frozenset({"PERSON", "GPE", "ORG"})
_PLAIN = frozenset({"CARDINAL", "QUANTITY", "EMAIL", "URL", "SECRET"})
_NUMBERED = frozenset({"DATE", "ID", "PHONE"})
_COMPLETE = frozenset({"GPE", "ORG", "DATE", "TIME", "ADDRESS"})
_PHRASED = _NAMED | {"ADDRESS"}
_FACTUAL = _NUMBERED | _PHRASED | {"TIME"}
_BETWEEN = {label: words("BETWEEN_NAMES") for label in _NAMED} | {"DATE": words("BETWEEN_DATES")}
_DIGIT = re.compile(r"\d")
_SEPARATORS = frozenset("- – — − / | • · & + *".split())  # of two names, if surrounded by blanks
_BREAKS = frozenset('. ; : ( ) [ ] { } … ” “ " ? !'.split())
_AND = frozenset({"and", "&", "or", "for"})
FIRM_ENDS = frozenset("|".join(map(expanded, ("FIRM_NOUNS", "LEGAL"))).split("|"))
LEGAL = frozenset(expanded("LEGAL").replace("\\.", ".").split("|"))
_LONGEST_FIRM = max(map(len, FIRMS))  # in characters: no name has more tokens
_COURTS = frozenset("court courts tribunal tribunals police".split())


def _longest_words(*sections: str) -> frozenset[str]:
    """Return the longest word of each phrase: most texts have none, and skip the search."""
    phrases = "|".join(map(expanded, sections)).lower().split("|")
    return frozenset(max(re.findall(r"\w+", phrase), key=len) for phrase in phrases)


_PHRASES = {
    "FIXED": _COURTS | _longest_words("LATIN", "EPONYM_PHRASES", "DEEDS", "NAMED_THINGS"),
    "SALUTATION": _longest_words("SALUTATIONS"),
}
_ARTICLE = frozenset({"the"})
_ADVERBS = frozenset("yesterday today tomorrow then later also now".split())
_OPENINGS = {"GPE": _ADVERBS, "ORG": _ADVERBS | _ARTICLE}
_STARTS = _ARTICLE | words("BETWEEN_NAMES")
_LINKS = frozenset("on in for of and or to at by with from as".split())
# Marks and words that may separate two mentions.
_MARKS = _SEPARATORS | _BREAKS | _AND | {","}
_WORDS = _STARTS | _AND | words("BETWEEN_DATES")
# The lists contain singular forms only.
INSTITUTIONS, LAW = (
    frozenset(form for word in words(name, "terms") for form in (word, f"{word}s"))
    for name in ("INSTITUTIONS", "LAW")
)
ABBREVIATIONS, DIAGNOSES = words("ABBREVIATIONS", "terms"), words("DIAGNOSES", "terms")
_EPONYMS_ALONE, _POSSESSED = words("EPONYMS_ALONE", "terms"), words("EPONYMS", "terms")
_EPONYMS = _EPONYMS_ALONE | _POSSESSED | words("ALSO_EPONYMS", "terms")
_SCORES, _FINDINGS = words("SCORES", "terms"), words("FINDINGS", "terms") | TERM_NOUNS
_GENERIC = INSTITUTIONS | LAW
_ILLNESSES = frozenset("disease diseases dystrophy palsy syndrome syndromes tumor tumour".split())
_CALL_WORDS = frozenset(expanded("CALL_WORD").split("|")) | {"email"}
_BEFORE_PLACES = frozenset("in from to near of via".split())
_BEFORE_BIRTH_NAMES = frozenset(expanded("BEFORE_MAIDEN").replace(".", "").split("|"))
_AFTER_NAMES = words("AFTER_NAMES")
# What a speaker does, behind a name; given names that are written short, with a full stop.
_DUTIES = LISTED["ROLE"] | frozenset(
    "admin caretaker chef cleaner dispatch dispatcher driver electrician engineer landlady "
    "landlord mechanic mgr receptionist security supervisor tutor vet".split()
)
_SHORT_GIVEN = frozenset("chas edw geo jas jno ma md mohd robt saml sk st thos wm".split())
# Titles that are a job, too.
_JOBS = frozenset(
    "captain commander detective doctor governor inspector judge justice mayor nurse officer "
    "pastor president professor senator sheriff superintendent".split()
)
_SPECIALTY = re.compile(r"\w+(?:ology|iatrics|p(?:a?e)dics)")
_NUMBER_WORDS = frozenset({"no", "nos", "nr", "number"})
_LONGEST_TITLE = 4  # letters of a title with a full stop that is in no list
_BRANDS = GOODS | MAKERS
_SHORT_DEGREES = frozenset("jd ba bl ma bd bm bs mb jp pe dl".split())
_DEGREE = re.compile(r"\w*[A-Z]\w*[A-Z]")
_DEPARTMENTS = words("DEPARTMENTS", "terms")
_OFFICES, _STATUTES = words("OFFICES", "terms"), words("STATUTES", "terms")
_LETTERED = words("LETTERED_THINGS", "terms") | words("NUMBERED_THINGS", "terms")
_LETTER = re.compile(r"[A-Z]\.?|[A-Z]?\d{1,3}|\d{1,3}[A-Z]", re.A)
_JOINTS = frozenset("of the and for de der du la ii iii iv".split())
_POSSESSIVES = frozenset({"'s", "’s", "'", "’"})
# Words that stand before a name, and never before a term.
_BEFORE_NAMES = LISTED["TITLE"] | LISTED["GREETING"] | {"see", *expanded("BEFORE_VERB").split("|")}
_ROMAN = re.compile(r"[IVX]{1,4}[a-fA-F]?")
_SCORE = re.compile(r"\d{1,2}(?:/\d{1,2})?")
_INITIALS = re.compile(r"(?!U\.|D\.C|N\.[YJ])(?:[A-Z]\.){2,3}[A-Z]?")
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
_NUMBER_OF_YEAR = re.compile(r"[1-9]\d{0,3}/(?:19|20)\d\d", re.A)
_NUMBERED_ACTS = _STATUTES | frozenset(
    "decision decree law meeting opinion resolution session".split()
)
_SERIAL = re.compile(r"\d{1,3}(?:\.\d{1,2})?", re.A)
STATUTE_WORDS = frozenset(
    re.findall(r"[A-Za-z]{3,}", f"{expanded('STATUTE_END')} {expanded('TREATY_END')}")
)
_BEFORE_ORDERS = frozenset({"on", "the"})
_OF_ORDINALS = frozenset("annual anniversary council edition floor session".split())  # also Council
_ORDINAL_ENDS = ("st", "nd", "rd", "th")
_JOIN_DAYS = frozenset({",", "and", "&", "or", "the"})  # the ordinals of a list
_OBJECTS = frozenset({"determiner", "pronoun", "possessive"})
_PERSONS = re.compile(rf"(?:{expanded('KIN')})s?")
_LONGEST_HOLIDAY = 5  # tokens
_SPACED = re.compile(r"\d{1,2} ([/.-]) \d{1,2} \1 \d{4}", re.A)  # 19 / 04 / 1967
_ITEM = re.compile(r"^[ \t]*(\d\d)/(\d\d)[.:)]?[ \t]+[A-Z]{3}", re.M | re.A)
_NORM = re.compile(r"[A-Z]?\d{1,5}(?:\.\d{1,3}){0,2}")  # the number of a norm
MIN_ITEMS = 3  # of an agenda
_MAX_ABBREVIATION = 4  # maximum letters of an unlisted abbreviation


_bounds: WeakKeyDictionary[Doc, Bounds] = WeakKeyDictionary()


class Bounds(Tokens):
    """Splits and trims the mentions of a document, and drops terms. Looks up the tokens once for
    all mentions."""

    def __init__(self, doc: Doc) -> None:
        super().__init__(doc)
        spaces, marks = doc.to_array([IS_SPACE, IS_PUNCT]).T.astype(bool).tolist()
        self._are_marks = [
            is_space or text in _LINKS or (is_mark and text not in ")#")
            for text, is_space, is_mark in zip(self.texts, spaces, marks, strict=True)
        ]
        # Number of possible separators before each token.
        pairs = zip(self.texts, self.lowers, spaces, strict=True)
        separate = (space or text in _MARKS or lower in _WORDS for text, lower, space in pairs)
        self._separators = [0, *accumulate(separate)]
        # Token of a phrase -> the least start of a match that loses the token. "Court" is lost only
        # at the start, since it is also a surname (Margaret Court) and a street (Maple Court). The
        # police are nobody's name.
        self._phrases: dict[int, int] = {}
        for form, longest in _PHRASES.items():
            if longest.isdisjoint(self.lowers):
                continue
            for match in pattern(form).finditer(self.text):
                _, first, last = in_tokens(doc, "", *match.span())
                is_fixed = " " in match[0] or match[0].lower() == "police"
                self._phrases |= dict.fromkeys(range(first, last), 0 if is_fixed else first)
        # Caches, as many matches are equal or share a word.
        self._judgements: dict[tuple[Entity, frozenset[str]], Entity | None] = {}
        self._listed: dict[tuple[int, str], bool] = {}
        self._ordered: dict[Entity, Entity | None] = {}

    @classmethod
    def of(cls, doc: Doc) -> Bounds:
        """Return those of a Doc, the same for all components that read it."""
        bounds = _bounds.get(doc)
        if bounds is None or not bounds.are_of(doc):
            bounds = _bounds[doc] = cls(doc)
        return bounds

    @cached_property
    def _counts(self) -> Counter[str]:
        """How often the document has each word."""
        return Counter(self.lowers)

    def split(self, matches: Iterable[Entity], spans: Iterable[Span] = ()) -> list[Entity]:
        """Return the matches, split at words and marks that separate names, without terms.

        spans: Entities of the document. Words of their full names do not count as terms.
        """
        matches = list(matches)
        ends: dict[int, list[Entity]] = defaultdict(list)
        named = [s for s in spans if plain_label(s.label_) == "PERSON"]
        full_names = [s for s in named if len(s) > 1]
        persons = {lower for s in full_names for lower in self.lowers[s.start : s.end]}
        if named and (letters := initials_in(self.doc, [(s.start, s.end) for s in named])):
            persons.update(low for low in self.lowers if low.replace(".", "").upper() in letters)
        first_name = builtin_lexicon().is_first_name
        for match in matches:
            label, start, end = match
            ends[end].append(match)
            if label == "PERSON" and end - start > 1 and first_name(self.texts[start]):
                persons.update(word for word in self.lowers[start:end] if len(word) > 2)
        pieces: list[Entity] = []
        for label, start, end in self._without_orders(matches):
            fixed = self._phrase_tokens(label, start, end)
            if label in ("PERSON", "ORG") and any(self.lowers[i] in _COURTS for i in fixed):
                label = "GPE"  # a court has the name of its place
            pieces += self._pieces(Entity(label, start, end), fixed, ends)
        judged: list[Entity | None] = []
        for piece in pieces:
            judged.append(
                self._cached_judgement(piece, persons) if piece.label in _NAMED else piece
            )
        return list(filter(None, judged))

    def _may_be_value(self, label: str, start: int, end: int) -> bool:
        """Return whether to ask if a match is a value: most names have no digit, no sign behind
        them, no number before them, no stroke behind a number, and more than a letter."""
        if label not in _NAMED:
            return label not in _PLAIN
        after = self.texts[end : end + 1]
        is_before_sign = end - start == 1 and bool(after) and not after[0][0].isalnum()
        first, before = self.texts[start], self.texts[start - 1] if start else ""
        return (
            is_before_sign
            or len(first) == 1
            or before[-1:].isdigit()
            or first in ABBREVIATIONS
            or any(map(_DIGIT.search, self.texts[start:end]))
            or (end - start > 2 and self.texts[start + 1] == "/")
        )

    def _without_orders(self, matches: Iterable[Entity]) -> Iterator[Entity]:
        """Yield the matches that are no values, and no numbers of statutes, norms or things, each
        without the number of an item of an agenda: 24/07 VILLAGE HALL."""
        for match in matches:
            if match not in self._ordered:
                is_fact = self._is_in_fact_form(*match)
                self._ordered[match] = None if is_fact else self._without_order(match)
            ordered = self._ordered[match]
            if ordered is not None:
                yield ordered

    def _is_fact(self, label: str, start: int, end: int) -> bool:
        is_number = label in _NUMBERED or (label == "ADDRESS" and self.texts[start].isdigit())
        if is_number and self._is_of_statute(start, end):
            return True
        if label in _NAMED and self.texts[start] in _NORMS and self._is_norm(start, end):
            return True
        if self._facts and self.is_in_column_of_facts(label, start, end):
            return True
        if self._is_within(self._labels, start, end):  # such as City
            return True
        if label == "ID" and self._is_issue(start, end):
            return True
        if label in ("GPE", "ORG", "DATE") and self._is_within(self._statutes, start, end):
            return True
        return self._may_be_value(label, start, end) and is_value(self, Entity(label, start, end))

    def _is_norm(self, start: int, end: int) -> bool:
        """Return whether a name is of bodies before the number of their norm: I.S. EN 14081."""
        last = next((i for i in range(start, len(self.texts)) if self.texts[i] not in _NORMS), end)
        number = self.texts[last] if last < len(self.texts) else ""
        return last >= end - 1 and _NORM.fullmatch(number) is not None

    def _without_order(self, match: Entity) -> Entity | None:
        label, start, end = match
        if label == "DATE":
            start, end = self._list_of_days(start, end)
            if self._is_no_date(start, end):
                return None
        if self._is_fact(label, start, end):
            return None
        if label == "DATE":
            start, end = extent_of_date(self, start, end)
        elif label in _NAMED:
            start, end = extent_of_name(self, start, end)
            while start < end and self._is_in_fact_form(label, end - 1, end):
                end -= 1
        if self._items and self.doc[start].idx in self._items:
            start += 1
            if label == "ADDRESS" and not any(map(str.isdigit, self.texts[start:end])):
                return None
        return Entity(label, start, end) if start < end else None

    @cached_property
    def _facts(self) -> list[tuple[int, int, str]]:
        """The cells of columns of facts, and values of such labels, in characters."""
        has_rows = any(mark in self.text for mark in (":\n|\t;," if "\n" in self.text else ":"))
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
            spans = sorted(
                spans + [match.span() for match in pattern("MARKUP").finditer(self.text)]
            )
        return spans

    def _is_in_fact_form(self, label: str, start: int, end: int) -> bool:
        """Return whether a match is a part of what its form shows to be a fact. A word before it
        that makes it the number of someone is surer."""
        if not self._fact_forms or label not in _FACTUAL:
            return False
        last = self._starts[start] + len(self.between(start, end))
        first = self._starts[start + (self.lowers[start] == "the" and end - start > 1)]
        i = bisect_right(self._fact_forms, first, key=itemgetter(0)) - 1
        if i < 0 or last > self._fact_forms[i][1]:
            return False
        return start == 0 or self.lowers[start - 1] not in LISTED["ID_WORD"]

    def is_in_column_of_facts(self, label: str, start: int, end: int) -> bool:
        """Return whether a number is the amount, or all that names the thing, of a cell whose head
        says that it holds one; whether it is of several such cells; or whether a name stands in a
        cell whose head says that it holds a thing, and is the full name of nobody."""
        if label not in _FACTUAL or not self._facts:
            return False
        first = self._starts[start]
        i = bisect_right(self._facts, first, key=itemgetter(0)) - 1
        if i >= 0 and label in _NAMED and first < self._facts[i][1]:
            if _is_thing(self._facts[i][2], self.texts[start:end]):
                return True
        if not any(map(_DIGIT.search, self.texts[start:end])):
            return False
        last = first + len(self.between(start, end))
        cells = self._facts[max(i, 0) : bisect_left(self._facts, last, key=itemgetter(0))]
        if i < 0 or not cells or last > cells[-1][1]:
            return False
        if len(cells) > 1:
            return all(after[0] == before[1] + 1 for before, after in pairwise(cells))
        cell_start, cell_end, kind = cells[0]
        if kind == "VALUE" or label == "ADDRESS":
            return True
        beside = self.text[cell_start:first] + self.text[last:cell_end]
        if any(char.isalpha() and char not in "x×" for char in beside):
            return False
        texts = self.texts[start:end]
        has_letters = any(map(str.isalpha, "".join(texts)))
        return label != "DATE" or (has_letters and not any("MONTH" in kinds(t) for t in texts))

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """Return the extent without white space, marks and linking words at both ends, and without
        a possessive ending ('s) at its start."""
        while start < end and (self._are_marks[start] or self.texts[start] in _POSSESSIVES):
            start += 1
        while start < end and self._are_marks[end - 1]:
            end -= 1
        return start, end

    def _phrase_tokens(self, label: str, start: int, end: int) -> Collection[int]:
        """Return the tokens of a match that are part of a legal or Latin phrase."""
        if label not in _PHRASED or not self._phrases:
            return ()
        fixed = {i for i in range(start, end) if self._phrases.get(i, end) <= start}
        return fixed if label in _NAMED or len(fixed) == end - start else ()

    def _pieces(
        self, match: Entity, fixed: Collection[int], ends: dict[int, list[Entity]]
    ) -> Iterator[Entity]:
        """Yield the parts of a match between the tokens that separate names."""
        label, start, end = match
        if len(fixed) == end - start:
            return
        if label == "ADDRESS":
            end = self._before_bracket(start, self._before_call_word(start, end))
        if label not in _BETWEEN or (end - start < 2 and not fixed):
            yield Entity(label, *(self.trim(start, end) if label == "ADDRESS" else (start, end)))
            return
        cuts = [end]
        if fixed or self._separators[start] < self._separators[end]:
            of = next((i for i in range(start, end) if self.lowers[i] == "of"), end)
            separates = partial(_separates, self.doc, label, start=start, end=end, of=of, ends=ends)
            cuts = [i for i in range(start, end) if i in fixed or separates(i)] + cuts
        first = start
        for i in cuts:
            low, high = self.trim(first, i) if label in _NAMED else (first, i)
            # Opening words of a sentence and the article of a firm are not part of the name.
            openings: Collection[str] = ()
            if label in ("ORG", "GPE"):
                openings = _STARTS if low > start else _OPENINGS[label]
            while low < high - 1 and self.lowers[low] in openings:
                low += 1
            is_whole = (first, i) == (start, end)
            is_named = is_whole or self._is_nickname(label, start, low, high)
            if low < high and (is_named or _is_name_alone(self.doc, low, high)):
                yield Entity(label, low, high)
            first = i + 1

    def _is_nickname(self, label: str, first: int, start: int, end: int) -> bool:
        """Return whether a word stands in quotes within a name that begins at a token."""
        if label != "PERSON" or start <= first + 1 or end - start > 1 or end >= len(self.texts):
            return False
        return self.texts[start - 1] in QUOTES and self.texts[end] in QUOTES

    def _before_bracket(self, start: int, end: int) -> int:
        """Return the end of an address before a bracket that opens in front of it: (Flat 9)."""
        depth = 0
        for i in range(start, end):
            depth += self.texts[i].count("(") - self.texts[i].count(")")
            if depth < 0:
                return i
        return end

    def _before_call_word(self, start: int, end: int) -> int:
        """Return the end of an address without a telephone number: before the word for one."""
        for i in range(start + 1, end - 1):
            if self.lowers[i].rstrip(".") in _CALL_WORDS and not self.texts[i + 1][0].isalpha():
                return i
        return end

    def _is_no_date(self, start: int, end: int) -> bool:
        """Return whether a date is one of two, part of another name, or an order of things."""
        return (
            self._is_of_two(start, end)
            or self._is_in_phrase(start, end)
            or self._is_of_thing(start, end)
        )

    def _list_of_days(self, start: int, end: int) -> tuple[int, int]:
        """Return the extent of a date with the other ordinals of a list that it is part of: on the
        4th, 11th and 18th."""
        at = start + (self.lowers[start] == "the")
        if at >= end or not self._is_ordinal(at):
            return start, end
        low, high = self._end_of_list(at, -1), self._end_of_list(end - 1, 1) + 1
        if _AND.isdisjoint(self.lowers[low:high]):
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
        if things and things[0].lower() in _OF_ORDINALS:
            return self._is_ordinal(end - 1)
        if not (things and things[0].islower()) or _PERSONS.fullmatch(things[0]):
            return False
        before = (i for i in range(start, end - 1) if self.lowers[i] not in _BEFORE_ORDERS)
        if not (self._is_ordinal(end - 1) and all(map(self._is_of_list, before))):
            return False
        classes, after = builtin_lexicon().of(things[0]), self.lowers[end + 1 : end + 2]
        if "noun" not in classes:
            return False
        is_object = bool(after) and not _OBJECTS.isdisjoint(builtin_lexicon().of(after[0]))
        return not ("verb" in classes and is_object)  # on the 5th call me

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

    def _is_of_statute(self, start: int, end: int) -> bool:
        """Return whether a number is the year of a statute, as in Equality Act 2010, s 13, or its
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
        if end - start == 1 and before in _OPENS_YEAR and self._is_cited(start):
            return True
        return bool(
            is_year
            and before.istitle()
            and before.lower() in _STATUTES
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

    def _is_cited(self, i: int) -> bool:
        """Return whether a year in brackets belongs to the citation of a case: [1992] 15 MLR 144,
        575 U.S. 348 (2015)."""
        if "YEAR" not in kinds(self.texts[i]):
            return False
        if _REPORT_AFTER.match(self.between(i + 1, i + 9)) is not None:
            return True
        return _REPORT_BEFORE.search(self.between(max(i - 9, 0), i)) is not None

    def _is_number_of_year(self, i: int) -> bool:
        """Return whether a number is that of a decision within its year: Resolution 4/2020."""
        before = self.texts[i - 1] if i else ""
        numbered = before.istitle() and before.lower() in _NUMBERED_ACTS
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

    # -- terms -------------------------------------------------------------------------------------

    def _cached_judgement(self, entity: Entity, names: set[str]) -> Entity | None:
        """Return an entity without legal words at its ends, or None if it is a term. It is an ORG
        if its last word names a type of institution.

        names: Lower-case words of the full names in the document.
        """
        key = entity, frozenset(names.intersection(self.lowers[entity.start : entity.end]))
        if key not in self._judgements:
            bare = self._without_letter(entity) if self._has_lettered else entity
            self._judgements[key] = None if bare is None else self._judge(bare, key[1])
        return self._judgements[key]

    def _judge(self, entity: Entity, names: frozenset[str]) -> Entity | None:
        label, start, end = entity
        before = self.lowers[start - 1].rstrip(".") if start else ""
        if before in _BEFORE_BIRTH_NAMES:
            label = "PERSON"
        if label == "PERSON":
            if self._is_no_person(before, start, end):
                return None
            start += self._is_described(start, end)
            end = self._end_of_name(before, start, end)
        else:
            end = self._before_part(start, self._before_remark(start, end))
        if self._is_common_noun(label, start, end):
            if end - start > 1:  # Chidi's mobile
                return self._judge(Entity("PERSON", start, end - 2), names)
            return None
        called = before in _BEFORE_NAMES and self.lowers[start] not in _OFFICES
        called = called or (label == "PERSON" and self.is_headed(start))
        is_full_name = (
            end - start > 1
            and builtin_lexicon().is_first_name(self.texts[start])
            and not self._is_species(start, start + 1)
        )
        if not called and not is_full_name:
            if label == "PERSON":
                start, end = self._trim_legal_words(start, end)
            if label != "ORG" and end - start > 1 and self.lowers[end - 1] in INSTITUTIONS:
                label = "ORG"
            if self._is_term(label, start, end, names):
                return None
        return Entity(label, start, end)

    def _is_no_person(self, before: str, start: int, end: int) -> bool:
        """Return whether a person is a title, a label or a group. before: the word before it."""
        if end - start == 1 and self.lowers[start] in _DEPARTMENTS and self._begins_round(start):
            return True
        is_called = before in LISTED["TITLE"]
        if is_called and (self._is_in_heading(start, end) or self._is_of_job(before, start, end)):
            return True
        if not (is_called and is_name(self.texts[start])) and self._is_title(start, end):
            return True
        return self._is_label(start, end) or self._is_group(before, start, end)

    def _is_of_job(self, before: str, start: int, end: int) -> bool:
        """Return whether a common word, which is nobody's name, goes on with a title that is a
        job, too: Nurse Practitioner, Professor Emeritus."""
        return before in _JOBS and end - start == 1 and is_only_ordinary(self.texts[start])

    def _is_described(self, start: int, end: int) -> bool:
        """Return whether a name begins with a word that describes the one behind it, which is no
        family name: Young Lwazi."""
        if end - start != 2 or self.lowers[start] not in DESCRIBING:
            return False
        return "surname" not in builtin_lexicon().of(self.texts[start + 1])

    def _before_remark(self, start: int, end: int) -> int:
        """Return the end of a place or a body without a common word in brackets: Lind (buyer)."""
        if end - start < 4 or self.texts[end - 1] != ")" or self.texts[end - 3] != "(":
            return end
        return end - 3 if is_word(self.texts[end - 2]) and self.texts[end - 2].islower() else end

    def _before_part(self, start: int, end: int) -> int:
        """Return the end of a place or a body without the part that a number or a letter names:
        Greenacre Estate Phase 2."""
        for last in (end - 2, end - 1):
            is_numbered = start < last < len(self.texts) - 1 and self.lowers[last] in _LETTERED
            if is_numbered and _LETTER.fullmatch(self.texts[last + 1]):
                return last
        return end

    def _begins_round(self, i: int) -> bool:
        """Return whether a word, as that for a part of a body, begins its line and stands before a
        noun in small letters: Ward round recording."""
        opens = i == 0 or "\n" in self.texts[i - 1]
        after = self.texts[i + 1] if i + 1 < len(self.texts) else ""
        classes = builtin_lexicon().of(after) if after.islower() else frozenset[str]()
        return opens and "noun" in classes

    def _is_in_heading(self, start: int, end: int) -> bool:
        """Return whether a common word in capitals stands behind a title in capitals, and ends its
        line: GARDA REPORT."""
        closes = end >= len(self.texts) or "\n" in self.texts[end]
        is_shouted = self.texts[start].isupper() and self.texts[start - 1].isupper()
        is_one = end - start == 1 and len(self.texts[start - 1].rstrip(".")) > _LONGEST_TITLE
        return closes and is_shouted and is_one and is_only_ordinary(self.texts[start])

    def _end_of_name(self, before: str, start: int, end: int) -> int:
        """Return the end of a name without degrees, labels and nouns."""
        end = self._before_degrees(start, end)
        while self._ends_with_label(start, end):
            end -= 1
        return end - (before in LISTED["TITLE"] and self._ends_with_noun(start, end))

    @cached_property
    def _has_lettered(self) -> bool:
        """Whether the document names a thing that may have a letter or a number."""
        return not _LETTERED.isdisjoint(self.lowers)

    def _without_letter(self, entity: Entity) -> Entity | None:
        """Return a mention without the letter or number of a thing, or None if common words, which
        begin a sentence, are left: Ward B. Formulary requests; but Annex C. Smith agreed."""
        _, start, end = entity
        letter = next((i for i in (start, start + 1)[: end - start] if self._is_lettered(i)), None)
        if letter is None:
            is_numbered = end - start == 1 and self._is_lettered(end)
            return None if is_numbered and _DIGIT.search(self.texts[end]) else entity
        if all(is_rather_common(self.texts[i]) for i in range(letter + 1, end)):
            return None
        return entity if letter == start else entity._replace(start=letter + 1)

    def _is_lettered(self, i: int) -> bool:
        """Return whether a letter or a number stands behind a thing. A Rev without a full stop is a
        revision, or a reverend."""
        if (
            not 0 < i < len(self.texts)
            or len(self.texts[i]) > 4
            or _LETTER.fullmatch(self.texts[i]) is None
        ):
            return False
        before = self.lowers[max(i - 2, 0)].rstrip(".") if i > 1 else ""
        is_thing = self.texts[i - 1].istitle() and self.lowers[i - 1] in _LETTERED
        return is_thing and before not in LISTED["TITLE"]

    def _is_title(self, start: int, end: int) -> bool:
        """Return whether a person is only the title before a name (the Dr. of Dr. Okafor), or the
        degrees after one."""
        if all(lower.replace(".", "") in _AFTER_NAMES for lower in self.lowers[start:end]):
            return True
        is_title = end - start == 1 and self.lowers[start].rstrip(".") in LISTED["TITLE"]
        has_stop = self.texts[end : end + 1] == ["."]
        end += has_stop
        if has_stop and end - start == 2 and self._is_short_title(start):
            return True
        return is_title and end < len(self.texts) and self.texts[end].istitle()

    def _is_short_title(self, i: int) -> bool:
        """Return whether a short word with a full stop is the title of the name behind it, in a
        list or at the start of a line: Present: Barr. Chukwuemeka Eze, Mal. Sani Bello."""
        before, after = self.texts[i - 1] if i else "\n", self.texts[i + 2 : i + 4]
        opens = before in (":", ",", ";", "(", "-", "|", "*", "**") or "\n" in before
        is_called = self.lowers[max(i - 1 - (before == "."), 0)].rstrip(".") in LISTED["TITLE"]
        is_given = "first_name" in builtin_lexicon().of(self.texts[i])
        is_numbered = bool(after) and after[0].rstrip(".") in _NUMBER_WORDS
        if is_numbered and len(self.texts[i]) <= _LONGEST_TITLE:
            return not is_given  # Reg. no.
        if not (opens or is_called) or is_given or self.lowers[i] in _SHORT_GIVEN:
            return False
        if is_called and (is_name(self.texts[i]) or not (after and is_name(after[0]))):
            return False  # Mdm Ooi. Seconded
        if len(self.texts[i]) > _LONGEST_TITLE or not (after and after[0].istitle()):
            return False
        if is_word(after[0].lower()) and not is_name(after[0]):
            return True  # Asst. Manager, Emp. No.
        return is_name(after[0]) or after[-1].istitle()

    def _before_degrees(self, start: int, end: int) -> int:
        """Return the end of a name without its degrees, in a text that writes names with small
        letters: Rhona Loy BVMS MRCVS. Two letters behind one name are a name: Wei MA."""
        if self.texts[start].isupper():
            return end
        while end - start > 1 and _DEGREE.match(self.texts[end - 1]):
            lower = self.lowers[end - 1]
            is_short = lower in _SHORT_DEGREES and end - start > 2
            if _ROMAN.fullmatch(lower.upper()) or not (is_short or lower in _AFTER_NAMES):
                break
            end -= 1
        return end

    def _is_group(self, before: str, start: int, end: int) -> bool:
        """Return whether a word that is greeted is the plural of a common noun: Dear Rowers."""
        lower = self.lowers[start]
        is_plural = before in LISTED["GREETING"] and end - start == 1 and lower.endswith("s")
        return is_plural and is_only_ordinary(lower)

    def _is_label(self, start: int, end: int) -> bool:
        """Return whether a word says what the person after its colon is (Enumerator: Ana Lim.),
        rather than who speaks."""
        if end - start > 1 or self.texts[end : end + 1] != [":"]:
            return False
        rest = islice(self.texts, end + 1, end + 9)
        value = [*takewhile(lambda text: text not in ".;,)|" and not text.isspace(), rest)]
        titled = bool(value) and value[0].lower().rstrip(".") in LISTED["TITLE"]
        named = [word for word in value[titled:] if len(word) > 1]
        return (
            "SURE_FIRST" not in kinds(self.texts[start])
            and (titled or len(named) > 1)
            and all(word.istitle() and not is_word(word.lower()) for word in named)
            and self._counts[self.lowers[start]] == 1
        )

    def _ends_with_label(self, start: int, end: int) -> bool:
        """Return whether a colon follows a name that ends with a common word, which begins a
        sentence (Sunita K. Recovery: two hours) or says what a speaker does (Otieno Driver: ok).
        """
        if end - start < 2 or self.texts[end : end + 1] != [":"] or is_name(self.texts[end - 1]):
            return False
        if self.texts[end - 2].endswith("."):
            return is_word(self.lowers[end - 1])
        return self._is_plain(end - 1) and self.lowers[end - 1] in _DUTIES

    def _ends_with_noun(self, start: int, end: int) -> bool:
        """Return whether a common noun with a capital stands behind a name and before another:
        Mrs J Hale Piano Lessons."""
        if end - start < 2 or not is_name(self.texts[end - 2]):
            return False
        nouns = [i for i in (end - 1, end) if i < len(self.texts) and self.texts[i].istitle()]
        return len(nouns) > 1 and all(
            "noun" in builtin_lexicon().of(self.lowers[i]) and self._is_plain(i) for i in nouns
        )

    def _trim_legal_words(self, start: int, end: int) -> tuple[int, int]:
        edges = _GENERIC
        while start < end and (self.lowers[start] in edges or self.doc[start].is_punct):
            start, edges = start + 1, _GENERIC | _JOINTS
        while start < end and self.lowers[end - 1] in LAW:
            end -= 1
        return start, end

    def _is_term(self, label: str, start: int, end: int, names: frozenset[str]) -> bool:
        content = [
            i
            for i in range(start, end)
            if self.lowers[i] not in _JOINTS
            and self.texts[i] not in _POSSESSIVES
            and any(map(str.isalpha, self.texts[i]))
        ]
        if all(
            self.lowers[i] in _GENERIC or (self._is_short_form(i) and self.lowers[i] not in names)
            for i in content
        ):
            return True
        if label == "GPE" and end - start == 1 and self._is_no_place(start):
            return True
        after = self.lowers[end] if end < len(self.lowers) else ""
        if label == "PERSON" and (self._begins_statute(end) or self._begins_with_product(start)):
            return True
        if end - start > 1 and self.lowers[end - 1] in _ILLNESSES:
            return True
        if self._is_code(label, start, end, content) or self._is_part_of_phrase(
            label, end, content
        ):
            return True
        if not names.isdisjoint(self.lowers[start:end]) or after in FOLLOWING["HUMAN"]:
            return False
        if all(self._is_listed(i, label) for i in content):
            return True
        return end - start < 4 and self._is_eponym(start, end, content)

    def _is_short_form(self, i: int) -> bool:
        """Return whether a word is a listed abbreviation, and not the name of a speaker at the
        start of a line: GRACE (RN): Yes."""
        if self.texts[i] not in ABBREVIATIONS:
            return False
        opens = i == 0 or "\n" in self.texts[i - 1]
        speaks = opens and self.texts[i + 1 : i + 2] in ([":"], ["("])
        return not (speaks and is_name(self.texts[i]))

    def _is_no_place(self, i: int) -> bool:
        """Return whether a word is a language (in Latin), or initials of no listed place (S.B.)."""
        text = self.texts[i]
        classes = builtin_lexicon().of(text)
        if classes & (PLACES - {"region"}):
            return False
        return "language" in classes or _INITIALS.fullmatch(text) is not None

    def _is_code(self, label: str, start: int, end: int, content: Sequence[int]) -> bool:
        """Return whether short words in capitals are codes, as RA and NC of a clinical note are. A
        state is one after a town and a comma, or before a postal code; a firm, if it is listed."""
        texts = self.texts
        if label == "PERSON" or not content:
            return False
        for i in content:
            classes = builtin_lexicon().of(texts[i])
            known = "country" in classes or texts[i].lower() in FIRMS
            if known or not (texts[i].isupper() and len(texts[i]) == 2):
                return False
        town = texts[start - 2] if start > 1 and texts[start - 1] == "," else ""
        after_town = town.istitle() and len(town) > 2
        before_code = end < len(texts) and len(texts[end]) == 5 and texts[end].isdigit()
        placed = start > 0 and self.lowers[start - 1] in _BEFORE_PLACES
        return not (after_town or before_code or placed or self._is_shouted(start, end))

    def _is_common_noun(self, label: str, start: int, end: int) -> bool:
        """Return whether a mention is a common noun in small letters, or ends with one after its
        owner (Auntie's house), and is no name in a chat."""
        last, size = self.texts[end - 1], end - start
        if not (last.islower() and is_word(last)) or last in FIRM_ENDS:
            return False
        owned = end > 1 and self.texts[end - 2] in _POSSESSIVES
        if size > 1:
            return owned and size > 2 and label != "PERSON"
        classes = builtin_lexicon().of(last.capitalize())
        return owned or not classes & (PLACES | NAMES)

    def _is_shouted(self, start: int, end: int) -> bool:
        """Return whether the words beside a mention are in capitals too."""
        beside = (*self.texts[max(start - 2, 0) : start], *self.texts[end : end + 2])
        return any(word.isupper() and len(word) > 3 for word in beside)

    def _is_part_of_phrase(self, label: str, end: int, content: Sequence[int]) -> bool:
        """Return whether a mention of common words is no name: a department, or the beginning of a
        longer phrase (International Bank Account); or whether it is the first word of a species."""
        texts, lowers = self.texts, self.lowers
        after = texts[end] if end < len(texts) else ""
        if label == "PERSON":
            species = [i for i in (*content, end) if i < len(texts)][:2]
            return len(species) == 2 and self._is_species(*species)
        if label == "ORG" and len(content) == 1 and is_specialty(lowers[content[0]]):
            return True
        if label != "ORG" or not all(self._is_plain(i) for i in content):
            return False
        is_body = any(lowers[i] in ("of", "for") for i in range(content[0], end))
        return (lowers[content[-1]] in _DEPARTMENTS and not is_body) or (
            len(content) > 1 and after.istitle() and is_word(after.lower()) and not is_name(after)
        )

    def _is_plain(self, i: int) -> bool:
        """Return whether a word is a common word, and neither a name nor a place."""
        lexicon, text = builtin_lexicon(), self.texts[i]
        is_place = lexicon.of(text) & PLACES and lexicon.plainness(text) < 0.5
        return not is_name(text) and is_word(self.lowers[i]) and not is_place

    def _is_species(self, i: int, j: int) -> bool:
        """Return whether two words are a species: a genus or an unlisted word, and a Latin word in
        small letters."""
        first, second = self.texts[i], self.lowers[j]
        return (
            (self.lowers[i] in PRODUCTS or not is_name(first))
            and self.texts[j].islower()
            and not is_word(second)
            and pattern("SPECIES_END").fullmatch(second) is not None
        )

    def _begins_with_product(self, i: int) -> bool:
        """Return whether a word is that of a drug or a ware, and of nobody: Vicryl Rapide."""
        return self.lowers[i] in PRODUCTS and not is_name(self.texts[i])

    def _begins_statute(self, end: int) -> bool:
        """Return whether the capitalised words from token `end` on complete a statute's name."""
        title = takewhile(
            lambda i: self.texts[i].istitle(), range(end, min(end + 4, len(self.doc)))
        )
        return any(self.lowers[i] in _STATUTES for i in title)

    def _is_listed(self, i: int, label: str) -> bool:
        """Return whether the i-th word is a term by itself."""
        if (i, label) not in self._listed:
            self._listed[i, label] = self._look_up(i, label)
        return self._listed[i, label]

    def _look_up(self, i: int, label: str) -> bool:
        text, lower = self.texts[i], self.lowers[i]
        if lower in PRODUCTS or lower in _EPONYMS_ALONE or self._is_short_form(i):
            return True
        if is_name(text) and not (label == "PERSON" and self._is_short_form_of_text(i)):
            return lower in DIAGNOSES and text != lower.capitalize()
        is_diagnosis = lower in DIAGNOSES or lower.removesuffix("s") in DIAGNOSES
        if is_diagnosis or pattern("MEDICAL_END").fullmatch(lower):
            return True
        if label == "PERSON":
            titled = text.istitle() and text.upper() in ABBREVIATIONS
            short = titled or self._is_abbreviation(i)
            return short or is_brand(lower) or pattern("COMMON_END").search(lower) is not None
        return label == "GPE" and lower in GOODS  # several makers have the names of towns

    def _is_abbreviation(self, i: int) -> bool:
        """Return whether a word is one letter, or a few capitals beside words not in capitals."""
        text = self.texts[i].rstrip(".")
        if len(text) == 1:
            return True
        beside = (*self.texts[max(i - 1, 0) : i], *self.texts[i + 1 : i + 2])
        shouted = any(word.isupper() and len(word) > 1 for word in beside)
        return text.isupper() and len(text) <= _MAX_ABBREVIATION and not shouted

    def _is_short_form_of_text(self, i: int) -> bool:
        """Return whether three capitals within a line are a family name in lists only, where the
        words beside them have small letters: tell MOH."""
        text, before = self.texts[i], self.texts[i - 1] if i else ""
        if not (len(text) == 3 and self._is_abbreviation(i)) or "SURE_FIRST" in kinds(text.title()):
            return False
        after = self.texts[i + 1 : i + 2]
        return bool(before.strip()) and after not in ([":"], [","]) and before not in ",:(|"

    def _is_eponym(self, start: int, end: int, content: Sequence[int]) -> bool:
        """Return whether an illness, sign, test or device is named after the person."""
        texts, lowers = self.texts, self.lowers
        last = end - (texts[end - 1] in _POSSESSIVES)
        owns = last < len(texts) and texts[last] in _POSSESSIVES
        after = last + owns
        if owns and lowers[start] in _POSSESSED:
            return True
        if after >= len(texts):
            return False
        if lowers[after] in TERM_NOUNS and not texts[after].istitle():
            return True
        if not all(lowers[i] in _EPONYMS for i in content):
            return False
        if any(_ROMAN.fullmatch(word) and word != "I" for word in texts[last - 1 : after + 1]):
            return True
        scored = lowers[last - 1] in _SCORES and _SCORE.fullmatch(texts[after])
        return bool(scored) or any(word in _FINDINGS for word in lowers[after : after + 2])


def _is_thing(kind: str, texts: Sequence[str]) -> bool:
    """Return whether a name in a cell is that of a thing. kind: what the head says of its cells."""
    if kind == "WARE":
        is_full = len(texts) > 1 and is_name(texts[-1])
        return not (is_full and builtin_lexicon().is_first_name(texts[0]))
    is_listed = any(is_name(text) or builtin_lexicon().of(text) & PLACES for text in texts)
    return kind == "THING" and not is_listed


def is_brand(lower: str) -> bool:
    """Return whether a word is the name of goods or of a maker of them, also in the plural."""
    bare = lower if lower.isascii() else without_accents(lower)
    return not _BRANDS.isdisjoint((lower, bare, bare.removesuffix("s")))


def is_specialty(lower: str) -> bool:
    """Return whether a word is that of a branch of medicine or science, as of a department."""
    return _SPECIALTY.fullmatch(lower) is not None


def is_rather_common(word: str) -> bool:
    """Return whether a word is rather a common word than a name."""
    return is_plain(word) or is_only_ordinary(word)


def _separates(
    doc: Doc, label: str, i: int, *, start: int, end: int, of: int, ends: dict[int, list[Entity]]
) -> bool:
    """Return whether the i-th token, which is part of a match, separates two mentions. A match may
    be as long as the text, so no answer reads all of a long one.

    of: The first "of" in the match, or its end.
    """
    token = doc[i]
    text = token.text
    if token.is_lower and text in _BETWEEN[label]:
        # A tokenizer takes wed for we'd.
        return bool(token.whitespace_) or not doc[i + 1 : i + 2].text.isalpha()
    if label == "DATE":
        return text in _AND and _is_holiday(doc, start, i)
    if label not in _NAMED or not start < i < end - 1:
        return False
    if token.lower_ in _STARTS and doc[i - 1].text.endswith("."):
        return True  # a new sentence begins
    if token.is_space:
        return "\n" in text
    if text in _SEPARATORS and token.whitespace_ and doc[i - 1].whitespace_:
        return text != "&" or label != "ORG" or _completes(ends[i])
    if text in _BREAKS or text in QUOTES:
        return _breaks(doc, label, i, start, end)
    if text == ",":
        return _comma_separates(doc, label, i, ends)
    if text in _AND:
        return label != "ORG" or _separates_firms(doc, i, start, end, of, ends)
    return False


def _comma_separates(doc: Doc, label: str, i: int, ends: dict[int, list[Entity]]) -> bool:
    """Return whether a comma separates two firms or two places."""
    if label == "ORG":
        before, after = doc[i - 1].text, doc[i + 1].text
        partners = is_name(before) and is_name(after) and not _completes(ends[i])
        partners &= kinds(after).isdisjoint({"WEEKDAY", "MONTH"})
        return not (partners or after.rstrip(".") in LEGAL)
    after = doc[i + 1].text
    return label == "GPE" and not (after in STATES or "state" in builtin_lexicon().of(after))


def _is_holiday(doc: Doc, start: int, end: int) -> bool:
    """Return whether tokens are a holiday, which is no part of a list: Good Friday and 25 May."""
    if end - start > _LONGEST_HOLIDAY:
        return False
    return pattern("HOLIDAY").fullmatch(doc[start:end].text.lower()) is not None


def _breaks(doc: Doc, label: str, i: int, start: int, end: int) -> bool:
    """Return whether a mark ends a mention: no full stop within a legal form (Pte. Ltd.), no
    brackets of a firm, and of the single quotes the first of a nickname: Ada 'Bo' Lind."""
    text = doc[i].text
    if text not in _BREAKS:
        return label == "PERSON" and bool(doc[i - 1].whitespace_)
    if text == "." and label == "ORG" and doc[i - 1].text in LEGAL:
        return doc[i + 1].text.rstrip(".") not in LEGAL
    return text not in "()" or label == "GPE" or not _is_in_brackets(doc, start, end)


def _is_in_brackets(doc: Doc, start: int, end: int) -> bool:
    """Return whether a match has one pair of brackets, and no other bracket."""
    brackets = (token.text for token in doc[start:end] if token.text in "()")
    return [*islice(brackets, 3)] == ["(", ")"]


def _separates_firms(
    doc: Doc, i: int, start: int, end: int, of: int, ends: dict[int, list[Entity]]
) -> bool:
    """Return whether "and" or "for" separates two firms. It joins common words after "of" (Office
    of Science and Technology), "Sons", and words of listed firms; "for" also joins after nouns."""
    before, after = doc[i - 1].text, doc[i + 1].text
    if _completes(ends[i]) or (i - start > 1 and before.rstrip(".") in FIRM_ENDS):
        return True
    if doc[i].text == "for":
        return before not in FIRM_ENDS
    if end - start <= _LONGEST_FIRM and doc[start:end].text.lower().rstrip(".") in FIRMS:
        return False
    common = [is_word(word.lower()) and not is_name(word) for word in (before, after)]
    return after != "Sons" and not (of < i and all(common))


def _completes(matches: Collection[Entity]) -> bool:
    """Return whether matches that end at the same token include a complete mention."""
    return any(label in _COMPLETE or (label == "PERSON" and e - s > 1) for label, s, e in matches)


def _is_name_alone(doc: Doc, start: int, end: int) -> bool:
    """Return whether a part of a match can be a name: it has a word that is neither common nor a
    role."""
    named = (t for t in doc[start:end] if not (t.is_punct or t.lower_ in LISTED["ROLE"]))
    return any(not is_word(t.lower_) or is_name(t.text) for t in named)
