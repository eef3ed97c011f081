"""msgpack and DocBin (.spacy) from anywhere.

spaCy reads both with srsly.msgpack_loads, which is no reader for foreign files: it hands every map
to decoders that any installed package may register (srsly's own makes NumPy arrays of whatever
type the file names, though NumPy refuses those of objects), and it makes lists as long as their
headers say before it looks whether so many items follow, level by level: a megabyte keeps it busy
for minutes. Here no decoder is asked, nothing is made before all of it is there, and of a DocBin
only what is needed is made at all. Nothing is ever unpickled.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ORTH

from ..errors import DxError, Errors
from .limits import MB, check_ratio, too_large

MOST_DOCBIN = 1024 * MB  # as it lies on disk
MOST_INFLATED = 4096 * MB
SMALL = 1024  # items of lists and maps that are made at once
_READ = 2**16


class BadPacked(DxError):
    """Bytes that are not the msgpack or the DocBin that they should be."""


# -- msgpack ---------------------------------------------------------------------------------------


def unpack(data: bytes, *, use_list: bool = True) -> Any:
    """One value of msgpack: dictionaries, lists, str, bytes, numbers. Of extension types
    only times are taken. use_list: False for tuples, which may be keys as well.

    Raises BadPacked. Memory: some 60 times the data at worst (lists that are all empty).
    """
    _check_whole(data)
    try:
        return msgpack.unpackb(
            data, raw=False, strict_map_key=False, use_list=use_list, ext_hook=_refuse
        )
    except Exception as error:  # its errors are of many types, and may quote what they read
        raise _bad(type(error).__name__) from None


def pack(value: Any) -> bytes:
    """A plain value as msgpack."""
    packed: bytes = msgpack.packb(value)
    return packed


def _check_whole(data: bytes) -> None:
    """Walk over it and make nothing: so many items as every header says have to be there."""
    unpacker = msgpack.Unpacker(max_buffer_size=len(data) or 1)
    try:
        unpacker.feed(data)
        unpacker.skip()
        whole = unpacker.tell() == len(data)
    except Exception as error:
        raise _bad(type(error).__name__) from None
    if not whole:
        raise _bad("more than one value")


def _refuse(code: int, data: bytes) -> None:
    raise ValueError("an extension type")


def _bad(why: str) -> BadPacked:
    return BadPacked(Errors.DX097.format(why=why))


# -- DocBin ----------------------------------------------------------------------------------------


@dataclass
class Packed:
    """What a DocBin holds. words: the ids of all words, uint64 (n,). spaces: whether a blank
    follows, bool (n,). ends: where each document ends. strings: its table, each one once. unknown:
    documents that do not tell their blanks. user_data: msgpack of each document, if there is any.
    others: further parts, such as "cats", as they were asked for."""

    words: NDArray[np.uint64]
    spaces: NDArray[np.bool_]
    ends: list[int]
    strings: list[str] = field(repr=False)
    unknown: set[int]
    user_data: list[bytes | None] = field(repr=False)
    others: dict[str, Any] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ends)

    def documents(self) -> Iterator[tuple[list[str], list[bool]]]:
        """Words and blanks of each document. Raises BadPacked for a word not in the table."""
        from spacy.strings import get_string_id

        ids = {get_string_id(string): string for string in self.strings}
        ids[0] = ""
        start = 0
        for number, end in enumerate(self.ends):
            found = [ids.get(word) for word in self.words[start:end].tolist()]
            words = [word for word in found if word is not None]
            if len(words) < len(found):
                raise _bad("a word that its table of strings does not hold")
            known = number not in self.unknown
            yield words, self.spaces[start:end].tolist() if known else [True] * len(words)
            start = end


def read_docbin(raw: bytes, *, also: tuple[str, ...] = ()) -> Packed:
    """The bytes of a .spacy file, without spaCy's own reader. also: further parts to be read, of
    which cats and span_groups may be there.

    Raises BadPacked, and TooLarge for more than MOST_DOCBIN bytes, more than MOST_INFLATED when
    they are inflated, or a bomb.
    """
    if len(raw) > MOST_DOCBIN:
        raise too_large("the .spacy file", len(raw), MOST_DOCBIN)
    parts = _Parts(raw, {"user_data", *also}).read()
    if not {"attrs", "tokens", "spaces", "lengths", "strings"} <= parts.keys():
        raise _bad("parts of a DocBin are missing")
    try:
        return _arranged(parts, also)
    except BadPacked:
        raise
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise _bad(type(error).__name__) from None


def _arranged(parts: dict[str, Any], also: tuple[str, ...]) -> Packed:
    attrs = [int(attr) for attr in parts["attrs"]]
    tokens = np.frombuffer(parts["tokens"], dtype="<u8").reshape(-1, len(attrs))
    spaces = np.frombuffer(parts["spaces"], dtype=np.uint8) != 0
    lengths = np.frombuffer(parts["lengths"], dtype="<i4").astype(np.int64)
    n = len(lengths)
    flags = parts.get("flags", [])
    user_data = list(parts.get("user_data", []))
    if (lengths < 0).any() or lengths.sum() != len(tokens) or len(spaces) != len(tokens):
        raise _bad("parts that do not fit together")
    if len(flags) not in (0, n) or len(user_data) not in (0, n):
        raise _bad("parts that do not fit together")
    return Packed(
        words=tokens[:, attrs.index(ORTH)],
        spaces=spaces,
        ends=np.cumsum(lengths).tolist(),
        strings=parts["strings"],
        unknown={i for i, one in enumerate(flags) if one.get("has_unknown_spaces")},
        user_data=user_data or [None] * n,
        others={name: parts.get(name) for name in also},
    )


class _Parts:
    """The parts of a DocBin's map, one after another out of the stream; others are passed over."""

    def __init__(self, raw: bytes, more: set[str]) -> None:
        self.unpacker = msgpack.Unpacker(
            _Inflating(raw), read_size=_READ, max_buffer_size=MOST_INFLATED - 1, raw=False,
            max_array_len=SMALL, max_map_len=SMALL, ext_hook=_refuse,
        )  # fmt: skip
        one = self.unpacker.unpack
        readers: dict[str, Callable[[], Any]] = {
            "attrs": one, "tokens": self._bytes, "spaces": self._bytes, "lengths": self._bytes,
            "strings": lambda: list(self._items(str)), "flags": lambda: list(self._items(dict)),
            "user_data": lambda: list(self._items(bytes, type(None))),
            "cats": lambda: list(self._items(dict)),
            "span_groups": lambda: list(self._items(bytes)),
        }  # fmt: skip
        always = {"attrs", "tokens", "spaces", "lengths", "strings", "flags"}
        self.readers = {name: readers[name] for name in always | more}

    def read(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        try:
            for _ in range(self.unpacker.read_map_header()):
                name = self.unpacker.unpack()
                if name in self.readers:
                    found[name] = self.readers[name]()
                else:
                    self.unpacker.skip()
        except DxError:
            raise
        except Exception as error:  # msgpack's are of many types, and zlib has its own
            raise _bad(type(error).__name__) from None
        return found

    def _bytes(self) -> bytes:
        found: bytes = self._checked(self.unpacker.unpack(), (bytes,))
        return found

    def _items(self, *kinds: type) -> Iterator[Any]:
        """Of a list of any length: it grows with what is there, not with what its header says."""
        for _ in range(self.unpacker.read_array_header()):
            yield self._checked(self.unpacker.unpack(), kinds)

    def _checked(self, value: Any, kinds: tuple[type, ...]) -> Any:
        if not isinstance(value, kinds):
            raise _bad("a part of another kind than it should be")
        return value


class _Inflating:
    """A file of what zlib has packed, inflated as it is read."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.given = 0
        self.stream = zlib.decompressobj()
        self.rest: bytes = raw

    def read(self, size: int) -> bytes:
        if self.stream.eof:
            return b""
        data = self.stream.decompress(self.rest, size)
        self.rest = self.stream.unconsumed_tail
        self.given += len(data)
        if self.given > MOST_INFLATED:
            raise too_large("what a .spacy file holds", self.given, MOST_INFLATED)
        check_ratio("the .spacy file", len(self.raw), self.given)
        return data
