"""The made-up vocabularies that audits run on. Guarantees hold on every space, so an audit may
choose its own, where what goes wrong is likely to show."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats2d, Ints1d
from ...space import Space

WORDS, DIMS = 2000, 50
TURN = np.pi * (3 - np.sqrt(5))


def plane(unit: float, words: int = 12) -> Space:
    """12 words on a flat spiral: pairs from 0.1 to 20 units apart, in all directions. It is four
    times as wide as high, so noise that is shaped by the space has a shape."""
    steps = np.arange(words)
    radius = 0.1 * 1.6**steps
    X = np.stack([radius * np.cos(TURN * steps), radius * np.sin(TURN * steps) / 4], axis=1)
    return _space(X * unit, "plane")


def cloud(unit: float, words: int = WORDS, dims: int = DIMS) -> Space:
    """Words in many dimensions, of which the first ones make pairs: see PAIRS. The others are a
    cloud with dense and sparse places; half of them are one cluster, and out of it leads a line of
    words, half a unit from each to the next.

    Rows 0 to 39 are 20 pairs, 0.01 to 8 units apart; 40 and 41 are opposite each other in all
    coordinates, 42 and 43 in one, and they are the longest vectors; 44 and 45 are one point.
    """
    public = np.random.Generator(np.random.PCG64(20240610))  # the vocabulary is no secret
    X = public.standard_normal((words, dims))
    X *= np.exp(public.standard_normal((words, 1)) / 2)  # dense in the middle, sparse outside
    line, cluster = line_of(words), words // 2
    start, way = X[-1].copy(), public.standard_normal(dims)
    noise = public.standard_normal((cluster, dims)) / np.sqrt(dims)
    X[-len(line) - cluster : -len(line)] = start + 0.1 * noise
    X[line] = start + (line - line[0] + 1)[:, None] * (way / np.linalg.norm(way)) / 2
    apart = np.geomspace(0.01, 8, 20)[:, None]
    way = public.standard_normal((20, dims))
    X[1:40:2] = X[0:40:2] + apart * way / np.linalg.norm(way, axis=1, keepdims=True)
    longest = 1.01 * float(np.linalg.norm(X, axis=1).max())
    X[40], X[41] = longest / np.sqrt(dims), -longest / np.sqrt(dims)
    X[42:44] = 0
    X[42, 0], X[43, 0] = longest, -longest
    X[45] = X[44]
    return _space(X * unit, "cloud")


PAIRS = np.arange(46).reshape(-1, 2)


def line_of(words: int) -> Ints1d:
    """The rows of the line."""
    return np.arange(words - words // 20, words)


def _space(X: Floats2d, name: str) -> Space:
    return Space.from_vectors([f"{name}{row}" for row in range(len(X))], X, name=f"audit {name}")
