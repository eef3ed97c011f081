"""Read and write .md: markup is kept, and all else is text: code, and values of front matter too.

Targets of links, HTML tags and comments are dropped, but for addresses.
"""

from __future__ import annotations

import re

from ..config import FileConfig
from .pieces import Pieces, Template, address_of, linked, mail_target

_FRONT = re.compile(
    r"\ufeff?(---|\+\+\+)[ \t]*\r?\n.*?^(?:\1|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.S | re.M
)
_VALUE = re.compile(r"(\s*(?:- +)?(?:([\w .-]+?) *[:=](?=\s|$))?\s*)([\"']?)(.*?)(\3,?\s*)")
_PERSONS = re.compile(r"authors?|editors?|names?|by|patient", re.I)
_FENCE = re.compile(r"(\s*(?:> ?)*(?:(?:[-*+]|\d+[.)]) +)*)(`{3,}|~{3,})[ \t]*([^`]*?)(\s*)")
_RULE = re.compile(r"[\s|:=*_>-]+")  # under headings and heads of tables
_PREFIX = re.compile(
    r"\s*(?:>\s?|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+|\|[ \t]*)*"
)
_DROPPED_BEFORE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|svg)\b.*?(?:</\1\s*>|\Z)", re.S | re.I
)
_BREAK = re.compile(r"</?(?:br|hr|p|div|t[rdh]|li|h[1-6])\b", re.I)
LONGEST = 10_000  # characters of a line that is searched for markup
# Markup within a line, each with what it is: the first that matches.
_INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`)(?P<inner>.*?[^`])(?P=ticks)(?!`))"
    r"|(?P<mail><(?:mailto:)?[^\s<>]+@[^\s<>]+>)"
    r"|(?P<target>\]\([ \t]*(?P<url><[^<>]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)"
    r"(?:\s[^)]*)?\)|\]\(\S*)"
    r"|(?P<defined>\]:[ \t]*(?P<to>\S+).*)"
    r"|(?P<tag></?[a-zA-Z][^>\n]*>|<[a-z+.-]+:[^>\n]*>)"
    r"|(?P<ids>\{[ \t]*[#.:][^}\n]*\})"
    r"|(?P<cell>[ \t]*\|[ \t]*)"
    r"|(?P<mark>!?\[\^?|\][\[]?|\*+|~~|`+|(?<!\w)_+|_+(?!\w)|[ \t]+#+[ \t]*$)"
)


class _Reader:
    def __init__(self, pieces: Pieces) -> None:
        self.pieces, self.made = pieces, Template(pieces)

    def front_matter(self, text: str) -> None:
        for line in text.splitlines(keepends=True):
            found = _VALUE.fullmatch(line) if len(line) <= LONGEST else None
            if len(line) > LONGEST:
                self.text(line)
            elif line.strip() in ("---", "+++", "...") or found is None or not found[4]:
                self.made.write(line)
            else:
                key = found[2]
                self.made.write(found[1] + found[3])
                self.pieces.context(f"{key}: " if key else "")
                self.made.add(found[4], "PERSON" if _PERSONS.fullmatch(key or "") else "")
                self.made.write(found[5])
            self.pieces.gap("\n")
        self.pieces.gap("\n\n")

    def body(self, text: str) -> None:
        fence = ""
        for line in text.splitlines(keepends=True):
            content = line.rstrip("\r\n")
            found = _FENCE.fullmatch(content) if len(content) <= LONGEST else None
            if found and (not fence or (found[2].startswith(fence) and not found[3])):
                fence = "" if fence else found[2]
                self.made.write(found[1] + found[2])
                self.text(found[3])
                self.made.write(found[4])
            elif fence or len(content) > LONGEST:
                self.text(content)
            else:
                self.line(content)
            self.made.write(line[len(content) :])
            self.pieces.gap("\n")

    def text(self, text: str) -> None:
        if text.strip():
            self.made.add(text)
        else:
            self.made.write(text)
            self.pieces.gap(" " if text else "")

    def line(self, line: str) -> None:
        if _RULE.fullmatch(line) or not line:
            self.made.write(line)
            self.pieces.gap("\n\n")
            return
        prefix = _PREFIX.match(line)
        start = prefix.end() if prefix else 0
        if start:
            self.made.write(line[:start])
            self.pieces.gap("\n\n" if line[:start].strip() else "\n")
        for found in _INLINE.finditer(line, start):
            self.text(line[start : found.start()])
            self.markup(found)
            start = found.end()
        self.text(line[start:])

    def markup(self, found: re.Match[str]) -> None:
        kind, text = found.lastgroup, found[0]
        if kind == "code":
            self.made.write(found["ticks"])
            self.text(found["inner"])
            self.made.write(found["ticks"])
        elif kind in ("target", "defined"):
            opened, closed = ("](", ")") if kind == "target" else ("]: ", "")
            self.made.write(opened)
            address = linked((found["url"] or found["to"] or "").strip("<>"))
            if address:
                self.made.add_later(*address, put=mail_target)
            else:
                self.made.write("" if kind == "target" else "#")
                self.pieces.dropped["link targets"] += 1
            self.made.write(closed)
        elif kind == "mail":
            self.made.write("<")
            self.made.add(text[1:-1].removeprefix("mailto:"), "EMAIL", put=address_of)
            self.made.write(">")
        elif kind in ("tag", "ids"):
            apart = _BREAK.match(text) is not None
            self.made.write(" " * apart)
            self.pieces.gap("\n" * apart)
            self.pieces.dropped["HTML tags" if kind == "tag" else "attributes"] += 1
        else:
            self.made.write(text)
            self.pieces.gap("\t" if kind == "cell" else "")

    def written(self) -> bytes:
        """Return the file, without emphasis on words that are a part of a surrogate elsewhere."""
        out = self.made.out
        for i in range(len(out) - 2):
            if out[i].strip("*_~`") == out[i + 1] == "" and out[i] == out[i + 2]:
                out[i] = out[i + 2] = ""
        return self.made.encoded()


def parse(raw: bytes, files: FileConfig) -> Pieces:
    """Return the pieces of a Markdown file."""
    text, pieces = raw.decode("utf-8-sig"), Pieces()
    reader = _Reader(pieces)
    front = _FRONT.match(text)
    start = front.end() if front else 0
    reader.front_matter(text[:start])
    body, count = _DROPPED_BEFORE.subn("", text[start:])
    if count:
        pieces.dropped["comments"] += count
    reader.body(body)
    pieces.finish = reader.written
    return pieces
