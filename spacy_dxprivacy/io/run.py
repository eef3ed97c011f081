"""Sanitise files: the Python function behind `dx sanitize`.

The language of a file is detected from its first records. A language that is not covered raises.
A run on a folder can be resumed: files that an earlier run finished are counted, not sampled again.
Until a run has finished every file, the folder OUT.parts (mode 700) stands beside the output OUT.
It holds a part for each finished file: the sums of its receipts, the losses of its persons, and the
hidden name of its output. The part is on disk before the output is renamed, so a run can be killed
at any time. Without a part, nothing of a file was released. With a part, the next run renames the
output and counts it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..config.options import FileOptions
from ..errors import DxError, Errors, UsageError
from ..files.atomic import Output, write_bytes
from ..files.limits import has_arrived, read_json
from ..pipeline.count import Count
from ..pipeline.coverage import coverage_of, refusal
from ..pipeline.receipt import largest_person_loss
from ..privacy.loss import Loss
from ..surrogates.replacements import USER
from ..text.language import COVERED, LANGUAGE, MAX_CHARACTERS, NAMES, base_language, language_of
from .account import Account, Tally, charge_person
from .build import get_sanitizer
from .formats import Row, Writer, format_names
from .jobs import FORMATS, WITH_FIELDS, Job, check_first_record, open_input, read
from .pieces import Pieces
from .records import Failed, Input, Released
from .results import results

MARKUP = "markup: elements and formatting"
OnFailure = Callable[[Job, int, str], Any]  # job, number of the record (0: the file), reason


@dataclass
class Run:
    """The settings of a run, and the accounts that its files share."""

    nlp: Language
    files: FileOptions
    persons: Account
    n_process: int
    language: str | None
    force: bool
    on_failure: OnFailure
    on_progress: Callable[[int], Any]
    folder: Path | None = None
    parts: FinishedFiles | None = None


def sanitize(
    nlp: Language,
    jobs: list[Job],
    files: FileOptions | None = None,
    *,
    folder: Path | None = None,
    n_process: int = 1,
    language: str | None = None,
    force: bool = False,
    on_failure: OnFailure = lambda job, number, why: None,
    on_progress: Callable[[int], Any] = lambda size: None,
) -> Tally:
    """Sanitise files, and return the sum of their receipts.

    Args:
        nlp: A pipeline with a sanitizer, see make_pipeline.
        jobs: The files to read and write, see plan_jobs.
        files: How files are read and written.
        folder: The output folder. A run that was killed there is resumed.
        n_process: Number of worker processes.
        language: Language of the texts. None detects it, and raises if it is not covered.
        force: Whether to overwrite existing outputs.
        on_failure: Called for each record or file that fails.
        on_progress: Called with the number of bytes of each record, once it is done.

    Raises:
        UsageError: If the pipeline has no sanitizer, if it is seeded and n_process is above 1, or
            if the only file cannot be read.
        DxError: If another run writes to the folder, or was killed there with other settings.
        OSError: If an output cannot be written. No partial output is left.
    """
    files, sanitizer = files or FileOptions(), get_sanitizer(nlp)
    tally = Tally(sanitizer.terms)
    persons = Account(limit=sanitizer.settings.max_epsilon_per_person)
    if n_process > 1 and tally.terms.seeded:
        raise UsageError("a seeded sanitizer needs a single process: leave `n_process` out.")
    fields = dict[str, None]()
    run = Run(nlp, files, persons, n_process, language, force, on_failure, on_progress, folder)
    with ExitStack() as stack:
        parts = None if folder is None else stack.enter_context(FinishedFiles(folder, nlp, files))
        run.parts = parts
        for part in parts.parts.values() if parts is not None else ():
            for person, loss in part["persons"].items():
                persons.charge(person, Loss.from_dict(loss), capped=True)
        for job in jobs:
            output = FileRun(run, job, Tally(sanitizer.terms))
            try:
                sums = (parts and parts.find_part(job)) or output.sanitize()
            except UsageError as error:
                if len(jobs) == 1:
                    raise
                tally.count += Count(failed=((*output.failed, 0),))
                on_failure(job, 0, str(error))
                continue
            tally.count += Count.from_dict(sums["count"])
            tally.loss += Loss.from_dict(sums["loss"])
            fields.update(dict.fromkeys(sums["fields"]))
        if parts is not None:
            parts.complete = not any(0 in numbers for numbers in tally.count.failed)
    if files.person_field is not None:
        losses = [loss for loss, _ in persons.items().values()]
        largest = reduce(Loss.cover, losses, Loss())
        tally.by_person = {"persons": len(losses), "largest": largest.to_dict()}
    tally.in_clear += [f"the fields {format_names(list(fields))}"] if fields else []
    tally.in_clear += ["the names of the files"] if len(jobs) > 1 else []
    tally.in_clear += [MARKUP] if any(FORMATS[job.write_as].has_markup for job in jobs) else []
    return tally


@dataclass
class FileRun:
    """One file of a run, with its tally.

    fields: names of fields written unmodified. failed: numbers of failed records. charged: losses
    by person.
    """

    run: Run
    job: Job
    tally: Tally
    fields: dict[str, None] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)
    charged: dict[str, Loss] = field(default_factory=dict)

    def sanitize(self) -> dict[str, Any]:
        """Sanitise the file, and return its sums, see to_dict."""
        run, job = self.run, self.job
        with ExitStack() as stack:
            # Some warnings of spaCy and other packages quote tokens.
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            source = stack.enter_context(open_input(job))
            ready = partial(has_arrived, source)
            output = stack.enter_context(Output(job.target, force=run.force, root=run.folder))
            if run.parts is not None:
                write_part = run.parts.write_part
                output.on_complete = lambda hidden: write_part(job, hidden, self.to_dict())
            writer = FORMATS[job.write_as].write(output.handle, run.files)
            records = check_first_record(read(source, job.read_as, run.files, writer.begin))
            drawn = results(
                run.nlp,
                with_language(run.nlp, records, run.language, ready),
                n_process=run.n_process,
                ready=ready,
                with_docs=writer.needs_docs,
            )
            stack.enter_context(closing(drawn))
            for result in drawn:
                record = result if isinstance(result, Failed) else result.record
                why = result.why if isinstance(result, Failed) else self._write(writer, result)
                if why:
                    self.failed.append(record.number)
                    run.on_failure(job, record.number, why)
                elif job.target is None:
                    output.handle.flush()
                run.on_progress(record.size)
            if self.failed and not self.tally.count.documents:
                output.discard()
            else:
                writer.finish()
        return self.to_dict()

    def _write(self, writer: Writer, released: Released) -> str:
        """Charge the person of a record, write the record, and count it. Return why not, or ""."""
        origin = released.record.origin
        if why := self._charge(released):
            return why
        try:
            writer.write(released)
        except UsageError:
            raise
        except DxError as error:
            return str(error)
        for receipt in released.receipts:
            self.tally.add(receipt)
        if isinstance(origin, Pieces):
            self.tally.count += Count(dropped=+origin.dropped)
        if isinstance(origin, Row) and self.job.write_as in WITH_FIELDS:
            self.fields.update(dict.fromkeys(origin.unmodified()))
        return ""

    def _charge(self, released: Released) -> str:
        """Charge the person of a record. Return why the limit forbids it, or ""."""
        person = released.record.data.get(USER)
        if not person:
            return ""
        key = self.run.parts.hash_person(person) if self.run.parts is not None else person
        if why := charge_person(self.run.persons, key, released.receipts):
            return why
        self.charged[key] = self.charged.get(key, Loss()) + largest_person_loss(released.receipts)
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return the sums of the file, for JSON: counts, losses, fields, and losses by person."""
        count = replace(self.tally.count, failed=(tuple(self.failed),))
        return {
            "count": count.to_dict(),
            "loss": self.tally.loss.to_dict(),
            "fields": list(self.fields),
            "persons": {key: self.charged[key].to_dict() for key in sorted(self.charged)},
        }


