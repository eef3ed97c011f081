"""The words that `dx tune` looks at: a sample of the space, or those of a text."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ...batch.rows import rows_of_file
from ...errors import UsageError
from ...space import Space
from . import Probes, running_text, sampled


def probed_words(
    space: Space, size: int, text: str | None, field: str
) -> tuple[Probes, dict[str, Any]]:  # fmt: skip
    """The words to look at, and what can be told of them."""
    if text is None:
        return running_text(len(space), size), {"source": "the space", "words": size}
    counts, unknown, failed = count_words(text, field, space)
    known = sum(counts.values())
    if not known:
        raise UsageError("`text` has no word that the space holds.")
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
    counts: Counter[int] = Counter()
    unknown = failed = 0
    for documents, lost in rows_of_file(source, "`text`", field=field, space=space):
        failed += lost
        for rows in documents:
            counts.update(rows[rows >= 0].tolist())
            unknown += int((rows < 0).sum())
    return counts, unknown, failed
