"""A mechanism over epsilon, and the epsilon that meets a target: all that `tune` needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...space import Space
from ...ty import Mechanism
from . import (
    SEARCH_WORDS,
    Answer,
    Bench,
    Curve,
    Losses,
    Make,
    Target,
    Tuner,
    epsilon_range_on,
    evenly,
    sampled,
    solve,
)
from .settings import make_mechanism, short

STEPS = 12
OnStep = Callable[[str], Any]


def tune(
    name: str,
    space: Space,
    bench: Bench,
    *,
    epsilons: list[float] | None = None,
    target: Target | None = None,
    read: Callable[[Mechanism], float | None] | None = None,
    on_step: OnStep | None = None,
) -> tuple[Curve, Answer | None]:
    """The curve of a mechanism, and the epsilon for a target; None where no epsilon meets it.

    name: of a registered mechanism. epsilons: None for STEPS of them in a range that is found.
    read: how what is drawn reads, if asked. on_step: called with what is done, at each epsilon.
    Raises DxError where an epsilon does not work on this space.
    """
    make = partial(make_mechanism, name, space)
    tuner = Tuner(make, bench, Losses(len(space)), read)
    tell = on_step or (lambda step: None)

    def looking(what: str, look: Callable[[float], Any]) -> Callable[[float], Any]:
        def at(epsilon: float) -> Any:
            tell(f"{short(name)}: {what}")
            return look(epsilon)

        return at

    if epsilons is None:
        epsilons = evenly(*_range(looking("looking for a range", make), space, bench), STEPS)
    for epsilon in epsilons:
        looking("measuring", tuner)(epsilon)
    curve = tuner.curve(epsilons)
    if target is None:
        return curve, None
    return curve, solve(target, curve, looking("looking for the target", tuner), bench.probes)


def _range(make: Make, space: Space, bench: Bench) -> tuple[float, float]:
    """On fewer words: the ends of a range need not be exact."""
    probes = bench.probes
    few = sampled(probes.rows, probes.counts, min(SEARCH_WORDS, probes.size))
    return epsilon_range_on(space.vectors, few, make)
