"""What a release holds, read with care: no pickle is loaded, nothing is run, sizes are bounded."""

from __future__ import annotations

import io
import pickletools
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...batch.fields import Fields, delimiter_of, steps
from ...batch.jobs import KINDS
from ...batch.manifests import JOURNAL, MANIFEST
from ...batch.record import Row
from ...batch.records import read as read_records
from ...batch.source import check_encoding, ending, pack_of, source_of_file
from ...batch.source import unpacked as unpack_file
from ...errors import DxError, UsageError
from ...files.docbin import BadPacked, read_docbin, unpack
from ...files.limits import DEEPEST as DEEPEST_LISTS
from ...files.limits import MB, TooLarge, check_ratio, parse_json
from ...files.parquet import open_parquet, read_tables
from ...rebuild import RECEIPT_KEY, VECTORS_KEY, fits

MOST_FILES = 10_000
MOST_BYTES = 2**28  # of a file: 256 MB
MOST_UNPACKED = 2**30
DEEPEST = 8  # containers within containers
READABLE = re.compile(rb"[\x20-\x7e\xc2-\xf4\x80-\xbf]{4,}")
COMPRESSED = (
    b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd",
)  # fmt: skip
ROWS = {".jsonl", ".ndjson", ".csv", ".tsv", ".xlsx"}
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


@dataclass(frozen=True)
class Form:
    """How files with fields are written. fields: where the text is, and what stands between the
    columns of .csv. encoding: None for UTF-8, or what a mark at the beginning says."""

    fields: Fields
    encoding: str | None = None

    @classmethod
    def of(cls, field: str, delimiter: str | None = None, encoding: str | None = None) -> Form:
        """Raises UsageError for a delimiter or an encoding that is none."""
        check_encoding(encoding)
        first, *more = [name.strip() for name in field.split(",")]
        names = Fields(first, keep=None, more=tuple(more), delimiter=delimiter_of(delimiter))
        return cls(names, encoding)

    def decoded(self, raw: bytes) -> bytes:
        """As UTF-8, without a mark."""
        handle = io.BytesIO(raw)
        return source_of_file(handle, "", self.encoding, text=True).read()


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


def read_file(path: Path, form: Form | str, *, in_pipeline: bool = False) -> Iterator[Item]:
    """The texts and strings of a file, by its ending and its first bytes. form: how it is written,
    or the field of text alone. in_pipeline: it is part of a saved pipeline, whose .jsonl and .txt
    files are no documents.

    Raises BadFile for what is too large, too deep, compressed or damaged.
    """
    try:
        yield from _read(path, Form.of(form) if isinstance(form, str) else form, in_pipeline)
    except BadFile:
        raise
    except (TooLarge, UsageError) as error:  # the readers' own sentences
        raise BadFile(str(error)) from None
    except Exception as error:  # whatever a file made to do harm brings about
        raise BadFile(f"a file is damaged ({type(error).__name__}).") from None


def _read(path: Path, form: Form, in_pipeline: bool) -> Iterator[Item]:
    if path.name in SKIPPED:
        return
    if path.suffix.lower() == ".parquet" and not in_pipeline:
        yield from _parquet(path, form.fields.text)
        return
    raw = bytes_of(path)
    raw = _unpacked(raw, pack_of(path)) if pack_of(path) else raw
    kind = "" if in_pipeline else ending(path)
    if kind != ".xlsx" and raw.startswith(COMPRESSED):
        raise BadFile("a file is compressed: unpack it first.")
    raw = form.decoded(raw) if kind in (".txt", ".json", *ROWS) and kind != ".xlsx" else raw
    if kind == ".spacy":
        yield from _docbin(raw)
    elif kind == ".txt" and path.name != "words.txt":
        yield Text(_decoded(raw))
    elif path.name in (JOURNAL, MANIFEST):
        yield Strings("metadata", [str(s) for line in _documents(raw) for s in walk(line)])
    elif path.name == "strings.json":
        yield Strings("strings", [s for s in walk(_json(raw)) if isinstance(s, str)], whole=True)
    elif kind in ROWS or (kind == ".json" and _holds_records(raw, form.fields.text)):
        yield from _records(raw, KINDS[kind], form.fields)
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


def _records(raw: bytes, kind: str, fields: Fields) -> Iterator[Item]:
    """Its texts, by the readers of `dx sanitize`, and the strings of other fields."""
    for record in read_records(io.BytesIO(raw), kind, fields):
        if record.problem:
            why = f"a .{kind} file, record {record.number}: {record.problem} {record.hint}"
            raise BadFile(why.strip())
        yield Text(record.text)
        if record.row is not None and record.part == record.parts - 1:
            yield from _others(record.row, {step for way in fields.texts for step in steps(way)})


def _others(row: Row, own: set[str]) -> Iterator[Strings]:
    """What a row holds beside its texts, by the names of the fields. own: what the fields of the
    texts are called, which tells nothing."""
    for holder, place in row.slots:
        holder[place] = ""
    if isinstance(row.entry, dict):
        pairs = list(row.entry.items())
    else:
        pairs = list(zip(row.names or [""] * len(row.entry), row.entry, strict=False))
    for name, value in pairs:
        told = [str(s) for s in walk([name, value])]
        yield Strings(f"field {name}", [s for s in told if s not in own])


def _holds_records(raw: bytes, field_name: str) -> bool:
    """Whether a .json file is a list, or an object with the field: others are about a release."""
    try:
        value = parse_json(raw)
    except ValueError:
        return False
    one = isinstance(value, dict) and (field_name in value or steps(field_name)[0] in value)
    return one or isinstance(value, list)


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
