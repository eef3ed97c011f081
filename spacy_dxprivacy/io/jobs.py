"""Plan the files that a run reads and writes, and their formats, before anything is loaded."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..config.options import FileOptions
from ..errors import UsageError
from ..files.atomic import check_new
from ..files.encodings import UTF8, as_utf8
from ..files.limits import decode
from . import formats, parquet, pieces, tables
from .formats import OnHeader, Writer
from .records import Failed, Input

# -- formats ---------------------------------------------------------------------------------------


class Format(NamedTuple):
    """Reader and writer of a file format."""

    read: Callable[[IO[bytes], FileOptions, OnHeader], Iterator[Input]]
    write: Callable[[IO[bytes], FileOptions], Writer]
    endings: tuple[str, ...]  # of file names
    has_fields: bool = False  # besides the text
    has_markup: bool = False  # output is written only from input of the same format
    is_text: bool = False  # in any encoding


def _parse_docx(raw: bytes) -> pieces.Pieces:
    from .docx import parse

    return parse(raw)


def _parse_html(raw: bytes) -> pieces.Pieces:
    from .html import parse

    return parse(raw)


def _read_eml(handle: IO[bytes], files: FileOptions, on_header: OnHeader) -> Iterator[Input]:
    from .eml import parse

    parse_mail = partial(parse, encoding=files.encoding)
    return pieces.read_pieces("eml", parse_mail, handle, files, on_header)


def _of_pieces(kind: str, parse: Callable[[bytes], pieces.Pieces], *endings: str) -> Format:
    read = partial(pieces.read_pieces, kind, parse)
    return Format(read, pieces.PiecesWriter, endings, has_markup=True)


FORMATS = {
    "txt": Format(
        formats.read_text,
        formats.TextWriter,
        (".txt", ".md", ".log", ".srt", ".vtt"),
        is_text=True,
    ),
    "jsonl": Format(formats.read_jsonl, formats.JsonlWriter, (".jsonl", ".ndjson"), True),
    "csv": Format(tables.read_csv, tables.CsvWriter, (".csv",), True, is_text=True),
    "tsv": Format(
        partial(tables.read_csv, delimiter="\t"),
        partial(tables.CsvWriter, delimiter="\t"),
        (".tsv",),
        True,
        is_text=True,
    ),
    "xlsx": Format(tables.read_xlsx, tables.XlsxWriter, (".xlsx",), True),
    "parquet": Format(parquet.read_parquet, parquet.ParquetWriter, (".parquet",), True),
    "spacy": Format(formats.read_spacy, formats.SpacyWriter, (".spacy",)),
    "docx": _of_pieces("docx", _parse_docx, ".docx"),
    "html": _of_pieces("html", _parse_html, ".html", ".htm"),
    "eml": Format(_read_eml, pieces.PiecesWriter, (".eml",), has_markup=True),
}
RECEIPTS = (".json", ".html")  # in full, and as a page to sign
FORMAT_OF_ENDING = {ending: name for name, form in FORMATS.items() for ending in form.endings}
WITH_FIELDS = {name for name, form in FORMATS.items() if form.has_fields}
COMPRESSED = (
    "compressed files are not read or written: `gunzip -c FILE.gz | dx sanitize - --format jsonl`."
)
ARRAY = "JSON arrays are not read: make a line of each item with `jq -c '.[]' FILE > FILE.jsonl`."
OBJECT = "JSON over several lines is not read: make a line of it with `jq -c . FILE > FILE.jsonl`."
HEAD = 4096  # bytes of a .json file that show what it holds


def read(
    handle: IO[bytes],
    kind: str,
    files: FileOptions,
    on_header: OnHeader = lambda header: None,
    on_encoding: Callable[[str], object] = lambda encoding: None,
) -> Iterator[Input]:
    """Yield the records of a binary file in the format `kind`, a key of FORMATS.

    A record that cannot be read is yielded as Failed. on_encoding: called with an encoding that is
    not UTF-8. Raise UsageError if the file cannot be read.
    """
    if FORMATS[kind].is_text:
        handle, encoding = as_utf8(handle, files.encoding)
        if encoding != UTF8:
            on_encoding(encoding)
    return FORMATS[kind].read(handle, files, on_header)


def check_first_record(records: Iterable[Input]) -> Iterator[Input]:
    """Yield the records. Raise UsageError if the first has a wrong field name or encoding."""
    for i, record in enumerate(records):
        if i == 0 and isinstance(record, Failed) and record.hint:
            raise UsageError(f"record {record.number}: {record.why.rstrip('.')}; {record.hint}")
        yield record


def guess_format(head: bytes, files: FileOptions) -> str:
    """Guess the format of stdin from its first bytes.

    Input that is neither JSON lines nor a table whose first row names the fields is read as text,
    so at worst a whole table is sanitised. Raise UsageError for other JSON and for binary data.
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
    text: str | None = field(default=None, repr=False)  # replaces stdin

    @property
    def name(self) -> str:
        """The name of the input in messages and progress bars."""
        return "stdin" if self.source is None else str(self.source)

    @property
    def size(self) -> int:
        """Size of the input in bytes; 0 if the file has gone, since reading it raises later."""
        with suppress(OSError):
            return 0 if self.source is None else self.source.stat().st_size
        return 0


