"""The frontier of a mechanism: retention and quality of its releases over the attack success rate.

Mechanisms are compared at equal attack success rates, since the units of their epsilons differ. The
attacker (reading.py) has the exact channel and a language model of word pairs; if it also has a
causal model, the better of the two counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Bools1d, Floats1d, Ints1d
from ...prior.cells import places_in
from ...privacy.randomness import Rng
from ...space import Space
from ...ty import Mechanism
from ..corpus import EncodedCorpus, sample_release
from ..results import (
    NAN,
    Panel,
    ResultTable,
    Row,
    interpolate,
    share_by_document,
)
from .channel import Channel
from .language import (
    Language,
    language_of,
    language_variants,
    likely_words,
    log_prior,
    word_frequencies,
)
from .reading import Reader, ReleaseReading, SeenRelease, causal_guess, filled_guess

PANELS = {
    "kept": "words unchanged",
    "rare_found": "rare words recovered",
    "cosine": "cosine of output to input",
    "nats": "nats a word over the clear text",
}
CANDIDATES = 8000


@dataclass(frozen=True)
class FrontierPoint:
    """A mechanism at one epsilon; rates from 0 to 1, of all words and of rare ones (language.RARE).

    kept: retention rate. found: top-1 recovery rate of `attacker`, the best on all words, with its
    95 % interval from low to high; rare_found: of rare_attacker, the best on rare words. cosine: of
    outputs to inputs. nats: excess negative log-likelihood a word under word pairs.
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
class AttackTarget:
    """A text under attack, and the attackers' prior knowledge.

    read: public text that the attackers know; None for the word frequencies of `text`. reader: the
    causal model of a second attacker, or None. candidates: number of the most frequent words that
    an attacker without a language model chooses from.
    """

    space: Space
    text: EncodedCorpus
    read: EncodedCorpus | None = None
    reader: Reader | None = None
    candidates: int = CANDIDATES

    def prepared(self) -> AttackTarget:
        """Return the target itself, with what attacks on all mechanisms share."""
        _ = self.language, self.blind, self.places, self.log_prior
        return self

    @cached_property
    def frequencies(self) -> Floats1d:
        """Word frequencies, float64 (n,), summing to 1."""
        return word_frequencies(len(self.space), self.read or self.text)

    @cached_property
    def words(self) -> Ints1d:
        """The candidates, int64 (m,)."""
        return likely_words(self.frequencies, self.candidates)

    @cached_property
    def log_prior(self) -> Floats1d:
        """Log-probabilities of the candidates, float64 (m,)."""
        return log_prior(self.frequencies, self.words)

    @cached_property
    def places(self) -> Ints1d:
        """The place of each word of the text among the candidates, or -1, int64 (t,)."""
        return places_in(self.words, self.text.rows)

    @cached_property
    def language(self) -> Language:
        return language_of(self.space, self.read or self.text)

    @cached_property
    def blind(self) -> Ints1d:
        """The likeliest words of the text without any output, int64 (t,)."""
        seen = SeenRelease(self.text.rows, self.text.sentences)
        return filled_guess(seen, np.ones(len(seen.outputs), dtype=bool), self.language)

    @cached_property
    def rare(self) -> Bools1d:
        """Whether each word of the text is rare, bool (t,)."""
        return self.language.is_rare[self.text.rows]

    def cosine(self, outputs: Ints1d, has_output: Bools1d | None = None) -> float:
        """Return the mean cosine of outputs to inputs; 0 for words without an output."""
        X = np.asarray(self.space.vectors, dtype=np.float32)
        unit = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-30)
        cosines = (unit[outputs] * unit[self.text.rows]).sum(axis=1)
        return float((cosines if has_output is None else cosines * has_output).mean())

    def nats(self, outputs: Ints1d, has_output: Any = slice(None)) -> float:
        """Return the excess negative log-likelihood a word of the outputs."""
        nats, sentences = self.language.nats, self.text.sentences
        return nats(outputs[has_output], sentences[has_output]) - nats(self.text.rows, sentences)

    def point(
        self, name: tuple[str, float], outputs: Ints1d, guesses: Mapping[str, Ints1d],
        has_output: Bools1d | None = None,
    ) -> FrontierPoint:  # fmt: skip
        """Return the figures of a release. name: of the mechanism, and its epsilon. guesses: by
        attacker. has_output: bool (t,), which words of the text have one; None for all."""
        text, rare = self.text, self.rare
        has_output = np.ones(len(outputs), dtype=bool) if has_output is None else has_output
        right = {attacker: guess == text.rows for attacker, guess in guesses.items()}
        kept = has_output & (outputs == text.rows)
        best = max(right, key=lambda attacker: right[attacker].sum())
        best_at_rare = max(right, key=lambda attacker: right[attacker][rare].sum())
        recovered, low, high, n = share_by_document(right[best], text.doc_of)
        return FrontierPoint(
            *name, float(kept.mean()), recovered, low, high,
            mean(kept[rare]), mean(right[best_at_rare][rare]), self.cosine(outputs, has_output),
            self.nats(outputs, has_output) if has_output.any() else NAN,
            n, int(rare.sum()), best, best_at_rare,
        )  # fmt: skip


