"""What is read and what is written: checked before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from ..config import FileConfig
from ..errors import UsageError
from ..files.atomic import check_new
from .fields import Fields
from .guess import FORMATS, guess
from .source import Source, check_encoding, ending, pack_of, source_of_stdin, source_of_text

KINDS = {
    ".txt": "txt", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv",
    ".tsv": "tsv", ".xlsx": "xlsx", ".spacy": "spacy",
}  # fmt: skip
KNOWN = ", ".join(KINDS)
TABLES = {"csv", "tsv", "xlsx"}
WITH_FIELDS = {"jsonl", "json", *TABLES}
BINARY = {"xlsx", "spacy"}


@dataclass(frozen=True)
class Job:
    """One file to read and one to write; None stands for stdin and stdout.

    read_as and write_as: "txt", "lines", "jsonl", "json", "csv", "tsv", "xlsx" or "spacy".
    encoding: of a text; None for UTF-8, or what the mark at its beginning says. pack: "gz" or
    "zst", what is written is packed so; "" for not at all. stream: what stands for the source,
    where some of it has been looked at.
    """

    source: Path | None
    target: Path | None
    read_as: str
    write_as: str
    encoding: str | None = None
    pack: str = ""
    stream: Source | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """What progress and messages call it."""
        return "stdin" if self.source is None else str(self.source)

    @property
    def size(self) -> int:
        """Bytes to read; 0 where that is not known."""
        return 0 if self.source is None else size_of(self.source)


def size_of(path: Path) -> int:
    """Bytes of a file; 0 where it has gone: it is told at its turn, and the others are read."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


@dataclass(frozen=True)
class Form:
    """What is said of formats, and not by names of files. read_as, write_as: as of a Job, "" for
    what the name says; write_as may end in .gz or .zst. encoding: of the input."""

    read_as: str = ""
    write_as: str = ""
    encoding: str | None = None
    pack: str = ""

    @classmethod
    def of(cls, read_as: str | None, write_as: str | None, encoding: str | None) -> Form:
        """From the words of a user: "csv", "jsonl.gz". Raises UsageError for what there is not."""
        check_encoding(encoding)
        reading, _ = _format("format", read_as)
        writing, pack = _format("output_format", write_as)
        return cls(reading, writing, encoding, pack)


LINES = Form(read_as="lines")


def form_of(files: FileConfig) -> Form:
    """Return what settings say of formats. Raises UsageError for what there is not."""
    return Form.of(files.format, files.output_format, files.encoding)


def _format(option: str, given: str | None) -> tuple[str, str]:
    name, _, pack = (given or "").lower().lstrip(".").partition(".")
    name = {"ndjson": "jsonl", "text": "txt"}.get(name, name)
    if (given and name not in FORMATS) or pack not in ("", "gz", "zst"):
        raise UsageError(f"`{option}` must be one of {', '.join(FORMATS)}, got {given!r}.")
    return name, pack


def plan_jobs(
    source: str,
    target: str | None,
    *,
    lines: bool = False,
    force: bool = False,
    form: Form | None = None,
) -> list[Job]:
    """The jobs for a file, a folder or "-".

    Raises UsageError where an input is missing or of another kind, where an output exists and
    `force` is not set, or where it is the input.
    """
    form = form or (LINES if lines else Form())
    out = None if target in (None, "-") else Path(str(target))
    path = None if source == "-" else Path(source)
    if path is not None and not path.exists():
        raise UsageError(f"{path}: no such file or folder.")
    if path is not None and path.is_dir():
        jobs = _plan_folder(path, out, form)
    else:
        jobs = [_plan_file(path, out, form)]
    _check_targets(jobs, force)
    return jobs


def check_kept(jobs: list[Job], fields: Fields) -> None:
    """Raises UsageError where fields are to be kept, or one names users, and no job has any."""
    pairs = [{job.read_as, job.write_as} for job in jobs]
    if fields.keep and not any(pair <= WITH_FIELDS for pair in pairs):
        raise UsageError(
            "`keep` needs .jsonl or .csv, as input and as output, or another format with fields."
        )
    if fields.receipt and not any(job.write_as in WITH_FIELDS for job in jobs):
        raise UsageError("`receipt_field` needs an output with fields, such as .jsonl or .csv.")
    if fields.user is not None and any(job.read_as not in WITH_FIELDS for job in jobs):
        raise UsageError("`person_field` needs an input with fields, such as .jsonl or .csv.")
    if fields.more and not any(job.read_as in WITH_FIELDS for job in jobs):
        raise UsageError("`field` needs an input with fields, such as .jsonl or .csv.")