@contextmanager
def open_input(job: Job) -> Iterator[IO[bytes]]:
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
    """Return the jobs for a file, a folder, stdin or a text.

    Args:
        source: Path of the input, or "-" for stdin.
        target: Path of the output; None or "-" for stdout.
        files: The format of the input, if its name does not show it. That of stdin is guessed.
        text: A text that replaces the input; it is written to stdout.
        force: Whether to overwrite existing outputs.

    Raises:
        UsageError: If there is no input, or two; if an input is missing or in an unknown format;
            if an output exists, is an input, or stands behind a symbolic link in its folder.
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
        jobs, root = [_plan_file(path, out, files)], None
    elif out is None:
        raise UsageError("the input is a folder: name a folder for the output.")
    else:
        root = out
        jobs = [_plan_file(p, out / p.relative_to(path), files) for p in files_in(path, out)]
    sources = {job.source.resolve() for job in jobs if job.source is not None}
    for output in (job.target for job in jobs if job.target is not None):
        if output.resolve() in sources:
            raise UsageError(f"{output}: the output is the input.")
        check_new(output, force=force, root=root)
    return jobs


def files_in(folder: Path, target: Path | None) -> list[Path]:
    """Return the files of a folder in known formats. Names that begin with a dot, `_` or `~`,
    and links that lead out of the folder, are left out.

    target: the output folder. Raise UsageError if there are no files, or if the target is a file or
    lies in the folder.
    """
    if target is not None and target.exists() and not target.is_dir():
        raise UsageError(f"{target}: is a file, but the output needs a folder.")
    if target is not None and target.resolve().is_relative_to(folder.resolve()):
        raise UsageError("the output folder must not be the input folder or inside it.")
    paths = [
        path
        for path in sorted(folder.rglob("*"))
        if not any(part[0] in "._~" for part in path.relative_to(folder).parts)
        and path.suffix.lower() in FORMAT_OF_ENDING
        and path.is_file()
        and path.resolve().is_relative_to(folder.resolve())
    ]
    if not paths:
        raise UsageError(f"{folder}: holds no file that ends in {', '.join(FORMAT_OF_ENDING)}.")
    return paths


def _plan_file(source: Path | None, target: Path | None, files: FileOptions) -> Job:
    if target is not None and target.is_dir():
        raise UsageError(f"{target}: is a folder, but the input is a single file.")
    read_as = files.format or ("" if source is None else _format_of(source, "INPUT"))
    write_as = "" if target is None else _format_of(target, "OUTPUT")
    read_as = read_as or _guess_stdin(files)
    write_as = write_as or ("jsonl" if read_as == "spacy" else read_as)
    if FORMATS[write_as].has_markup and write_as != read_as:
        raise UsageError(f"a .{write_as} file is written from a .{write_as} file alone.")
    if write_as == "txt" and read_as != "txt" and not FORMATS[read_as].has_markup:
        raise UsageError("a .txt file holds one document: name a .jsonl file for the output.")
    return Job(source, target, read_as, write_as)


def _guess_stdin(files: FileOptions) -> str:
    stdin: Any = sys.stdin.buffer
    head = stdin.getvalue() if isinstance(stdin, io.BytesIO) else stdin.peek()  # a test, a stream
    try:
        return guess_format(head, files)
    except UsageError as error:
        raise UsageError(f"stdin: {error}") from None


def _why_no_lines(path: Path) -> str:
    """Return why a .json file is not read, with a command that works for its first sign."""
    with suppress(OSError), path.open("rb") as file:
        return OBJECT if decode(file.read(HEAD)).lstrip("\ufeff \t\r\n")[:1] == "{" else ARRAY
    return ARRAY


def _format_of(path: Path, role: str) -> str:
    ending = path.suffix.lower()
    if ending in FORMAT_OF_ENDING:
        return FORMAT_OF_ENDING[ending]
    if ending in (".json", ".gz"):
        raise UsageError(f"{path}: {_why_no_lines(path) if ending == '.json' else COMPRESSED}")
    stdin = ", or be - for stdin; else set `format`" if role == "INPUT" else ""
    raise UsageError(
        f"{path}: {role} must be a folder or end in {', '.join(FORMAT_OF_ENDING)}{stdin}."
    )


# -- checks ----------------------------------------------------------------------------------------


def check_fields(files: FileOptions, jobs: list[Job]) -> None:
    """Raise UsageError if `field` is empty, or if fields are set and no format has fields."""
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
    if files.encoding and not any(kind == "eml" or FORMATS[kind].is_text for kind in inputs):
        raise UsageError("`encoding` is for .txt, .csv, .tsv and .eml files.")


def check_receipt(path: Path, jobs: list[Job], *, force: bool = False) -> None:
    """Raise UsageError if the receipt cannot be a new file, is an input or output of a job, or has
    the ending of no form of receipts."""
    if path.suffix.lower() not in RECEIPTS:
        raise UsageError(f"{path}: a receipt is a .json file, or a page to sign, .html.")
    check_new(path, force=force)
    taken = [p.resolve() for job in jobs for p in (job.source, job.target) if p is not None]
    if path.resolve() in taken:
        raise UsageError(f"{path}: the receipt cannot go where the input or the output is.")
