"""Attacks that a reader of sanitised text would try, and how often they succeed (docs/attacks.md).

One file an attack, arrays in and arrays out; each says at its top what the attacker knows, what it
wants, how that is measured, and what there is without the output. `Scene` is a text and what the
attacker has read before, `Trial` a mechanism on it, `attack(name, trial)` the figures. Nothing that
is drawn here is released.
"""

from __future__ import annotations

from .causal import Reader, causal_guess
from .channel import Channel, channel_of
from .context import context_guess, posterior
from .corpus import Corpus, drawn, sanitised
from .findings import AttackFigure, share, share_by_document
from .frontier import Ground, Point, at_attacker, frontier
from .guess import bayes_guess, nearest_guess, success_bound
from .language import Language, language_of
from .link import likelihood_scores, linked, rare_word_scores
from .membership import auc, background, membership_score, pairs_to_test, true_positives
from .prior import Bigrams, likely_words, log_prior, places_in, word_frequencies, zipf
from .reading import Seen, blind_guess, language_guess
from .repeat import averaged_guess, mean_vector_guess, told_apart
from .trial import Scene, Trial
from .tries import ATTACKS, attack

Finding = AttackFigure  # as it was called first; the findings of an audit are others

__all__ = [
    "ATTACKS", "AttackFigure", "Bigrams", "Channel", "Corpus", "Finding", "Ground", "Language",
    "Point", "Reader", "Scene", "Seen", "Trial", "at_attacker", "attack", "auc", "averaged_guess",
    "background",
    "bayes_guess", "blind_guess", "causal_guess", "channel_of", "context_guess", "drawn",
    "frontier", "language_guess",
    "language_of", "likelihood_scores", "likely_words", "linked", "log_prior",
    "mean_vector_guess", "membership_score", "nearest_guess", "pairs_to_test", "places_in",
    "posterior", "rare_word_scores", "sanitised", "share", "share_by_document", "success_bound",
    "told_apart", "true_positives", "word_frequencies", "zipf",
]  # fmt: skip
