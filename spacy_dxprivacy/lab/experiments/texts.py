r"""What is left of texts that are sanitised: their words (text-quality), and their classes.

Words that the space lacks are left out of the texts. N_w is the share of words that are unchanged.

text-quality. Clipped, as published: vectors are clipped (here to the longest of the space) and get
noise for epsilon; words are sought among clipped vectors. "truncated-paper" is the calibration of
the paper, with delta = 4^-dims and dummy dimensions where epsilon asks for them; its guarantee is
refuted. "code": what the public code that goes with the paper does. Noise for a clip of CODE_CLIP,
on vectors that are not clipped; Gaussian noise with the scale of Laplace noise and no delta. No
guarantee.

classification. A linear classifier on word counts, cross-validated: trained and tested on sanitised
texts, and trained on them but tested on the original. Each mechanism has a range of epsilon of its
own, from where 2 % of words stay to where 98 % do; beside the share of words that stay they can be
compared.

Papers  Huang, Yang, Habernal, Hu, Wang 2024 (arXiv 2410.08027), the tables of private embedding;
        Feyisetan et al. 2020; Xu et al. 2020: utility in tasks downstream
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Floats2d, Ints1d
from ...guarantee import Guarantee
from ...mechanisms.base.noise import Noise, NoiseMechanism
from ...mechanisms.truncated_laplace import TruncatedLaplaceNoise, paper_width
from ...randomness import Rng
from ...registries import registry
from ...space import Space
from ...ty import Mechanism
from ..mechanisms import Once, make_mechanism, quiet
from ..results import Result, Row, draw_lines, finish, legend_below
from .options import Options, experiment, of_space
from .tasks import make_documents, sanitized_pairs, texts_of

if TYPE_CHECKING:
    pass

EPSILONS = (0.05, 0.2, 1.0, 5.0, 20.0, 100.0, 300.0)
CODE_CLIP = 0.005
REGISTERED: dict[str, tuple[str, dict[str, Any]]] = {
    "gaussian": ("dx.Gaussian.v1", {}),
    "laplace": ("dx.ClippedLaplace.v1", {}),
    "truncated-sound": ("dx.TruncatedLaplace.v1", {"calibration": "sound"}),
    "truncated-paper": ("dx.TruncatedLaplace.v1", {"calibration": "paper"}),
}
CODE = ("gaussian-code", "laplace-code", "truncated-code")
FIGURES = {"N_w": "N_w, words as they were", "rouge1": "ROUGE-1", "bleu": "BLEU"}

MECHANISMS = {
    "path": "dx.Path.v1",
    "laplace": "dx.Laplace.v1",
    "exponential": "dx.Exponential.v1",
    "mahalanobis": "dx.Mahalanobis.v1",
}
WITH_NOISE = ("laplace", "mahalanobis")
COLUMNS = ("original", "sanitised", "sanitised to original")  # as report.metrics.ROUTES


@experiment(
    "text-quality", "N_w, ROUGE-1 and BLEU of Gaussian, Laplace and truncated Laplace noise",
    "Huang et al. 2024, arXiv 2410.08027", documents=100, max_words=10_000,
)  # fmt: skip
def text_quality(space: Space, options: Options) -> Result:
    """A row of figures for each mechanism and epsilon."""
    from ..report.metrics import utility_of

    space = options.first_words(space)
    names = options.chosen([*REGISTERED, *CODE])
    texts = texts_of(options, space)
    corpus = make_documents(texts, space)
    index = {"clipped": Once(options.index), "plain": Once(options.index)}
    cases = [(name, e) for name in names for e in options.epsilons or EPSILONS]
    rows: list[Row] = []
    for name, epsilon in options.progress(cases, "mechanisms and epsilons"):
        mechanism = make_any(space, index["plain" if name in CODE else "clipped"], name, epsilon)
        figures = utility_of(sanitized_pairs(corpus, mechanism, space, Rng(seed=0)), space)
        rows.append(
            {
                "mechanism": name,
                "epsilon": epsilon,
                "N_w": figures.kept,
                "rouge1": figures.rouge1,
                "bleu": figures.bleu,
                "cosine": figures.word_similarity,
            }
        )
    made = ", made from the space" if texts.made else ""
    notes = [
        of_space(space),
        f"{len(corpus.documents)} texts{made}: {len(corpus.rows):,} words, and {corpus.left_out:,} "
        "that the space lacks and that are left out",
    ]
    return Result(rows, partial(_draw_quality, rows=rows), (10.0, 3.4), notes)


def make_any(space: Space, index: Once, name: str, epsilon: float) -> Mechanism:
    """A registered mechanism, or one that does what published code does, by its name here."""
    if name in CODE:
        return as_in_code(space, index, name, epsilon)
    registered, settings = REGISTERED[name]
    if name == "truncated-paper":
        settings = {**settings, "dims": dims_for(epsilon, space.vectors.shape[1])}
    return make_mechanism(registered, space, epsilon, index=index, **settings)


def dims_for(epsilon: float, d: int) -> int:
    """The paper's formula needs epsilon below sqrt(dims) / 2 at delta = 4^-dims."""
    return max(d, int(np.ceil((2.02 * epsilon) ** 2)))


