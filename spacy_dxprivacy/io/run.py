"""Sanitise files of text: what `dx sanitize` does, as a Python function.

The language of a file is known by its first records; one that nothing here covers is an error.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import IO, Any

from spacy.language import Language

from ..config import FileOptions
from ..entities.surrogates.base import Surrogate
from ..errors import DxError, Errors, UsageError
from ..pipeline.component import DxSanitizer
from ..pipeline.count import Count
from ..pipeline.coverage import OWN
from ..pipeline.receipt import largest_in
from ..pipeline.select import Entities
from ..privacy.composition import Loss
from ..space import BUILTIN
from ..text.language import COVERED, MOST, NAMES, base_language, language_of
from .account import Account, OverLimit
from .build import the_sanitizer
from .files.atomic import Output
from .jobs import FORMATS, WITH_FIELDS, Job, opened
from .plain import Writer
from .record import Record, fields_of, shown
from .resume import Parts
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
    """Of one file. fields: those that were there. charged: the losses of its persons."""

    tally: Tally
    reports: Reports
    persons: Account
    key_of: Callable[[str], str]  # by which a person is known
    fields: dict[str, None] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)  # numbers of records
    charged: dict[str, Loss] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return what later files and runs need to know, for JSON."""
        return {
            "count": replace(self.tally.count, failed=(tuple(self.failed),)).to_dict(),
            "loss": self.tally.loss.to_dict(),
            "fields": list(self.fields),
            "persons": {key: self.charged[key].to_dict() for key in sorted(self.charged)},
        }


def sanitize(
    nlp: Language,
    jobs: list[Job],
    files: FileOptions | None = None,
    reports: Reports = Reports(),
    *,
    folder: Path | None = None,
    n_process: int = 1,
    language: str | None = None,
    force: bool = False,
) -> Tally:
    """Sanitise files, and return the sum of the receipts.

    Args:
        nlp: A pipeline with a sanitizer, see make_pipeline.
        jobs: See plan_jobs.
        files: How they are read and written.
        reports: Callbacks for failures and progress.
        folder: The folder of the outputs: a run that was killed there is resumed (see resume.py).
        n_process: How many processes sanitise.
        language: Of the texts; None detects it, and raises for one that is not covered.
        force: Whether outputs may exist.

    Raises:
        UsageError: The pipeline does not sanitise, it is seeded and should run in several
            processes, or the only file cannot be read.
        DxError: Another run is writing to the folder, or was killed there with other settings.
        OSError: An output cannot be written, and then it is not there.
    """
    files, sanitizer = files or FileOptions(), the_sanitizer(nlp)
    tally, persons = Tally(sanitizer.terms), Account(limit=sanitizer.max_epsilon_per_person)
    outcomes = partial(outcomes_of, nlp, n_process=n_process, language=language)
    if n_process > 1 and tally.terms.seeded:
        raise UsageError("a seeded sanitizer needs a single process: leave `n_process` out.")
    start, fields = time.perf_counter(), dict[str, None]()
    with ExitStack() as stack:
        parts = None
        if folder is not None:
            parts = stack.enter_context(Parts(folder, nlp, files))
        for part in parts.parts.values() if parts is not None else ():
            for person, loss in part["persons"].items():
                persons.charge(person, Loss.from_dict(loss), capped=True)
        for job in jobs:
            key_of = str if parts is None else parts.person
            sums = _Sums(Tally(sanitizer.terms), reports, persons, key_of)
            try:
                done = None if parts is None else parts.finished(job)
                done = done or _sanitize_file(job, files, sums, outcomes, parts=parts, force=force)
            except UsageError as error:
                if len(jobs) == 1:
                    raise
                tally.count += Count(failed=((*sums.failed, 0),))
                reports.on_failure(job, 0, str(error))
                continue
            tally.count += Count.from_dict(done["count"])
            tally.loss += Loss.from_dict(done["loss"])
            fields.update(dict.fromkeys(done["fields"]))
        if parts is not None:
            parts.complete = not any(0 in numbers for numbers in tally.count.failed)
    if files.person_field is not None:
        losses = [loss for loss, _ in persons.items().values()]
        largest = reduce(Loss.cover, losses, Loss())
        tally.by_person = {"persons": len(losses), "largest": largest.to_dict()}
    tally.seconds = time.perf_counter() - start
    tally.in_clear += unmodified(files, fields)
    tally.in_clear += ["the names of the files"] if len(jobs) > 1 else []
    tally.in_clear += [MARKUP] if any(FORMATS[job.write_as].has_markup for job in jobs) else []
    return tally


