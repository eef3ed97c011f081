"""Join word vectors of your own to the built-in space, so that English text is drawn from both.

    python examples/join_spaces.py my_vectors joined
    dx sanitize notes.txt --space.@dx_spaces dx.FileSpace.v1 --space.path joined

`my_vectors` is a pipeline with vectors or a saved space. A linear map takes its words to the
built-in vectors. It is fitted on the words that both spaces have (ridge regression, as Mikolov, Le
and Sutskever 2013 do between languages), and evaluated on held-out ones. It sees no text.
"""

import sys
from typing import Any

import numpy as np

from spacy_dxprivacy import Space
from spacy_dxprivacy.space.sources import load

LEAST_SHARED = 200
HELD_OUT, NEAREST = 500, 10
RIDGE = 1e-2  # of the mean square of the vectors


def join(own: Space) -> tuple[Space, float]:
    """Return the built-in words and then the new ones, and the share of held-out words found."""
    builtin = Space.builtin()
    places = np.array([builtin.find(word) for word in own.words])
    new, shared = np.flatnonzero(places < 0), np.flatnonzero(places >= 0)
    least = max(LEAST_SHARED, own.vectors.shape[1])
    if len(shared) < least or not len(new):
        sys.exit(f"{len(new)} words are new, and {len(shared)} shared; {least} have to be shared.")
    X, Y = np.asarray(own.vectors, dtype=np.float64), builtin.vectors
    test = shared[:: max(2, len(shared) // HELD_OUT)]
    train = np.setdiff1d(shared, test)
    mapped = ridge(X[train], Y[places[train]], X[test])
    squares = (Y**2).sum(axis=1) - 2 * mapped @ Y.T + (mapped**2).sum(axis=1)[:, None]
    distances = ((mapped - Y[places[test]]) ** 2).sum(axis=1)
    found = float(((squares < distances[:, None] * (1 - 1e-6)).sum(axis=1) < NEAREST).mean())
    words = [*builtin.words, *(own.words[row] for row in new)]
    taken = set(words)  # a new word that is spelled as an alias stands for itself
    space = Space.from_vectors(
        words,
        np.vstack([Y, ridge(X[shared], Y[places[shared]], X[new])]),
        aliases={key: row for key, row in builtin.aliases.items() if key not in taken},
        classes=np.pad(builtin.classes, (0, len(new))),
        class_names=builtin.class_names,
        name=f"{builtin.name}+{own.name}",
    )
    return space, found


def ridge(X: Any, Y: Any, Z: Any) -> Any:
    """Return Z (k, d) by the map from X (n, d) to Y (n, e), scaled to the mean length of Y."""
    centre, target = X.mean(axis=0), Y.mean(axis=0, dtype=np.float64)
    A, B = X - centre, Y - target
    square = A.T @ A
    penalty = RIDGE * np.trace(square) / len(square)
    W = np.linalg.solve(square + penalty * np.eye(len(square)), A.T @ B)
    scale = np.sqrt((B**2).sum() / ((A @ W) ** 2).sum())
    return ((Z - centre) @ W * scale + target).astype(np.float32)


if __name__ == "__main__":
    joined, found = join(load(sys.argv[1]))
    joined.save(sys.argv[2])
    sys.stdout.write(f"{len(joined)} words; {found:.0%} of the held-out words are placed well\n")
