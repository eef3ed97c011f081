"""Read the texts and strings of a release. No pickle is loaded, and sizes are bounded."""

from __future__ import annotations

import io
import pickletools
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

import spacy

from ...config.options import FileOptions, to_names
from ...errors import DxError, UsageError
from ...files.limits import MAX_DEPTH as MAX_LIST_DEPTH
from ...files.limits import MB, BadPacked, TooLarge, check_ratio, parse_json, read_docbin, unpack
from ...io.formats import Row, split_path
from ...io.jobs import FORMAT_OF_ENDING, FORMATS
from ...io.jobs import read as read_records
from ...io.parquet import open_parquet
from ...io.records import Failed, Record, Tokens
from ...pipeline.receipt import RECEIPT_KEY, fits
from ...pipeline.vectors import ROWS_KEY, VECTORS_KEY
from .markup import strings_beside

MAX_FILES = 10_000
MAX_FILE_BYTES = 256 * MB  # of a file
MAX_UNPACKED_BYTES = 1024 * MB
MAX_CONTAINERS = 8  # containers within containers
READABLE = re.compile(rb"[\x20-\x7e\xc2-\xf4\x80-\xbf]{4,}")
COMPRESSED = (
    b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd",
)  # fmt: skip
ARCHIVES = {".docx", ".xlsx"}  # compressed, and read
SKIPPED = {"vectors.npy", "scales.npy", "classes.npy", "vectors"}


@dataclass(frozen=True)
class Strings:
    """Strings outside of the text of documents. kind: their place, such as "strings" or "user
    data". are_words: whether each is a word, compared as it is."""

    kind: str
    values: list[str] = field(repr=False)
    are_words: bool = False


@dataclass(frozen=True)
class ReleasedText:
    """A document of the release: its text, or its words and spaces. record: that of its row, with
    the first text of the row alone."""

    text: str = field(default="", repr=False)
    words: list[str] | None = field(default=None, repr=False)
    spaces: list[bool] | None = field(default=None, repr=False)
    receipt: dict[str, Any] | None = field(default=None, repr=False)
    record: Record | None = field(default=None, repr=False)


Item = Strings | ReleasedText


class BadFile(DxError):
    """A file that cannot be audited."""


def files_of(path: Path) -> list[Path]:
    """Return a file, or all files of a folder. Raise BadFile for none, or too many."""
    if not path.exists():
        raise BadFile("the release: no such file or folder.")
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    if not files:
        raise BadFile("the release holds no file.")
    if len(files) > MAX_FILES:
        raise BadFile(f"the release holds more than {MAX_FILES:,} files.")
    return files


@contextmanager
def raising_bad_file() -> Iterator[None]:
    """Raise BadFile in place of any error from a damaged or malicious file."""
    try:
        yield
    except BadFile:
        raise
    except BadPacked:
        raise BadFile("a .spacy file is not a DocBin, or it is damaged.") from None
    except (TooLarge, UsageError) as error:
        raise BadFile(str(error)) from None
    except Exception as error:
        raise BadFile(f"a file is damaged ({type(error).__name__}).") from None


def read_file(
    path: Path, files: FileOptions | str, *, in_pipeline: bool = False
) -> Iterator[Item]:  # fmt: skip
    """Read the texts and strings of a file, by its ending and first bytes.

    files: its options, or only its text field. in_pipeline: whether it is part of a saved pipeline,
    whose .jsonl and .txt files are no documents. Raise BadFile for files that are too large, too
    deep, compressed or damaged.
    """
    with raising_bad_file():
        files = FileOptions(field=to_names(files)) if isinstance(files, str) else files
        yield from _read(path, files, in_pipeline)


def _read(path: Path, files: FileOptions, in_pipeline: bool) -> Iterator[Item]:
    if path.name in SKIPPED:
        return
    kind = "" if in_pipeline else path.suffix.lower()
    if kind == ".parquet":
        with path.open("rb") as handle:
            yield from _records(handle, "parquet", files)
        with open_parquet(path) as file:
            pages = str(file.schema_arrow.metadata or "").encode()
        yield Strings("metadata", list(strings_in_bytes(pages)))
        return
    raw = bytes_of(path)
    if kind not in ARCHIVES and raw.startswith(COMPRESSED):
        raise BadFile("a file is compressed: decompress it first.")
    if kind == ".spacy":
        yield from _docbin(raw)
    elif kind in FORMAT_OF_ENDING and path.name != "words.txt":
        texts = list[str]()
        yield from _records(io.BytesIO(raw), FORMAT_OF_ENDING[kind], files, texts)
        if beside := strings_beside(FORMAT_OF_ENDING[kind], raw, " ".join(texts)):
            yield Strings("markup", beside)
    elif path.name == "strings.json":
        strings = [leaf for leaf in leaves_of(parse_json(raw)) if isinstance(leaf, str)]
        yield Strings("strings", strings, are_words=True)
    else:
        pickled = kind in (".pkl", ".pickle") or _is_pickle(raw)
        yield Strings("pickle" if pickled else "metadata", list(strings_in_bytes(raw)))


