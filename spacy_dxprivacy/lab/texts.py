"""Texts with fields, their releases, and linear models of them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language

from ..arrays import Ints1d
from ..errors import UsageError
from ..io.build import NO_LIMIT
from ..pipeline.unknown import REDACTED
from ..space import Space
from ..space.sources import SpaceSource
from ..ty import Mechanism
from .mechanisms import quiet

SEED = 1
DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read_fields(path: Path, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the fields of the rows of a .csv, .tsv or .jsonl file that have all of them.

    names: of fields; with dots for fields within fields (.jsonl), or the number of a column, from
    1. Raises UsageError for another kind of file, and for a field that no row has.
    """
    ending, missing = path.suffix.lower(), None
    if ending not in (*DELIMITERS, ".jsonl"):
        raise UsageError(f"{path.name}: must be .csv, .tsv or .jsonl.")
    if not path.is_file():
        raise UsageError(f"{path}: no such file.")
    with path.open(encoding="utf8", newline="") as file:
        try:
            for row in _rows(file, DELIMITERS.get(ending)):
                values = [_value(row, name) for name in names]
                absent = {name for name, v in zip(names, values, strict=True) if v is None}
                missing = absent if missing is None else missing & absent
                found = tuple(str(v) for v in values if v is not None and str(v).strip())
                if len(found) == len(names):
                    yield found
        except (ValueError, TypeError, csv.Error):
            raise UsageError(f"{path.name}: is not valid {ending}.") from None
    if missing:
        raise UsageError(f"{path.name}: no field {min(missing)!r} in any row.")


def _rows(file: Any, delimiter: str | None) -> Iterator[dict[str, Any]]:
    if delimiter is None:
        yield from (json.loads(line) for line in file if line.strip())
        return
    rows = csv.DictReader(file, delimiter=delimiter)
    numbers = {str(i): name for i, name in enumerate(rows.fieldnames or (), 1)}
    for row in rows:
        yield {number: row[name] for number, name in numbers.items()} | row


def _value(row: dict[str, Any], name: str) -> Any:
    """The value of a field, or of one within fields; None where there is none."""
    if name in row:
        return row[name]
    inner: Any = row
    for part in name.split("."):
        inner = inner.get(part) if isinstance(inner, dict) else None
    return inner


def tokenizer() -> Language:
    """Return the default tokenizer of `dx sanitize`; the mark for unknown words stays whole."""
    nlp = spacy.blank("en")
    nlp.max_length = NO_LIMIT
    rules: Any = nlp.tokenizer
    rules.add_special_case(REDACTED, [{"ORTH": REDACTED}])
    return nlp


def coded(column: Sequence[str], name: str, *, alone: bool = False) -> Ints1d:
    """Return numbers from 0 for the values. Raise UsageError where they cannot be learned. alone:
    whether some values may have a single text."""
    if not column:
        raise UsageError(f"no row has a text and the field {name!r}.")
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
