r"""Text in escapes and markup: strings of JSON (Zo\u00eb), values of forms (Zo%C3%AB), tags.

A recogniser would read such a name in pieces, and a surrogate would break the escapes. So a text is
decoded before it is read, and each piece that was decoded is encoded again, in its own style, when
the release is written. A piece may hold pieces of its own: JSON within a string of JSON. Tags and
the keys of forms are code: they separate texts, stay as they are, and are never part of a name. The
values of attributes are text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

# In the user data of a Doc: its decoded pieces, a list for each level of decoding.
CODED = "dx_coded"
CODE = "dx_code"  # there, too: the spans of its text that are code
MAX_LEVELS = 3
MAX_PIECE = 2**20  # characters of a string that is decoded

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[\"\\/bfnrt])")
_UNICODE = re.compile(r"\\u[0-9a-fA-F]{4}")
_HIDES = re.compile(r"\\[nrt\"]")  # what a name may stand beside
_STRING = re.compile(r'(?<![\w\\"])"((?:[^"\\\n]|\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))*)"')
# Outside of strings only escapes of letters count: "\n" may be a part of a path.
_LETTER = r"\\u(?!00[0-7])[0-9a-fA-F]{4}"
_BARE = re.compile(rf"(?:(?<![\\\w])[^\W_][\w'’.-]*)?{_LETTER}(?:[\w'’.-]|{_LETTER})*")
_FORM = re.compile(
    r"(?<![\w/?&=%.:#@-])[\w.\[\]-]{1,60}=[^\s&=<>\"']*(?:&[\w.\[\]-]{1,60}=[^\s&=<>\"']*)+"
)
_VALUE = re.compile(r"(?<==)[^&]+")
_PERCENT = re.compile(
    r"(?<![\w/?&=%.:#@+-])(?:[\w.~-]|%[0-9A-Fa-f]{2}|\+(?=[\w%]))*%[0-9A-Fa-f]{2}[\w.~%+-]*"
)


class Style(NamedTuple):
    """How a piece is encoded. kind: "json" or "form". safe: letters of a form that stay, or "ascii"
    where JSON is written in ASCII. blank: how a form writes a blank."""

    kind: str
    safe: str = ""
    blank: str = ""

    def encode(self, text: str) -> str:
        """Return a text as the piece writes it."""
        if self.kind == "json":
            return json.dumps(text, ensure_ascii=bool(self.safe))[1:-1]
        return "".join(self._quoted(letter) for letter in text)

    def _quoted(self, letter: str) -> str:
        if letter == " ":
            return self.blank
        plain = (letter.isascii() and letter.isalnum()) or letter in self.safe
        return letter if plain else quote_from_bytes(letter.encode("utf8", "replace"), safe="")


class Piece(NamedTuple):
    """A piece of a text, in characters."""

    start: int
    end: int
    style: Style


Levels = Sequence[Sequence[Piece]]


def is_coded(text: str) -> bool:
    """Return whether a text has pieces to decode; quick for nearly all texts."""
    return ("\\" in text or "%" in text or "&" in text) and next(
        _pieces(text, 0, len(text)), None
    ) is not None


def decoded(text: str, places: Sequence[int]) -> tuple[str, list[int], list[list[Piece]]]:
    """Return a text with all pieces decoded, the new places of these places, and the pieces."""
    levels = list[list[Piece]]()
    moved = list(places)
    within = [(0, len(text))]
    while len(levels) < MAX_LEVELS:
        pieces = [piece for span in within for piece in _pieces(text, *span)]
        if not pieces:
            break
        text, move, level = _decode(text, pieces)
        within = [(piece.start, piece.end) for piece in level]
        moved = [move(place) for place in moved]
        levels = [[Piece(move(p.start), move(p.end), p.style) for p in old] for old in levels]
        levels.append(level)
    return text, moved, levels


def _decode(text: str, pieces: list[Piece]) -> tuple[str, Callable[[int], int], list[Piece]]:
    """Return a text with these pieces decoded, a function that moves places, and moved pieces."""
    parts, last, size = list[str](), 0, 0
    level = list[Piece]()
    old, new = [0], [0]  # starts of escapes and of what follows them, before and after
    for start, end, style in pieces:
        parts.append(text[last:start])
        size += start - last
        begin = size
        for first, stop, letters in _letters(text, start, end, style):
            parts.append(letters)
            if stop - first != len(letters):
                old += first, stop
                new += size, size + len(letters)
            size += len(letters)
        level.append(Piece(begin, size, style))
        last = end
    parts.append(text[last:])

    def move(place: int) -> int:
        i = bisect_right(old, place) - 1
        moved = new[i] + place - old[i]
        return min(moved, new[i + 1]) if i + 1 < len(new) else moved

    return "".join(parts), move, level


def _letters(text: str, start: int, end: int, style: Style) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and decoded letters of the parts of a piece."""
    is_json, last = style.kind == "json", start
    codes = _JSON_RUN if is_json else _FORM_RUN
    for match in codes.finditer(text, start, end):
        if match.start() > last:
            yield last, match.start(), text[last : match.start()]
        yield *match.span(), (_of_json if is_json else _of_form)(match[0])
        last = match.end()
    if last < end:
        yield last, end, text[last:end]


