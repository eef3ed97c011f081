"""The frontier of a mechanism: retention and quality of its releases over the attack success rate.

Mechanisms are compared at an equal attack success rate alone, since the units of their epsilons
differ. The attacker of reading.py has a language model of word pairs and the exact channel; with a
causal model as well, the better of the two counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Ints1d
from ...privacy.randomness import Rng
from ...space import Space
from ...ty import Mechanism
from ..corpus import EncodedCorpus, sanitised
from ..results import (
    NAN,
    Panel,
    Progress,
    ResultTable,
    Row,
    interpolated,
    no_progress,
    share_by_document,
)
from .language import (
    Language,
    language_of,
    language_variants,
    likely_words,
    log_prior,
    places_in,
    word_frequencies,
)
from .reading import Reader, ReleaseReading, SeenRelease, causal_guess

PANELS = {
    "kept": "words unchanged",
    "rare_found": "rare words recovered",
    "cosine": "cosine of output to input",
    "nats": "nats a word over the clear text",
}
CANDIDATES = 8000


@dataclass(frozen=True)
class FrontierPoint:
    """A mechanism at one epsilon. Shares from 0 to 1, of words and of rare ones (language.RARE).

    kept: retention rate. found: top-1 recovery rate of `attacker`, the best on all words, with its
    95 % interval from low to high; rare_found: that of rare_attacker, the best on rare words.
    cosine: of outputs to inputs, in the space. nats: excess negative log-likelihood a word over
    the plaintext, under word pairs alone.
    """

    mechanism: str
    epsilon: float
    kept: float
    found: float
    low: float
    high: float
    rare_kept: float
    rare_found: float
    cosine: float
    nats: float
    words: int
    rare: int
    attacker: str
    rare_attacker: str


@dataclass(frozen=True)
class Ground:
    """A text under attack, and the attackers' prior knowledge.

    read: public text that the attackers have read; None for the frequencies of words in `text`
    itself. reader: the causal model of a second attacker; None for word pairs alone. candidates:
    how many words are guessed among without a language model, the most frequent ones.
    """

    space: Space
    text: EncodedCorpus
    read: EncodedCorpus | None = None
    reader: Reader | None = None
    candidates: int = CANDIDATES

    @cached_property
    def frequencies(self) -> Floats1d:
        """float64 (n,): the frequency of each word, summing to 1."""
        return word_frequencies(len(self.space), self.read or self.text)

    @cached_property
    def words(self) -> Ints1d:
        """(m,), the candidates."""
        return likely_words(self.frequencies, self.candidates)

    @cached_property
    def log_prior(self) -> Floats1d:
        """float64 (m,): ln of the probability of each candidate."""
        return log_prior(self.frequencies, self.words)

    @cached_property
    def places(self) -> Ints1d:
        """(t,): the place of each word of the text among the candidates, or -1."""
        return places_in(self.words, self.text.rows)

    @cached_property
    def language(self) -> Language:
        return language_of(self.space, self.read or self.text)

    @cached_property
    def rare(self) -> Bools1d:
        """bool (t,)."""
        return self.language.is_rare[self.text.rows]

    def cosine(self, outputs: Ints1d, stands: Bools1d | None = None) -> float:
        """Return the mean cosine of outputs to inputs; 0 where no output stands."""
        X = np.asarray(self.space.vectors, dtype=np.float32)
        unit = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-30)
        cosines = (unit[outputs] * unit[self.text.rows]).sum(axis=1)
        return float((cosines if stands is None else cosines * stands).mean())

    def nats(self, outputs: Ints1d, stands: Any = slice(None)) -> float:
        """Return the excess negative log-likelihood a word of the outputs that stand."""
        text = self.text
        clear = self.language.nats(text.rows, text.sentences)
        return self.language.nats(outputs[stands], text.sentences[stands]) - clear

    def point(
        self, name: tuple[str, float], outputs: Ints1d, guesses: Mapping[str, Ints1d],
        stands: Bools1d | None = None,
    ) -> FrontierPoint:  # fmt: skip
        """Return the figures of a release. name: of the mechanism, and its epsilon. guesses: by
        attacker. stands: bool (t,), which words of the text have an output; None for all."""
        text, rare = self.text, self.rare
        stands = np.ones(len(outputs), dtype=bool) if stands is None else stands
        right = {attacker: guess == text.rows for attacker, guess in guesses.items()}
        kept = stands & (outputs == text.rows)
        best = max(right, key=lambda attacker: right[attacker].sum())
        of_rare = max(right, key=lambda attacker: right[attacker][rare].sum())
        recovered, low, high, n = share_by_document(right[best], text.doc_of)
        return FrontierPoint(
            *name, float(kept.mean()), recovered, low, high,
            mean(kept[rare]), mean(right[of_rare][rare]), self.cosine(outputs, stands),
            self.nats(outputs, stands) if stands.any() else NAN,
            n, int(rare.sum()), best, of_rare,
        )  # fmt: skip


def point(label: str, mechanism: Mechanism, ground: Ground, *, seed: int = 1) -> FrontierPoint:
    """Sample one release of a fitted mechanism and attack it."""
    out = sanitised(ground.text, mechanism, Rng(seed)).rows
    guesses = guesses_of(ground, out, mechanism, seed + 1)
    return ground.point((label, mechanism.guarantee.epsilon), out, guesses)


def guesses_of(
    ground: Ground, outputs: Ints1d, mechanism: Mechanism, seed: int
) -> dict[str, Ints1d]:  # fmt: skip
    """Return the guess (t,) by each distribution of word pairs, and by the causal model, by their
    names. seed: of simulations of the mechanism."""
    seen, X = SeenRelease(outputs, ground.text.sentences), ground.space.vectors
    reading = ReleaseReading(seen, mechanism, X, ground.language, Rng(seed))
    variants = language_variants(reading.language, mechanism)
    guesses = {variant.name: replace(reading, language=variant).guess() for variant in variants}
    if ground.reader is not None:
        again = replace(reading, rng=Rng(seed))
        guesses[ground.reader.name] = causal_guess(ground.text, again, ground.reader)
    return guesses


def mean(values: Any) -> float:
    """Return the mean of bools or numbers; nan of none."""
    return float(np.mean(values)) if len(values) else NAN


def frontier(
    makers: Mapping[str, Callable[[float], Mechanism]],
    epsilons: Mapping[str, Sequence[float]],
    ground: Ground,
    progress: Progress = no_progress,
) -> list[FrontierPoint]:
    """Return a point for each mechanism (by its label) at each of its epsilons. makers: return a
    fitted mechanism of an epsilon."""
    return [
        point(label, make(epsilon), ground)
        for label, make in makers.items()
        for epsilon in progress(epsilons[label], label)
    ]


def at_attacker(points: Sequence[FrontierPoint], recovery_rate: float) -> list[FrontierPoint]:
    """Return for each mechanism the point at this recovery rate, interpolated linearly; none where
    all of its points are above or below it."""
    return [
        FrontierPoint(**row) for row in interpolated(map(asdict, points), "found", recovery_rate)
    ]


def result_of(points: Sequence[FrontierPoint]) -> ResultTable:
    """Return a row for each point, and a picture over the recovery rate."""
    rows = [asdict(p) for p in points]
    return ResultTable(rows, panels_of(rows), digits=4)


def panels_of(rows: Sequence[Row]) -> list[Panel]:
    """Return PANELS over the recovery rate, a line for each mechanism."""
    ordered = sorted(rows, key=lambda row: float(row["found"]))
    # Guessing the output itself recovers the words that are unchanged.
    bound = {"mechanism": "no mechanism keeps more"}
    ends = [{**row, **bound, "kept": row["found"]} for row in (ordered[0], ordered[-1])]
    lines = {"kept": [*ordered, *ends]}
    label = "words recovered by the attacker"
    return [
        Panel(title, lines.get(name, ordered), ("found", name), "mechanism", label)
        for name, title in PANELS.items()
    ]
