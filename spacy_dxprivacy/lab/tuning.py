"""What epsilon does to probed words, and the epsilon that meets a target, for `dx tune`.

Figures are exact where a mechanism states its probabilities, else simulated with a fixed seed.
Every figure is a mean over probed words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..about import __version__
from ..arrays import Floats1d, Floats2d
from ..errors import UsageError
from ..mechanisms.levels import scale_of
from ..privacy.randomness import Rng
from ..space import Space
from ..ty import Mechanism, StatesProbabilities
from ..validate import fail
from .attacks.channel import channel_of
from .attacks.guessing import bayes_guess
from .corpus import drawn, sentences_of_file
from .epsilons import Make, Probes, epsilons_for, running_text, sampled
from .mechanisms import make_mechanism
from .results import Progress, counted, no_progress

SHARES = ("unchanged", "guesser")
FIGURES = (*SHARES, "similarity", "loss")
STEPS = 12
TOLERANCE = 0.0005  # relative, of an epsilon that is searched for
_TARGET = re.compile(r"\s*([a-z]+)\s*(<=|>=)\s*([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)\s*(%?)\s*")


def probed_words(
    space: Space, size: int, text: str | None, field: str
) -> tuple[Probes, dict[str, Any]]:  # fmt: skip
    """Return a sample of the space, or of the words of a file, and what may be reported of it."""
    if text is None:
        return running_text(len(space), size), {"source": "the space", "words": size}
    counts, unknown, failed = np.zeros(len(space), dtype=np.int64), 0, 0
    for documents, lost in sentences_of_file(text, "`text`", field=field, space=space):
        rows = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(rows_of for rows_of, *_ in documents)]
        )
        counts += np.bincount(rows[rows >= 0], minlength=len(space))
        unknown += int((rows < 0).sum())
        failed += lost
    n_known = int(counts.sum())
    if not n_known:
        raise UsageError("`text` has no word of the space. Give another text or space.")
    present = np.flatnonzero(counts)
    probes = sampled(present, counts[present], min(size, n_known))
    about = {
        "source": "a text",
        "words": probes.size,
        "words_of_text": n_known + unknown,
        "unknown": unknown,
        "records_that_failed": failed,
    }
    return probes, about


@dataclass(frozen=True)
class WordFigures:
    """Figures of the probed words, float64 (m,) each.

    unchanged: probability that the output is the word itself. similarity: mean cosine of output
    and input. guesser: how often the best guesser is right. exact: computed from probabilities,
    not simulated.
    """

    unchanged: Floats1d
    similarity: Floats1d
    guesser: Floats1d
    exact: bool


class Bench:
    """Measures mechanisms on probed words of a space with vectors X (n, d).

    draws: for each word, in simulations.

    The guesser sees one output, and knows the mechanism, the probed words and how often each comes.
    It is exact where the mechanism states its probabilities; elsewhere it learns from other draws,
    so it may do a little less than the best.
    """

    def __init__(self, X: Floats2d, probes: Probes, *, draws: int = 20) -> None:
        self.X, self.probes, self.draws = X, probes, draws
        norms = np.linalg.norm(X.astype(np.float64), axis=1, keepdims=True)
        self.units = (X / np.where(norms > 0, norms, 1)).astype(np.float32)

    def measure(self, mechanism: Mechanism) -> WordFigures:
        """Return the figures of a mechanism that is fitted on this space."""
        rows, weights, X = self.probes.rows, self.probes.weights, self.X
        if isinstance(mechanism, StatesProbabilities):
            P = np.exp(channel_of(mechanism, X, (rows, np.arange(len(X))), Rng()).of(rows))
            joint = P * weights[:, None]
            guessed = np.bincount(joint.argmax(axis=0), joint.max(axis=0), len(rows)) / weights
            similar = np.einsum("kn,kn->k", P, self.units[rows] @ self.units.T, dtype=np.float64)
            return WordFigures(P[np.arange(len(rows)), rows], similar, guessed, exact=True)
        outputs = drawn(mechanism, np.repeat(rows, self.draws), Rng(seed=0)).rows
        table = channel_of(mechanism, X, (rows, outputs), Rng(seed=1), self.draws)
        guess = bayes_guess(table.of(rows), np.log(weights))[table.columns(outputs)]
        Y, right = outputs.reshape(-1, self.draws), guess.reshape(-1, self.draws)
        cosines = [self.units[y] @ self.units[row] for row, y in zip(rows, Y, strict=True)]
        return WordFigures(
            unchanged=(Y == rows[:, None]).mean(axis=1),
            similarity=np.mean(cosines, axis=1, dtype=np.float64),
            guesser=(right == np.arange(len(rows))[:, None]).mean(axis=1),
            exact=False,
        )


@dataclass(frozen=True)
class TunedPoint:
    """Figures at one epsilon. words: of each probed word. loss: nats between a word and its nearest
    one, by the guarantee; nan without one. weights: (m,), of the words; size: repeats counted."""

    mechanism: Mechanism
    epsilon: float
    words: WordFigures
    loss: float
    weights: Floats1d = field(repr=False)
    size: int

    def __getitem__(self, name: str) -> float:
        """Return a figure by its name in FIGURES."""
        return self.loss if name == "loss" else float(self.weights @ getattr(self.words, name))

    def interval(self, name: str) -> tuple[float, float]:
        """Return the 95 % interval of a figure over the probed words."""
        mean, values = self[name], getattr(self.words, name)
        half = 1.96 * float(np.sqrt(self.weights @ (values - mean) ** 2 / self.size))
        return mean - half, mean + half


def loss_of(mechanism: Mechanism, n: int) -> float:
    """Return the privacy loss between a word and its nearest one of n; nan without a guarantee that
    covers all words."""
    guarantee = mechanism.guarantee
    if not guarantee.holds:
        return np.nan
    if guarantee.kind == "approx-dp":
        return guarantee.epsilon if guarantee.covers == "all" else np.nan
    scale = scale_of(mechanism, n)
    return float(scale["nearest"]["nats"]) if scale else np.nan


@dataclass(frozen=True)
class Target:
    """A bound on one of FIGURES: "<=" if at_most, else ">="."""

    figure: str
    at_most: bool
    value: float

    @classmethod
    def parse(cls, text: str) -> Target:
        """Parse "unchanged <= 0.3"; raise DxError for anything else."""
        match = _TARGET.fullmatch(text)
        if not match or match[1] not in FIGURES:
            expected = f"FIGURE <= NUMBER or FIGURE >= NUMBER, FIGURE one of {', '.join(FIGURES)}"
            raise fail("a target", expected, text)
        value = float(match[3]) / (100 if match[4] else 1)
        if match[1] in SHARES and not 0 <= value <= 1:
            raise fail(f"the share in {text!r}", "from 0 to 1", value)
        return cls(match[1], match[2] == "<=", value)

    def met(self, point: TunedPoint) -> bool:
        """Return whether a point meets the target; nan does not."""
        value = point[self.figure]
        return value <= self.value if self.at_most else value >= self.value

    def __str__(self) -> str:
        return f"{self.figure} {'<=' if self.at_most else '>='} {self.value:g}"


class Answer(NamedTuple):
    """The point that meets a target. bounded: False where all of the range meets it."""

    point: TunedPoint
    bounded: bool


Tuned = tuple[list[TunedPoint], Answer | None]


@dataclass(frozen=True)
class Study:
    """Settings of `dx tune`. epsilons: None for STEPS of them in a range that is found."""

    space: Space
    bench: Bench
    epsilons: Sequence[float] | None = None
    target: Target | None = None
    progress: Progress = no_progress

    def tune(self, label: str, config: dict[str, Any]) -> Tuned:
        """Return the points of a mechanism by rising epsilon, and that of the target. label,
        config: as of parse_mechanism."""
        make, probes = partial(make_mechanism, config, self.space), self.bench.probes
        epsilons = self.epsilons
        if epsilons is None:  # by fewer words: the ends of a range need not be exact
            look = counted(make, f"{label}: looking for a range", self.progress)
            epsilons = epsilons_for(look, probes.rows, probes.counts, STEPS)
        measure = cache(partial(self.point, make))
        points = [measure(e) for e in self.progress(epsilons, f"{label}: measuring")]
        if self.target is None:
            return points, None
        look_for = counted(measure, f"{label}: looking for the target", self.progress)
        return points, solve(self.target, points, look_for)

    def point(self, make: Make, epsilon: float) -> TunedPoint:
        """Measure one mechanism."""
        mechanism, probes = make(epsilon), self.bench.probes
        loss = loss_of(mechanism, len(self.space))
        return TunedPoint(
            mechanism, epsilon, self.bench.measure(mechanism), loss, probes.weights, probes.size
        )

    def to_dict(self, about: dict[str, Any], results: Mapping[str, Tuned]) -> dict[str, Any]:
        """Return plain values for JSON, without any word of a text; about: of probed_words."""
        probes = self.bench.probes
        return {
            "spacy_dxprivacy": __version__,
            "space": f"{self.space.name} ({self.space.digest})",
            "probed": {**about, "different": len(probes.rows)},
            "draws": self.bench.draws,
            "guesser_without_output": float(probes.weights.max()),
            "mechanisms": [self._entry(label, *tuned) for label, tuned in results.items()],
        }

    def _entry(self, label: str, points: list[TunedPoint], answer: Answer | None) -> dict[str, Any]:
        guarantee, names = points[-1].mechanism.guarantee, FIGURES[:-1]
        target: dict[str, Any] = {"target": str(self.target), "epsilon": None}
        if answer is not None and self.target is not None:
            target |= {"epsilon": answer.point.epsilon, "bounded": answer.bounded}
            target[self.target.figure] = answer.point[self.target.figure]
        return {
            "mechanism": label,
            "exact": all(point.words.exact for point in points),
            "kind": guarantee.kind,
            "metric": guarantee.metric,
            "status": guarantee.status,
            "points": [
                {
                    "epsilon": point.epsilon,
                    **{name: point[name] for name in names},
                    "interval": {name: point.interval(name) for name in names},
                    "loss": None if np.isnan(point.loss) else point.loss,
                }
                for point in points
            ],
            **({} if self.target is None else {"target": target}),
        }


def solve(
    target: Target, points: Sequence[TunedPoint], measure: Callable[[float], TunedPoint]
) -> Answer | None:  # fmt: skip
    """Return the point that meets a target within the range of some points, or None.

    Where the least epsilon meets it, this is the largest up to which all do, the most useful one;
    else it is the least that does, the most private one. It is found by bisection of ln epsilon.
    """
    met = [target.met(point) for point in points]
    if not any(met):
        return None
    turn = met.index(not met[0]) if len(set(met)) > 1 else len(met)
    if turn == len(met):
        return Answer(points[-1], bounded=False)
    good, bad = (points[turn - 1], points[turn])[:: 1 if met[0] else -1]
    while max(good.epsilon, bad.epsilon) > (1 + TOLERANCE) * min(good.epsilon, bad.epsilon):
        middle = measure(float(f"{np.sqrt(good.epsilon * bad.epsilon):.5g}"))
        if middle.epsilon in (good.epsilon, bad.epsilon):
            break
        good, bad = (middle, bad) if target.met(middle) else (good, middle)
    return Answer(good, bounded=True)