def point(
    label: str, mechanism: Mechanism, target: AttackTarget, *, seed: int = 1
) -> FrontierPoint:
    """Sample and attack one release of a fitted mechanism."""
    out = sample_release(target.text, mechanism, Rng(seed)).rows
    guesses = guesses_of(target, out, mechanism, seed + 1)
    return target.point((label, mechanism.guarantee.epsilon), out, guesses)


def guesses_of(
    target: AttackTarget,
    outputs: Ints1d,
    mechanism: Mechanism,
    seed: int,
    known: Channel | None = None,
) -> dict[str, Ints1d]:
    """Return the guesses (t,) by each language model, by its name. seed: of simulations. known: a
    channel to these outputs, whose words are not computed again."""
    seen, X = SeenRelease(outputs, target.text.sentences), target.space.vectors
    reading = ReleaseReading.of(seen, mechanism, X, target.language, Rng(seed), known)
    variants = language_variants(reading.language, mechanism)
    guesses = {variant.name: replace(reading, language=variant).guess() for variant in variants}
    if target.reader is not None:
        guesses[target.reader.name] = causal_guess(target.text, reading, target.reader)
    return guesses


def mean(values: Any) -> float:
    """Return the mean of bools or numbers; nan without any."""
    return float(np.mean(values)) if len(values) else NAN


def frontier(
    makers: Mapping[str, Callable[[float], Mechanism]],
    epsilons: Mapping[str, Sequence[float]],
    target: AttackTarget,
) -> list[FrontierPoint]:
    """Return a point for each mechanism, by label, at each of its epsilons. makers: return a fitted
    mechanism for an epsilon."""
    return [
        point(label, make(epsilon), target)
        for label, make in makers.items()
        for epsilon in epsilons[label]
    ]


def at_attacker(points: Sequence[FrontierPoint], recovery_rate: float) -> list[FrontierPoint]:
    """Return the point of each mechanism at this recovery rate, interpolated linearly; mechanisms
    that do not reach it are left out."""
    rows = interpolate(map(asdict, points), "found", recovery_rate)
    return [FrontierPoint(**row) for row in rows]


def result_of(points: Sequence[FrontierPoint]) -> ResultTable:
    """Return a row for each point, and figures over the recovery rate."""
    rows = [asdict(p) for p in points]
    return ResultTable(rows, panels_of(rows), digits=4)


def panels_of(rows: Sequence[Row]) -> list[Panel]:
    """Return PANELS over the recovery rate, a line for each mechanism."""
    ordered = sorted(rows, key=lambda row: float(row["found"]))
    # An attacker that guesses the output itself recovers the unchanged words.
    bound = {"mechanism": "no mechanism keeps more"}
    ends = [{**row, **bound, "kept": row["found"]} for row in (ordered[0], ordered[-1])]
    lines = {"kept": [*ordered, *ends]}
    label = "words recovered by the attacker"
    return [
        Panel(title, lines.get(name, ordered), ("found", name), "mechanism", label)
        for name, title in PANELS.items()
    ]
