"""Files that were released before, gone over by an editor: it sees them and nothing else."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ..config import FileConfig, SanitizeConfig
from ..errors import DxError, UsageError
from ..files.atomic import Output, check_new, write_bytes
from ..files.digests import digest_of
from ..pipeline.component import DxSanitizer
from ..pipeline.receipt import Receipt
from ..pipeline.select import AllWords
from ..pipeline.write import Written, edited_texts
from ..text.spelling import spell
from ..ty import EditsTexts
from .build import NO_LIMIT
from .jobs import Job, opened, plan_jobs
from .record import Record, chunks
from .run import Reports, Seen, Sink, gathered
from .stream import ZONE_CHARACTERS, Outcome, Sanitized, zone

EDITS, MANIFEST = "_edits.json", "_manifest.json"
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
        if not isinstance(sanitizer.editor, EditsTexts):
            raise UsageError("there is no language model to edit by: give one by `lm`.")
        sanitizer.warm_up()
        self.editor: EditsTexts = sanitizer.editor
        self.name: str = sanitizer.terms.editor or ""
        self.sanitizer: DxSanitizer = sanitizer
        self.nlp: Language = spacy.blank("en")
        self.nlp.max_length = NO_LIMIT
        self.nlp.add_pipe("dx_entity_ruler")

    @property
    def settings(self) -> dict[str, str]:
        """All that changes what comes out, by what a message calls it."""
        about: dict[str, str] = getattr(self.editor, "about", {})
        mechanism = self.sanitizer.mechanism
        return {
            "editor": self.name,
            "language model": about.get("digest", ""),
            "prompt": about.get("prompt", ""),
            "mechanism": f"{mechanism.name}, {mechanism.guarantee}",
            "space": self.sanitizer.space.digest,
        }

    def edit(self, docs: list[Doc], told: Edited) -> list[str]:
        """Return the texts of docs, which were made by self.nlp, edited; as they were where that
        fails."""
        told.documents += len(docs)
        texts = [_written(doc) for doc in docs]
        told.words += sum(int(text.editable.sum()) for text in texts)
        space = self.sanitizer.space
        try:
            edited = edited_texts(texts, self.nlp.vocab, space, self.sanitizer, self.editor)
            return [_spelled(*pair, told) for pair in zip(texts, edited, strict=True)]
        except DxError:
            told.kept += len(docs)
            return [doc.text for doc in docs]


def _spelled(old: Written, new: Written, told: Edited) -> str:
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


class Edits:
    """What was done in a folder, in a file there: by which settings, and of each file that was
    begun the SHA-256 of its source once it is done, "" until then.

    Raises UsageError where the folder was begun by other settings, or the file is damaged.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], *, force: bool) -> None:
        self.folder, self.force = folder, force
        self.path = folder / EDITS
        self.state: dict[str, Any] = {"settings": dict(settings), "files": {}}
        if force or not self.path.exists():
            return
        try:
            before = json.loads(self.path.read_bytes())
            others = [k for k in settings if before["settings"].get(k) != settings[k]]
            self.state["files"] = dict(before["files"])
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UsageError(f"{self.path}: is damaged. `force` begins anew.") from None
        if others:
            raise UsageError(
                f"{folder}: was begun with another {' and '.join(sorted(others))}. Name another "
                "folder, or `force` to begin anew."
            )

    def left(self, jobs: list[Job]) -> list[Job]:
        """Return those to do. Raise UsageError where a file is in the way that no run wrote."""
        left = []
        for job in jobs:
            target, name = self._place(job)
            done = self.state["files"].get(name)
            check_new(target, force=self.force or done is not None)
            if not (done and target.exists() and done == digest_of(job.source or target)):
                left.append(job)
        return left

    def write(self, job: Job, *, done: bool) -> None:
        """Write down that the file of a job will be written, or that it was, with all records."""
        target, name = self._place(job)
        self.state["files"][name] = digest_of(job.source or target) if done else ""
        write_bytes(self.path, json.dumps(self.state).encode(), force=True)

    def _place(self, job: Job) -> tuple[Path, str]:
        target = job.target or self.folder
        return target, target.relative_to(self.folder).as_posix()


