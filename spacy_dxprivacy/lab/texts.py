"""Texts with fields, their releases, and linear models of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language

from ..arrays import Floats1d, Ints1d
from ..config import FileOptions
from ..errors import UsageError
from ..io.record import slots_of
from ..space import Space
from ..space.sources import SpaceSource
from ..ty import Mechanism
from .corpus import records_of, tokenizer
from .mechanisms import quiet
from .results import bootstrap

SEED = 1
Interval = tuple[float, float, float]  # a figure, and its 95 % interval


def read_fields(path: Path, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the fields of the rows of a file that have all of them, as `dx sanitize` reads it.

    names: of fields, the first one of the text; with dots for fields within fields (JSON), or the
    number of a column, from 1. Raises UsageError where no row has them.
    """
    empty = True
    for record in records_of(str(path), "a measurement of fields", FileOptions(field=(names[0],))):
        if record.row is None:
            continue
        entry = record.row.entry
        if record.row.names is not None:
            numbers = map(str, range(1, len(entry) + 1))
            entry = dict(zip([*numbers, *record.row.names], [*entry, *entry], strict=True))
        try:
            slots = [slots_of(entry, name)[0] for name in names[1:]]
        except KeyError:
            continue
        values = [record.text, *(holder[place] for holder, place in slots)]
        found = tuple("" if value is None else str(value) for value in values)
        if all(map(str.strip, found)):
            empty = False
            yield found
    if empty:
        raise UsageError(f"{path.name}: no row has all of {', '.join(names)}.")


def coded(column: Sequence[str], name: str, *, alone: bool = False) -> Ints1d:
    """Return numbers from 0 for the values. Raise UsageError where they cannot be learned. alone:
    whether some values may have a single text."""
    counts = Counter(column)
    if len(counts) < 2:
        raise UsageError(f"the field {name!r} must have two values or more.")
    single = sum(number == 1 for number in counts.values())
    if single and not (alone and single < len(counts)):
        raise UsageError(
            f"the field {name!r} must have two texts or more of each value; {single} have one."
        )
    codes = {value: i for i, value in enumerate(sorted(counts))}
    return np.array([codes[value] for value in column])


def sanitizer(config: dict[str, Any], epsilon: float, space: Space) -> tuple[Language, Mechanism]:
    """Return a seeded pipeline and its fitted mechanism. config: as of parse_mechanism."""
    nlp = tokenizer()
    settings = {"mechanism": {**config, "epsilon": epsilon}, "seed": SEED}
    pipe: Any = nlp.add_pipe("dx_sanitizer", config=settings)
    pipe.source = SpaceSource(load=lambda _: space)
    with quiet():
        _ = pipe.terms  # fits it
    return nlp, pipe.mechanism


def linear_model(*, letters: bool = True) -> Any:
    """Return a classifier of texts: words and pairs of words, weighted by TF-IDF. letters: also
    sequences of characters."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.svm import LinearSVC

    parts = [TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\S+")]
    if letters:
        parts += [TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)]
    return make_pipeline(make_union(*parts), LinearSVC(random_state=SEED))


def macro_f1(classes: Ints1d, guess: Ints1d) -> Interval:
    """Return the macro F1 of guesses (n,), and its 95 % interval by resampling the texts."""
    values = np.union1d(classes, guess)
    k, n = len(values), len(classes)
    cells = np.searchsorted(values, classes) * k + np.searchsorted(values, guess)

    def figure(times: Floats1d) -> float:
        table = np.bincount(cells, weights=times, minlength=k * k).reshape(k, k)
        both = table.sum(axis=0) + table.sum(axis=1)
        there = both > 0
        return float((2 * np.diag(table)[there] / both[there]).mean())

    return figure(np.ones(n)), *bootstrap(n, figure)
