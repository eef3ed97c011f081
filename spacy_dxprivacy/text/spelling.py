"""Restore capitals, contractions, articles and blanks of a released text.

This is post-processing: it never reads replaced words.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import srsly

from ..about import DATA
from ..arrays import Bools1d, Ints1d

_MAX_ABBREVIATION_LETTERS = 5  # letters, spelled out; longer words in capitals are emphasis

_SILENT_H = re.compile(r"hour|honest|honou?r|heir")
# "you" and "won": university, user, urine, European, one; but not uninsured, usher, urgent.
_CONSONANT = re.compile(
    r"uni(?!n|m|dent|ss)|us(?:[aeu]|ing|ur)|ut(?:e|i|o|ah)|ur(?:[aeio](?!n[- ])|ol)|ubi|uvu|uga|uk|"
    r"eu|ew|one(?:s|self)?$|one-|once"
)
_LETTERS_WITH_VOWEL = frozenset("aefhilmnorsx")  # as their names begin: em, ar, ex
_SIGNED = re.compile(r"[-+.]+\d", re.ASCII)
_TEENS = re.compile(r"(?:11|18)(?:,\d{3})*(?:\.|$)|(?:11|18)\d\d$", re.ASCII)
_SENTENCE_END = re.compile(r"[.!?\u2026]|[!?]{2,}")
_LISTS: dict[str, Any] = srsly.read_json(DATA / "spelling.json")
_SPOKEN = frozenset(_LISTS["spoken"])  # abbreviations that are pronounced as words
_FULL_FORMS: dict[str, str] = _LISTS["full_forms"]
_NEGATIONS = {"n't", "n\u2019t"}
# Stems of "can't", "won't" and "shan't", and variants of "n't".
_STEMS: dict[str, str] = _LISTS["stems"]
_HOSTS: dict[str, list[str]] = _LISTS["hosts"]
# After these words, "'s" is not possessive and is written in full.
_OWNERLESS = frozenset(_LISTS["ownerless"])
# Common words with a capital beside a name.
_BEFORE_NAMES: dict[str, list[str]] = _LISTS["before_names"]
_AFTER_NAMES: dict[str, list[str]] = _LISTS["after_names"]
_OPENING = {'"', "'", "(", "[", "\u201c", "\u2018", "``"}
# Words that do not begin or end a compound such as "follow-up" or "mother-in-law".
_NO_COMPOUND = frozenset(_LISTS["no_compound"])
_NO_END = _NO_COMPOUND | {"a", "for", "at", "so", "not", "would"}  # but "for-profit", "so-called"
_BEFORE_NOT = frozenset(_LISTS["before_not"])

# Kinds of words for the rules below, one bit each.
_IS_WORD, _ENDS_WORD, _BEGINS_WORD, _CLITIC, _FULL, _ARTICLE, _BESIDE = (1 << i for i in range(7))
_BLANK, _LINE, _LINES, _STOP, _BULLET = (1 << i for i in range(7, 12))
_HYPHEN = 1 << 12
_PLAIN = _IS_WORD | _ENDS_WORD | _BEGINS_WORD
_LISTED: tuple[tuple[frozenset[str], int], ...] = (
    (frozenset({"'s", "\u2019s", "'", "\u2019", *_FULL_FORMS}), _CLITIC),
    (frozenset({"'s", "\u2019s", *_FULL_FORMS, *_STEMS}), _FULL),
    (frozenset({"a", "an"}), _ARTICLE),
    (frozenset({*_BEFORE_NAMES, *_AFTER_NAMES}), _BESIDE),
    (frozenset({"-", "*", "\u2022", "\u2013", "\u2014", ">"}), _BULLET),
    (frozenset({"-", "\u2010", "\u2011", "\u2013"}), _HYPHEN),
)
_ANY_LISTED = frozenset[str]().union(*(words for words, _ in _LISTED))


def spell(
    words: Sequence[str], spaces: Bools1d, drawn: Bools1d, firsts: Ints1d | None = None
) -> tuple[list[str], Bools1d]:
    """Spell the drawn words of packed documents as a person would; other words are unchanged.

    Drawn words get a capital at the start of a sentence; clitics are written in full where they do
    not fit; "a" and "an" depend on the next word; words are separated; and a hyphen without a
    compound becomes a dash. spaces, drawn: bool (t,). firsts: first words of documents, or None.
    """
    text = _Text(words, spaces, drawn, np.zeros(1, dtype=np.int64) if firsts is None else firsts)
    if drawn.any():
        for rule in RULES:
            rule(text)
    return text.words, text.spaces


def match_case(word: str, model: str) -> str:
    """Return the word in the case of another: UPPER, Title or lower."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    if model[:1].isupper():
        return capitalised(word)
    return word.lower() if model.islower() else word


