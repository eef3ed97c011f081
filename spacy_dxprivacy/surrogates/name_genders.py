"""Reads the gender of persons from titles, words for kin and pronouns beside their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from ..entities.foreign import is_call
from ..entities.tables import sections, words
from .base import Mention
from .name_forms import TITLES, Form, bare_word

_GENDER_LINKS, _GENDER_ENDS = words("GENDER_LINKS"), words("GENDER_ENDS")
_PRONOUN = re.compile(r"\w+|[.!?\n]")
_PRONOUNS = frozenset("he himself she herself elle él ella hij".split())
_WORD_OR_MARK = re.compile(r"\w+(?:\.?[.-]\w+)*\.?|[^\w\s]")  # Dipl.-Ing.
_MARKS = frozenset(",:'’(*")  # that may stand between a word for kin and a name
# Kim Lee (her husband); Kim Lee, wife of Jo; Kim Lee is a woman of 62.
_IN_BRACKETS = re.compile(r"\s*\((?:\w+\s)?([\w-]+)\)")
_KIN_OF = re.compile(r"\s*,\s*(?:\w+\s)?([\w-]+)\s(?:of|von|der|des|de|du|di|della|van)\b")
_IS_A = re.compile(
    r"\s*(?:,|is|was|ist|war|est|était|es|era|è)\s(?:an?|eine?|une?|una|uno|een)((?:\s[\w-]+){1,5})"
)
# Between the names of a list: sons Tom (12), Ned and Max.
_LIST_WORDS = frozenset(", & and und et y e en".split())
_IN_LIST = re.compile(r"\([^()\n]{0,20}\)|[^\W\d_]+|[^\w\s]")


@cache
def gender_words(language: str, section: str = "GENDERS") -> dict[str, str]:
    """Map titles, words for kin and pronouns of all languages and of one to their gender."""
    genders = dict[str, str]()
    for line in sections("words")[section]:
        kind, _, listed_words = line.partition(": ")
        gender, _, of_language = kind.partition(" ")
        if of_language in ("", language):
            genders |= dict.fromkeys(listed_words.split(), gender)
    plain = {bare_word(word): gender for word, gender in genders.items() if "." not in word}
    return plain | genders


def genders_beside(mentions: Sequence[Mention], forms: Sequence[Form], language: str) -> list[str]:
    """Return "male" or "female" for each mention whose titles or words for kin show it, or "".

    Words for several kin show it of each name of a list: his sons Tom, Ned and Max.

    Args:
        mentions: The mentions and their contexts.
        forms: The forms of the mentions.
        language: Language of the document, whose words for kin are read.
    """
    words, of_several = gender_words(language), gender_words(language, "GENDERS_OF_SEVERAL")
    shown, of_list = list[str](), ""
    for mention, form in zip(mentions, forms, strict=True):
        before = f"{mention.lead or mention.before} {form.title}"
        gender = _gender_before(before, words, language) or _gender_after(mention.tail, words)
        if not gender:
            gender = of_list = _gender_of_several(before, of_several, language) or of_list
        shown.append(gender)
        of_list = of_list if of_list and _goes_on(mention.tail) else ""
    return shown


def _gender_of_several(text: str, genders: Mapping[str, str], language: str) -> str:
    """Return the gender of several kin before a name; "" for brothers and sisters."""
    both = {genders[word] for word in _IN_LIST.findall(text.lower()) if word in genders}
    return _gender_before(text, genders, language) if len(both) == 1 else ""


def _goes_on(text: str) -> bool:
    """Return whether a text between two names of a list joins them."""
    marks = [mark for mark in _IN_LIST.findall(text.lower()) if mark[0] != "("]
    return bool(marks) and all(mark in _LIST_WORDS for mark in marks)


def gender_of_pronoun(text: str, language: str) -> str:
    """Return the gender of "he" or "she" in the sentence, or at the beginning of the next one."""
    genders, ended = gender_words(language), False
    for word in _PRONOUN.findall(text.lower()):
        if word in _PRONOUNS and word in genders:
            return genders[word]
        if ended:
            break
        ended = word in ".!?\n"
    return ""


def _gender_before(text: str, genders: Mapping[str, str], language: str) -> str:
    """Return the gender that the words right before a name show: Herrn Prof. Dr.; her husband, ."""
    for word in reversed(_WORD_OR_MARK.findall(text.lower())):
        dotted = word if word.endswith(".") else f"{word}."
        # A full stop ends a sentence, except after an abbreviation.
        if (gender := genders.get(word) or genders.get(dotted)) is not None:
            return gender
        is_title = dotted[:-1] in TITLES or dotted in _foreign_titles()
        is_title = is_title or (language != "en" and is_call(word))
        if not (is_title or word in _MARKS or word in _GENDER_LINKS):
            break
    return ""


@cache
def _foreign_titles() -> frozenset[str]:
    """Return titles of other languages, in lower case, some with a full stop."""
    return words("TITLES", "foreign")


def _gender_after(text: str, genders: Mapping[str, str]) -> str:
    """Return the gender that an apposition or a predicate shows: (his wife); is a woman of 62."""
    text = text.lower()
    for pattern in (_IN_BRACKETS, _KIN_OF):
        if (match := pattern.match(text)) and match[1] in genders:
            return genders[match[1]]
    match = _IS_A.match(text)
    for word in match[1].split() if match else ():
        if word in _GENDER_ENDS:
            return ""
        if word in genders:
            return genders[word]
    return ""
