"""The words of a file as rows of a space: what `dx tune --text` and `dx attack` look at."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import spacy
from spacy.attrs import LOWER, NORM, ORTH
from spacy.language import Language

from ..arrays import Ints1d
from ..errors import UsageError
from ..selection import AllWords
from ..space import Space
from .build import NO_LIMIT
from .jobs import plan_jobs
from .records import Fields, Record, chunks, read
from .stream import ZONE_CHARACTERS, ZONE_DOCUMENTS, zone


def rows_of_file(
    source: str, taker: str, *, field: str, space: Space, lines: bool = False
) -> Iterator[tuple[list[Ints1d], int]]:
    """Part by part, the rows of every document, -1 where the space lacks a word, punctuation left
    out; and how many records could not be read. taker: who takes the file, for the message.

    Raises UsageError where there is no such file, or of another kind, or it is a folder.
    """
    if source != "-" and Path(source).is_dir():
        raise UsageError(f"{taker} takes one file, and this is a folder.")
    (job,) = plan_jobs(source, None, lines=lines)
    nlp = spacy.blank("en")
    nlp.max_length = NO_LIMIT
    handle = sys.stdin.buffer if job.source is None else job.source.open("rb")
    with handle:
        records = read(handle, job.read_as, Fields(field))
        for some in chunks(records, characters=ZONE_CHARACTERS, most=ZONE_DOCUMENTS):
            good = [record for record in some if not record.problem]
            yield _rows(nlp, good, space), len(some) - len(good)


def _rows(nlp: Language, records: list[Record], space: Space) -> list[Ints1d]:
    found = []
    with zone(nlp), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy's may quote tokens
        for doc in nlp.pipe(record.for_pipe(nlp.vocab) for record in records):
            ids = doc.to_array([ORTH, NORM, LOWER])[AllWords().select(doc)]
            found.append(space.find_ids(*np.ascontiguousarray(ids.T)))
    return found