def _sanitize_file(
    job: Job,
    files: FileOptions,
    sums: _Sums,
    outcomes: Callable[..., Generator[Outcome, None, None]],
    *,
    parts: Parts | None,
    force: bool,
) -> dict[str, Any]:
    reports = sums.reports
    with ExitStack() as stack:
        # spaCy and others quote tokens in some of their warnings.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        given = stack.enter_context(opened(job, files))
        output = stack.enter_context(Output(job.target, force=force))
        if parts is not None:
            record_part = parts.record
            output.on_complete = lambda hidden: record_part(job, hidden, sums.to_dict())
        sink = Sink(given.job, output.handle, given.files, sums)
        records, with_docs = given.records(sink.begin), sink.writer.needs_docs
        pairs = outcomes(records, ready=given.source.ready, with_docs=with_docs)
        stack.enter_context(closing(pairs))
        for record, results in _rows(pairs, by_row=not with_docs):
            why = _over_budget(sums, record, results) or sink.write(record, results)
            if why:
                sums.failed.append(record.number)
                reports.on_failure(given.job, record.number, why)
            reports.on_progress(record.size)
        if sums.failed and not sums.tally.count.documents:
            output.discard()
        else:
            sink.finish()
    return sums.to_dict()


def _over_budget(sums: _Sums, record: Record, results: list[Sanitized] | str) -> str:
    """Charge the person of a record; return why it is too much, or ""."""
    if isinstance(results, str) or not record.user:
        return ""
    person, loss = sums.key_of(record.user), largest_in(result.receipt for result in results)
    try:
        sums.persons.charge(person, loss)
    except OverLimit as error:
        return Errors.DX179.format(spent=error.spent, budget=error.limit)
    sums.charged[person] = sums.charged.get(person, Loss()) + loss
    return ""


