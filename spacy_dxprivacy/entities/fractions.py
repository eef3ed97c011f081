"""Fractions that are days: 14/3, 3/16. Most fractions are none, as "power 4/5" and "GCS 3/15".

A form or a word beside a fraction makes a day of it (DATE_PHRASE in data/entities/forms.txt). Where
a document has such a day, its other fractions that stand as days do are days too, since one that
stays would show the shift: "Surgery 14/3. Drain out 16/3. Home 19/3." Scores stay. What stands
beside a fraction decides; its value only makes it a share (1/2), a score or a period (for 5/7).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .tables import expanded, pattern, words

MAX_LEAD, MAX_TAIL = 48, 32  # characters beside a fraction that say what it is
_PAIR = re.compile(r"\d/\d")
_OPENS_WITH_FRACTION = re.compile(r"\d\d?/\d\d?(?![\d/])")
_FULL_DATE = re.compile(r"(?<![\d/])\d\d?/\d\d?/(?:\d{4}|\d\d)(?![\d/])")
_SCALES, _FILLERS = words("SCALES", "terms"), words("BEFORE_SCORES", "terms")
_SCORED, _UNDATED = words("AFTER_SCORES", "terms"), words("BEFORE_SHARES", "terms")
_DATED = words("BEFORE_DAYS", "terms")
_CLAUSE = re.compile(r"[.;,!?\n](?=\s|\Z)|\n")
_WORD = re.compile(r"[^\W\d_][\w'’/-]*")
_AFTER = re.compile(r"[ \t-]?([^\W\d_]+)")
_ALWAYS = "24/7"
_AROUND_THE_CLOCK = frozenset(
    "access available call care cover covered helpline hotline line manned monitored monitoring "
    "nursing open reception run running security service services staffed support supported "
    "supervised supervision works working".split()
)
NEVER, POSSIBLE, LIKELY, SURE = range(4)  # ranks of fractions, which may be days
_OPEN = frozenset({"the", "for"})
_PERIOD = re.compile(r"\d{1,2}/(?:7|12)")  # of days or months: antibiotics for 5/7
_DIVIDED = frozenset(
    "added cut divided filled gave given got installed multiplied reduce reduced rolled "
    "used".split()
)
_EATEN = frozenset("breakfast brekkie lunch dinner supper tea meal diet pudding ate eaten".split())
MAX_FILLERS = 4  # words between a scale and its score
_FRACTION = expanded("EITHER")
_JOINT = r"(?:\s?(?:[-–—]|->)\s?|,\s(?:and\s)?|\s(?:and|&|or|to|until|till|through)\s)"
# Fractions one behind the other, which are days or scores alike.
_RUN = re.compile(
    rf"(?<![\w/.,+*=<>#§-])(?P<run>{_FRACTION}(?:{_JOINT}{_FRACTION}){{0,9}})(?![\w/%°]|[.,-]\d)"
)
_EACH = re.compile(_FRACTION)
_SHARE, _SCORES = re.compile(expanded("SHARE")), re.compile(expanded("SCORES"))
_HEAD = re.compile(r"(?:\A|[\n.;!?,])[\s*•–—(>-]*\Z")
_BEHIND = re.compile(r"([^\W\d_][\w'’/-]+)[.:]?[ \t]{1,3}\(?\Z")
_LINE = re.compile(r"(?:\A|\n)[ \t*•–—(>-]*\Z")
# Behind a fraction that ends its clause, or before what is no thing that it could be a share of.
_CLOSED = re.compile(r"\s?(?:[.,;:)\]–—-]|\n|\Z)")
_FREE = re.compile(
    r"(?-i: [A-Z])| \d|[ \t](?:at|by|and|with|for|from|to|on|via|after|before|then|when|under|"
    r"out|into|indoors|outside|again|but|so|as|because|normal|nad|"
    r"clear|ok|fine|neg|negative|positive|stable|in (?!(?:thick|long|wide|deep|dia)\b)[a-z]{2,})\b",
)
_LISTED = re.compile(r"(?:[ \t]{2,20}|\t)(?=\S)| (?=[A-Z(])")
_BEFORE_ITEMS = frozenset({", ", "; ", ": "})
MIN_LISTED = 3  # days at the heads of lines that follow each other
_OF_SIZES = frozenset({2, 4, 8, 16, 32, 64})  # of an inch
_HEADS = re.compile(
    r"\s?[:–—-]|(?-i: [A-Z])| \d\d:?\d\d|[ \t](?:\w+ed|seen|pt|patient|by|at|bloods|labs|home|ward|"
    r"phone|tel|ct|mri|d/c|well|better|gp|clinic|visit)\b"
)


def is_score(lower: str, start: int, end: int) -> bool:
    """Return whether a text that begins with a fraction stands behind the name of a scale or before
    what a score is of, or is all of the time: GCS 3/15 at 10:30, pain now 7/10, 4/5 power, on 24/7
    cover."""
    fraction = _OPENS_WITH_FRACTION.match(lower, start, end)
    return fraction is not None and (
        _is_behind_scale(lower, start)
        or _is_before_scale(lower, fraction.end())
        or _is_of_cover(lower, start, fraction.end())
    )


def days_in_series(text: str, lower: str, days: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the fractions that are days since others of the document are; in characters.

    Args:
        text: The text.
        lower: The text in small letters.
        days: The dates that a form or a word shows.
    """
    if "/" not in lower or not _PAIR.search(lower):
        return
    runs = [(run, _rank(text, lower, run)) for run in _RUN.finditer(lower)]
    ranks = [rank for _, rank in runs]
    if SURE in ranks or ranks.count(LIKELY) > 1:
        least = POSSIBLE
    elif any(_OPENS_WITH_FRACTION.match(lower, *day) for day in days):
        least = POSSIBLE
    elif _head_lines(text, runs) or _heads_items(text, runs):
        least = POSSIBLE
    else:
        least = LIKELY if _FULL_DATE.search(lower) else SURE
    for run, rank in runs:
        if rank >= least:
            for each in _EACH.finditer(lower, *run.span("run")):
                yield each.span()


