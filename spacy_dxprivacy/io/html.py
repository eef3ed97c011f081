"""Read and write .html: text and attributes that hold text are sanitised, known markup is kept.

Nothing is copied that is not on a list: elements, attributes and links that may hold text of their
own are dropped and counted.
"""

from __future__ import annotations

import re
import time
from html import escape
from html.parser import HTMLParser

from ..config import FileOptions
from . import html_policy as policy
from .pieces import BadDocument, Pieces, Template, linked, mail_target

DEEPEST = 1000  # elements within elements
SECONDS = 30.0  # to parse one page
_CHARSET = re.compile(rb"<meta[^>]{,200}charset\s*=\s*[\"']?([\w.:-]{1,40})", re.I)
_BLANK = " \t\r\n\f"


class _Reader(HTMLParser):
    def __init__(self, pieces: Pieces) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces, self.made = pieces, Template(pieces)
        self.data: list[str] = []
        self.open: list[str] = []  # elements whose end is awaited
        self.skipped = ""  # the element that is dropped with all that it holds
        self.level = 0  # of elements of this name
        self.apart = True  # a block begins
        self.ids: dict[str, str] = {}
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
        self._flush(inline=tag in policy.INLINE)
        self._apart(tag)
        if tag in policy.DROPPED:
            self.pieces.dropped[policy.DROPPED[tag]] += 1
            self.skipped, self.level = ("", 0) if tag in policy.VOID else (tag, 1)
            return
        if tag not in policy.INLINE | policy.BLOCK:  # what it holds is read on
            self.pieces.dropped["unknown elements"] += 1
            return
        given = {name: value or "" for name, value in reversed(attrs)}
        if tag == "meta":
            self._meta(given)
            return
        if tag not in policy.VOID | policy.UNCLOSED:
            self.open.append(tag)
            if len(self.open) > DEEPEST:
                raise BadDocument("its elements are nested too deep.")
        self.made.write(f"<{tag}")
        for name, value in reversed(given.items()):
            self._attribute(tag, name, value)
        self.made.write(">")

    def handle_endtag(self, tag: str) -> None:
        if self.skipped:
            self.level -= tag == self.skipped
            self.skipped = self.skipped if self.level else ""
            return
        self._flush(inline=tag in policy.INLINE)
        self._apart(tag)
        if tag in policy.VOID or tag not in policy.INLINE | policy.BLOCK:
            return
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]
        self.made.write(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self._flush(inline=True)
        self.pieces.dropped["comments"] += 1

    unknown_decl = handle_pi = handle_comment

    def handle_decl(self, decl: str) -> None:
        self._flush()
        self.made.write(f"<!{decl if policy.DOCTYPE.fullmatch(decl) else 'DOCTYPE html'}>")

    def close(self) -> None:
        super().close()
        if self.skipped:
            raise BadDocument(f"a <{self.skipped}> in it has no end.")
        self._flush()

    # -- text ----------------------------------------------------------------------------------

    def _flush(self, *, inline: bool = False) -> None:
        """Add the text that was read; inline: what follows is in the same sentence."""
        text, self.data = "".join(self.data), []
        if self.open[-1:] == ["style"]:
            self._kept(text, policy.style_sheet(text, self._id, self._class))
        elif not text.strip():
            self.made.write(text)
            self.pieces.gap(" " if text else "")
        else:
            start = len(text) - len(text.lstrip(_BLANK)) if self.apart else 0
            end = len(text) if inline else len(text.rstrip(_BLANK))
            piece = text[start:end]
            if "pre" not in self.open and "textarea" not in self.open:
                piece = re.sub(f"[{_BLANK}]+", " ", piece)
            self.made.write(text[:start])
            self.made.add(piece, put=lambda new: escape(new, quote=False))
            self.made.write(text[end:])
            self.apart = False

    def _kept(self, old: str, new: str) -> None:
        """Write what is left of a style."""
        self.pieces.dropped["styles"] += new.strip() != old.strip()
        self.made.write(new)

    def _apart(self, tag: str) -> None:
        if tag not in policy.INLINE:
            self.apart = True
            self.pieces.gap({"br": "\n", "tr": "\n", "td": "\t", "th": "\t"}.get(tag, "\n\n"))

    # -- attributes ----------------------------------------------------------------------------

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name in policy.TEXT and value.strip() and not (tag == "li" and policy.is_value(value)):
            self.made.write(f' {name}="')
            self.made.add_later(value)
            self.made.write('"')
        elif name == "class":
            self.made.write(f' class="{escape(" ".join(map(self._class, value.split())))}"')
        elif name in policy.TEXT or (name in policy.KEPT and policy.is_value(value)):
            self.made.write(f' {name}="{escape(value)}"')
        elif name == "style":
            self.made.write(' style="')
            self._kept(value, policy.declarations(value))
            self.made.write('"')
        elif name in policy.REFERENCES:
            self.made.write(f' {name}="{" ".join(map(self._id, value.split()))}"')
        elif name == "href" and value.startswith("#"):
            self.made.write(f' href="#{self._id(value[1:]) if value[1:] else ""}"')
        elif name == "href" and (found := linked(value)):
            self.made.write(' href="')
            self.made.add_later(*found, put=lambda new: escape(mail_target(new)))
            self.made.write('"')
        elif name in ("href", "src", "srcset", "action", "background", "cite", "data", "poster"):
            self.pieces.dropped["images" if tag == "img" else "link targets"] += 1
        else:
            self.pieces.dropped["attributes"] += 1

    def _id(self, name: str) -> str:
        # It is often made of a heading.
        return self.ids.setdefault(name, f"id{len(self.ids) + 1}")

    def _class(self, name: str) -> str:
        return name if policy.digits(name) <= policy.MOST_DIGITS else f"c-{self._id(name)}"

    def _meta(self, given: dict[str, str]) -> None:
        name = given.get("name", "").lower().removeprefix("dc.").removeprefix("dcterms.")
        is_type = given.get("http-equiv", "").lower() == "content-type"
        content = given.get("content", "")
        if "charset" in given or is_type:
            self.made.write('<meta charset="utf-8">')
        elif name == "viewport":
            self.made.write('<meta name="viewport" content="width=device-width, initial-scale=1">')
        elif name in policy.META and content.strip():
            self.made.write(f'<meta name="{name}" content="')
            self.made.add_later(content, policy.META[name])
            self.made.write('">')
        else:
            self.pieces.dropped["metadata"] += 1


def closed(text: str) -> str:
    """Return a page without what begins and never ends: the parser would search the rest of the
    page at each beginning. A comment without an end goes to the end of the page."""
    comment = text.find("<!--", text.rfind("-->") + 1)
    text = text[:comment] if comment >= 0 else text
    for begin, end in (("<![", "]>"), ("<", ">")):
        last = text.rfind(end) + 1
        text = text[:last] + text[last:].replace(begin, f"&lt;{begin[1:]}")
    return text


def add_html(pieces: Pieces, text: str) -> Template:
    """Add the pieces of a page, and return what it is written by. Raise BadDocument."""
    reader = _Reader(pieces)
    reader.feed(closed(text))
    reader.close()
    return reader.made


def decoded(raw: bytes) -> str:
    """Decode UTF-8, or else what the page says that it is. Raise UnicodeDecodeError."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        found = _CHARSET.search(raw[:4096])
        try:
            return raw.decode(found[1].decode() if found else "utf-8")
        except LookupError:
            raise BadDocument("it names an encoding that does not exist.") from None


def parse(raw: bytes, files: FileOptions) -> Pieces:
    """Return the pieces of a page."""
    pieces = Pieces()
    pieces.finish = add_html(pieces, decoded(raw)).encoded
    return pieces
