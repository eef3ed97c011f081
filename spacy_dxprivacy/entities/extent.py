"""Split mentions at words and marks that separate two names.

A recogniser may join adjacent names ("Paris with Chase", "Smith v. Jones"). A surrogate replaces
all words of a mention, so the words between the two names would be lost. `Bounds` splits mentions
at these words, which the public lists BETWEEN_NAMES and BETWEEN_DATES contain, and drops those that
are facts or terms.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cache, partial
from itertools import accumulate, islice
from weakref import WeakKeyDictionary

from spacy.attrs import IS_PUNCT, IS_SPACE
from spacy.tokens import Doc, Span

from ..text.mentions import QUOTES, Entity, initials_in, is_word, plain_label
from .facts import AND, NAMED
from .phrases import in_tokens
from .tables import FIRMS, LISTED, STATES, alternatives, expanded, pattern, words
from .terms import FIRM_ENDS, LEGAL, POSSESSIVES, SHORT_GIVEN, Terms
from .words import builtin_lexicon, is_name, kinds

_PHRASED = NAMED | {"ADDRESS"}
_COMPLETE = frozenset({"GPE", "ORG", "DATE", "TIME", "ADDRESS"})
_BETWEEN = {label: words("BETWEEN_NAMES") for label in NAMED} | {"DATE": words("BETWEEN_DATES")}
_SEPARATORS = frozenset("- – — − / | • · & + *".split())  # of two names, if surrounded by blanks
_BREAKS = frozenset('. ; : ( ) [ ] { } … ” “ " ? !'.split())
_KINDS = FIRM_ENDS.union(expanded("FIRM_WARES").split("|"))
_AIMED = frozenset("Fund Home Hostel House Lodge Mission Refuge Shelter".split())  # for seafarers
_LONGEST_FIRM = max(map(len, FIRMS))  # in characters: no name has more tokens
_GROUP = re.compile(r"\((?:[^()\\]|\\.)*\)|\[[^]]*\]|\w\?")
_LETTERS = re.compile(r"\w+")
_PAPERS = frozenset(
    "accounts agenda agm bulletin constitution meeting members minutes newsletter notice "
    "proceedings records report rules".split()
)
_COURTS = frozenset("court courts tribunal tribunals police".split())


def _by_longest_word(*sections: str, form: str = "{}") -> dict[str, list[str]]:
    """Return longest word -> the phrases that have it, each in a form. Most texts have none of the
    words, and are searched for few phrases."""
    phrases = defaultdict[str, list[str]](list)
    for phrase in (p for section in sections for p in alternatives(expanded(section))):
        outside = phrase
        while (inner := _GROUP.sub(" ", outside)) != outside:
            outside = inner
        phrases[max(_LETTERS.findall(outside.lower()), key=len)].append(form.format(phrase))
    return phrases


# Phrases of which no part is a name.
_FIXED = _by_longest_word("EPONYM_PHRASES")
for _word, _phrases in _by_longest_word("LATIN", "DEEDS", "NAMED_THINGS", form="(?i:{})").items():
    _FIXED[_word] += _phrases
_SALUTATION_WORDS = _by_longest_word("SALUTATIONS", "THANKS").keys()


@cache
def _fixed_with(word: str) -> re.Pattern[str]:
    """Return the pattern of the fixed phrases whose longest word is this one."""
    return re.compile(rf"\b(?:{'|'.join(_FIXED[word])})\b")


_ARTICLE = frozenset({"the"})
_ADVERBS = frozenset("yesterday today tomorrow then later also now".split())
_OPENINGS = {"GPE": _ADVERBS, "ORG": _ADVERBS | _ARTICLE | {"and"}}
_STARTS = _ARTICLE | words("BETWEEN_NAMES")
_LINKS = frozenset("on in for of and or and/or to at by with from as".split())
# Marks and words that may separate two mentions.
_MARKS = _SEPARATORS | _BREAKS | AND | {","}
_WORDS = _STARTS | AND | words("BETWEEN_DATES")
_CALL_WORDS = frozenset(expanded("CALL_WORD").split("|")) | {"email", "ext", "extn"}
_NEAR_GAP = 40  # tokens beside a gap, in which another one is sought
_ENDS = frozenset(".!?:")
_LONGEST_HOLIDAY = 5  # tokens


_bounds: WeakKeyDictionary[Doc, Bounds] = WeakKeyDictionary()


class Bounds(Terms):
    """Splits and trims the mentions of a document, and drops facts and terms. Looks up the tokens
    once for all mentions."""

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
        words_of_text = {*self.lowers}
        named = [_fixed_with(word) for word in words_of_text if word in _FIXED]
        if not _COURTS.isdisjoint(words_of_text):
            named.append(pattern("COURTS"))
        if not _SALUTATION_WORDS.isdisjoint(words_of_text):
            named.append(pattern("SALUTATION"))
        for match in (match for form in named for match in form.finditer(self.text)):
            _, first, last = in_tokens(doc, "", *match.span())
            is_fixed = " " in match[0] or match[0].lower() == "police"
            for i in range(first, last):
                self._phrases[i] = min(self._phrases.get(i, first), 0 if is_fixed else first)

    @classmethod
    def of(cls, doc: Doc) -> Bounds:
        """Return those of a Doc, the same for all components that read it."""
        bounds = _bounds.get(doc)
        if bounds is None or not bounds.are_of(doc):
            bounds = _bounds[doc] = cls(doc)
        return bounds

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
        for label, start, end in self.without_facts(matches):
            fixed = self._phrase_tokens(label, start, end)
            if label in ("PERSON", "ORG") and any(self.lowers[i] in _COURTS for i in fixed):
                label = "GPE"  # a court has the name of its place
            match = Entity(label, start, end)
            for part in self._persons_of_firms(match) if label == "ORG" else (match,):
                parts = [*self._pieces(part, fixed, ends)]
                # A part may be a value alone: M8, in "in place of M8. Board".
                pieces += parts if parts == [match] else self.without_facts(parts)
        return self.without_terms(pieces, persons)

    def _persons_of_firms(self, match: Entity) -> Iterator[Entity]:
        """Yield a match, or the person and the firm that "of" or a comma separates: Ada Lind of
        Lind & Co; Ada Lind, Lind & Co. Of an estate yield the person alone, and of minutes and
        other papers the body whose they are."""
        _, start, end = match
        comma = self.texts.index(",", start, end) if "," in self.texts[start:end] else end
        if comma < end - 1 and self._is_of_firm(start, comma):
            yield Entity("PERSON", start, comma)
            yield Entity("ORG", comma + 1, end)
            return
        of = self.texts.index("of", start, end) if "of" in self.texts[start:end] else end
        if of >= end - 1:
            yield match
        elif of == start + 1 and self.lowers[start] in _PAPERS:
            yield Entity("ORG", of + 1, end)
        elif self.lowers[start:of] == ["estate"] and self._is_full_name(of + 1, end):
            yield Entity("PERSON", of + 1, end)
        elif self._is_full_name(start, of):
            yield Entity("PERSON", start, of)
            yield Entity("ORG", of + 1, end)
        else:
            yield match

    def _is_of_firm(self, start: int, end: int) -> bool:
        """Return whether a full name stands before the comma of a firm whose first name is its
        family name."""
        words = self.texts[start:end]
        is_name = 1 < len(words) < 4 and words[-1] == self.texts[end + 1]
        return is_name and "first_name" in builtin_lexicon().of(words[0])

    def _is_full_name(self, start: int, end: int) -> bool:
        """Return whether two or three words begin with a first name and end with no legal form."""
        words = self.texts[start:end]
        if not 1 < len(words) < 4 or words[-1].rstrip(".") in FIRM_ENDS:
            return False
        is_named = "SURE_FIRST" in kinds(words[0]) and not is_word(words[-1].lower())
        return is_named and all(map(str.istitle, words))

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """Return the extent without white space, marks and linking words at both ends, and without
        a possessive ending ('s) at its start."""
        while start < end and (self._are_marks[start] or self.texts[start] in POSSESSIVES):
            start += 1
        while start < end and self._are_marks[end - 1]:
            end -= 1
        return start, end

    def _phrase_tokens(self, label: str, start: int, end: int) -> Collection[int]:
        """Return the tokens of a match that are part of a legal or Latin phrase."""
        if label not in _PHRASED or not self._phrases:
            return ()
        fixed = {i for i in range(start, end) if self._phrases.get(i, end) <= start}
        return fixed if label in NAMED or len(fixed) == end - start else ()

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
            low, high = self.trim(first, i) if label in NAMED else (first, i)
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
        for i in range(start + 1, end):
            after = self.texts[i + 1] if i + 1 < len(self.texts) else ""
            if self.lowers[i].rstrip(".") in _CALL_WORDS and not after[:1].isalpha():
                return i
        return end


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
        return text in AND and _is_holiday(doc, start, i)
    if label not in NAMED or not start < i < end - 1:
        return False
    if token.lower_ in _STARTS and doc[i - 1].text.endswith("."):
        return True  # a new sentence begins
    if token.is_space:
        return "\n" in text or _is_gap(doc, label, i)
    if text in _SEPARATORS and token.whitespace_ and doc[i - 1].whitespace_:
        is_of_firm = text == "&" and label == "ORG"
        return not is_of_firm or (_completes(ends[i]) and not _joins_kinds(doc, i, end))
    if text in _BREAKS or text in QUOTES:
        return _breaks(doc, label, i, start, end)
    if text == ",":
        return _comma_separates(doc, label, i, ends)
    if text in AND:
        return label != "ORG" or _separates_firms(doc, i, start, end, of, ends)
    return False


def _is_gap(doc: Doc, label: str, i: int) -> bool:
    """Return whether blanks are a gap between the columns of a line: three of them, or between two
    persons two, in a line with another gap that ends no sentence. Tarn  Freight  Ltd is one."""
    if len(doc[i].text) > 1 or label != "PERSON":
        return len(doc[i].text) > 1
    for step in (-1, 1):
        for k in range(i + step, i + step * _NEAR_GAP, step):
            if not 0 < k < len(doc) or "\n" in doc[k].text:
                break
            if doc[k].is_space and doc[k - 1].text not in _ENDS:
                return True
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
    if text == "." and label == "PERSON" and doc[i - 1].lower_ in SHORT_GIVEN:
        return False  # Ma. Grace
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
    if doc[i].text != "for" and _joins_kinds(doc, i, end):
        return False
    if _completes(ends[i]) or (i - start > 1 and before.rstrip(".") in FIRM_ENDS):
        return True
    if doc[i].text == "for":
        return before not in FIRM_ENDS | _AIMED
    if end - start <= _LONGEST_FIRM and doc[start:end].text.lower().rstrip(".") in FIRMS:
        return False
    return after != "Sons" and not (of < i and _are_common(before, after))


def _are_common(*named: str) -> bool:
    return all(is_word(word.lower()) and not is_name(word) for word in named)


def _joins_kinds(doc: Doc, i: int, end: int) -> bool:
    """Return whether "and" joins common words that say of what kind a firm is, whose last word
    follows: Lobb Mill Allotment and Leisure Gardens Society; not Lobb Trust and City Bank."""
    before, last = doc[i - 1].text.rstrip("."), doc[end - 1].text.rstrip(".")
    is_one = before not in FIRM_ENDS and last in _KINDS and end - i > 2
    return is_one and _are_common(before, doc[i + 1].text)


def _completes(matches: Collection[Entity]) -> bool:
    """Return whether matches that end at the same token include a complete mention."""
    return any(label in _COMPLETE or (label == "PERSON" and e - s > 1) for label, s, e in matches)


def _is_name_alone(doc: Doc, start: int, end: int) -> bool:
    """Return whether a part of a match can be a name: it has a word that is neither common nor a
    role."""
    named = (t for t in doc[start:end] if not (t.is_punct or t.lower_ in LISTED["ROLE"]))
    return any(not is_word(t.lower_) or is_name(t.text) for t in named)
