"""Two files or two folders, read as `dx sanitize` reads and writes them, document by document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language

from ...batch.build import NO_LIMIT
from ...batch.jobs import KINDS, Job, plan_jobs
from ...batch.records import Fields, Record, read, read_parquet
from ...batch.run import opened
from ...batch.source import ending
from ...errors import UsageError
from ...unknown import REDACTED
from .pairs import Pair, make_pair

READ = {**KINDS, ".parquet": "parquet"}


@dataclass(frozen=True)
class Source:
    """A file and its sanitised version, and the kinds by which records.read knows them."""

    before: Path
    after: Path
    read_before: str
    read_after: str


def plan_sources(before: Path, after: Path, *, lines: bool = False) -> list[Source]:
    """Raises UsageError where one is missing or of an unknown kind, or a folder meets a file."""
    for path in (before, after):
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder.")
    if before.is_dir() != after.is_dir():
        raise UsageError("BEFORE and AFTER must both be files or both be folders.")
    if not before.is_dir():
        return [_source(before, after, lines)]
    # In the order of `dx sanitize`, by which its receipt tells which records failed.
    names = [path.relative_to(before) for path in sorted(before.rglob("*")) if path.is_file()]
    names = [n for n in names if ending(n) in READ and not _hidden(n)]
    if not names:
        raise UsageError(f"{before}: holds no file that ends in {', '.join(READ)}.")
    return [_source(before / name, after / name, lines) for name in names]


def read_pairs(
    sources: Sequence[Source],
    fields: Fields,
    *,
    label: str | None = None,
    failed: Sequence[Iterable[int]] | None = None,
) -> Iterator[Pair]:
    """The documents of all sources, in order.

    fields: which field holds the text. label: the field of BEFORE with the class of a document.
    failed: for each source, the numbers of the records of which nothing was written; None where
    nobody knows. Raises UsageError where the two sides have different numbers of documents.
    """
    if failed is not None and len(failed) != len(sources):
        raise UsageError(
            f"the receipt is one of {len(failed)} file(s), and BEFORE has {len(sources)}."
        )
    if label is not None and any(s.read_before not in ("jsonl", "csv") for s in sources):
        raise UsageError("`label` needs .jsonl or .csv, whose fields have names.")
    nlp = tokenizer()
    for i, source in enumerate(sources):
        lost = None if failed is None else set(failed[i])
        yield from _of_source(nlp, source, fields, label, lost)


def tokenizer() -> Language:
    """English, as the default of `dx sanitize`; the mark for unknown words stays whole."""
    nlp = spacy.blank("en")
    nlp.max_length = NO_LIMIT
    rules: Any = nlp.tokenizer
    rules.add_special_case(REDACTED, [{"ORTH": REDACTED}])
    return nlp


def _source(before: Path, after: Path, lines: bool) -> Source:
    is_table = ending(before) == ".parquet"
    read_before = "parquet" if is_table else plan_jobs(str(before), None, lines=lines)[0].read_as
    if ending(after) not in READ:
        raise UsageError(
            f"{after}: AFTER must be a folder or end in {', '.join(READ)} (.gz, .zst)."
        )
    read_after = READ[ending(after)]
    if read_after == "txt" and read_before != "txt":
        read_after = "lines"
    return Source(before, after, read_before, read_after)


def _hidden(name: Path) -> bool:
    return any(part[0] in "._" for part in name.parts)


def _of_source(
    nlp: Language, source: Source, fields: Fields, label: str | None, lost: set[int] | None
) -> Iterator[Pair]:
    wanted = Fields(fields.text, (label,) if label else ())
    before = [
        record
        for record in _records(source.before, source.read_before, wanted)
        if not record.problem and record.number not in (lost or ()) and 0 not in (lost or ())
    ]
    if not before and not source.after.exists():
        return
    after = list(_records(source.after, source.read_after, Fields(fields.text)))
    _check(source, before, after)
    given = source.read_after == "spacy" and source.read_before != "lines"
    for old, new in zip(before, after, strict=True):
        yield make_pair(
            *(record_doc(nlp, record) for record in (old, new)),
            tokens_are_given=given,
            label=_label(old, label),
        )


def _records(path: Path, kind: str, fields: Fields) -> Iterator[Record]:
    try:
        if kind == "parquet":
            yield from read_parquet(path, fields)
            return
        with opened(Job(path, None, kind, kind)) as handle:
            yield from read(handle, kind, fields)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None


def _check(source: Source, before: list[Record], after: list[Record]) -> None:
    wrong = next((record for record in after if record.problem), None)
    if wrong is not None:
        raise UsageError(f"{source.after}, record {wrong.number}: {wrong.problem}")
    if len(before) != len(after):
        raise UsageError(
            f"{source.before} has {len(before)} document(s) that can be read, and {source.after} "
            f"{len(after)}. If some failed, a `receipt` says which."
        )


def record_doc(nlp: Language, record: Record) -> spacy.tokens.Doc:
    """A record as a Doc, cut by the tokenizer where it has no words of its own."""
    made = record.for_pipe(nlp)
    return nlp.make_doc(made) if isinstance(made, str) else made


def _label(record: Record, name: str | None) -> str | None:
    value = record.kept.get(name) if name else None
    return None if value is None or value == "" else str(value)
