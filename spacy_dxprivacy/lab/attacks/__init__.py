"""Attacks on sanitised text, and their success rates (docs/explanation/attacks.md).

`attack(name, trial)` returns the figures of an `AttackTrial`: a mechanism, and an
`AttackTarget` (a text and the attackers' prior knowledge).
"""

from __future__ import annotations

from ..corpus import EncodedCorpus, sample_release
from ..results import AttackFigure, share_by_document
from .channel import Channel, channel_of
from .frontier import AttackTarget, FrontierPoint, at_attacker, frontier, guesses_of
from .guessing import averaged_guess, bayes_guess
from .language import Language, language_of, log_prior, zipf
from .reading import Reader, ReleaseReading, SeenRelease
from .trial import AttackTrial
from .tries import ATTACKS, attack

__all__ = [
    "ATTACKS",
    "AttackFigure",
    "AttackTarget",
    "AttackTrial",
    "Channel",
    "EncodedCorpus",
    "FrontierPoint",
    "Language",
    "Reader",
    "ReleaseReading",
    "SeenRelease",
    "at_attacker",
    "attack",
    "averaged_guess",
    "bayes_guess",
    "channel_of",
    "frontier",
    "guesses_of",
    "language_of",
    "log_prior",
    "sample_release",
    "share_by_document",
    "zipf",
]  # fmt: skip
