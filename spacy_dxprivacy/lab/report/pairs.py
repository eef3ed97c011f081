"""Alignment of documents before and after sanitising, token by token.

A sanitizer keeps the number of tokens, but a text that was written and tokenised again may be cut
in other places. So tokens are matched between blanks where that works, else by similarity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ...config import FileOptions
from ...errors import UsageError
from ...io.jobs import KINDS, Job, files_in, opened, plan_jobs, read
from ...io.records import Failed, Input, Record, Text, doc_of
from ..corpus import tokenizer

NONE = -1


class Token(NamedTuple):
    """A token, the blank after it, and whether it is a word."""

    text: str
    blank: str
    word: bool


@dataclass(frozen=True)
class Pair:
    """A document before and after. partners[i]: the token of `after` for before[i], or NONE.
    label: its class, where it has one."""

    before: list[Token]
    after: list[Token]
    partners: list[int]
    label: str | None = None

    @property
    def texts(self) -> tuple[str, str]:
        """The text before, and after."""
        before, after = (
            "".join(token.text + token.blank for token in side)
            for side in (self.before, self.after)
        )
        return before, after

    @property
    def aligned(self) -> bool:
        """Whether each token has one partner."""
        return self.partners == list(range(len(self.after)))

    def words(self) -> Iterator[tuple[str, str]]:
        """Yield every word of the original and its replacement ("" for none)."""
        for token, partner in zip(self.before, self.partners, strict=True):
            if token.word:
                yield token.text, "" if partner == NONE else self.after[partner].text

    def kept(self) -> tuple[int, int]:
        """Return how many words are unchanged, and how many there are."""
        unchanged = [_is_same(old, released) for old, released in self.words()]
        return sum(unchanged), len(unchanged)

    def changes(self) -> tuple[list[bool], list[bool]]:
        """Return whether each token of `before` was changed, and each of `after`."""
        old = [
            p == NONE or not _is_same(token.text, self.after[p].text)
            for token, p in zip(self.before, self.partners, strict=True)
        ]
        unchanged = {p for p, changed in zip(self.partners, old, strict=True) if not changed}
        return old, [i not in unchanged for i in range(len(self.after))]


def _is_same(old: str, released: str) -> bool:
    return old.lower() == released.lower()  # a sanitizer sets capitals from the new sentence


def make_pair(
    before: Doc, after: Doc, *, tokens_are_given: bool = False, label: str | None = None
) -> Pair:
    """Align a document with its release; tokens_are_given: they are those of the sanitizer."""
    old, released = (
        [Token(t.text, t.whitespace_, not (t.is_punct or t.is_space)) for t in doc]
        for doc in (before, after)
    )
    is_given = tokens_are_given and len(old) == len(released)
    partners = list(range(len(old))) if is_given else _partners(old, released)
    return Pair(old, released, partners, label)


def _partners(old: list[Token], after: list[Token]) -> list[int]:
    groups, after_groups = _groups(old), _groups(after)
    if len(groups) != len(after_groups):
        if len(old) == len(after):
            return list(range(len(old)))
        groups, after_groups = [range(len(old))], [range(len(after))]
    partners = [NONE] * len(old)
    for mine, theirs in zip(groups, after_groups, strict=True):
        if len(mine) == len(theirs):
            blocks = [(mine, theirs)]
        else:
            texts = [old[i].text.lower() for i in mine], [after[j].text.lower() for j in theirs]
            codes = SequenceMatcher(None, *texts).get_opcodes()
            blocks = [(mine[a:b], theirs[c:d]) for _, a, b, c, d in codes]
        for before_range, after_range in blocks:
            for i, j in zip(before_range, after_range, strict=False):
                partners[i] = j
    return partners


def _groups(tokens: list[Token]) -> list[range]:
    """Return the ranges of tokens without a blank between them."""
    ends = [i + 1 for i, token in enumerate(tokens) if token.blank or token.text.isspace()]
    edges = list(dict.fromkeys([0, *ends, len(tokens)]))
    return [range(start, end) for start, end in pairwise(edges)]


@dataclass(frozen=True)
class FilePair:
    """A file and its sanitised version, and their formats as io.jobs.read knows them."""

    before: Path
    after: Path
    read_before: str
    read_after: str


def plan_sources(before: Path, after: Path) -> list[FilePair]:
    """Return the pairs of files; raise UsageError for missing, unknown or unlike ones."""
    for path in (before, after):
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder.")
    if before.is_dir() != after.is_dir():
        raise UsageError("BEFORE and AFTER must both be files or both be folders.")
    if not before.is_dir():
        return [_source(before, after)]
    # In the order of `dx sanitize`, by which its receipt says which records failed.
    names = [path.relative_to(before) for path in files_in(before, None)]
    return [_source(before / name, after / name) for name in names]


def _source(before: Path, after: Path) -> FilePair:
    read_before = plan_jobs(str(before), None)[0].read_as
    ending = after.suffix.lower()
    if ending not in KINDS:
        raise UsageError(f"{after}: AFTER must be a folder or end in {', '.join(KINDS)}.")
    return FilePair(before, after, read_before, KINDS[ending])


def read_pairs(
    sources: Sequence[FilePair],
    fields: FileOptions,
    *,
    label: str | None = None,
    failed: Sequence[Iterable[int]] | None = None,
) -> Iterator[Pair]:
    """Yield the documents of all sources, in order.

    label: the field of BEFORE with the class of a document. failed: for each source, the numbers of
    records of which nothing was written; None where that is unknown.
    """
    if failed is not None and len(failed) != len(sources):
        raise UsageError(
            f"the receipt covers {len(failed)} file(s), and BEFORE has {len(sources)}."
        )
    if label is not None and any(s.read_before not in ("jsonl", "csv") for s in sources):
        raise UsageError("`label` needs .jsonl or .csv files.")
    nlp = tokenizer()
    for i, source in enumerate(sources):
        lost = set() if failed is None else set(failed[i])
        keep = (label,) if label else ()
        wanted = FileOptions(field=fields.field, keep_fields=keep)
        yield from _of_source(nlp, source, wanted, lost)


def _of_source(
    nlp: Language, source: FilePair, fields: FileOptions, lost: set[int]
) -> Iterator[Pair]:
    records = _records(source.before, source.read_before, fields)
    readable = [record for record in records if isinstance(record, Record)]
    before = (
        []
        if 0 in lost
        else [
            (record, text)
            for record in readable
            if record.number not in lost
            for text in record.texts
        ]
    )
    if not before and not source.after.exists():
        return
    after = list[tuple[Record, Text]]()
    for record in _records(source.after, source.read_after, FileOptions(field=fields.field)):
        if isinstance(record, Failed):
            raise UsageError(f"{source.after}, record {record.number}: {record.why}")
        after += [(record, text) for text in record.texts]
    if len(before) != len(after):
        raise UsageError(
            f"{source.before} has {len(before)} document(s) that can be read, and {source.after} "
            f"{len(after)}. If some failed, give the `receipt`."
        )
    tokens_are_given = source.read_after == "spacy"
    for old, released in zip(before, after, strict=True):
        docs = (nlp(doc_of(nlp, text, record.data)) for record, text in (old, released))
        label = old[0].origin.entry.get(fields.keep_fields[0]) if fields.keep_fields else None
        named = None if label is None or label == "" else str(label)
        yield make_pair(*docs, tokens_are_given=tokens_are_given, label=named)


def _records(path: Path, kind: str, fields: FileOptions) -> Iterator[Input]:
    try:
        with opened(Job(path, None, kind, kind)) as handle:
            yield from read(handle, kind, fields)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}.") from None
