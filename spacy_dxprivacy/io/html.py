"""Read and write .html: text and attributes that hold text are sanitised, known markup is kept.

Nothing is copied that is not on a list: elements, attributes and links that may hold text of their
own are dropped and counted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser

from ..config import FileOptions
from ..entities.tables import pattern
from .pieces import BadDocument, Pieces, Template, linked, listed, listed_by, mail_target

DEEPEST = 1000  # elements within elements
SECONDS = 30.0  # to parse one page
_CHARSET = re.compile(rb"<meta[^>]{,200}charset\s*=\s*[\"']?([\w.:-]{1,40})", re.I)
_BLANK = " \t\r\n\f"

VOID, UNCLOSED, INLINE, BLOCK, TEXT, REFERENCES, KEPT, _WORDS, _PROPERTIES = (
    listed(f"HTML_{name}")
    for name in "VOID UNCLOSED INLINE BLOCK TEXT REFERENCES KEPT STYLE PROPERTIES".split()
)
DROPPED = listed_by("HTML_DROPPED")
META = {"author": "PERSON", "description": "", "keywords": "", "title": "", "subject": ""}
DOCTYPE = pattern("HTML_DOCTYPE", "formats/lists")
MOST_DIGITS = 4  # of a number; more may be somebody's
MOST_OF_STYLE = 6  # of all numbers of a declaration
_NUMBER = re.compile(r"\d*\.?\d+(?:%|[a-z]{1,3})?", re.A)
_COLOUR = re.compile(r"#(?:[0-9a-f]{3}|(?=\d{0,5}[a-f])[0-9a-f]{6}|([0-9])\1([0-9])\2([0-9])\3)")
_LANGUAGE = re.compile(r"[a-z]{2}(-[a-z]{2})?", re.A | re.I)
_RGB = re.compile(r"\brgba?\([\d,.% ]{1,24}\)")
_AT_RULES = pattern("HTML_AT_RULES", "formats/lists")


class _PageReader(HTMLParser):
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
        self._flush(inline=tag in INLINE)
        self._apart(tag)
        if tag in DROPPED:
            self.pieces.dropped[DROPPED[tag]] += 1
            self.skipped, self.level = ("", 0) if tag in VOID else (tag, 1)
            return
        if tag not in INLINE | BLOCK:  # what it holds is read on
            self.pieces.dropped["unknown elements"] += 1
            return
        values = {name: value or "" for name, value in reversed(attrs)}
        if tag == "meta":
            self._meta(values)
            return
        if tag not in VOID | UNCLOSED:
            self.open.append(tag)
            if len(self.open) > DEEPEST:
                raise BadDocument("its elements are nested too deep.")
        self.made.write(f"<{tag}")
        for name, value in reversed(values.items()):
            self._attribute(tag, name, value)
        self.made.write(">")

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
        self.made.write(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self._flush(inline=True)
        self.pieces.dropped["comments"] += 1

    unknown_decl = handle_pi = handle_comment

    def handle_decl(self, decl: str) -> None:
        self._flush()
        self.made.write(f"<!{decl if DOCTYPE.fullmatch(decl) else 'DOCTYPE html'}>")

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
            self._kept(text, style_sheet(text, self._id, self._class))
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
        if tag not in INLINE:
            self.apart = True
            self.pieces.gap({"br": "\n", "tr": "\n", "td": "\t", "th": "\t"}.get(tag, "\n\n"))

    # -- attributes ----------------------------------------------------------------------------

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name in TEXT and value.strip() and not (tag == "li" and is_value(value)):
            self.made.write(f' {name}="')
            self.made.add_later(value)
            self.made.write('"')
        elif name == "class":
            self.made.write(f' class="{escape(" ".join(map(self._class, value.split())))}"')
        elif name in TEXT or (name in KEPT and is_value(value)):
            self.made.write(f' {name}="{escape(value)}"')
        elif name == "style":
            self.made.write(' style="')
            self._kept(value, declarations(value))
            self.made.write('"')
        elif name in REFERENCES:
            self.made.write(f' {name}="{" ".join(map(self._id, value.split()))}"')
        elif name == "href" and value.startswith("#"):
            self.made.write(f' href="#{self._id(value[1:]) if value[1:] else ""}"')
        elif name == "href" and (address := linked(value)):
            self.made.write(' href="')
            self.made.add_later(*address, put=lambda new: escape(mail_target(new)))
            self.made.write('"')
        elif name in ("href", "src", "srcset", "action", "background", "cite", "data", "poster"):
            self.pieces.dropped["images" if tag == "img" else "link targets"] += 1
        else:
            self.pieces.dropped["attributes"] += 1

    def _id(self, name: str) -> str:
        # It is often made of a heading.
        return self.ids.setdefault(name, f"id{len(self.ids) + 1}")

    def _class(self, name: str) -> str:
        return name if digits(name) <= MOST_DIGITS else f"c-{self._id(name)}"

    def _meta(self, given: dict[str, str]) -> None:
        name = given.get("name", "").lower().removeprefix("dc.").removeprefix("dcterms.")
        is_type = given.get("http-equiv", "").lower() == "content-type"
        content = given.get("content", "")
        if "charset" in given or is_type:
            self.made.write('<meta charset="utf-8">')
        elif name == "viewport":
            self.made.write('<meta name="viewport" content="width=device-width, initial-scale=1">')
        elif name in META and content.strip():
            self.made.write(f'<meta name="{name}" content="')
            self.made.add_later(content, META[name])
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
    reader = _PageReader(pieces)
    reader.feed(closed(text))
    reader.close()
    return reader.made


def decoded(raw: bytes) -> str:
    """Decode UTF-8, or else what the page says that it is. Raise UnicodeDecodeError."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        charset = _CHARSET.search(raw[:4096])
        try:
            return raw.decode(charset[1].decode() if charset else "utf-8")
        except LookupError:
            raise BadDocument("it names an encoding that does not exist.") from None


