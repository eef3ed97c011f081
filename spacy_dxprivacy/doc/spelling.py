"""Words as a person would write them: capitals, contractions, blanks. A function of the output.

Nothing here looks at the words that were replaced, so it is post-processing and free.
"""

from __future__ import annotations

import re
from collections.abc import Container

from ..arrays import Bools1d
from .articles import ARTICLES, article_before

_SENTENCE_END = re.compile(r"[.!?\u2026]|[!?]{2,}")
_BULLETS = {"-", "*", "\u2022", "\u2013", "\u2014", ">"}
_FULL_FORMS = {
    "n't": "not", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would",
    "n\u2019t": "not", "\u2019m": "am", "\u2019re": "are", "\u2019ve": "have",
    "\u2019ll": "will", "\u2019d": "would",
}  # fmt: skip
_POSSESSIVES = {"'s", "\u2019s", "'", "\u2019"}
_NEGATIONS = {"n't", "n\u2019t"}
_CLITICS = _POSSESSIVES | set(_FULL_FORMS)
# What is left of "can't", "won't" and "shan't" without its end, and of "n't" in a hurry.
_STEMS = {"ca": "can", "wo": "will", "sha": "shall", "nt": "not"}
_PRONOUNS = {"i", "you", "he", "she", "it", "we", "they", "who", "that", "there"}
_HOSTS = {
    "m": {"i"},
    "re": {"you", "we", "they"},
    "ve": {"i", "you", "we", "they", "could", "would", "should", "might", "must"},
    "ll": _PRONOUNS,
    "d": _PRONOUNS,
}
# Words that own nothing: "'s" after them is said in full.
_OWNERLESS = {
    "the", "a", "an", "my", "your", "his", "her", "its", "our", "their", "this", "these", "those",
    "of", "in", "on", "at", "to", "for", "with", "from", "by", "about", "into", "after", "before",
    "and", "or", "but", "if", "as", "than", "because", "not", "no", "n't", "is", "are", "was",
    "were", "be", "been", "has", "have", "had", "do", "does", "did", "very", "so", "'s",
}  # fmt: skip
# Names of two words, the first of which is a word of its own.
_BEFORE_NAMES = {
    "new": {"York", "Yorker", "Yorkers", "Zealand", "Jersey", "Orleans", "Mexico", "England",
            "Delhi", "Hampshire", "Brunswick"},
    "united": {"States", "Kingdom", "Nations", "Arab", "States'"},
    "north": {"Korea", "Carolina", "Dakota", "America", "Africa"},
    "south": {"Korea", "Carolina", "Dakota", "America", "Africa"},
    "saint": {"John", "Paul", "Louis", "Peter", "Mary", "Petersburg"},
    "las": {"Vegas"},
}  # fmt: skip
_AFTER_NAMES = {"city": {"Kansas", "York", "Oklahoma", "Mexico", "Jersey", "Atlantic", "Vatican"}}
_BESIDE_NAMES = {*_BEFORE_NAMES, *_AFTER_NAMES}
_IN_FULL = {*_FULL_FORMS, "'s", "\u2019s", *_STEMS}
_OPENING = {'"', "'", "(", "[", "\u201c", "\u2018", "``"}
_BEFORE_NOT = {
    "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "ca", "could", "would",
    "should", "wo", "sha", "must", "need", "might", "ai",
}  # fmt: skip


def spell(words: list[str], spaces: list[bool], drawn: Bools1d) -> tuple[list[str], list[bool]]:
    """words and spaces (whether a blank follows) of a document, some of whose words were drawn.

    Gives new lists in which the drawn words have a capital at the start of a sentence, clitics
    stand where they can, "a" and "an" go by the next word, and no two words run together. Words
    that were not drawn stay as they are.
    """
    words, spaces, is_drawn = list(words), list(spaces), drawn.tolist()
    if True not in is_drawn:
        return words, spaces
    _fit_clitics(words, is_drawn)
    _fit_blanks(words, spaces, is_drawn)
    _fit_articles(words, is_drawn)
    _fit_names(words, is_drawn)
    _capitalise(words, is_drawn)
    return words, spaces


