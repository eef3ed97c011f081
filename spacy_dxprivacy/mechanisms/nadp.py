r"""Neighbourhood-aware noise (dx.NADP.v1).

Density   f(z) = N(0, sigma^2 I), sigma = u Delta, u the analytic Gaussian's sigma for sensitivity 1
Relation  x ~ y if y is in S_m(x) or x in S_m(y), and the Jaccard index of their T nearest words is
          tau or more; S_m(x) is x with its m - 1 nearest words, T = 10 with x itself
Guarantee noise = "global": Delta is the diameter; all pairs of words (approx-dp), proven.
          "adjacent": Delta is the longest edge of the relation; related pairs alone, proven.
          "paper": a Delta for each connected component, 0 for words without relations, which are
          published as they are; related pairs alone, proven, and of little use: see the notes.
Use       "global" for an (epsilon, delta) guarantee on all words; the other two to study the paper
Paper     Bollegala et al. 2023 (EACL), theorem 3. As in the authors' code, m counts the word itself
          and T is 10; unlike it, the Jaccard index is not rounded, no edge is left out by hand, and
          noise is not a function of the word.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d
from ..errors import DxError, Errors
from ..guarantee import Guarantee
from ..privacy.gaussian import analytic_sigma
from ..randomness import Rng
from ..registries import registry
from ..search.metric import diameter, neighbours
from ..space import Space
from ..ty import Projection
from ..validate import between, one_of, positive, whole
from .base.noise import Noise, NoiseMechanism
from .gaussian import IsotropicNormal

NOISES = ("global", "adjacent", "paper")
TOP = 10
RELATED = "pairs of words that the neighbourhood relation joins; no other pair"


@registry.dx_mechanisms("dx.NADP.v1")
def make_nadp(
    epsilon: float,
    delta: float | None = None,
    m: int = 2,
    tau: float = 0.1,
    noise: str = "global",
    projection: Projection | None = None,
) -> NoiseMechanism:
    """epsilon: nats, above 0. delta: between 0 and 1; None is 1 / (number of words). m: how many
    words count as neighbours, the word itself among them, 2 or more. tau: the least Jaccard index
    of related words, from 0 to 1. noise: "global", "adjacent" or "paper". projection:
    dx.Nearest.v1 if None.

    "adjacent" and "paper" raise DxError in fit where the space has fewer than m words, or no two
    are related.
    """
    epsilon = positive("epsilon", epsilon)
    delta = None if delta is None else between("delta", delta, 0.0, 1.0)
    m = whole("m", m, least=2)
    tau = between("tau", tau, 0.0, 1.0, low_in=True, high_in=True)
    one_of("noise", noise, NOISES)
    everyone = noise == "global"
    guarantee = Guarantee(
        kind="approx-dp",
        epsilon=epsilon,
        delta=1.0 if delta is None else delta,
        metric="discrete",
        adjacency="all pairs of words of the space" if everyone else RELATED,
        status="proven",
        source="Balle and Wang 2018, theorem 8" + ("" if everyone else "; Bollegala 2023, thm 3"),
    )
    build = partial(_build, epsilon=epsilon, delta=delta, m=m, tau=tau, noise=noise)
    return NoiseMechanism("dx.NADP.v1", guarantee, build, projection)


def _build(
    space: Space,
    guarantee: Guarantee,
    *,
    epsilon: float,
    delta: float | None,
    m: int,
    tau: float,
    noise: str,
) -> Noise:
    n, d = space.vectors.shape
    delta = 1 / max(n, 2) if delta is None else delta
    unit = analytic_sigma(epsilon, delta)
    guarantee = replace(guarantee, delta=delta, mu=1 / unit)
    if noise == "global":
        # Words that all lie at one point need no noise to be alike; any will do.
        sigma = unit * (diameter(space.vectors) or 1.0)
        draw = IsotropicNormal(d, sigma)
        return Noise(space.vectors, draw, sigma, guarantee)
    edges, lengths = relation(space.vectors, m, tau)
    if noise == "adjacent":
        sigma = unit * (float(lengths.max()) or 1.0)
        guarantee = replace(guarantee, notes=coverage(n, edges))
        return Noise(space.vectors, IsotropicNormal(d, sigma), sigma, guarantee)
    sigmas = unit * component_lengths(n, edges, lengths)
    bare = int(np.sum(sigmas == 0))
    guarantee = replace(guarantee, notes=f"{coverage(n, edges)} {without_noise(n, bare)}")
    spread = float(np.min(sigmas, initial=np.inf, where=sigmas > 0))
    spread = spread if np.isfinite(spread) else 1.0
    return Noise(space.vectors, _PerWord(d, sigmas), spread, guarantee)


@dataclass(frozen=True)
class _PerWord:
    d: int
    sigmas: Floats1d

    def __call__(self, rows: Ints1d, rng: Rng) -> Floats2d:
        return rng.normal((len(rows), self.d)) * self.sigmas[rows, None]


def relation(X: Floats2d, m: int, tau: float) -> tuple[Ints1d, Floats1d]:
    """The related pairs, int64 (e, 2) with the lower row first, and their lengths (e,)."""
    n = len(X)
    if n < m:
        why = f"the space has {n} words, fewer than m = {m}"
        raise DxError(Errors.DX005.format(name="dx.NADP.v1", why=why))
    tops, apart = neighbours(X, X, min(max(TOP, m), n))
    pairs = np.stack([np.repeat(np.arange(n), m), tops[:, :m].reshape(-1)], axis=1)
    lengths = apart[:, :m].reshape(-1)
    keep = pairs[:, 0] != pairs[:, 1]
    pairs, first = np.unique(np.sort(pairs[keep], axis=1), axis=0, return_index=True)
    lengths = lengths[keep][first]
    overlaps = np.array([jaccard(tops[i, :TOP], tops[j, :TOP]) for i, j in pairs])
    # Words at one point are related as well: what covers one of them has to cover the other.
    keep = overlaps >= tau
    if not keep.any():
        why = f"no two words are related at m = {m}, tau = {tau:g}"
        raise DxError(Errors.DX005.format(name="dx.NADP.v1", why=why))
    return pairs[keep], lengths[keep]


def jaccard(one: Ints1d, other: Ints1d) -> float:
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / (len(one) + len(other) - shared)


def component_lengths(n: int, edges: Ints1d, lengths: Floats1d) -> Floats1d:
    """(n,): the longest edge of each word's connected component, 0 for words without an edge."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    count, component = connected_components(graph, directed=False)
    longest = np.zeros(count)
    np.maximum.at(longest, component[edges[:, 0]], lengths)
    return longest[component]


def coverage(n: int, edges: Ints1d) -> str:
    """What the relation leaves out, on this space."""
    alone = n - len(np.unique(edges))
    share = len(edges) / (n * (n - 1) / 2)
    return (
        f"It covers {share:.3g} of all pairs of words. {alone / n:.1%} of the words are related to "
        "no other. Words of unrelated groups are not protected from each other."
    )


def without_noise(n: int, bare: int) -> str:
    return f"{bare / n:.1%} of the words come out without any noise."
