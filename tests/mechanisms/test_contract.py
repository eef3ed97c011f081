"""What every registered mechanism owes to those who use it."""

import pickle

import numpy as np
import pytest

from spacy_dxprivacy import Draw, DxError, Guarantee, Rng, Space, registry

# A mechanism that needs settings names them here; one that is missing fails the first test.
SETTINGS = {
    "dx.ClippedLaplace.v1": {"epsilon": 20.0},
    "dx.CusText.v1": {"epsilon": 2.0, "k": 4},
    "dx.Diffractor.v1": {"epsilon": 0.5},
    "dx.Exponential.v1": {"epsilon": 2.0},
    "dx.Gaussian.v1": {"epsilon": 2.0},
    "dx.Identity.v1": {},
    "dx.Jaccard.v1": {"epsilon": 2.0},
    "dx.Laplace.v1": {"epsilon": 2.0},
    "dx.Mahalanobis.v1": {"epsilon": 2.0},
    "dx.NADP.v1": {"epsilon": 2.0},
    "dx.Path.v1": {"epsilon": 2.0},
    "dx.RandomProjection.v1": {"epsilon": 2.0, "dims": 2},
    "dx.SanTextPlus.v1": {"epsilon": 2.0},
    "dx.TEM.v1": {"epsilon": 2.0},
    "dx.TruncatedGumbel.v1": {"epsilon": 1000.0},
    "dx.TruncatedLaplace.v1": {"epsilon": 2.0},
}

# Those for which words at one point of the space are not at distance 0 of their guarantee.
OTHER_METRICS = {
    "dx.Identity.v1": "it gives no privacy, by design",
    "dx.Diffractor.v1": "its distance is that of places on a list",
    "dx.Path.v1": "its distance is that of paths on a graph",
    "dx.SanTextPlus.v1": "it protects sensitive words alone",
}

# A graph of near words takes three words.
LEAST_WORDS = {"dx.Path.v1": 3}

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")


@pytest.fixture(params=sorted(SETTINGS))
def mechanism(request, make, plane):
    return make(request.param, plane, **SETTINGS[request.param])


def unfitted(name):
    settings = {"@dx_mechanisms": name, **SETTINGS[name]}
    return registry.resolve({"mechanism": settings})["mechanism"]


def test_every_registered_mechanism_is_under_this_contract():
    ours = {name for name in registry.dx_mechanisms.get_all() if name.startswith("dx.")}
    assert ours == set(SETTINGS)


def test_a_draw_has_one_row_a_word_and_float32_vectors_or_none(mechanism, plane):
    draw = mechanism.sample(np.arange(40), Rng())
    assert isinstance(draw, Draw)
    assert draw.rows.dtype == np.int64 and draw.rows.shape == (40,)
    assert draw.rows.min() >= 0 and draw.rows.max() < 40
    if draw.vectors is not None:
        assert draw.vectors.dtype == np.float32 and draw.vectors.shape == plane.vectors.shape


@pytest.mark.parametrize("rows", [[], [7], [3, 3, 3]])
def test_no_word_one_word_and_repeated_words_are_drawn(mechanism, rows):
    draw = mechanism.sample(np.array(rows, dtype=np.int64), Rng())
    assert draw.rows.shape == (len(rows),)


def test_a_seed_repeats_the_draw_and_no_seed_does_not(mechanism):
    rows = np.tile(np.arange(40), 10)
    first, again = (mechanism.sample(rows, Rng(seed=5)).rows for _ in range(2))
    assert np.array_equal(first, again)
    if mechanism.guarantee.kind != "none":
        unseeded = (mechanism.sample(rows, Rng()).rows for _ in range(2))
        assert not np.array_equal(*unseeded)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_a_space_of_one_word_gives_that_word(name, make):
    if LEAST_WORDS.get(name, 1) > 1:
        pytest.skip(f"it needs {LEAST_WORDS[name]} words")
    one = Space.from_vectors(["only"], [[0.5, 0.5]])
    assert make(name, one, **SETTINGS[name]).sample(np.array([0]), Rng()).rows.tolist() == [0]


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_words_at_distance_0_share_their_output_distribution(name, make):
    if name in OTHER_METRICS:
        pytest.skip(OTHER_METRICS[name])
    twins = Space.from_vectors(["a", "b", "c"], [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    mechanism = make(name, twins, **SETTINGS[name])
    n = 20000
    counts = [
        np.bincount(mechanism.sample(np.full(n, row), Rng(seed=row)).rows, minlength=3)
        for row in (0, 1)
    ]
    assert np.all(np.abs(counts[0] - counts[1]) < 5 * np.sqrt(n))


def test_the_guarantee_is_a_value_that_names_the_space(mechanism, plane):
    assert isinstance(mechanism.guarantee, Guarantee)
    assert mechanism.guarantee.space == plane.digest
    assert hash(mechanism.guarantee) == hash(mechanism.guarantee)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_it_refuses_to_draw_before_it_is_fitted(name):
    with pytest.raises(DxError, match="DX003"):
        unfitted(name).sample(np.array([0]), Rng())


@pytest.mark.parametrize("rows", [[-1], [40], [0, 99]])
def test_it_refuses_rows_that_the_space_does_not_have(mechanism, rows):
    with pytest.raises(DxError, match="DX002"):
        mechanism.sample(np.array(rows), Rng())


@pytest.mark.parametrize("rows", [np.array([0.5]), np.array([[0]]), np.array(["a"])])
def test_it_refuses_what_are_no_rows(mechanism, rows):
    with pytest.raises(DxError, match="rows"):
        mechanism.sample(rows, Rng())


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), "high", True, None])
@pytest.mark.parametrize("name", [name for name, s in SETTINGS.items() if "epsilon" in s])
def test_an_epsilon_out_of_range_is_refused_by_name_and_value(name, value):
    with pytest.raises(ValueError, match="epsilon") as caught:
        registry.dx_mechanisms.get(name)(epsilon=value)
    assert repr(value) in str(caught.value)


def test_a_copy_for_a_worker_draws_as_well_and_takes_no_table_along(mechanism, plane, tmp_path):
    plane.save(tmp_path / "plane")
    mechanism.fit(Space.load(tmp_path / "plane"))
    data = pickle.dumps(mechanism)
    assert b"word17" not in data and len(data) < 5000
    rows = np.arange(40)
    copy = pickle.loads(data)  # noqa: S301
    assert copy.guarantee == mechanism.guarantee
    drawn = (m.sample(rows, Rng(seed=8)).rows for m in (copy, mechanism))
    assert np.array_equal(*drawn)


def test_exact_probabilities_stay_within_the_guarantee_for_all_pairs(mechanism):
    if not hasattr(mechanism, "distribution"):
        pytest.skip("it has no exact probabilities")
    P = mechanism.distribution(np.arange(40))
    D = mechanism.distances(np.arange(40))
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.nan_to_num(np.abs(np.log(P)[:, None, :] - np.log(P)[None, :, :]), posinf=np.inf)
    assert np.all(loss.max(axis=2) <= mechanism.guarantee.epsilon * D + 1e-9)


def test_draws_follow_the_exact_probabilities(mechanism):
    if not hasattr(mechanism, "distribution"):
        pytest.skip("it has no exact probabilities")
    from scipy.stats import chisquare

    n = 200_000
    for row in (0, 17):
        counts = np.bincount(mechanism.sample(np.full(n, row), Rng(seed=3)).rows, minlength=40)
        p = mechanism.distribution(np.array([row]))[0]
        assert not counts[p == 0].any()
        assert chisquare(counts[p > 0], p[p > 0] * n).pvalue > 1e-4