# A letter of another plane is two escapes; a letter of UTF-8 is up to four.
_JSON_RUN = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|" + _ESCAPE.pattern
)
_FORM_RUN = re.compile(
    r"\+|%[0-7][0-9A-Fa-f]|%[c-dC-D][0-9A-Fa-f]%[0-9A-Fa-f]{2}|"
    r"%[eE][0-9A-Fa-f](?:%[0-9A-Fa-f]{2}){2}|%[fF][0-7](?:%[0-9A-Fa-f]{2}){3}"
)


def _of_json(escape: str) -> str:
    return str(json.loads(f'"{escape}"'))


def _of_form(code: str) -> str:
    if code == "+":
        return " "
    try:
        return unquote_to_bytes(code).decode("utf8")
    except UnicodeDecodeError:
        return code


def _pieces(text: str, start: int, end: int) -> Iterator[Piece]:
    """Yield the pieces of a part of a text that change when they are decoded, in order."""
    part = text[start:end]
    found = [*_json_pieces(part)] if "\\" in part else []
    if "%" in part or "&" in part:
        found += _form_pieces(part)
    last = 0
    for piece in sorted(found, key=lambda piece: (piece.start, -piece.end)):
        if piece.start >= last:
            yield Piece(start + piece.start, start + piece.end, piece.style)
            last = piece.end


def _json_pieces(text: str) -> Iterator[Piece]:
    is_ascii = _UNICODE.search(text) is not None
    style = Style("json", "ascii" if is_ascii else "")
    if not (is_ascii or _HIDES.search(text)):
        return  # strokes alone hide no name
    for match in _STRING.finditer(text):
        if len(match[1]) < MAX_PIECE and _ESCAPE.search(match[1]) and _is_whole(match[1]):
            yield Piece(*match.span(1), style)
    for match in _BARE.finditer(text) if is_ascii else ():
        if _is_whole(match[0]):
            yield Piece(*match.span(), style)


def _is_whole(string: str) -> bool:
    """Return whether no half of a surrogate pair is in a string of JSON."""
    return "\\u" not in string or not any(
        "\ud800" <= c <= "\udfff" for c in json.loads(f'"{string}"')
    )


def _form_pieces(text: str) -> Iterator[Piece]:
    for form in _FORM.finditer(text):
        if not _may_be_form(form[0]):
            continue
        style = _style_of(form[0])
        for value in _VALUE.finditer(form[0]):
            yield Piece(form.start() + value.start(), form.start() + value.end(), style)
    for match in _PERCENT.finditer(text):
        if _FORM_RUN.search(match[0]) and match[0][0].isalpha():
            yield Piece(*match.span(), _style_of(match[0]))


