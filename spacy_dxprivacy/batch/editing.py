"""Files that were released before, gone over by an editor: it sees them and nothing else.

Of a folder there is a journal: a line says that a file is begun, and one that it is done. A file
that is not done is edited once more, in place of what may be there; nobody's other files are
written over.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

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
from ..space import Space
from ..text.spelling import spell
from ..ty import EditsTexts, Mechanism
from .build import NO_LIMIT
from .formats import read
from .jobs import Job, opened, opened_first, plan_jobs
from .manifests import MANIFEST, is_manifest
from .record import Record, chunks
from .run import Reports, Seen, Sink, first_checked, gathered
from .stream import ZONE_CHARACTERS, Outcome, Sanitized, zone

JOURNAL = "_edits.jsonl"
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
        about: dict[str, str] = getattr(self.editor, "about", {})
        return {
            "editor": self.name,
            "language model": about.get("digest", ""),
            "prompt": about.get("prompt", ""),
            "mechanism": f"{self.mechanism.name}, {self.mechanism.guarantee}",
            "space": self.space.digest,
        }

    def edit(self, docs: list[Doc], told: Edited) -> list[str]:
        """Return the texts of docs, which were made by self.nlp, edited; as they were where that
        fails."""
        told.documents += len(docs)
        texts = [_written(doc) for doc in docs]
        told.words += sum(int(text.editable.sum()) for text in texts)
        try:
            edited = edited_texts(texts, self.nlp.vocab, self.space, self.sanitizer, self.editor)
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
    """The journal of a folder for a `with` block; settings: what all of its files are edited by.
    begun: the files that a run began; done: the SHA-256 of the source of each that was finished.

    Raises UsageError where the folder was begun by other settings, or the journal is damaged.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], *, force: bool = False) -> None:
        self.folder, self.settings, self.force = folder, dict(settings), force
        self.begun: set[str] = set()
        self.done: dict[str, str] = {}

    def __enter__(self) -> Edits:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / JOURNAL
        if self.force:
            path.unlink(missing_ok=True)
        there = path.exists() and self._read(path)
        self._handle: IO[str] = path.open("a", encoding="utf8")
        if not there:
            self._write({"settings": self.settings})
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.close()

    def _read(self, path: Path) -> bool:
        """Whether there is a line. One that was cut off when a run was killed goes."""
        data = path.read_bytes()
        if not data.endswith(b"\n"):
            data = data[: data.rfind(b"\n") + 1]
            write_bytes(path, data, force=True)
        try:
            lines = [json.loads(line) for line in data.decode().splitlines()]
            settings = lines[0]["settings"] if lines else self.settings
            for entry in lines[1:]:
                self.begun.add(entry["file"])
                if "source" in entry:
                    self.done[entry["file"]] = entry["source"]
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{path}: is damaged. `force` begins anew.") from None
        if settings != self.settings:
            others = sorted(k for k in self.settings if settings.get(k) != self.settings[k])
            raise UsageError(
                f"{self.folder}: was begun with another {' and '.join(others)}. Name another "
                "folder, or `force` to begin anew."
            )
        return bool(lines)

    def _write(self, entry: dict[str, Any]) -> None:
        self._handle.write(json.dumps(entry) + "\n")
        self._handle.flush()

    def left(self, jobs: list[Job]) -> list[Job]:
        """Return those to do. Raise UsageError where a file is in the way that no run wrote."""
        left = []
        for job in jobs:
            if job.target is None or job.source is None:
                continue
            name = self._name(job)
            check_new(job.target, force=self.force or name in self.begun)
            there = job.target.exists() and self.done.get(name) == digest_of(job.source)
            left += [] if there else [job]
        return left

    def begin(self, job: Job) -> None:
        """Write down that the file of a job will be written."""
        self._write({"file": self._name(job)})

    def end(self, job: Job) -> None:
        """Write down that it was, with all of its records."""
        source = "" if job.source is None else digest_of(job.source)
        self._write({"file": self._name(job), "source": source})

    def _name(self, job: Job) -> str:
        return (job.target or self.folder).relative_to(self.folder).as_posix()


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
        folder: Where files are written to, with a journal, by which those that an earlier run has
            finished are left as they are.

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
    with Edits(folder, settings, force=chosen.run.force) as edits:
        left = edits.left(jobs)
        forced = chosen.with_settings({"run.force": True})
        told.finished = len(jobs) - len(left)
        reports.on_progress(sum(job.size for job in jobs) - sum(job.size for job in left))
        for job in left:
            before = (len(told.failed), told.kept)
            edits.begin(job)
            _edit_file(editor, job, forced, reports, told)
            # A file with a record that failed, or a text that stayed, is done again by the next run
            if (len(told.failed), told.kept) == before:
                edits.end(job)
    return told


def _edit_file(
    editor: ReleaseEditor, job: Job, chosen: SanitizeConfig, reports: Reports, told: Edited
) -> None:
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # spaCy's may quote tokens
        job, files = opened_first(job, chosen.files)
        handle = stack.enter_context(opened(job))
        output = stack.enter_context(Output(job.target, force=chosen.run.force))
        sink = Sink(job, output.handle, files, Seen(files))
        records = first_checked(read(handle, job.read_as, files, sink.begin))
        for record, found in gathered(_outcomes(editor, records, told), sink.writer.by_row):
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


def pass_manifest(released: Path, folder: Path, editor: str, model: str = "") -> None:
    """Write the manifest of shards that were edited: it names the editor and the digest of its
    model, and is else as it was."""
    path = released / MANIFEST
    if not path.is_file():
        return
    try:
        manifest = json.loads(path.read_text(encoding="utf8"))
    except ValueError:
        return
    if is_manifest(manifest):
        settings = {**manifest["settings"], "editor": editor, "editor_model": model}
        made = json.dumps({**manifest, "settings": settings}, indent=2) + "\n"
        write_bytes(folder / MANIFEST, made.encode(), force=True)