def like(word: str, model: str) -> str:
    """The word in the case of another: UPPER, Title or lower. casing = "preserve" uses it; it
    copies a trait of the input."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    if model[:1].isupper():
        return capitalised(word)
    return word.lower() if model.islower() else word


def capitalised(word: str) -> str:
    """The word with a capital at its beginning, the rest as it is."""
    return word[:1].upper() + word[1:]


def _fit_clitics(words: list[str], drawn: list[bool]) -> None:
    """Write drawn clitics, and the stems that go with them, in full where they do not fit."""
    for i in _drawn_of(_IN_FULL, words, drawn):
        word = words[i]
        if word in _FULL_FORMS and not (i and _fits(words[i - 1].lower(), word)):
            words[i] = _FULL_FORMS[word]
        elif word in ("'s", "\u2019s") and not (i and _can_own(words[i - 1])):
            words[i] = "is"
        elif word in _STEMS and not (i + 1 < len(words) and words[i + 1] in _NEGATIONS):
            words[i] = _STEMS[word]


def _drawn_of(some: Container[str], words: list[str], drawn: list[bool]) -> list[int]:
    """The places of these words, as they were before any is written otherwise."""
    return [i for i, word in enumerate(words) if word in some and drawn[i]]


def _fits(left: str, clitic: str) -> bool:
    return left in (_BEFORE_NOT if clitic in _NEGATIONS else _HOSTS[clitic[1:]])


def _can_own(left: str) -> bool:
    return _ends_a_word(left) and left.lower() not in _OWNERLESS


def _fit_articles(words: list[str], drawn: list[bool]) -> None:
    """ "a" or "an", where one of them was drawn, by the sound of the word that follows."""
    for i in _drawn_of(ARTICLES, words, drawn):
        if i + 1 < len(words):
            quoted = words[i + 1] in _OPENING and i + 2 < len(words)
            words[i] = article_before(words[i + 1 + quoted]) or words[i]


def _fit_names(words: list[str], drawn: list[bool]) -> None:
    """Words that are written with a capital beside a name."""
    for i in _drawn_of(_BESIDE_NAMES, words, drawn):
        word = words[i]
        follows = i + 1 < len(words) and words[i + 1] in _BEFORE_NAMES.get(word, ())
        precedes = i > 0 and words[i - 1] in _AFTER_NAMES.get(word, ())
        if follows or precedes:
            words[i] = capitalised(word)


def _fit_blanks(words: list[str], spaces: list[bool], drawn: list[bool]) -> None:
    """Drawn clitics lose the blank before them; words that would run together gain one."""
    before = zip(words[1:], spaces, strict=False)
    for i in [i for i, (word, space) in enumerate(before, 1) if not space or word in _CLITICS]:
        if words[i] in _CLITICS:
            spaces[i - 1] &= not (drawn[i] and _ends_a_word(words[i - 1]))
        elif not spaces[i - 1] and (drawn[i - 1] or drawn[i]):
            # A drawn apostrophe ends a word ("As'"); any other may open a quotation.
            ends = _ends_a_word(words[i - 1]) or (drawn[i - 1] and words[i - 1] in _CLITICS)
            spaces[i - 1] = ends and _begins_a_word(words[i])


def _begins_a_word(word: str) -> bool:
    return word[:1].isalnum() or word[:1] == "["


def _ends_a_word(word: str) -> bool:
    return word[-1:].isalnum() or word[-1:] == "]"


def _capitalise(words: list[str], drawn: list[bool]) -> None:
    starts = line_begins = True
    for i, word in enumerate(words):
        if word.isalpha() or any(map(str.isalnum, word)):
            if starts and drawn[i]:
                words[i] = capitalised(word)
            starts = line_begins = False
        elif not word or word.isspace():
            line_begins = line_begins or "\n" in word
            starts = starts or word.count("\n") > 1
        else:
            ends = _SENTENCE_END.fullmatch(word) is not None
            starts = starts or ends or (line_begins and word in _BULLETS)
            line_begins = False
