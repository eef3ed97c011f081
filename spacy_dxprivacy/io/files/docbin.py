"""Read msgpack and DocBin (.spacy) from untrusted sources.

spaCy reads both with srsly.msgpack_loads. It passes every map to decoders that any installed
package may register, and allocates lists by the length in their header before it reads the items.
This module uses msgpack's Unpacker with limits, without decoders, and unpickles nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ORTH
from spacy.strings import get_string_id

from ...errors import DxError, Errors
from .limits import BLOCK, MB, inflate, too_large

MAX_DOCBIN = 1024 * MB  # on disk
MAX_INFLATED = 4096 * MB  # decompressed


class BadPacked(DxError):
    """Bytes are not valid msgpack, or not a valid DocBin."""


def _bad_packed(why: str) -> BadPacked:
    return BadPacked(Errors.DX097.format(why=why))


def unpack(data: bytes, *, use_list: bool = True) -> Any:
    """Return the value that msgpack data encode. Raise BadPacked. Memory: at most 60 x data.

    Timestamps are the only extension type accepted. use_list=False returns arrays as tuples, which
    can be keys of maps.
    """

    def refuse(code: int, data: bytes) -> None:
        raise ValueError("an extension type")

    unpacker = msgpack.Unpacker(max_buffer_size=len(data) or 1)
    try:
        unpacker.feed(data)
        unpacker.skip()  # checks that all items are there, without allocating them
        if unpacker.tell() != len(data):
            raise ValueError("more than one value")
        return msgpack.unpackb(
            data, raw=False, strict_map_key=False, use_list=use_list, ext_hook=refuse
        )
    except Exception as error:  # msgpack raises many types; messages may quote the data
        raise _bad_packed(type(error).__name__) from None


@dataclass
class DocBinContent:
    """The content of a DocBin."""

    words: NDArray[np.uint64]  # ids of the words of all documents, shape (n,)
    spaces: NDArray[np.bool_]  # whether a space follows each word, shape (n,)
    ends: list[int]  # index in words after the last word of each document
    strings: dict[int, str] = field(repr=False)  # by id
    unknown: set[int]  # numbers of documents without known spaces
    user_data: list[bytes | None] = field(repr=False)  # of each document, as msgpack
    annotations: list[Any] = field(repr=False)  # "cats" and "span_groups"; None if missing

    def __len__(self) -> int:
        return len(self.ends)

    def documents(self) -> Iterator[tuple[list[str], list[bool]]]:
        """Yield words and spaces of each document. Raise BadPacked for a word without a string."""
        start = 0
        for number, end in enumerate(self.ends):
            try:
                words = [self.strings[word] for word in self.words[start:end].tolist()]
            except KeyError:
                raise _bad_packed("a word that its table of strings does not hold") from None
            has_spaces = number not in self.unknown
            yield words, self.spaces[start:end].tolist() if has_spaces else [True] * len(words)
            start = end


def read_docbin(raw: bytes) -> DocBinContent:
    """Return the content of a .spacy file. Raise BadPacked, or TooLarge for a zip bomb."""
    if len(raw) > MAX_DOCBIN:
        raise too_large("the .spacy file", len(raw), MAX_DOCBIN)
    try:
        parts, size = list[bytes](), 0
        blocks = (raw[i : i + BLOCK] for i in range(0, len(raw), BLOCK))
        for data in inflate(blocks, "the .spacy file"):
            parts.append(data)
            size += len(data)
            if size > MAX_INFLATED:
                raise too_large("what a .spacy file holds", size, MAX_INFLATED)
        return _parse_docbin(unpack(b"".join(parts)))
    except DxError:
        raise
    except Exception as error:  # from msgpack, zlib or numpy
        raise _bad_packed(type(error).__name__) from None


def _parse_docbin(parts: dict[str, Any]) -> DocBinContent:
    attrs = [int(attr) for attr in parts["attrs"]]
    tokens = np.frombuffer(parts["tokens"], dtype="<u8").reshape(-1, len(attrs))
    spaces = np.frombuffer(parts["spaces"], dtype=np.uint8) != 0
    lengths = np.frombuffer(parts["lengths"], dtype="<i4").astype(np.int64)
    n = len(lengths)
    flags, user_data = parts.get("flags", []), parts.get("user_data", [])
    fit = lengths.sum() == len(tokens) == len(spaces) and not (lengths < 0).any()
    if not fit or len(flags) not in (0, n) or len(user_data) not in (0, n):
        raise ValueError("parts that do not fit together")
    return DocBinContent(
        words=tokens[:, attrs.index(ORTH)],
        spaces=spaces,
        ends=np.cumsum(lengths).tolist(),
        strings={0: "", **{get_string_id(string): string for string in parts["strings"]}},
        unknown={i for i, flag in enumerate(flags) if flag.get("has_unknown_spaces")},
        user_data=[None if data is None else bytes(data) for data in user_data] or [None] * n,
        annotations=[parts.get("cats"), parts.get("span_groups")],
    )
