r"""Neighbourhood-aware noise (dx.NADP.v1).

Density   f(z) = N(0, sigma^2 I), sigma = u Delta, u the analytic Gaussian's sigma for sensitivity 1
Relation  x ~ y if y is in S_m(x) or x in S_m(y), and the Jaccard index of S_T(x) and S_T(y) is tau
          or more; S_m(x) is x with its m - 1 nearest words. T = m in the paper, and 10 in its code
Guarantee noise = "global": Delta is the diameter; all pairs of words (approx-dp), proven.
          "adjacent": Delta is the longest edge of the relation; related pairs only, proven.
          "paper": a Delta for each connected component, 0 for words without relations, which are
          released unchanged; related pairs only, proven, and of little use: see the notes.
Use       "global", the default, is Gaussian noise without neighbourhoods, and the only one of the
          three that covers all pairs of words. "adjacent" is the Gaussian baseline of the paper,
          and "paper" its mechanism; both exist to study it. Its Laplacian baseline, scaled to a
          measured L1 distance, is in projects/papers alone.
Paper     Bollegala et al. 2023 (EACL), theorem 3. As in the authors' code, S_m(x) has x itself:
          without it, no index is above 1/3 at m = T = 2. Unlike there, the index is not rounded, no
          edge is left out by hand, and noise is not a function of the word.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Bools2d, Floats1d, Floats2d, Ints1d, Ints2d, blocks
from ..errors import DxError, Errors
from ..privacy.guarantee import Guarantee
from ..privacy.noise import analytic_sigma
from ..registries import registry
from ..space import Space
from ..space.learned import shared
from ..space.search.all_pairs import diameter, nearest_of_all
from ..ty import NoiseDistribution, Projection
from ..validate import between, one_of, positive, whole
from .gaussian import NormalNoise, normal_distribution
from .noise import Noise, NoiseMechanism

TOP = 10
BLOCK_PAIRS = 2**16
RELATED = "pairs of words that the neighbourhood relation joins; no other pair"


@registry.dx_mechanisms("dx.NADP.v1")
def make_nadp(
    epsilon: float,
    delta: float | None = None,
    m: int = 2,
    tau: float = 0.1,
    noise: str = "global",
    top: int | None = TOP,
    projection: Projection | None = None,
) -> NoiseMechanism:
    """Create neighbourhood-aware noise.

    With "adjacent" and "paper", fit raises DxError if the space has fewer than m words, or no two
    are related.

    Args:
        epsilon: Nats, above 0.
        delta: Between 0 and 1; None is 1 / (number of words).
        m: Number of words that count as neighbours, including the word itself, 2 or more.
        tau: The least Jaccard index of related words, from 0 to 1. The paper has .5 and .1: at .5
            most words are related to none, and "paper" would publish them without noise.
        noise: "global", "adjacent" or "paper".
        top: Number of nearest words, including the word itself, whose overlap is measured, 2 or
            more: 10 in the authors' code. None is m, as in the paper.
        projection: From noisy vectors to words; dx.Nearest.v1 if None.
    """
    epsilon = positive("epsilon", epsilon)
    delta = None if delta is None else between("delta", delta, 0.0, 1.0)
    m = whole("m", m, least=2)
    tau = between("tau", tau, 0.0, 1.0, "[]")
    one_of("noise", noise, ("global", "adjacent", "paper"))
    top = m if top is None else whole("top", top, least=2)
    all_pairs = noise == "global"
    guarantee = Guarantee(
        kind="approx-dp",
        epsilon=epsilon,
        delta=1.0 if delta is None else delta,
        metric="discrete",
        adjacency="" if all_pairs else RELATED,
        covers="all" if all_pairs else "related",
        status="proven",
        source="Balle and Wang 2018, theorem 8" + ("" if all_pairs else "; Bollegala 2023, thm 3"),
    )
    builder = partial(build, delta=delta, m=m, tau=tau, noise=noise, top=top)
    return NoiseMechanism(
        "dx.NADP.v1", guarantee, builder, partial(noise_distribution, noise=noise), projection
    )


def build(
    space: Space,
    guarantee: Guarantee,
    *,
    delta: float | None,
    m: int,
    tau: float,
    noise: str,
    top: int,
) -> Noise:
    from scipy.sparse import coo_array

    X, (n, d) = space.vectors, space.vectors.shape
    delta = 1 / max(n, 2) if delta is None else delta
    unit = analytic_sigma(guarantee.epsilon, delta)
    guarantee = replace(guarantee, delta=delta, mu=1 / unit)
    if noise == "global":
        # If all words are one point, any noise will do.
        sigma = unit * (shared(space, ("diameter",), partial(diameter, X)) or 1.0)
        normal = NormalNoise(d, np.full(n, sigma))
        return Noise(
            X,
            normal,
            sigma,
            guarantee,
            delta=normal.delta,
            log_densities=normal.log_densities,
        )
    edges, lengths = related_pairs(X, m, tau, top)
    notes = coverage(n, edges)
    sigmas = np.full(n, unit * (float(lengths.max()) or 1.0))
    if noise == "paper":
        sigmas = unit * component_lengths(n, edges, lengths)
        notes += f" {np.mean(sigmas == 0):.1%} of the words get no noise."
    spread = float(sigmas[sigmas > 0].min()) if sigmas.any() else 1.0
    guarantee = replace(guarantee, notes=notes)
    directed = np.concatenate([edges, edges[:, ::-1]])
    ones = np.ones(len(directed), dtype=bool)
    related = coo_array((ones, (directed[:, 0], directed[:, 1])), shape=(n, n)).tocsr()

    def covers(rows: Ints1d) -> Bools2d:
        table: Bools2d = related[rows].toarray()
        return table

    normal = NormalNoise(d, sigmas)
    return Noise(
        X,
        normal,
        spread,
        guarantee,
        covers=covers,
        delta=normal.delta,
        log_densities=normal.log_densities,
    )


def noise_distribution(
    space: Space, guarantee: Guarantee, *, noise: str
) -> NoiseDistribution | None:
    """Return the noise distribution of "global"; None for the others."""
    if noise != "global":
        return None
    return normal_distribution(space.vectors, diameter(space.vectors), guarantee)


def related_pairs(X: Floats2d, m: int, tau: float, top: int) -> tuple[Ints2d, Floats1d]:
    """Return the related pairs, int64 (e, 2), lower row first, and their lengths (e,)."""
    n = len(X)
    if n < m:
        why = f"the space has {n} words, fewer than m = {m}"
        raise DxError(Errors.DX005.format(name="dx.NADP.v1", why=why))
    rows, distances = nearest_of_all(X, min(max(top, m), n))
    pairs = np.stack([np.repeat(np.arange(n), m), rows[:, :m].reshape(-1)], axis=1)
    distinct = pairs[:, 0] != pairs[:, 1]
    pairs, first = np.unique(np.sort(pairs[distinct], axis=1), axis=0, return_index=True)
    lengths, compared = distances[:, :m].reshape(-1)[distinct][first], rows[:, :top]
    shared = np.empty(len(pairs))
    for part in blocks(len(pairs), BLOCK_PAIRS):
        of_first, of_second = compared[pairs[part, 0]], compared[pairs[part, 1]]
        shared[part] = (of_first[:, :, None] == of_second[:, None, :]).sum(axis=(1, 2))
    # Words at one point are related as well: a guarantee that covers one has to cover the other.
    related = shared / (2 * compared.shape[1] - shared) >= tau
    if not related.any():
        why = f"no two words are related at m = {m}, tau = {tau:g}"
        raise DxError(Errors.DX005.format(name="dx.NADP.v1", why=why))
    return pairs[related], lengths[related]


def component_lengths(n: int, edges: Ints2d, lengths: Floats1d) -> Floats1d:
    """Return the longest edge of each word's connected component (n,), 0 without an edge."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    count, component = connected_components(graph, directed=False)
    longest = np.zeros(count)
    np.maximum.at(longest, component[edges[:, 0]], lengths)
    by_word: Floats1d = longest[component]
    return by_word


def coverage(n: int, edges: Ints2d) -> str:
    """Describe the share of pairs and words that the relation covers."""
    alone = n - len(np.unique(edges))
    share = len(edges) / (n * (n - 1) / 2)
    return (
        f"It covers {share:.3g} of all pairs of words. {alone / n:.1%} of the words are related to "
        "no other. Words of unrelated groups can be distinguished."
    )
