"""Read and write .eml: addresses, subject, date and text. All else is dropped and counted."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from datetime import datetime
from email import message_from_bytes
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import format_datetime, parsedate_to_datetime
from functools import partial
from typing import Any

from ..errors import UsageError
from ..files.encodings import encoding_of
from .html import add_html
from .pieces import NO_ADDRESS, BadDocument, Pieces, address_of

ADDRESSES = ("From", "Sender", "Reply-To", "To", "Cc", "Bcc")
# Headers that are written, besides addresses, and so do not count as dropped.
REWRITTEN = {"date", "subject", "mime-version", "content-type", "content-transfer-encoding"}
MAX_ADDRESSES = 10_000
# Non-ASCII words of a header, from the first to the last.
_RAW = re.compile(rb'[^\s<>",():]*[\x80-\xff](?:[^<>",()\r\n]*[\x80-\xff])?[^\s<>",()]*')
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def parse(raw: bytes, encoding: str | None = None) -> Pieces:
    """Return the pieces of a mail. Raise BadDocument if it cannot be read.

    encoding: of headers and parts that name none; None detects it.
    """
    mail: Any = message_from_bytes(_encode_headers(raw, encoding), policy=default)
    if not mail.keys():
        raise BadDocument("it is not a mail: it has no headers.")
    pieces, message = Pieces(), EmailMessage(policy=SMTP)
    addresses = _headers(mail, pieces, message)
    bodies: dict[str, list[list[str]]] = {"plain": [], "html": []}
    for part in _leaves(mail):
        kind = part.get_content_subtype()
        is_text = part.get_content_maintype() == "text" and kind in bodies
        if not is_text or part.get_filename() or part.get_content_disposition() == "attachment":
            pieces.dropped["attachments"] += 1
            continue
        pieces.gap("\n\n")
        text, body = _text(part, encoding), [""]
        if kind == "html":
            body = add_html(pieces, text)
        else:
            pieces.add(text, partial(body.__setitem__, 0))
        bodies[kind].append(body)

    def finish() -> bytes:
        for name, listed in addresses.items():
            message[name] = [_address(*pair) for pair in listed]
        plain, page = ("\n".join(map("".join, parts)) for parts in bodies.values())
        if plain.strip() or not page:
            message.set_content(plain.rstrip("\n"))
            if page:
                message.add_alternative(page, subtype="html")
        else:
            message.set_content(page, subtype="html")
        return message.as_bytes()

    pieces.finish = finish
    return pieces


def _encode_headers(raw: bytes, encoding: str | None) -> bytes:
    """Encode the headers of a mail in ASCII, which the parser expects."""
    head, blank, body = re.split(rb"(\r?\n\r?\n|\Z)", raw, maxsplit=1)
    try:
        head = head.decode(encoding or encoding_of([head])).encode()
    except (UnicodeDecodeError, UsageError):
        return raw
    return _RAW.sub(lambda m: b"=?utf-8?b?%b?=" % b64encode(m[0]), head) + blank + body


def _headers(mail: Any, pieces: Pieces, new_mail: EmailMessage) -> dict[str, list[list[str]]]:
    """Add the pieces of headers. Return lists of [name, address] by header, filled in later."""
    if any("\ufffd" in str(mail.get(name, "")) for name in ("Subject", *ADDRESSES)):
        raise BadDocument("a header is not in the character set that it names.")
    addresses: dict[str, list[list[str]]] = {}
    for name in ADDRESSES:
        listed = [entry for value in mail.get_all(name, ()) for entry in value.addresses]
        if len(listed) > MAX_ADDRESSES:
            raise BadDocument("it has too many addresses.")
        for entry in listed:
            person, address = entry.display_name.strip(), entry.addr_spec.removeprefix("<>").strip()
            if not (person or address):
                continue
            pair = ["", ""]
            addresses.setdefault(name, []).append(pair)
            pieces.context(f"{name}: ")
            label = "EMAIL" if "@" in person else "PERSON"
            pieces.add(person, partial(pair.__setitem__, 0), label)
            pieces.context(" <")
            pieces.add(address, partial(pair.__setitem__, 1), "EMAIL")
            pieces.context(">\n")
    if subject := _line(str(mail.get("Subject", ""))):
        pieces.context("Subject: ")
        pieces.add(subject, lambda text: new_mail.add_header("Subject", _line(text)))
        pieces.gap("\n")
    try:
        day = parsedate_to_datetime(str(mail["Date"])).date().isoformat() if mail["Date"] else ""
    except (TypeError, ValueError):
        day = ""
    if day:
        pieces.context("Date: ")
        pieces.add(day, partial(_set_day, new_mail, pieces), "DATE")
    handled = REWRITTEN | {name.lower() for name in ADDRESSES}
    pieces.dropped["headers"] += sum(name.lower() not in handled for name in mail)
    return addresses


def _line(text: str) -> str:
    return " ".join(text.split())


def _set_day(new_mail: EmailMessage, pieces: Pieces, text: str) -> None:
    """Write the sanitised date; drop the header if the text is no date."""
    try:
        new_mail["Date"] = format_datetime(
            datetime.fromisoformat(_DAY.findall(text)[0] + "T12:00:00")
        )
    except (IndexError, ValueError):
        pieces.dropped["headers"] += 1


def _address(person: str, address: str) -> Address:
    person, address = _line(person), address_of(address)
    try:
        return Address(person, addr_spec=address)
    except (HeaderParseError, ValueError, IndexError):
        return Address(person, addr_spec=NO_ADDRESS)


def _leaves(part: Any) -> Iterator[Any]:
    """Yield the parts that hold content. A mail within a mail is a single part."""
    if part.get_content_maintype() != "multipart" or not part.is_multipart():
        yield part
        return
    for inner in part.get_payload():
        yield from _leaves(inner)


def _text(part: Any, encoding: str | None) -> str:
    """Return the text of a part, lines ending in \\n. Raise BadDocument for a wrong charset."""
    charset, raw = part.get_content_charset("us-ascii"), part.get_payload(decode=True)
    try:
        if charset == "us-ascii":  # which mails without a charset are said to be in
            charset = encoding or encoding_of([raw])
        text: str = raw.decode(charset)
    except (LookupError, UnicodeError, UsageError):
        raise BadDocument("a part is not in the character set that it names.") from None
    return text.replace("\r\n", "\n")
