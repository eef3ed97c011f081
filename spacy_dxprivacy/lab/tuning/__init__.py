"""What epsilon does to words: measured on probed words of a public space.

Figures are exact where a mechanism states its probabilities, and simulated where it does not. Every
one is a mean over probed words, so that its uncertainty can be had by drawing the words again (the
bootstrap of Efron 1979). Simulations are seeded: the same question has the same answer, and one
epsilon is compared with another on the same noise. Nothing that is drawn here is released.
"""

from __future__ import annotations

from .bench import (
    SEARCH_WORDS,
    Bench,
    Probes,
    WordFigures,
    epsilon_range,
    epsilon_range_on,
    evenly,
    nearest_others,
    probed_words,
    running_text,
    sampled,
)
from .inspected import Outputs, nearest_by, outputs_of
from .targets import (
    FIGURES,
    LOSSES,
    SHARES,
    Answer,
    Curve,
    Losses,
    Make,
    Point,
    Study,
    Target,
    Tuner,
    solve,
)

__all__ = [
    "FIGURES", "LOSSES", "SEARCH_WORDS", "SHARES", "Answer", "Bench", "Curve", "Losses", "Make",
    "Outputs", "Point", "Probes", "Study", "Target", "Tuner", "WordFigures", "epsilon_range",
    "epsilon_range_on", "evenly", "nearest_by", "nearest_others", "outputs_of", "probed_words",
    "running_text", "sampled", "solve",
]  # fmt: skip
