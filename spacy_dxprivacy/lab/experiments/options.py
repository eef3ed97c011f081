"""The options of experiments, and their registration."""

# ruff: noqa: RUF009 (what `option` returns is a field)
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DxError, Errors
from ...privacy.randomness import Rng
from ...space import Space
from ..mechanisms import Once, make_mechanism
from ..results import Progress, Result, no_progress
from ..tuning.bench import SEARCH_WORDS, Probes, epsilon_range_on, evenly

LOSSES = ("path", "changed", "vectors")


def option(default: Any, text: str, flags: str = "", **check: Any) -> Any:
    """Return a field that is an option of the command. text: its help. flags: if not by its name.
    check: least (of a whole number), above, between or one_of."""
    return field(default=default, metadata={"help": text, "flags": flags, **check})


@dataclass(frozen=True)
class Options:
    """Options of an experiment. epsilons: of the user, in place of `steps` in a range that is
    found. progress: wraps long loops. unfinished: file of the rows of an interrupted run."""

    max_words: int | None = option(None, "Use the first N words of the space", least=2)
    words: int = option(500, "Number of words to measure", "--words -w", least=2)
    steps: int = option(8, "Number of values of epsilon, without --epsilon", "--epsilons", least=2)
    draws: int = option(10, "Draws per word", least=1)
    mechanisms: tuple[str, ...] = option(
        (), "Only this mechanism; a wrong name lists them all", "--mechanism -m"
    )
    c: float | None = option(
        None, "Rank sampling: parameter c (default: fitted to the space)", above=0
    )
    documents: int = option(200, "Number of texts", least=10)
    text: Path | None = option(
        None,
        "frontier, tasks: your texts, a .csv, .tsv or .jsonl file",
    )
    field: str = option("text", "Field of .jsonl and .csv that holds the text")
    label: str | None = option(None, "tasks: field with the class of a text")
    author: str | None = option(None, "tasks: field with the author of a text")
    group: str = option("", "optimum: words with commas, or one word and its nearest")
    prior: str = option(
        "",
        "optimum: prior of the words, such as word-frequency",
    )
    loss: str = option("path", "optimum: loss, one of path, changed, vectors", one_of=LOSSES)
    seconds: float = option(120.0, "optimum: time limit of the solver in seconds", above=0)
    model: str = option(
        "", "frontier: causal language model for editor and attacker",
    )  # fmt: skip
    prompt: str = option("", "frontier: public prompt for the language model")
    at: float = option(
        0.6, "frontier: compare at this top-1 recovery rate",
        between=(0.0, 1.0),
    )  # fmt: skip
    epsilons: tuple[float, ...] = ()
    progress: Progress = no_progress
    unfinished: Path | None = None

    def chosen(self, names: Iterable[str]) -> list[str]:
        """Return the names that were asked for, or all. Raise DxError for an unknown one."""
        known = list(names)
        unknown = sorted(set(self.mechanisms) - set(known))
        if unknown:
            raise DxError(Errors.DX083.format(given=unknown[0], known=", ".join(known)))
        return [name for name in known if not self.mechanisms or name in self.mechanisms]

    def first_words(self, space: Space) -> Space:
        """Return the first max_words of a space."""
        if self.max_words is None or len(space) <= self.max_words:
            return space
        return space.filtered(max_words=self.max_words)

    def range_of(self, name: str, space: Space, index: Once | None = None) -> list[float]:
        """Return the epsilons of the user, or `steps` from where 2 % of words are unchanged to
        where 98 % are."""
        if self.epsilons:
            return list(self.epsilons)
        few = random_probes(space, min(SEARCH_WORDS, self.words))
        make = partial(make_mechanism, name, space, index=index)
        return evenly(*epsilon_range_on(space.vectors, few, make), self.steps)


@dataclass(frozen=True)
class Experiment:
    """A registered experiment. about: what it shows. paper: its reference."""

    run: Run
    defaults: Options
    about: str
    paper: str


EXPERIMENTS: dict[str, Experiment] = {}
Run = Callable[[Space, Options], Result]


def experiment(name: str, about: str, paper: str, **defaults: Any) -> Callable[[Run], Run]:
    """Register a function of a space and options as an experiment. defaults: of its options."""

    def registered(run: Run) -> Run:
        EXPERIMENTS[name] = Experiment(run, Options(**defaults), about, paper)
        return run

    return registered


def random_probes(space: Space, size: int) -> Probes:
    """Return distinct random words of the space, the same ones each time."""
    order = Rng(seed=0).generator.permutation(len(space))[:size]
    return Probes(np.sort(order).astype(np.int64), np.ones(len(order), dtype=np.int64))


def of_space(space: Space) -> str:
    """Return the size of a space, for notes."""
    n, d = space.vectors.shape
    return f"{space.name}: {n:,} words of {d} dimensions"
