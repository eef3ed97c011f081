"""Sanitise files of text: what `dx sanitize` does, as a Python function.

The language of a file is known by its first records; one that nothing here covers is an error.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..config import FileOptions
from ..entities.surrogates.replacements import USER
from ..errors import DxError, UsageError
from ..pipeline.count import Count
from ..pipeline.coverage import coverage_of, refusal
from ..pipeline.receipt import largest_person_loss
from ..privacy.composition import Loss
from ..text.language import COVERED, LANGUAGE, MAX_CHARACTERS, NAMES, base_language, language_of
from .account import Account, charge_person
from .build import the_sanitizer
from .fields import Row, shown
from .files.atomic import Output
from .jobs import FORMATS, WITH_FIELDS, Job, begun, opened, read
from .pieces import Pieces
from .plain import Writer
from .records import Failed, Input, Released
from .results import results
from .resume import FinishedFiles
from .source import has_arrived
from .tally import Tally

MARKUP = "markup: elements and formatting"
OnFailure = Callable[[Job, int, str], Any]  # takes the number of a record (0: the file), and why


@dataclass
class Run:
    """The settings of a run, and what its files have in common."""

    nlp: Language
    files: FileOptions
    persons: Account
    n_process: int
    language: str | None
    force: bool
    on_failure: OnFailure
    on_progress: Callable[[int], Any]
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
    """Sanitise files, and return the sum of the receipts.

    Args:
        nlp: A pipeline with a sanitizer, see make_pipeline.
        jobs: See plan_jobs.
        files: How they are read and written.
        folder: The folder of the outputs: a run that was killed there is resumed (see resume.py).
        n_process: How many processes sanitise.
        language: Of the texts; None detects it, and raises for one that is not covered.
        force: Whether outputs may exist.
        on_failure: Called for each record that fails, and each file.
        on_progress: Called with numbers of bytes, as they are done.

    Raises:
        UsageError: The pipeline does not sanitise, it is seeded and should run in several
            processes, or the only file cannot be read.
        DxError: Another run is writing to the folder, or was killed there with other settings.
        OSError: An output cannot be written, and then it is not there.
    """
    files, sanitizer = files or FileOptions(), the_sanitizer(nlp)
    tally, persons = (
        Tally(sanitizer.terms),
        Account(limit=sanitizer.settings.max_epsilon_per_person),
    )
    if n_process > 1 and tally.terms.seeded:
        raise UsageError("a seeded sanitizer needs a single process: leave `n_process` out.")
    fields = dict[str, None]()
    run = Run(nlp, files, persons, n_process, language, force, on_failure, on_progress)
    with ExitStack() as stack:
        parts = None if folder is None else stack.enter_context(FinishedFiles(folder, nlp, files))
        run.parts = parts
        for part in parts.parts.values() if parts is not None else ():
            for person, loss in part["persons"].items():
                persons.charge(person, Loss.from_dict(loss), capped=True)
        for job in jobs:
            output = FileRun(run, job, Tally(sanitizer.terms))
            try:
                sums = (parts and parts.finished(job)) or output.sanitize()
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
    tally.in_clear += [f"the fields {shown(list(fields))}"] if fields else []
    tally.in_clear += ["the names of the files"] if len(jobs) > 1 else []
    tally.in_clear += [MARKUP] if any(FORMATS[job.write_as].has_markup for job in jobs) else []
    return tally


@dataclass
class FileRun:
    """One file of a run, and its sums.

    fields: those written unmodified. failed: numbers of records. charged: losses, by person.
    """

    run: Run
    job: Job
    tally: Tally
    fields: dict[str, None] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)
    charged: dict[str, Loss] = field(default_factory=dict)

    def sanitize(self) -> dict[str, Any]:
        """Sanitise the file, and return what later files and runs need to know, for JSON."""
        run, job = self.run, self.job
        with ExitStack() as stack:
            # spaCy and others quote tokens in some of their warnings.
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            source = stack.enter_context(opened(job))
            ready = partial(has_arrived, source)
            output = stack.enter_context(Output(job.target, force=run.force))
            if run.parts is not None:
                record_part = run.parts.record
                output.on_complete = lambda hidden: record_part(job, hidden, self.to_dict())
            writer = FORMATS[job.write_as].write(output.handle, run.files)
            records = begun(read(source, job.read_as, run.files, writer.begin))
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
        """Charge the person of a record, write it, and count it; or return why not."""
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
        """Charge the person of a record; return why it is too much, or ""."""
        person = released.record.data.get(USER)
        if not person:
            return ""
        key = self.run.parts.person(person) if self.run.parts is not None else person
        if why := charge_person(self.run.persons, key, released.receipts):
            return why
        self.charged[key] = self.charged.get(key, Loss()) + largest_person_loss(released.receipts)
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return what later files and runs need to know, for JSON."""
        count = replace(self.tally.count, failed=(tuple(self.failed),))
        return {
            "count": count.to_dict(),
            "loss": self.tally.loss.to_dict(),
            "fields": list(self.fields),
            "persons": {key: self.charged[key].to_dict() for key in sorted(self.charged)},
        }


SAMPLE = 64  # first records, by which the language of a file is known


def with_language(
    nlp: Language,
    records: Iterable[Input],
    language: str | None = None,
    ready: Callable[[], bool] | None = None,
) -> Iterator[Input]:
    """Return the records, with the language of the first ones where it is known.

    Args:
        nlp: A pipeline with a sanitizer.
        records: Of one file.
        language: Of the texts; where it is given, nothing is refused.
        ready: Whether the next record is there. A stream is not waited for.

    Raises:
        UsageError: The pipeline cannot sanitise text of this language.
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
        _check(nlp, sample, language)
    records = chain(first, remaining)
    if language == base_language(nlp.vocab.lang) or language not in COVERED:
        return iter(records)
    return (_in_language(record, language) for record in records)


def _in_language(record: Input, language: str) -> Input:
    if isinstance(record, Failed):
        return record
    return replace(record, data={**record.data, LANGUAGE: language})


def _check(nlp: Language, text: str, language: str) -> None:
    """Raise UsageError where a text of this language would not be sanitised as it should be."""
    sanitizer = the_sanitizer(nlp)
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
