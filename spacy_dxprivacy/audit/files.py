"""What a release holds, read with care: no pickle is loaded, nothing is run, sizes are bounded."""

from __future__ import annotations

import csv
import io
import pickletools
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..batch.manifests import JOURNAL, MANIFEST
from ..batch.source import ending, pack_of
from ..batch.source import unpacked as unpack_file
from ..errors import DxError, UsageError
from ..files.docbin import BadPacked, read_docbin, unpack
from ..files.limits import DEEPEST as DEEPEST_LISTS
from ..files.limits import MB, TooLarge, check_ratio, parse_json
from ..files.parquet import open_parquet, read_tables
from ..rebuild import RECEIPT_KEY, VECTORS_KEY, fits

MOST_FILES = 10_000
MOST_BYTES = 2**28  # of a file: 256 MB
MOST_UNPACKED = 2**30
DEEPEST = 8  # containers within containers
READABLE = re.compile(rb"[\x20-\x7e\xc2-\xf4\x80-\xbf]{4,}")
COMPRESSED = (
    b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd",
)  # fmt: skip
SKIPPED = {"vectors.npy", "scales.npy", "classes.npy", "vectors"}


@dataclass(frozen=True)
class Strings:
    """Strings that are not the text of a document. kind: which sort of place they are at, such as
    "strings", "user data" or "pickle". whole: each is a word, to be compared as it is."""

    kind: str
    values: list[str] = field(repr=False)
    whole: bool = False


@dataclass(frozen=True)
class Text:
    """A document of the release. words and spaces: where it comes in tokens."""

    text: str = field(default="", repr=False)
    words: list[str] | None = field(default=None, repr=False)
    spaces: list[bool] | None = field(default=None, repr=False)
    receipt: dict[str, Any] | None = field(default=None, repr=False)


Item = Strings | Text


class BadFile(DxError):
    """A file that cannot be audited."""


def files_of(path: Path) -> list[Path]:
    """A file, or all files of a folder. Raises BadFile for none, too many, or too large ones."""
    if not path.exists():
        raise BadFile("the release: no such file or folder.")
    found = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    if not found:
        raise BadFile("the release holds no file.")
    if len(found) > MOST_FILES:
        raise BadFile(f"the release holds more than {MOST_FILES:,} files.")
    return found


def read_file(path: Path, field_name: str, *, in_pipeline: bool = False) -> Iterator[Item]:
    """The texts and strings of a file, by its ending and its first bytes. in_pipeline: it is part
    of a saved pipeline, whose .jsonl and .txt files are no documents.

    Raises BadFile for what is too large, too deep, compressed or damaged.
    """
    try:
        yield from _read(path, field_name, in_pipeline)
    except BadFile:
        raise
    except TooLarge as error:
        raise BadFile(str(error)) from None
    except Exception as error:  # whatever a file made to do harm brings about
        raise BadFile(f"a file is damaged ({type(error).__name__}).") from None


def _read(path: Path, field_name: str, in_pipeline: bool) -> Iterator[Item]:
    if path.name in SKIPPED:
        return
    if path.suffix.lower() == ".parquet" and not in_pipeline:
        yield from _parquet(path, field_name)
        return
    raw = bytes_of(path)
    if pack_of(path):
        raw = _unpacked(raw, pack_of(path))
    if raw.startswith(COMPRESSED):
        raise BadFile("a file is compressed: unpack it first.")
    kind = "" if in_pipeline else ending(path)
    if kind == ".spacy":
        yield from _docbin(raw)
    elif kind == ".txt" and path.name != "words.txt":
        yield Text(_decoded(raw))
    elif path.name in (JOURNAL, MANIFEST):
        yield Strings("metadata", [str(s) for line in _documents(raw) for s in walk(line)])
    elif kind == ".jsonl":
        yield from _jsonl(raw, field_name)
    elif kind == ".csv":
        yield from _csv(raw, field_name)
    elif path.name == "strings.json":
        yield Strings("strings", [s for s in walk(_json(raw)) if isinstance(s, str)], whole=True)
    elif kind in (".pkl", ".pickle") or _is_pickle(raw):
        yield Strings("pickle", list(opened(raw)))
    else:
        yield Strings("metadata", list(opened(raw)))