def capitalised(word: str) -> str:
    """Return the word with a capital first letter."""
    return word[:1].upper() + word[1:]


class _Text:
    """The t words of packed documents.

    kinds: int64 (t,). first: bool (t + 1,), where a document begins, and after the last one.
    """

    def __init__(
        self, words: Sequence[str], spaces: Bools1d, drawn: Bools1d, firsts: Ints1d
    ) -> None:
        self.words, self.spaces, self.drawn = list(words), spaces.copy(), drawn
        self.kinds = _kinds(self.words)
        self.first = np.zeros(len(self.words) + 1, dtype=bool)
        self.first[firsts] = self.first[-1] = True

    def are(self, kind: int) -> Bools1d:
        """Return the words of this kind, bool (t,)."""
        mask: Bools1d = (self.kinds & kind) != 0
        return mask

    def drawn_of(self, kind: int) -> Iterator[tuple[int, str, str, str]]:
        """Yield the place of each drawn word of this kind, the word, and its neighbours in its
        document or "", with changes so far."""
        words, first = self.words, self.first
        for i in np.flatnonzero(self.drawn & self.are(kind)).tolist():
            left, right = not first[i], not first[i + 1]
            yield i, words[i], words[i - 1] if left else "", words[i + 1] if right else ""


def _kinds(words: Iterable[str]) -> Ints1d:
    listed, cached = _ANY_LISTED, _KIND_OF
    kinds = [
        _PLAIN if w.isalpha() and w not in listed else cached.get(w) or _kind(w) for w in words
    ]
    return np.array(kinds, dtype=np.int64)


def _kind(word: str) -> int:
    kind = sum(bit for listed, bit in _LISTED if word in listed)
    kind |= _BEGINS_WORD * (word[:1].isalnum() or word[:1] == "[")
    kind |= _ENDS_WORD * _ends_a_word(word)
    if any(map(str.isalnum, word)):
        return kind | _IS_WORD
    if word and not word.isspace():
        return kind | _STOP * (_SENTENCE_END.fullmatch(word) is not None)
    lines = word.count("\n")
    return kind | _BLANK | _LINE * (lines > 0) | _LINES * (lines > 1)


def _ends_a_word(word: str) -> bool:
    return word[-1:].isalnum() or word[-1:] == "]"


_KIND_OF = {word: _kind(word) for word in (*_ANY_LISTED, *string.punctuation, "...", "\n", "\n\n")}


def _fit_clitics(text: _Text) -> None:
    """Write drawn clitics and their stems in full where they do not fit."""
    for i, word, left, right in text.drawn_of(_FULL):
        if word in _FULL_FORMS:
            hosts = _BEFORE_NOT if word in _NEGATIONS else _HOSTS[word[1:]]
            spelled = word if left.lower() in hosts else _FULL_FORMS[word]
        elif word in _STEMS:
            spelled = word if right in _NEGATIONS else _STEMS[word]
        else:
            owns = _ends_a_word(left) and left.lower() not in _OWNERLESS
            spelled = word if owns else "is"
        if spelled != word:
            text.words[i] = spelled
            text.kinds[i : i + 1] = _kinds([spelled])


def _fit_articles(text: _Text) -> None:
    """Replace drawn "a" and "an" by the sound of the next word."""
    words, first = text.words, text.first
    for i, word, _, right in text.drawn_of(_ARTICLE):
        quoted = right in _OPENING and not first[i + 2]
        follows = words[i + 2] if quoted else right
        words[i] = (article_before(follows) or word) if follows else word


def article_before(word: str) -> str | None:
    """Return "a" or "an"; None before tokens without a sound, such as a comma."""
    if len(word) > 1 and word.isascii() and word.isalpha() and word.islower():
        if word[0] in "bcdfgjklmnpqrstvwxyz":  # a consonant, whatever follows
            return "a"
    if _SIGNED.match(word):
        return "a"  # minus, plus, point
    first = re.search(r"\w.*", word)
    if first is None:
        return None
    return "an" if _begins_with_vowel(first.group()) else "a"


