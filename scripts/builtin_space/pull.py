"""Members of a list are drawn together: closed classes, and names of one kind and region.

Their meaning is little but their class, and the principal components of a large vocabulary have
no room for small classes. So each group gets a direction of its own, which its name decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from builtin_space import classes
from builtin_space.embed import Matrix, unit
from builtin_space.finish import spelling_noise
from builtin_space.vocabulary import Word

# Share of the squared norm that the group takes; what WordNet knows well keeps more of its own.
CLOSED_PULL = 0.7
PULLS = dict.fromkeys("nationality religion language region unit adverb_function".split(), 0.2)
PULLS |= {"title": 0.4, "direction": 0.4, "state": 0.4, "country": 0.25, "city": 0.4}
PULLS |= {"first_name_female": 0.6, "first_name_male": 0.6, "surname": 0.6}
OWN_GROUP = 0.45  # of a group's direction that is not its class's
OWN_REGION = 0.7  # the same for names, so that those of one region keep together
KINSHIP = {"first_name_female": "first_name", "first_name_male": "first_name"}


def pull(words: Sequence[Word], X: Matrix) -> Matrix:
    """Unit rows, each mixed with the directions of its groups."""
    centres = _centres(words, X)
    moved = X.copy()
    for row, word in enumerate(words):
        if word.groups:
            target, strength = _target(word, centres, X.shape[1])
            moved[row] = np.sqrt(1 - strength) * X[row] + np.sqrt(strength) * target
    return unit(moved)


def _target(
    word: Word, centres: dict[str, NDArray[np.float64]], dims: int
) -> tuple[NDArray[np.float64], float]:
    total = sum(word.groups.values())
    target = np.zeros(dims)
    strength = 0.0
    for group, share in sorted(word.groups.items()):
        kind = group.split("/")[0]
        target += share / total * _direction(group, kind, centres)
        strength += share / total * PULLS.get(kind, CLOSED_PULL)
    return target / np.linalg.norm(target), strength


def _direction(
    group: str, kind: str, centres: dict[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Where a group lies: near the mean of its class, apart from words of no class."""
    dims = len(centres[kind])
    kin = spelling_noise(KINSHIP.get(kind, kind), dims)
    mixed = 0.5 * centres[kind] + 0.5 * kin + 0.4 * spelling_noise(kind, dims)
    own = OWN_REGION if kind in classes.NAMES else OWN_GROUP
    mixed += own * spelling_noise(group, dims)
    return np.asarray(mixed / np.linalg.norm(mixed))


def _centres(words: Sequence[Word], X: Matrix) -> dict[str, NDArray[np.float64]]:
    """Mean direction of each class."""
    sums: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(X.shape[1]))
    for row, word in enumerate(words):
        for group, share in word.groups.items():
            sums[group.split("/")[0]] += share * X[row]
    return {kind: total / np.linalg.norm(total) for kind, total in sums.items()}
