"""Find who wrote the lines of a chat: the names beside the times, in all languages.

A program writes the time and the sender before each message, in either order. The slot says that a
word is a name (Boon Kiat, Grace), as the head of a column does, once a listed name stands in it
anywhere in the text. In logs and diaries, ordinary words stand there: ERROR, Update.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..text.mentions import Entity
from ..text.speakers import NO_INITIALS
from .heads import STATED, head_of
from .tables import FIRMS, GOODS, LISTED, MAKERS, PERSON_WORDS, PRODUCTS, pattern, words
from .turns import (
    KIN,
    MARKED,
    MIN_HANDLES,
    PIECE,
    above_others,
    is_handle,
    place_of_sender,
    turns_in,
    words_of_sender,
)
from .words import is_file_name, is_listed, is_name, is_ordinary, kinds, may_name

# A quick test, before the slower search.
_CLOCK = re.compile(r"^[^\n]{0,24}\d[:.h]\d\d", re.M)
_CLOCK_AT_END = re.compile(r"(?: at |[/.]\d{2,4},? |\d{4},? | [—–] )\d\d?[:.]\d\d[^\n]{0,8}$", re.M)
_CAPITAL_COLON = re.compile(r"[^\W\da-z]: ")
_JOINED_PARTS = re.compile(r"(?<![^\W\d_])[A-Z][a-z]{2,20}(?=[A-Z])")
# Between two names of a sender: mother of, from, 's dad.
_LINK = re.compile(
    rf"(?:['’]s|(?: (?:the|of|from|at|in|and|with|w|my|{'|'.join(sorted(PERSON_WORDS))})){{1,4}})"
    r"(?: |\Z)"
)
_CLOSERS = frozenset(
    "always forever hugs kisses blessings god me mummy daddy nan nana gran grandad granddad mam "
    "everyone all us family".split()
)
_AFTER_NAME = re.compile(r"[^\w.]+\Z")
_ABBREVIATIONS = words("ABBREVIATIONS", "terms")
_NO_SIGNERS = _ABBREVIATIONS | NO_INITIALS | frozenset("NA AI NO GP MP CE CI XL CO IN DI".split())
_OF_FORUMS = re.compile(r"\b(?:posts?|replies|reply|thread|moderator|edited by|joined)\b", re.I)
_VERSIONED = re.compile(r"\d\.\d|(?:\A|[_.-])(?:v|rc|alpha|beta|rev|py|node|lib)[._-]?\d", re.I)
_MARKED_HEAD = re.compile(r"^[ \t]{0,3}(?:[-–—=#]{2,8} |[—>] |\*\*|@)[*@]{0,3}[A-Za-z]", re.M)
_NO_SPEAKERS = _ABBREVIATIONS | frozenset(map(str.upper, GOODS | MAKERS | PRODUCTS | FIRMS))
BEFORE_SIGNED = 40  # characters before initials, in which it stands that they sign
MIN_PIECE = 4  # letters of the longest part of a user name with a hyphen
MIN_CAPITALS = 4  # letters of an unlisted name in capitals, which is no abbreviation


def senders_in(text: str) -> Iterator[Entity]:
    """Yield the senders of messages, in characters, with the label of STATED for persons."""
    if _CLOCK.search(text) is not None:
        yield from _behind_times(text)
        yield from _of_meeting(text)
    if _CLOCK_AT_END.search(text) is not None:
        yield from _before_times(text)
    yield from _user_names_of_lines(text)
    yield from _signers_in(text)
    yield from _fond_signers_in(text)
    if "_" in text or _MARKED_HEAD.search(text) is not None:
        yield from _of_comments(text)
    if "**\n" in text or "** (" in text:
        yield from _in_forum(text)
    if _CAPITAL_COLON.search(text) is not None:
        yield from _in_capitals(text)
    if "\n" in text:
        yield from turns_in(text)


def _signers_in(text: str) -> Iterator[Entity]:
    """Yield the initials of those who sign or check something, but for abbreviations of bodies and
    departments (checked by QA), which beside the initials of another are no such: signed TN/AM.
    Three are those of who writes: typist TNB. So do some stand in brackets: Interviewer (TNB)."""
    for match in pattern("ROLE_INITIALS").finditer(text) if "(" in text else ():
        if not match["role"].upper().startswith(match["one"]):  # Interviewer (INT)
            yield Entity(STATED["PERSON"], *match.span("one"))
    for match in pattern("SIGNED_INITIALS").finditer(text):
        before = text[max(match.start() - BEFORE_SIGNED, 0) : match.start()]
        cue = pattern("BEFORE_SIGNED").search(before)
        if cue is None or (match["third"] and cue["writes"] is None):
            continue
        named = [group for group in ("one", "two") if match[group]]
        if not all(match[group] in _NO_SIGNERS for group in named):
            yield from (Entity(STATED["PERSON"], *match.span(group)) for group in named)
    for match in pattern("TYPED_INITIALS").finditer(text):
        yield Entity(STATED["PERSON"], *match.span("name"))


def _fond_signers_in(text: str) -> Iterator[Entity]:
    """Yield who signs with one word below a fond closing, also with an ordinary one (Love / Tee),
    but for kin and what closes, too."""
    for match in pattern("SIGNED_FONDLY").finditer(text):
        lower = match["name"].lower()
        is_other = lower in PERSON_WORDS | KIN | _CLOSERS | LISTED["SIGNOFF"]
        is_other = is_other or lower in LISTED["GREETING"] or head_of(lower) is not None
        if not is_other and kinds(match["name"]).isdisjoint({"WEEKDAY", "MONTH", "FUNCTION"}):
            yield Entity(STATED["PERSON"], *match.span("name"))


def _of_comments(text: str) -> Iterator[Entity]:
    """Yield the user names that head the comments of a ticket, with a time or a verb behind them:
    --- noor_h, 10:05. Behind a rule one says enough; others have an underscore and are two. Neither
    files of a diff nor what is counted in a list are any: - X-ray 14 May."""
    lines = [line for line in pattern("HANDLE_HEAD").finditer(text) if _is_commenter(line)]
    for line in lines:
        if line["rule"] or line["bold"] or len(lines) > 1:
            yield Entity("USERNAME", *line.span("sender"))


def _is_commenter(line: re.Match[str]) -> bool:
    """Return whether the head of a comment has a user name, and no file, version or short word with
    a hyphen (wi-fi). Headings of releases have a day, and no verb: ## node-v18 - 2024-11-04."""
    name, rule = line["sender"], line["rule"] or ""
    if is_file_name(name) or not _is_user_name(name) or _VERSIONED.search(name):
        return False
    if rule.startswith("#") and not line["deed"]:
        return False
    if rule or line["bold"]:
        is_long = max(map(len, PIECE.findall(name))) >= MIN_PIECE
        return "_" in name or (name.islower() and is_long)
    return "_" in name and is_handle(name)


