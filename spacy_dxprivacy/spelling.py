"""Words as a person would write them: capitals, contractions, blanks. A function of the output.

Nothing here looks at the words that were replaced, so it is post-processing and free.
"""

from __future__ import annotations

import re

from .ty import Bools1d

_SENTENCE_END = re.compile(r"[.!?\u2026]|[!?]{2,}")
_BULLETS = {"-", "*", "\u2022", "\u2013", "\u2014", ">"}
_FULL_FORMS = {
    "n't": "not", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would",
    "n\u2019t": "not", "\u2019m": "am", "\u2019re": "are", "\u2019ve": "have",
    "\u2019ll": "will", "\u2019d": "would",
}  # fmt: skip
_POSSESSIVES = {"'s", "\u2019s", "'", "\u2019"}
_CLITICS = _POSSESSIVES | set(_FULL_FORMS)
# What is left of "can't", "won't" and "shan't" without its end.
_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}
_PRONOUNS = {"i", "you", "he", "she", "it", "we", "they", "who", "that", "there"}
_BEFORE_NOT = {
    "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "ca", "could", "would",
    "should", "wo", "sha", "must", "need", "might",
}  # fmt: skip


def spell(words: list[str], spaces: list[bool], drawn: Bools1d) -> tuple[list[str], list[bool]]:
    """words and spaces (whether a blank follows) of a document, some of whose words were drawn.

    Gives new lists in which the drawn words have a capital at the start of a sentence, clitics
    stand where they can, and no two words run together. Words that were not drawn stay as they are.
    """
    words, spaces = list(words), list(spaces)
    _join_clitics(words, spaces, drawn)
    _capitalise(words, drawn)
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
    return word[:1].upper() + word[1:]


def _join_clitics(words: list[str], spaces: list[bool], drawn: Bools1d) -> None:
    for i in range(1, len(words)):
        if not (drawn[i - 1] or drawn[i]):
            continue
        right = words[i].lower()
        if drawn[i] and right in _FULL_FORMS and not _fits(words[i - 1].lower(), right):
            words[i] = _FULL_FORMS[right]
        if words[i].lower() in _CLITICS:
            if drawn[i] and _ends_a_word(words[i - 1]):
                spaces[i - 1] = False
        else:
            spaces[i - 1] |= _ends_a_word(words[i - 1]) and _begins_a_word(words[i])
            if drawn[i - 1]:
                words[i - 1] = _STEMS.get(words[i - 1].lower(), words[i - 1])


def _fits(left: str, clitic: str) -> bool:
    return left in (_BEFORE_NOT if clitic.startswith("n") else _PRONOUNS)


def _begins_a_word(word: str) -> bool:
    return word[:1].isalnum() or word[:1] == "["


def _ends_a_word(word: str) -> bool:
    return word[-1:].isalnum() or word[-1:] == "]" or word.lower() in _CLITICS


def _capitalise(words: list[str], drawn: Bools1d) -> None:
    starts = True
    line_begins = True
    for i, word in enumerate(words):
        if not word or word.isspace():
            line_begins = line_begins or "\n" in word
            starts = starts or word.count("\n") > 1
        elif any(map(str.isalnum, word)):
            if starts and drawn[i]:
                words[i] = capitalised(word)
            starts = line_begins = False
        else:
            ends = _SENTENCE_END.fullmatch(word) is not None
            starts = starts or ends or (line_begins and word in _BULLETS)
            line_begins = False