def _begins_with_vowel(word: str) -> bool:
    if word[0].isdigit():
        return word[0] == "8" or _TEENS.match(word) is not None
    part = re.split(r"[-'\u2019./]", word)[0]
    # Letters that are spelled out: X, MRI, HIVs.
    stem = part.removesuffix("s")
    abbreviated = 1 < len(stem) <= _MAX_ABBREVIATION_LETTERS and stem.isupper()
    if len(part) == 1 or (abbreviated and stem.lower() not in _SPOKEN):
        return part[0].lower() in _LETTERS_WITH_VOWEL
    lower = without_accents(word.lower())
    if lower[0] == "h":
        return _SILENT_H.match(lower) is not None
    return lower[0] in "aeiou" and _CONSONANT.match(lower) is None


def without_accents(word: str) -> str:
    """Return a word without accents and ligatures."""
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def _fit_names(text: _Text) -> None:
    for i, word, left, right in text.drawn_of(_BESIDE):
        if right in _BEFORE_NAMES.get(word, ()) or left in _AFTER_NAMES.get(word, ()):
            text.words[i] = capitalised(word)


def _fit_blanks(text: _Text) -> None:
    """Remove blanks before drawn clitics; add blanks between words without one."""
    drawn, clitic, ends = text.drawn, text.are(_CLITIC), text.are(_ENDS_WORD)
    before = text.spaces[:-1]
    # A drawn apostrophe ends a word ("As'"); any other may open a quotation.
    separate = (ends | (drawn & clitic))[:-1] & text.are(_BEGINS_WORD)[1:]
    joined = ~before & (drawn[:-1] | drawn[1:])
    without_clitics = np.where(joined, separate, before)
    spaces = np.where(clitic[1:], before & ~(drawn[1:] & ends[:-1]), without_clitics)
    text.spaces[:-1] = np.where(text.first[1:-1], before, spaces)


def _fit_hyphens(text: _Text) -> None:
    """Surround a hyphen between drawn words by blanks, as a dash, if they form no compound."""
    words, spaces, drawn, last = text.words, text.spaces, text.drawn, len(text.words) - 1
    together, joined = ~spaces[:-1] & ~text.first[1:-1], text.are(_HYPHEN)
    joined[:-1] &= together & text.are(_BEGINS_WORD)[1:]
    joined[1:] &= together & text.are(_ENDS_WORD)[:-1]
    joined[:1] = joined[-1:] = False
    for i in np.flatnonzero(joined).tolist():
        inner_left, inner_right = i > 1 and joined[i - 2], i + 2 < last and joined[i + 2]
        left = drawn[i - 1] and not inner_left and words[i - 1] in _NO_COMPOUND
        right = drawn[i + 1] and not inner_right and words[i + 1] in _NO_END
        if left or right:
            spaces[i - 1] = spaces[i] = True


def _capitalise(text: _Text) -> None:
    """Capitalise the first word of sentences, of lines after a full stop, and of list items."""
    blank, is_word, begins = text.are(_BLANK), text.are(_IS_WORD), text.first[:-1]
    line = _since(~blank, text.are(_LINE) & blank, begins)
    sentence = text.are(_STOP) | text.are(_LINES) | (line & text.are(_BULLET) & ~is_word & ~blank)
    starts = _since(is_word, sentence, begins)
    for i in np.flatnonzero(text.drawn & is_word & starts).tolist():
        text.words[i] = capitalised(text.words[i])


RULES = (_fit_clitics, _fit_blanks, _fit_hyphens, _fit_articles, _fit_names, _capitalise)


def _since(last: Bools1d, event: Bools1d, begins: Bools1d) -> Bools1d:
    """Return whether, before each place, the last event or begin of a document comes after the last
    True of `last`, bool (t,)."""
    place = np.arange(len(last))
    latest, events = (
        np.append(-1, np.maximum.accumulate(np.where(mask, place, -1))[:-1])
        for mask in (last, event)
    )
    began = np.maximum.accumulate(np.where(begins, place, 0))
    is_since: Bools1d = (latest < began) | (events > latest)
    return is_since
