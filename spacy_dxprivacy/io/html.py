"""Read and write .html: text is sanitised, and known elements are kept.

Only elements and attributes on a list are copied. All others are dropped and counted, including
links and styles.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser

from ..entities.cells import label_of_cell
from ..entities.heads import Head, head_of
from .pieces import BadDocument, Pieces, link_address, mail_target, word_list, word_map

MAX_DEPTH = 1000  # nested elements
SECONDS = 30.0  # to parse one page
_BLANK = " \t\r\n\f"

VOID, UNCLOSED, INLINE, BLOCK, TEXT, KEPT = (
    word_list(f"HTML_{name}") for name in "VOID UNCLOSED INLINE BLOCK TEXT KEPT".split()
)
DROPPED = word_map("HTML_DROPPED")
_VALUE = re.compile(r"[a-z]{2,3}(-[a-z]{2})?|\d{1,2}", re.A | re.I)  # of attributes in KEPT


class _PageReader(HTMLParser):
    def __init__(self, pieces: Pieces) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces, self.out = pieces, list[str]()  # out: the new page, in parts
        self.data: list[str] = []
        # Texts of attributes, with label: added at the end, so that they interrupt no sentence.
        self.attribute_texts: list[tuple[str, Callable[[str], None], str]] = []
        self.open: list[str] = []  # elements without an end tag so far
        self.skipped = ""  # the outermost element that is dropped with its content
        self.level = 0  # nesting depth of elements named `skipped`
        self.at_block_start = True
        self.end = time.monotonic() + SECONDS

    # -- events --------------------------------------------------------------------------------

    def updatepos(self, i: int, j: int) -> int:
        """Check the time at each event. Positions of tags are not needed."""
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
        self._start_block(tag)
        if tag in DROPPED:
            self.pieces.dropped[DROPPED[tag]] += 1
            self.skipped, self.level = ("", 0) if tag in VOID else (tag, 1)
            return
        if tag not in INLINE | BLOCK:  # its content is kept
            self.pieces.dropped["unknown elements"] += 1
            return
        if tag == "meta":
            is_charset = any(name == "charset" for name, _ in attrs)
            self.pieces.dropped["metadata"] += not is_charset
            self.out.append('<meta charset="utf-8">' * is_charset)
            return
        if tag not in VOID | UNCLOSED:
            self.open.append(tag)
            if len(self.open) > MAX_DEPTH:
                raise BadDocument("its elements are nested too deep.")
        self.out.append(f"<{tag}")
        named = dict(attrs[::-1])
        head = head_of(named.get("name") or named.get("id") or "")
        for name, value in reversed(named.items()):  # the first of equal names
            self._attribute(tag, name, value or "", head if name == "value" else None)
        self.out.append(">")

    def handle_endtag(self, tag: str) -> None:
        if self.skipped:
            self.level -= tag == self.skipped
            self.skipped = self.skipped if self.level else ""
            return
        self._flush(inline=tag in INLINE)
        self._start_block(tag)
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
            raise BadDocument(f"its element <{self.skipped}> is not closed.")
        self._flush()
        for text, put, label in self.attribute_texts:
            self.pieces.gap("\n\n")
            self.pieces.add(text, put, label)

    # -- text ----------------------------------------------------------------------------------

    def _flush(self, *, inline: bool = False) -> None:
        """Add the text that was read as a piece. inline: whether the sentence goes on after it."""
        text, self.data = "".join(self.data), []
        if not text.strip():
            self.out.append(text)
            self.pieces.gap(" " if text else "")
        else:
            start = len(text) - len(text.lstrip(_BLANK)) if self.at_block_start else 0
            end = len(text) if inline else len(text.rstrip(_BLANK))
            piece = text[start:end]
            if "pre" not in self.open and "textarea" not in self.open:
                piece = re.sub(f"[{_BLANK}]+", " ", piece)
            self.out.append(text[:start])
            self.pieces.add(piece, self._slot(lambda new: escape(new, quote=False)))
            self.out.append(text[end:])
            self.at_block_start = False

    def _slot(self, put: Callable[[str], str]) -> Callable[[str], None]:
        """Reserve this place in the page; return its writer. `put` converts text to markup."""
        place = len(self.out)
        self.out.append("")
        return lambda text: self.out.__setitem__(place, put(text))

    def _start_block(self, tag: str) -> None:
        if tag not in INLINE:
            self.at_block_start = True
            self.pieces.gap({"br": "\n", "tr": "\n", "td": "\t", "th": "\t"}.get(tag, "\n\n"))

    def _attribute(self, tag: str, name: str, value: str, head: Head | None) -> None:
        """Write an attribute, or drop it. head: what the name of its element says of its value."""
        address = link_address(value) if name == "href" else None
        if address or (name in TEXT and value.strip()):
            self.out.append(f' {name}="')
            if address:
                put = self._slot(lambda new: escape(mail_target(new)))
                self.attribute_texts.append((address[0], put, address[1]))
            else:
                label = label_of_cell(head, value) if head is not None else ""
                self.attribute_texts.append((value, self._slot(escape), label))
            self.out.append('"')
        elif name in KEPT and _VALUE.fullmatch(value):
            self.out.append(f' {name}="{value}"')
        elif name in ("href", "src", "srcset", "action", "background", "cite", "data", "poster"):
            self.pieces.dropped["images" if tag == "img" else "link targets"] += 1
        else:
            self.pieces.dropped["attributes"] += 1


def drop_unclosed(text: str) -> str:
    """Return a page with unclosed comments cut off, and unclosed tags escaped: the parser would
    search the rest of the page at each of them."""
    comment = text.find("<!--", text.rfind("-->") + 1)
    text = text[:comment] if comment >= 0 else text
    for begin, end in (("<![", "]>"), ("<", ">")):
        last = text.rfind(end) + 1
        text = text[:last] + text[last:].replace(begin, f"&lt;{begin[1:]}")
    return text


def add_html(pieces: Pieces, text: str) -> list[str]:
    """Add the pieces of a page, and return the parts of the new page. Raise BadDocument."""
    reader = _PageReader(pieces)
    reader.feed(drop_unclosed(text))
    reader.close()
    return reader.out


def parse(raw: bytes) -> Pieces:
    """Return the pieces of a page."""
    pieces = Pieces()
    out = add_html(pieces, raw.decode("utf-8-sig"))
    pieces.finish = lambda: "".join(out).encode()
    return pieces
