"""What every registered mechanism owes to those who use it."""

import dataclasses
import inspect
import pickle

import numpy as np
import pytest

from spacy_dxprivacy import Draw, DxError, Guarantee, Rng, Space, registry
from spacy_dxprivacy.mechanisms.base.trial import check_fitted, check_mechanism
from spacy_dxprivacy.ty import HasCentres, HasMetric, HasSettings, Mechanism, StatesProbabilities

from .found import made, names, settings_of

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")
every_mechanism = pytest.mark.parametrize("name", names())
PARTS = {"projection", "cache_mb"}  # of a constructor; they are parts, or change no law


@pytest.fixture(params=names())
def mechanism(request, make, plane):
    return make(request.param, plane, **settings_of(request.param))


def of_config(name):
    return made(name, **settings_of(name))


@every_mechanism
def test_it_has_all_parts_and_its_trial_draw_is_one(name, plane):
    mechanism = of_config(name)
    check_mechanism(mechanism)
    assert isinstance(mechanism, Mechanism) and mechanism.name == name
    mechanism.fit(plane)
    check_fitted(mechanism, plane)


@every_mechanism
def test_its_settings_are_a_frozen_value_of_all_that_it_was_given(name, plane):
    given = settings_of(name)
    mechanism, again = of_config(name), of_config(name)
    assert isinstance(mechanism, HasSettings)
    settings = mechanism.settings
    parameters = set(inspect.signature(registry.dx_mechanisms.get(name)).parameters)
    assert {field.name for field in dataclasses.fields(settings)} == parameters - PARTS
    told = dataclasses.asdict(settings)
    assert {key: told[key] for key in given.keys() - PARTS} == {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in given.items()
        if key not in PARTS
    }
    assert settings == again.settings == pickle.loads(pickle.dumps(settings))  # noqa: S301
    assert hash(settings) == hash(again.settings)
    if "epsilon" in given:
        assert settings != made(name, **{**given, "epsilon": 3000.0}).settings
        with pytest.raises(dataclasses.FrozenInstanceError):
            settings.epsilon = 1.0
    mechanism.fit(plane)
    assert mechanism.settings == settings


@every_mechanism
def test_what_its_promise_covers_is_said_in_a_field(name):
    guarantee = of_config(name).guarantee
    assert guarantee.covers in ("all", "finite", "related", "none")
    assert (guarantee.covers == "none") == (guarantee.kind == "none")
    if guarantee.covers == "finite":
        assert isinstance(of_config(name), HasMetric)


def test_a_draw_has_one_row_a_word_and_float32_vectors_or_none(mechanism, plane):
    draw = mechanism.sample(np.arange(40), Rng())
    assert isinstance(draw, Draw)
    assert draw.rows.dtype == np.int64 and draw.rows.shape == (40,)
    assert draw.rows.min() >= 0 and draw.rows.max() < 40
    if draw.vectors is not None:
        centres = mechanism.centres if isinstance(mechanism, HasCentres) else plane.vectors
        assert draw.vectors.dtype == np.float32 and draw.vectors.shape == centres.shape


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


@every_mechanism
def test_a_space_of_one_word_gives_that_word_or_is_refused_by_fit(name):
    mechanism = of_config(name)
    try:
        mechanism.fit(Space.from_vectors(["only"], [[0.5, 0.5]]))
    except DxError as error:
        assert "more words" in str(error)
        return
    assert mechanism.sample(np.array([0]), Rng()).rows.tolist() == [0]


@every_mechanism
def test_words_at_distance_0_share_their_output_distribution(name):
    twins = Space.from_vectors(["a", "b", "c"], [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    mechanism = of_config(name)
    mechanism.fit(twins)
    if mechanism.guarantee.kind == "none":
        pytest.skip("it promises nothing")
    if mechanism.guarantee.kind == "metric-dp" and mechanism.distances(np.array([0]))[0, 1] > 0:
        pytest.skip("words at one point of the space are not at distance 0 of its metric")
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


@every_mechanism
def test_it_refuses_to_draw_before_it_is_fitted(name):
    with pytest.raises(DxError, match="DX003"):
        of_config(name).sample(np.array([0]), Rng())


@pytest.mark.parametrize("rows", [[-1], [40], [0, 99]])
def test_it_refuses_rows_that_the_space_does_not_have(mechanism, rows):
    with pytest.raises(DxError, match="DX002"):
        mechanism.sample(np.array(rows), Rng())


@pytest.mark.parametrize("rows", [np.array([0.5]), np.array([[0]]), np.array(["a"])])
def test_it_refuses_what_are_no_rows(mechanism, rows):
    with pytest.raises(DxError, match="rows"):
        mechanism.sample(rows, Rng())


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), "high", True, None])
@pytest.mark.parametrize("name", [name for name in names() if "epsilon" in settings_of(name)])
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
    if not isinstance(mechanism, StatesProbabilities):
        pytest.skip("it has no exact probabilities")
    P = mechanism.distribution(np.arange(40))
    D = mechanism.distances(np.arange(40))
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.nan_to_num(np.abs(np.log(P)[:, None, :] - np.log(P)[None, :, :]), posinf=np.inf)
    assert np.all(loss.max(axis=2) <= mechanism.guarantee.epsilon * D + 1e-9)


def test_draws_follow_the_exact_probabilities(mechanism):
    if not isinstance(mechanism, StatesProbabilities):
        pytest.skip("it has no exact probabilities")
    from scipy.stats import chisquare

    n = 200_000
    for row in (0, 17):
        counts = np.bincount(mechanism.sample(np.full(n, row), Rng(seed=3)).rows, minlength=40)
        p = mechanism.distribution(np.array([row]))[0]
        assert not counts[p == 0].any()
        assert chisquare(counts[p > 0], p[p > 0] * n).pvalue > 1e-4
