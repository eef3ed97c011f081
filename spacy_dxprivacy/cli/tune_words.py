"""The words that `dx tune` looks at: a sample of the space, or those of a text."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.attrs import LOWER, NORM, ORTH

from ..selection import AllWords
from ..space import Space
from ..tuning import Probes, running_text, sampled
from .pipeline import NO_LIMIT
from .plan import UsageError, plan_jobs
from .records import Fields, Record, chunks, read
from .stream import ZONE_CHARACTERS, ZONE_DOCUMENTS, zone


def probed_words(
    space: Space, size: int, text: str | None, field: str
) -> tuple[Probes, dict[str, Any]]:  # fmt: skip
    """The words to look at, and what can be told of them."""
    if text is None:
        return running_text(len(space), size), {"source": "the space", "words": size}
    counts, unknown, failed = count_words(text, field, space)
    known = sum(counts.values())
    if not known:
        raise UsageError("--text has no word that the space holds.")
    rows = np.array(sorted(counts), dtype=np.int64)
    probes = sampled(rows, [counts[row] for row in rows.tolist()], min(size, known))
    about = {
        "source": "a text",
        "words": probes.size,
        "words_of_text": known + unknown,
        "unknown": unknown,
        "records_that_failed": failed,
    }
    return probes, about


def count_words(source: str, field: str, space: Space) -> tuple[Counter[int], int, int]:
    """How often each row of the space comes in a file; how many words it lacks; how many records
    could not be read. Raises UsageError where there is no such file, or of another kind."""
    if source != "-" and Path(source).is_dir():
        raise UsageError("--text takes one file, and this is a folder.")
    (job,) = plan_jobs(source, None)
    counts: Counter[int] = Counter()
    unknown = failed = 0
    nlp = spacy.blank("en")
    nlp.max_length = NO_LIMIT
    handle = sys.stdin.buffer if job.source is None else job.source.open("rb")
    with handle:
        records = read(handle, job.read_as, Fields(field))
        for some in chunks(records, characters=ZONE_CHARACTERS, most=ZONE_DOCUMENTS):
            failed += sum(bool(record.problem) for record in some)
            rows = _rows(nlp, [record for record in some if not record.problem], space)
            counts.update(rows[rows >= 0].tolist())
            unknown += int((rows < 0).sum())
    return counts, unknown, failed


def _rows(nlp: Any, records: list[Record], space: Space) -> Any:
    """The row of every word but punctuation, -1 where the space lacks it."""
    found = [np.zeros(0, dtype=np.int64)]
    with zone(nlp), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy's may quote tokens
        for doc in nlp.pipe(record.for_pipe(nlp.vocab) for record in records):
            ids = doc.to_array([ORTH, NORM, LOWER])[AllWords().select(doc)]
            found.append(space.find_ids(*np.ascontiguousarray(ids.T)))
    return np.concatenate(found)
