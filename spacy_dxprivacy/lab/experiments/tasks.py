"""How useful a release is for a task, and what attackers recover of it: `dx experiment tasks`.

Task: linear classifiers on words and characters (TF-IDF of word pairs and of characters), trained
and tested on the plaintexts and on the release, in all combinations; macro F1 on held-out texts,
with its 95 % interval (Efron 1979).

Author: the same classifiers name the author of a released text. Static: trained on plaintexts.
Adaptive: trained on releases of texts whose author is known.

Words: the recovery rate of the attacker of attacks/reading.py on a part of the texts, of all words
and of rare ones. At an equal attacker: rows between two measured epsilons, interpolated with their
intervals. An interrupted run is resumed from the rows that it finished.

What it prints is about these very texts, so it is not private.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...about import __version__
from ...arrays import Ints1d
from ...errors import UsageError
from ...privacy.levels import LEVELS
from ...privacy.randomness import Rng
from ...space import Space
from ...ty import Mechanism
from ...validate import needs
from ..attacks.figures import share_by_document
from ..attacks.frontier import Ground, guesses_of
from ..corpus import corpus_of, sanitised, tokenizer
from ..mechanisms import parse_mechanism
from ..results import NAN, Panel, Result, Row, interpolated, resumed
from ..texts import (
    SEED,
    Interval,
    coded,
    linear_model,
    macro_f1,
    read_fields,
    sanitizer,
)
from .options import Options, of_space

ABOUT = "usefulness for a task, and what attackers recover, by mechanism and epsilon"
PAPER = "Feyisetan et al. 2020; Chen et al. 2023; Mattern et al. 2022 (authorship)"
DOCUMENTS = 4000
USUAL = {
    "path": [*(level.epsilon for level in LEVELS.values()), 1.5],
    "path policy=training": [1.5, 1.9],
    "cus-text": [3.0],  # as much is recovered at any epsilon
    "laplace": [7.0, 8.5, 10.0],
}
PLAINTEXT = "clear text"
TESTED = 0.25  # the share of held-out texts
EQUAL = (0.5, 0.6)  # recovery rates
PANELS = {
    "release to clear": "trained on the release, tested on clear text",
    "release to release": "trained and tested on the release",
    "author, adaptive": "author named, learned of releases",
}
TASK = {
    "clear to release": (0, 1),
    "release to clear": (1, 0),
    "release to release": (1, 1),
}
AUTHOR = {"author, static": (0, 1), "author, adaptive": (1, 1)}


def run(space: Space, options: Options) -> Result:
    """Return rows of the plaintexts, of each release, and of each mechanism at an equal attacker.

    Raises UsageError for labels or authors that cannot be learned, and DxError without
    scikit-learn.
    """
    needs("scikit-learn", "tasks", extra="sklearn")
    study = Study.of(space, options)
    cases: list[tuple[str, float | None]] = [(PLAINTEXT, None)]
    cases += [
        (name, epsilon)
        for name in options.mechanisms or USUAL
        for epsilon in options.epsilons or USUAL.get(name, USUAL["path"])
    ]
    waiting = options.progress(cases, "releases")
    file = options.unfinished
    clear, *measured = resumed(file, study.settings(options), waiting, study.row)
    equal, notes = [], study.notes()
    for share in EQUAL:
        met = interpolated(measured, "recovered", share)
        equal += [{**row, "guarantee": f"interpolated at recovered {share:g}"} for row in met]
        absent = {row["mechanism"] for row in measured} - {row["mechanism"] for row in met}
        if absent:
            some = ", ".join(sorted(absent))
            notes.append(f"not at recovered {share:g}, as not measured on both sides of it: {some}")
    rows = [clear, *measured, *equal]
    shown = [clear, *equal, *measured]
    return Result(rows, _panels(measured, clear), notes, shown, digits=4)


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
        texts, *columns = zip(*(rows[i] for i in order), strict=True)
        classes = [coded(column, name) for column, name in zip(columns, names[1:], strict=True)]
        train, test = split(classes[0])
        tested = corpus_of(tokenizer().pipe(texts[i] for i in test), space)
        ground = Ground(space, tested.first(options.words))
        authors = classes[1] if options.author else None
        return cls(space, options.text, texts, classes[0], authors, train, test, ground)

    def settings(self, options: Options) -> Row:
        """Return what the rows depend on, besides mechanism and epsilon."""
        names = "field", "label", "author", "documents", "words"
        status = self.source.stat()
        return {
            "file": [str(self.source), status.st_size, status.st_mtime_ns],
            "space": [of_space(self.space), __version__],
            **{name: getattr(options, name) for name in names},
        }

    def row(self, name: str, epsilon: float | None) -> Row:
        """Return the figures of a release, or those of the plaintexts for an epsilon of None."""
        row: Row = {"mechanism": name, "epsilon": epsilon}
        if epsilon is None:
            recovered, texts, guarantee = self._recovered(None), self.texts, "none"
        else:
            _, config = parse_mechanism(name)
            nlp, mechanism = sanitizer(config, epsilon, self.space)
            recovered, guarantee = self._recovered(mechanism), str(mechanism.guarantee)
            texts = [doc.text for doc in nlp.pipe(self.texts)]
        figures = {**recovered, **self._figures(texts)}
        row |= {what: value for what, (value, _, _) in figures.items()}
        for what, (_, low, high) in figures.items():
            row |= {f"{what} low": low, f"{what} high": high}
        return {**row, "rare words": int(self.ground.rare.sum()), "guarantee": guarantee}

    def _recovered(self, mechanism: Mechanism | None) -> dict[str, Interval]:
        """Top-1 recovery rates of the best attacker, and the retention rate."""
        text, rare = self.ground.text, self.ground.rare
        out, guesses = text.rows, [text.rows]
        if mechanism is not None:
            out = sanitised(text, mechanism, Rng(SEED)).rows
            guesses = [*guesses_of(self.ground, out, mechanism, SEED + 1).values()]
        right = [guess == text.rows for guess in guesses]
        best = max(right, key=lambda some: some.sum())
        best_rare = max(right, key=lambda some: some[rare].sum())
        documents = text.doc_of
        of_rare = (NAN, NAN, NAN)
        if rare.any():
            of_rare = share_by_document(best_rare[rare], documents[rare])[:3]
        return {
            "recovered": share_by_document(best, documents)[:3],
            "rare recovered": of_rare,
            "unchanged": share_by_document(out == text.rows, documents)[:3],
        }

    def notes(self) -> list[str]:
        """Return what the figures were measured on."""
        attacked = self.ground.text
        notes = [
            of_space(self.space),
            f"{len(self.texts):,} texts of {self.source.name}: {len(self.train):,} to train on and "
            f"{len(self.test):,} to test on; {len(np.unique(self.labels))} labels. Macro F1 of a "
            "linear support vector machine on words, pairs of words and characters",
            f"words recovered: of {len(attacked.rows):,} words in {len(attacked)} texts, by an "
            "attacker who knows the mechanism, word pairs, and how often each word comes in them. "
            "The file has 95 % intervals of all figures",
        ]
        if self.authors is not None:
            notes.append(
                f"{len(np.unique(self.authors))} authors; static: learned of clear texts, "
                "adaptive: of released ones. Chance is one of them"
            )
        return notes

    def _figures(self, texts: Sequence[str]) -> dict[str, Interval]:
        """Macro F1 of each route of the task and of authorship."""
        sides = (self.texts, texts)
        figures: dict[str, Interval] = {}
        for classes, routes in ((self.labels, TASK), (self.authors, AUTHOR)):
            if classes is None:
                continue
            for name, (learned, tested) in routes.items():
                model = self._model(sides[learned], classes)
                guess = model.predict([sides[tested][i] for i in self.test.tolist()])
                figures[name] = macro_f1(classes[self.test], np.asarray(guess))
        return figures

    def _model(self, texts: Sequence[str], classes: Ints1d) -> Any:
        """A classifier of the training texts; that of plaintexts is fitted once."""
        if texts is self.texts and id(classes) in self.fitted:
            return self.fitted[id(classes)]
        model = linear_model().fit([texts[i] for i in self.train.tolist()], classes[self.train])
        if texts is self.texts:
            self.fitted[id(classes)] = model
        return model


def split(labels: Ints1d) -> tuple[Ints1d, Ints1d]:
    """Return the texts to train on and to test on: a share TESTED of each label."""
    order = np.argsort(labels, kind="stable")  # the texts come in an order of chance
    ranks = np.empty(len(labels), dtype=np.int64)
    starts = np.searchsorted(labels[order], labels[order])
    ranks[order] = np.arange(len(labels)) - starts
    counts = np.bincount(labels)
    tested = ranks < np.maximum(1, np.round(TESTED * counts[labels]))
    return np.flatnonzero(~tested), np.flatnonzero(tested)


def _panels(rows: Sequence[Row], clear: Row) -> list[Panel]:
    """Return macro F1 over the recovery rate, a line for each mechanism and one for plaintexts."""
    ordered = sorted(rows, key=lambda row: row["recovered"])
    lines = [*ordered, *({**clear, "recovered": ordered[i]["recovered"]} for i in (0, -1))]
    label = "words recovered by an attacker"
    return [
        Panel(f"macro F1, {title}", lines, ("recovered", column), "mechanism", label)
        for column, title in PANELS.items()
        if column in clear
    ]
