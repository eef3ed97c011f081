"""The hand-written lists of scripts/data: small line formats, one reader each.

Lines that start with ``#`` are comments. ``class/group: words`` gives each word a class bit and a
fine group; ``word: anchor anchor`` places a word at the mean of others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"


def _pairs(path: Path) -> list[tuple[str, list[str]]]:
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [line for line in lines if line and not line.startswith("# ")]
    return [(key.strip(), rest.split()) for key, _, rest in (x.partition(": ") for x in kept)]


def read_groups(name: str) -> dict[str, list[str]]:
    """``class/group`` (or ``class``) -> words, in the order of the file."""
    groups: dict[str, list[str]] = defaultdict(list)
    for key, words in _pairs(DATA / name):
        groups[key] += [word for word in words if word not in groups[key]]
    return dict(groups)


def read_anchors(name: str) -> dict[str, list[str]]:
    """Word -> the known words that it stands near."""
    anchors: dict[str, list[str]] = {}
    for key, words in _pairs(DATA / name):
        for word in key.split(", "):
            assert word not in anchors, f"{word!r} is twice in {name}"
            anchors[word] = words
    return anchors


def read_new_words(name: str) -> dict[tuple[str, str], list[str]]:
    """(word, part of speech) -> anchors, of lines ``word/part, word/part: anchors``."""
    found = {}
    for key, anchors in read_anchors(name).items():
        word, _, part = key.rpartition("/")
        assert part in "nvarp", f"no part of speech for {key!r} in {name}"
        found[word, part] = anchors
    return found


def read_deny_list(path: Path) -> re.Pattern[str]:
    """One pattern that matches the lower-case words of the deny-list; "stem*" is a beginning."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    entries = [line for line in lines if line and not line.startswith("#")]
    stems = [re.escape(entry[:-1]) for entry in entries if entry.endswith("*")]
    words = [re.escape(entry) for entry in entries if not entry.endswith("*")]
    return re.compile(f"(?:{'|'.join(stems)}).*|(?:{'|'.join(words)})$")
