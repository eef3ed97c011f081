"""A release under attack, and what its attackers compute from it."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...privacy.randomness import Rng
from ...ty import Draw, Mechanism, StatesWeights, facts_of
from ..corpus import repeat_release, sample_release
from .channel import Channel, channel_of, draws_by_frequency
from .frontier import AttackTarget
from .guessing import bayes_guess, bounded_guess

PROBES, SENTENCE_PROBES = 400, 60
MAX_REPEATS = 16
DRAWS = 24  # of each word on average, if probabilities are simulated


class AttackTrial:
    """A release of a mechanism that is fitted on the space of the target, and its attackers'
    data."""

    def __init__(
        self, target: AttackTarget, mechanism: Mechanism, *, seed: int = 0, label: str = ""
    ) -> None:
        """label: of the mechanism in tables; its name if empty."""
        self.target, self.mechanism, self.seed = target, mechanism, seed
        self.label = label or mechanism.name

    @cached_property
    def release(self) -> Draw:
        """The text with each word sampled."""
        return sample_release(self.target.text, self.mechanism, Rng(self.seed))

    @cached_property
    def release_by_type(self) -> Draw:
        """The text with each distinct word of a document sampled once."""
        return sample_release(self.target.text, self.mechanism, Rng(self.seed + 1), scope="type")

    @cached_property
    def _probed(self) -> Ints1d:
        """Random places of the text; fewer with sentence-level sampling, which is slower."""
        places = np.random.default_rng(0).choice(len(self.target.text.rows), PROBES)
        return places[: SENTENCE_PROBES if facts_of(self.mechanism).draws_sentences else PROBES]

    @property
    def probes(self) -> Ints1d:
        """Words that are released repeatedly."""
        return self.target.text.rows[self._probed]

    @cached_property
    def repeats(self) -> Draw:
        """MAX_REPEATS releases of each probe."""
        at, rng = (self._probed, self.probes), Rng(self.seed + 2)
        return repeat_release(self.target.text, self.mechanism, at, MAX_REPEATS, rng)

    @cached_property
    def channel(self) -> Channel:
        """From candidates and words of the text to its outputs, for word-level sampling."""
        return self.channel_to(self.release.rows)

    def channel_to(self, outputs: Ints1d) -> Channel:
        """Return the channel to these outputs (t,)."""
        target = self.target
        words = np.union1d(target.words, target.text.rows)
        times = draws_by_frequency(DRAWS, target.frequencies, words)
        rng = Rng(self.seed + 3)
        return channel_of(self.mechanism, target.space.vectors, words, outputs, rng, times)

    @cached_property
    def logs(self) -> Floats2d:
        """The channel of the candidates, float32 (m, q)."""
        return self.channel.of(self.target.words)

    @cached_property
    def bayes(self) -> Ints1d:
        """The index of the candidate of highest posterior at each place, by its output, int64
        (t,)."""
        target, mechanism = self.target, self.mechanism
        if not isinstance(mechanism, StatesWeights):
            return bayes_guess(self.logs, target.log_prior)[self.columns]
        outputs, at = np.unique(self.release.rows, return_inverse=True)
        logs, log_least = mechanism.log_weights(target.words, outputs)

        def excess(words: Ints1d) -> Floats1d:
            return mechanism.log_sums(target.words[words]) - log_least[words]

        logs -= log_least[:, None]
        return bounded_guess(logs, target.log_prior, excess)[at]

    @property
    def columns(self) -> Ints1d:
        """The column of the output at each place of the text, int64 (t,)."""
        return self.channel.columns(self.release.rows)
