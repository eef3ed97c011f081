"""The words of a file as rows of a space: what `dx tune --text` and `dx attack` look at."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ..arrays import Bools1d, Ints1d
from ..batch.build import NO_LIMIT
from ..batch.jobs import opened, plan_jobs
from ..batch.record import Record, chunks
from ..batch.stream import ZONE_CHARACTERS, ZONE_DOCUMENTS, zone
from ..config import FileConfig
from ..errors import UsageError
from ..pipeline.draw import passage
from ..pipeline.select import AllWords
from ..pipeline.write import clear_before
from ..space import Space

# Of a document: rows, where its sentences begin, and what stands in clear before each word.
Words = tuple[Ints1d, Bools1d, list[str]]


def rows_of_file(
    source: str, taker: str, *, field: str, space: Space, lines: bool = False
) -> Iterator[tuple[list[Ints1d], int]]:
    """Part by part, the rows of every document, -1 where the space lacks a word, punctuation left
    out; and how many records could not be read. taker: who takes the file, for the message.

    Raises UsageError where there is no such file, or of another kind, or it is a folder.
    """
    parts = sentences_of_file(source, taker, field=field, space=space, lines=lines)
    return (([rows for rows, *_ in documents], lost) for documents, lost in parts)


def sentences_of_file(
    source: str, taker: str, *, field: str, space: Space, lines: bool = False
) -> Iterator[tuple[list[Words], int]]:
    """The same, and for each row whether a sentence begins there, by the layout, as mechanisms are
    told that draw whole sentences, and the marks and blanks before it. Raises UsageError as
    rows_of_file does."""
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
