"""Documents before and after sanitising: their tokens aligned, and the utility of the release.

A sanitizer keeps the number of tokens, but a written text may be tokenised differently. So tokens
are aligned within the text between blanks if possible, else by similarity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from spacy.tokens import Doc

from ...config.options import FileOptions
from ...errors import UsageError
from ...io.jobs import FORMAT_OF_ENDING, Job, files_in, plan_jobs
from ...io.records import nlp_inputs
from ...space import Space
from ..corpus import Interval, encode_values, linear_model, macro_f1, released_records, tokenizer

if TYPE_CHECKING:  # torch is imported when a model is opened
    from ..transformer import CausalModel

UNPAIRED = -1


class Token(NamedTuple):
    """A token, the blank after it, and whether it is a word."""

    text: str
    blank: str
    word: bool


@dataclass(frozen=True)
class Pair:
    """A document before and after. partners[i]: the token of `after` for before[i], or
    UNPAIRED. label: its class, if any."""

    before: list[Token]
    after: list[Token]
    partners: list[int]
    label: str | None = None

    @property
    def texts(self) -> tuple[str, str]:
        """The text before, and after."""
        sides = self.before, self.after
        before, after = ("".join(t.text + t.blank for t in side) for side in sides)
        return before, after

    def words(self) -> Iterator[tuple[str, str]]:
        """Yield each word of the original and its replacement, or ""."""
        for token, partner in zip(self.before, self.partners, strict=True):
            if token.word:
                yield token.text, "" if partner == UNPAIRED else self.after[partner].text

    def kept(self) -> tuple[int, int]:
        """Return the number of unchanged words, and of all words."""
        unchanged = [_is_same(old, released) for old, released in self.words()]
        return sum(unchanged), len(unchanged)

    def changes(self) -> tuple[list[bool], list[bool]]:
        """Return whether each token of `before` was changed, and each of `after`."""
        old = [
            p == UNPAIRED or not _is_same(token.text, self.after[p].text)
            for token, p in zip(self.before, self.partners, strict=True)
        ]
        unchanged = {p for p, changed in zip(self.partners, old, strict=True) if not changed}
        return old, [i not in unchanged for i in range(len(self.after))]


def _is_same(old: str, released: str) -> bool:
    return old.lower() == released.lower()  # capitals depend on the new sentence


def make_pair(
    before: Doc, after: Doc, *, tokens_are_given: bool = False, label: str | None = None
) -> Pair:
    """Align a document with its release. tokens_are_given: whether tokens are the sanitizer's."""
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
    partners = [UNPAIRED] * len(old)
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


def plan_sources(before: Path, after: Path) -> list[Job]:
    """Return a job for each pair of files. Raise UsageError for missing or unknown files."""
    for path in (before, after):
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder.")
    if before.is_dir() != after.is_dir():
        raise UsageError("BEFORE and AFTER must both be files or both be folders.")
    if not before.is_dir():
        return [_source(before, after)]
    # In the order of `dx sanitize`, by which its receipt lists failed records.
    names = [path.relative_to(before) for path in files_in(before, None)]
    return [_source(before / name, after / name) for name in names]


def _source(before: Path, after: Path) -> Job:
    read_before = plan_jobs(str(before), None)[0].read_as
    ending = after.suffix.lower()
    if ending not in FORMAT_OF_ENDING:
        raise UsageError(
            f"{after}: AFTER must be a folder or end in {', '.join(FORMAT_OF_ENDING)}."
        )
    return Job(before, after, read_before, FORMAT_OF_ENDING[ending])


def read_pairs(
    sources: Sequence[Job],
    fields: FileOptions,
    *,
    label: str | None = None,
    failed: Sequence[Iterable[int]] | None = None,
) -> Iterator[Pair]:
    """Yield the documents of all sources, in order. label: the field of BEFORE with the class of a
    document. failed: numbers of unreleased records of each source; None if unknown."""
    if failed is not None and len(failed) != len(sources):
        raise UsageError(
            f"the receipt covers {len(failed)} file(s), and BEFORE has {len(sources)}."
        )
    if label is not None and any(s.read_as not in ("jsonl", "csv") for s in sources):
        raise UsageError("`label` needs .jsonl or .csv files.")
    nlp = tokenizer()
    files = FileOptions(field=fields.field, keep_fields=(label,) if label else ())
    for i, source in enumerate(sources):
        lost = set() if failed is None else set(failed[i])
        before, after = Path(source.source or ""), Path(source.target or "")
        if 0 in lost and not after.exists():
            continue
        for old, released in released_records(before, after, files, lost):
            name = old.origin.entry.get(label) if label else None
            for docs in zip(nlp_inputs(nlp, old), nlp_inputs(nlp, released), strict=False):
                yield make_pair(
                    *(nlp(doc) for doc in docs),
                    tokens_are_given=source.write_as == "spacy",
                    label=None if name in (None, "") else str(name),
                )


