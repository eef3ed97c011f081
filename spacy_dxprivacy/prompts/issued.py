"""Tells identifiers that a provider drew from those in which somebody wrote a name.

A drawn identifier has a known form, and its letters are uniform. Those of names are not: where
names explain a part of it better than chance, by a likelihood ratio of MIN_BITS, it is a written
one.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from ..entities.tables import NAMES
from ..entities.words import builtin_lexicon
from ..io.pieces import word_list

ISSUED_WORDS = word_list("PROMPT_ISSUED")  # with which identifiers of providers begin
# In hexadecimal digits no name can be written. Other forms have one length: those of OpenAI
# (calls, chats) and of Anthropic.
_DRAWN = re.compile(
    rf"(?:{'|'.join(sorted(ISSUED_WORDS, reverse=True))})[_-](?:01)?"
    r"(?P<hex>[0-9a-f]{24,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|"
    r"(?:call_(?=\w{24}\Z)|chatcmpl-(?=\w{29}\Z)|(?:msg|toolu|srvtoolu)_01(?=\w{21,22}\Z))"
    r"(?P<letters>[0-9a-zA-Z]+)"
)
_LONG_NUMBER = re.compile(r"\d{7}")  # a random identifier has none, and telephone numbers are one
# Of identifiers with 24 random letters 1.8 % have more, of those with two listed names 99.9 %.
MIN_BITS = 12.0
SIGN_BITS = math.log2(62)  # of a letter or digit by chance
JOINT_BITS, BREAK_BITS = 0.3, 1.0  # of the next letter of a word; of a new word or a digit
MAX_NAME = 12  # letters of a listed name that are looked up together


class _Names(NamedTuple):
    listed: frozenset[str]
    bits: float  # of a listed name, with its case
    pairs: dict[tuple[str, str], float]  # gain of a letter after another one, or after ""


@cache
def _names() -> _Names:
    """Return the listed names in lower case, and by how much they explain pairs of letters."""
    words = builtin_lexicon().classes
    listed = {word.lower() for word, classes in words.items() if len(word) > 2 and classes & NAMES}
    listed = {word for word in listed if word.isascii() and word.isalpha()}
    pairs = Counter(pair for word in listed for pair in pairwise(["", *word]))
    before = Counter(first for word in listed for first in ("", *word[:-1]))
    letters = "abcdefghijklmnopqrstuvwxyz"
    gains = {
        (a, b): math.log2((pairs[a, b] + 0.5) / (before[a] + 13))
        + SIGN_BITS
        - (JOINT_BITS if a else BREAK_BITS)
        for a in ("", *letters)
        for b in letters
    }
    return _Names(frozenset(listed), math.log2(3 * len(listed)), gains)


def is_drawn(name: str) -> bool:
    """Return whether an identifier has the form of a provider's and looks random: it has no long
    number and no name."""
    match = _DRAWN.fullmatch(name)
    if match is None or match["hex"]:
        return match is not None and bool(re.search(r"[a-f]", match["hex"]))
    body = match["letters"]
    return not _LONG_NUMBER.search(body) and name_bits(body) < MIN_BITS


def name_bits(body: str) -> float:
    """Return by how many bits names explain the best part of letters and digits better than chance.
    Names have one case, or an initial capital; digits may stand between them."""
    names, best = _names(), [0.0]
    for end, sign in enumerate(body, 1):
        if sign.isdigit():
            best.append(max(0.0, best[-1] - BREAK_BITS))
            continue
        before = body[end - 2 : end - 1] if _goes_on(body, end - 1) else ""
        gain = names.pairs[before.lower(), sign.lower()]
        starts = range(max(0, end - MAX_NAME), end - 2)
        listed = (best[i] + SIGN_BITS * (end - i) for i in starts if _is_listed(body[i:end]))
        best.append(max(0.0, best[-1] + gain, max(listed, default=0.0) - names.bits))
    return max(best)


def _goes_on(body: str, place: int) -> bool:
    """Return whether the letter at a place has the case of a word that goes on."""
    pair = body[max(0, place - 1) : place + 1]
    if len(pair) < 2 or not pair.isalpha():
        return False
    return pair.islower() or pair.isupper() or (pair.istitle() and not body[:place][-2:].isupper())


def _is_listed(word: str) -> bool:
    has_one_case = word.islower() or word.isupper() or word[1:].islower()
    return has_one_case and word.lower() in _names().listed
