"""The data of the tasks: files of the user, or small ones made from the space.

Files are .csv, .tsv (both with a header) or .jsonl. Made data have the space itself as their
standard, so they tell what noise destroys and not how good the space is:

word pairs       a word and one of its 20 nearest, or two at random; the score is their cosine
sentence pairs   two texts made as below; the score is the cosine of their mean vectors
texts            three sentences about one of TOPICS, its words among the 40 nearest to the topic
sets, odd one    four words of one class of the space and one of another; in a space without
                 classes, a word with its three nearest, and one at random
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import srsly

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ...errors import DxError, Errors
from ...randomness import Rng
from ...space import Space
from ...ty import Mechanism
from ...validate import fail
from ..report.pairs import Pair, Token, tokenizer, tokens_of
from ..tuning import nearest_others
from .options import Options

TOPICS = {"health": "doctor", "sport": "football", "food": "soup", "money": "bank"}
SENTENCES = (
    "They talked about the {} and the {} with a {}.",
    "After the {} she asked for a {} near the {}.",
    "There was no {} in the {}, and the {} came late.",
    "He wrote that the {} was better than any {} or {}.",
)
TOPIC_WORDS, FREQUENT = 40, 5000
FOLDS = 5
CLASSES = (
    "month", "weekday", "country", "city", "first_name", "nationality", "unit", "title",
    "number", "preposition",
)  # fmt: skip


class Pairs(NamedTuple):
    """Two things each, and how alike they are held to be. sides: two lists as long as scores."""

    sides: tuple[list[str], list[str]]
    scores: Floats1d
    made: bool


class Texts(NamedTuple):
    """Texts, their classes where they have any; made: whether they were made of the space."""

    texts: list[str]
    labels: list[str] | None
    made: bool


class Sets(NamedTuple):
    """rows: int64 (k, m), words of the space, the odd one last."""

    rows: Ints2d
    made: bool


def texts_of(options: Options, space: Space, *, labelled: bool = False) -> Texts:
    """As many as `documents` at most, spread over the file. Raises DxError where there are no
    labels, and they are asked for."""
    if options.text is None:
        return made_texts(space, options.documents)
    if labelled and options.label is None:
        raise DxError(Errors.DX082.format(what="texts with classes", option="a `label`"))
    names = [options.field] + ([options.label] if options.label else [])
    entries = some_of(read_fields(options.text, names), options.documents)
    labels = [str(entry[1]) for entry in entries] if options.label else None
    return Texts([str(entry[0]) for entry in entries], labels, False)


def word_pairs_of(options: Options, space: Space) -> Pairs:
    """Pairs of words with a score of likeness: those that were given, or made ones."""
    size = 5 * options.documents
    if options.word_pairs is not None:
        return _read_pairs(options.word_pairs, ("word1", "word2", "score"), size)
    return made_word_pairs(space, size)


def sentence_pairs_of(options: Options, space: Space) -> Pairs:
    """Pairs of sentences with a score of likeness: those that were given, or made ones without."""
    if options.sentence_pairs is not None:
        names = ("text1", "text2", "score")
        return _read_pairs(options.sentence_pairs, names, options.documents)
    texts = made_texts(space, 2 * options.documents).texts
    # Neighbours in the list are of one topic half of the time.
    return Pairs((texts[0::2], texts[1::2]), np.full(len(texts) // 2, np.nan), True)


def sets_of(options: Options, space: Space) -> Sets:
    """Sets of which the space has all words. Raises DxError where it has none."""
    size = 2 * options.documents
    if options.odd is None:
        return made_sets(space, size)
    entries = read_fields(options.odd, ("words", "odd"))
    found = [[space.find(w) for w in [*str(words).split(), str(odd)]] for words, odd in entries]
    known = [rows for rows in found if min(rows) >= 0 and len(rows) == len(found[0])]
    if not known:
        raise DxError(Errors.DX081.format(path=options.odd, what="set of words"))
    return Sets(np.array(some_of(known, size), dtype=np.int64), False)


# -- files -----------------------------------------------------------------------------------------


def read_fields(path: Path, names: Sequence[str]) -> list[list[Any]]:
    """These fields of each record. Raises DxError where one is missing or there is no record, for
    other kinds of files, and OSError."""
    if path.suffix not in (".csv", ".tsv", ".jsonl"):
        raise fail(str(path), "a .csv, .tsv or .jsonl file", path.suffix)
    try:
        entries = _entries(path)
    except (ValueError, csv.Error):
        # What the parsers say may quote the text.
        raise fail(str(path), f"valid {path.suffix} in UTF-8", "something else") from None
    for number, entry in enumerate(entries, 1):
        missing = [name for name in names if not isinstance(entry, dict) or entry.get(name) is None]
        if missing:
            raise DxError(Errors.DX080.format(path=path, number=number, field=missing[0]))
    if not entries:
        raise fail(str(path), "one record or more", "none")
    return [[entry[name] for name in names] for entry in entries]


def _entries(path: Path) -> list[Any]:
    if path.suffix == ".jsonl":
        return list(srsly.read_jsonl(path))
    with path.open(newline="", encoding="utf8") as file:
        return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


def _read_pairs(path: Path, names: tuple[str, str, str], size: int) -> Pairs:
    entries = some_of(read_fields(path, names), size)
    try:
        scores = np.array([float(entry[2]) for entry in entries])
    except (TypeError, ValueError):
        raise fail(f"{names[2]} in {path}", "a number", "something else") from None
    return Pairs(([str(e[0]) for e in entries], [str(e[1]) for e in entries]), scores, False)


def some_of(entries: list[Any], size: int) -> list[Any]:
    """`size` of them at most, evenly spread: files are often sorted."""
    if len(entries) <= size:
        return entries
    return [entries[i] for i in np.linspace(0, len(entries) - 1, size).astype(int)]


# -- made from the space ---------------------------------------------------------------------------


def made_texts(space: Space, size: int) -> Texts:
    """Raises DxError where the space lacks the words of two topics or more."""
    seeds = {topic: space.find(word) for topic, word in TOPICS.items()}
    known = {topic: row for topic, row in seeds.items() if row >= 0}
    if len(known) < 2:
        raise DxError(Errors.DX082.format(what="texts", option="a `text` and its `label`"))
    frequent = min(len(space), 4 * FREQUENT)
    rows = np.array(list(known.values()))
    near = nearest_others(space.vectors, rows, min(200, len(space) - 1))
    words = {
        topic: [space.words[row] for row in some if row < frequent][:TOPIC_WORDS]
        for topic, some in zip(known, near, strict=True)
    }
    random = Rng(seed=0).generator
    labels = [str(topic) for topic in random.choice(list(known), size)]
    texts = [" ".join(_sentence(words[label], random) for _ in range(3)) for label in labels]
    return Texts(texts, labels, True)


def _sentence(words: list[str], random: np.random.Generator) -> str:
    pattern = SENTENCES[random.integers(len(SENTENCES))]
    return pattern.format(*(words[i] for i in random.integers(len(words), size=3)))


def made_word_pairs(space: Space, size: int) -> Pairs:
    """Pairs of frequent words, half of them near, scored by their cosine."""
    random, n = Rng(seed=0).generator, min(len(space), FREQUENT)
    first = random.choice(n, min(size, n), replace=False)
    near = nearest_others(space.vectors, first, min(20, len(space) - 1))
    others = near[np.arange(len(first)), random.integers(near.shape[1], size=len(first))]
    second = np.where(random.random(len(first)) < 0.5, others, random.integers(n, size=len(first)))
    words = space.words
    X = space.vectors / np.linalg.norm(space.vectors, axis=1, keepdims=True).clip(1e-30)
    cosines = np.einsum("kd,kd->k", X[first], X[second], dtype=np.float64)
    return Pairs(([words[r] for r in first], [words[r] for r in second]), cosines, True)


def made_sets(space: Space, size: int) -> Sets:
    """Sets of three words of one group, or neighbours, and one other: rows of the space (size,
    4)."""
    random = Rng(seed=0).generator
    groups = _groups(space)
    if len(groups) < 2:
        first = random.choice(len(space), min(size, len(space)), replace=False)
        near = nearest_others(space.vectors, first, min(3, len(space) - 1))
        odd = random.integers(len(space), size=len(first))
        return Sets(np.column_stack([first, near, odd]), True)
    sets = []
    for _ in range(size):
        mine, other = random.choice(len(groups), 2, replace=False)
        same = random.choice(groups[mine], 4, replace=False)
        sets.append([*same, random.choice(groups[other])])
    return Sets(np.array(sets, dtype=np.int64), True)


def _groups(space: Space) -> list[Ints1d]:
    """The frequent words of a class and of no other of CLASSES."""
    if space.classes is None:
        return []
    names = list(space.class_names)
    bits = space.classes[:FREQUENT]
    has = {
        name: (bits >> np.uint64(names.index(name))) & np.uint64(1) > 0
        for name in CLASSES
        if name in names
    }
    alone = np.sum(list(has.values()), axis=0) == 1
    groups = [np.flatnonzero(mask & alone) for mask in has.values()]
    return [group for group in groups if len(group) >= 8]


# -- texts as rows of a space, and with other words in their places --------------------------------


@dataclass(frozen=True)
class Documents:
    """documents: their tokens, without the words that the space lacks: left as they are, they would
    tell more than any mechanism. rows: of all words, one document after the other; places:
    (document, token) of each. labels: None where documents have no class. left_out: how many words.
    """

    documents: list[list[Token]]
    rows: Ints1d
    places: list[tuple[int, int]]
    labels: list[str] | None
    left_out: int

    @property
    def by_document(self) -> list[Ints1d]:
        """The rows of each document."""
        which = np.array([document for document, _ in self.places], dtype=np.int64)
        return [self.rows[which == i] for i in range(len(self.documents))]

    def pairs(self, after: list[list[Token]]) -> list[Pair]:
        """The documents, and what became of each token."""
        labels: Sequence[str | None] = self.labels or [None] * len(self.documents)
        both = zip(self.documents, after, labels, strict=True)
        return [Pair(old, new, list(range(len(old))), label) for old, new, label in both]


def make_documents(texts: Texts, space: Space) -> Documents:
    """The texts as rows of the space. Words that it lacks are left out, and counted."""

    nlp, find = tokenizer(), cache(partial(row_of, space))
    documents: list[list[Token]] = []
    rows, places, left_out = [], [], 0
    for text in texts.texts:
        tokens = tokens_of(nlp.make_doc(text))
        known = [token for token in tokens if not token.word or find(token) >= 0]
        left_out += len(tokens) - len(known)
        for j, token in enumerate(known):
            if token.word:
                rows.append(find(token))
                places.append((len(documents), j))
        documents.append(known)
    return Documents(documents, np.array(rows, dtype=np.int64), places, texts.labels, left_out)


def row_of(space: Space, token: Token) -> int:
    """The row of a token as it is written, or else in its norm; -1 where the space has neither."""
    row = space.find(token.text)
    return row if row >= 0 else space.find(token.norm)


def sanitized_pairs(corpus: Documents, mechanism: Mechanism, space: Space, rng: Rng) -> list[Pair]:
    """Every word is drawn anew. One that is drawn as itself keeps its letters."""
    drawn = mechanism.sample(corpus.rows, rng).rows
    after = [list(tokens) for tokens in corpus.documents]
    for row, new, (i, j) in zip(corpus.rows, drawn, corpus.places, strict=True):
        if new != row:
            word = space.words[new]
            after[i][j] = after[i][j]._replace(text=word, norm=word.lower())
    return corpus.pairs(after)


def mean_vectors(documents: Sequence[Ints1d], X: Floats2d) -> Floats2d:
    """(documents, d): the mean of the vectors of each; zeros for one without words."""
    return np.stack(
        [X[rows].mean(axis=0) if len(rows) else np.zeros(X.shape[1], X.dtype) for rows in documents]
    )


# -- scores of vectors -----------------------------------------------------------------------------


def unit(X: Floats2d) -> Floats2d:
    """X (..., d) -> the same with rows of norm 1; rows of norm 0 stay."""
    U: Floats2d = X / np.linalg.norm(X, axis=-1, keepdims=True).clip(1e-30)
    return U


def spearman(A: Floats2d, B: Floats2d, scores: Floats1d) -> float:
    """Of the cosines of the rows of A and B (k, d) with scores (k,)."""
    from scipy.stats import spearmanr

    cosines = np.einsum("kd,kd->k", unit(A), unit(B), dtype=np.float64)
    return float(spearmanr(cosines, scores).statistic)


def odd_found(X: Floats2d, *, rows: Ints2d) -> float:
    """rows: (k, m), the odd word last -> how often it is the one least like the others."""
    U = unit(X[rows].astype(np.float64))
    likeness = np.einsum("kmd,kjd->km", U, U)
    return float(np.mean(likeness.argmin(axis=1) == rows.shape[1] - 1))


def accuracy(X: Floats2d, labels: Any) -> float:
    """Of a linear classifier, cross-validated on FOLDS fixed folds."""
    from ..report.metrics import need

    need("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    return float(cross_val_score(model, X, labels, cv=folds).mean())
