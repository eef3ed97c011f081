"""What all experiments can be told, and what they share in setting up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...errors import DxError, Errors
from ...randomness import Rng
from ...space import Space
from ..tuning import SEARCH_WORDS, Probes, epsilon_range_on, evenly
from .build import Once, make
from .result import Result
from .tasks import Tasks

Progress = Callable[[Iterable[Any], str], Iterable[Any]]


def no_progress(steps: Iterable[Any], label: str) -> Iterable[Any]:
    """The steps as they are, for those who want no bar."""
    return steps


@dataclass(frozen=True)
class Options:
    """words: how many are looked at. steps: how many epsilons in a range that is found; epsilons:
    these in its place. draws: of each word, or how often all is repeated. max_words: take the first
    of the space. mechanisms: by the names of the experiment; none for all of them. index: where
    nearest words are sought: "exact", "faiss" or "auto". c: of rank sampling; None to calibrate it.
    documents: how many texts. tasks: the data of the user. others: further spaces, where spaces are
    compared. group: words of the space, or the one in their middle. prior: how likely they are, as
    `--prior` has it; "" for frequency. loss: "path", "changed" or "vectors". seconds: of a solver.
    model, prompt: a causal language model, and public words on the kind of text. at: the share of
    the words that an attacker finds, at which peers are compared. progress: wraps the steps of what
    takes long."""

    words: int = 500
    steps: int = 8
    epsilons: tuple[float, ...] = ()
    draws: int = 10
    max_words: int | None = None
    mechanisms: tuple[str, ...] = ()
    index: str = "auto"
    c: float | None = None
    documents: int = 200
    tasks: Tasks = field(default_factory=Tasks)
    others: tuple[Space, ...] = ()
    group: tuple[str, ...] = ()
    prior: str = ""
    loss: str = "path"
    seconds: float = 120.0
    model: str = ""
    prompt: str = ""
    at: float = 0.6
    progress: Progress = no_progress

    def chosen(self, names: Iterable[str]) -> list[str]:
        """Those of the experiment that were asked for. Raises DxError for one that it lacks."""
        known = list(names)
        unknown = set(self.mechanisms) - set(known)
        if unknown:
            raise DxError(Errors.DX083.format(given=sorted(unknown)[0], known=", ".join(known)))
        return [name for name in known if not self.mechanisms or name in self.mechanisms]


@dataclass(frozen=True)
class Experiment:
    """run: on a space. defaults: small ones. about: what it shows. paper: where it comes from."""

    run: Callable[[Space, Options], Result]
    defaults: Options
    about: str
    paper: str


def first_words(space: Space, options: Options) -> Space:
    """The space, cut to the first max_words of its words if there are more."""
    if options.max_words is None or len(space) <= options.max_words:
        return space
    return space.filtered(max_words=options.max_words)


def random_probes(space: Space, size: int) -> Probes:
    """Different words of the space, each as likely as the next; the same ones each time."""
    order = Rng(seed=0).generator.permutation(len(space))[:size]
    return Probes(np.sort(order).astype(np.int64), np.ones(len(order), dtype=np.int64))


def range_of(name: str, space: Space, options: Options, index: Once | None = None) -> list[float]:
    """The epsilons of the user, or `steps` of them from where 2 % of words stay to where 98 % do,
    by a few words."""
    if options.epsilons:
        return list(options.epsilons)
    few = random_probes(space, min(SEARCH_WORDS, options.words))
    made = partial(make, name, space, index=index)
    ends = epsilon_range_on(space.vectors, few, lambda epsilon: made(epsilon=epsilon))
    return evenly(*ends, options.steps)


def of_space(space: Space) -> str:
    """ "name: n words of d dimensions", for notes."""
    n, d = space.vectors.shape
    return f"{space.name}: {n:,} words of {d} dimensions"


def spread(values: Any) -> dict[str, float]:
    """Mean and percentiles of words."""
    values = np.asarray(values, dtype=np.float64)
    percents = np.percentile(values, (5, 25, 50, 75, 95))
    names = ("p5", "p25", "p50", "p75", "p95")
    return {"mean": float(values.mean()), **dict(zip(names, map(float, percents), strict=True))}
