"""What is read and what is written: checked before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError
from ..files.atomic import check_new
from .records import Fields

KINDS = {".txt": "txt", ".jsonl": "jsonl", ".csv": "csv", ".spacy": "spacy"}
KNOWN = ", ".join(KINDS)


@dataclass(frozen=True)
class Job:
    """One file to read and one to write; None stands for stdin and stdout.

    read_as and write_as: "txt", "lines", "jsonl", "csv" or "spacy".
    """

    source: Path | None
    target: Path | None
    read_as: str
    write_as: str

    @property
    def name(self) -> str:
        """What progress and messages call it."""
        return "stdin" if self.source is None else str(self.source)

    @property
    def size(self) -> int:
        """Bytes to read; 0 where that is not known."""
        return 0 if self.source is None else self.source.stat().st_size


def plan_jobs(
    source: str, target: str | None, *, lines: bool = False, force: bool = False
) -> list[Job]:
    """The jobs for a file, a folder or "-".

    Raises UsageError where an input is missing or of another kind, where an output exists and
    `force` is not set, or where it is the input.
    """
    out = None if target in (None, "-") else Path(str(target))
    path = None if source == "-" else Path(source)
    if path is not None and not path.exists():
        raise UsageError(f"{path}: no such file or folder.")
    if path is not None and path.is_dir():
        jobs = _plan_folder(path, out, lines)
    else:
        jobs = [_plan_file(path, out, lines)]
    _check_targets(jobs, force)
    return jobs


def check_kept(jobs: list[Job], fields: Fields) -> None:
    """Raises UsageError where fields are to be kept, or one names users, and no job has any."""
    with_fields = {"jsonl", "csv"}
    if fields.keep and not any({job.read_as, job.write_as} <= with_fields for job in jobs):
        raise UsageError("`keep` needs .jsonl or .csv, as input and as output.")
    if fields.user is not None and any(job.read_as not in with_fields for job in jobs):
        raise UsageError("a field of users needs .jsonl or .csv as input.")


def check_receipt(path: Path | None, jobs: list[Job], *, force: bool = False) -> None:
    """Raises UsageError where the receipt cannot be a new file, or goes where a job does."""
    if path is None:
        return
    check_new(path, force=force)
    taken = [p.resolve() for job in jobs for p in (job.source, job.target) if p is not None]
    if path.resolve() in taken:
        raise UsageError(f"{path}: the receipt cannot go where the input or the output is.")


def _plan_file(source: Path | None, target: Path | None, lines: bool) -> Job:
    read_as = "txt" if source is None else _kind(source, "INPUT")
    read_as = "lines" if read_as == "txt" and lines else read_as
    if target is None:
        return Job(source, None, read_as, "lines" if read_as == "spacy" else read_as)
    if target.is_dir():
        raise UsageError(f"{target}: is a folder, but the input is a single file.")
    write_as = _kind(target, "OUTPUT")
    if write_as == "txt" and read_as != "txt":
        write_as = "lines"
    return Job(source, target, read_as, write_as)


def _plan_folder(folder: Path, target: Path | None, lines: bool) -> list[Job]:
    if target is None:
        raise UsageError("the input is a folder: name a folder for the output.")
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target}: is a file, but the input is a folder.")
    inner, outer = target.resolve(), folder.resolve()
    if inner == outer or outer in inner.parents:
        raise UsageError("the output folder must not be the input folder or inside it.")
    jobs = [
        _plan_file(path, target / path.relative_to(folder), lines)
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in KINDS and path.is_file() and not _hidden(path, folder)
    ]
    if not jobs:
        raise UsageError(f"{folder}: holds no file that ends in {KNOWN}.")
    return jobs


def _kind(path: Path, role: str) -> str:
    if path.suffix.lower() not in KINDS:
        more = ", or - for stdin" if role == "INPUT" else ""
        raise UsageError(f"{path}: {role} must be a folder or end in {KNOWN}{more}.")
    return KINDS[path.suffix.lower()]


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
