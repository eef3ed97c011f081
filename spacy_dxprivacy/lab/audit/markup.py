"""Strings of documents beside the text that their readers yield: attributes, comments, properties
and headers, which `dx sanitize` does not write, but other programs do."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from email.policy import default
from html import unescape
from typing import Any

from ...files.limits import check_ratio, decode, too_large
from ...io.docx import TEMPLATE
from ...io.eml import ADDRESSES, REWRITTEN

MAX_PARTS = 2**30  # bytes of what a file holds
_VALUES = re.compile(r"""=\s*"([^"<>]+)"|=\s*'([^'<>]+)'|<!--(.*?)-->""", re.S)
_CODE = re.compile(r"<(script|style)\b[^>]*>(.*?)</\1", re.S | re.I)
_TEXTS = re.compile(r">([^<]+)<")
# Parts of .docx and .xlsx whose texts are those of the document, or of no person.
_READ = re.compile(
    r"(word/(document|header\d*|footer\d*|\w+notes|comments)|xl/(worksheets/sheet1|styles|theme/.*)|"
    r"word/(styles|settings|fontTable|numbering|theme/.*))\.xml"
)


def strings_beside(kind: str, raw: bytes, text: str) -> list[str]:
    """Return the strings of a document in a format with markup that are not in its text.

    Args:
        kind: A key of io.jobs.FORMATS.
        raw: The content of the file.
        text: The text that the reader of the format yields.
    """
    sources = {"docx": _of_parts, "xlsx": _of_parts, "html": _of_markup, "eml": _of_mail}
    found = sources[kind](raw) if kind in sources else iter(())
    texts = dict.fromkeys(" ".join(unescape(value).split()) for value in found)
    return [value for value in texts if value and value not in text]


def _of_parts(raw: bytes) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        size = sum(info.file_size for info in archive.infolist())
        check_ratio("what the file holds", len(raw), size)
        if size > MAX_PARTS:
            raise too_large("what a file holds", size, MAX_PARTS)
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    for name, data in parts.items():
        if TEMPLATE.get(name) == data:
            continue
        yield name
        source = decode(data)
        yield from _of_source(source)
        if name.endswith((".xml", ".rels")) and not _READ.fullmatch(name):
            yield from _TEXTS.findall(source)


def _of_markup(raw: bytes) -> Iterator[str]:
    source = decode(raw)
    yield from _of_source(source)
    yield from (code for _, code in _CODE.findall(source))


def _of_source(source: str) -> Iterator[str]:
    for values in _VALUES.findall(source):
        yield from filter(None, values)


def _of_mail(raw: bytes) -> Iterator[str]:
    mail: Any = message_from_bytes(raw, policy=default)
    handled = REWRITTEN | {name.lower() for name in ADDRESSES}
    for part in mail.walk():
        yield from (str(value) for name, value in part.items() if name.lower() not in handled)
        yield str(part.get_filename() or "")
        payload = b"" if part.is_multipart() else part.get_payload(decode=True) or b""
        if part.get_content_maintype() != "text" or part.get_filename():
            yield decode(payload)
        elif part.get_content_subtype() == "html":
            yield from _of_markup(payload)