def _in_forum(text: str) -> Iterator[Entity]:
    """Yield those who wrote the posts of a forum, in bold on lines of their own. In a text without
    a user name, or where nobody posts, such lines are headings or packages: **usage**."""
    lines = [line for line in pattern("FORUM_LINE").finditer(text) if is_handle(line["sender"])]
    if len({line["sender"] for line in lines}) < MIN_HANDLES:
        return
    is_forum = _OF_FORUMS.search(text) is not None
    if is_forum and any(MARKED.search(line["sender"]) for line in lines):
        yield from (Entity("USERNAME", *line.span("sender")) for line in lines)


def _in_capitals(text: str) -> Iterator[Entity]:
    """Yield who speaks more than once in a transcript with a full name in capitals, of which no
    list has the first: MAREIKE VAN DER BEEK: Yes. A label begins with an ordinary word, goods or an
    abbreviation, and stands once: WATER METER: 4471."""
    lines = [*pattern("CAPITAL_SPEAKER").finditer(text)]
    counts = Counter(line["sender"] for line in lines)
    for line in lines:
        first = line["sender"].split()[0]
        is_new = len(first) >= MIN_CAPITALS and first not in _NO_SPEAKERS
        if counts[line["sender"]] > 1 and is_new and may_name(first.capitalize()):
            yield Entity(STATED["PERSON"], *line.span("sender"))


def _is_user_name(name: str) -> bool:
    """Return whether a word has the marks of a user name, and an unlisted word or an underscore in
    it; Check-in has neither."""
    return MARKED.search(name) is not None and ("_" in name or is_handle(name))


