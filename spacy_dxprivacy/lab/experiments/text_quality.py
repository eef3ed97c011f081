r"""What is left of texts: N_w, ROUGE-1 and BLEU, for Gaussian, Laplace and truncated Laplace noise.

N_w is the share of words that are as they were. Words that the space lacks are left out of the
texts.

Clipped, as published. Vectors are clipped (here to the longest of the space) and get noise for
epsilon; words are sought among clipped vectors. "truncated-paper" is the calibration of the paper,
with delta = 4^-dims and dummy dimensions where epsilon asks for them; its guarantee is refuted.

"code": what the public code that goes with the paper does. Noise for a clip of CODE_CLIP, on
vectors that are not clipped; Gaussian noise with the scale of Laplace noise and no delta. No
guarantee.

Paper  Huang, Yang, Habernal, Hu, Wang 2024 (arXiv 2410.08027), the tables of private embedding
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats2d, Ints1d
from ...guarantee import Guarantee
from ...mechanisms.base.noise import Noise, NoiseMechanism
from ...mechanisms.truncated_laplace import TruncatedLaplaceNoise, paper_width
from ...randomness import Rng
from ...registries import registry
from ...space import Space
from ...ty import Mechanism
from .build import Once, make, quietly
from .corpus import Documents, make_documents, sanitized_pairs
from .options import Options, first_words, of_space
from .result import Result, Row, draw_lines, finish
from .tasks import texts_of

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


def run(space: Space, options: Options) -> Result:
    """A row of figures for each mechanism and epsilon."""
    space = first_words(space, options)
    names = options.chosen([*REGISTERED, *CODE])
    texts = texts_of(options.tasks, space, options.documents)
    corpus = make_documents(texts, space)
    index = {"clipped": Once(options.index), "plain": Once(options.index)}
    cases = [(name, e) for name in names for e in options.epsilons or EPSILONS]
    rows = [
        measured(space, corpus, index["plain" if name in CODE else "clipped"], name, epsilon)
        for name, epsilon in options.progress(cases, "mechanisms and epsilons")
    ]
    made = ", made from the space" if texts.made else ""
    notes = [
        of_space(space),
        f"{len(corpus.documents)} texts{made}: {len(corpus.rows):,} words, and {corpus.left_out:,} "
        "that the space lacks and that are left out",
    ]
    return Result(rows, partial(draw, rows=rows), (10.0, 3.4), notes)


def measured(space: Space, corpus: Documents, index: Once, name: str, epsilon: float) -> Row:
    """What is left of the texts at one epsilon (nats): words that stay, ROUGE, likeness."""
    from ..report.metrics import utility_of

    mechanism = make_any(space, index, name, epsilon)
    figures = utility_of(sanitized_pairs(corpus, mechanism, space, Rng(seed=0)), space)
    return {
        "mechanism": name,
        "epsilon": epsilon,
        "N_w": figures.kept,
        "rouge1": figures.rouge1,
        "bleu": figures.bleu,
        "cosine": figures.word_similarity,
    }


def make_any(space: Space, index: Once, name: str, epsilon: float) -> Mechanism:
    """A registered mechanism, or one that does what published code does, by its name here."""
    if name in CODE:
        return as_in_code(space, index, name, epsilon)
    registered, settings = REGISTERED[name]
    if name == "truncated-paper":
        settings = {**settings, "dims": dims_for(epsilon, space.vectors.shape[1])}
    return make(registered, space, epsilon=epsilon, index=index, **settings)


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
    return quietly(lambda: NoiseMechanism(name, nothing, noise, nearest).fit(space))


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


def draw(figure: Any, *, rows: list[Row]) -> None:
    """A panel for each figure, over epsilon; code is dashed."""
    panels = figure.subplots(1, len(FIGURES))
    styles = {name: "--" for name in CODE}
    for axes, (what, title) in zip(panels, FIGURES.items(), strict=True):
        draw_lines(axes, rows, x="epsilon", y=what, by="mechanism", styles=styles)
        finish(axes, title, "epsilon", "")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=7,
                  frameon=False, fontsize=8)  # fmt: skip