def bytes_of(path: Path) -> bytes:
    """Return the bytes of a file. Raise BadFile if it is too large or cannot be read."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise BadFile(f"a file is larger than {MAX_FILE_BYTES // MB} MB.")
        return path.read_bytes()
    except OSError as error:
        raise BadFile(f"a file cannot be read: {error.strerror}.") from None


def _docbin(raw: bytes) -> Iterator[Item]:
    docbin, used = read_docbin(raw), set[str]()
    documents = zip(list(docbin.documents()), docbin.user_data, strict=True)
    for number, ((words, spaces), data) in enumerate(documents, 1):
        used.update(words)
        data = decode_msgpack(data) if isinstance(data, bytes) else data
        receipt, held = None, []
        for key, value in data.items() if isinstance(data, dict) else (data or []):
            if key == RECEIPT_KEY and isinstance(value, dict):
                receipt = value if fits(value, len(words)) else None
                held.append(Strings("receipt", list(strings_in(value))))
            elif key in (VECTORS_KEY, ROWS_KEY) or _is_array(value):
                held.append(Strings("tensor", []))
            else:
                held.append(Strings("user data", list(strings_in([key, value]))))
        record = Record(number, [Tokens(words, spaces)])
        yield ReleasedText(words=words, spaces=spaces, receipt=receipt, record=record)
        yield from held
    with (vocab := _blank_vocab()).memory_zone():
        # A norm, such as "not" for "n't", reveals no more than the word.
        used |= {form for word in used for form in (word.lower(), vocab[word].norm_)}
    unused = [string for string in docbin.strings.values() if string and string not in used]
    yield Strings("annotations", unused, are_words=True)
    yield Strings("annotations", list(strings_in(docbin.annotations)))


@cache
def _blank_vocab() -> Any:
    return spacy.blank("en").vocab


def _records(
    handle: IO[bytes], kind: str, files: FileOptions, texts: list[str] | None = None
) -> Iterator[Item]:
    """Yield the texts of records, by the readers of `dx sanitize`, and strings of other fields.

    texts: gets the texts of documents with markup, with single blanks.
    """
    field_names = {step for path in files.field for step in split_path(path)}
    for record in read_records(handle, kind, files):
        if isinstance(record, Failed):
            why = f"a .{kind} file, record {record.number}: {record.why} {record.hint}"
            raise BadFile(why.strip())
        for place, text in enumerate(map(str, record.texts)):
            yield ReleasedText(text, record=None if place else record)
            if texts is not None and FORMATS[kind].has_markup:
                texts.append(" ".join(text.split()))
        row = record.origin
        if not isinstance(row, Row):
            continue
        for holder, place in row.slots:
            holder[place] = ""
        for name, value in row.entry.items():
            leaves = [str(leaf) for leaf in leaves_of([name, value])]
            yield Strings(f"field {name}", [leaf for leaf in leaves if leaf not in field_names])


def strings_in_bytes(raw: bytes, depth: int = 0) -> Iterator[str]:
    """Yield all strings in bytes of JSON, msgpack, zlib or pickle; else runs of text."""
    if depth > MAX_CONTAINERS:
        return
    strings: Iterable[str] | None = None
    if _is_pickle(raw):
        strings = _strings_in_pickle(raw, depth)
    elif raw[:1] in (b"{", b"[", b'"'):
        try:
            strings = [leaf for leaf in leaves_of(parse_json(raw)) if isinstance(leaf, str)]
        except ValueError:
            strings = None
    if strings is None:
        try:
            value = decode_msgpack(inflate(raw) if raw[:1] == b"x" else raw)
            # A lone byte is a number in msgpack, and is not counted.
            strings = strings_in(value, depth) if isinstance(value, dict | list | tuple) else None
        except (ValueError, zlib.error, RecursionError):
            strings = None
    yield from _runs_of_text(raw) if strings is None else strings


def _runs_of_text(raw: bytes) -> Iterator[str]:
    return (run.decode("utf8", "ignore") for run in READABLE.findall(raw))


def _strings_in_pickle(raw: bytes, depth: int) -> Iterator[str]:
    """Yield the strings among the arguments of a pickle's opcodes, without loading it."""
    try:
        for _, argument, _ in pickletools.genops(raw):
            if isinstance(argument, str):
                yield argument
            elif isinstance(argument, bytes | bytearray) and len(argument) > 3:
                yield from strings_in_bytes(bytes(argument), depth + 1)
    except Exception:
        yield from _runs_of_text(raw)  # damaged, or malicious


def strings_in(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the strings of nested values, including those within bytes."""
    for leaf in leaves_of(value):
        if isinstance(leaf, str):
            yield leaf
        elif isinstance(leaf, bytes) and len(leaf) > 3:
            yield from strings_in_bytes(leaf, depth + 1)


def inflate(raw: bytes) -> bytes:
    """Decompress bytes. Raise BadFile beyond MAX_UNPACKED_BYTES, zlib.error for other bytes."""
    stream = zlib.decompressobj()
    data = stream.decompress(raw, MAX_UNPACKED_BYTES)
    if stream.unconsumed_tail:
        raise BadFile(f"a file decompresses to more than {MAX_UNPACKED_BYTES // MB} MB.")
    check_ratio("a file", len(raw), len(data))
    return data


def decode_msgpack(data: bytes) -> Any:
    """Decode msgpack without srsly's decoders. Raise BadPacked (a ValueError) for other bytes."""
    return unpack(data, use_list=False)


def leaves_of(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the leaves and keys of nested lists and dictionaries, except arrays."""
    if depth > MAX_LIST_DEPTH:
        raise BadFile("a file is nested too deep.")
    if isinstance(value, dict):
        if _is_array(value):
            return
        value = [part for pair in value.items() for part in pair]
    if not isinstance(value, list | tuple):
        yield value
        return
    for part in value:
        yield from leaves_of(part, depth + 1)


def _is_array(value: Any) -> bool:
    return isinstance(value, dict) and ("nd" in value or b"nd" in value)


def _is_pickle(raw: bytes) -> bool:
    return len(raw) > 2 and raw[0] == 0x80 and raw[1] in (2, 3, 4, 5) and raw.endswith(b".")
