"""Where a text of somebody else is prose, so that an original may stand in it.

Whoever wrote the text may read what a client fetches, sends or runs as soon as the text is shown.
So a word is held in all that may be an address, and in markup: tags, raw text such as that of
scripts, targets of links. What remains is prose. Sources: CommonMark 0.31, HTML Living Standard
(13.1.2, 13.2.5), RFC 3986, CSS Syntax 3, Docutils 0.21.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

BLANK_SIGNS = " \t\n\r\f\v"  # only these, since some other white space does not end an address
_BLANKS = re.compile(f"[{BLANK_SIGNS}]+")
# In a JSON string, its ends and escaped blanks end a run too.
_BLANKS_OF_JSON = re.compile(r'(?:[ \t\n\r\f\v]|(?<!\\)(?:"|\\[nrt]))+')
_HINT = re.compile(r"[<\[{(@/\\&。．｡]|[:.?#](?=\S)|__(?!\S)|\.\.(?!\S)")
_HINT_OF_JSON = re.compile(_HINT.pattern.replace(r"\\&", r"&") + r"|\\(?![nrt\"])")
_JOINTS = frozenset("/?#@&=%")  # between parts of an address
_LINK = re.compile(r"\]\(")
MASK = "ꙮ"  # in place of a word that may be restored: a letter, but of no address and of no tag
_IP = r"\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f.]*:[\da-f:.]*\]"
_SCHEME = r"[a-z][a-z0-9+.-]{1,30}:(?=[^\s\"'“”‘’*)\]},;])"
# Nothing is restored in a run (signs without a blank) that a client may fetch or send to.
_LOCATOR = re.compile(
    rf"//|\\\\|(?<!\w)(?:https?|ftp|file|wss?|mailto|tel|data|blob|javascript|vbscript):|"
    rf"(?<![\w.]){_SCHEME}|(?<!\w)www\.|(?<!\w)localhost(?!\w)|{_IP}|"
    r"(?<!\w)(?:\d+(?:\.\d+)+|\d{8,10}|0x[\da-f]+)[/:?#]|"
    r"[\w-][.。．｡][^\W\d_ꙮ]{2,63}(?![\w.])|[\w-]\.[^\W\d_ꙮ]{2,63}\.(?:\W|$)|@[\w-]+\.\w|"
    r"&(?:#x?0*(?:2f|3a|5c|47|58|92)|sol|colon|bsol);|\\(?:u00|x)(?:2f|3a|5c)",
    re.I,
)
_LOCATOR_SIGN = re.compile(r"[/\\:.。．｡@&\[?#]")  # each other part of an address has one
# The beginning of an address: after a delimiter, it may have blanks.
_ADDRESS = (
    rf"(?:(?<![\w@./\\-])|(?<=\\[nrt])){_SCHEME}|"
    rf"(?:(?<![\w@./:\\-])|(?<=\\[nrt]))(?://|\\\\|\\/\\?/|www\.|{_IP}|(?:\d{{8,10}}|0x[\da-f]+)[/:]|"
    r"(?:[\w-]{1,63}[.。．｡]){1,9}[^\W\d_ꙮ]{2,63}[/?#:]|localhost(?!\w)|[a-z]{0,8}(?:\\u00|\\x)[2-7]|"
    r"[a-z]{0,8}&#)"
)
_BEGIN = re.compile(
    r"(?P<tag><(?=[^\W\d_]|[/!?\\&]))|(?P<link>\]\()|(?P<wiki>(?:\[\[|\{\{)(?=[\w/:#.\\]))|"
    r"(?P<call>(?<![\w-])(?:url|src|image-set)\()|(?P<rule>@import(?!\w))|"
    rf"(?P<directive>(?:\.\.|__)(?=\s|$)|(?<!\w)(?:image|video|audio|include)::(?=\S))|(?P<address>{_ADDRESS})",
    re.I,
)
_QUOTES = "\"'`“‘«"
_MIRRORS = dict(zip("([{<“‘«\"'`*!|", ")]}>”’»\"'`*!|", strict=True))
_OPENING_QUOTE = re.compile(rf"(?:^|[\s([{{:,=])\\?([{_QUOTES}])\s+$")
_KEY = re.compile(
    r"\s*(?:[-*] +)?(?:[a-z_][\w.-]*[ \t]*:|[\w.-]+[ \t]*=)[ \t]*"
)  # of a line of YAML, INI or TOML
_OPENINGS, _CLOSINGS = "([{<\"'“‘«*_~|#", ".,;:!?)]}>\"'”’»*_~|…"
_GENITIVES = ("'s", "’s")
# A tag that all readers of HTML end at the same place.
_TAG = re.compile(
    r"/?[a-z][\w-]*(\s+[\w:.@-]+(\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?)*\s*/?", re.A | re.I
)
_TAG_SIGN = re.compile("[>\"']")
# Elements whose text is not prose: raw text, and the elements of other languages.
_RAW = re.compile(
    r"(?:[\w-]+:)?(script|style|svg|math|textarea|title|xmp|iframe|noembed|noframes|noscript|"
    r"plaintext)(?![\w-])",
    re.I,
)
_LINE_ENDS, _PARAGRAPH_ENDS = re.compile(r"\n"), re.compile(r"\n[ \t]*\n")
_BLOCK_ENDS = re.compile(r"\n(?=\S|[ \t]*\n)")  # of a directive: a line that is not indented
ADDRESS = "address"  # the end of a region that begins with an address
MAX_LINE = 200  # signs of a line before an address that are read
WINDOW = 80  # signs beside an address that make it a part of a longer one
MAX_AFFIX = 32  # signs of brackets, quotes and full stops beside an address


class Run:
    """Signs without a blank that may be part of an address."""

    __slots__ = ("_links", "_locator", "_text", "end", "start")

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self.start, self.end = text, start, end
        self._locator: int | None = None
        self._links: list[int] | None = None

    @property
    def locator(self) -> int:
        """Where the first part of an address begins; after the run if it has none."""
        if self._locator is None:
            match = _LOCATOR.search(self._text, self.start, self.end)
            self._locator = match.start() if match else self.end + 1
        return self._locator

    def has_locator(self, start: int, end: int, stop: int) -> bool:
        """Return whether a part of an address is before `start` or begins from `end` to `stop`."""
        if self.locator >= stop:
            return False
        for match in _LOCATOR.finditer(self._text, self.locator, self.end):
            if match.end() <= start or end <= match.start() < stop:
                return True
            if match.start() >= stop:
                break
        return False

    def link_after(self, place: int) -> int:
        """Return where the target of the next link begins; the text of a link is not part of it."""
        if self._links is None:
            self._links = [m.start() for m in _LINK.finditer(self._text, self.start, self.end)]
        number = bisect_left(self._links, place)
        return self._links[number] if number < len(self._links) else self.end


@dataclass
class Segment:
    """A read part of a text.

    runs: start and end of those that may have a part of an address. spans: regions in which words
    are held: start, end, and the signs up to which a word that is an address may be all of the
    region, and is not held; in tags and links of wikis (WORDS), any word. start is -1 if the region
    began in an earlier segment. A region that ends with ADDRESS begins with an address.
    """

    text: str = field(repr=False)
    runs: list[tuple[int, int]]
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    _span: int = 0  # numbers of the next span and the next run
    _run: int = 0
    _last: Run | None = None  # that was asked for last

    def holds(self, start: int, end: int, *, is_address: bool) -> bool:
        """Return whether a word must stay. Words are asked for in order."""
        while self._span < len(self.spans) and self.spans[self._span][1] <= start:
            self._span += 1
        while self._run < len(self.runs) and self.runs[self._run][1] <= start:
            self._run += 1
        if self._span < len(self.spans) and self.spans[self._span][0] < end:
            first, _, ends = self.spans[self._span]
            is_all = is_address or ends in WORDS
            if ends != ADDRESS:
                is_all &= self.text[end : end + 1] in {*ends}
            if not (first == start and is_all):
                return True
        if self._run == len(self.runs) or self.runs[self._run][0] > start:
            return False
        run = self._last
        if run is None or run.end <= start:
            run = self._last = Run(self.text, *self.runs[self._run])
        if is_address:
            return self._is_in_longer_address(run, start, end)
        return run.locator < run.end and run.locator < run.link_after(end)

    def _is_in_longer_address(self, run: Run, start: int, end: int) -> bool:
        """Return whether an address, which is all of a surrogate, is part of a longer one."""
        stop = run.link_after(end)
        before = self.text[max(run.start, start - WINDOW) : start]
        after = self.text[end : min(stop, end + WINDOW)]
        if max(start - run.start, stop - end) <= MAX_AFFIX:
            ending = after[2:] if after.startswith(_GENITIVES) else after
            if not before.removesuffix("](").strip(_OPENINGS) and not ending.strip(_CLOSINGS):
                return False
        if before[-1:] in _JOINTS or after[:1] in _JOINTS or run.has_locator(start, end, stop):
            return True
        return is_locator(f"{before}{MASK}{after}")


def _runs(text: str, *, escaped: bool) -> Iterator[tuple[int, int]]:
    """Yield start and end of the runs of a text that may have a part of an address, or markup."""
    hint, place = _HINT_OF_JSON if escaped else _HINT, 0
    blanks = blanks_of(escaped=escaped)
    while match := hint.search(text, place):
        _, start = last_blank(text, match.start(), escaped=escaped, lowest=place)
        after = blanks.search(text, match.end())
        place = after.start() if after else len(text)
        yield start, place


def is_locator(text: str) -> bool:
    """Return whether a text is an address, or a part of one."""
    may_be = _LOCATOR_SIGN.search(text) or "localhost" in text.lower()
    return bool(may_be) and _LOCATOR.search(text) is not None


def blanks_of(*, escaped: bool) -> re.Pattern[str]:
    """Return the pattern of what separates runs. escaped: whether the text is JSON."""
    return _BLANKS_OF_JSON if escaped else _BLANKS


def last_blank(text: str, end: int, *, escaped: bool, lowest: int = 0) -> tuple[int, int]:
    """Return start and end of the last blanks before `end`; (lowest, lowest) if there are none."""
    if escaped:
        found = [m.span() for m in _BLANKS_OF_JSON.finditer(text, lowest, end)]
        return found[-1] if found else (lowest, lowest)
    stop = lowest
    for sign in BLANK_SIGNS:
        stop = max(stop, text.rfind(sign, stop, end) + 1)
    start = stop
    while start > lowest and text[start - 1] in BLANK_SIGNS:
        start -= 1
    return start, stop


class Prose:
    """Tells prose from what may be fetched, in a text that is read in segments.

    Args:
        escaped: Whether the text is JSON.
        is_value: Whether the text is a value, such as an argument: a value that begins with an
            address is one.
    """

    def __init__(self, *, escaped: bool = False, is_value: bool = False) -> None:
        self._escaped, self._is_value = escaped, is_value
        self._line = "\n"  # the end of the current line
        self._state = ""  # kind of the open region; "!" if readers disagree where it ends
        self._end, self._depth = "", 0  # sign that ends the region; open brackets in it
        self._quote, self._tag, self._raw = "", list[str](), ""
        self._run: tuple[int, int] | None = None  # in which a region may begin

    def skip(self, text: str) -> bool:
        """Return whether a segment is all prose, and then read it."""
        hint = _HINT_OF_JSON if self._escaped else _HINT
        if self._state or hint.search(text):
            return False
        self._is_value &= not text.strip()
        self._line = self._line_at(text, len(text))
        return True

    def read(self, text: str) -> Segment:
        """Read a segment, which begins with a blank and ends before one, or with the text."""
        segment = Segment(text, list(_runs(text, escaped=self._escaped)))
        place, start, runs = 0, -1, iter(segment.runs)
        self._run = next(runs, None)
        while place < len(text):
            if not self._state:
                while self._run and self._run[1] <= place:
                    self._run = next(runs, None)
                place = start = self._begin(text, place)
                continue
            ends = _ENDS_OF.get(self._state, ADDRESS)
            place = _READERS[self._state](self, text, place)
            segment.spans.append((start, place, ends))
            start = place
        self._is_value &= not text.strip()
        self._line = self._line_at(text, len(text))
        return segment

    # -- where a region begins ---------------------------------------------------------------------

    def _begin(self, text: str, place: int) -> int:
        """Find the next region. Return where it begins, or where prose was read to."""
        if self._run is None:
            return len(text)
        match = _BEGIN.search(text, max(place, self._run[0]), self._run[1])
        if match is None:
            return self._run[1]
        kind = str(match.lastgroup)
        if kind == "address":
            return match.start() if self._begin_address(text, match.start()) else match.end()
        if kind == "directive" and self._line_at(text, match.start()).strip():
            return match.end()
        self._state, self._depth, self._tag, self._quote = kind, 1, [], ""
        if kind == "directive" and match[0].endswith("::"):
            self._state = "line"
        return match.end()

    def _begin_address(self, text: str, start: int) -> bool:
        """Return whether an address begins a region. It ends at a blank in plain text, but within
        delimiters, in a line of settings, and as a value it may have blanks."""
        line = self._line_at(text, start)
        before = line.lstrip("\n")
        is_quoted = before.rstrip().endswith(tuple(_QUOTES))
        quote = _OPENING_QUOTE.search(before) if is_quoted else None
        if self._is_value and not text[:start].strip():
            self._state = "!"
        elif before and before[-1] not in BLANK_SIGNS:
            self._enclose(before[-1], before[-2:-1])
        elif quote:
            self._enclose(quote[1], before[quote.start(1) - 1 : quote.start(1)])
        elif _KEY.fullmatch(before):
            self._state = "line"
        return bool(self._state)

    def _enclose(self, opening: str, before: str) -> None:
        """Begin a region up to the sign that closes an opening one, or else of the line."""
        self._end, self._depth = _MIRRORS.get(opening, ""), 1
        self._state = "enclosed" if self._end else "line"
        if opening in "\"'" and before == "\\":
            self._state = "escaped"

    def _line_at(self, text: str, place: int) -> str:
        """Return the line before a place, back to its break or by MAX_LINE signs."""
        lowest = max(0, place - MAX_LINE)
        start = max(lowest, text.rfind("\n", lowest, place))
        line = text[start:place]
        return line if start else (self._line + line)[-MAX_LINE:] if "\n" not in line else line

    # -- where it ends: `place` is in the region ---------------------------------------------------

    def _end_of_tag(self, text: str, place: int) -> int:
        while place < len(text):
            if self._quote:
                end = text.find(self._quote, place) + 1
            else:
                sign = _TAG_SIGN.search(text, place)
                end = sign.end() if sign else 0
            self._tag.append(text[place : end or len(text)])
            if not end:
                return len(text)
            place, quote = end, text[end - 1]
            self._quote = "" if self._quote or quote == ">" else quote
            if quote == ">" and self._is_end_of_tag():
                return place - 1
        return place

    def _is_end_of_tag(self) -> bool:
        """Return whether a tag ends at a >, and begin what follows. Where quotes are odd, HTML and
        Markdown may read on: nothing is restored any more."""
        if self._quote or self._tag[-1].endswith("\\>"):
            return False
        tag = "".join(self._tag)[:-1]
        tag = tag.replace('\\"', '"') if self._escaped else tag
        is_sure = _TAG.fullmatch(tag) or not re.search("[\"']", tag)
        raw = _RAW.match(tag)
        self._state = "" if is_sure else "!"
        if raw and is_sure and not (tag.endswith("/") and raw[1].lower() in ("svg", "math")):
            self._state, self._raw = "raw", raw[1]
        return True

    def _end_of_raw(self, text: str, place: int) -> int:
        end = re.compile(rf"<\\?/(?:[\w-]+:)?{self._raw}(?![\w-])", re.I).search(text, place)
        stop = end.start() if end else len(text)
        if "<!" in text[place:stop]:  # in a comment, readers disagree where the element ends
            self._state = "!"
        elif end:
            self._state = ""
        return stop

    def _end_of_link(self, text: str, place: int) -> int:
        for sign in re.compile(r"[()\n<]").finditer(text, place):
            self._depth += (sign[0] == "(") - (sign[0] == ")")
            if sign[0] == "<" and re.match(r"[^\W\d_]|[/!?\\&]", text[sign.end() :][:1]):
                self._state, self._tag, self._quote = "tag", [], ""
                return sign.end()
            if sign[0] == "\n" or not self._depth:
                return self._stop(sign, text)
        return len(text)

    def _end_of_call(self, text: str, place: int) -> int:
        for sign in re.compile("[\"')]").finditer(text, place):
            if self._quote:
                self._quote = "" if sign[0] == self._quote else self._quote
            elif sign[0] == ")":
                return self._stop(sign, text)
            else:
                self._quote = sign[0]
        return len(text)

    def _end_of_wiki(self, text: str, place: int) -> int:
        return self._stop(re.compile(r"[\]}|\n]").search(text, place), text)

    def _end_of_rule(self, text: str, place: int) -> int:
        return self._stop(re.compile(r";|\n").search(text, place), text)

    def _end_of_line(self, text: str, place: int) -> int:
        return self._stop(_LINE_ENDS.search(text, place), text)

    def _end_of_directive(self, text: str, place: int) -> int:
        return self._stop(_BLOCK_ENDS.search(text, place), text)

    def _end_of_enclosed(self, text: str, place: int) -> int:
        opening = next((sign for sign, end in _MIRRORS.items() if end == self._end), "")
        for sign in self._signs(rf"(?<!\\){re.escape(self._end)}", opening, text, place):
            is_nested = opening != self._end and sign[0] == opening
            self._depth += 1 if is_nested else -1
            if not self._depth or sign[0][0] == "\n":
                return self._stop(sign, text)
        return len(text)

    def _end_of_escaped(self, text: str, place: int) -> int:
        signs = self._signs(rf"(?<!\\\\){re.escape(self._end)}", "", text, place)
        return self._stop(next(signs, None), text)

    @staticmethod
    def _signs(end: str, opening: str, text: str, place: int) -> Iterator[re.Match[str]]:
        nested = f"|{re.escape(opening)}" if opening else ""
        return re.compile(rf"{_PARAGRAPH_ENDS.pattern}|{end}{nested}").finditer(text, place)

    def _stop(self, sign: re.Match[str] | None, text: str) -> int:
        """End the region before a sign, if there is one."""
        if sign is None:
            return len(text)
        self._state = ""
        return sign.start()


# What may follow a word that is all of a region; regions of which any word may be all.
WORDS = (">", "]}|")
_ENDS_OF = {
    "tag": ">", "link": ")", "wiki": "]}|", "call": ")", "rule": "", "directive": "", "raw": "",
    "!": "",
}  # fmt: skip
_READERS: dict[str, Callable[[Prose, str, int], int]] = {
    "tag": Prose._end_of_tag,
    "raw": Prose._end_of_raw,
    "link": Prose._end_of_link,
    "call": Prose._end_of_call,
    "wiki": Prose._end_of_wiki,
    "rule": Prose._end_of_rule,
    "line": Prose._end_of_line,
    "directive": Prose._end_of_directive,
    "enclosed": Prose._end_of_enclosed,
    "escaped": Prose._end_of_escaped,
    "!": lambda prose, text, place: len(text),
}