def _head_lines(text: str, runs: list[tuple[re.Match[str], int]]) -> bool:
    """Return whether fractions are the days of a list: one that may be a day heads each of three
    lines at least, and each is behind the one above it, in either order of day and month. Sizes of
    bolts are of 8, 16 and 32."""
    days = list[tuple[int, int]]()
    for run, rank in runs:
        start, end = run.span("run")
        heads = rank >= POSSIBLE and _LINE.search(text, max(start - MAX_LEAD, 0), start)
        if heads and _LISTED.match(text, end):
            first, second = re.findall(r"\d+", run["run"])[:2]
            days.append((int(first), int(second)))
    if len(days) < MIN_LISTED or {second for _, second in days} <= _OF_SIZES:
        return False
    return any(sorted(set(order)) == order for order in (days, [(b, a) for a, b in days]))


def _heads_items(text: str, runs: list[tuple[re.Match[str], int]]) -> bool:
    """Return whether fractions are the days of a month before the items of a list in a line, which
    no scores could be: rota: 3/5 Ada, 10/5 Bo, 17/5 Una."""
    days = list[tuple[int, int]]()
    for run, rank in runs:
        start, end = run.span("run")
        if rank >= POSSIBLE and text[max(start - 2, 0) : start] in _BEFORE_ITEMS:
            if _LISTED.match(text, end):
                first, second = re.findall(r"\d+", run["run"])[:2]
                days.append((int(first), int(second)))
    if len(days) < MIN_LISTED or sorted(set(days)) != days:
        return False
    firsts, seconds = ({*numbers} for numbers in zip(*days, strict=True))
    return len(firsts) == 1 or (len(seconds) == 1 and max(firsts) > min(seconds))


def _rank(text: str, lower: str, run: re.Match[str]) -> int:
    """Return how surely fractions are days, by what stands beside them."""
    start, end = run.span("run")
    if is_score(lower, start, end) or _SCORES.match(run["run"]):
        return NEVER
    before = text[max(start - MAX_LEAD, 0) : start]
    after = text[end : end + MAX_TAIL]
    is_share = _SHARE.fullmatch(run["run"]) is not None
    if _HEAD.search(before):
        if is_share and not _CLOSED.match(after):
            return NEVER
        return POSSIBLE if _HEADS.match(after) or _LINE.search(before) else NEVER
    behind = _BEHIND.search(before)
    if behind is None:
        return NEVER
    word = behind[1].lower()
    is_cued = pattern("BEFORE_DATE").search(before.lower()) is not None
    if not _is_of_nothing(after, is_share=is_share and not is_cued, word=word):
        return NEVER
    if word in _UNDATED or _is_period(run["run"], word) or (is_share and word in _EATEN):
        return NEVER
    return _rank_behind(word, is_cued=is_cued, is_share=is_share)


def _is_period(fraction: str, word: str) -> bool:
    """Return whether a fraction behind a word is a period, or all of the time: for 5/7, open
    24/7."""
    if word == "for":
        return _PERIOD.fullmatch(fraction) is not None
    return fraction == _ALWAYS and word in _AROUND_THE_CLOCK


def _is_of_nothing(after: str, *, is_share: bool, word: str) -> bool:
    """Return whether a fraction ends its clause or, unless it may be a share, stands before what is
    no thing; behind "the" and "for", and a verb of parts, only the end of a clause counts."""
    if _CLOSED.match(after):
        return not (is_share and word in _DIVIDED)
    return not is_share and word not in _OPEN and _FREE.match(after) is not None


def _rank_behind(word: str, *, is_cued: bool, is_share: bool) -> int:
    if is_cued:
        return SURE
    is_verb = word.endswith("ed") and word not in _DIVIDED
    return LIKELY if (is_verb or word in _DATED) and not is_share else POSSIBLE


def _is_behind_scale(lower: str, start: int) -> bool:
    """Return whether the name of a scale stands before a place, or only words of its score between:
    visual acuity in both eyes 6/9."""
    clause = _CLAUSE.split(lower[max(start - MAX_LEAD, 0) : start])[-1]
    named = _WORD.findall(clause)[::-1]
    for word in named[: MAX_FILLERS + 1]:
        if word in _SCALES:
            return True
        if word not in _FILLERS:
            return False
    return False


def _is_of_cover(lower: str, start: int, end: int) -> bool:
    """Return whether a fraction is all of the time, before what is there then: on 24/7 cover."""
    after = _AFTER.match(lower, end)
    return lower[start:end] == _ALWAYS and after is not None and after[1] in _AROUND_THE_CLOCK


def _is_before_scale(lower: str, end: int) -> bool:
    after = _AFTER.match(lower, end, end + MAX_TAIL)
    return after is not None and (after[1] in _SCORED or after[1] in _SCALES)