def check_receipt(path: Path | None, jobs: list[Job], *, force: bool = False) -> None:
    """Raises UsageError where the receipt cannot be a new file, or goes where a job does."""
    if path is None:
        return
    check_new(path, force=force)
    taken = [p.resolve() for job in jobs for p in (job.source, job.target) if p is not None]
    if path.resolve() in taken:
        raise UsageError(f"{path}: the receipt cannot go where the input or the output is.")


def _plan_file(source: Path | None, target: Path | None, form: Form) -> Job:
    lines = form == LINES  # a way to read text: files whose name says something else are that
    read_as = "" if source is None else _kind(source, "INPUT")
    read_as = form.read_as if form.read_as and not (lines and read_as) else read_as
    read_as = "lines" if read_as in ("", "txt") and lines else read_as
    job = Job(source, target, read_as, form.write_as, form.encoding, form.pack)
    if target is not None:
        if target.is_dir():
            raise UsageError(f"{target}: is a folder, but the input is a single file.")
        pack = form.pack or pack_of(target)
        job = replace(job, write_as=form.write_as or _kind(target, "OUTPUT"), pack=pack)
    return _settled(job) if read_as else job


def _settled(job: Job) -> Job:
    """The job, what it writes known by what it reads."""
    like_input = "lines" if job.read_as == "spacy" else job.read_as
    write_as = job.write_as or like_input
    if write_as == "txt" and job.read_as != "txt":
        write_as = "lines"
    return replace(job, write_as=write_as)


def opened_first(job: Job, fields: Fields) -> tuple[Job, Fields]:
    """A job that reads stdin, with its format guessed from the first bytes where it is not named;
    other jobs as they are. And the fields, with the delimiter that was found. Raises UsageError
    where the format is unclear, or is a text and fields were named."""
    if job.source is not None or job.stream is not None or job.read_as:
        return job, fields
    stream = source_of_stdin(job.encoding)
    try:
        kind, delimiter = guess(stream, fields)
    except UsageError as error:
        raise UsageError(f"stdin: {error}") from None
    job = _settled(replace(job, read_as=kind, stream=stream))
    return job, replace(fields, delimiter=fields.delimiter or delimiter)


def text_job(text: str) -> Job:
    """A text on its own, whose sanitised version goes to stdout."""
    return Job(None, None, "txt", "txt", stream=source_of_text(f"{text}\n"))


def _plan_folder(folder: Path, target: Path | None, form: Form) -> list[Job]:
    if target is None:
        raise UsageError("the input is a folder: name a folder for the output.")
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target}: is a file, but the input is a folder.")
    inner, outer = target.resolve(), folder.resolve()
    if inner == outer or outer in inner.parents:
        raise UsageError("the output folder must not be the input folder or inside it.")
    jobs = [
        _plan_file(path, target / path.relative_to(folder), form)
        for path in sorted(folder.rglob("*"))
        if ending(path) in KINDS and path.is_file() and not _hidden(path, folder)
    ]
    if not jobs:
        raise UsageError(f"{folder}: holds no file that ends in {KNOWN}.")
    return jobs


def _kind(path: Path, role: str) -> str:
    if ending(path) not in KINDS:
        more = ", or - for stdin" if role == "INPUT" else ""
        option = "format" if role == "INPUT" else "output_format"
        raise UsageError(
            f"{path}: {role} must be a folder or end in {KNOWN} (.gz, .zst){more}; or `{option}` "
            "says what it is."
        )
    return KINDS[ending(path)]


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _check_targets(jobs: list[Job], force: bool) -> None:
    # By inode: a link is another name of the same file.
    sources = {_identity(job.source) for job in jobs if job.source is not None}
    for target in (job.target for job in jobs if job.target is not None):
        if target.exists() and _identity(target) in sources:
            raise UsageError(f"{target}: the output is the input.")
        check_new(target, force=force)


def _identity(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_dev, about.st_ino
