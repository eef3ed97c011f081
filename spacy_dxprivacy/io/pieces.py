"""Documents with markup: their pieces of text are sanitised as one text, and put back in place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import IO, Any

from ..config import FileOptions
from ..entities.tables import by_word, words
from ..errors import DxError, UsageError
from ..text.layout import MARKS
from .fields import OnHeader
from .files.limits import MB, TooLarge
from .plain import Writer
from .records import (
    MENTIONS,
    NOT_UNICODE,
    NOT_UTF8,
    TOO_LONG,
    Failed,
    Input,
    Released,
    checked,
)
from .source import whole

MOST_DOCUMENT = 64 * MB
ENDINGS = {"docx": (".docx",), "html": (".html", ".htm"), "eml": (".eml",)}  # by module
ADDRESS = re.compile(r"[^\s@<>\"(),:;\[\]\\]+@[\w.-]+", re.ASCII)
NO_ADDRESS = "redacted@example.invalid"  # where what was drawn is no address
_GAPS = ("", " ", "\t", "\n", "\n\n")  # between pieces, from weak to strong
# Invisible characters would hide a name from a recogniser; no-break blanks become blanks.
_SEEN = {0xA0: " ", 0x202F: " ", **dict.fromkeys([0xAD, 0x200B, 0x2060, 0xFEFF])}


listed = partial(words, file="formats/lists")
listed_by = partial(by_word, file="formats/lists")


class BadDocument(DxError):
    """A document that cannot be read; the message holds no text of it."""


class Pieces:
    """The pieces of a document, in the order in which they are read.

    marks: where each piece begins and ends in the text of all, two numbers a piece. mentions:
    start, end and label of pieces that the format says are a name or an address. dropped: how many
    parts were left out, by kind. finish: returns the bytes of the document, once all pieces are put
    back.
    """

    def __init__(self) -> None:
        self.marks: list[int] = []
        self.mentions: list[tuple[int, int, str]] = []
        self.dropped: Counter[str] = Counter()
        self.finish: Callable[[], bytes] = bytes
        self._texts: list[str] = []
        self._length, self._gap = 0, ""
        self._puts: list[Callable[[str], Any]] = []
        self._later: list[tuple[str, Callable[[str], Any], str]] = []

    def gap(self, kind: str) -> None:
        """Keep the next piece apart from the last one, by a blank, a tab, a line or a paragraph."""
        self._gap = max(self._gap, kind, key=_GAPS.index)

    def context(self, text: str) -> None:
        """Add text that recognisers read, and that is not written, such as "From: "."""
        text = self._gap * bool(self._length) + text
        self._texts.append(text)
        self._length, self._gap = self._length + len(text), ""

    def add(self, text: str, put: Callable[[str], Any], label: str = "") -> None:
        """Add a piece; `put` will take its sanitised text."""
        self.context("")
        start = self._length
        self.context(text.translate(_SEEN))
        self._puts.append(put)
        self.marks += [start, self._length]
        if label and self._length > start:
            self.mentions.append((start, self._length, label))

    def add_later(self, text: str, put: Callable[[str], Any], label: str = "") -> None:
        """Add a piece after all others, as it would break the sentence that it stands in."""
        self._later.append((text, put, label))

    def text(self) -> str:
        """Return the text of all pieces. None can be added after it."""
        for text, put, label in self._later:
            self.gap("\n\n")
            self.add(text, put, label)
        self._later.clear()
        return "".join(self._texts)

    def fill(self, text: str, places: list[int]) -> bytes:
        """Return the document with the parts of a text between these places as its pieces."""
        for put, start, end in zip(self._puts, places[::2], places[1::2], strict=True):
            put(text[start:end])
        return self.finish()


def address_of(text: str) -> str:
    """Return a text without blanks if it is a mail address; else one that nobody has."""
    address = "".join(text.split())
    return address if ADDRESS.fullmatch(address) else NO_ADDRESS


def mail_target(text: str) -> str:
    """Return the target of a link for a sanitised address or number."""
    digits = re.sub(r"[^\d+]", "", text)
    return f"tel:{digits}" if digits and "@" not in text else f"mailto:{address_of(text)}"


def linked(target: str) -> tuple[str, str] | None:
    """Return the address or number of a link, with its label; None for any other link."""
    scheme, _, address = target.strip().partition(":")
    address = address.partition("?")[0].replace("%40", "@")
    if scheme.lower() == "mailto" and ADDRESS.fullmatch(address):
        return address, "EMAIL"
    if scheme.lower() == "tel" and re.fullmatch(r"[\d+().-]{3,30}", address):
        return address, "PHONE"
    return None


def read_pieces(
    kind: str, handle: IO[bytes], files: FileOptions, on_header: OnHeader
) -> Iterator[Input]:
    """Yield the one document of a file. kind: of ENDINGS."""
    raw = whole(handle, MOST_DOCUMENT)
    size, parse = len(raw), import_module(f".{kind}", __package__).parse
    if size > MOST_DOCUMENT:
        yield Failed(1, TOO_LONG.replace("256", str(MOST_DOCUMENT // MB)), size)
        return
    try:
        pieces = parse(raw, files)
        text = pieces.text()
    except UnicodeDecodeError:
        yield Failed(1, NOT_UNICODE, size, NOT_UTF8)
    except (BadDocument, TooLarge) as error:
        yield Failed(1, str(error), size)
    except UsageError:
        raise
    except Exception:  # what parsers raise of a damaged file may be anything, and quote it
        yield Failed(1, f"it is not a .{kind} file, or it is damaged.", size)
    else:
        data = {MARKS: pieces.marks, MENTIONS: pieces.mentions} if pieces.marks else {}
        yield checked(1, size, [text], data=data, origin=pieces)


class PiecesWriter(Writer):
    """The document that was read, with other text in its pieces."""

    needs_docs = True

    def write(self, released: Released) -> None:
        pieces, (doc,) = released.record.origin, released.docs
        places = doc.user_data.get(MARKS, [])
        if len(places) != len(pieces.marks):
            raise DxError("The pipeline lost track of the pieces of this document.")
        self.handle.write(pieces.fill(released.texts[0], places))
