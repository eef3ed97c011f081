"""Texts as arrays: what an attacker wants to know, and what it gets to see."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats2d, Ints1d, blocks
from ..config import FileConfig
from ..errors import UsageError
from ..io.build import NO_LIMIT
from ..io.jobs import opened, plan_jobs
from ..io.record import Record, chunks
from ..io.stream import ZONE_CHARACTERS, ZONE_DOCUMENTS, zone
from ..pipeline.draw import LONGEST, passage
from ..pipeline.select import AllWords
from ..pipeline.write import clear_before
from ..space import Space
from ..ty import Draw, Mechanism
from ..validate import fail, one_of

if TYPE_CHECKING:
    from ..privacy.randomness import Rng

SCOPES = ("token", "type")
AT_ONCE = 2**15  # words drawn at once
# Of a document: rows, -1 where the space lacks a word; where its sentences begin, by the layout, as
# mechanisms are told that draw whole sentences; and what stands in clear before each word.
Words = tuple[Ints1d, Bools1d, list[str]]


def read_corpus(source: str, space: Space, *, field: str = "text", lines: bool = False) -> Corpus:
    """The words of a file, or of stdin for "-", in their sentences. Raises UsageError where it
    cannot be read, DxError where it has no word that the space holds."""
    parts = sentences_of_file(source, "an attack", field=field, lines=lines, space=space)
    documents = [words for some, _ in parts for words in some]
    triples: Any = zip(*documents, strict=True) if documents else ((), (), ())
    return Corpus.of(*triples)


def read_texts(
    source: str, field: str, *, lines: bool = False, most: int | None = None
) -> list[str]:  # fmt: skip
    """The texts of a file, or of stdin for "-", without records that cannot be read. Raises
    UsageError where there is no such file."""
    job = plan_jobs(source, None, lines=lines)[0]
    with opened(job, FileConfig(field=(field,))) as given:
        records = islice(given.records(), most)
        return [r.text or " ".join(r.words or ()) for r in records if not r.problem]


def sentences_of_file(
    source: str, taker: str, *, field: str, space: Space, lines: bool = False
) -> Iterator[tuple[list[Words], int]]:
    """Part by part, of every document its Words, punctuation left out; and how many records could
    not be read. taker: who takes the file, for the message. Raises UsageError where there is no
    such file, or of another kind, or it is a folder."""
    if source != "-" and Path(source).is_dir():
        raise UsageError(f"{taker} takes one file, and this is a folder.")
    (job,) = plan_jobs(source, None, lines=lines)
    nlp = spacy.blank("en")
    nlp.max_length = NO_LIMIT
    with opened(job, FileConfig(field=(field,))) as given:
        for some in chunks(given.records(), characters=ZONE_CHARACTERS, most=ZONE_DOCUMENTS):
            good = [record for record in some if not record.problem]
            yield _words(nlp, good, space), len(some) - len(good)


def _words(nlp: Language, records: list[Record], space: Space) -> list[Words]:
    with zone(nlp), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy's may quote tokens
        docs = nlp.pipe(record.for_pipe(nlp) for record in records)
        return [words_of(doc, space)[:3] for doc in docs]


def words_of(doc: Doc, space: Space) -> tuple[Ints1d, Bools1d, list[str], Ints1d]:
    """Of the k words of a Doc: rows int64 (k,), -1 where the space lacks one; starts bool (k,),
    where sentences begin; what stands in clear before each; and which tokens they are, int64
    (k,)."""
    words = passage(doc, AllWords().select(doc), np.zeros(len(doc), dtype=bool))
    rows = space.find_ids(*np.ascontiguousarray(words.ids.T))
    return rows, words.starts, clear_before(doc, words.places), words.places


@dataclass(frozen=True)
class Corpus:
    """The words of documents, one after another: those that the space holds, in their order.

    rows: int64 (t,), of a space. starts: int64 (documents + 1,), where each begins, and t.
    sentences: bool (t,), True where a sentence begins; every document begins one. before: t
    strings, the marks and blanks that stand before each word in clear.
    """

    rows: Ints1d
    starts: Ints1d
    sentences: Bools1d
    before: tuple[str, ...]

    @classmethod
    def of(
        cls,
        documents: Iterable[Ints1d],
        sentences: Iterable[Bools1d] | None = None,
        before: Iterable[Sequence[str]] | None = None,
    ) -> Corpus:
        """documents: int64 (length,) each. sentences: bool (length,) each, where sentences begin;
        without it a document is one, cut where doc.passages would cut it. before: strings, as many;
        without it blanks, and stops where sentences end. Empty documents, and unknown words (-1),
        are left out."""
        rows = [np.asarray(some, dtype=np.int64) for some in documents]
        begins = [_whole(some) for some in rows] if sentences is None else list(sentences)
        marks = [_marks(some) for some in begins] if before is None else before
        known = [_known(*parts) for parts in zip(rows, begins, marks, strict=True)]
        known = [parts for parts in known if len(parts[0])]
        if not known:
            raise fail("the text", "a word or more that the space holds", "none")
        starts = np.cumsum([0, *(len(some) for some, *_ in known)])
        words, cuts = (np.concatenate([parts[i] for parts in known]) for i in range(2))
        clear = tuple(mark for *_, some in known for mark in some)
        return cls(words, starts.astype(np.int64), cuts, clear)

    def __len__(self) -> int:
        """How many documents."""
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[Ints1d]:
        return iter(np.split(self.rows, self.starts[1:-1]))

    @property
    def doc_of(self) -> Ints1d:
        """int64 (t,): the document of each word."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def first(self, words: int) -> Corpus:
        """The documents from the first on, until they have this many words."""
        enough = int(np.searchsorted(self.starts[1:], words)) + 1
        return self._some(np.arange(len(self)) < enough)

    def opening(self, length: int) -> Corpus:
        """Of each document the words from the first on, as many as this."""
        parts = [
            (rows[:length], begins[:length], marks[:length])
            for rows, begins, marks in self._documents
        ]
        return Corpus.of(*zip(*parts, strict=True))

    def halves(self) -> tuple[Corpus, Corpus | None]:
        """Every second document, and the others; None where there is only one."""
        second = np.arange(len(self)) % 2 == 1
        return self._some(~second), self._some(second) if second.any() else None

    def _some(self, which: Bools1d) -> Corpus:
        wanted = (one for one, wanted in zip(self._documents, which, strict=True) if wanted)
        return Corpus.of(*zip(*wanted, strict=True))

    @property
    def _documents(self) -> Iterator[tuple[Ints1d, Bools1d, tuple[str, ...]]]:
        """Of each its words, where its sentences begin, and what stands before its words."""
        cuts = np.split(self.sentences, self.starts[1:-1])
        spans = pairwise(self.starts.tolist())
        marks = (self.before[a:b] for a, b in spans)
        return zip(self, cuts, marks, strict=True)

    def words(self) -> Ints1d:
        """int64 (t,): a number for each (document, word), the same where a word is repeated in a
        document, from 0 on."""
        keys = np.stack([self.doc_of, self.rows])
        same: Ints1d = np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1)
        return same


