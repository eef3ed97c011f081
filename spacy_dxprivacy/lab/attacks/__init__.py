"""Attacks that a reader of sanitised text would try, and how often they succeed (docs/attacks.md).

`Scene` is a text and what the attacker has read before, `Trial` a mechanism on it, `attack(name,
trial)` the figures. guessing.py, reading.py and persons.py have the attacks, each with what the
attacker knows, what it wants, how that is measured, and what there is without the output. Nothing
that is drawn here is released.
"""

from __future__ import annotations

from ..corpus import Corpus, drawn, sanitised
from .channel import Channel, channel_of
from .figures import AttackFigure, share, share_by_document
from .frontier import Ground, Point, at_attacker, frontier
from .guessing import (
    auc,
    averaged_guess,
    background,
    bayes_guess,
    context_guess,
    likelihood_scores,
    linked,
    mean_vector_guess,
    membership_score,
    nearest_guess,
    pairs_to_test,
    posterior,
    rare_word_scores,
    success_bound,
    told_apart,
    true_positives,
)
from .language import (
    Bigrams,
    Language,
    language_of,
    likely_words,
    log_prior,
    places_in,
    word_frequencies,
    zipf,
)
from .reading import Reader, Reading, Seen, blind_guess, causal_reading, language_guess
from .trial import Scene, Trial
from .tries import ATTACKS, attack

__all__ = [
    "ATTACKS", "AttackFigure", "Bigrams", "Channel", "Corpus", "Ground", "Language",
    "Point", "Reader", "Reading", "Scene", "Seen", "Trial", "at_attacker", "attack", "auc",
    "averaged_guess", "background", "bayes_guess", "blind_guess", "causal_reading", "channel_of",
    "context_guess", "drawn", "frontier", "language_guess", "language_of", "likelihood_scores",
    "likely_words", "linked", "log_prior",
    "mean_vector_guess", "membership_score", "nearest_guess", "pairs_to_test", "places_in",
    "posterior", "rare_word_scores", "sanitised", "share", "share_by_document", "success_bound",
    "told_apart", "true_positives", "word_frequencies", "zipf",
]  # fmt: skip
