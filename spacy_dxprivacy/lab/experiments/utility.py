r"""What noisy word vectors still tell, and how well they hide the word they were made of.

Every word of the space gets one noisy vector, M(x). Two ways of looking at the table of them:

skewness   of p(x|M(x)) over words: the Jaccard index of the ten nearest words of x and those of
           M(x), as the authors' code has it. Most words hidden and a few not is a long tail to the
           right: high is private. It has no value where all words have the same index.
tasks      word similarity and sentence similarity (Spearman's correlation of cosines and scores),
           classification (a linear classifier on mean vectors, five folds), and odd man out (the
           word with the least mean cosine to the others)

Laplace    dx.ClippedLaplace.v1, independent coordinates as in the paper's code
Mahalanobis dx.Mahalanobis.v1 with lambda = 1; its epsilon is nats per unit of distance, so that
           its curve says nothing beside the others (see docs/experiments.md)
NADP       dx.NADP.v1 with noise = "paper" at tau .1 and .5, and with its sound noise = "global"
Paper      Bollegala, Otake, Machide, Kawarabayashi 2023 (arXiv 2309.10551)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ...errors import DxError, Errors
from ...randomness import Rng
from ...search.metric import neighbours
from ...space import Space
from ..mechanisms import VectorsAlone, make_mechanism
from ..results import NAN, Result, Row, draw_lines, finish, legend_below
from .options import Options, experiment, of_space, random_probes
from .tasks import (
    FOLDS,
    Pairs,
    Texts,
    accuracy,
    make_documents,
    mean_vectors,
    odd_found,
    sentence_pairs_of,
    sets_of,
    spearman,
    texts_of,
    word_pairs_of,
)

TOP = 10
EPSILONS = (0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0)
MECHANISMS: dict[str, tuple[str, dict[str, Any]]] = {
    "laplace": ("dx.ClippedLaplace.v1", {}),
    "gaussian": ("dx.Gaussian.v1", {}),
    "mahalanobis": ("dx.Mahalanobis.v1", {"lam": 1.0}),
    "jaccard": ("dx.Jaccard.v1", {}),
    "nadp-0.1": ("dx.NADP.v1", {"noise": "paper", "tau": 0.1}),
    "nadp-0.5": ("dx.NADP.v1", {"noise": "paper", "tau": 0.5}),
    "nadp-global": ("dx.NADP.v1", {"noise": "global"}),
}
WITH_DELTA = ("gaussian", "jaccard")
FIGURES = ("skewness", "word similarity", "sentence similarity", "classification", "odd man out")


@dataclass(frozen=True)
class Task:
    """score: of a table of vectors (n, d)."""

    score: Callable[[Floats2d], float]
    note: str


@experiment(
    "utility", "skewness of p(x|M(x)) and four tasks on noisy vectors",
    "Bollegala et al. 2023, arXiv 2309.10551", words=500, draws=1, documents=150, max_words=4_000,
)  # fmt: skip
def run(space: Space, options: Options) -> Result:
    """The score of each task on noisy vectors, for each mechanism and epsilon."""
    space = options.first_words(space)
    names = options.chosen(MECHANISMS)
    tasks = make_tasks(space, options)
    clear = {what: task.score(space.vectors) for what, task in tasks.items()}
    rows: list[Row] = [{"mechanism": "none", "epsilon": None, **clear}]
    cases = [(name, e) for name in names for e in options.epsilons or EPSILONS]
    for name, epsilon in options.progress(cases, "mechanisms and epsilons"):
        scores = measured(space, tasks, name, epsilon, options.draws)
        rows.append({"mechanism": name, "epsilon": epsilon, **scores})
    notes = [of_space(space), *(f"{name}: {task.note}" for name, task in tasks.items())]
    notes.append(f"means of {options.draws} tables of noisy vectors")
    return Result(rows, partial(draw, rows=rows), (12.0, 3.4), notes)


def measured(space: Space, tasks: dict[str, Task], name: str, epsilon: float, draws: int) -> Row:
    """Means of the scores over so many tables of noisy vectors, at one epsilon."""
    registered, settings = MECHANISMS[name]
    if name in WITH_DELTA:
        settings = {**settings, "delta": 1 / len(space)}
    mechanism = make_mechanism(registered, space, epsilon, projection=VectorsAlone(), **settings)
    rng, all_rows = Rng(seed=0), np.arange(len(space))
    found: dict[str, list[float]] = {what: [] for what in tasks}
    for _ in range(draws):
        noisy: Any = mechanism.sample(all_rows, rng).vectors
        for what, task in tasks.items():
            found[what].append(task.score(noisy))
    known = {what: [v for v in values if v == v] for what, values in found.items()}
    return {what: float(np.mean(values)) if values else NAN for what, values in known.items()}


def make_tasks(space: Space, options: Options) -> dict[str, Task]:
    """The tasks, of files that were given or else made of the space."""
    words = word_pairs_of(options, space)
    sentences = sentence_pairs_of(options, space)
    texts = texts_of(options, space, labelled=True)
    sets = sets_of(options, space)
    return {
        "skewness": hiding(space, random_probes(space, options.words).rows),
        "word similarity": word_similarity(space, words),
        "sentence similarity": sentence_similarity(space, sentences),
        "classification": classification(space, texts),
        "odd man out": Task(
            partial(odd_found, rows=sets.rows),
            f"{len(sets.rows)} sets of {sets.rows.shape[1]} words{_made(sets.made)}",
        ),
    }


def _made(made: bool) -> str:
    return ", made from the space" if made else ""


def hiding(space: Space, words: Ints1d) -> Task:
    """How skewed the overlap is of a word's neighbours with those of its noisy vector."""
    own = neighbours(space.vectors[words], space.vectors, TOP)[0]

    def score(X: Floats2d) -> float:
        from scipy.stats import skew

        p = overlap(own, neighbours(X[words], space.vectors, TOP)[0])
        return float(skew(p)) if np.ptp(p) > 0 else float("nan")

    return Task(score, f"of {len(words)} words")


