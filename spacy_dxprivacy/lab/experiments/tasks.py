"""How useful a release is for a task, and what attackers recover of it: `dx experiment tasks`.

Task: linear classifiers on words and characters (TF-IDF of word pairs and of characters), trained
and tested on the plaintexts and on the release, in all combinations; macro F1 on held-out texts,
with its 95 % interval (Efron 1979).

Author: the same classifiers name the author of a released text. Static: trained on plaintexts.
Adaptive: trained on releases of texts whose author is known.

Words: the recovery rate of the attacker of attacks/reading.py on a part of the texts, of all words
and of rare ones. At an equal attacker: rows between two measured epsilons, interpolated.

What it prints is about these very texts, so it is not private.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Ints1d
from ...errors import DxError, Errors, UsageError
from ...privacy.levels import LEVELS
from ...space import Space
from ...space.sources import SpaceSource
from ..attacks.frontier import Ground, point
from ..corpus import Corpus, words_of
from ..mechanisms import make_mechanism, parse_mechanism
from ..report.pairs import tokenizer
from ..results import Result, Row, draw_lines, finish, legend_below
from .options import Options, experiment, of_space

USUAL = {
    "path": [level.epsilon for level in LEVELS.values()],
    "cus-text": [2.0, 3.0],
    "laplace": [8.0, 10.0],
}
SEED = 1
TESTED = 0.25  # the share of held-out texts
ATTACKED = 1500  # words
RESAMPLES = 1000
EQUAL = (0.5, 0.6)  # recovery rates
TASK = {
    "clear to release": (0, 1),
    "release to clear": (1, 0),
    "release to release": (1, 1),
}
AUTHOR = {"author, static": (0, 1), "author, adaptive": (1, 1)}


@experiment(
    "tasks", "usefulness for a task, and what attackers recover, by mechanism and epsilon",
    "Feyisetan et al. 2020; Chen et al. 2023; Mattern et al. 2022 (authorship)", documents=4000,
)  # fmt: skip
def run(space: Space, options: Options) -> Result:
    """Return a row for each release, the first one for the plaintexts; shown are those and rows at
    an equal attacker.

    Raises UsageError for labels or authors that cannot be learned, and DxError without
    scikit-learn.
    """
    if find_spec("sklearn") is None:
        raise DxError(Errors.DX074.format(what="tasks", package="scikit-learn", extra="sklearn"))
    study = Study.of(space, options)
    cases = [
        (name, epsilon)
        for name in options.mechanisms or USUAL
        for epsilon in options.epsilons or USUAL.get(name, USUAL["path"])
    ]
    measured = [study.row(*case) for case in options.progress(cases, "releases")]
    clear = study.clear()
    rows = [clear, *(row for at in EQUAL for row in at_attacker(measured, at)), *measured]
    draw = partial(_draw, rows=measured, clear=clear)
    return Result([clear, *measured], draw, (8.4, 3.6), study.notes(), rows, digits=4)


@dataclass(frozen=True, eq=False)
class Study:
    """labels, authors: int64 (texts,); authors None where none are sought. train, test: int64, rows
    of texts. ground: what the attack on words is measured on. fitted: models of plaintexts."""

    space: Space
    source: Path
    texts: Sequence[str]
    labels: Ints1d
    authors: Ints1d | None
    train: Ints1d
    test: Ints1d
    ground: Ground
    fitted: dict[int, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, space: Space, options: Options) -> Study:
        """Raise UsageError for texts, labels or authors that cannot be learned."""
        if options.text is None or options.label is None:
            raise UsageError("tasks needs `text` (a file) and `label` (a field).")
        names = [options.field, options.label, *([options.author] if options.author else [])]
        rows = [*read_fields(options.text, names)]
        order = np.random.default_rng(SEED).permutation(len(rows))[: options.documents]
        texts, *columns = zip(*(rows[i] for i in order), strict=True) if rows else [()] * len(names)
        coded = [_coded(column, name) for column, name in zip(columns, names[1:], strict=True)]
        train, test = split(coded[0])
        words = [words_of(doc, space)[:3] for doc in tokenizer().pipe(texts[i] for i in test)]
        ground = Ground(space, Corpus.of(*zip(*words, strict=True)).first(ATTACKED))
        authors = coded[1] if options.author else None
        return cls(space, options.text, texts, coded[0], authors, train, test, ground)

    def row(self, name: str, epsilon: float) -> Row:
        """Return the figures of a release, with the texts as the component writes them."""
        label, config = parse_mechanism(name)
        mechanism = make_mechanism(config, self.space, epsilon)
        found = point(label, mechanism, self.ground, seed=SEED)
        nlp = tokenizer()
        settings = {"mechanism": {**config, "epsilon": epsilon}, "seed": SEED}
        pipe: Any = nlp.add_pipe("dx_sanitizer", config=settings)
        pipe.source = SpaceSource(load=lambda _: self.space)
        released = [doc.text for doc in nlp.pipe(self.texts)]
        return {
            "mechanism": name, "epsilon": epsilon, "recovered": found.found,
            "rare recovered": found.rare_found, "unchanged": found.kept,
            **self._figures(released),
            "recovered low": found.low, "recovered high": found.high, "rare words": found.rare,
            "guarantee": str(mechanism.guarantee),
        }  # fmt: skip

    def clear(self) -> Row:
        """Return the row of the plaintexts."""
        words = len(self.ground.text.rows)
        return {
            "mechanism": "clear text", "epsilon": None, "recovered": 1.0, "rare recovered": 1.0,
            "unchanged": 1.0,
            **self._figures(self.texts),
            "recovered low": 1.0, "recovered high": 1.0,
            "rare words": int(self.ground.rare.sum()), "guarantee": f"none; {words} words attacked",
        }  # fmt: skip

    def notes(self) -> list[str]:
        """Return what the figures were measured on."""
        attacked = self.ground.text
        notes = [
            of_space(self.space),
            f"{len(self.texts):,} texts of {self.source.name}: {len(self.train):,} to train on and "
            f"{len(self.test):,} to test on; {len(np.unique(self.labels))} labels. Macro F1 of a "
            "linear support vector machine on words, pairs of words and characters",
            f"words recovered: of {len(attacked.rows):,} words in {len(attacked)} texts, by an "
            "attacker who knows the mechanism, word pairs, and how often each word comes in them",
        ]
        if self.authors is not None:
            notes.append(
                f"{len(np.unique(self.authors))} authors; static: learned of clear texts, "
                "adaptive: of released ones"
            )
        return notes

    def _figures(self, released: Sequence[str]) -> Row:
        """Macro F1 of each route of the task and of authorship, with its interval."""
        sides = (self.texts, released)
        figures: Row = {}
        for classes, routes in ((self.labels, TASK), (self.authors, AUTHOR)):
            if classes is None:
                continue
            intervals: Row = {}
            for name, (learned, tested) in routes.items():
                model = self._model(sides[learned], classes)
                guess = model.predict([sides[tested][i] for i in self.test.tolist()])
                figures[name], *ends = macro_f1(classes[self.test], np.asarray(guess))
                intervals |= dict(zip((f"{name} low", f"{name} high"), ends, strict=True))
            figures |= intervals
        return figures

    def _model(self, texts: Sequence[str], classes: Ints1d) -> Any:
        """A classifier of the training texts; that of plaintexts is fitted once."""
        if texts is self.texts and id(classes) in self.fitted:
            return self.fitted[id(classes)]
        model = linear_model().fit([texts[i] for i in self.train.tolist()], classes[self.train])
        if texts is self.texts:
            self.fitted[id(classes)] = model
        return model


# -- texts with labels -----------------------------------------------------------------------------


def read_fields(path: Path, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the fields of the rows of a .csv, .tsv or .jsonl file that have all of them.

    Raises UsageError for another kind of file, and for a field that no row has.
    """
    ending = path.suffix.lower()
    if ending not in (".csv", ".tsv", ".jsonl"):
        raise UsageError(f"{path.name}: must be .csv, .tsv or .jsonl.")
    seen: set[str] = set()
    with path.open(encoding="utf8", newline="") as file:
        rows: Any = (
            (json.loads(line) for line in file if line.strip())
            if ending == ".jsonl"
            else csv.DictReader(file, delimiter="\t" if ending == ".tsv" else ",")
        )
        try:
            seen |= set(getattr(rows, "fieldnames", None) or ())
            for row in rows:
                seen |= row.keys()
                found = tuple(str(row[name]) for name in names if row.get(name) not in (None, ""))
                if len(found) == len(names):
                    yield found
        except (ValueError, AttributeError, csv.Error):
            raise UsageError(f"{path.name}: is not valid {ending}.") from None
    missing = [name for name in names if name not in seen]
    if missing:
        raise UsageError(f"{path.name}: no field {missing[0]!r}.")


