"""Classification of sanitised texts, over epsilon and mechanism.

A linear classifier on word counts, cross-validated: trained and tested on sanitised texts, and
trained on them but tested on the original. Each mechanism has a range of epsilon of its own, from
where 2 % of words stay to where 98 % do; beside the share of words that stay they can be compared.
Words that the space lacks are left out of the texts.

Papers  Feyisetan et al. 2020; Xu et al. 2020; Huang et al. 2024: utility in tasks downstream
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...randomness import Rng
from ...space import Space
from .build import Once, make
from .corpus import Documents, make_documents, sanitized_pairs
from .options import Options, first_words, of_space, range_of
from .result import Result, Row, draw_lines, finish
from .tasks import texts_of

if TYPE_CHECKING:
    from ..report.pairs import Pair

MECHANISMS = {
    "path": "dx.Path.v1",
    "laplace": "dx.Laplace.v1",
    "exponential": "dx.Exponential.v1",
    "mahalanobis": "dx.Mahalanobis.v1",
}
WITH_NOISE = ("laplace", "mahalanobis")
COLUMNS = ("original", "sanitised", "sanitised to original")  # as report.labels.ROUTES


def run(space: Space, options: Options) -> Result:
    """A row for each mechanism and epsilon, and a figure of accuracy by both."""
    from ..report.metrics import accuracies_of

    space = first_words(space, options)
    names = options.chosen(MECHANISMS)
    texts = texts_of(options.tasks, space, options.documents, labelled=True)
    corpus = make_documents(texts, space)
    index = Once(options.index)
    cases = [
        (name, e)
        for name in options.progress(names, "ranges")
        for e in range_of(MECHANISMS[name], space, options, index if name in WITH_NOISE else None)
    ]
    rows = [
        measured(space, corpus, index if name in WITH_NOISE else None, name, epsilon)
        for name, epsilon in options.progress(cases, "mechanisms and epsilons")
    ]
    found = accuracies_of(_unchanged(corpus))
    made = ", made from the space" if texts.made else ""
    notes = [
        of_space(space),
        f"{found.documents} texts of {found.classes} classes{made}; the most frequent class is "
        f"{found.majority:.1%} of them; {found.folds} folds; {len(corpus.rows):,} words, and "
        f"{corpus.left_out:,} that the space lacks and that are left out",
    ]
    return Result(rows, partial(draw, rows=rows, majority=found.majority), (8.4, 3.4), notes)


def measured(space: Space, corpus: Documents, index: Once | None, name: str, epsilon: float) -> Row:
    """The accuracies of classifiers at one epsilon (in the unit of the mechanism), and the share of
    words that stay."""
    from ..report.metrics import ROUTES, accuracies_of

    columns = dict(zip(COLUMNS, ROUTES, strict=True))
    mechanism = make(MECHANISMS[name], space, epsilon=epsilon, index=index)
    pairs = sanitized_pairs(corpus, mechanism, space, Rng(seed=0))
    found = accuracies_of(pairs)
    changed = sum(all_ - kept for kept, all_ in (pair.kept() for pair in pairs))
    return {
        "mechanism": name,
        "epsilon": epsilon,
        "words that stay": 1 - changed / max(1, len(corpus.rows)),
        **{column: found.means[route] for column, route in columns.items()},
        **{f"error, {column}": found.errors[route] for column, route in columns.items()},
    }


def _unchanged(corpus: Documents) -> list[Pair]:
    from ..report.pairs import Pair

    labels = corpus.labels or []
    return [
        Pair(tokens, tokens, list(range(len(tokens))), label)
        for tokens, label in zip(corpus.documents, labels, strict=True)
    ]


def draw(figure: Any, *, rows: list[Row], majority: float) -> None:
    """Accuracy over epsilon, and over the share of words that stay."""
    left, right = figure.subplots(1, 2, sharey=True)
    draw_lines(left, rows, x="epsilon", y="sanitised", by="mechanism")
    finish(left, "trained and tested on sanitised texts", "epsilon", "accuracy")
    draw_lines(right, rows, x="words that stay", y="sanitised", by="mechanism")
    finish(right, "the same beside words that stay", "share of words that stay", "", log=False)
    for axes in (left, right):
        axes.axhline(rows[0]["original"], color="black", linestyle=":", linewidth=1)
        axes.axhline(majority, color="grey", linestyle=":", linewidth=1)
    left.legend(frameon=False, fontsize=8)
