"""What of HTML is kept: elements and attributes by what becomes of them."""

import re
from collections.abc import Callable

from ..entities.tables import pattern
from .pieces import listed, listed_by

VOID, UNCLOSED, INLINE, BLOCK, TEXT, REFERENCES, KEPT, _WORDS = (
    listed(f"HTML_{name}")
    for name in "VOID UNCLOSED INLINE BLOCK TEXT REFERENCES KEPT STYLE".split()
)
DROPPED = listed_by("HTML_DROPPED")
META = {"author": "PERSON", "description": "", "keywords": "", "title": "", "subject": ""}
DOCTYPE = pattern("HTML_DOCTYPE", "formats/lists")
_NUMBER = re.compile(r"\d{0,4}\.?\d{1,4}(?:%|[a-z]{1,3})?|#[0-9a-f]{3,8}|", re.A)
_VALUE = re.compile(rf"[+-]?(?:{_NUMBER.pattern})|[a-z]{{2}}(-[a-z]{{2}})?", re.A | re.I)
_AT_RULES = pattern("HTML_AT_RULES", "formats/lists")


def is_value(text: str) -> bool:
    """Return whether the value of an attribute is one number, or of words that say nothing."""
    return bool(_VALUE.fullmatch(text)) or (_is_plain(text) and not re.search(r"\d", text))


def declarations(text: str) -> str:
    """Return the declarations of a style that can hold no text and lead nowhere."""
    return ";".join(one for one in text.split(";") if _is_plain(one))


def style_sheet(text: str, id_of: Callable[[str], str]) -> str:
    """Return the rules that can hold no text, but for names of classes; id_of: renames an id."""

    def rule(found: re.Match[str]) -> str:
        names = re.compile(r"([.#])([\w-]+)")
        if not _is_plain(names.sub("", found[1])):
            return ""
        new = names.sub(lambda n: n[0] if n[1] == "." else f"#{id_of(n[2])}", found[1])
        return f"{new}{{{declarations(found[2])}}}"

    rules = re.finditer(r"([^{}]*)\{([^{}]*)\}", _AT_RULES.sub("", text))
    return "".join(map(rule, rules))


def _is_plain(text: str) -> bool:
    words = re.split(r"[\s,()/!:\"'>+~*-]+", text.lower())
    return all(word in _WORDS | INLINE | BLOCK or _NUMBER.fullmatch(word) for word in words)
