"""Find who speaks in turns: what two names do that open lines, one of them more than once.

What stands before and behind a name differs from program to program and from typist to typist: a
time, brackets, a mark, a gap. So the turns say who is one, not the layout. Where a listed name
speaks, so do unlisted ones and common words (Ravin: no); labels and the keys of a configuration
stand once, or are ordinary words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ..text.language import language_of
from ..text.mentions import Entity, is_word
from .heads import STATED, head_of
from .tables import PERSON_WORDS, pattern
from .titles import place_of_name
from .words import is_listed, is_name, is_ordinary, kinds

PIECE = re.compile(r"[^\W\d_]+")
MARKED = re.compile(r"[\d_]|\w[.-]\w")  # of a user name
# Kin in other languages, whom chats call so.
KIN = frozenset(
    "maman papa mamie papi papy mami mamá papá mamma papà mama oma opa omi opi nonna nonno abuela "
    "abuelo tía tío tante onkel tonton tata tatie tati zia zio mutti vati moeder vader mère "
    "père".split()
)
# Who talks to someone with a name, by their part in a call or a chat of a service.
_SIDES = frozenset("agent caller client customer guest tenant visitor".split())
MIN_HANDLES = 2  # user names of a chat
MIN_SPEAKERS = 2  # who speak in turns


def turns_in(text: str) -> Iterator[Entity]:
    """Yield those who speak in turns, whatever stands before and behind who it is.

    A column without a mark is of speakers where each line begins with a time.
    """
    turns = dict[str, list[re.Match[str]]]()
    for line in pattern("TURN_LINE").finditer(text):
        kind = "mark" if line["mark"] is not None else "clock" if line["clock"] else "gap"
        if kind != "gap" or any(map(str.isdigit, line["before"])):
            turns.setdefault(kind, []).append(line)
    for kind, lines in turns.items():
        yield from _users_of([line for line in lines if _is_in_small(line["sender"])], kind)
        capital = [line for line in lines if not _is_in_small(line["sender"])]
        yield from _persons_of(capital, text) if kind != "gap" else ()
    blocks = pattern("BLOCK_HEAD").finditer(text)
    yield from _persons_of([line for line in blocks if _opens_block(text, line)], text)


def _opens_block(text: str, line: re.Match[str]) -> bool:
    """Return whether a line of its own has an indented line below it, or a blank one above it."""
    is_apart = not text[max(line.start() - 2, 0) : line.start()].strip("\n")
    return is_apart or line["indent"] is not None


def _is_in_small(sender: str) -> bool:
    return " " not in sender and (sender.islower() or MARKED.search(sender) is not None)


def _users_of(lines: list[re.Match[str]], kind: str) -> Iterator[Entity]:
    """Yield the users who write in turns: two, of which one writes again. Those without marks are
    users above what they say and behind a time, and where somebody is called by a listed name, in
    whole or, in a column, in part; of only letters they are persons there. The keys of a
    configuration are ordinary words, or labels (max_size, first_name), programs of a log have no
    names, and the rows of a programme stand below each other."""
    lines = above_others(lines) if kind == "clock" else lines
    lines = [line for line in lines if is_handle(line["sender"])]
    named = {line["sender"] for line in lines}
    pieces = {piece for name in named for piece in PIECE.findall(name)}
    has_given = any("FIRST" in kinds(name.capitalize()) for name in named)
    has_name = has_given or any(is_name(piece) and not is_ordinary(piece) for piece in pieces)
    if kind == "gap" and not has_name:
        return
    if not MIN_HANDLES <= len(named) < len(lines):
        return
    is_sure = kind != "mark" or has_given
    for line in lines:
        is_person = has_given and line["sender"].isalpha()
        if is_sure or MARKED.search(line["sender"]):
            yield Entity(STATED["PERSON"] if is_person else "USERNAME", *line.span("sender"))


def _persons_of(lines: list[re.Match[str]], text: str) -> Iterator[Entity]:
    """Yield those who speak in turns with a name, in English also with one that is a rare word
    (Ravin: no), where a listed given name or a side of a conversation does so too (Visitor: no).
    Labels stand once, or are common words: Note: closed."""
    counts = Counter(line["sender"] for line in lines)
    speakers = {sender for sender, count in counts.items() if count > 1}
    words_of = {word for sender in speakers for word in sender.split()}
    if len(speakers) < MIN_SPEAKERS or not any(map(_is_of_talk, words_of)):
        return
    is_english = language_of(text) in ("en", "")  # a few short lines tell no language
    named = {s for s in speakers if not s.isupper() and _may_speak(s.split(), is_english)}
    yield from (
        Entity(STATED["PERSON"], *place_of_sender(line))
        for line in lines
        if line["sender"] in named
    )


def _is_of_talk(word: str) -> bool:
    return "SURE_FIRST" in kinds(word) or word.lower() in _SIDES


def _may_speak(sender: list[str], is_english: bool) -> bool:
    """Return whether a sender is no role, and has a listed name or a rare word, in other languages
    a given name: family names are words there (Maire)."""
    name = [w.strip(".") for w in sender if w.strip(".").lower() not in PERSON_WORDS | KIN]
    if not is_english:
        return any("SURE_FIRST" in kinds(word) for word in name)
    return any(is_listed(word) or not is_word(word.lower()) for word in name)


def is_handle(name: str) -> bool:
    pieces = PIECE.findall(name.lower())
    return not all(map(is_ordinary, pieces)) and head_of(name) is None


def above_others(found: Iterable[re.Match[str]]) -> list[re.Match[str]]:
    """Return the lines of which none stands below another, as the rows of a programme do."""
    found = [*found]
    starts = {line.start() for line in found}
    return [line for line in found if line.end() + 1 not in starts]


def place_of_sender(line: re.Match[str]) -> tuple[int, int]:
    """Return the place of the name of a sender in the text of its line."""
    start, end = place_of_name(line["sender"])
    return line.start("sender") + start, line.start("sender") + end


def words_of_sender(line: re.Match[str]) -> list[str]:
    return [word.strip(".") for word in line["sender"].split()]
