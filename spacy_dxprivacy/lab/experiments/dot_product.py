r"""How far noise goes towards a word: T = z . u, for Laplace noise z and a direction u.

All that decides between two words is T along the line between them: noise of density
exp(-epsilon ||z||) passes from w to a word at distance D, of these two alone, where T > D / 2.

Law       z = sqrt(V) g with V ~ Gamma((n + 1)/2, 2/epsilon^2), so P(T <= a) = E[Phi(a / sqrt V)],
          an integral in one dimension. Var T = (n + 1)/epsilon^2, and the fourth moment is
          3 (n + 1)(n + 3)/epsilon^4
Theorem 8 P(|T| <= c b sqrt(n)/epsilon) >= (1 - 2 exp(-c^2/2)) (1 - (b exp(1 - b))^n)
N_w       1 - sum_i (1 - F(d_i/2)) <= N_w <= F(d_1/2), d_i the distances to all words
Paper     Asghar, Carpentier, Zhao, Kaafar 2024 (arXiv 2411.13784), section 4; it has no closed form
          for F and estimates it by simulation
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats1d, blocks
from ...privacy.laplace import laplace_noise
from ...randomness import Rng
from ...search.metric import in_blocks
from ...space import Space
from ..tuning import Bench
from .build import Once, make
from .options import Options, first_words, of_space, random_probes, range_of
from .result import Result, Row, draw_lines, finish

DIMENSIONS = (2, 50, 100, 200, 300)
DEVIATIONS = (0.25, 0.5, 1.0, 2.0)  # where the law is looked at
NODES = 400
LEVEL = 0.99
SIMULATED_AT_ONCE = 5000


def run(space: Space, options: Options) -> Result:
    """The law of T, simulated and in closed form, in several dimensions, and what N_w is on the
    space."""
    space = first_words(space, options)
    rows: list[Row] = []
    for n in options.progress((*DIMENSIONS, space.vectors.shape[1]), "dimensions"):
        rows += law(n, options.draws * 1000)
    rows += kept(space, options)
    notes = [
        f"the law at epsilon = 1: T goes with 1/epsilon; simulated {options.draws * 1000:,} times",
        f"N_w: {of_space(space)}; means of {options.words:,} of them, {options.draws} draws each",
    ]
    return Result(rows, partial(draw, rows=rows), (8.4, 3.2), notes)


def cdf(a: Any, n: int, epsilon: float) -> Any:
    """P(T <= a), a: a number or an array, in n dimensions."""
    V, weights = _scales(n)
    shape = np.shape(a)
    from scipy.special import ndtr

    Z = np.reshape(a, (-1, 1)) * epsilon / np.sqrt(V)
    values = ndtr(Z) @ weights
    return values.reshape(shape) if shape else float(values[0])


def _scales(n: int) -> tuple[Floats1d, Floats1d]:
    """Nodes and weights of V at epsilon = 1, by Gauss and Legendre between its far quantiles."""
    from scipy.stats import gamma

    law = gamma((n + 1) / 2, scale=2)
    low, high = law.ppf(1e-15), law.isf(1e-15)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    V = low + (high - low) * (nodes + 1) / 2
    weights = weights * law.pdf(V)
    return V, weights / weights.sum()


def quantile(share: float, n: int, epsilon: float) -> float:
    """a with P(|T| <= a) = share."""
    from scipy.optimize import brentq

    high = 40 * np.sqrt(n + 1)
    return float(brentq(lambda a: cdf(a, n, 1.0) - (1 + share) / 2, 0.0, high)) / epsilon


def theorem_8(share: float, n: int) -> tuple[float, float]:
    """c and b for which the two factors are sqrt(share) each."""
    from scipy.optimize import brentq

    miss = 1 - np.sqrt(share)
    c = float(np.sqrt(2 * np.log(2 / miss)))
    b = float(brentq(lambda b: n * (np.log(b) + 1 - b) - np.log(miss), 1 + 1e-9, 50.0))
    return c, b


def law(n: int, times: int) -> list[Row]:
    """At epsilon = 1."""
    T = simulated(n, times)
    std = np.sqrt(n + 1)
    rows = [
        _row("P(T <= a)", n, x * std, cdf(x * std, n, 1.0), np.mean(x * std >= T),
             np.sqrt(0.25 / times))
        for x in DEVIATIONS
    ]  # fmt: skip
    fourth = 3.0 * (n + 1) * (n + 3)
    rows.append(_row("variance", n, None, n + 1.0, T.var(), np.std(T**2) / np.sqrt(times)))
    rows.append(
        _row("fourth moment", n, None, fourth, np.mean(T**4), np.std(T**4) / np.sqrt(times))
    )
    exact = quantile(LEVEL, n, 1.0)
    rows.append(_row("99 % of |T| are below", n, None, exact, np.quantile(np.abs(T), LEVEL), None))
    c, b = theorem_8(LEVEL, n)
    rows.append(_row("99 % by theorem 8", n, None, c * b * np.sqrt(n), None, None))
    return rows


def simulated(n: int, times: int) -> Floats1d:
    """T along a fixed direction with no zero coordinate."""
    rng = Rng(seed=0)
    u = np.arange(1, n + 1) / np.linalg.norm(np.arange(1, n + 1))
    sizes = [part.stop - part.start for part in blocks(times, SIMULATED_AT_ONCE)]
    return np.concatenate([laplace_noise(k, n, rng, epsilon=1.0) @ u for k in sizes])


def kept(space: Space, options: Options) -> list[Row]:
    """N_w by simulation between its two bounds."""
    X, d = space.vectors, space.vectors.shape[1]
    probes = random_probes(space, options.words)
    bench = Bench(X, probes, k=1, draws=max(2, options.draws))
    index = Once(options.index)
    rows = []
    for e in options.progress(range_of("dx.Laplace.v1", space, options, index), "epsilon"):
        mechanism = make("dx.Laplace.v1", space, epsilon=e, index=index)
        measured = bench.unchanged(mechanism)
        low, high = bounds(X, probes.rows, d, e)
        error = float(np.sqrt(measured * (1 - measured) / (len(probes.rows) * bench.draws)))
        for name, value in (("upper bound of N_w", high), ("lower bound of N_w", low)):
            rows.append(_row(name, d, None, value, measured, error, epsilon=e))
    return rows


def bounds(X: Any, words: Any, d: int, epsilon: float) -> tuple[float, float]:
    """Means over words of 1 - sum_i (1 - F(d_i/2)), at least 0, and of F(d_1/2)."""
    grid = np.linspace(0.0, 12 * np.sqrt(d + 1), 4000)
    leaves = 1 - cdf(grid, d, 1.0)
    low, high = [], []
    for part, D in in_blocks(X[words], X):
        D[np.arange(len(D)), words[part]] = np.inf
        missed = np.interp(D * epsilon / 2, grid, leaves, right=0.0)
        low.append(np.maximum(0.0, 1 - missed.sum(axis=1)))
        high.append(1 - missed.max(axis=1))
    return float(np.concatenate(low).mean()), float(np.concatenate(high).mean())


def _row(
    quantity: str, n: int, at: Any, closed: Any, seen: Any, error: Any, epsilon: float = 1.0
) -> Row:
    numbers = {"at": at, "closed form": closed, "simulated": seen, "standard error": error}
    return {
        "quantity": quantity,
        "dimensions": n,
        "epsilon": float(epsilon),
        **{name: None if value is None else float(value) for name, value in numbers.items()},
    }


def draw(figure: Any, *, rows: list[Row]) -> None:
    """P(T <= a) with the simulated figures on it, and N_w over epsilon."""
    left, right = figure.subplots(1, 2)
    for i, n in enumerate(dict.fromkeys(r["dimensions"] for r in rows)):
        a = np.linspace(0, 3 * np.sqrt(n + 1), 100)
        colour = f"C{i}"
        left.plot(a, cdf(a, n, 1.0), color=colour, linewidth=1.2, label=f"{n} dimensions")
        seen = [r for r in rows if r["quantity"] == "P(T <= a)" and r["dimensions"] == n]
        left.plot([r["at"] for r in seen], [r["simulated"] for r in seen], "x", color=colour)
    finish(left, "P(T <= a), closed form; x: simulated", "a, at epsilon = 1", "", log=False)
    left.legend(frameon=False, fontsize=8)
    bound = [r for r in rows if r["quantity"].endswith("of N_w")]
    lines = [{**r, "y": r["closed form"]} for r in bound]
    lines += [{**r, "quantity": "N_w", "y": r["simulated"]} for r in bound[::2]]
    draw_lines(right, lines, x="epsilon", y="y", by="quantity")
    finish(right, "words that stay, and their bounds", "epsilon", "share")
    right.legend(frameon=False, fontsize=8)
