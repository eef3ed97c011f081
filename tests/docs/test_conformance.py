"""The checks of docs/reference/conformance.md pass sound mechanisms and notice broken ones."""

import re
from pathlib import Path

import numpy as np
import pytest

from spacy_dxprivacy import Rng, Space, registry

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "conformance.md"
pytestmark = [
    pytest.mark.skipif(not PAGE.exists(), reason="the docs are not beside the tests"),
    pytest.mark.filterwarnings("ignore::spacy_dxprivacy.DxWarning"),
]
EPSILON = 4.0


@pytest.fixture(scope="module")
def checks():
    found = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf8"), re.S):
        exec(block, found)  # noqa: S102 - the code of our own page
    return found


@pytest.fixture(scope="module")
def space():
    points = np.random.default_rng(1).normal(size=(30, 5)) * [3, 2, 1, 1, 0.5]
    return Space.from_vectors([f"word{i}" for i in range(30)], points)


def fitted(space, name, epsilon=EPSILON, **settings):
    config = {"@dx_mechanisms": name, "epsilon": epsilon, **settings}
    return registry.resolve({"made": config})["made"].fit(space)


def functions(space, name, **settings):
    """Return noise(x) and word(i) of a mechanism, as the page has them."""
    made, rng = fitted(space, name, **settings), Rng(seed=0)

    def noise(x):
        row = int(np.abs(space.vectors - x).sum(axis=1).argmin())
        return made.sample(np.array([row]), rng).vectors[0].astype(float)

    return noise, lambda i: int(made.sample(np.array([i]), rng).rows[0])


def test_the_radius_of_laplace_noise(checks, space):
    x, generator = space.vectors[3].astype(float), np.random.default_rng(0)

    def wrong(x):
        g = generator.normal(size=len(x))
        return x + generator.gamma(1, 1 / EPSILON) * g / np.linalg.norm(g)

    assert checks["laplace_radius"](functions(space, "dx.Laplace.v1")[0], x, EPSILON)
    assert not checks["laplace_radius"](wrong, x, EPSILON)


def test_the_radius_of_elliptical_noise(checks, space):
    x, generator = space.vectors[3].astype(float), np.random.default_rng(0)
    S = np.cov(space.vectors.astype(float).T)
    S *= len(S) / np.trace(S)
    values, axes = np.linalg.eigh(S)

    def normalised_again(x):
        z = (axes * np.sqrt(values)) @ axes.T @ generator.normal(size=len(x))
        return x + generator.gamma(len(x), 1 / EPSILON) * z / np.linalg.norm(z)

    noise, _ = functions(space, "dx.Mahalanobis.v1", lam=1.0)
    assert checks["mahalanobis_radius"](noise, x, EPSILON, S)
    assert not checks["mahalanobis_radius"](normalised_again, x, EPSILON, S)


def test_noise_that_is_drawn_anew(checks, space):
    x, y = space.vectors[:2].astype(float)
    noise, _ = functions(space, "dx.Laplace.v1")

    def seeded(x):
        return x + np.random.default_rng(42).normal(size=len(x))

    assert checks["noise_is_new"](noise, x, y)
    assert checks["noise_of_a_word_changes"](noise, x)
    assert not checks["noise_is_new"](seeded, x, y)
    assert not checks["noise_of_a_word_changes"](seeded, x)


def test_the_loss_of_exact_probabilities(checks, space):
    X = space.vectors.astype(float)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    for name in ("dx.Exponential.v1", "dx.TEM.v1"):
        P = fitted(space, name).distribution(np.arange(len(X)))
        assert EPSILON / 2 < checks["largest_loss"](P, D) <= EPSILON * (1 + 1e-6)
    twice = fitted(space, "dx.Exponential.v1", epsilon=3 * EPSILON).distribution(np.arange(len(X)))
    assert checks["largest_loss"](twice, D) > EPSILON


def test_supports_that_differ(checks, space):
    X = space.vectors.astype(float)
    apart = np.linalg.norm(X[:, None] - X, axis=2)
    x, y = X[list(np.unravel_index(apart.argmax(), apart.shape))]
    noise, _ = functions(space, "dx.TruncatedLaplace.v1", calibration="paper", epsilon=0.05)
    A = max(np.abs(noise(x) - x).max() for _ in range(400))  # near the end of the box
    assert checks["delta_at_least"](noise, x, y, 1.02 * A) > 0.05
    assert checks["delta_at_least"](functions(space, "dx.Laplace.v1")[0], x, y, 1e3) == 0


def test_words_without_noise(checks, space):
    paper, _ = functions(space, "dx.NADP.v1", noise="paper", tau=0.5)
    everyone, _ = functions(space, "dx.NADP.v1")
    X = space.vectors.astype(float)
    assert checks["share_published"](paper, X) > 0
    assert checks["share_published"](everyone, X) == 0


def test_two_strengths(checks, space):
    X = space.vectors.astype(float)
    near = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 1:11].mean(axis=1)
    dense, sparse = X[near.argmin()], X[near.argmax()]
    strong, weak = checks["strengths"](functions(space, "dx.Jaccard.v1")[0], dense, sparse)
    assert strong / weak == pytest.approx(1.835 / 1.276, rel=0.1)
    strong, weak = checks["strengths"](functions(space, "dx.Laplace.v1")[0], dense, sparse)
    assert strong / weak == pytest.approx(1, rel=0.15)


def test_the_delta_of_gaussian_noise(checks):
    delta = 1e-6
    for epsilon, enough in ((4.0, True), (8.7, True), (8.9, False), (20.0, False)):
        sigma = np.sqrt(2 * np.log(1.25 / delta)) / epsilon
        assert bool(checks["gaussian_delta"](1.0, sigma, epsilon) <= delta) is enough


def test_a_word_that_may_stay(checks, space):
    _, word = functions(space, "dx.Laplace.v1", projection={"@dx_projections": "dx.Vickrey.v1"})
    assert checks["can_stay"](word, 3)
    assert not checks["can_stay"](lambda i: (i + 1) % 30, 3)


def test_outputs_of_one_word_alone(checks, space):
    _, sound = functions(space, "dx.Laplace.v1", epsilon=0.3)
    assert checks["outputs_of_one_alone"](sound, 0, 1) < 0.01
    assert checks["outputs_of_one_alone"](lambda i: i, 0, 1) == 1
