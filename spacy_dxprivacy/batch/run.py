"""Files of text in, files of sanitised text out: what `dx sanitize` does, as a Python function."""

from __future__ import annotations

import multiprocessing
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from spacy.language import Language

from ..errors import UsageError
from ..files.atomic import Output
from .build import the_sanitizer
from .jobs import Job
from .records import Fields, Record, read
from .stream import Outcome, outcomes
from .tally import Tally
from .writers import WRITERS

OnFailure = Callable[[Job, int, str], None]
OnProgress = Callable[[int], Any]


@dataclass(frozen=True)
class FileOptions:
    """How files are read and written. n_process: -1 for one a core. force: overwrite files."""

    fields: Fields = field(default_factory=Fields)
    batch_size: int = 128
    n_process: int = 1
    force: bool = False

    def __post_init__(self) -> None:
        if self.n_process < 1 and self.n_process != -1:
            raise UsageError(f"`n_process` must be 1 or more, or -1, got {self.n_process}.")

    @property
    def processes(self) -> int:
        """How many processes; -1 stands for one a core."""
        return multiprocessing.cpu_count() if self.n_process == -1 else self.n_process


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
    tally = Tally(the_sanitizer(nlp).terms, in_clear=_more_in_clear(jobs, options.fields))
    if options.processes > 1 and tally.terms.seeded:
        raise UsageError("a seeded sanitizer runs in one process alone: leave `n_process` out.")
    start = time.perf_counter()
    for job in jobs:
        failures = _Failures(job, on_failure)
        tally.failed.append(failures.numbers)
        try:
            _run(nlp, job, options, tally, failures, on_progress)
        except UsageError as error:
            if len(jobs) == 1:
                raise
            failures.add(0, str(error))
    tally.seconds = time.perf_counter() - start
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
) -> None:
    before = tally.documents
    with ExitStack() as stack:
        # spaCy and others quote tokens in some of their warnings.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        handle = stack.enter_context(opened(job.source))
        output = stack.enter_context(Output(job.target, force=options.force))
        writer = WRITERS[job.write_as](output.handle, options.fields)
        records = read(handle, job.read_as, options.fields)
        pairs = _outcomes(nlp, records, options, with_docs=writer.needs_docs)
        for record, outcome in stack.enter_context(closing(pairs)):
            if isinstance(outcome, str):
                failures.add(record.number, outcome)
            else:
                writer.write(record, outcome)
                tally.add(outcome.receipt)
            if on_progress is not None:
                on_progress(record.size)
        if failures.numbers and tally.documents == before:
            output.discard()
        else:
            writer.finish()


def _outcomes(
    nlp: Language, records: Iterable[Record], options: FileOptions, *, with_docs: bool
) -> Generator[Outcome, None, None]:
    if options.processes == 1:
        return outcomes(nlp, records, batch_size=options.batch_size)
    from .workers import outcomes_of_workers

    return outcomes_of_workers(
        nlp,
        records,
        batch_size=options.batch_size,
        n_process=options.processes,
        with_docs=with_docs,
    )


def opened(source: Path | None) -> AbstractContextManager[IO[bytes]]:
    """The file, or stdin for None. Raises UsageError where it cannot be read."""
    if source is None:
        return nullcontext(sys.stdin.buffer)
    try:
        return source.open("rb")
    except OSError as error:
        raise UsageError(f"{source}: {error.strerror}.") from None


def _more_in_clear(jobs: list[Job], fields: Fields) -> list[str]:
    """What is visible besides what the sanitizer lets through."""
    more = [f"the fields {', '.join(fields.keep)}"] if fields.keep else []
    return [*more, "the names of the files"] if len(jobs) > 1 else more