def plan_edits(
    released: str, output: str | None, files: FileConfig, *, force: bool
) -> tuple[list[Job], Path | None]:
    """Return the jobs, and the folder that they write into where `released` is one. Raise
    UsageError as plan_jobs does, and where a folder holds shards in Parquet."""
    folder = Path(released)
    if released == "-" or output is None or not folder.is_dir():
        return plan_jobs(released, output, files, force=force), None
    if next(folder.rglob("*.parquet"), None) is not None:
        raise UsageError(f"{folder}: holds .parquet files, which edit does not read.")
    jobs = plan_jobs(released, output, files, force=True)
    texts = [job for job in jobs if job.source is not None and job.source.name[0] != "_"]
    if not texts:
        raise UsageError(f"{folder}: holds no text, only what is told of texts.")
    return texts, Path(output)


def edit_files(
    editor: ReleaseEditor,
    jobs: list[Job],
    chosen: SanitizeConfig,
    reports: Reports,
    folder: Path | None = None,
) -> Edited:
    """Write each file of jobs into its own, edited.

    Args:
        editor: By which words change.
        jobs: See plan_edits.
        chosen: How files are read and written: its settings `files` and `run`.
        reports: Whom to tell of failures and progress.
        folder: Where files are written to; those that an earlier run has finished there stay.

    Raises:
        UsageError: For .spacy files, whose receipts would be lost, where other files are in the
            way, or the folder was begun otherwise.
        OSError: An output cannot be written, which is not there then.
    """
    if any("spacy" in (job.read_as, job.write_as) for job in jobs):
        raise UsageError("edit takes no .spacy files: they would lose their receipts.")
    told = Edited(editor.name)
    if folder is None:
        for job in jobs:
            _edit_file(editor, job, chosen, reports, told)
        return told
    f = chosen.files
    fields = (f.field, f.keep_fields, f.receipt_field, f.delimiter)
    settings = {**editor.settings, "choice of fields": str(fields)}
    edits = Edits(folder, settings, force=chosen.run.force)
    left = edits.left(jobs)
    forced = chosen.with_settings({"run.force": True})
    told.finished = len(jobs) - len(left)
    reports.on_progress(sum(job.size for job in jobs) - sum(job.size for job in left))
    for job in left:
        before = (len(told.failed), told.kept)
        edits.write(job, done=False)
        _edit_file(editor, job, forced, reports, told)
        # A file with a record that failed, or a text that stayed, is done again by the next run
        edits.write(job, done=(len(told.failed), told.kept) == before)
    return told


def _edit_file(
    editor: ReleaseEditor, job: Job, chosen: SanitizeConfig, reports: Reports, told: Edited
) -> None:
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # spaCy's may quote tokens
        given = stack.enter_context(opened(job, chosen.files))
        output = stack.enter_context(Output(job.target, force=chosen.run.force))
        sink = Sink(given.job, output.handle, given.files, Seen(given.files))
        pairs = _outcomes(editor, given.records(sink.begin), told)
        for record, found in gathered(pairs, sink.writer.by_row):
            why = found if isinstance(found, str) else sink.write(record, found)
            if why:
                told.failed.append(record.number)
                reports.on_failure(job, record.number, why)
            reports.on_progress(record.size)
        sink.finish()


def _outcomes(editor: ReleaseEditor, records: Iterable[Record], told: Edited) -> Iterator[Outcome]:
    """Each record with its text, edited, or with what is wrong with it."""
    for some in chunks(records, characters=ZONE_CHARACTERS, most=SIDE_BY_SIDE):
        good = [one for one in some if not one.problem]
        with zone(editor.nlp):
            docs = list(editor.nlp.pipe(record.for_pipe(editor.nlp) for record in good))
            texts = iter(editor.edit(docs, told) if docs else [])
        for record in some:
            yield record, record.problem or Sanitized(next(texts), Receipt())


def pass_manifest(released: Path, folder: Path, editor: ReleaseEditor) -> None:
    """Write the manifest of shards that were edited: it names the editor and the digest of its
    model, and is else as it was."""
    with suppress(FileNotFoundError, ValueError, KeyError, TypeError):
        manifest = json.loads((released / MANIFEST).read_text(encoding="utf8"))
        about = {"editor": editor.name, "editor_model": editor.settings["language model"]}
        made = {**manifest, "settings": {**manifest["settings"], **about}}
        write_bytes(folder / MANIFEST, json.dumps(made, indent=2).encode() + b"\n", force=True)
