"""Sanitise files: the Python function behind `dx sanitize`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..config.options import FileOptions
from ..errors import DxError, UsageError
from ..files.atomic import Output
from ..files.limits import has_arrived
from ..pipeline.count import Count
from ..pipeline.receipt import largest_person_loss
from ..privacy.loss import Loss
from ..surrogates.replacements import USER
from ..text.language import LANGUAGE, base_language
from .account import Account, charge_person
from .build import check_limit, get_sanitizer, only_by_rules, terms_of
from .formats import Header, Row, Writer, format_names
from .jobs import FORMATS, WITH_FIELDS, Job, check_first_record, open_input, read
from .language_check import with_language
from .pieces import Pieces
from .records import Failed, Released, recognises
from .results import results
from .resuming import FinishedFiles
from .rows import cells_of
from .tally import FIELDS, FILE_NAMES, MARKUP, Tally, add_columns

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
        EndpointError: If the endpoint of a rewriter fails. A run on a folder can be resumed.
        OSError: If an output cannot be written. No partial output is left.
    """
    files, sanitizer = files or FileOptions(), get_sanitizer(nlp)
    tally = Tally(terms_of(nlp))
    persons = Account(limit=sanitizer.settings.max_epsilon_per_person)
    if n_process > 1 and tally.terms.seeded:
        raise UsageError("a seeded sanitizer needs a single process: leave `n_process` out.")
    if files.person_field is not None and persons.limit is not None:
        check_limit(nlp, "max_epsilon_per_person")
    fields = dict[str, None]()
    run = Run(nlp, files, persons, n_process, language, force, on_failure, on_progress, folder)
    with ExitStack() as stack:
        parts = None if folder is None else stack.enter_context(FinishedFiles(folder, nlp, files))
        run.parts = parts
        for part in parts.parts.values() if parts is not None else ():
            for person, loss in part["persons"].items():
                persons.charge(person, Loss.from_dict(loss), capped=True)
        for job in jobs:
            output = FileRun(run, job, Tally(tally.terms))
            try:
                sums = (parts and parts.find_part(job)) or output.sanitize()
            except UsageError as error:
                if len(jobs) == 1:
                    raise _named(error, job) from None
                tally.count += Count(failed=((*output.failed, 0),))
                on_failure(job, 0, str(error))
                continue
            tally.count += Count.from_dict(sums["count"])
            tally.loss += Loss.from_dict(sums["loss"])
            fields.update(dict.fromkeys(sums["fields"]))
            tally.encodings.update(dict.fromkeys(sums["encodings"]))
            tally.languages.update(dict.fromkeys(sums["languages"]))
            tally.columns = add_columns(tally.columns, sums["columns"])
        if parts is not None:
            parts.complete = not any(0 in numbers for numbers in tally.count.failed)
    if files.person_field is not None:
        losses = [loss for loss, _ in persons.items().values()]
        largest = reduce(Loss.cover, losses, Loss())
        tally.by_person = {"persons": len(losses), "largest": largest.to_dict()}
    named = files.keep_fields or ()
    tally.in_clear += [f"{FIELDS} {format_names(list(fields), named)}"] if fields else []
    tally.in_clear += [FILE_NAMES] if len(jobs) > 1 else []
    tally.in_clear += [MARKUP] if any(FORMATS[job.write_as].has_markup for job in jobs) else []
    return tally


def _named(error: UsageError, job: Job) -> UsageError:
    """Return an error that says which file could not be read."""
    place, why = f"{job.name}: ", str(error)
    return UsageError(why if job.text is not None or why.startswith(place) else place + why)


@dataclass
class FileRun:
    """One file of a run, with its tally.

    fields: names of fields written in plaintext. columns: for each head the numbers of cells that
    changed and stayed. encodings: that it is read in, if not UTF-8. languages: of its records,
    where only rules read them.
    failed: numbers of failed records. charged: losses by person.
    """

    run: Run
    job: Job
    tally: Tally
    fields: dict[str, None] = field(default_factory=dict)
    columns: dict[str, tuple[int, int]] = field(default_factory=dict)
    encodings: list[str] = field(default_factory=list)
    languages: dict[str, None] = field(default_factory=dict)
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
            begin = partial(self._begin, writer)
            found = read(source, job.read_as, run.files, begin, self.encodings.append)
            records = check_first_record(found)
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
                if not isinstance(record, Failed):
                    language = record.data.get(LANGUAGE) or base_language(run.nlp.vocab.lang)
                    self.languages.update(dict.fromkeys(only_by_rules(run.nlp, language)))
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

    def _begin(self, writer: Writer, header: Header) -> None:
        """Pass the header of a table on, and count what is not read of its file."""
        writer.begin(header)
        self.tally.count += Count(dropped=header.unread)

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
        if recognises(self.run.nlp):
            self.columns = add_columns(self.columns, cells_of(released))
        if isinstance(origin, Pieces):
            self.tally.count += Count(dropped=+origin.dropped)
        if isinstance(origin, Row) and self.job.write_as in WITH_FIELDS:
            self.fields.update(dict.fromkeys(origin.plaintext_fields()))
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
            "columns": self.columns,
            "encodings": self.encodings,
            "languages": list(self.languages),
            "persons": {key: self.charged[key].to_dict() for key in sorted(self.charged)},
        }
