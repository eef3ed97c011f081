"""Word lists, token rules and regular expressions of the recogniser, read from data/entities.

A section of a file is a line `== NAME` and the lines below it; a line that begins with "# " is a
comment. `words.txt` holds lists, `rules.txt` token rules, `forms.txt` regular expressions.
"""

from __future__ import annotations

import re
from functools import cache

from ..about import DATA

_REFERENCE = re.compile(r"\{([<*]?)([A-Z_]+|[a-z ]+)\}")
_NAMED = re.compile(r"([a-zA-Z]\w*): (.*)")


@cache
def sections(file: str) -> dict[str, list[str]]:
    """Return the lines of each section of a file of data/entities, or of data for "a/b"."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    path = DATA / (f"{file}.txt" if "/" in file else f"entities/{file}.txt")
    for line in path.read_text(encoding="utf8").splitlines():
        if line.startswith("== "):
            lines = found.setdefault(line[3:], [])
        elif line and not line.startswith("# "):
            lines.append(line)
    return found


def words(name: str, file: str = "words") -> frozenset[str]:
    """Return a list of single words."""
    return frozenset(" ".join(sections(file)[name]).split())


def by_word(name: str, file: str) -> dict[str, str]:
    """Return the kind of each word of a section with lines `kind: words`."""
    rows = (line.partition(": ") for line in sections(file)[name])
    return {word: kind for kind, _, some in rows for word in some.split()}


@cache
def pattern(name: str, file: str = "forms") -> re.Pattern[str]:
    """Return a section of forms.txt or foreign.txt, compiled when it is first used."""
    return re.compile(_expanded("".join(sections(file)[name])))


def expanded(name: str) -> str:
    """Return a section of forms.txt as one regular expression."""
    return _expanded("".join(sections("forms")[name]))


def forms(name: str, file: str = "forms") -> list[tuple[str, str]]:
    """Return (name or "", regular expression) of each line of a table of a file."""
    rows = [_NAMED.fullmatch(line) or ("", "", line) for line in sections(file)[name]]
    return [(row[1], _expanded(row[2])) for row in rows]


def kind_of(match: re.Match[str]) -> str:
    """Return the name of the line of a table that matched."""
    return str(match.lastgroup).partition("_")[0]


def _expanded(text: str) -> str:
    return _REFERENCE.sub(lambda found: _referred(found[1], found[2]), text)


def _referred(how: str, name: str) -> str:
    """A section of forms.txt; after "<" a look-behind for its phrases; after "*" the lines of a
    table, each named line in a group."""
    if how == "*":
        groups = [f"?P<{kind}_{i}>" if kind else "?:" for i, (kind, _) in enumerate(forms(name))]
        return "|".join(f"({g}{row})" for g, (_, row) in zip(groups, forms(name), strict=True))
    text = "".join(sections("forms").get(name) or sections("foreign")[name])
    if how == "<":
        behind = "|".join(rf"(?<=\b{re.escape(cue)} )" for cue in text.split("|"))
        return f"(?:{behind})"
    return _expanded(text)


NONE: frozenset[str] = frozenset()
# Kinds that are looked up in lower case, without a final full stop; and those that only ever follow
# another word of a rule.
LISTED = {
    kind: words(kind)
    for kind in "TITLE ROLE PARTICLE GREETING SIGNOFF FIELD IN_PLACE ORDINAL RELATIVE AMOUNT "
    "SEASON IN_TIME ID_WORD PLACE_HEAD".split()
}
FOLLOWING = {
    kind: words(kind) for kind in "CUE AUX HUMAN MODAL DATE_UNIT TIME_UNIT DAYPART UNIT".split()
}
# Classes of the built-in space.
NAMES = frozenset({"first_name", "surname"})
PEOPLES = frozenset({"nationality", "religion", "language", "region"})
LANDS = frozenset({"country", "state", "region"})
PLACES = LANDS | {"city"}
TERM_NOUNS, PRODUCTS, GOODS = words("TERM_NOUNS"), words("PRODUCTS"), words("GOODS")
FIRMS = frozenset(name.strip() for name in " ".join(sections("words")["FIRMS"]).split(","))
