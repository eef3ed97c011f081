"""Read msgpack and DocBin (.spacy) from anywhere.

srsly.msgpack_loads, by which spaCy reads both, hands every map to decoders that any installed
package may register, and makes lists as long as their headers say before it looks whether the
items follow. Here msgpack's own Unpacker is bounded, no decoder is asked, and nothing is unpickled.
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
from .limits import BLOCK, MB, inflated, too_large

MOST_DOCBIN = 1024 * MB  # as it lies on disk
MOST_INFLATED = 4096 * MB


class BadPacked(DxError):
    """Bytes that are not the msgpack or the DocBin that they should be."""


def _bad(why: str) -> BadPacked:
    return BadPacked(Errors.DX097.format(why=why))


def unpack(data: bytes, *, use_list: bool = True) -> Any:
    """Return one value of msgpack, or raise BadPacked. Memory: some 60 times the data at worst.

    Of extension types only times are taken. Tuples (use_list=False) may be keys of a map as well.
    """

    def refuse(code: int, data: bytes) -> None:
        raise ValueError("an extension type")

    unpacker = msgpack.Unpacker(max_buffer_size=len(data) or 1)
    try:
        unpacker.feed(data)
        unpacker.skip()  # makes nothing: as many items as every header says have to be there
        if unpacker.tell() != len(data):
            raise ValueError("more than one value")
        return msgpack.unpackb(
            data, raw=False, strict_map_key=False, use_list=use_list, ext_hook=refuse
        )
    except Exception as error:  # msgpack's are of many types, and may quote what they read
        raise _bad(type(error).__name__) from None


@dataclass
class Packed:
    """The content of a DocBin."""

    words: NDArray[np.uint64]  # ids of all words, shape (n,)
    spaces: NDArray[np.bool_]  # whether a blank follows each of them, shape (n,)
    ends: list[int]  # where each document ends
    strings: dict[int, str] = field(repr=False)  # by id
    unknown: set[int]  # documents without blanks
    user_data: list[bytes | None] = field(repr=False)  # of each document, as msgpack
    annotations: list[Any] = field(repr=False)  # "cats" and "span_groups", if they are there

    def __len__(self) -> int:
        return len(self.ends)

    def documents(self) -> Iterator[tuple[list[str], list[bool]]]:
        """Yield words and blanks of each document. Raise BadPacked for a word without a string."""
        start = 0
        for number, end in enumerate(self.ends):
            try:
                words = [self.strings[word] for word in self.words[start:end].tolist()]
            except KeyError:
                raise _bad("a word that its table of strings does not hold") from None
            has_spaces = number not in self.unknown
            yield words, self.spaces[start:end].tolist() if has_spaces else [True] * len(words)
            start = end


def read_docbin(raw: bytes) -> Packed:
    """Return the content of a .spacy file. Raise BadPacked, or TooLarge for a bomb."""
    if len(raw) > MOST_DOCBIN:
        raise too_large("the .spacy file", len(raw), MOST_DOCBIN)
    try:
        parts, size = list[bytes](), 0
        blocks = (raw[i : i + BLOCK] for i in range(0, len(raw), BLOCK))
        for data in inflated(blocks, "the .spacy file"):
            parts.append(data)
            size += len(data)
            if size > MOST_INFLATED:
                raise too_large("what a .spacy file holds", size, MOST_INFLATED)
        return _arranged(unpack(b"".join(parts)))
    except DxError:
        raise
    except Exception as error:  # of msgpack, zlib and numpy
        raise _bad(type(error).__name__) from None


def _arranged(parts: dict[str, Any]) -> Packed:
    attrs = [int(attr) for attr in parts["attrs"]]
    tokens = np.frombuffer(parts["tokens"], dtype="<u8").reshape(-1, len(attrs))
    spaces = np.frombuffer(parts["spaces"], dtype=np.uint8) != 0
    lengths = np.frombuffer(parts["lengths"], dtype="<i4").astype(np.int64)
    n = len(lengths)
    flags, user_data = parts.get("flags", []), parts.get("user_data", [])
    fit = lengths.sum() == len(tokens) == len(spaces) and not (lengths < 0).any()
    if not fit or len(flags) not in (0, n) or len(user_data) not in (0, n):
        raise ValueError("parts that do not fit together")
    return Packed(
        words=tokens[:, attrs.index(ORTH)],
        spaces=spaces,
        ends=np.cumsum(lengths).tolist(),
        strings={0: "", **{get_string_id(string): string for string in parts["strings"]}},
        unknown={i for i, flag in enumerate(flags) if flag.get("has_unknown_spaces")},
        user_data=[None if data is None else bytes(data) for data in user_data] or [None] * n,
        annotations=[parts.get("cats"), parts.get("span_groups")],
    )