def parse(raw: bytes, files: FileOptions) -> Pieces:
    """Return the pieces of a page."""
    pieces = Pieces()
    pieces.finish = add_html(pieces, decoded(raw)).encoded
    return pieces


# -- what is kept ----------------------------------------------------------------------------------


def digits(text: str) -> int:
    """Return how many digits a text has."""
    return sum(map(str.isdigit, text))


def is_value(text: str) -> bool:
    """Return whether the value of an attribute is one number, or of words that say nothing."""
    if not digits(text):
        return _LANGUAGE.fullmatch(text) is not None or _is_plain(text)
    return _is_number(text.lower().lstrip("+-"))


def _is_number(text: str) -> bool:
    is_short = _NUMBER.fullmatch(text) is not None and digits(text) <= MOST_DIGITS
    return is_short or _COLOUR.fullmatch(text) is not None


def declarations(text: str) -> str:
    """Return the declarations of a style that can hold no text and lead nowhere."""
    return ";".join(
        declaration
        for declaration in text.split(";")
        if not declaration.strip() or _is_declaration(declaration)
    )


def _is_declaration(text: str) -> bool:
    name, _, value = text.lower().partition(":")
    few = digits(_RGB.sub("", value)) <= MOST_OF_STYLE or "#" in value
    return name.strip() in _PROPERTIES and few and _is_plain(value)


def style_sheet(
    text: str, id_of: Callable[[str], str], class_of: Callable[[str], str] = str
) -> str:
    """Return the rules that can hold no text, but for names of classes; id_of, class_of: rename."""

    def rule(selector: str, body: str) -> str:
        names = re.compile(r"([.#])([\w-]+)")
        if not _is_plain(names.sub("", selector)):
            return ""
        renamed = names.sub(lambda n: n[1] + (class_of if n[1] == "." else id_of)(n[2]), selector)
        return f"{renamed}{{{declarations(body)}}}"

    heads = (part.rpartition("{") for part in _AT_RULES.sub("", text).split("}")[:-1])
    return "".join(rule(head.rpartition("{")[2], body) for head, sign, body in heads if sign)


def _is_plain(text: str) -> bool:
    words = re.split(r"[\s,()/!:\"'>+~*-]+", text.lower())
    return all(word in _WORDS | INLINE | BLOCK or not word or _is_number(word) for word in words)
