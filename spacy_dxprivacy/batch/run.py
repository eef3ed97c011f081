"""Files of text in, files of sanitised text out: what `dx sanitize` does, as a Python function."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import IO, Any

from spacy.language import Language

from ..config import FileConfig, RunConfig, SanitizeConfig
from ..errors import DxError, UsageError
from ..files.atomic import Output
from ..files.keys import read_key
from ..pipeline.receipt import sign
from .build import the_sanitizer
from .formats import FORMATS, WITH_FIELDS, read
from .jobs import Job, opened, opened_first
from .record import Look, Record, shown
from .source import Packing
from .stream import Outcome, Sanitized, outcomes
from .tally import Tally
from .writing import Writer, names_of_entry

OnFailure = Callable[[Job, int, str], None]
OnProgress = Callable[[int], Any]


@dataclass(frozen=True)
class Reports:
    """Whom a run tells of failures and progress; see sanitize."""

    on_failure: OnFailure
    on_progress: OnProgress


def _ignore(*_: object) -> None:
    pass


def sanitize(
    nlp: Language,
    jobs: list[Job],
    chosen: SanitizeConfig | None = None,
    *,
    on_failure: OnFailure | None = None,
    on_progress: OnProgress | None = None,
) -> Tally:
    """Sanitise files, and return the sum of the receipts.

    Args:
        nlp: A pipeline with a sanitizer, see make_pipeline.
        jobs: See plan_jobs.
        chosen: How files are read and written: its settings `files` and `run`.
        on_failure: Called with a job, the number of a record (0 for the whole file), the reason.
        on_progress: Called with numbers of bytes, as they are done.

    Raises:
        UsageError: The pipeline does not sanitise, it is seeded and should run in several
            processes, or the only file cannot be read.
        OSError: An output cannot be written, and then it is not there.
    """
    chosen = chosen or SanitizeConfig()
    reports = Reports(on_failure or _ignore, on_progress or _ignore)
    key = None if chosen.run.sign is None else read_key(chosen.run.sign)
    tally = Tally(the_sanitizer(nlp).terms)
    seen = Seen(chosen.files)
    if chosen.run.processes > 1 and tally.terms.seeded:
        raise UsageError("a seeded sanitizer runs in one process alone: leave `n_process` out.")
    start = time.perf_counter()
    for job in jobs:
        run = _Run(job, tally, seen, reports)
        tally.failed.append(run.failed)
        try:
            run.sanitize(nlp, chosen, key)
        except UsageError as error:
            if len(jobs) == 1:
                raise
            run.fail(0, str(error))
    tally.seconds = time.perf_counter() - start
    names = ["the names of the files"] if len(jobs) > 1 else []
    tally.in_clear += [*seen.in_clear(), *names]
    return tally


@dataclass
class _Run:
    """One file."""

    job: Job
    tally: Tally
    seen: Seen
    reports: Reports

    def __post_init__(self) -> None:
        self.failed: list[int] = []

    def fail(self, number: int, why: str) -> None:
        self.failed.append(number)
        self.reports.on_failure(self.job, number, why)

    def sanitize(self, nlp: Language, chosen: SanitizeConfig, key: bytes | None) -> None:
        tally, before = self.tally, self.tally.documents
        with ExitStack() as stack:
            # spaCy and others quote tokens in some of their warnings.
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            self.job, files = opened_first(self.job, chosen.files)
            handle = stack.enter_context(opened(self.job))
            output = stack.enter_context(Output(self.job.target, force=chosen.run.force))
            sink = Sink(self.job, output.handle, files, self.seen)
            records = first_checked(read(handle, self.job.read_as, files, sink.begin))
            with_docs = sink.writer.needs_docs
            pairs = outcomes_of(nlp, records, chosen.run, handle.ready, with_docs=with_docs)
            for record, found in gathered(stack.enter_context(closing(pairs)), sink.writer.by_row):
                results = [] if isinstance(found, str) else found
                for result in results:
                    if key is not None and result.doc is not None:
                        sign(result.doc, key)
                why = found if isinstance(found, str) else sink.write(record, found)
                if why:
                    self.fail(record.number, why)
                    results = []
                for result in results:
                    tally.add(result.receipt)
                self.reports.on_progress(record.size)
            if self.failed and tally.documents == before:
                output.discard()
            else:
                sink.finish()
                tally.written += [] if self.job.target is None else [self.job.target]


def outcomes_of(
    nlp: Language,
    records: Iterable[Record],
    run: RunConfig,
    ready: Callable[[], bool] | None = None,
    *,
    with_docs: bool = False,
) -> Generator[Outcome, None, None]:
    """Return each record with what came of it, by as many processes as `run` has; see
    stream.outcomes."""
    size = run.batch_size
    if run.processes == 1:
        return outcomes(nlp, records, batch_size=size, ready=ready, with_docs=with_docs)
    from .workers import outcomes_of_workers

    return outcomes_of_workers(
        nlp, records, batch_size=size, n_process=run.processes, with_docs=with_docs
    )


class Sink:
    """Where the records of a job go: a writer, and the file that it writes, compressed or not."""

    def __init__(self, job: Job, handle: IO[bytes], files: FileConfig, seen: Seen) -> None:
        self.packing = Packing(handle) if job.pack else None
        self.flushed = handle if job.target is None and not job.pack else None
        if job.read_as in ("csv", "tsv") and job.read_as != job.write_as:
            files = replace(files, delimiter=None)  # it is that of the input
        out: Any = self.packing or handle
        self.writer: Writer = FORMATS[job.write_as].write(out, files)
        self.seen = seen if {job.read_as, job.write_as} <= WITH_FIELDS else None

    def begin(self, names: list[str], look: Look) -> None:
        """The writer hears what the input looks like."""
        self.writer.begin(names, look)
        if self.seen is not None:
            self.seen.add(names)

    def write(self, record: Record, results: list[Sanitized]) -> str:
        """Writes a record; the reason where its format cannot hold it. Who reads stdout sees it at
        once."""
        try:
            self.writer.write(record, *results)
        except UsageError:
            raise
        except DxError as error:
            return str(error)
        if self.seen is not None and self.seen.files.keep_fields is None:
            self.seen.add(names_of_entry(record))
        if self.flushed is not None:
            self.flushed.flush()
        return ""

    def finish(self) -> None:
        """Writes what comes at the end."""
        self.writer.finish()
        if self.packing is not None:
            self.packing.finish()


class Seen:
    """Which fields were written unmodified."""

    def __init__(self, files: FileConfig) -> None:
        self.files = files
        self.names: dict[str, None] = {}

    def add(self, names: list[str]) -> None:
        """Count the fields of a record, or of a table."""
        if self.files.keep_fields is None and not self.names.keys() >= set(names):
            self.names.update(dict.fromkeys(names))

    def in_clear(self) -> list[str]:
        """Return what a receipt says of them."""
        keep = self.files.keep_fields
        if keep is not None:
            return [f"the fields {', '.join(keep)}"] if keep else []
        numbers = dict(enumerate(self.names, 1))
        named = {numbers.get(int(t), t) if t.isdecimal() else t for t in self.files.field}
        others = [name for name in self.names if name not in named]
        return [f"the fields {shown(others)}"] if others else []


def first_checked(records: Iterator[Record]) -> Iterator[Record]:
    """The records. Raises UsageError where the first one shows that all are read in a wrong way:
    as another field, or another encoding."""
    for i, record in enumerate(records):
        if i == 0 and record.problem and record.hint:
            why = record.problem.rstrip(".")
            raise UsageError(f"record {record.number}: {why}; {record.hint}")
        yield record


def check_first(job: Job, files: FileConfig) -> None:
    """Raises UsageError where the beginning of a file shows that it is read in a wrong way. What
    comes from stdin is looked at when it is read."""
    if job.source is not None and job.source.is_file():
        with opened(job) as handle:
            next(first_checked(read(handle, job.read_as, files)), None)


def gathered(
    pairs: Iterable[Outcome], by_row: bool
) -> Iterator[tuple[Record, list[Sanitized] | str]]:
    """Rows with what came of their texts, or with the reason why one of them failed. by_row: False
    for each text on its own."""
    some: list[Sanitized] = []
    why = ""
    for record, outcome in pairs:
        if not by_row or record.problem or record.parts == 1:
            yield record, outcome if isinstance(outcome, str) else [outcome]
            continue
        if isinstance(outcome, str):
            why = why or outcome
        else:
            some.append(replace(outcome, doc=None))
        if record.part == record.parts - 1:
            yield record, why or some
            some, why = [], ""
