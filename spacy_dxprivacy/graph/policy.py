"""A metric with a policy: lengths of the public graph, by what kind of words they join.

    length(v, w) = graph length * scale(v, w) + toll(v) + toll(w)
                   + apart * max over axes |f(v) - f(w)|

Words of a class with a scale below 1 are nearer to each other, so better hidden; above 1 they are
kept more often. An axis gives words a place from -1 to 1 (left -1, right 1, others 0). Whatever
path leads from v to w, its edges pay apart * |f(v) - f(w)| together by the triangle inequality, so
opposites are never near, and no way round has to be looked for. A toll is paid at both ends of
every path to a word: it keeps negations and units. All of it is public, symmetric and above 0, so
the shortest path stays a metric.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d
from ..errors import DxError, Errors
from ..space import Space
from ..validate import between, fail
from .features import Features, features_of
from .policy_graph import MOST_QUANTA, QUANTA, PolicyGraph, with_lengths
from .store import graph_of
from .word_graph import BEYOND_ALL

LEAST_SCALE, MOST_SCALE = 0.05, 20.0


@dataclass(frozen=True)
class Policy:
    """Scales of edges: between proper words (names, places, months, years, numbers), between rare
    words, at function words, and of all others. Tolls of negations and of units, in units of
    length. apart: between opposites, to each side; sentiment: the share of it between good and bad.
    """

    proper: float = 1.0
    rare: float = 1.0
    function: float = 1.0
    content: float = 1.0
    negation: float = 0.0
    unit: float = 0.0
    apart: float = 0.0
    sentiment: float = 0.0

    def __post_init__(self) -> None:
        for name in ("proper", "rare", "function", "content"):
            between(f"policy.{name}", getattr(self, name), LEAST_SCALE, MOST_SCALE, low_in=True)
        for name in ("negation", "unit", "apart", "sentiment"):
            between(f"policy.{name}", getattr(self, name), 0.0, MOST_SCALE, low_in=True)

    @property
    def is_plain(self) -> bool:
        """Whether all lengths are those of the graph, so that no class of words is asked for."""
        return self == PLAIN


PLAIN = Policy()
PRESETS = {
    "plain": PLAIN,
    "general": Policy(1 / 3, 0.6, 1.75, 1.0, 2.0, 2.0, 1.5, 1.0),
    "clinical": Policy(1 / 3, 0.6, 1.75, 1.0, 2.5, 2.5, 2.0, 0.5),
    "strict": Policy(1 / 4, 0.45, 1.4, 0.85, 2.0, 2.0, 1.5, 0.5),
}


def policy_of(given: str | Mapping[str, float] | Policy) -> tuple[str, Policy]:
    """A preset by its name, or a table of the fields of Policy; with what it is called.

    Raises DxError for a name or a field that there is not, and for numbers out of range.
    """
    if isinstance(given, Policy):
        return "custom", given
    if isinstance(given, str):
        if given not in PRESETS:
            raise fail("policy", "one of " + ", ".join(PRESETS) + ", or a table", given)
        return given, PRESETS[given]
    known = [f.name for f in fields(Policy)]
    if not isinstance(given, Mapping) or not set(given) <= set(known):
        raise fail("policy", "a preset or a table of " + ", ".join(known), given)
    return "custom", Policy(**given)


def policy_graph(space: Space, policy: Policy) -> PolicyGraph:
    """The public graph of a space with the lengths of a policy.

    Raises DxError where the space holds none of the words that the policy is about.
    """
    graph = graph_of(space)
    low, high, steps = graph.edges
    lengths = steps / 4
    reach = float(np.log(len(space)) + BEYOND_ALL)
    if not policy.is_plain:
        lengths = lengths_of(lengths, low, high, policy, features_of(space))
    return with_lengths(graph, lengths, reach)


def lengths_of(
    lengths: Floats1d, low: Ints1d, high: Ints1d, policy: Policy, known: Features
) -> Floats1d:
    """lengths, low, high: (m,), edges and their length before -> (m,), those of the policy."""
    tolls = policy.negation * known.negation + policy.unit * known.unit
    apart = policy.apart * known.apart(low, high, policy.sentiment)
    scaled: Floats1d = lengths * _scales(low, high, policy, known) + apart
    return scaled + tolls[low] + tolls[high]


def _scales(low: Ints1d, high: Ints1d, policy: Policy, known: Features) -> Floats1d:
    def both(flags: Bools1d) -> Bools1d:
        return flags[low] & flags[high]

    scale = np.full(len(low), policy.content)
    rare, proper = both(known.rare), both(known.proper)
    scale[rare] = policy.rare
    scale[proper] = np.where(rare[proper], np.minimum(policy.rare, policy.proper), policy.proper)
    scale[known.function[low] | known.function[high]] = policy.function
    return scale


def told(name: str, policy: Policy) -> str:
    """What the policy protects more, and what less, in a sentence for the receipt."""
    if policy.is_plain:
        return "Policy plain: every pair of words is protected by its length on the graph alone."
    more = [k for k, s in _named(policy) if s < 1]
    less = [k for k, s in _named(policy) if s > 1]
    parts = [f"Policy {name}:"]
    parts += [f"{' and '.join(more)} are hidden better (lengths of {_least(policy):.2g} and more);"]
    kept = [*less, *_tolled(policy)]
    parts += [f"{', '.join(kept)} are kept more often, and can be told from others more easily."]
    return " ".join(parts)


def _named(policy: Policy) -> list[tuple[str, float]]:
    return [
        ("names, places, dates and numbers", policy.proper),
        ("rare words", policy.rare),
        ("function words", policy.function),
        ("all other words", policy.content),
    ]


def _tolled(policy: Policy) -> list[str]:
    named = (("negations", policy.negation), ("units", policy.unit), ("opposites", policy.apart))
    return [what for what, toll in named if toll]


def _least(policy: Policy) -> float:
    return min(policy.proper, policy.rare, policy.function, policy.content)


def refuse(space: Space, name: str) -> DxError:
    return DxError(Errors.DX061.format(policy=name, space=space.name))


__all__ = ["MOST_QUANTA", "PLAIN", "PRESETS", "QUANTA", "Policy", "policy_graph", "policy_of"]
