"""Files that were released before, gone over by an editor: it sees them and nothing else."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ..config import SanitizeConfig
from ..errors import DxError, UsageError
from ..files.atomic import Output, write_bytes
from ..pipeline.component import DxSanitizer
from ..pipeline.receipt import Receipt
from ..pipeline.select import AllWords
from ..pipeline.write import Written, edited_texts
from ..text.spelling import spell
from ..ty import EditsTexts
from .build import NO_LIMIT
from .jobs import Job, opened
from .record import Record, chunks
from .run import Reports, Seen, Sink, gathered
from .stream import ZONE_CHARACTERS, Outcome, Sanitized, zone

MANIFEST = "_manifest.json"
SIDE_BY_SIDE = 64


@dataclass
class Edited:
    """What was done. words: that the editor could have changed. kept: documents that stay as they
    were, as it failed. failed: records that could not be read."""

    editor: str
    documents: int = 0
    words: int = 0
    changed: int = 0
    kept: int = 0
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


def edit_files(
    editor: ReleaseEditor, jobs: list[Job], chosen: SanitizeConfig, reports: Reports
) -> Edited:
    """Write each file of jobs into its own, edited.

    Args:
        editor: By which words change.
        jobs: See plan_jobs.
        chosen: How files are read and written: its settings `files` and `run`.
        reports: Whom to tell of failures and progress.

    Raises:
        UsageError: For .spacy files, whose receipts would be lost.
        OSError: An output cannot be written, which is not there then.
    """
    if any("spacy" in (job.read_as, job.write_as) for job in jobs):
        raise UsageError("edit takes no .spacy files: they would lose their receipts.")
    told = Edited(editor.name)
    for job in jobs:
        _edit_file(editor, job, chosen, reports, told)
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
        model = getattr(editor.editor, "about", {}).get("digest", "")
        settings = {**manifest["settings"], "editor": editor.name, "editor_model": model}
        made = json.dumps({**manifest, "settings": settings}, indent=2)
        write_bytes(folder / MANIFEST, made.encode() + b"\n", force=True)
