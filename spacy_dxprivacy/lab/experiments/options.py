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
    found. progress: wraps long loops."""

    max_words: int | None = option(None, "Take the first N of the space", least=2)
    words: int = option(500, "How many words to look at", "--words -w", least=2)
    steps: int = option(
        8, "How many values of epsilon, in a range that is found", "--epsilons", least=2
    )
    draws: int = option(10, "How often noise is drawn for each word", least=1)
    mechanisms: tuple[str, ...] = option(
        (), "Only this one of the experiment; a wrong name lists them all", "--mechanism -m"
    )
    c: float | None = option(None, "Of rank sampling; fitted to the space if none", above=0)
    documents: int = option(200, "How many texts", least=10)
    text: Path | None = option(
        None,
        "Of frontier, tasks: texts of yours, .csv, .tsv or .jsonl; else those of the package",
    )
    field: str = option("text", "The field of .jsonl and .csv with the text")
    label: str | None = option(None, "Of tasks: the field with the class of a text")
    author: str | None = option(None, "Of tasks: the field with who wrote it")
    group: str = option("", "Of optimum: words with commas, or one, and those nearest to it")
    prior: str = option(
        "",
        "Of optimum: how likely words are: word-frequency, uniform, word-pairs, a folder, a file",
    )
    loss: str = option("path", "Of optimum: path, changed or vectors", one_of=LOSSES)
    seconds: float = option(120.0, "Of optimum: stop its solver then", above=0)
    model: str = option(
        "", "Of frontier: a causal language model, for the editor and a stronger attacker: a "
        "Hugging Face folder, a .gguf file, or a name (needs the extra lm)",
    )  # fmt: skip
    prompt: str = option(
        "", "Of frontier: what that model is told of the kind of text, in public words"
    )
    at: float = option(
        0.6, "Of frontier: compare where the attacker finds this share of the words",
        between=(0.0, 1.0),
    )  # fmt: skip
    epsilons: tuple[float, ...] = ()
    progress: Progress = no_progress

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
