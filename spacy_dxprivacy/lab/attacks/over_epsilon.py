"""Attacks on mechanisms over epsilon: all that there is to tell of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats2d, Ints1d
from ...batch.rows import sentences_of_file
from ...errors import DxError
from ...space import Space
from ..tuning import SEARCH_WORDS, Make, epsilon_range_on, evenly, sampled
from ..tuning.settings import make_mechanism
from . import AttackFigure, Corpus, Scene, Trial, attack

STEPS = 6
OnStep = Callable[[str, int], Any]


def read_corpus(source: str, space: Space, *, field: str = "text", lines: bool = False) -> Corpus:
    """The words of a file, or of stdin for "-", in their sentences. Raises UsageError where it
    cannot be read, DxError where it has no word that the space holds."""
    parts = sentences_of_file(source, "an attack", field=field, lines=lines, space=space)
    documents = [words for some, _ in parts for words in some]
    rows = [rows for rows, _, _ in documents]
    begins, before = [begins for _, begins, _ in documents], [marks for _, _, marks in documents]
    return Corpus.of(rows, begins, before)


def attack_over_epsilon(
    names: Sequence[str],
    mechanisms: Sequence[str],
    space: Space,
    scene: Scene,
    epsilons: Sequence[float] | None = None,
    *,
    on_step: OnStep | None = None,
) -> list[AttackFigure]:
    """Each attack on each mechanism at each epsilon; None for STEPS epsilons in a range that is
    found for each. mechanisms: registered names. on_step: called after each attack with the
    mechanism and how many attacks on it there are.

    Raises DxError where the text is too small for the one attack; of several, those that have
    nothing to work on are left out.
    """
    tell = on_step or (lambda name, total: None)
    found: list[AttackFigure] = []
    for name in dict.fromkeys(mechanisms):
        make = partial(make_mechanism, name, space)
        some = epsilons or epsilons_for(make, scene.X, scene.text.rows)
        for epsilon in some:
            trial = Trial(scene, make(epsilon))
            for which in names:
                found += _tried(which, trial, alone=len(names) == 1)
                tell(name, len(some) * len(names))
    return found


def _tried(name: str, trial: Trial, *, alone: bool) -> list[AttackFigure]:
    try:
        return attack(name, trial)
    except DxError:
        if alone:
            raise
        return []


def epsilons_for(make: Make, X: Floats2d, rows: Ints1d) -> list[float]:
    """STEPS of them, in the range where a text changes. rows: of the text."""
    words, counts = np.unique(rows, return_counts=True)
    few = sampled(words, counts, min(SEARCH_WORDS, len(rows)))
    return list(evenly(*epsilon_range_on(X, few, make), STEPS))
