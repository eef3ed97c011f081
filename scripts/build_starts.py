"""Builds the list of the characters with which some sections of forms.txt begin.

    python scripts/build_starts.py

A section of many lines is tried at each word, and few words begin a line: a search that looks at
their first characters before it tries the lines (`{>NAME}`) is several times as fast. Run it after
a change of a line, which a test asks for.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

from spacy_dxprivacy.about import DATA
from spacy_dxprivacy.entities.tables import expanded, forms

try:
    from re import _constants as op  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # before Python 3.11
    import sre_constants as op
    import sre_parse as parser

STARTS = DATA / "entities" / "starts.txt"
NAMES = ("DATE_PHRASE", "fields", "FACT_FORM")
MOST = 3  # characters of a start
MANY = 12  # characters of a range that stays one
CATEGORIES = {op.CATEGORY_DIGIT: r"\d", op.CATEGORY_SPACE: r"\s"}
HEAD = """\
# The first characters of sections of forms.txt, as regular expressions, written by
# scripts/build_starts.py: a search tries no line where none of them stands.
"""

# What a form begins with: a regular expression for each of its first characters, and whether all
# that can follow is what stands behind the form.
Start = tuple[tuple[str, ...], bool]
ANY: Start = ((), False)
EMPTY: Start = ((), True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=STARTS)
    parser.parse_args().out.write_text(content(), encoding="utf8")


def content() -> str:
    """Return the file."""
    sections = (f"\n== {name}\n{wrapped(starts_of(name))}\n" for name in NAMES)
    return HEAD + "".join(sections)


def starts_of(name: str) -> list[str]:
    """Return the first characters of a section or of the lines of a table, sorted, without those
    that begin with another one."""
    lines = [line for _, line in forms(name)] if name.islower() else [expanded(name)]
    found = {start for line in lines for start, _ in of_all(parser.parse(line), 0)}
    return sorted(
        "".join(start)
        for start in found
        if not any(start[:size] in found for size in range(len(start)))
    )


def of_all(items: Iterable[tuple[Any, Any]], flags: int) -> set[Start]:
    """Return the starts of what follows one another."""
    starts = {EMPTY}
    for item in items:
        if not any(is_open for _, is_open in starts):
            break
        starts = joined(starts, of_one(*item, flags))
    return starts


def joined(starts: set[Start], further: set[Start]) -> set[Start]:
    """Return each start with each further one behind it."""
    closed = {start for start in starts if not start[1]}
    pairs = product((chars for chars, is_open in starts if is_open), further)
    return closed | {
        ((chars + more)[:MOST], is_open and len(chars + more) < MOST)
        for chars, (more, is_open) in pairs
    }


def of_one(code: Any, value: Any, flags: int) -> set[Start]:
    """Return the starts of a part of a regular expression; those of a part that may begin with
    very many characters, or that refers to another, are of any."""
    if code is op.LITERAL:
        return of_characters({chr(value)}, flags)
    if code is op.IN:
        return of_class(value, flags)
    if code is op.BRANCH:
        return set[Start]().union(*(of_all(branch, flags) for branch in value[1]))
    if code is op.SUBPATTERN:
        _, added, removed, items = value
        return of_all(items, (flags | added) & ~removed)
    if code in (op.MAX_REPEAT, op.MIN_REPEAT):
        least, most, items = value
        return of_repeated(least, most, items, flags)
    return {EMPTY} if code in (op.ASSERT, op.ASSERT_NOT, op.AT) else {ANY}


def of_class(items: list[tuple[Any, Any]], flags: int) -> set[Start]:
    """Return the starts of a class of characters: [0-4a]."""
    starts = set[Start]()
    for code, value in items:
        if code is op.LITERAL:
            starts |= of_characters({chr(value)}, flags)
        elif code is op.RANGE:
            starts |= of_range(chr(value[0]), chr(value[1]), flags)
        elif code is op.CATEGORY and value in CATEGORIES:
            starts.add(((CATEGORIES[value],), True))
        else:
            return {ANY}
    return starts


def of_range(first: str, last: str, flags: int) -> set[Start]:
    """Return the starts of a range of characters: a class, except for a few letters."""
    if "0" <= first <= last <= "9":
        return {(("\\d",), True)}
    if ord(last) - ord(first) < MANY:
        return of_characters({*map(chr, range(ord(first), ord(last) + 1))}, flags)
    cased = {f"[{first}-{last}]"}
    if flags & re.IGNORECASE:
        cased |= {f"[{first.lower()}-{last.lower()}]", f"[{first.upper()}-{last.upper()}]"}
    return {((chars,), True) for chars in cased}


def of_characters(chars: set[str], flags: int) -> set[Start]:
    """Return the starts of characters, of which each is one."""
    if flags & re.IGNORECASE:
        chars = {cased for char in chars for cased in (char.lower(), char.upper())}
    return {(("\\s" if char in "\n\t" else re.escape(char),), True) for char in chars}


def of_repeated(least: int, most: int, items: Any, flags: int) -> set[Start]:
    """Return the starts of what may stand several times."""
    once, starts, found = of_all(items, flags), {EMPTY}, set[Start]()
    for count in range(min(most, MOST) + 1):
        found |= starts if count >= least else set()
        starts = joined(starts, once)
    return found | (starts if most > MOST else set())


def wrapped(starts: list[str]) -> str:
    """Return the starts, separated by bars, in lines of at most 100 characters."""
    lines = [""]
    for start in starts:
        if len(lines[-1]) + len(start) > 98:
            lines.append("")
        lines[-1] += f"{start}|"
    return "\n".join(lines).removesuffix("|")


if __name__ == "__main__":
    main()
