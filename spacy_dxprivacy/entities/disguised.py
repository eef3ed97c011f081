"""Find disguised names: spaced out, joined together, or with letters replaced by other signs.

Examples are P E T E R, P.e.t.e.r, Pe-ter, P3t3r, P&#101;ter, #PeterOkafor, peterokafor1987, and a
name that a line break splits. Regular expressions find these forms. The disguised word must then
be a listed name that is not a common word, or a long word that no list holds. Ordinary text
contains almost none of these forms.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from ..text.mentions import Entity, is_word
from ..text.tokens import Tokens
from .phrases import in_tokens
from .words import builtin_lexicon, is_name

MIN_LISTED, MIN_UNLISTED = 4, 6  # minimum letters of a disguised name: listed, and unlisted
MAX_JOINED = 40  # maximum letters of two names in one word
_L = r"[^\W\d_]"
# Three letters or more with the same separator between them: P.e.t.e.r, P E T E R.
_LETTERS = re.compile(
    rf"(?<![^\W_])(?<![.'’\-]){_L}(?P<joint>[ .\-_*/·•|~]|\. ){_L}(?:(?P=joint){_L})+(?![^\W_])"
)
_LEET = str.maketrans("013457@$!", "oieastasi")
_LEET_WORD = re.compile(
    r"(?<![\w@$!.#/&-])(?=[\d@$!]{0,40}[A-Za-z])[A-Za-z013457@$!]{4,40}(?![\w@./&-]|\.\w)"
)
_LEET_SIGN = re.compile(r"[013457@$!](?=[\d@$!]*[A-Za-z])")
_PARTED = re.compile(rf"(?<![\w-]){_L}+-\n?{_L}+(?![\w-])")
_REFERENCE = re.compile(
    r"(?<![\w&;])(?=[\w;]{0,30}&)(?:\w|&(?:#\d{1,6}|#x[\da-fA-F]{1,5}|[a-zA-Z]{2,8});){2,60}"
)
_GLUED = re.compile(rf"(?<![\w.@/-])(?P<tag>[#@])?(?P<word>{_L}{{6,40}})\d{{0,4}}(?![\w@/-]|\.\w)")
_CAMEL = re.compile(r"[^\W\d_a-z][^\W\d_A-Z]+")


def match_disguised(tokens: Tokens) -> list[Entity]:
    """Return the disguised names of a text as (DISGUISED, start, end) in tokens."""
    text = tokens.text
    spans = [*_parted(text), *_references(text), *_glued(text), *_spans_of_parts(text, _leet(text))]
    spans += _spans_of_parts(text, map(_spelled, _LETTERS.finditer(text)))
    return [in_tokens(tokens.doc, "DISGUISED", *span) for span in spans]


def _is_listed(word: str) -> bool:
    """Return whether a word is a listed name of sufficient length and not a common word."""
    return len(word) >= MIN_LISTED and is_name(word) and not is_word(word.lower())


def _is_unlisted(word: str) -> bool:
    """Return whether a word is long, in no list, and its letters are not in alphabetical order."""
    lower = word.lower()
    rank = builtin_lexicon().rank
    is_listed = lower in rank or lower.capitalize() in rank or word.upper() in rank
    ordered = all(a < b for a, b in pairwise(lower))
    return len(word) >= MIN_UNLISTED and not is_listed and not ordered


def _spans_of_parts(text: str, parts: Iterable[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """Join adjacent parts (start, end, is a name). Return the runs that contain a name."""
    runs: list[tuple[int, int, bool]] = []
    for start, end, named in parts:
        gap = text[runs[-1][1] : start] if runs else "-"
        if not gap.strip(" \t") and len(gap) < 8:
            runs[-1] = runs[-1][0], end, runs[-1][2] or named
        else:
            runs.append((start, end, named))
    return ((start, end) for start, end, named in runs if named)


def _spelled(match: re.Match[str]) -> tuple[int, int, bool]:
    """Return (start, end, is a name) for letters with a separator between them."""
    joint = match["joint"]
    word = match[0].replace(joint, "")
    is_abbreviation = joint != " " and word.isupper() and len(word) < 2 * MIN_LISTED
    named = _is_listed(word) or (_is_unlisted(word) and not is_abbreviation)
    named = named or (
        joint == " " and MIN_UNLISTED < len(word) <= MAX_JOINED and _is_two_names(word)
    )
    return *match.span(), named


def _is_two_names(word: str) -> bool:
    parts = ((word[:i], word[i:]) for i in range(3, len(word) - 2))
    return any(is_name(first) and is_name(last) for first, last in parts)


def _leet(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, is a name) for words in which digits or signs replace letters."""
    for match in _LEET_WORD.finditer(text):
        word = match[0].rstrip("!")
        is_variable = word[0] == "$" and is_word(word[1:].lower())  # $PATH
        if not is_variable and _LEET_SIGN.search(word) and sum(map(str.isalpha, word)) > 1:
            start = match.start()
            yield start, start + len(word), _is_listed(word.translate(_LEET))


def _parted(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of names with an inserted hyphen, at the end of a line or within it."""
    if "-" not in text:
        return
    for match in _PARTED.finditer(text):
        first, _, last = match[0].partition("-")
        last = last.lstrip("\n")
        if first[0].isupper() and last.islower() and _is_listed(first + last):
            if not (is_word(first.lower()) and is_word(last)):
                yield match.span()


def _references(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of names in which HTML character references replace letters."""
    if "&" not in text:
        return
    for match in _REFERENCE.finditer(text):
        word = html.unescape(match[0])
        if word != match[0] and word.isalpha() and word[0].isupper() and _is_listed(word):
            yield match.span()


def _glued(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of full names in one word, marked by capitals, a tag or a number."""
    for match in _GLUED.finditer(text):
        word = match["word"]
        marked = match["tag"] is not None or match.end("word") < match.end()
        if word.islower() or word.isupper():
            named = marked and not _is_in_rank(word) and _is_first_and_last(word)
        else:
            parts = _CAMEL.findall(word)
            named = len(parts) in (2, 3) and "".join(parts) == word and _are_names(parts)
        if named:
            yield match.span()


def _is_in_rank(word: str) -> bool:
    return word.lower() in builtin_lexicon().rank


def _is_first_and_last(word: str) -> bool:
    """Return whether a word joins a listed first name and surname, neither a common word."""
    parts = ((word[:i], word[i:]) for i in range(3, len(word) - 2))
    return any(
        "first_name" in builtin_lexicon().of(first.capitalize())
        and "surname" in builtin_lexicon().of(last.capitalize())
        and not (is_word(first.lower()) or is_word(last.lower()))
        for first, last in parts
    )


def _are_names(parts: list[str]) -> bool:
    first, *families = parts
    classes = builtin_lexicon().of(first)
    return (
        "first_name" in classes
        and not is_word(first.lower())
        and all(len(family) > 2 and not is_word(family.lower()) for family in families)
        and any(is_name(family) or not _is_in_rank(family) for family in families)
    )
