"""What a release is good for and what an attacker finds in it: the two sides of every setting.

Mechanisms can be compared at an equal attacker alone, since the units of their epsilons differ.
The attacker is that of reading.py: a language model of word pairs and the exact channel. Where
there is a causal model as well (causal.py), both try, and what counts is the one that finds more.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...arrays import Bools1d, Floats2d, Ints1d
from ...randomness import Rng
from ...space import Space
from ...ty import Mechanism
from .causal import Reader, causal_guess
from .corpus import Corpus, sanitised
from .findings import share_by_document
from .language import Language, language_of, ways_to_read
from .reading import Seen, language_guess
from .walks import Walks

NAN = float("nan")


@dataclass(frozen=True)
class Point:
    """A mechanism at one epsilon. Shares from 0 to 1, of words, and of rare ones (language.RARE).

    kept: came out as they went in. found: guessed right, with its 95 % interval from low to high,
    by `attacker`, who finds most; rare_found: by rare_attacker, who finds most of the rare ones.
    cosine: of outputs to inputs, in the space. nats: a word above the clear text, under the
    language model of the attacker without what it has read. measured: False between two points.
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
    measured: bool = True


@dataclass(frozen=True)
class Ground:
    """What all points are measured on. text: whose words are sought. read: what the attackers have
    read; None for how often each word comes in the text itself. reader: the causal model of a
    second one; None for word pairs alone."""

    space: Space
    text: Corpus
    read: Corpus | None = None
    reader: Reader | None = None

    @cached_property
    def language(self) -> Language:
        return language_of(self.space, self.read or self.text)

    @cached_property
    def rare(self) -> Bools1d:
        """bool (t,)."""
        return self.language.is_rare[self.text.rows]

    @cached_property
    def _unit(self) -> Floats2d:
        X = np.asarray(self.space.vectors, dtype=np.float32)
        unit: Floats2d = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-30)
        return unit

    def cosine(self, outputs: Ints1d) -> float:
        return float((self._unit[outputs] * self._unit[self.text.rows]).sum(axis=1).mean())

    def nats(self, outputs: Ints1d) -> float:
        text = self.text
        clear = self.language.nats(text.rows, text.sentences)
        return self.language.nats(outputs, text.sentences) - clear


def point(label: str, mechanism: Mechanism, ground: Ground, *, seed: int = 1) -> Point:
    """One release of a fitted mechanism, attacked. Nothing of it is released."""
    text = ground.text
    out = sanitised(text, mechanism, Rng(seed)).rows
    guesses = _by_pairs(out, mechanism, ground, Rng(seed + 1))
    guesses |= _by_model(out, mechanism, ground, Rng(seed + 1))
    right = {name: guess == text.rows for name, guess in guesses.items()}
    kept, rare = out == text.rows, ground.rare
    best = max(right, key=lambda name: right[name].sum())
    of_rare = max(right, key=lambda name: right[name][rare].sum())
    found, low, high, n = share_by_document(right[best], text.doc_of)
    return Point(
        label, mechanism.guarantee.epsilon, float(kept.mean()), found, low, high,
        _mean(kept[rare]), _mean(right[of_rare][rare]), ground.cosine(out), ground.nats(out),
        n, int(rare.sum()), best, of_rare,
    )  # fmt: skip


def guessed(out: Ints1d, mechanism: Mechanism, ground: Ground, rng: Rng) -> Ints1d:
    """What who has word pairs takes a release for, int64 (t,): by the law that is right most
    often (language.ways_to_read)."""
    guesses = _by_pairs(out, mechanism, ground, rng).values()
    return max(guesses, key=lambda rows: int((rows == ground.text.rows).sum()))


def _by_pairs(
    out: Ints1d, mechanism: Mechanism, ground: Ground, rng: Rng
) -> dict[str, Ints1d]:  # fmt: skip
    """The guess by each law of word pairs, by its name."""
    seen, X = Seen(out, ground.text.sentences), ground.space.vectors
    laws = ways_to_read(ground.language, mechanism)
    return {law.name: language_guess(seen, mechanism, X, law, rng) for law in laws}


def _by_model(
    out: Ints1d, mechanism: Mechanism, ground: Ground, rng: Rng
) -> dict[str, Ints1d]:  # fmt: skip
    """The same of who has a causal model; of nobody, where there is none."""
    text, X, reader = ground.text, ground.space.vectors, ground.reader
    if reader is None:
        return {}
    return {reader.name: causal_guess(text, out, mechanism, X, ground.language, reader, rng)}


def _mean(some: Bools1d) -> float:
    return float(some.mean()) if len(some) else NAN


def frontier(
    makers: Mapping[str, Callable[[float], Mechanism]],
    epsilons: Mapping[str, Sequence[float]],
    ground: Ground,
    on_step: Callable[[Point], None] = lambda point: None,
) -> list[Point]:
    """A point for each mechanism (by its label) at each of its epsilons. makers: epsilon -> a
    fitted mechanism. on_step: called with each point."""
    walks, points = Walks(), []
    for label, make in makers.items():
        for epsilon in epsilons[label]:
            mechanism = make(epsilon)
            walks.share(mechanism)
            points.append(point(label, mechanism, ground))
            on_step(points[-1])
    return points


def at_attacker(points: Sequence[Point], found: float) -> list[Point]:
    """For each mechanism the point at which the attacker is right this often, by straight lines
    between measured ones; left out where it is right more or less often at all of them."""
    met = []
    for label in dict.fromkeys(p.mechanism for p in points):
        own = sorted((p for p in points if p.mechanism == label), key=lambda p: p.epsilon)
        for a, b in pairwise(own):
            if min(a.found, b.found) <= found <= max(a.found, b.found) and a.found != b.found:
                met.append(_between(a, b, (found - a.found) / (b.found - a.found)))
                break
    return met


def _between(a: Point, b: Point, share: float) -> Point:
    first, last = asdict(a), asdict(b)
    numbers = [f.name for f in fields(Point) if isinstance(first[f.name], float)]
    mixed = {name: (1 - share) * first[name] + share * last[name] for name in numbers}
    return Point(**{**first, **mixed, "measured": False})


def points_as_csv(points: Sequence[Point]) -> bytes:
    """A row a point; numbers with four digits."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [f.name for f in fields(Point)], lineterminator="\n")
    writer.writeheader()
    for p in points:
        values = asdict(p).items()
        writer.writerow({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in values})
    return text.getvalue().encode()