def overlap(one: Ints2d, other: Ints2d) -> Floats1d:
    """The Jaccard index of each row of one (k, m) and the same row of the other."""
    shared = (one[:, :, None] == other[:, None, :]).sum(axis=(1, 2))
    index: Floats1d = shared / (2 * one.shape[1] - shared)
    return index


def word_similarity(space: Space, pairs: Pairs) -> Task:
    """Spearman's rho of cosine and score. Raises DxError for fewer than three known pairs."""
    rows = np.array([[space.find(a), space.find(b)] for a, b in zip(*pairs.sides, strict=True)])
    known = rows.min(axis=1, initial=len(space)) >= 0
    if known.sum() < 3:
        raise DxError(Errors.DX081.format(path="the word pairs", what="pair of words"))
    rows, scores = rows[known], pairs.scores[known]

    def score(X: Floats2d) -> float:
        return spearman(X[rows[:, 0]], X[rows[:, 1]], scores)

    return Task(score, f"{len(rows)} of {known.size} pairs of words{_made(pairs.made)}")


def sentence_similarity(space: Space, pairs: Pairs) -> Task:
    """The same of mean vectors of sentences. Raises DxError for fewer than three known pairs."""
    sides = [make_documents(Texts(side, None, True), space).by_document for side in pairs.sides]
    known = np.array([len(a) > 0 and len(b) > 0 for a, b in zip(*sides, strict=True)], dtype=bool)
    if known.sum() < 3:
        raise DxError(Errors.DX081.format(path="the sentence pairs", what="pair of sentences"))
    sides = [[rows for rows, k in zip(side, known, strict=True) if k] for side in sides]
    scores = pairs.scores[known]
    if pairs.made:
        A, B = (mean_vectors(side, space.vectors) for side in sides)
        scores = np.einsum("kd,kd->k", A, B) / np.linalg.norm(A, axis=1) / np.linalg.norm(B, axis=1)

    def score(X: Floats2d) -> float:
        return spearman(mean_vectors(sides[0], X), mean_vectors(sides[1], X), scores)

    return Task(score, f"{len(scores)} pairs of sentences{_made(pairs.made)}")


def classification(space: Space, texts: Texts) -> Task:
    """Classes that have fewer texts than there are folds are left out."""
    all_labels = np.array(texts.labels)
    _, which, counts = np.unique(all_labels, return_inverse=True, return_counts=True)
    if np.sum(counts >= FOLDS) < 2:
        what = f"two classes of {FOLDS} texts or more"
        raise DxError(Errors.DX082.format(what=what, option="another `label`, or more `documents`"))
    kept = np.flatnonzero(counts[which] >= FOLDS)
    by_document = make_documents(texts, space).by_document
    documents = [by_document[i] for i in kept]
    labels = all_labels[kept]

    def score(X: Floats2d) -> float:
        return accuracy(mean_vectors(documents, X), labels)

    share = counts.max() / len(labels)
    note = f"{len(labels)} texts of {np.sum(counts >= FOLDS)} classes{_made(texts.made)}"
    return Task(score, f"{note}; the most frequent class is {share:.1%} of them")


def draw(figure: Any, *, rows: list[Row]) -> None:
    """A panel for each task, over epsilon, with the score without noise as a line."""
    panels = figure.subplots(1, len(FIGURES))
    for axes, what in zip(panels, FIGURES, strict=True):
        some = [row for row in rows if row["epsilon"] is not None]
        draw_lines(axes, some, ("epsilon", what), "mechanism")
        if what != "skewness":
            axes.axhline(rows[0][what], color="black", linestyle=":", linewidth=1)
        finish(axes, what, "epsilon", "")
    legend_below(figure, panels[1], 7)