def _behind_times(text: str) -> Iterator[Entity]:
    lines = [
        line
        for line in pattern("CHAT_LINE").finditer(text)
        if not _is_of_role(words_of_sender(line))
    ]
    if not any(is_listed(part) for line in lines for part in _parts(line)):
        return
    counts = Counter(line["sender"] for line in lines if line["day"] is not None)
    for line in lines:
        writes_often = counts[line["sender"]] > 1 and not line["sender"].isupper()
        if writes_often or any(map(may_name, words_of_sender(line))):
            yield from (Entity(STATED["PERSON"], *place) for place in _named_parts(line))


def _named_parts(line: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of the names of a sender, between which stands whose kin it is: |Lerato|
    mother of |Thabo|."""
    start, end = place_of_sender(line)
    text, offset = line.string, line.start("sender")
    places = list[tuple[int, int]]()
    for link in _LINK.finditer(line["sender"]):
        before, after = (offset + at for at in link.span())
        if start < before < end:
            places.append((start, before))
            start = after
    places.append((start, end))
    for k, (start, end) in enumerate(places):
        if k == 0 or any(map(may_name, text[start:end].split())):
            yield start, end


def _of_meeting(text: str) -> Iterator[Entity]:
    """Yield who writes to whom in the messages of a meeting: 10:02:11 From Ada to Everyone: yes."""
    for line in pattern("MEETING_LINE").finditer(text) if " From " in text else ():
        for group in ("sender", "to") if line["to"] else ("sender",):
            if not _is_of_role(line[group].split()):
                yield Entity(STATED["PERSON"], *line.span(group))


def _before_times(text: str) -> Iterator[Entity]:
    """Yield the senders that stand before the times of their messages, on lines of their own, also
    with a picture behind the name. An ordinary word is one where it writes twice."""
    found = [line for line in pattern("SENDER_LINE").finditer(text) if not head_of(line["sender"])]
    lines = above_others(found)
    counts = Counter(line["sender"] for line in lines)
    for line in lines if len(lines) > 1 else ():
        name = _AFTER_NAME.sub("", line["sender"])
        if counts[line["sender"]] > 1 or any(map(may_name, PIECE.findall(name))):
            yield Entity(_label_of(name), line.start("sender"), line.start("sender") + len(name))


def _user_names_of_lines(text: str) -> Iterator[Entity]:
    """Yield the user names behind the label of who writes, and those on lines of their own above
    what they say, if two do and one does again: names of files and packages stand there once."""
    lines = [line for line in pattern("HANDLE_FIELD").finditer(text) if _is_sure_user(line)]
    alone = above_others(pattern("HANDLE_ALONE").finditer(text)) if "\n" in text else []
    alone = [line for line in alone if _may_be_user(line["sender"])]
    counts = Counter(line["sender"] for line in alone)
    if MIN_HANDLES <= len(counts) < len(alone) and any(map(_is_sure_user, alone)):
        lines += alone
    yield from (Entity("USERNAME", *line.span("sender")) for line in lines)


def _may_be_user(name: str) -> bool:
    """Return whether a word has the marks of a user name, and is no file or version."""
    return _is_user_name(name) and not (is_file_name(name) or _VERSIONED.search(name))


def _is_sure_user(line: re.Match[str]) -> bool:
    """Return whether a word that may be a user name has a long part that is no ordinary word."""
    pieces = PIECE.findall(line["sender"].lower())
    is_rare = any(len(piece) >= MIN_PIECE and not is_ordinary(piece) for piece in pieces)
    return is_rare and _may_be_user(line["sender"])


def _label_of(name: str) -> str:
    """Return the label of a user name if it has marks or digits, and an ordinary word in it, which
    by itself mentions nobody: coach.wren."""
    is_of_words = any(
        len(piece) > 2 and is_ordinary(piece) for piece in PIECE.findall(name.lower())
    )
    return "USERNAME" if MARKED.search(name) and is_of_words else STATED["PERSON"]


def _parts(line: re.Match[str]) -> list[str]:
    """Return the words of a sender, and those that one is joined from: SaoirseB has Saoirse."""
    return [*words_of_sender(line), *_JOINED_PARTS.findall(line["sender"])]


def _is_of_role(sender: list[str]) -> bool:
    """Return whether a sender is a role that no name follows: Nurse, Patient Update."""
    is_role = sender[0].lower() in PERSON_WORDS and not is_name(sender[0])
    return is_role and not any(map(may_name, sender[1:]))
