"""Attacks on sanitised text, and how often they succeed (docs/explanation/attacks.md).

`Scene` is a text and what the attacker has read before, `Trial` a mechanism on it, `attack(name,
trial)` the figures. guessing.py, reading.py and persons.py have the attacks, each with what the
attacker knows, what it wants, how that is measured, and what there is without the output. Nothing
that is drawn here is released.
"""

from __future__ import annotations

from ..corpus import Corpus, sanitised
from .channel import Channel, channel_of
from .figures import AttackFigure
from .frontier import Ground, Point, at_attacker, frontier
from .guessing import averaged_guess, bayes_guess
from .language import Language, language_of, log_prior, zipf
from .reading import Reader, Reading, Seen
from .tries import ATTACKS, Scene, Trial, attack

__all__ = [
    "ATTACKS", "AttackFigure", "Channel", "Corpus", "Ground", "Language", "Point", "Reader",
    "Reading", "Scene", "Seen", "Trial", "at_attacker", "attack", "averaged_guess", "bayes_guess",
    "channel_of", "frontier", "language_of", "log_prior", "sanitised", "zipf",
]  # fmt: skip