# -- languages -------------------------------------------------------------------------------------

SAMPLE = 64  # number of records from which the language of a file is detected


def with_language(
    nlp: Language,
    records: Iterable[Input],
    language: str | None = None,
    ready: Callable[[], bool] | None = None,
) -> Iterator[Input]:
    """Detect the language from the first records, and return all records with it in their data.

    language: if given, it is not checked. ready: returns whether the next record can be read
    without waiting. Raises UsageError if the pipeline cannot sanitise text of this language.
    """
    remaining, first, texts, size = iter(records), list[Input](), list[str](), 0
    for record in remaining:
        first.append(record)
        texts += [] if isinstance(record, Failed) else map(str, record.texts)
        size = sum(map(len, texts))
        if len(first) == SAMPLE or size > MAX_CHARACTERS or (ready is not None and not ready()):
            break
    if language is None:
        sample = "\n".join(text[:MAX_CHARACTERS] for text in texts)
        language = language_of(sample)
        _check_language(nlp, sample, language)
    records = chain(first, remaining)
    if language == base_language(nlp.vocab.lang) or language not in COVERED:
        return iter(records)
    return (
        record
        if isinstance(record, Failed)
        else replace(record, data={**record.data, LANGUAGE: language})
        for record in records
    )


def _check_language(nlp: Language, text: str, language: str) -> None:
    """Raise UsageError if the pipeline cannot sanitise text of this language."""
    sanitizer = get_sanitizer(nlp)
    settings = sanitizer.settings
    if language in ("", "en"):
        return
    coverage = coverage_of(settings, nlp, sanitizer, sanitizer.space)
    if coverage.languages is not None and language not in coverage.languages:
        if settings.unknown_language == "refuse":
            raise UsageError(str(refusal(text, [(0, len(text))], coverage)))
        return
    scopes = (getattr(drawn, "scope", None) for drawn in settings.active_surrogates.values())
    keyed = any(isinstance(getattr(scope, "key", None), str) for scope in scopes)
    if keyed and language in COVERED and language != base_language(nlp.vocab.lang):
        raise UsageError(
            f"the text looks {NAMES[language]}. With a key all surrogates are of one language: set "
            f"`language` to {language}, or to en if it is English."
        )


