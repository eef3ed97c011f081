"""dx.CusText.v1: groups, and the choice within one."""

import numpy as np
import pytest


def groups_by_hand(X, k):
    X = X.astype(np.float64)
    free, number, group = list(range(len(X))), 0, {}
    while free:
        first = free[0]
        taken = sorted(free, key=lambda y: (y != first, np.linalg.norm(X[y] - X[first])))[:k]
        if len(free) == 1 and number:
            number -= 1
        group.update(dict.fromkeys(taken, number))
        free = [y for y in free if y not in taken]
        number += 1
    return [group[row] for row in range(len(X))]


def by_hand(X, group, row, epsilon):
    X = X.astype(np.float64)
    members = [y for y in range(len(X)) if group[y] == group[row]]
    apart = {y: np.linalg.norm(X[y] - X[row]) for y in members}
    low, high = min(apart.values()), max(apart.values())
    scores = {y: (high - d) / (high - low) if high > low else 1.0 for y, d in apart.items()}
    p = np.zeros(len(X))
    for y, u in scores.items():
        p[y] = np.exp(epsilon * u / 2)
    return p / p.sum()


@pytest.mark.parametrize("epsilon", [0.1, 2.0, 20.0])
@pytest.mark.parametrize("k", [2, 7, 13, 39, 40, 100])
def test_the_probabilities_are_those_of_a_loop(make, plane, epsilon, k):
    P = make("dx.CusText.v1", plane, epsilon=epsilon, k=k).distribution(np.arange(40))
    group = groups_by_hand(plane.vectors, k)
    sizes = np.bincount(group)
    assert sizes.min() >= 2 and sizes.max() <= k + 1
    expected = [by_hand(plane.vectors, group, row, epsilon) for row in range(40)]
    np.testing.assert_allclose(P, expected, rtol=1e-8)