# -- utility --------------------------------------------------------------------------


@dataclass(frozen=True)
class Utility:
    """Figures of a release. changed: number of words. aligned: documents with as many tokens.
    similarity: the mean cosine of words and their replacements."""

    documents: int
    words: int
    changed: int
    aligned: int
    similarity: float | None

    @property
    def kept(self) -> float:
        """The retention rate of words, 0 to 1; nan without words."""
        return 1 - self.changed / self.words if self.words else float("nan")


def utility_of(
    pairs: Sequence[Pair],
    space: Space,
    *,
    progress: Callable[[Iterable[Pair]], Iterable[Pair]] = iter,
) -> Utility:
    """Measure pairs, with similarity in the space; progress wraps the documents, as tqdm does."""
    counts = np.array([pair.kept() for pair in progress(pairs)], dtype=np.int64).reshape(-1, 2)
    kept, words = counts.sum(axis=0).tolist()
    aligned = sum(pair.partners == list(range(len(pair.after))) for pair in pairs)
    return Utility(len(pairs), words, words - kept, aligned, _similarity(pairs, space))


def _similarity(pairs: Sequence[Pair], space: Space) -> float | None:
    """Return the mean cosine of words and their replacements; None without known vectors."""
    find, lengths = cache(space.find), np.linalg.norm(space.vectors, axis=1, keepdims=True)
    X = space.vectors / np.where(lengths > 0, lengths, 1)
    places = [(find(old), find(replacement)) for pair in pairs for old, replacement in pair.words()]
    row_pairs = np.array([rows for rows in places if min(rows) >= 0], dtype=np.int64).reshape(-1, 2)
    cosines = np.einsum("kd,kd->k", X[row_pairs[:, 0]], X[row_pairs[:, 1]])
    return float(cosines.mean()) if len(cosines) else None


# Texts to train and to test on: 0 is the original, 1 the release.
ROUTES = {
    "trained on the original, tested on the original": (0, 0),
    "trained on the sanitised text, tested on sanitised text": (1, 1),
    "trained on the sanitised text, tested on the original": (1, 0),
}


def scores_of(pairs: Sequence[Pair]) -> dict[str, Interval]:
    """Return the macro F1 of a linear classifier of labels for each of ROUTES, by cross-validation,
    without classes of one document. Raise UsageError for fewer than two classes."""
    from sklearn.model_selection import StratifiedKFold

    counts = Counter(pair.label for pair in pairs if pair.label is not None)
    chosen = [pair for pair in pairs if pair.label is not None and counts[pair.label] > 1]
    y = encode_values([pair.label or "" for pair in chosen], "label")
    texts = [np.array(side, dtype=object) for side in zip(*(p.texts for p in chosen), strict=True)]
    guesses = {route: np.empty_like(y) for route in ROUTES}
    # A fixed split makes the figures repeatable.
    folds = StratifiedKFold(min(5, *np.bincount(y)), shuffle=True, random_state=0)
    for train, test in folds.split(y, y):
        models = [linear_model(letters=False).fit(side[train], y[train]) for side in texts]
        for route, (on, against) in ROUTES.items():
            guesses[route][test] = models[on].predict(texts[against][test])
    return {route: macro_f1(y, guess) for route, guess in guesses.items()}


@dataclass(frozen=True)
class Judgement:
    """Negative log-likelihood of texts before and after, nats per original word, under a model."""

    model: str
    before: float
    after: float


def judge_texts(
    model: CausalModel, before: Sequence[str], after: Sequence[str]
) -> Judgement | None:
    """Score texts by a local model; None for texts without a word."""
    words = sum(len(text.split()) for text in before)
    if not words:
        return None
    nats = [float(model.nats(model.encode(texts)).sum()) / words for texts in (before, after)]
    return Judgement(model.name, nats[0], nats[1])
