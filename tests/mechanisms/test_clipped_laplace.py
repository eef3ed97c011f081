"""dx.ClippedLaplace.v1: independent Laplace coordinates, as strong as the L1 width of the ball."""

import numpy as np
import pytest
from scipy.stats import kstest, laplace

from spacy_dxprivacy import Rng, Space

CORNERS = Space.from_vectors(["up", "down", "in"], [[1.0] * 4, [-1.0] * 4, [0.0] * 4])
INSIDE = np.full(20_000, 2)


@pytest.mark.parametrize("settings", [{}, {"clip": 0.5}, {"clip": 7.0}])
def test_coordinates_are_laplace_with_scale_2_sqrt_d_clip_over_epsilon(make, settings):
    mechanism = make("dx.ClippedLaplace.v1", CORNERS, epsilon=3.0, **settings)
    scale = 2 * np.sqrt(4) * settings.get("clip", 2.0) / 3.0
    assert mechanism.built.draw.scale == pytest.approx(scale, rel=1e-12)
    Z = mechanism.sample(INSIDE, Rng(seed=4)).vectors.astype(np.float64) / scale
    assert kstest(Z.ravel(), laplace.cdf).pvalue > 1e-3
    # Coordinates are independent: their absolute values are uncorrelated too.
    assert np.all(np.abs(np.corrcoef(np.abs(Z).T) - np.eye(4)) < 4 / np.sqrt(len(Z)))
    assert abs(np.mean(Z**2) - 2) < 4 * np.sqrt(20 / Z.size)  # the fourth moment is 24