def _style_of(form: str) -> Style:
    safe = "".join(sorted({c for c in form if not c.isalnum() and c not in "%+&="}))
    return Style("form", safe, "+" if "+" in form else "%20")


def _may_be_form(form: str) -> bool:
    """Return whether a run of keys and values has a letter in a value."""
    return any(any(map(str.isalpha, value)) for value in _VALUE.findall(form))


# -- writing ---------------------------------------------------------------------------------------


def cuts_at(levels: Levels) -> list[int]:
    """Return the places where pieces begin and end, in order."""
    return sorted({place for level in levels for piece in level for place in piece[:2]})


def moved_levels(levels: Levels, move: Callable[[list[int]], Sequence[int]]) -> list[list[Piece]]:
    """Return pieces at new places. move: returns the new places of places."""
    result = list[list[Piece]]()
    for level in levels:
        places = move([place for piece in level for place in piece[:2]])
        pairs = zip(places[::2], places[1::2], level, strict=True)
        result.append([Piece(start, end, piece.style) for start, end, piece in pairs])
    return result


def encode(
    levels: Levels, starts: Sequence[int], words: list[str], spaces: list[bool]
) -> tuple[list[str], list[bool]]:
    """Return words and spaces as the pieces write them.

    Args:
        levels: The pieces, see `decoded`.
        starts: For each word, the start in the decoded text of the token that it stands for.
        words: The words to write.
        spaces: Whether a blank follows a word.
    """
    words, spaces = list(words), list(spaces)
    for level in reversed(levels):
        begins = [piece.start for piece in level]
        for j, start in enumerate(starts):
            i = bisect_right(begins, start) - 1
            if i < 0 or start >= level[i].end:
                continue
            style = level[i].style
            words[j] = style.encode(words[j])
            within = j + 1 < len(starts) and starts[j + 1] < level[i].end
            if spaces[j] and style.blank and within:
                words[j], spaces[j] = words[j] + style.blank, False
    return words, spaces