def _unpacked(raw: bytes, pack: str) -> bytes:
    try:
        found = unpack_file(raw, pack)
    except UsageError:
        raise BadFile(f"a file is not .{pack}, or it is damaged or too large.") from None
    if len(found) > MOST_UNPACKED:
        raise BadFile(f"a file unpacks to more than {MOST_UNPACKED // MB} MB.")
    return found


def bytes_of(path: Path) -> bytes:
    """Raises BadFile for a file that is too large or cannot be read."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadFile(f"a file is larger than {MOST_BYTES // 2**20} MB.")
        return path.read_bytes()
    except OSError as error:
        raise BadFile(f"a file cannot be read: {error.strerror}.") from None


# -- documents -------------------------------------------------------------------------------------


def _docbin(raw: bytes) -> Iterator[Item]:
    try:
        held_there = read_docbin(raw, also=("cats", "span_groups"))
        documents = list(held_there.documents())
    except BadPacked:
        raise BadFile("a .spacy file is no DocBin, or it is damaged.") from None
    used: set[str] = set()
    for (words, spaces), data in zip(documents, held_there.user_data, strict=True):
        used.update(words)
        held, receipt = _user_data(data)
        receipt = receipt if fits(receipt, len(words)) else None
        yield Text(words=words, spaces=spaces, receipt=receipt)
        yield from held
    used |= {form for word in used for form in (word.lower(), norm_of(word))}
    yield Strings("annotations", [s for s in held_there.strings if s not in used], whole=True)
    yield Strings("annotations", list(strings_in(list(held_there.others.values()))))


@lru_cache(maxsize=2**16)
def norm_of(word: str) -> str:
    """What spaCy makes the norm of a word, such as "not" of "n't": no more than the word tells."""
    vocab = _blank_vocab()
    with vocab.memory_zone():
        return str(vocab[word].norm_)


@lru_cache(maxsize=1)
def _blank_vocab() -> Any:
    import spacy

    return spacy.blank("en").vocab


def _user_data(data: Any) -> tuple[list[Strings], dict[str, Any] | None]:
    """The strings of a document's user data, and its receipt, which is not among them."""
    if isinstance(data, bytes):
        try:
            data = unpacked(data)
        except ValueError:
            raise BadFile("the user data of a document are damaged.") from None
    pairs = data.items() if isinstance(data, dict) else (data or [])
    receipt, held = None, []
    for pair in pairs:
        key, value = pair
        if key == RECEIPT_KEY and isinstance(value, dict):
            receipt = value
            held.append(Strings("receipt", list(strings_in(value))))
        elif key == VECTORS_KEY or _is_array(value):
            held.append(Strings("tensor", []))
        else:
            held.append(Strings("user data", list(strings_in([key, value]))))
    return held, receipt


def _jsonl(raw: bytes, field_name: str) -> Iterator[Item]:
    for line in _decoded(raw).splitlines():
        if not line.strip():
            continue
        entry = _json(line.encode("utf8", "replace"))
        if not isinstance(entry, dict) or not isinstance(entry.get(field_name), str):
            raise BadFile("a line of a .jsonl file has no such field of text.")
        yield Text(entry.pop(field_name))
        for name, value in entry.items():
            yield Strings(f"field {name}", [str(s) for s in walk([name, value])])


def _documents(raw: bytes) -> list[Any]:
    """The lines of a journal, or one manifest."""
    if raw.startswith(b'{"event"'):
        return [_json(line) for line in raw.splitlines() if line.strip()]
    return [_json(raw)]


def _parquet(path: Path, field_name: str) -> Iterator[Item]:
    """Its texts, and the strings of other columns; not numbers, nor rows without a text."""
    with open_parquet(path) as file:
        names = file.schema_arrow.names
        pages = opened(str(file.schema_arrow.metadata or "").encode())
    if field_name not in names:
        raise BadFile("a .parquet file has no such column of text.")
    yield Strings("metadata", list(pages))
    for table in read_tables(path, names):
        for name in names:
            for value in table.column(name).to_pylist():
                if name != field_name:
                    yield Strings(f"field {name}", [str(s) for s in walk([name, value])])
                elif value is not None:
                    yield Text(str(value))


