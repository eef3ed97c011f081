"""Files of text in, files of sanitised text out: what `dx sanitize` does, as a Python function."""

from __future__ import annotations

import multiprocessing
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from typing import IO, Any

from spacy.language import Language

from ..config import SanitizeConfig
from ..errors import DxError, UsageError
from ..files.atomic import Output
from ..rebuild import sign
from .build import the_sanitizer
from .fields import Fields, fields_of, shown
from .jobs import BINARY, WITH_FIELDS, Job, opened_first
from .record import Look, Record
from .records import read
from .source import Packing, Source, pack_of, source_of_file, source_of_stdin
from .stream import Outcome, Sanitized, outcomes
from .tally import Tally
from .writers import WRITERS, Writer, names_of_entry

OnFailure = Callable[[Job, int, str], None]
OnProgress = Callable[[int], Any]


@dataclass(frozen=True)
class FileOptions:
    """How files are read and written. n_process: -1 for one a core. force: overwrite files. sign: a
    key to sign receipts with that go into the output, those of .spacy and of shards."""

    fields: Fields = field(default_factory=Fields)
    batch_size: int = 128
    n_process: int = 1
    force: bool = False
    sign: bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.n_process < 1 and self.n_process != -1:
            raise UsageError(f"`n_process` must be 1 or more, or -1, got {self.n_process}.")

    @property
    def processes(self) -> int:
        """How many processes; -1 stands for one a core."""
        return multiprocessing.cpu_count() if self.n_process == -1 else self.n_process


def file_options(chosen: SanitizeConfig) -> FileOptions:
    """Return how files are read and written. Raises UsageError for fields that do not fit."""
    run = chosen.run
    return FileOptions(fields_of(chosen.files), run.batch_size, run.n_process, force=run.force)


def sanitize(
    nlp: Language,
    jobs: list[Job],
    options: FileOptions | None = None,
    *,
    on_failure: OnFailure | None = None,
    on_progress: OnProgress | None = None,
) -> Tally:
    """Sanitise files, and give the sum of the receipts.

    nlp: a pipeline with a sanitizer, see make_pipeline. jobs: see plan_jobs. on_failure: called
    with a job, the number of a record (0 for the whole file) and the reason. on_progress: called
    with numbers of bytes, as they are done.

    Raises UsageError where the pipeline does not sanitise, where it is seeded and should run in
    several processes, or where the only file cannot be read; OSError where an output cannot be
    written, and then it is not there.
    """
    options = options or FileOptions()
    tally = Tally(the_sanitizer(nlp).terms)
    seen = Seen(options.fields)
    if options.processes > 1 and tally.terms.seeded:
        raise UsageError("a seeded sanitizer runs in one process alone: leave `n_process` out.")
    start = time.perf_counter()
    for job in jobs:
        failures = _Failures(job, on_failure)
        tally.failed.append(failures.numbers)
        try:
            _run(nlp, job, options, tally, failures, on_progress, seen)
        except UsageError as error:
            if len(jobs) == 1:
                raise
            failures.add(0, str(error))
    tally.seconds = time.perf_counter() - start
    names = ["the names of the files"] if len(jobs) > 1 else []
    tally.in_clear += [*seen.in_clear(), *names]
    return tally


class _Failures:
    def __init__(self, job: Job, tell: OnFailure | None) -> None:
        self.job = job
        self.tell = tell
        self.numbers: list[int] = []

    def add(self, number: int, why: str) -> None:
        self.numbers.append(number)
        if self.tell is not None:
            self.tell(self.job, number, why)


def _run(
    nlp: Language,
    job: Job,
    options: FileOptions,
    tally: Tally,
    failures: _Failures,
    on_progress: OnProgress | None,
    seen: Seen,
) -> None:
    before = tally.documents
    with ExitStack() as stack:
        # spaCy and others quote tokens in some of their warnings.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        job, fields = opened_first(job, options.fields)
        handle = stack.enter_context(opened(job))
        output = stack.enter_context(Output(job.target, force=options.force))
        sink = Sink(job, output.handle, fields, seen)
        records = first_checked(read(handle, job.read_as, fields, sink.begin))
        pairs = _outcomes(nlp, records, options, handle, with_docs=sink.writer.needs_docs)
        for record, found in gathered(stack.enter_context(closing(pairs)), sink.writer.by_row):
            results = [] if isinstance(found, str) else found
            _sign(results, options.sign)
            why = found if isinstance(found, str) else sink.write(record, found)
            if why:
                failures.add(record.number, why)
                results = []
            for result in results:
                tally.add(result.receipt)
            if on_progress is not None:
                on_progress(record.size)
        if failures.numbers and tally.documents == before:
            output.discard()
        else:
            sink.finish()
            tally.written += [] if job.target is None else [job.target]


def _sign(results: Sequence[Sanitized], key: bytes | None) -> None:
    for result in results:
        if key is not None and result.doc is not None:
            sign(result.doc, key)


class Sink:
    """Where the records of a job go: a writer, and the file that it writes, packed or not."""

    def __init__(self, job: Job, handle: IO[bytes], fields: Fields, seen: Seen) -> None:
        self.packing = Packing(handle, job.pack) if job.pack else None
        self.flushed = handle if job.target is None and not job.pack else None
        if job.read_as in ("csv", "tsv") and job.read_as != job.write_as:
            fields = replace(fields, delimiter=None)  # it is that of the input
        out: Any = self.packing or handle
        self.writer: Writer = WRITERS[job.write_as](out, fields)
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
        if self.seen is not None and self.seen.fields.keep is None:
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
    """Which fields were written as they are."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.names: dict[str, None] = {}

    def add(self, names: list[str]) -> None:
        """Counts the fields of a record, or of a table."""
        if self.fields.keep is None and not self.names.keys() >= set(names):
            self.names.update(dict.fromkeys(names))

    def in_clear(self) -> list[str]:
        """What a receipt says of them."""
        if self.fields.keep is not None:
            return [f"the fields {', '.join(self.fields.keep)}"] if self.fields.keep else []
        numbers = dict(enumerate(self.names, 1))
        named = {numbers.get(int(t), t) if t.isdecimal() else t for t in self.fields.texts}
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


def check_first(job: Job, fields: Fields) -> None:
    """Raises UsageError where the beginning of a file shows that it is read in a wrong way. What
    comes from stdin is looked at when it is read."""
    if job.source is not None and job.source.is_file():
        with opened(job) as handle:
            next(first_checked(read(handle, job.read_as, fields)), None)


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


def _outcomes(
    nlp: Language,
    records: Iterable[Record],
    options: FileOptions,
    source: Source,
    *,
    with_docs: bool,
) -> Generator[Outcome, None, None]:
    if options.processes == 1:
        return outcomes(
            nlp, records, batch_size=options.batch_size, ready=source.ready, with_docs=with_docs
        )
    from .workers import outcomes_of_workers

    return outcomes_of_workers(
        nlp,
        records,
        batch_size=options.batch_size,
        n_process=options.processes,
        with_docs=with_docs,
    )


def opened(job: Job) -> Source:
    """What the job reads, from its beginning. Raises UsageError where it cannot be read."""
    if job.stream is not None:
        return job.stream
    text = job.read_as not in BINARY
    if job.source is None:
        return source_of_stdin(job.encoding, text=text)
    try:
        return source_of_file(job.source.open("rb"), pack_of(job.source), job.encoding, text=text)
    except OSError as error:
        raise UsageError(f"{job.source}: {error.strerror}.") from None
