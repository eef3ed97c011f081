"""A metric with a policy: edge lengths of the public graph, scaled by classes of words.

    length(v, w) = graph length * scale(v, w) + max over axes weight * |f(v) - f(w)|
                   + toll(v) + toll(w)

Words of a class with a scale below 1 are nearer to each other, and better protected; above 1 they
are unchanged more often. An axis gives words a place from -1 to 1 (left -1, right 1, others 0): the
edges of any path from v to w pay at least weight * |f(v) - f(w)|, so opposites are never near.
Negations are at 1 of an axis of their own. A toll, paid at both ends of every path to a word,
retains units. All of this is public, symmetric and above 0, so the shortest path is a metric.

Words without a short path are as far apart as the sum of their radii (policy_graph): small for rare
words and names, large for function words and negations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d
from ..errors import DxError, Errors
from ..space import BUILTIN, Space, learned
from ..validate import between, fail
from .policy_graph import PolicyGraph, with_lengths
from .word_graph import STEPS, WordGraph, graph_of

PROPER = (
    "first_name", "surname", "city", "country", "state", "region", "nationality", "month",
    "weekday", "year", "number", "ordinal",
)  # fmt: skip
FUNCTION = (
    "pronoun", "possessive", "determiner", "preposition", "conjunction", "auxiliary", "modal",
    "wh_word", "adverb_particle", "adverb_function",
)  # fmt: skip
UNIT = 63  # steps of a place in axes.npz
DISTANCES_FILE = "apart.json"


@dataclass(frozen=True, eq=False, repr=False)
class Features:
    """Public classes of words, bool (n,) each.

    axes: csr float32 (n, A), places from -1 to 1; the first axis is sentiment. n_known: number of
    known words.
    """

    proper: Bools1d
    function: Bools1d
    negation: Bools1d
    unit: Bools1d
    rare: Bools1d
    axes: Any
    n_known: int

    def axis_steps(self, low: Ints1d, high: Ints1d, sentiment: float) -> Floats1d:
        """Return the largest step of each edge along an axis (m,), with a weight of sentiment."""
        weights = np.ones(self.axes.shape[1], dtype=np.float32)
        weights[0] = sentiment
        steps = abs(self.axes[low] - self.axes[high]).multiply(weights[None, :])
        largest: Floats1d = np.asarray(steps.max(axis=1).todense()).reshape(-1)
        return largest

    def take(self, rows: Ints1d) -> Features:
        """Return the features of n words by their rows (n,) in this table, -1 for unknown words."""
        in_table = rows >= 0
        entries = np.where(in_table, rows, 0)
        flags = (self.proper, self.function, self.negation, self.unit)
        proper, function, negation, unit = (flag[entries] & in_table for flag in flags)
        axes = self.axes[entries].multiply(in_table[:, None]).tocsr()
        rare = self.rare[entries] | ~in_table
        return Features(proper, function, negation, unit, rare, axes, int(in_table.sum()))


@lru_cache(maxsize=1)
def builtin_features() -> Features:
    """Load the classes of the built-in words, and their axes from axes.npz."""
    from scipy.sparse import csr_array

    space = Space.builtin()
    n = len(space)
    with np.load(BUILTIN / "axes.npz") as saved:
        shape = (n, int(saved["axes"]))
        places = saved["places"].astype(np.float32) / UNIT
        axes = csr_array((places, saved["indices"], saved["indptr"]), shape=shape)
        rare, negation = (np.unpackbits(saved[k], count=n) > 0 for k in ("rare", "negation"))
    function, proper = (
        np.any([space.with_class(name) for name in names], axis=0) for names in (FUNCTION, PROPER)
    )
    return Features(proper & ~function, function, negation, space.with_class("unit"), rare, axes, n)


def stored_distances(space: Space, policy: MetricPolicy) -> dict[str, Any]:
    """Return the stored distances of a policy; {} if there are none.

    apart: see levels.probed_distances. near_names: the distances of the 99 nearest names from the
    probed name with the median recovery rate at 1 nat a unit.
    """
    table = _stored()
    if space.digest != table.get("space"):
        return {}
    return next((entry for entry in table["policies"] if entry["policy"] == asdict(policy)), {})


@lru_cache(maxsize=1)
def _stored() -> dict[str, Any]:
    path = BUILTIN / DISTANCES_FILE
    return json.loads(path.read_text(encoding="utf8")) if path.exists() else {}


MIN_SCALE, MAX_SCALE, MAX_FAR = 0.05, 20.0, 10.0
MIN_RADIUS = 0.25
FARTHER = 0.75  # radius of a plain graph (reach ln n + 1.5), less (ln n) / 2
RARE_NEAR = 2.5  # length up to which a scale below 1 shortens edges of two rare words


@dataclass(frozen=True)
class MetricPolicy:
    """The scales, tolls and radii of a policy, by class of words.

    proper, rare, function, content: scales of edges between proper words (names, places, months,
        years, numbers), between rare words, at function words, and of all others.
    unit, negation, apart: in units of length, the toll of units such as mg; the distance of
        negations from all other words; that of opposites from neutral words.
    sentiment: the share of `apart` between good and neutral words.
    far, far_rare, far_proper, far_function, far_negation: the radius, less (ln n) / 2, of all other
        words, of rare, proper and function words, and of negations and units.
    """

    proper: float = 1.0
    rare: float = 1.0
    function: float = 1.0
    content: float = 1.0
    negation: float = 0.0
    unit: float = 0.0
    apart: float = 0.0
    sentiment: float = 0.0
    far: float = FARTHER
    far_rare: float = FARTHER
    far_proper: float = FARTHER
    far_function: float = FARTHER
    far_negation: float = FARTHER

    def __post_init__(self) -> None:
        for name in ("proper", "rare", "function", "content"):
            between(f"policy.{name}", getattr(self, name), MIN_SCALE, MAX_SCALE, "[)")
        for name in ("negation", "unit", "apart", "sentiment"):
            between(f"policy.{name}", getattr(self, name), 0.0, MAX_SCALE, "[)")
        for name in ("far", "far_rare", "far_proper", "far_function", "far_negation"):
            between(f"policy.{name}", getattr(self, name), -MAX_FAR, MAX_FAR, "[)")

    @property
    def is_plain(self) -> bool:
        """Whether all lengths are those of the graph, so that no classes of words are needed."""
        return self == PLAIN


PLAIN = MetricPolicy()
PRESETS = {
    "plain": PLAIN,
    "general": MetricPolicy(1 / 3, 1.0, 1.75, 1.0, 12.0, 5.0, 2.5, 0.0, 2.5, 1.25, 0.75, 2.5, 7.5),
    "clinical": MetricPolicy(1 / 4, 1.0, 1.75, 1.0, 13.0, 6.0, 3.5, 0.0, 2.5, 1.25, 0.5, 2.5, 8.0),
    # For training data: rare words are protected among rare words, which permits a larger epsilon
    # for the words that determine labels (docs/reference/figures.md).
    "training": MetricPolicy(1 / 5, 0.5, 1.25, 1.0, 12.0, 5.0, 2.5, 0.0, 2.5, -2.0, -0.5, 2.5, 7.5),
    "strict": MetricPolicy(1 / 5, 0.75, 1.25, 0.85, 4.0, 2.0, 1.5, 0.0, 1.0, 0.0, -0.5, 1.5, 2.0),
}


def policy_of(policy: str | Mapping[str, float] | MetricPolicy) -> tuple[str, MetricPolicy]:
    """Return the name and the policy of a preset or a table of fields of MetricPolicy.

    Raises DxError for an unknown name or field, and for numbers out of range.
    """
    if isinstance(policy, MetricPolicy):
        return "custom", policy
    if isinstance(policy, str):
        if policy not in PRESETS:
            raise fail("policy", "one of " + ", ".join(PRESETS) + ", or a table", policy)
        return policy, PRESETS[policy]
    names = [f.name for f in fields(MetricPolicy)]
    if not isinstance(policy, Mapping) or not set(policy) <= set(names):
        raise fail("policy", "a preset or a table of " + ", ".join(names), policy)
    return "custom", MetricPolicy(**policy)


def policy_graph(space: Space, policy: MetricPolicy, name: str = "custom") -> PolicyGraph:
    """Build the public graph of a space with the lengths of a policy.

    Raises DxError if the space has none of the words with classes.
    """
    graph = graph_of(space)  # at each fit, so that the use of a graph from files is recorded
    key = ("policy", policy, graph)
    return learned.shared(space, key, partial(_policy_graph, space, graph, policy, name))


def _policy_graph(
    space: Space, graph: WordGraph, policy: MetricPolicy, name: str
) -> PolicyGraph:  # fmt: skip
    low, high, steps = graph.edges
    lengths = steps / STEPS
    radii = np.full(len(space), graph.reach / STEPS / 2)
    if not policy.is_plain:
        builtin = Space.builtin()
        is_builtin = space is builtin or space.digest == builtin.digest
        rows = np.arange(len(builtin)) if is_builtin else builtin.find_all(space.words)
        features = builtin_features().take(rows)
        if not features.n_known:
            raise DxError(Errors.DX061.format(policy=name, space=space.name))
        lengths = lengths_of(lengths, low, high, policy, features)
        radii = np.maximum(radii - FARTHER + _radii(policy, features), MIN_RADIUS)
    return with_lengths(graph, lengths, radii)


def lengths_of(
    lengths: Floats1d, low: Ints1d, high: Ints1d, policy: MetricPolicy, features: Features
) -> Floats1d:
    """Apply a policy to the lengths (m,) of edges between the words low and high."""
    scale = np.full(len(low), policy.content, dtype=np.float64)
    rare, proper = (flags[low] & flags[high] for flags in (features.rare, features.proper))
    # Long edges of rare words are not shortened: else paths through rare words would join most of
    # them, and a search would reach five times as many.
    scale[rare & ((lengths <= RARE_NEAR) | (policy.rare >= 1))] = policy.rare
    scale[proper] = np.where(rare[proper], np.minimum(policy.rare, policy.proper), policy.proper)
    scale[features.function[low] | features.function[high]] = policy.function
    tolls = policy.unit * features.unit
    negated = policy.negation * (features.negation[low] != features.negation[high])
    opposed = policy.apart * features.axis_steps(low, high, policy.sentiment)
    tolled: Floats1d = lengths * scale + np.maximum(opposed, negated) + tolls[low] + tolls[high]
    return tolled


def _radii(policy: MetricPolicy, features: Features) -> Floats1d:
    """Return the radius of each word (n,), less (ln n) / 2, by the last of its classes."""
    classes = (
        (features.rare, policy.far_rare),
        (features.proper & features.rare, min(policy.far_rare, policy.far_proper)),
        (features.proper & ~features.rare, policy.far_proper),
        (features.function, policy.far_function),
        (features.negation | features.unit, policy.far_negation),
    )
    farther = np.full(len(features.rare), policy.far, dtype=np.float64)
    for flags, far in classes:
        farther[flags] = far
    return farther


def describe(name: str, policy: MetricPolicy) -> str:
    """Describe the classes of words that a policy protects better and less, for the receipt."""
    if policy.is_plain:
        return "Policy plain: every pair of words is protected by its length on the graph alone."
    classes = (
        ("names, places, dates, numbers", policy.proper, policy.far_proper),
        ("rare words", policy.rare, policy.far_rare),
        ("function words", policy.function, policy.far_function),
        ("all other words", policy.content, policy.far),
    )
    hidden = [label for label, scale, far in classes if scale < 1 or far < policy.far]
    less_hidden = [label for label, scale, _ in classes if scale > 1]
    farther = (("negations", policy.negation), ("units", policy.unit), ("opposites", policy.apart))
    less_hidden += [label for label, length in farther if length]
    parts = [f"better: {', '.join(hidden)}"] if hidden else []
    parts += [f"less: {', '.join(less_hidden)}"] if less_hidden else []
    return f"Policy {name} protects {'; '.join(parts)}."
