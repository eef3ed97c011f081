"""dx.TEM.v1: the draw of the paper, by Gumbel noise and a bottom element, and its closed form."""

import numpy as np
import pytest

from spacy_dxprivacy import Space


@pytest.mark.parametrize(("epsilon", "beta"), [(2.0, 0.9), (8.0, 0.1), (20.0, 0.001)])
def test_its_probabilities_are_the_closed_form(make, plane, epsilon, beta):
    P = make("dx.TEM.v1", plane, epsilon=epsilon, beta=beta).distribution(np.arange(40))
    g = 2 / epsilon * np.log((1 - beta) * 39 / beta)
    for row, x in enumerate(plane.vectors.astype(np.float64)):
        D = [float(np.linalg.norm(x - y)) for y in plane.vectors]
        near = [np.exp(-epsilon / 2 * d) if d <= g else 0.0 for d in D]
        bottom = np.exp(-epsilon / 2 * g) * sum(d > g for d in D)
        far = bottom / max(1, sum(d > g for d in D))
        p = np.array([w if d <= g else far for w, d in zip(near, D, strict=True)])
        np.testing.assert_allclose(P[row], p / (sum(near) + bottom), rtol=1e-6)


def test_beta_is_the_share_of_far_words_where_all_others_are_far(make):
    far = Space.from_vectors([f"w{i}" for i in range(50)], np.eye(50) * 1000)
    P = make("dx.TEM.v1", far, epsilon=1.0, beta=0.02).distribution(np.arange(50))
    np.testing.assert_allclose(1 - np.diag(P), 0.02)