def _whole(rows: Ints1d) -> Bools1d:
    begins: Bools1d = np.arange(len(rows)) % LONGEST == 0
    return begins


def _marks(begins: Bools1d) -> list[str]:
    return ["" if i == 0 else ". " if begin else " " for i, begin in enumerate(begins.tolist())]


def _known(
    rows: Ints1d, begins: Bools1d, marks: Sequence[str]
) -> tuple[Ints1d, Bools1d, list[str]]:
    """Without unknown words; a sentence that began with one begins with the next that is known."""
    there = rows >= 0
    sentence = np.cumsum(begins)[there]
    clear = [mark for mark, known in zip(marks, there.tolist(), strict=True) if known]
    return rows[there], np.diff(sentence, prepend=-1) > 0, clear


def draws_sentences(mechanism: Mechanism) -> bool:
    """Whether words of a sentence are drawn together, so that it is told where they begin."""
    return bool(getattr(mechanism, "draws_together", False))


def sanitised(corpus: Corpus, mechanism: Mechanism, rng: Rng, *, scope: str = "token") -> Draw:
    """What is released of each word: outputs (t,), and vectors (t, d) where there are such. As the
    component does it: scope "token" draws every word, in its sentence where the mechanism draws
    such; "type" every distinct word of a document, alone."""
    if one_of("scope", scope, SCOPES) == "token":
        return drawn(mechanism, corpus.rows, rng, corpus.sentences)
    _, firsts, draw_of = np.unique(corpus.words(), return_index=True, return_inverse=True)
    draw = drawn(mechanism, corpus.rows[firsts], rng)
    vectors = None if draw.vectors is None else draw.vectors[draw_of]
    return Draw(draw.rows[draw_of], vectors)


def drawn(
    mechanism: Mechanism, rows: Ints1d, rng: Rng, starts: Bools1d | None = None
) -> Draw:  # fmt: skip
    """mechanism.sample, a part at a time. starts: bool (k,), where sentences begin, for mechanisms
    that draw such; without it words are drawn alone."""
    if starts is not None and draws_sentences(mechanism):
        return Draw(_by_sentences(mechanism, rows, starts, rng))
    parts = blocks(max(1, len(rows)), AT_ONCE)
    draws = [mechanism.sample(rows[part], rng) for part in parts]
    vectors: list[Floats2d] = [draw.vectors for draw in draws if draw.vectors is not None]
    return Draw(
        np.concatenate([draw.rows for draw in draws]), np.concatenate(vectors) if vectors else None
    )


def _by_sentences(mechanism: Any, rows: Ints1d, starts: Bools1d, rng: Rng) -> Ints1d:
    """Parts of about AT_ONCE words, none of which ends within a sentence."""
    number = np.cumsum(starts)
    first = np.flatnonzero(starts)
    part_of = (first // AT_ONCE)[number - 1]
    cuts = np.flatnonzero(np.diff(part_of)) + 1
    pairs = zip(np.split(rows, cuts), np.split(starts, cuts), strict=True)
    return np.concatenate([mechanism.sample(some, rng, begins).rows for some, begins in pairs])


def repeated(
    corpus: Corpus, mechanism: Mechanism, at: tuple[Ints1d, Ints1d], times: int, rng: Rng
) -> Draw:  # fmt: skip
    """Releases of other words in some places of a text: `times` of the first, then of the second.
    Where sentences are drawn, each is released with its whole sentence. at: the places (p,), and
    the words (p,)."""
    places, words = at
    if not draws_sentences(mechanism):
        return drawn(mechanism, np.repeat(words, times), rng)
    first = np.flatnonzero(corpus.sentences)
    last = np.append(first[1:], len(corpus.rows))
    which = np.searchsorted(first, places, side="right") - 1
    rows, starts, wanted, total = [], [], [], 0
    for place, word, a, b in zip(places, words, first[which], last[which], strict=True):
        some = corpus.rows[a:b].copy()
        some[place - a] = word
        wanted.append(total + place - a + np.arange(times) * (b - a))
        rows.append(np.tile(some, times))
        starts.append(np.tile(np.arange(b - a) == 0, times))
        total += times * (b - a)
    out = drawn(mechanism, np.concatenate(rows), rng, np.concatenate(starts))
    return Draw(out.rows[np.concatenate(wanted)])