def outcomes_of(
    nlp: Language,
    records: Iterable[Record],
    *,
    n_process: int = 1,
    batch_size: int | None = None,
    language: str | None = None,
    ready: Callable[[], bool] | None = None,
    with_docs: bool = False,
) -> Generator[Outcome, None, None]:
    """Return the outcome of each record, made by `n_process` processes; see stream.outcomes.

    batch_size: Documents; that of the pipeline if None.

    Raises UsageError where the first records are in a language that is not covered.
    """
    size, records = batch_size or nlp.batch_size, with_language(nlp, records, language, ready)
    if n_process == 1:
        return outcomes(nlp, records, batch_size=size, ready=ready, with_docs=with_docs)
    from .workers import outcomes_of_workers

    return outcomes_of_workers(
        nlp, records, batch_size=size, n_process=n_process, with_docs=with_docs
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
    """Where the records of a job go: a writer, and the file that it writes."""

    def __init__(self, job: Job, handle: IO[bytes], files: FileOptions, sums: _Sums) -> None:
        self.sums = sums
        self.flushed = handle if job.target is None else None
        if job.read_as in ("csv", "tsv") and job.read_as != job.write_as:
            files = replace(files, delimiter=None)  # it is that of the input
        self.writer: Writer = FORMATS[job.write_as].write(handle, files)
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
            self.sums.tally.count += Count(dropped=+record.pieces.dropped)
        if self.with_fields and self.writer.files.keep_fields is None:
            self.sums.fields.update(dict.fromkeys(fields_of(record)))
        if self.flushed is not None:
            self.flushed.flush()
        return ""

    def finish(self) -> None:
        """Write the end of the file."""
        self.writer.finish()


def unmodified(files: FileOptions, fields: Iterable[str]) -> list[str]:
    """Return what a receipt says of the fields that were written unmodified. fields: of all
    records, each once, those of a table in the order of its columns."""
    if files.keep_fields is not None:
        return [f"the fields {', '.join(files.keep_fields)}"] if files.keep_fields else []
    numbers = dict(enumerate(fields, 1))
    named = {numbers.get(int(t), t) if t.isdecimal() else t for t in files.field}
    others = [name for name in numbers.values() if name not in named]
    return [f"the fields {shown(others)}"] if others else []


SAMPLE = 64  # first records, by which the language of a file is known


def with_language(
    nlp: Language,
    records: Iterable[Record],
    language: str | None = None,
    ready: Callable[[], bool] | None = None,
) -> Iterator[Record]:
    """Return the records, with the language of the first ones where it is known.

    Args:
        nlp: A pipeline with a sanitizer.
        records: Of one file.
        language: Of the texts; where it is given, nothing is refused.
        ready: Whether the next record is there. A stream is not waited for.

    Raises:
        UsageError: The pipeline cannot sanitise text of this language.
    """
    rest, first, size = iter(records), list[Record](), 0
    for record in rest:
        first.append(record)
        size += record.length
        if len(first) == SAMPLE or size > MOST or (ready is not None and not ready()):
            break
    texts = (record.text or " ".join(record.words or ()) for record in first)
    if language is None:
        language = language_of("\n".join(text[:MOST] for text in texts))
        _check(nlp, the_sanitizer(nlp), language)
    if language == base_language(nlp.vocab.lang) or language not in COVERED:
        return chain(first, rest)
    return (replace(record, language=language) for record in chain(first, rest))


def not_covered(nlp: Language, text: str) -> str:
    """Return why a pipeline cannot sanitise a text of this language; "" where it can."""
    try:
        _check(nlp, the_sanitizer(nlp), language_of(text))
    except UsageError as error:
        return str(error)
    return ""


def _check(nlp: Language, sanitizer: DxSanitizer, language: str) -> None:
    """Raise UsageError where a text of this language would not be sanitised as it should be."""
    redacts = sanitizer.unknown_language == "redact"
    if language in ("", "en"):
        return
    looks, give = f"the text looks {NAMES[language]}", "or `language` = en if it is English"
    surrogates: list[Surrogate] = list(sanitizer.active_surrogates.values())
    by_entity = isinstance(sanitizer.selector, Entities) and surrogates
    if not by_entity and sanitizer.space.path == BUILTIN and not redacts:
        raise UsageError(
            f"{looks}, and the built-in space has English words. Name a space and a prior of "
            f"the language in a `config`, {give}."
        )
    if not by_entity:
        return
    scopes = (getattr(one, "scope", None) for one in surrogates)
    keyed = any(isinstance(getattr(scope, "key", None), str) for scope in scopes)
    if language in COVERED:
        if keyed and language != base_language(nlp.vocab.lang):
            raise UsageError(
                f"{looks}. With a key all surrogates are of one language: set `language` to "
                f"{language}, {give}."
            )
        return
    if redacts:
        return
    made = {nlp.get_pipe_meta(name).factory: nlp.get_pipe_meta(name) for name in nlp.pipe_names}
    others = [meta for factory, meta in made.items() if factory not in OWN]
    if not any("doc.ents" in meta.assigns for meta in others):
        raise UsageError(
            f"{looks}, which the recogniser does not cover. Give a `model` with a recogniser for "
            f"it, {give}. Covered: {', '.join(NAMES[one] for one in COVERED)}."
        )
