"""What is read and what is written, in which format: checked before anything is loaded."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..config import FileOptions
from ..errors import UsageError
from . import parquet, pieces, plain, tables
from .fields import Header, OnHeader
from .files.atomic import check_new
from .plain import Writer
from .records import Failed, Input
from .source import decode

# -- formats ---------------------------------------------------------------------------------------


class Format(NamedTuple):
    """How a kind of file is read and written."""

    read: Callable[[IO[bytes], FileOptions, OnHeader], Iterator[Input]]
    write: Callable[[IO[bytes], FileOptions], Writer]
    endings: tuple[str, ...]  # of file names
    has_fields: bool = False  # beside the text
    has_markup: bool = False  # it is written from a file of its own kind alone


FORMATS = {
    "txt": Format(plain.read_text, plain.TextWriter, (".txt", ".md")),
    "jsonl": Format(plain.read_jsonl, plain.JsonlWriter, (".jsonl", ".ndjson"), True),
    "csv": Format(tables.read_csv, tables.CsvWriter, (".csv",), True),
    "tsv": Format(
        partial(tables.read_csv, delimiter="\t"),
        partial(tables.CsvWriter, delimiter="\t"),
        (".tsv",),
        True,
    ),
    "xlsx": Format(tables.read_xlsx, tables.XlsxWriter, (".xlsx",), True),
    "parquet": Format(parquet.read_parquet, parquet.ParquetWriter, (".parquet",), True),
    "spacy": Format(plain.read_spacy, plain.SpacyWriter, (".spacy",)),
    **{
        kind: Format(partial(pieces.read_pieces, kind), pieces.PiecesWriter, endings, False, True)
        for kind, endings in pieces.ENDINGS.items()
    },
}
KINDS = {ending: name for name, form in FORMATS.items() for ending in form.endings}
WITH_FIELDS = {name for name, form in FORMATS.items() if form.has_fields}
COMPRESSED = (
    "compressed files are not read or written: `gunzip -c FILE.gz | dx sanitize - --format jsonl`."
)
ARRAY = "JSON arrays are not read: make a line of each item with `jq -c '.[]' FILE > FILE.jsonl`."
OBJECT = "JSON over several lines is not read: make a line of it with `jq -c . FILE > FILE.jsonl`."


def ignored(header: Header) -> None:
    """Take a header that nobody needs."""


def read(
    handle: IO[bytes], kind: str, files: FileOptions, on_header: OnHeader = ignored
) -> Iterator[Input]:
    """Return the records of a binary file; `kind` is a key of FORMATS.

    A record that cannot be read is a Failed one, which never quotes it. Raise UsageError if the
    file as a whole cannot be read so.
    """
    return FORMATS[kind].read(handle, files, on_header)


def begun(records: Iterable[Input]) -> Iterator[Input]:
    """Yield the records. Raise UsageError if the first one shows a wrong field or encoding."""
    for i, record in enumerate(records):
        if i == 0 and isinstance(record, Failed) and record.hint:
            raise UsageError(f"record {record.number}: {record.why.rstrip('.')}; {record.hint}")
        yield record


def guess(head: bytes, files: FileOptions) -> str:
    """Return the format of stdin by what arrives first.

    What is neither lines of JSON nor a table whose first row names the fields is a text: at worst a
    table is sanitised as a whole. Raise UsageError for JSON of another kind, and for what is no
    text.
    """
    if head.startswith(b"\x1f\x8b"):
        raise UsageError(COMPRESSED)
    if head.startswith((b"PK\x03\x04", b"PAR1")) or b"\0" in head:
        raise UsageError(
            "it is not text: name a file as INPUT, or give its `format` (xlsx, docx, spacy)."
        )
    first = (decode(head).lstrip().splitlines() or [""])[0].strip()
    if first[:1] == "{":
        if first == "{":
            raise UsageError(OBJECT)
        return "jsonl"
    if first == "[" or (first[:1] == "[" and first[1:].lstrip()[:1] in ("{", '"', "]", "[")):
        raise UsageError(ARRAY)
    delimiter = tables.delimiter_of(first, files)
    return "txt" if delimiter is None else tables.DELIMITERS[delimiter]


# -- jobs ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """One file to read and one to write; None stands for stdin and stdout."""

    source: Path | None
    target: Path | None
    read_as: str  # a key of FORMATS
    write_as: str
    text: str | None = field(default=None, repr=False)  # in the place of stdin

    @property
    def name(self) -> str:
        """What progress and messages call it."""
        return "stdin" if self.source is None else str(self.source)

    @property
    def size(self) -> int:
        """Bytes to read; 0 for a file that has gone, as it fails at its turn, not before."""
        with suppress(OSError):
            return 0 if self.source is None else self.source.stat().st_size
        return 0


@contextmanager
def opened(job: Job) -> Iterator[IO[bytes]]:
    """Open the input of a job. Raise UsageError if it cannot be read."""
    if job.text is not None:
        yield io.BytesIO(f"{job.text}\n".encode("utf-8", "surrogateescape"))
        return
    if job.source is None:
        yield sys.stdin.buffer
        return
    try:
        handle = job.source.open("rb")
    except OSError as error:
        raise UsageError(f"{job.source}: {error.strerror}.") from None
    with handle:
        yield handle


# -- plans -----------------------------------------------------------------------------------------


def plan_jobs(
    source: str,
    target: str | None,
    files: FileOptions | None = None,
    *,
    text: str | None = None,
    force: bool = False,
) -> list[Job]:
    """Return the jobs for a file, a folder or "-", whose format is guessed if it is not given.

    Args:
        source: The path of the input, or "-".
        target: The path of the output; None and "-" for stdout.
        files: The format of the input, where its name does not say it.
        text: In the place of an input, and written to stdout.
        force: Whether outputs may exist.

    Raises:
        UsageError: There is no input, or two; an input is missing or of another kind; an output
            exists, or it is the input.
    """
    files = files or FileOptions()
    if files.format and files.format not in FORMATS:
        names = ", ".join(FORMATS)
        raise UsageError(f"`format` must be one of {names}, got {files.format!r}.")
    if text is not None:
        if source or files.format:
            raise UsageError("`text` replaces INPUT and its `format`: leave these out.")
        return [Job(None, None, "txt", "txt", text=text)]
    if not source:
        raise UsageError("name an INPUT, - for stdin, or a `text`.")
    out = None if target in (None, "-") else Path(str(target))
    path = None if source == "-" else Path(source)
    if path is not None and not path.exists():
        raise UsageError(f"{path}: no such file or folder.")
    if path is None or not path.is_dir():
        jobs = [_plan_file(path, out, files)]
    elif out is None:
        raise UsageError("the input is a folder: name a folder for the output.")
    else:
        jobs = [_plan_file(p, out / p.relative_to(path), files) for p in files_in(path, out)]
    sources = {job.source.resolve() for job in jobs if job.source is not None}
    for output in (job.target for job in jobs if job.target is not None):
        if output.resolve() in sources:
            raise UsageError(f"{output}: the output is the input.")
        check_new(output, force=force)
    return jobs


def files_in(folder: Path, target: Path | None, endings: Iterable[str] = KINDS) -> list[Path]:
    """Return the files of a folder that end so, none that begins with a dot, `_` or `~`, and no
    link that leads out of the folder.

    target: where they are written to, if they are. Raise UsageError if there are none, or the
    target is a file or lies in the folder.
    """
    if target is not None and target.exists() and not target.is_dir():
        raise UsageError(f"{target}: is a file, but the output needs a folder.")
    if target is not None and target.resolve().is_relative_to(folder.resolve()):
        raise UsageError("the output folder must not be the input folder or inside it.")
    paths = [
        path
        for path in sorted(folder.rglob("*"))
        if not any(part[0] in "._~" for part in path.relative_to(folder).parts)
        and path.suffix.lower() in endings
        and path.is_file()
        and path.resolve().is_relative_to(folder.resolve())
    ]
    if not paths:
        raise UsageError(f"{folder}: holds no file that ends in {', '.join(endings)}.")
    return paths


def _plan_file(source: Path | None, target: Path | None, files: FileOptions) -> Job:
    if target is not None and target.is_dir():
        raise UsageError(f"{target}: is a folder, but the input is a single file.")
    read_as = files.format or ("" if source is None else _kind(source, "INPUT"))
    write_as = "" if target is None else _kind(target, "OUTPUT")
    read_as = read_as or _guessed(files)
    write_as = write_as or ("jsonl" if read_as == "spacy" else read_as)
    if FORMATS[write_as].has_markup and write_as != read_as:
        raise UsageError(f"a .{write_as} file is written from a .{write_as} file alone.")
    if write_as == "txt" and read_as != "txt" and not FORMATS[read_as].has_markup:
        raise UsageError("a .txt file holds one document: name a .jsonl file for the output.")
    return Job(source, target, read_as, write_as)


def _guessed(files: FileOptions) -> str:
    stdin: Any = sys.stdin.buffer
    head = stdin.getvalue() if isinstance(stdin, io.BytesIO) else stdin.peek()  # a test, a stream
    try:
        return guess(head, files)
    except UsageError as error:
        raise UsageError(f"stdin: {error}") from None


def _kind(path: Path, role: str) -> str:
    ending = path.suffix.lower()
    if ending in KINDS:
        return KINDS[ending]
    if ending in (".json", ".gz"):
        raise UsageError(f"{path}: {ARRAY if ending == '.json' else COMPRESSED}")
    stdin = ", or - for stdin; or `format` says what it is" if role == "INPUT" else ""
    raise UsageError(f"{path}: {role} must be a folder or end in {', '.join(KINDS)}{stdin}.")


# -- checks ----------------------------------------------------------------------------------------


def check_fields(files: FileOptions, jobs: list[Job]) -> None:
    """Raise UsageError if no field is named, or there are settings of fields and no job has any."""
    if not files.field:
        raise UsageError("`field` is empty: name the field to sanitise.")
    inputs = {job.read_as for job in jobs}
    pairs = [{job.read_as, job.write_as} for job in jobs]
    needs = "needs .jsonl or .csv, or another format with fields, as its"
    if files.keep_fields and not any(pair <= WITH_FIELDS for pair in pairs):
        raise UsageError(f"`keep_fields` {needs} input and output.")
    if files.person_field is not None and not inputs <= WITH_FIELDS:
        raise UsageError(f"`person_field` {needs} input.")
    if len(files.field) > 1 and not inputs & WITH_FIELDS:
        raise UsageError(f"`field` {needs} input.")


def check_receipt(path: Path | None, jobs: list[Job], *, force: bool = False) -> None:
    """Raise UsageError if the receipt cannot be a new file, or goes where a job does."""
    if path is None:
        return
    check_new(path, force=force)
    taken = [p.resolve() for job in jobs for p in (job.source, job.target) if p is not None]
    if path.resolve() in taken:
        raise UsageError(f"{path}: the receipt cannot go where the input or the output is.")
