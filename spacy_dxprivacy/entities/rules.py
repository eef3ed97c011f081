"""Read the token rules of data/entities/rules.txt as patterns for spaCy's Matcher."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from .tables import FOLLOWING, sections

Pattern = list[dict[str, Any]]

_SECTIONS = sections("rules")
WEAK = frozenset(" ".join(_SECTIONS["WEAK"]).split())
RULES = {label: lines for label, lines in _SECTIONS.items() if label not in ("WEAK", "GUESS")}
# Where two entities have the same extent, the label that comes first here is kept.
LABELS = "DATE TIME EMAIL URL PHONE ID ADDRESS ORG GPE PERSON QUANTITY CARDINAL".split()
# Rules that are tried apart: where no name can begin, the rules of names are not tried.
GROUPS = {
    "NAMED": ("PERSON", "GPE"),
    "COUNTED": ("DATE", "TIME", "QUANTITY", "CARDINAL", "ID", "EMAIL", "URL"),
}
_BUILT_IN: dict[str, dict[str, Any]] = {
    "NUM": {"LIKE_NUM": True},
    "SPACE": {"IS_SPACE": True},
    "EMAIL": {"LIKE_EMAIL": True},
    "URL": {"LIKE_URL": True},
    "YY": {"SHAPE": "dd"},
    "LOW_INITIAL": {"SHAPE": {"IN": ["x", "x."]}},
    **{kind: {"LOWER": {"IN": sorted(words)}} for kind, words in FOLLOWING.items()},
}
_RULE = re.compile(r"(?:\((.*?)\) )?(.+?)(?: \((.*?)\))?")
_OPERATOR = re.compile(r"(.+?)(\{\d,\d\}|[?*+])?")


def patterns(flags: dict[str, str], *, guess: bool) -> dict[tuple[str, int, int], list[Pattern]]:
    """Return token patterns by (label, tokens of context before, and after).

    flags: kind -> name of its lexeme flag. guess: also rules that go by the capital alone.
    """
    rules = {**RULES, "PERSON": RULES["PERSON"] + _SECTIONS["GUESS"] * guess}
    found: dict[tuple[str, int, int], list[Pattern]] = {}
    for label, lines in rules.items():
        for line in lines:
            parts = [(part or "").split() for part in _read(_RULE, line).groups()]
            pattern = [_token(word, flags) for part in parts for word in part]
            found.setdefault((label, len(parts[0]), len(parts[2])), []).append(pattern)
    return found


def _read(form: re.Pattern[str], part: str) -> re.Match[str]:
    match = form.fullmatch(part)
    if match is None:
        raise ValueError(f"not of the form of a rule: {part!r}")
    return match


def _token(word: str, flags: dict[str, str]) -> dict[str, Any]:
    base, operator = _read(_OPERATOR, word).groups()
    token = {flags[base]: True} if base in flags else _BUILT_IN.get(base, {"LOWER": base})
    return {**token, "OP": operator} if operator else dict(token)


def words_of(line: str) -> Iterator[tuple[str, bool]]:
    """Yield the tokens of a rule without operators, and whether each is optional."""
    for word in line.replace("(", " ").replace(")", " ").split():
        match = _read(_OPERATOR, word)
        yield match[1], (match[2] or "")[:2] in {"?", "*", "{0"}


def all_words(labels: Collection[str] = tuple(RULES)) -> frozenset[str]:
    """Return every kind and every literal word of the rules of these labels."""
    lines = [line for label in labels for line in RULES[label]]
    lines += _SECTIONS["GUESS"] * ("PERSON" in labels)
    return frozenset(word for line in lines for word, _ in words_of(line))
