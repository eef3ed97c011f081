"""What the recogniser goes by, read from data/entities: word lists, token rules, and forms.

A section of a file is a line `== NAME` and the lines below it; a line that begins with "# " is a
comment. `words.txt` holds lists, `rules.txt` token rules, `forms.txt` regular expressions.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from ..about import DATA

FOLDER = DATA / "entities"
_REFERENCE = re.compile(r"\{([<*]?)([A-Z_]+|[a-z ]+)\}")
_NAMED = re.compile(r"([a-zA-Z]\w*): (.*)")


@lru_cache(maxsize=3)
def sections(file: str) -> dict[str, list[str]]:
    """The lines of each section of a file."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (FOLDER / f"{file}.txt").read_text(encoding="utf8").splitlines():
        if line.startswith("== "):
            lines = found.setdefault(line[3:], [])
        elif line and not line.startswith("# "):
            lines.append(line)
    return found


def words(name: str) -> frozenset[str]:
    """A list of single words."""
    return frozenset(" ".join(sections("words")[name]).split())


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A section of forms.txt, compiled when it is first used."""
    return re.compile(_form(name))


def forms(name: str) -> list[tuple[str, str]]:
    """(name or "", regular expression) of each line of a table of forms.txt."""
    rows = [_NAMED.fullmatch(line) or ("", "", line) for line in sections("forms")[name]]
    return [(row[1], _expanded(row[2])) for row in rows]


def kind_of(match: re.Match[str]) -> str:
    """The name of the line of a table that matched."""
    return str(match.lastgroup).partition("_")[0]


def _form(name: str) -> str:
    return _expanded("".join(sections("forms")[name]))


def _expanded(text: str) -> str:
    return _REFERENCE.sub(lambda found: _referred(found[1], found[2]), text)


def _referred(how: str, name: str) -> str:
    """A section; after "<" its phrases, one of which stands before; after "*" the lines of a table,
    those with a name in a group each."""
    if how == "<":
        cues = "".join(sections("forms")[name]).split("|")
        return "(?:" + "|".join(rf"(?<=\b{re.escape(cue)} )" for cue in cues) + ")"
    if how == "*":
        rows = enumerate(forms(name))
        return "|".join(
            f"(?P<{kind}_{i}>{row})" if kind else f"(?:{row})" for i, (kind, row) in rows
        )
    return _form(name)


NONE: frozenset[str] = frozenset()
# Kinds that are looked up in small letters, without a final full stop; and those that only ever
# follow another word of a rule, which the rules look up as they come.
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
