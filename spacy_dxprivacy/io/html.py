"""Read and write .html: text is sanitised, and known elements are kept.

Nothing is copied that is not on a list: all other elements, attributes and links are dropped and
counted, styles among them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser

from ..config import FileOptions
from .pieces import BadDocument, Pieces, linked, listed, listed_by, mail_target

DEEPEST = 1000  # elements within elements
SECONDS = 30.0  # to parse one page
_BLANK = " \t\r\n\f"

VOID, UNCLOSED, INLINE, BLOCK, TEXT, KEPT = (
    listed(f"HTML_{name}") for name in "VOID UNCLOSED INLINE BLOCK TEXT KEPT".split()
)
DROPPED = listed_by("HTML_DROPPED")
_VALUE = re.compile(r"[a-z]{2,3}(-[a-z]{2})?|\d{1,2}", re.A | re.I)  # of an attribute in KEPT


class _PageReader(HTMLParser):
    def __init__(self, pieces: Pieces) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces, self.out = pieces, list[str]()  # what is written, in parts
        self.data: list[str] = []
        self.open: list[str] = []  # elements whose end is awaited
        self.skipped = ""  # the element that is dropped with all that it holds
        self.level = 0  # of elements of this name
        self.apart = True  # a block begins
        self.end = time.monotonic() + SECONDS

    # -- events --------------------------------------------------------------------------------

    def updatepos(self, i: int, j: int) -> int:
        """Check the time at each event; nobody asks for the place of a tag."""
        if time.monotonic() > self.end:
            raise BadDocument("its markup takes too long to read.")
        return j

    def handle_data(self, data: str) -> None:
        if not self.skipped:
            self.data.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.skipped:
            self.level += tag == self.skipped
            return
        self._flush(inline=tag in INLINE)
        self._apart(tag)
        if tag in DROPPED:
            self.pieces.dropped[DROPPED[tag]] += 1
            self.skipped, self.level = ("", 0) if tag in VOID else (tag, 1)
            return
        if tag not in INLINE | BLOCK:  # what it holds is read on
            self.pieces.dropped["unknown elements"] += 1
            return
        if tag == "meta":
            is_charset = any(name == "charset" for name, _ in attrs)
            self.pieces.dropped["metadata"] += not is_charset
            self.out.append('<meta charset="utf-8">' * is_charset)
            return
        if tag not in VOID | UNCLOSED:
            self.open.append(tag)
            if len(self.open) > DEEPEST:
                raise BadDocument("its elements are nested too deep.")
        self.out.append(f"<{tag}")
        for name, value in reversed(dict(attrs[::-1]).items()):  # of equal names, the first
            self._attribute(tag, name, value or "")
        self.out.append(">")

    def handle_endtag(self, tag: str) -> None:
        if self.skipped:
            self.level -= tag == self.skipped
            self.skipped = self.skipped if self.level else ""
            return
        self._flush(inline=tag in INLINE)
        self._apart(tag)
        if tag in VOID or tag not in INLINE | BLOCK:
            return
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]
        self.out.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self._flush(inline=True)
        self.pieces.dropped["comments"] += 1

    unknown_decl = handle_pi = handle_comment

    def handle_decl(self, decl: str) -> None:
        self._flush()
        self.out.append("<!DOCTYPE html>")

    def close(self) -> None:
        super().close()
        if self.skipped:
            raise BadDocument(f"a <{self.skipped}> in it has no end.")
        self._flush()

    # -- text ----------------------------------------------------------------------------------

    def _flush(self, *, inline: bool = False) -> None:
        """Add the text that was read; inline: what follows is in the same sentence."""
        text, self.data = "".join(self.data), []
        if not text.strip():
            self.out.append(text)
            self.pieces.gap(" " if text else "")
        else:
            start = len(text) - len(text.lstrip(_BLANK)) if self.apart else 0
            end = len(text) if inline else len(text.rstrip(_BLANK))
            piece = text[start:end]
            if "pre" not in self.open and "textarea" not in self.open:
                piece = re.sub(f"[{_BLANK}]+", " ", piece)
            self.out.append(text[:start])
            self.pieces.add(piece, self._slot(lambda new: escape(new, quote=False)))
            self.out.append(text[end:])
            self.apart = False

    def _slot(self, put: Callable[[str], str]) -> Callable[[str], None]:
        """Return what writes a new text at this place; `put` makes markup of it."""
        place = len(self.out)
        self.out.append("")
        return lambda text: self.out.__setitem__(place, put(text))

    def _apart(self, tag: str) -> None:
        if tag not in INLINE:
            self.apart = True
            self.pieces.gap({"br": "\n", "tr": "\n", "td": "\t", "th": "\t"}.get(tag, "\n\n"))

    def _attribute(self, tag: str, name: str, value: str) -> None:
        address = linked(value) if name == "href" else None
        if address or (name in TEXT and value.strip()):
            self.out.append(f' {name}="')
            if address:
                put = self._slot(lambda new: escape(mail_target(new)))
                self.pieces.add_later(address[0], put, address[1])
            else:
                self.pieces.add_later(value, self._slot(escape))
            self.out.append('"')
        elif name in KEPT and _VALUE.fullmatch(value):
            self.out.append(f' {name}="{value}"')
        elif name in ("href", "src", "srcset", "action", "background", "cite", "data", "poster"):
            self.pieces.dropped["images" if tag == "img" else "link targets"] += 1
        else:
            self.pieces.dropped["attributes"] += 1


def closed(text: str) -> str:
    """Return a page without what begins and never ends: the parser would search the rest of the
    page at each beginning. A comment without an end goes to the end of the page."""
    comment = text.find("<!--", text.rfind("-->") + 1)
    text = text[:comment] if comment >= 0 else text
    for begin, end in (("<![", "]>"), ("<", ">")):
        last = text.rfind(end) + 1
        text = text[:last] + text[last:].replace(begin, f"&lt;{begin[1:]}")
    return text


def add_html(pieces: Pieces, text: str) -> list[str]:
    """Add the pieces of a page, and return what is written, in parts. Raise BadDocument."""
    reader = _PageReader(pieces)
    reader.feed(closed(text))
    reader.close()
    return reader.out


def parse(raw: bytes, files: FileOptions) -> Pieces:
    """Return the pieces of a page."""
    pieces = Pieces()
    out = add_html(pieces, raw.decode("utf-8-sig"))
    pieces.finish = lambda: "".join(out).encode()
    return pieces
