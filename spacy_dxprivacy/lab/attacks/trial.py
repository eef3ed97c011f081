"""A mechanism on a text, and all that an attacker needs to be tried on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ...randomness import Rng
from ...ty import Draw, HasMetric, Mechanism
from ...validate import fail, whole
from ..corpus import Corpus, draws_sentences, repeated, sanitised
from .channel import Channel, channel_by_draws, draws_by_frequency
from .language import Bigrams, Language, likely_words, log_prior, places_in, word_frequencies
from .reading import CausalReading, Reader, Reading, Seen, causal_reading

BLOCK_NUMBERS = 2**22
CANDIDATES = 8000
PROBES, SENTENCE_PROBES = 400, 60
MOST_REPEATS = 16
DRAWS = 24  # of each word, in the mean, where probabilities are learned


@dataclass(frozen=True)
class Scene:
    """A text under attack, and what the attacker knows before.

    X: (n, d), the vectors of the space. text: whose words are sought. public: what the attacker has
    read; None if nothing, then it takes words to come by Zipf's law. candidates: how many words
    it guesses among, the likeliest ones; all others are never found. language: what it knows of
    language, None if nothing; who knows it guesses among all words. reader: a causal model that it
    has besides.
    """

    X: Floats2d
    text: Corpus
    public: Corpus | None = None
    candidates: int = CANDIDATES
    language: Language | None = None
    reader: Reader | None = None

    def __post_init__(self) -> None:
        whole("candidates", self.candidates, least=2)

    @cached_property
    def frequencies(self) -> Floats1d:
        """float64 (n,): how often public language has each word; they add up to 1."""
        return word_frequencies(len(self.X), self.public)

    @cached_property
    def words(self) -> Ints1d:
        """(m,), the candidates."""
        return likely_words(self.frequencies, self.candidates)

    @cached_property
    def log_prior(self) -> Floats1d:
        """float64 (m,): ln of the probability of each word that is guessed among."""
        return log_prior(self.frequencies, self.words)

    @cached_property
    def bigrams(self) -> Bigrams | None:
        """Which word follows which in the public text; None where there is no such text."""
        if self.public is None:
            return None
        return Bigrams.learn(self.public, self.words, np.exp(self.log_prior))

    @cached_property
    def places(self) -> Ints1d:
        """(t,): the place of each word of the text among the candidates; -1 for those that are no
        candidates."""
        return places_in(self.words, self.text.rows)

    @cached_property
    def probed(self) -> Ints1d:
        """(PROBES,): where words stand, as they come in the text, for repeated releases."""
        return np.random.default_rng(0).choice(len(self.text.rows), PROBES)

    @cached_property
    def baseline(self) -> Bools1d:
        """(t,): where the most frequent word of all is right."""
        best: Bools1d = self.places == int(self.log_prior.argmax())
        return best


class Trial:
    """One mechanism, fitted on the vectors of the scene. What is drawn here is not released."""

    def __init__(
        self, scene: Scene, mechanism: Mechanism, *, seed: int = 0, label: str = ""
    ) -> None:
        """label: what tables call the mechanism; its name if empty."""
        self.scene, self.mechanism, self.seed = scene, mechanism, seed
        self.label = label or mechanism.name

    @cached_property
    def release(self) -> Draw:
        """The text, every word drawn anew."""
        return sanitised(self.scene.text, self.mechanism, Rng(self.seed))

    @cached_property
    def release_by_type(self) -> Draw:
        """The text, one draw for each distinct word of a document."""
        return sanitised(self.scene.text, self.mechanism, Rng(self.seed + 1), scope="type")

    @cached_property
    def _probed(self) -> Ints1d:
        """Where the probes stand: fewer of them where a release is of a whole sentence."""
        some = SENTENCE_PROBES if draws_sentences(self.mechanism) else PROBES
        return self.scene.probed[:some]

    @property
    def probes(self) -> Ints1d:
        """Words that are released again and again."""
        return self.scene.text.rows[self._probed]

    @cached_property
    def repeats(self) -> Draw:
        """MOST_REPEATS releases of each probe."""
        return self._repeated(self.probes, 2)

    @cached_property
    def rivals(self) -> tuple[Ints1d, Floats1d] | None:
        """For each probe the candidate nearest to it in the metric of the guarantee, and how far it
        is; None where there is no promise in such a metric."""
        mechanism = self.mechanism
        words, probes = self.scene.words, self.probes
        if mechanism.guarantee.kind != "metric-dp" or not isinstance(mechanism, HasMetric):
            return None
        distinct, at = np.unique(probes, return_inverse=True)
        parts = np.array_split(distinct, 1 + len(distinct) * len(self.scene.X) // BLOCK_NUMBERS)
        D = np.concatenate([mechanism.distances(part)[:, words] for part in parts])
        D[distinct[:, None] == words] = np.inf
        nearest = D.argmin(axis=1)
        return words[nearest][at], D[np.arange(len(D)), nearest][at]

    @cached_property
    def of_rivals(self) -> Draw:
        """MOST_REPEATS releases of each rival; of each probe, where there are none."""
        words = self.probes if self.rivals is None else self.rivals[0]
        return self._repeated(words, 4)

    def _repeated(self, words: Ints1d, seed: int) -> Draw:
        """MOST_REPEATS releases of each of the words at the places of the probes."""
        text, rng = self.scene.text, Rng(self.seed + seed)
        return repeated(text, self.mechanism, (self._probed, words), MOST_REPEATS, rng)

    @cached_property
    def channel(self) -> Channel:
        """Of all words that the attacker reckons with or is given, and what became of the text. A
        word is taken to be drawn alone: where sentences are drawn, reading.py knows better."""
        return self._channel_of([self.release, self.release_by_type])

    @cached_property
    def channel_of_repeats(self) -> Channel:
        """The same for what became of the probes and their rivals."""
        return self._channel_of([self.repeats, self.of_rivals])

    def _channel_of(self, draws: list[Draw]) -> Channel:
        scene = self.scene
        words = np.union1d(scene.words, scene.text.rows)
        outputs = np.concatenate([draw.rows for draw in draws])
        times = draws_by_frequency(DRAWS, scene.frequencies, words)
        rng = Rng(self.seed + 3)
        return channel_by_draws(self.mechanism, scene.X, (words, outputs), rng, times)

    @cached_property
    def logs(self) -> Floats2d:
        """float32 (m, q): the channel of the candidates."""
        return self.channel.of(self.scene.words)

    def read_by_model(self, asked: Ints2d | None = None) -> CausalReading:
        """The release, read by the causal model of the scene. asked: words that it is asked about
        at each place, int64 (t, m). Raises DxError where the attacker has none, or no language."""
        scene = self.scene
        if scene.reader is None or scene.language is None:
            raise fail("reader", "a causal model, and a language", None)
        return causal_reading(scene.text, self.reading(scene.language), scene.reader, asked)

    def reading(self, language: Language) -> Reading:
        """The release as an attacker looks at it who knows this language."""
        seen, rng = Seen(self.release.rows, self.scene.text.sentences), Rng(self.seed + 5)
        return Reading(seen, self.mechanism, self.scene.X, language, rng)

    @cached_property
    def guess_by_model(self) -> Ints1d:
        """(t,): what the causal model of the scene takes the words for."""
        return self.read_by_model().guess

    @property
    def columns(self) -> Ints1d:
        """(t,): which output each word of the text became."""
        return self.channel.columns(self.release.rows)

    @property
    def unchanged(self) -> float:
        """The share of words that came out as they went in, 0 to 1."""
        return float((self.release.rows == self.scene.text.rows).mean())
