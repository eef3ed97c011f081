"""Files that were released before, gone over by an editor: it sees them and nothing else."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ..errors import DxError, UsageError
from ..files.atomic import Output
from ..pipeline.component import DxSanitizer
from ..pipeline.receipt import Receipt
from ..pipeline.select import AllWords
from ..pipeline.write import Written, edited_texts
from ..space import Space
from ..text.spelling import spell
from ..ty import EditsTexts, Mechanism, TellsAbout
from .build import NO_LIMIT
from .edits import Edits
from .jobs import Job, opened_first
from .records import Record, read
from .run import (
    FileOptions,
    OnFailure,
    OnProgress,
    Seen,
    Sink,
    first_checked,
    gathered,
    opened,
)
from .stream import Outcome, Sanitized, zone

SIDE_BY_SIDE = 64


@dataclass
class Edited:
    """What was done. words: that the editor could have changed. kept: documents that stay as they
    were, as it failed. failed: records that could not be read. finished: files that an earlier
    run has done."""

    editor: str
    documents: int = 0
    words: int = 0
    changed: int = 0
    kept: int = 0
    finished: int = 0
    failed: list[int] = field(default_factory=list)


class ReleaseEditor:
    """Texts in which every word that the space holds may change, but for numbers and what the rules
    of dx_entity_ruler take for a name, a date or the like."""

    def __init__(self, sanitizer: DxSanitizer) -> None:
        """sanitizer: one with the settings of the release and an editor. Raises UsageError where it
        has none that reads texts."""
        editor = sanitizer.editor
        if not isinstance(editor, EditsTexts):
            raise UsageError("there is no language model to edit by: give one by `lm`.")
        sanitizer.warm_up()
        self.editor: EditsTexts = editor
        self.name: str = sanitizer.terms.editor or ""
        self.space: Space = sanitizer.space
        self.sanitizer: DxSanitizer = sanitizer
        self.mechanism: Mechanism = sanitizer.mechanism
        self.nlp: Language = spacy.blank("en")
        self.nlp.max_length = NO_LIMIT
        self.nlp.add_pipe("dx_entity_ruler")

    @property
    def settings(self) -> dict[str, str]:
        """All that changes what comes out, by what a message calls it."""
        about = self.editor.about if isinstance(self.editor, TellsAbout) else {}
        return {
            "editor": self.name,
            "language model": about.get("digest", ""),
            "prompt": about.get("prompt", ""),
            "mechanism": f"{self.mechanism.name}, {self.mechanism.guarantee}",
            "space": self.space.digest,
        }

    def edit(self, docs: list[Doc], told: Edited) -> list[str]:
        """The texts of docs, which were made by self.nlp, edited; as they were where that fails."""
        told.documents += len(docs)
        texts = [_written(doc) for doc in docs]
        told.words += sum(int(text.editable.sum()) for text in texts)
        try:
            return self._edited(texts, told)
        except DxError:
            told.kept += len(docs)
            return [doc.text for doc in docs]

    def _edited(self, texts: list[Written], told: Edited) -> list[str]:
        edited = edited_texts(texts, self.nlp.vocab, self.space, self.sanitizer, self.editor)
        return [self._spelled(*pair, told) for pair in zip(texts, edited, strict=True)]

    def _spelled(self, old: Written, new: Written, told: Edited) -> str:
        """Words that did not change are spelled as they were."""
        pairs = zip(old.words, new.words, strict=True)
        changed = np.array([a != b for a, b in pairs], dtype=bool)
        told.changed += int(changed.sum())
        words, spaces = spell(new.words, np.array(new.spaces, dtype=bool), changed)
        return "".join(w + " " * s for w, s in zip(words, spaces.tolist(), strict=True))


def _written(doc: Doc) -> Written:
    stays = np.array([token.like_num or token.ent_iob_ in ("B", "I") for token in doc], dtype=bool)
    editable = AllWords().select(doc) & ~stays
    words, spaces = [t.text for t in doc], [bool(t.whitespace_) for t in doc]
    return Written(words, spaces, editable, editable, stays)


def edit_files(
    editor: ReleaseEditor,
    jobs: list[Job],
    options: FileOptions,
    *,
    folder: Path | None = None,
    on_failure: OnFailure = lambda job, number, why: None,
    on_progress: OnProgress = lambda size: None,
) -> Edited:
    """Each file of jobs into its own, edited. folder: where they are written to, with a journal, by
    which files that an earlier run has finished are left as they are. on_failure, on_progress: as
    batch.run.sanitize has them. Raises UsageError for .spacy files, whose receipts would be lost,
    where other files are in the way, or the folder was begun otherwise; OSError where an output
    cannot be written, which is not there then."""
    if any("spacy" in (job.read_as, job.write_as) for job in jobs):
        raise UsageError("edit takes no .spacy files: they would lose their receipts.")
    told = Edited(editor.name)
    with ExitStack() as stack:
        edits, left = None, jobs
        if folder is not None:
            settings = {**editor.settings, "choice of fields": str(options.fields)}
            edits = stack.enter_context(Edits(folder, settings, force=options.force))
            left = edits.left(jobs)
            options = replace(options, force=True)
        told.finished = len(jobs) - len(left)
        on_progress(sum(job.size for job in jobs) - sum(job.size for job in left))
        for job in left:
            _journaled(edits, job, told, partial(_run, editor, job, options, told, on_failure,
                                                 on_progress))  # fmt: skip
    return told


def _journaled(edits: Edits | None, job: Job, told: Edited, run: Callable[[], None]) -> None:
    """A file with a record that failed, or a text that stayed, is done again by the next run."""
    if edits is None:
        run()
        return
    before = (len(told.failed), told.kept)
    edits.begin(job)
    run()
    if (len(told.failed), told.kept) == before:
        edits.end(job)


def _run(
    editor: ReleaseEditor,
    job: Job,
    options: FileOptions,
    told: Edited,
    on_failure: OnFailure,
    on_progress: OnProgress,
) -> None:
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # spaCy's may quote tokens
        job, fields = opened_first(job, options.fields)
        handle = stack.enter_context(opened(job))
        output = stack.enter_context(Output(job.target, force=options.force))
        sink = Sink(job, output.handle, fields, Seen(fields))
        records = first_checked(read(handle, job.read_as, fields, sink.begin))
        for record, found in gathered(_outcomes(editor, records, told), sink.writer.by_row):
            why = found if isinstance(found, str) else sink.write(record, found)
            if why:
                told.failed.append(record.number)
                on_failure(job, record.number, why)
            on_progress(record.size)
        sink.finish()


def _outcomes(editor: ReleaseEditor, records: Iterable[Record], told: Edited) -> Iterator[Outcome]:
    """Each record with its text, edited, or with what is wrong with it."""
    for some in _parts(records):
        texts = iter(_texts(editor, [one for one in some if not one.problem], told))
        for record in some:
            yield record, record.problem or Sanitized(next(texts), Receipt())


def _texts(editor: ReleaseEditor, records: list[Record], told: Edited) -> list[str]:
    with zone(editor.nlp):
        docs = list(editor.nlp.pipe(record.for_pipe(editor.nlp) for record in records))
        return editor.edit(docs, told) if docs else []


def _parts(records: Iterable[Record]) -> Iterator[list[Record]]:
    part: list[Record] = []
    for record in records:
        part.append(record)
        if len(part) == SIDE_BY_SIDE:
            yield part
            part = []
    if part:
        yield part