def _csv(raw: bytes, field_name: str) -> Iterator[Item]:
    csv.field_size_limit(MOST_BYTES)
    try:
        rows = list(csv.DictReader(io.StringIO(_decoded(raw), newline=""), strict=True))
    except csv.Error:
        raise BadFile("a .csv file is damaged.") from None
    for row in rows:
        if not isinstance(row.get(field_name), str):
            raise BadFile("a row of a .csv file has no such field of text.")
        yield Text(row.pop(field_name))
        for name, value in row.items():
            yield Strings(f"field {name}", [str(s) for s in walk([name, value])])


# -- containers ------------------------------------------------------------------------------------


def opened(raw: bytes, depth: int = 0) -> Iterator[str]:
    """All strings in some bytes: json, msgpack, zlib, a pickle's opcodes, or runs of text."""
    if depth > DEEPEST:
        return
    if _is_pickle(raw):
        yield from _pickled(raw, depth)
        return
    for read in (_json_strings, _packed_strings):
        found = read(raw, depth)
        if found is not None:
            yield from found
            return
    for run in READABLE.findall(raw):
        yield run.decode("utf8", "ignore")


def _pickled(raw: bytes, depth: int) -> Iterator[str]:
    """The strings among the arguments of a pickle's opcodes. It is never loaded."""
    try:
        for _, argument, _ in pickletools.genops(raw):
            if isinstance(argument, str):
                yield argument
            elif isinstance(argument, bytes | bytearray) and len(argument) > 3:
                yield from opened(bytes(argument), depth + 1)
    except Exception:
        # Damaged or made to be so: what can be read of it is read.
        for run in READABLE.findall(raw):
            yield run.decode("utf8", "ignore")


def _json_strings(raw: bytes, depth: int) -> list[str] | None:
    if raw[:1] not in (b"{", b"[", b'"'):
        return None
    try:
        return [str(s) for s in walk(parse_json(raw)) if isinstance(s, str)]
    except ValueError:
        return None


def _packed_strings(raw: bytes, depth: int) -> list[str] | None:
    """msgpack, as such or compressed. A lone byte is a number in msgpack: it does not count."""
    try:
        data = inflated(raw) if raw[:1] == b"x" else raw
        found = unpacked(data)
    except (ValueError, zlib.error, RecursionError):
        return None
    if not isinstance(found, dict | list | tuple):
        return None
    return list(strings_in(found, depth))


def strings_in(value: Any, depth: int = 0) -> Iterator[str]:
    """The strings of nested values, those within bytes among them."""
    for leaf in walk(value):
        if isinstance(leaf, str):
            yield leaf
        elif isinstance(leaf, bytes) and len(leaf) > 3:
            yield from opened(leaf, depth + 1)


def inflated(raw: bytes) -> bytes:
    """Decompressed, up to MOST_UNPACKED. Raises BadFile beyond, zlib.error for other bytes."""
    stream = zlib.decompressobj()
    data = stream.decompress(raw, MOST_UNPACKED)
    if stream.unconsumed_tail:
        raise BadFile(f"a file unpacks to more than {MOST_UNPACKED // MB} MB.")
    check_ratio("a file", len(raw), len(data))
    return data


def unpacked(data: bytes) -> Any:
    """msgpack, without srsly's decoders. Raises BadPacked, a ValueError, for other bytes."""
    return unpack(data, use_list=False)


def walk(value: Any, depth: int = 0) -> Iterator[Any]:
    """The leaves of nested lists and dictionaries, keys among them; arrays are left out."""
    if depth > DEEPEST_LISTS:
        raise BadFile("a file is nested too deep.")
    if isinstance(value, dict):
        if _is_array(value):
            return
        for key, part in value.items():
            yield from walk(key, depth + 1)
            yield from walk(part, depth + 1)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from walk(part, depth + 1)
    else:
        yield value


def _is_array(value: Any) -> bool:
    return isinstance(value, dict) and ("nd" in value or b"nd" in value)


def _is_pickle(raw: bytes) -> bool:
    return len(raw) > 2 and raw[0] == 0x80 and raw[1] in (2, 3, 4, 5) and raw.endswith(b".")


def _json(raw: bytes) -> Any:
    try:
        return parse_json(raw)
    except ValueError:
        raise BadFile("a file is not valid JSON, or it is nested too deep.") from None


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8-sig", "replace")