def _coded(column: Sequence[str], name: str) -> Ints1d:
    """Numbers from 0 for the values. Raise UsageError where they cannot be learned."""
    counts = Counter(column)
    if len(counts) < 2:
        raise UsageError(f"the field {name!r} must have two values or more.")
    alone = sum(number == 1 for number in counts.values())
    if alone:
        raise UsageError(
            f"the field {name!r} must have two texts or more of each value; {alone} have one."
        )
    codes = {value: i for i, value in enumerate(sorted(counts))}
    return np.array([codes[value] for value in column])


def split(labels: Ints1d) -> tuple[Ints1d, Ints1d]:
    """Return the texts to train on and to test on: a share TESTED of each label."""
    order = np.argsort(labels, kind="stable")  # the texts come in an order of chance
    ranks = np.empty(len(labels), dtype=np.int64)
    starts = np.searchsorted(labels[order], labels[order])
    ranks[order] = np.arange(len(labels)) - starts
    counts = np.bincount(labels)
    tested = ranks < np.maximum(1, np.round(TESTED * counts[labels]))
    return np.flatnonzero(~tested), np.flatnonzero(tested)


# -- linear models ---------------------------------------------------------------------------------


def linear_model() -> Any:
    """Return a classifier of texts: words, pairs of words and characters, weighted by TF-IDF."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.svm import LinearSVC

    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\S+")
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
    return make_pipeline(make_union(words, letters), LinearSVC(random_state=SEED))


def macro_f1(classes: Ints1d, guess: Ints1d) -> tuple[float, float, float]:
    """Return the macro F1 of guesses (n,), and its 95 % interval by resampling the texts."""
    values, coded = np.unique(classes, return_inverse=True)
    places = np.searchsorted(values, guess).clip(0, len(values) - 1)
    k, n = len(values), len(classes)
    rng = np.random.default_rng(SEED)
    scores = np.empty(RESAMPLES + 1)
    for i in range(RESAMPLES + 1):
        some = slice(None) if i == 0 else rng.integers(n, size=n)
        table = np.bincount(coded[some] * k + places[some], minlength=k * k).reshape(k, k)
        both = table.sum(axis=0) + table.sum(axis=1)
        there = both > 0
        scores[i] = (2 * np.diag(table)[there] / both[there]).mean()
    low, high = np.quantile(scores[1:], (0.025, 0.975))
    return float(scores[0]), float(low), float(high)


# -- rows between measured ones --------------------------------------------------------------------


def at_attacker(rows: Sequence[Row], share: float) -> list[Row]:
    """Return for each mechanism the row at this recovery rate, interpolated linearly; none for one
    that is not measured on both sides of it."""
    met = []
    for name in dict.fromkeys(row["mechanism"] for row in rows):
        own = sorted((r for r in rows if r["mechanism"] == name), key=lambda row: row["recovered"])
        for a, b in pairwise(own):
            if a["recovered"] <= share <= b["recovered"] and a["recovered"] < b["recovered"]:
                part = (share - a["recovered"]) / (b["recovered"] - a["recovered"])
                numbers = {k: v for k, v in a.items() if isinstance(v, float)}
                mixed = {k: (1 - part) * v + part * b[k] for k, v in numbers.items()}
                met.append({**a, **mixed, "guarantee": f"at {share:.0%} recovered"})
                break
    return met


def _draw(figure: Any, *, rows: Sequence[Row], clear: Row) -> None:
    """Draw macro F1 over the recovery rate, a line for each mechanism."""
    left, right = figure.subplots(1, 2, sharey=True)
    ordered = sorted(rows, key=lambda row: row["recovered"])
    panels = {"release to clear": left, "release to release": right}
    titles = ("trained on the release, tested on clear text", "trained and tested on the release")
    for (column, axes), title in zip(panels.items(), titles, strict=True):
        draw_lines(axes, ordered, ("recovered", column), "mechanism")
        axes.axhline(clear[column], color="black", linestyle=":", linewidth=1)
        finish(axes, title, "words recovered by an attacker", "macro F1", log=False)
    legend_below(figure, left, 4)
