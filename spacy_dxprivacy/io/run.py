"""Sanitise files of text: what `dx sanitize` does, as a Python function."""

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
from ..pipeline.persons import PersonBudget
from .build import the_sanitizer
from .files.atomic import Output
from .formats import FORMATS, WITH_FIELDS
from .jobs import Job, opened
from .languages import with_language
from .plain import Writer
from .record import Record, fields_of, shown
from .source import packed
from .stream import Outcome, Sanitized, outcomes
from .tally import Tally

MARKUP = "markup: elements, formatting, and the names of styles and classes"


@dataclass(frozen=True)
class Reports:
    """Callbacks of a run."""

    # Takes a job, the number of a record (0 for the whole file), and why it failed.
    on_failure: Callable[[Job, int, str], Any] = lambda *_: None
    on_progress: Callable[[int], Any] = lambda _: None  # takes bytes, as they are done


@dataclass(frozen=True)
class _Sums:
    tally: Tally
    fields: dict[str, None]  # that were there
    reports: Reports
    persons: PersonBudget


def sanitize(
    nlp: Language,
    jobs: list[Job],
    chosen: SanitizeConfig | None = None,
    reports: Reports = Reports(),
) -> Tally:
    """Sanitise files, and return the sum of the receipts.

    Args:
        nlp: A pipeline with a sanitizer, see make_pipeline.
        jobs: See plan_jobs.
        chosen: How files are read and written: its settings `files` and `run`.
        reports: Callbacks for failures and progress.

    Raises:
        UsageError: The pipeline does not sanitise, it is seeded and should run in several
            processes, or the only file cannot be read.
        OSError: An output cannot be written, and then it is not there.
    """
    chosen = chosen or SanitizeConfig()
    sanitizer = the_sanitizer(nlp)
    tally, by_person = Tally(sanitizer.terms), PersonBudget(sanitizer.max_epsilon_per_person)
    sums = _Sums(tally, {}, reports, by_person)
    if chosen.run.processes > 1 and tally.terms.seeded:
        raise UsageError("a seeded sanitizer needs a single process: leave `n_process` out.")
    start = time.perf_counter()
    for job in jobs:
        tally.failed.append([])
        try:
            _sanitize_file(nlp, job, chosen, sums)
        except UsageError as error:
            if len(jobs) == 1:
                raise
            tally.failed[-1].append(0)
            reports.on_failure(job, 0, str(error))
    if chosen.files.person_field is not None:
        tally.by_person = by_person.to_dict()
    tally.seconds = time.perf_counter() - start
    tally.in_clear += unmodified(chosen.files, sums.fields)
    tally.in_clear += ["the names of the files"] if len(jobs) > 1 else []
    tally.in_clear += [MARKUP] if any(FORMATS[job.write_as].has_markup for job in jobs) else []
    return tally


def _sanitize_file(nlp: Language, job: Job, chosen: SanitizeConfig, sums: _Sums) -> None:
    tally, reports = sums.tally, sums.reports
    before = tally.documents
    with ExitStack() as stack:
        # spaCy and others quote tokens in some of their warnings.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        given = stack.enter_context(opened(job, chosen.files))
        output = stack.enter_context(Output(job.target, force=chosen.run.force))
        sink = Sink(given.job, output.handle, given.files, sums)
        records, with_docs = given.records(sink.begin), sink.writer.needs_docs
        pairs = outcomes_of(nlp, records, chosen.run, given.source.ready, with_docs=with_docs)
        stack.enter_context(closing(pairs))
        for record, results in _rows(pairs, by_row=not with_docs):
            why = _over_budget(sums, record, results) or sink.write(record, results)
            if why:
                tally.failed[-1].append(record.number)
                reports.on_failure(given.job, record.number, why)
            reports.on_progress(record.size)
        if tally.failed[-1] and tally.documents == before:
            output.discard()
        else:
            sink.finish()


def _over_budget(sums: _Sums, record: Record, results: list[Sanitized] | str) -> str:
    """Charge the person of a record; return why it is too much, or ""."""
    if isinstance(results, str) or not record.user:
        return ""
    return sums.persons.charge(record.user, [result.receipt for result in results])


def outcomes_of(
    nlp: Language,
    records: Iterable[Record],
    run: RunConfig,
    ready: Callable[[], bool] | None = None,
    *,
    with_docs: bool = False,
) -> Generator[Outcome, None, None]:
    """Return the outcome of each record, made by `run.processes` processes; see stream.outcomes.

    Raises UsageError where the first records are in a language that is not covered.
    """
    size, records = run.batch_size, with_language(nlp, records, run, ready)
    if run.processes == 1:
        return outcomes(nlp, records, batch_size=size, ready=ready, with_docs=with_docs)
    from .workers import outcomes_of_workers

    return outcomes_of_workers(
        nlp, records, batch_size=size, n_process=run.processes, with_docs=with_docs
    )


def _rows(pairs: Iterable[Outcome], by_row: bool) -> Iterator[tuple[Record, list[Sanitized] | str]]:
    """Yield the last record of each row with all of its texts, or why one of them failed."""
    some: list[Sanitized] = []
    why = ""
    for record, outcome in pairs:
        if record.problem or not by_row:
            yield record, outcome if isinstance(outcome, str) else [outcome]
            continue
        if isinstance(outcome, str):
            why = why or outcome
        else:
            some.append(replace(outcome, doc=None))
        if record.is_last:
            yield record, why or some
            some, why = [], ""


class Sink:
    """Where the records of a job go: a writer, and the file that it writes, compressed or not."""

    def __init__(self, job: Job, handle: IO[bytes], files: FileConfig, sums: _Sums) -> None:
        self.sums = sums
        self.packing = packed(handle) if job.pack else None
        self.flushed = handle if job.target is None and not job.pack else None
        if job.read_as in ("csv", "tsv") and job.read_as != job.write_as:
            files = replace(files, delimiter=None)  # it is that of the input
        out: Any = self.packing or handle
        self.writer: Writer = FORMATS[job.write_as].write(out, files)
        self.with_fields = {job.read_as, job.write_as} <= WITH_FIELDS

    def begin(self, names: list[str]) -> None:
        """Take the names of the columns."""
        self.writer.begin(names)
        if self.with_fields:
            self.sums.fields.update(dict.fromkeys(names))

    def write(self, record: Record, results: list[Sanitized] | str) -> str:
        """Write a record, at once on stdout, and count it; return why it was not written, or ""."""
        if isinstance(results, str):
            return results
        try:
            self.writer.write(record, *results)
        except UsageError:
            raise
        except DxError as error:
            return str(error)
        for result in results:
            self.sums.tally.add(result.receipt)
        if record.pieces is not None:
            self.sums.tally.dropped += record.pieces.dropped
        if self.with_fields and self.writer.files.keep_fields is None:
            self.sums.fields.update(dict.fromkeys(fields_of(record)))
        if self.flushed is not None:
            self.flushed.flush()
        return ""

    def finish(self) -> None:
        """Write the end of the file."""
        self.writer.finish()
        if self.packing is not None:
            self.packing.close()


def unmodified(files: FileConfig, fields: Iterable[str]) -> list[str]:
    """Return what a receipt says of the fields that were written unmodified. fields: of all
    records, each once, those of a table in the order of its columns."""
    if files.keep_fields is not None:
        return [f"the fields {', '.join(files.keep_fields)}"] if files.keep_fields else []
    numbers = dict(enumerate(fields, 1))
    named = {numbers.get(int(t), t) if t.isdecimal() else t for t in files.field}
    others = [name for name in numbers.values() if name not in named]
    return [f"the fields {shown(others)}"] if others else []
