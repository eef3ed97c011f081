r"""How useful a release is for a task, and what attackers recover of it: `dx experiment tasks`.

Task        linear classifiers on words and characters (TF-IDF of word pairs and of characters),
            trained and tested on the clear texts and on the release, in all combinations; macro F1
            on texts that were not trained on, with its 95 % interval (Efron 1979)
Author      the same classifiers name the author of a released text. Static: trained on clear texts.
            Adaptive: trained on releases of texts whose author is known
Words       the attacker of attacks/reading.py on a part of the texts: the share of all words, and
            of rare ones, that are recovered
Equal       rows between two measured epsilons, where that attacker recovers .5 and .6 of the words

What it prints is about these very texts, so it is not private.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...about import __version__
from ...arrays import Floats1d, Ints1d, Ints2d
from ...errors import DxError, Errors, UsageError
from ...privacy.levels import LEVELS
from ...space import Space
from ...space.sources import SpaceSource
from ..attacks.frontier import Graphs, Ground, point, share_searches
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
TESTED = 0.25  # the share of the texts that are tested on
ATTACKED = 1500  # words
RESAMPLES = 1000
EQUAL = (0.5, 0.6)
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
    """Return a row for each release, the first one for the clear texts; shown are those and rows
    at an equal attacker.

    Raises UsageError for labels or authors that nothing can be learned of, and DxError without
    scikit-learn.
    """
    if find_spec("sklearn") is None:
        raise DxError(Errors.DX074.format(what="tasks", package="scikit-learn", extra="sklearn"))
    study = Study.of(space, options)
    finished = Finished.of(study, options)
    names = options.mechanisms or tuple(USUAL)
    cases = [
        (name, epsilon)
        for name in names
        for epsilon in options.epsilons or USUAL.get(name, USUAL["path"])
    ]
    measured = []
    for name, epsilon in options.progress(cases, "releases"):
        row = finished.row(name, epsilon) or study.row(name, epsilon)
        finished.keep(name, epsilon, row)
        measured.append(row)
    clear = study.clear()
    rows = [clear, *(row for at in EQUAL for row in at_attacker(measured, at)), *measured]
    draw = partial(_draw, rows=measured, clear=clear)
    return Result([clear, *measured], draw, (8.4, 3.6), study.notes(), rows, digits=4)


@dataclass(frozen=True, eq=False)
class Study:
    """texts: strings. labels, authors: int64 (texts,); authors None where none are sought. train,
    test: int64, their texts. ground: what the attack on words is measured on."""

    space: Space
    source: Path
    texts: Sequence[str]
    labels: Ints1d
    authors: Ints1d | None
    train: Ints1d
    test: Ints1d
    ground: Ground
    graphs: Graphs

    @classmethod
    def of(cls, space: Space, options: Options) -> Study:
        """Raise UsageError for texts, labels or authors that nothing can be learned of."""
        if options.text is None or options.label is None:
            raise UsageError("tasks needs `text` (a file) and `label` (a field).")
        names = [options.field, options.label, *([options.author] if options.author else [])]
        rows = _some_of([*read_fields(options.text, names)], options.documents)
        texts, *columns = zip(*rows, strict=True) if rows else [()] * len(names)
        coded = [_coded(column, name) for column, name in zip(columns, names[1:], strict=True)]
        train, test = split(coded[0])
        nlp = tokenizer()
        words = [words_of(doc, space)[:3] for doc in nlp.pipe(texts[i] for i in test)]
        corpus = Corpus.of(*zip(*words, strict=True)).first(ATTACKED)
        authors = coded[1] if options.author else None
        ground = Ground(space, corpus)
        return cls(space, options.text, texts, coded[0], authors, train, test, ground, {})

    def row(self, name: str, epsilon: float) -> Row:
        """Return the figures of a release."""
        label, config = parse_mechanism(name)
        mechanism = make_mechanism(config, self.space, epsilon)
        share_searches(mechanism, self.graphs)
        found = point(label, mechanism, self.ground, seed=SEED)
        released = self._released({**config, "epsilon": epsilon})
        row: Row = {
            "mechanism": name, "epsilon": epsilon, "recovered": found.found,
            "rare recovered": found.rare_found, "unchanged": found.kept,
        }  # fmt: skip
        row |= self._figures(released, self.labels, TASK)
        if self.authors is not None:
            row |= self._figures(released, self.authors, AUTHOR)
        return row | {
            "recovered low": found.low, "recovered high": found.high, "rare words": found.rare,
            "guarantee": str(mechanism.guarantee),
        }  # fmt: skip

    def clear(self) -> Row:
        """Return the row of the clear texts, which an attacker reads and models learn from."""
        row: Row = {
            "mechanism": "clear text", "epsilon": None, "recovered": 1.0, "rare recovered": 1.0,
            "unchanged": 1.0,
        }  # fmt: skip
        row |= self._figures(self.texts, self.labels, TASK)
        if self.authors is not None:
            row |= self._figures(self.texts, self.authors, AUTHOR)
        words = len(self.ground.text.rows)
        return row | {
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

    def _released(self, mechanism: dict[str, Any]) -> list[str]:
        """The texts as the component writes them."""
        nlp = tokenizer()
        pipe: Any = nlp.add_pipe("dx_sanitizer", config={"mechanism": mechanism, "seed": SEED})
        pipe.source = SpaceSource(load=lambda _: self.space)
        return [doc.text for doc in nlp.pipe(self.texts)]

    def _figures(
        self, released: Sequence[str], classes: Ints1d, routes: dict[str, tuple[int, int]]
    ) -> Row:  # fmt: skip
        """Macro F1 of each route, with its interval. A classifier is fitted once a side."""
        sides = (self.texts, released)
        found: Row = {}
        intervals: Row = {}
        for name, (learned, tested) in routes.items():
            model = self._fitted(sides[learned], classes)
            guess = model.predict([sides[tested][i] for i in self.test.tolist()])
            found[name], *ends = macro_f1(classes[self.test], np.asarray(guess))
            intervals |= dict(zip((f"{name} low", f"{name} high"), ends, strict=True))
        return found | intervals

    def _fitted(self, texts: Sequence[str], classes: Ints1d) -> Any:
        key = (id(texts), id(classes))
        if texts is self.texts and key in self._of_clear:
            return self._of_clear[key]
        model = linear_model().fit([texts[i] for i in self.train.tolist()], classes[self.train])
        if texts is self.texts:
            self._of_clear[key] = model
        return model

    @cached_property
    def _of_clear(self) -> dict[tuple[int, int], Any]:
        return {}


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
            raise UsageError(f"{path.name}: is not the {ending} that it says.") from None
    missing = [name for name in names if name not in seen]
    if missing:
        raise UsageError(f"{path.name}: no field {missing[0]!r}.")


def _some_of(rows: Sequence[Any], most: int) -> list[Any]:
    """As many as that, in an order of chance that is the same each time."""
    order = np.random.default_rng(SEED).permutation(len(rows))[:most]
    return [rows[i] for i in order]


def _coded(column: Sequence[str], name: str) -> Ints1d:
    """Numbers from 0 for the values. Raises UsageError where nothing can be learned of them."""
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
    """Return the texts to train on and to test on, of each label about as many as TESTED says."""
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
        scores[i] = _macro(table)
    low, high = np.quantile(scores[1:], (0.025, 0.975))
    return float(scores[0]), float(low), float(high)


def _macro(table: Ints2d) -> float:
    right = np.diag(table)
    both = table.sum(axis=0) + table.sum(axis=1)
    there = both > 0
    scores: Floats1d = 2 * right[there] / both[there]
    return float(scores.mean())


# -- rows that were measured before, and rows between them -----------------------------------------


@dataclass(frozen=True)
class Finished:
    """Rows of a run that was stopped, in a file of the folder of results; None keeps nothing. A row
    counts where the file, its fields and the version are the same."""

    path: Path | None
    settings: dict[str, Any]

    @classmethod
    def of(cls, study: Study, options: Options) -> Finished:
        at = study.source.stat()
        settings = {
            "file": study.source.name, "size": at.st_size, "changed": at.st_mtime_ns,
            "fields": [options.field, options.label, options.author],
            "texts": len(study.texts), "space": study.space.digest, "version": __version__,
        }  # fmt: skip
        return cls(options.out and options.out / "tasks.rows.jsonl", settings)

    def row(self, name: str, epsilon: float) -> Row | None:
        """Return the row that was measured before, if any."""
        if self.path is None or not self.path.exists():
            return None
        wanted = {**self.settings, "mechanism": name, "epsilon": epsilon}
        kept = map(json.loads, self.path.read_text(encoding="utf8").splitlines())
        return next((one["row"] for one in kept if one["settings"] == wanted), None)

    def keep(self, name: str, epsilon: float, row: Row) -> None:
        """Append a row, unless it is there."""
        if self.path is not None and self.row(name, epsilon) is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            settings = {**self.settings, "mechanism": name, "epsilon": epsilon}
            with self.path.open("a", encoding="utf8") as file:
                file.write(json.dumps({"settings": settings, "row": row}) + "\n")


def at_attacker(rows: Sequence[Row], share: float) -> list[Row]:
    """Return for each mechanism the row between two epsilons at which this share of the words is
    recovered, by straight lines; none for one that is not measured on both sides of it."""
    found = []
    for name in dict.fromkeys(row["mechanism"] for row in rows):
        own = sorted((r for r in rows if r["mechanism"] == name), key=lambda row: row["recovered"])
        for a, b in pairwise(own):
            if a["recovered"] <= share <= b["recovered"] and a["recovered"] < b["recovered"]:
                part = (share - a["recovered"]) / (b["recovered"] - a["recovered"])
                numbers = {k: v for k, v in a.items() if isinstance(v, float)}
                mixed = {k: (1 - part) * v + part * b[k] for k, v in numbers.items()}
                found.append({**a, **mixed, "guarantee": f"at {share:.0%} recovered"})
                break
    return found


def _draw(figure: Any, *, rows: Sequence[Row], clear: Row) -> None:
    """What is learned over what is recovered, a line a mechanism."""
    left, right = figure.subplots(1, 2, sharey=True)
    ordered = sorted(rows, key=lambda row: row["recovered"])
    panels = {"release to clear": left, "release to release": right}
    titles = ("trained on the release, tested on clear text", "trained and tested on the release")
    for (column, axes), title in zip(panels.items(), titles, strict=True):
        draw_lines(axes, ordered, ("recovered", column), "mechanism")
        axes.axhline(clear[column], color="black", linestyle=":", linewidth=1)
        finish(axes, title, "words recovered by an attacker", "macro F1", log=False)
    legend_below(figure, left, 4)