def pairs_of(cuts: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text of this size between cuts."""
    edges = sorted({0, size, *(cut for cut in cuts if 0 < cut < size)})
    yield from pairwise(edges)


# -- code between texts ----------------------------------------------------------------------------

_ATTRIBUTE = r"\s+[\w:.@#*()\[\]-]{1,60}(?:\s?=\s?(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]{1,200}))?"
_TAG = re.compile(rf"</?([A-Za-z][\w:.-]{{0,60}})((?:{_ATTRIBUTE}){{0,60}})\s?/?>")
VOICE = re.compile(r"<v(?:\.[\w.]{1,40})?[ \t]+([^<>\n]{1,80})>")  # of subtitles: who speaks
_QUOTED = re.compile(r"=\s?(?:\"([^\"<>]*)\"|'([^'<>]*)')")
_REFERENCE = re.compile(r"&(?:[lg]t|quot|apos|nbsp|#0?39|#34);")  # of marks, not of letters
_KEY = re.compile(r"&?[\w.\[\]-]{1,60}=")
# A name in angle brackets is no tag: a tag has a value, or is closed, or is of HTML.
_HTML = frozenset(
    "a b i u p br hr li ul ol td th tr em div pre sub sup span body head html table tbody thead "
    "strong code h1 h2 h3 h4 h5 h6 img dl dt dd details summary small".split()
)
Spans = list[tuple[int, int]]


# The number and the times of a subtitle.
_CUE = re.compile(r"^(?:\d{1,9}[ \t]?\r?\n)?[\d:.,]{5,12} --> [\d:.,]{5,12}[^\n]{0,100}$", re.M)
# The frame of a stack of calls, without the package: class, method, file and line.
_FRAME = re.compile(
    r"(?<=\n)[ \t]{0,40}at (?:[\w$]{1,60}\.){0,20}?([\w$]{1,60}\.[\w$<>]{1,60}"
    r"\((?:[\w$-]{1,60}\.[a-z]{1,6}:\d{1,6}|Native Method|Unknown Source)\))"
)
# The keys of a line of a calendar or of an address card, and values that each of these has.
CARD = re.compile(r"^BEGIN:V[A-Z]", re.M)
_CARD_KEY = re.compile(
    r"^(?:(?:BEGIN|END):V[A-Z]{4,9}(?=[ \r]?$)|VERSION:\d\.\d|"
    r"(?:item\d{1,3}\.)?[A-Z][A-Z\d-]{0,30}(?=[:;]))",
    re.M,
)
_CARD_PART = re.compile(
    r":|;(?:(?:TYPE|VALUE|ENCODING|CHARSET|PREF|ROLE|PARTSTAT|RSVP|CUTYPE|RELTYPE|RELATED|FBTYPE|"
    r"FMTTYPE)=[\w,/-]{1,60}|[A-Z][A-Z-]{1,30}=|(?:WORK|HOME|VOICE|FAX|CELL|PREF|MSG|INTERNET|INTL|"
    r"POSTAL|PARCEL|DOM|PAGER|CAR|ISDN|VIDEO|QUOTED-PRINTABLE|BASE64)(?=[:;]))"
)
_CARD_MAIL = re.compile(r"(?<=[:=\"])mailto:", re.I)
_PARAMETER = re.compile(r"\"[^\"\n]{0,200}\"|[^\"\n:;]{1,200}")


# A text without any of these has no code, or only that of its pieces.
CODE_SIGNS = ("<", "&", " --> ", "BEGIN:V", "\tat ", "  at ")


def code_in(text: str, levels: Levels = ()) -> Spans:
    """Return the spans of tags, without values of their attributes, of references such as &lt;, of
    numbers and times of subtitles, of frames of a stack of calls, and of keys of forms and of
    address cards, in order.

    levels: the pieces of a decoded text.
    """
    spans: Spans = []
    for piece in (piece for level in levels for piece in level if piece.style.kind == "form"):
        before = [*_KEY.finditer(text, max(piece.start - 62, 0), piece.start)]
        if before and before[-1].end() == piece.start:
            spans.append(before[-1].span())
    if "<" in text:
        spans += _tags(text)
    if " --> " in text:
        spans += (match.span() for match in _CUE.finditer(text))
    if "\tat " in text or "  at " in text:
        spans += (match.span(1) for match in _FRAME.finditer(text))
    if "BEGIN:V" in text and CARD.search(text):
        spans += _keys_of_cards(text)
    if ";" in text and "&" in text:
        spans += (match.span() for match in _REFERENCE.finditer(text))
    return sorted(spans)


def _keys_of_cards(text: str) -> Iterator[tuple[int, int]]:
    """Yield the keys of the lines of calendars and address cards, and of their parameters."""
    for match in _CARD_KEY.finditer(text):
        start, end = match.span()
        while part := _CARD_PART.match(text, end):
            end = part.end()
            if part[0].startswith(";") and part[0].endswith("="):
                yield start, end
                value = _PARAMETER.match(text, end)
                start = end = value.end() if value else end
            elif part[0] == ":":
                break
        if end > start:
            yield start, end
    yield from (match.span() for match in _CARD_MAIL.finditer(text))


def _tags(text: str) -> Iterator[tuple[int, int]]:
    for match in VOICE.finditer(text):
        yield match.start(), match.start(1)
        yield match.end(1), match.end()
    for match in _TAG.finditer(text):
        name = match[1]
        is_open = "=" in match[2] or match[0].endswith("/>") or name in _HTML
        if match[0].startswith("</"):
            is_open = f"<{name}" in text
        if not is_open and (match[2] or f"</{name}>" not in text):
            continue
        last = match.start()
        for value in _QUOTED.finditer(text, *match.span(2)):
            group = 1 if value[1] is not None else 2
            yield last, value.start(group)
            last = value.end(group)
        yield last, match.end()
