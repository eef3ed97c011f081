"""Read and write .md: markup is kept, and all else is text: code, and values of front matter too.

Targets of links, HTML tags and comments are dropped, but for addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from html import escape, unescape

from ..config import FileOptions
from ..entities.tables import pattern
from .pieces import Pieces, Template, address_of, linked, mail_target

_MARKUP = pattern("MARKDOWN", "formats/lists")
_ENTITY = re.compile(r"&#?\w{1,40};", re.ASCII)
_BREAK = re.compile(r"</?(?:br|hr|p|div|t[rdh]|li|h[1-6])\b", re.I)


class _MarkdownReader(Template):
    def prose(self, text: str) -> None:
        """Add a text that may have entities of HTML, which are read as what they stand for."""
        plain = _ENTITY.sub(lambda found: unescape(found[0]), text)
        self.text(plain, str if plain == text else partial(escape, quote=False))

    def text(self, text: str, put: Callable[[str], str] = str) -> None:
        for line in text.splitlines(keepends=True):
            content = line.rstrip("\r\n")
            if content.strip():
                self.add(content, put=put)
            else:
                self.write(content)
                self.pieces.gap(" " if content else "")
            self.write(line[len(content) :])
            self.pieces.gap("\n" if content != line else "")

    def markup(self, found: re.Match[str]) -> None:
        kind, text = found.lastgroup, found[0]
        if kind == "fence":
            self.write(found["before"] + found["bar"])
            self.text(found["block"])
            self.write(found["after"])
        elif kind == "key":
            key = text[: found.start("value") - found.start()]
            self.write(key)
            self.pieces.context(key)
            if found["persons"] and found["value"].strip():
                self.add(found["value"], "PERSON")
            else:
                self.text(found["value"])
        elif kind == "note":
            before, label, after = text.partition(found["label"] or found["ref"])
            self.write(before)
            self.add_later(label, put=str)
            self.write(after)
        elif kind == "code":
            self.write(found["ticks"])
            self.text(found["inner"])
            self.write(found["ticks"])
        elif kind in ("target", "defined"):
            is_target = kind == "target"
            self.write("](" if is_target else "]: ")
            if address := linked((found["url"] or found["to"] or "").strip("<>")):
                self.add_later(*address, put=mail_target)
            else:
                self.write("" if is_target else "#")
                self.pieces.dropped["link targets"] += 1
            self.write(")" * is_target)
        elif kind == "mail":
            self.write("<")
            self.add(text[1:-1].removeprefix("mailto:"), "EMAIL", put=address_of)
            self.write(">")
        elif kind in ("tag", "ids", "comment"):
            is_break = _BREAK.match(text) is not None
            self.write(" " * is_break)
            self.pieces.gap("\n" * is_break)
            kinds = {"tag": "HTML tags", "ids": "attributes", "comment": "comments"}
            self.pieces.dropped[kinds[kind]] += 1
        else:
            self.write(text)
            listed = "\n\n" if text.strip() else "\n"
            self.pieces.gap({"rule": "\n\n", "prefix": listed, "cell": "\t"}.get(str(kind), ""))

    def encoded(self) -> bytes:
        """Return the file, without emphasis on words that are a part of a surrogate elsewhere."""
        out = self.out
        for i in range(len(out) - 2):
            if out[i].strip("*_~`") == out[i + 1] == "" and out[i] == out[i + 2]:
                out[i] = out[i + 2] = ""
        return super().encoded()


def parse(raw: bytes, files: FileOptions) -> Pieces:
    """Return the pieces of a Markdown file."""
    text, pieces, start = raw.decode("utf-8-sig"), Pieces(), 0
    reader = _MarkdownReader(pieces)
    for match in _MARKUP.finditer(text):
        reader.prose(text[start : match.start()])
        reader.markup(match)
        start = match.end()
    reader.prose(text[start:])
    pieces.finish = reader.encoded
    return pieces