# -- resuming --------------------------------------------------------------------------------------

RUN_FILE, KEY_BYTES = "run.json", 32
HIDDEN = re.compile(r"\.dx-[0-9a-f]{16}\.tmp")  # see files.atomic.Output


def can_resume(out: Path) -> bool:
    """Return whether the output folder has an unfinished run."""
    return (parts_folder(out) / RUN_FILE).exists()


def parts_folder(out: Path) -> Path:
    """Return the folder that holds the parts of an output folder."""
    return out.resolve().with_name(f"{out.resolve().name}.parts")


class FinishedFiles:
    """Context manager: the finished files of a run on a folder, locked by one process."""

    def __init__(self, out: Path, nlp: Language, files: FileOptions) -> None:
        self._given, self.out, self.folder = out, out.resolve(), parts_folder(out)
        meta = [nlp.meta[name] for name in ("lang", "name", "version")]
        settings = [*meta, nlp.config, asdict(get_sanitizer(nlp).terms), asdict(files)]
        text = json.dumps(settings, default=str, sort_keys=True)
        self._settings = hashlib.sha256(text.encode()).hexdigest()
        self.parts: dict[str, dict[str, Any]] = {}  # by the path of the output in its folder
        self.complete = False  # whether every file is finished

    def __enter__(self) -> FinishedFiles:
        if self.folder.is_symlink():
            raise _bad_part(self.folder, "is a symbolic link.")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_owned(self.folder, others=stat.S_IWGRP | stat.S_IWOTH)
        self.folder.chmod(0o700)  # it may have existed
        for path in self.folder.iterdir():
            _check_owned(path, others=stat.S_IRWXG | stat.S_IRWXO)
        self._lock = os.open(self.folder / "lock", os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            _lock_file(self._lock, self.out)
            self._read()
        except BaseException:
            os.close(self._lock)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)  # before rmtree: Windows does not delete open files
        if self.complete or not self.parts:
            (self.folder / RUN_FILE).unlink(missing_ok=True)  # first: parts without it are stale
            shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self) -> None:
        """Read the parts, rename their hidden outputs, and delete unfinished outputs."""
        begun = self.folder / RUN_FILE
        if not begun.exists():
            for stale in self.folder.glob("*.part"):  # the run was finished, see __exit__
                stale.unlink()
            run = {"settings": self._settings, "key": os.urandom(KEY_BYTES).hex()}
            write_bytes(begun, json.dumps(run).encode(), private=True)
        run = read_json(begun)
        if run["settings"] != self._settings:
            raise DxError(Errors.DX077.format(path=self.out, parts=self.folder))
        self._key = bytes.fromhex(run["key"])
        for path in sorted(self.folder.glob("*.part")):
            part = read_json(path)
            if path.name != _file_name(part["file"]) or not HIDDEN.fullmatch(part["hidden"]):
                raise _bad_part(path, "is damaged.")
            self.parts[part["file"]] = part
        outputs = {part["hidden"]: self.out / name for name, part in self.parts.items()}
        for hidden in self.out.rglob(".dx-*.tmp"):
            target = outputs.get(hidden.name)
            if target is not None and target.parent == hidden.parent:
                os.replace(hidden, target)
            else:
                hidden.unlink()

    def find_part(self, job: Job) -> dict[str, Any] | None:
        """Return the part of a file, or None. Raise UsageError if the source changed since."""
        part = self.parts.get(self._name(job))
        if part is not None and part["source"] != _source_state(job):
            raise UsageError("it changed after it was sanitised and released. Rename it.")
        return part

    def write_part(self, job: Job, hidden: str, sums: Mapping[str, Any]) -> None:
        """Write the part of a file whose output is complete. hidden: the output's hidden name."""
        about = {"file": self._name(job), "hidden": hidden, "source": _source_state(job)}
        part = {**about, **sums}
        path = self.folder / _file_name(part["file"])
        write_bytes(path, json.dumps(part).encode(), private=True)
        self.parts[part["file"]] = part

    def hash_person(self, name: str) -> str:
        """Return the keyed hash that stands for a person in parts."""
        raw = name.encode("utf8", "surrogatepass")
        return hashlib.blake2b(raw, key=self._key, digest_size=16).hexdigest()

    def _name(self, job: Job) -> str:
        return Path(str(job.target)).relative_to(self._given).as_posix()


def _bad_part(path: Path, why: str) -> DxError:
    return DxError(Errors.DX078.format(path=path, why=why))


def _check_owned(path: Path, *, others: int) -> None:
    """Raise DxError for a link, a file of another user, or one with these modes of other users."""
    about = path.lstat()
    if stat.S_ISLNK(about.st_mode):
        raise _bad_part(path, "is a symbolic link.")
    if os.name == "posix" and (about.st_mode & others or about.st_uid != os.geteuid()):
        raise _bad_part(path, "other users could change or read it. Delete it, or its folder.")


def _file_name(name: str) -> str:
    return f"{hashlib.sha256(name.encode('utf8', 'surrogateescape')).hexdigest()[:32]}.part"


def _source_state(job: Job) -> list[int]:
    about = Path(str(job.source)).stat()
    return [about.st_size, about.st_mtime_ns]


def _lock_file(handle: int, out: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise _bad_part(out, "another run is writing to it.") from None