def as_in_code(space: Space, index: Once, name: str, epsilon: float) -> Mechanism:
    """The noise of published code, which does not clip: a mechanism without a guarantee."""
    d = space.vectors.shape[1]
    dims = dims_for(epsilon, d)
    scale = 2 * CODE_CLIP * np.sqrt(dims if name == "truncated-code" else d) / epsilon
    width = paper_width(epsilon, -dims * np.log(4), dims) if name == "truncated-code" else np.inf
    noise = CodeNoise(name, d, float(scale), float(width))
    nothing = Guarantee("none", notes="The noise of code that does not clip.")
    nearest = registry.dx_projections.get("dx.Nearest.v1")(index)
    with quiet():
        return NoiseMechanism(name, nothing, noise, nearest).fit(space)


@dataclass(frozen=True)
class CodeNoise:
    """Settings and noise in one. scale: of a coordinate. width: where truncated noise ends, in
    scales."""

    name: str
    d: int
    scale: float
    width: float

    def on(self, space: Space, guarantee: Guarantee) -> Noise:
        return Noise(space.vectors, self, self.scale, guarantee)

    def __call__(self, rows: Ints1d, rng: Rng) -> Floats2d:
        shape = (len(rows), self.d)
        if self.name == "gaussian-code":
            return rng.normal(shape) * self.scale
        if self.name == "laplace-code":
            return rng.laplace(shape) * self.scale
        bounded = TruncatedLaplaceNoise(self.d, 1 / self.scale, self.width * self.scale)
        return bounded(rows, rng)


def _draw_quality(figure: Any, *, rows: list[Row]) -> None:
    """A panel for each figure, over epsilon; code is dashed."""
    panels = figure.subplots(1, len(FIGURES))
    styles = {name: "--" for name in CODE}
    for axes, (what, title) in zip(panels, FIGURES.items(), strict=True):
        draw_lines(axes, rows, ("epsilon", what), "mechanism", styles)
        finish(axes, title, "epsilon", "")
    legend_below(figure, panels[0], 7)


@experiment(
    "classification", "accuracy on sanitised texts, over epsilon and mechanism",
    "Feyisetan et al. 2020, Xu et al. 2020, Huang et al. 2024", documents=200, steps=6, words=100,
    max_words=10_000,
)  # fmt: skip
def classification(space: Space, options: Options) -> Result:
    """A row for each mechanism and epsilon, and a figure of accuracy by both."""
    from ..report.metrics import ROUTES, accuracies_of

    space = options.first_words(space)
    names = options.chosen(MECHANISMS)
    texts = texts_of(options, space, labelled=True)
    corpus = make_documents(texts, space)
    indexes = dict.fromkeys(WITH_NOISE, Once(options.index))
    cases = [
        (name, e)
        for name in options.progress(names, "ranges")
        for e in options.range_of(MECHANISMS[name], space, indexes.get(name))
    ]
    rows: list[Row] = []
    for name, epsilon in options.progress(cases, "mechanisms and epsilons"):
        made_of = MECHANISMS[name]
        mechanism = make_mechanism(made_of, space, epsilon, index=indexes.get(name))
        pairs = sanitized_pairs(corpus, mechanism, space, Rng(seed=0))
        accuracies = accuracies_of(pairs)
        changed = sum(every - same for same, every in (pair.kept() for pair in pairs))
        row = {"mechanism": name, "epsilon": epsilon}
        row["words that stay"] = 1 - changed / max(1, len(corpus.rows))
        row |= {c: accuracies.means[route] for c, route in zip(COLUMNS, ROUTES, strict=True)}
        row |= {
            f"error, {c}": accuracies.errors[route]
            for c, route in zip(COLUMNS, ROUTES, strict=True)
        }
        rows.append(row)
    found = accuracies_of(corpus.pairs(corpus.documents))
    made = ", made from the space" if texts.made else ""
    notes = [
        of_space(space),
        f"{found.documents} texts of {found.classes} classes{made}; the most frequent class is "
        f"{found.majority:.1%} of them; {found.folds} folds; {len(corpus.rows):,} words, and "
        f"{corpus.left_out:,} that the space lacks and that are left out",
    ]
    return Result(
        rows, partial(_draw_classes, rows=rows, majority=found.majority), (8.4, 3.4), notes
    )


def _draw_classes(figure: Any, *, rows: list[Row], majority: float) -> None:
    """Accuracy over epsilon, and over the share of words that stay."""
    left, right = figure.subplots(1, 2, sharey=True)
    draw_lines(left, rows, ("epsilon", "sanitised"), "mechanism")
    finish(left, "trained and tested on sanitised texts", "epsilon", "accuracy")
    draw_lines(right, rows, ("words that stay", "sanitised"), "mechanism")
    finish(right, "the same beside words that stay", "share of words that stay", "", log=False)
    for axes in (left, right):
        axes.axhline(rows[0]["original"], color="black", linestyle=":", linewidth=1)
        axes.axhline(majority, color="grey", linestyle=":", linewidth=1)
    left.legend(frameon=False, fontsize=8)
