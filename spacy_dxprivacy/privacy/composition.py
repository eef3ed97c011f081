"""What several promises add up to, over the words of a document."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from ..errors import DxError, Errors
from ..guarantee import STATUSES, Guarantee
from .accounting import BASIC, total


def compose(guarantees: Iterable[Guarantee]) -> Guarantee:
    """The promise for a document whose words were each drawn under one of these promises.

    For "metric-dp" epsilons add up (Chatzikokolakis et al. 2013, section 4), and the sum is nats
    per unit of the largest distance between two words at one place. For "approx-dp" see
    accounting.total. One word without a promise leaves none.

    Raises DxError for promises that differ in kind, metric, space or in the pairs they cover.
    """
    parts = list(guarantees)
    if not parts:
        raise DxError(Errors.DX040.format(why="there are none"))
    counts: dict[Guarantee, int] = {}
    for part in parts:
        counts[part] = counts.get(part, 0) + 1
    return _add(counts)


@lru_cache(maxsize=1024)  # a corpus has many documents of as many words
def repeat(guarantee: Guarantee, times: int) -> Guarantee:
    """compose([guarantee] * times), for a document of `times` perturbed words; 0 is allowed."""
    return _add({guarantee: times})


def _add(counts: dict[Guarantee, int]) -> Guarantee:
    first = next(iter(counts))
    if any(g.kind == "none" for g in counts):
        return Guarantee("none", adjacency=_DOCUMENT, notes="A part of it has no guarantee.")
    for name in ("kind", "metric", "adjacency", "covers", "protects", "space"):
        if len({getattr(g, name) for g in counts}) > 1:
            raise DxError(Errors.DX040.format(why=f"they differ in their {name}"))
    how = BASIC
    epsilon = math.fsum(g.epsilon * n for g, n in counts.items())
    delta = 0.0
    if first.kind == "approx-dp":
        epsilon, delta, how = total(counts)
    worst = max(counts, key=lambda g: STATUSES.index(g.status))
    return replace(
        first,
        epsilon=epsilon,
        delta=delta,
        adjacency=f"{_DOCUMENT}; at each place: {first.adjacency}",
        status=worst.status,
        source=worst.source,
        notes=f"Added up over the perturbed words by {how}; a word said twice counts twice. "
        f"{first.notes}".strip(),
        mu=math.hypot(*(g.mu * math.sqrt(n) for g, n in counts.items())),
    )


_DOCUMENT = (
    "documents of the same length that differ in the perturbed words alone; all else that is "
    "released (the receipt's in_clear) is alike"
)
