"""What of HTML is kept: elements and attributes by what becomes of them."""

import re
from collections.abc import Callable

from ..entities.tables import pattern
from .pieces import listed, listed_by

VOID, UNCLOSED, INLINE, BLOCK, TEXT, REFERENCES, KEPT, _WORDS, _PROPERTIES = (
    listed(f"HTML_{name}")
    for name in "VOID UNCLOSED INLINE BLOCK TEXT REFERENCES KEPT STYLE PROPERTIES".split()
)
DROPPED = listed_by("HTML_DROPPED")
META = {"author": "PERSON", "description": "", "keywords": "", "title": "", "subject": ""}
DOCTYPE = pattern("HTML_DOCTYPE", "formats/lists")
MOST_DIGITS = 4  # of a number; more may be somebody's
MOST_OF_STYLE = 6  # of all numbers of a declaration
_NUMBER = re.compile(r"\d*\.?\d+(?:%|[a-z]{1,3})?", re.A)
_COLOUR = re.compile(r"#(?:[0-9a-f]{3}|(?=\d{0,5}[a-f])[0-9a-f]{6}|([0-9])\1([0-9])\2([0-9])\3)")
_LANGUAGE = re.compile(r"[a-z]{2}(-[a-z]{2})?", re.A | re.I)
_RGB = re.compile(r"\brgba?\([\d,.% ]{1,24}\)")
_AT_RULES = pattern("HTML_AT_RULES", "formats/lists")


def digits(text: str) -> int:
    """Return how many digits a text has."""
    return sum(map(str.isdigit, text))


def is_value(text: str) -> bool:
    """Return whether the value of an attribute is one number, or of words that say nothing."""
    if not digits(text):
        return _LANGUAGE.fullmatch(text) is not None or _is_plain(text)
    return _is_number(text.lower().lstrip("+-"))


def _is_number(text: str) -> bool:
    is_short = _NUMBER.fullmatch(text) is not None and digits(text) <= MOST_DIGITS
    return is_short or _COLOUR.fullmatch(text) is not None


def declarations(text: str) -> str:
    """Return the declarations of a style that can hold no text and lead nowhere."""
    return ";".join(one for one in text.split(";") if not one.strip() or _is_declaration(one))


def _is_declaration(text: str) -> bool:
    name, _, value = text.lower().partition(":")
    few = digits(_RGB.sub("", value)) <= MOST_OF_STYLE or "#" in value
    return name.strip() in _PROPERTIES and few and _is_plain(value)


def style_sheet(
    text: str, id_of: Callable[[str], str], class_of: Callable[[str], str] = str
) -> str:
    """Return the rules that can hold no text, but for names of classes; id_of, class_of: rename."""

    def rule(selector: str, body: str) -> str:
        names = re.compile(r"([.#])([\w-]+)")
        if not _is_plain(names.sub("", selector)):
            return ""
        new = names.sub(lambda n: n[1] + (class_of if n[1] == "." else id_of)(n[2]), selector)
        return f"{new}{{{declarations(body)}}}"

    heads = (part.rpartition("{") for part in _AT_RULES.sub("", text).split("}")[:-1])
    return "".join(rule(head.rpartition("{")[2], body) for head, sign, body in heads if sign)


def _is_plain(text: str) -> bool:
    words = re.split(r"[\s,()/!:\"'>+~*-]+", text.lower())
    return all(word in _WORDS | INLINE | BLOCK or not word or _is_number(word) for word in words)
