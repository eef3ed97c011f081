"""Documents with markup: their pieces of text are sanitised as one text, then put back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any

from ..config.options import FileOptions
from ..entities.tables import by_word, words
from ..errors import DxError, UsageError
from ..files.limits import MB, TooLarge, read_all
from ..text.mentions import Entity
from ..text.normal_doc import MARKS
from .formats import OnHeader, Writer
from .records import (
    MENTIONS,
    NOT_UNICODE,
    NOT_UTF8,
    TOO_LONG,
    Failed,
    Input,
    Released,
    make_record,
)

MAX_DOCUMENT = 64 * MB
ADDRESS = re.compile(r"[^\s@<>\"(),:;\[\]\\]+@[\w.-]+", re.ASCII)
NO_ADDRESS = "redacted@example.invalid"  # written if the sanitised text is no address
_GAPS = ("", " ", "\t", "\n", "\n\n")  # between pieces, from weak to strong
# Removed, because they would hide names from recognisers; no-break spaces become spaces.
_SEEN = {0xA0: " ", 0x202F: " ", **dict.fromkeys([0xAD, 0x200B, 0x2060, 0xFEFF])}


word_list = partial(words, file="formats/lists")
word_map = partial(by_word, file="formats/lists")


class BadDocument(DxError):
    """A document cannot be read. The message holds none of its text."""


class Pieces:
    """The pieces of text of a document, in reading order.

    marks: start and end of each piece in the joined text, two numbers per piece. mentions: the
    pieces that the format marks as a name or an address, in characters. dropped: numbers of parts
    left out, by kind. finish: returns the bytes of the document, after all pieces were put back.
    """

    def __init__(self) -> None:
        self.marks: list[int] = []
        self.mentions: list[Entity] = []
        self.dropped: Counter[str] = Counter()
        self.finish: Callable[[], bytes] = bytes
        self._texts: list[str] = []
        self._length, self._gap = 0, ""
        self._puts: list[Callable[[str], Any]] = []

    def gap(self, kind: str) -> None:
        """Separate the next piece from the last one by at least this member of _GAPS."""
        self._gap = max(self._gap, kind, key=_GAPS.index)

    def context(self, text: str) -> None:
        """Add text that recognisers read but that is not written, such as "From: "."""
        text = self._gap * bool(self._length) + text
        self._texts.append(text)
        self._length, self._gap = self._length + len(text), ""

    def add(self, text: str, put: Callable[[str], Any], label: str = "") -> None:
        """Add a piece. `put` will be called with its sanitised text."""
        self.context("")
        start = self._length
        self.context(text.translate(_SEEN))
        self._puts.append(put)
        self.marks += [start, self._length]
        if label and self._length > start:
            self.mentions.append(Entity(label, start, self._length))

    def text(self) -> str:
        """Return the joined text of all pieces and contexts."""
        return "".join(self._texts)

    def fill(self, text: str, places: list[int]) -> bytes:
        """Return the document filled with a sanitised text. places: the new marks of its pieces."""
        for put, start, end in zip(self._puts, places[::2], places[1::2], strict=True):
            put(text[start:end])
        return self.finish()


def address_of(text: str) -> str:
    """Return a text without blanks if that is a mail address, else an invalid address."""
    address = "".join(text.split())
    return address if ADDRESS.fullmatch(address) else NO_ADDRESS


def mail_target(text: str) -> str:
    """Return the link target for a sanitised mail address or phone number."""
    digits = re.sub(r"[^\d+]", "", text)
    return f"tel:{digits}" if digits and "@" not in text else f"mailto:{address_of(text)}"


def link_address(target: str) -> tuple[str, str] | None:
    """Return the address or number in a mailto: or tel: link, with its label, else None."""
    scheme, _, address = target.strip().partition(":")
    address = address.partition("?")[0].replace("%40", "@")
    if scheme.lower() == "mailto" and ADDRESS.fullmatch(address):
        return address, "EMAIL"
    if scheme.lower() == "tel" and re.fullmatch(r"[\d+().-]{3,30}", address):
        return address, "PHONE"
    return None


def read_pieces(
    kind: str,
    parse: Callable[[bytes], Pieces],
    handle: IO[bytes],
    files: FileOptions,
    on_header: OnHeader,
) -> Iterator[Input]:
    """Yield a file of a format, `kind`, as a single record. `parse` reads the file."""
    raw = read_all(handle, MAX_DOCUMENT)
    size = len(raw)
    if size > MAX_DOCUMENT:
        yield Failed(1, TOO_LONG.replace("256", str(MAX_DOCUMENT // MB)), size)
        return
    try:
        pieces = parse(raw)
        text = pieces.text()
    except UnicodeDecodeError:
        yield Failed(1, NOT_UNICODE, size, NOT_UTF8)
    except (BadDocument, TooLarge) as error:
        yield Failed(1, str(error), size)
    except UsageError:
        raise
    except Exception:  # parsers raise many types for damaged files; messages may quote the file
        yield Failed(1, f"it is not a .{kind} file, or it is damaged.", size)
    else:
        data = {MARKS: pieces.marks, MENTIONS: pieces.mentions} if pieces.marks else {}
        yield make_record(1, size, [text], data=data, origin=pieces)


class PiecesWriter(Writer):
    """Writes the input document with sanitised pieces."""

    needs_docs = True

    def write(self, released: Released) -> None:
        pieces, (doc,) = released.record.origin, released.docs
        places = doc.user_data.get(MARKS, [])
        if len(places) != len(pieces.marks):
            raise DxError("The pipeline lost track of the pieces of this document.")
        self.handle.write(pieces.fill(released.texts[0], places))
