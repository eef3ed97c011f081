"""Add words to the built-in space: a linear map takes their vectors there.

The map is fitted on the words that both spaces have (ridge regression, as Mikolov, Le, Sutskever
2013, "Exploiting similarities among languages for machine translation", do between languages), and
evaluated on held-out ones. It sees the two tables and no text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats2d
from ..errors import UsageError
from .space import Space

LEAST_SHARED = 200
HELD_OUT, NEAREST = 500, 10
RIDGE = 1e-2  # of the mean square of the vectors


@dataclass(frozen=True, eq=False, repr=False)
class Joined:
    """space: the built-in words, as they are, and then the `new` ones. shared: words of both, that
    the map was fitted on. found: the share, 0 to 1, of held-out words that land near themselves."""

    space: Space
    new: int
    shared: int
    found: float


def join(own: Space) -> Joined:
    """Join the words of `own` that the built-in space lacks to it.

    Raises UsageError where the two share too few words for a map, or nothing is new.
    """
    builtin = Space.builtin()
    places = np.array([builtin.find(word) for word in own.words])
    new, shared = np.flatnonzero(places < 0), np.flatnonzero(places >= 0)
    least = max(LEAST_SHARED, own.vectors.shape[1])
    if len(shared) < least:
        raise UsageError(
            f"the vectors share {len(shared):,} words with the built-in space, and joining them "
            f"needs {least:,}. They may be of another language, or too few."
        )
    if not len(new):
        raise UsageError("the built-in space holds all words of these vectors already.")
    X, Y = np.asarray(own.vectors, dtype=np.float64), builtin.vectors
    test = shared[:: max(2, len(shared) // HELD_OUT)]
    train = np.setdiff1d(shared, test)
    made, own_rows = _mapped(X[train], Y[places[train]], X[test]), Y[places[test]]
    squares = (Y**2).sum(axis=1) - 2 * made @ Y.T + (made**2).sum(axis=1)[:, None]
    distances = ((made - own_rows) ** 2).sum(axis=1)
    nearer = (squares < distances[:, None] * (1 - 1e-6)).sum(axis=1)
    found = float((nearer < NEAREST).mean())
    added = _mapped(X[shared], Y[places[shared]], X[new])
    words = [*builtin.words, *(own.words[row] for row in new)]
    # A new word that is spelled as an alias stands for itself, and is of no class.
    taken, classes = set(words), builtin.classes
    space = Space.from_vectors(
        words,
        np.vstack([Y, added]),
        aliases={key: row for key, row in builtin.aliases.items() if key not in taken},
        classes=None if classes is None else np.pad(classes, (0, len(new))),
        class_names=builtin.class_names,
        name=f"{builtin.name}+{own.name}",
    )
    return Joined(space, len(new), len(shared), found)


def _mapped(X: Floats2d, Y: Floats2d, Z: Floats2d) -> Floats2d:
    """Z (k, d) by the map from X (n, d) to Y (n, e), as float32 (k, e), scaled to the mean length
    of Y, as a ridge makes vectors shorter."""
    centre, target = X.mean(axis=0), Y.mean(axis=0, dtype=np.float64)
    A, B = X - centre, Y - target
    square = A.T @ A
    ridge = RIDGE * np.trace(square) / len(square)
    W = np.linalg.solve(square + ridge * np.eye(len(square)), A.T @ B)
    scale = np.sqrt((B**2).sum() / max(((A @ W) ** 2).sum(), 1e-12))
    made: Floats2d = ((Z - centre) @ W * scale + target).astype(np.float32)
    return made
