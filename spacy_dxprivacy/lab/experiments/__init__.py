"""The experiments of the papers, each a function of a space and options, with a table and a figure.

They are made to be compared with print: mechanisms whose guarantee does not hold are among them,
and everything is seeded. Nothing that is drawn here may be released.
"""

from __future__ import annotations

from . import (
    classification,
    dot_product,
    frontier,
    mahalanobis,
    margins,
    optimum,
    outputs,
    sentences,
    text_quality,
    utility,
)
from .options import Experiment, Options
from .result import FORMATS, Result, as_csv, as_figure, check_figure
from .tasks import Tasks

CURSE = "Asghar et al. 2024, arXiv 2411.13784"
NADP = "Bollegala et al. 2023, arXiv 2309.10551"

EXPERIMENTS: dict[str, Experiment] = {
    "outputs": Experiment(
        outputs.run,
        Options(words=500, draws=4, steps=10, max_words=20_000),
        "how often a word becomes itself, a close word, a distant one, over epsilon",
        CURSE,
    ),
    "margins": Experiment(
        margins.run,
        Options(words=500),
        "mean half-distances to the nearest word and margins, for one space or several",
        CURSE,
    ),
    "dot-product": Experiment(
        dot_product.run,
        Options(words=100, draws=20, steps=8, max_words=10_000),
        "the law of the noise towards a word: closed form, simulation, bounds of N_w",
        CURSE,
    ),
    "mahalanobis": Experiment(
        mahalanobis.run,
        Options(words=100, draws=50, steps=6, max_words=5_000),
        "N_w and S_w of Laplace and Mahalanobis noise over lambda",
        "Xu et al. 2020, arXiv 2010.11947",
    ),
    "utility": Experiment(
        utility.run,
        Options(words=500, draws=1, documents=150, max_words=4_000),
        "skewness of p(x|M(x)) and four tasks on noisy vectors",
        NADP,
    ),
    "text-quality": Experiment(
        text_quality.run,
        Options(documents=100, max_words=10_000),
        "N_w, ROUGE-1 and BLEU of Gaussian, Laplace and truncated Laplace noise",
        "Huang et al. 2024, arXiv 2410.08027",
    ),
    "classification": Experiment(
        classification.run,
        Options(documents=200, steps=6, words=100, max_words=10_000),
        "accuracy on sanitised texts, over epsilon and mechanism",
        "Feyisetan et al. 2020, Xu et al. 2020, Huang et al. 2024",
    ),
    "optimum": Experiment(
        optimum.run,
        Options(words=40),
        "the best channel of a group of words, and how far mechanisms are from it",
        "Bordenabe et al. 2014, and docs/optimum.md",
    ),
    "sentences": Experiment(
        sentences.run,
        Options(words=40, documents=100),
        "what sentences tell of a public law, and the least that any mechanism tells",
        "Blahut 1972, Gray 1973, and docs/optimum.md",
    ),
    "frontier": Experiment(
        frontier.run,
        Options(documents=12, steps=3),
        "peers at an equal attacker: mechanisms of words, redaction, DP-Prompt",
        "each peer's own paper, and docs/attacks.md",
    ),
}

__all__ = [
    "EXPERIMENTS",
    "FORMATS",
    "Experiment",
    "Options",
    "Result",
    "Tasks",
    "as_csv",
    "as_figure",
    "check_figure",
]
