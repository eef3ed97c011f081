"""Every mechanism on spaces with next to nothing in them, on a second space, and from a pickle."""

import re

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng, Space, registry
from spacy_dxprivacy.ty import StatesProbabilities

from .found import names, settings_of

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")

# Settings beside the defaults that take another way through the code.
VARIANTS = {
    **{name: (name, None) for name in names()},  # as in its config
    "exact": ("dx.Exponential.v1", {"epsilon": 2.0, "calibration": "exact"}),
    "paper": ("dx.TruncatedLaplace.v1", {"epsilon": 0.4, "calibration": "paper"}),
    "clip": ("dx.ClippedLaplace.v1", {"epsilon": 2.0, "clip": 0.5}),
    "adjacent": ("dx.NADP.v1", {"epsilon": 2.0, "noise": "adjacent"}),
    "nadp paper": ("dx.NADP.v1", {"epsilon": 2.0, "noise": "paper"}),
    "gumbel": ("dx.TruncatedGumbel.v1", {"epsilon": 1000.0}),
    "ranks": ("dx.Laplace.v1", {"epsilon": 2.0, "projection": "dx.RankSampling.v1"}),
    "vickrey": ("dx.Laplace.v1", {"epsilon": 2.0, "projection": "dx.Vickrey.v1"}),
}
RNG = np.random.default_rng(0)
SPACES = {
    "the origin alone": [[0.0, 0.0]],
    "two words": [[0.0, 1.0], [2.0, 0.0]],
    "two words at one point": [[1.0, 2.0]] * 2,
    "many words at one point": [[1.0, 2.0]] * 30,
    "many words at the origin": [[0.0, 0.0]] * 30,
    "words on a line": RNG.normal(size=(30, 1)),
    "more dimensions than words": RNG.normal(size=(3, 40)),
    "tiny": RNG.normal(size=(30, 2)) * 1e-3,
    "huge": RNG.normal(size=(30, 2)) * 1e3,
    "largest": RNG.uniform(-1, 1, size=(30, 2)) * 7e17,
    "smallest": RNG.normal(size=(30, 2)) * 1e-30,
}
REFUSED = {
    ("adjacent", "the origin alone"): "fewer than m = 2",
    ("nadp paper", "the origin alone"): "fewer than m = 2",
    **{
        ("dx.Path.v1", where): r"DX043.*needs 3 words.*distinct vectors.*dx\.Exponential\.v1"
        for where in (
            "the origin alone",
            "two words",
            "two words at one point",
            "many words at one point",
            "many words at the origin",
        )
    },
    ("gumbel", "words on a line"): "epsilon must be above",
    ("gumbel", "tiny"): "epsilon must be above",
    ("gumbel", "smallest"): "epsilon must be above",
}
# What a mechanism that has no solution on a space says, in fit.
NO_SOLUTION = r"\[DX0(05|43)\] "


def space_of(X):
    return Space.from_vectors([f"w{i}" for i in range(len(X))], X)


@pytest.fixture
def made():
    def made(variant):
        name, settings = VARIANTS[variant]
        settings = {"@dx_mechanisms": name, **(settings_of(name) if settings is None else settings)}
        if "projection" in settings:
            settings["projection"] = {"@dx_projections": settings["projection"]}
        return registry.resolve({"mechanism": settings})["mechanism"]

    return made


@pytest.mark.parametrize("where", SPACES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_it_draws_words_or_says_why_it_cannot(made, variant, where):
    space = space_of(SPACES[where])
    if (variant, where) in REFUSED:
        with pytest.raises(DxError, match=REFUSED[variant, where]):
            made(variant).fit(space)
        return
    mechanism = made(variant)
    try:
        mechanism.fit(space)
    except DxError as error:
        assert variant in names() and re.match(NO_SOLUTION, str(error))
        return
    n = len(space)
    draw = mechanism.sample(np.arange(n), Rng(seed=1))
    assert draw.rows.shape == (n,) and draw.rows.min() >= 0 and draw.rows.max() < n
    assert draw.vectors is None or np.isfinite(draw.vectors).all()
    if isinstance(mechanism, StatesProbabilities):
        P = mechanism.distribution(np.arange(n))
        assert np.all(P >= 0)
        np.testing.assert_allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v != "dx.Identity.v1"])
def test_words_at_one_point_get_the_same_vectors_from_the_same_noise(made, variant):
    mechanism = made(variant)
    try:
        mechanism.fit(space_of(SPACES["many words at one point"]))
    except DxError:
        pytest.skip("it refuses such a space")
    one, other = (mechanism.sample(np.full(50, row), Rng(seed=4)) for row in (0, 29))
    if one.vectors is not None:
        assert np.array_equal(one.vectors, other.vectors) and np.array_equal(one.rows, other.rows)


@pytest.mark.parametrize("variant", VARIANTS)
def test_fitted_again_it_is_as_if_it_had_known_no_other_space(made, variant, plane):
    other = space_of(np.random.default_rng(7).normal(size=(200, 2)) * [5.0, 0.5])
    again, fresh = made(variant).fit(plane).fit(other), made(variant).fit(other)
    assert again.guarantee == fresh.guarantee and again.guarantee.space == other.digest
    assert_same_draws(again, fresh, 200)


def assert_same_draws(one, other, n):
    rows = np.tile(np.arange(n), 5)
    one, other = (m.sample(rows, Rng(seed=9)) for m in (one, other))
    assert np.array_equal(one.rows, other.rows)
    assert (one.vectors is None) == (other.vectors is None)
    assert one.vectors is None or np.array_equal(one.vectors, other.vectors)
