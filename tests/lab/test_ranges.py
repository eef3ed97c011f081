"""The epsilons at which an attacker recovers stated shares are found, whatever their unit."""

import numpy as np
import pytest

from spacy_dxprivacy import DxError, Rng, registry
from spacy_dxprivacy.lab.attacks import AttackTarget, EncodedCorpus, ranges, sample_release
from spacy_dxprivacy.lab.mechanisms import all_tunable, make_mechanism
from spacy_dxprivacy.testing import small_space

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")


@pytest.fixture(scope="module")
def target(space):
    rows = np.random.default_rng(3).integers(0, len(space), 300)
    return AttackTarget(space, EncodedCorpus.of(np.split(rows, 10)))


def unchanged(space, target, config, epsilon):
    made = make_mechanism(config, space, epsilon)
    return np.mean(sample_release(target.text, made, Rng(1)).rows == target.text.rows)


@pytest.mark.parametrize("name", ["dx.Laplace.v1", "dx.Diffractor.v1", "dx.Gaussian.v1"])
def test_a_range_reaches_from_few_to_many_unchanged_words(space, target, name):
    low, high = ranges.epsilon_range(lambda e: make_mechanism(name, space, e), target)
    assert unchanged(space, target, name, low) <= ranges.FEW_UNCHANGED
    assert unchanged(space, target, name, high) >= ranges.MANY_UNCHANGED


def test_a_range_begins_where_a_mechanism_has_a_solution():
    name, space = "dx.TruncatedGumbel.v1", small_space()
    target = AttackTarget(space, EncodedCorpus.of([np.arange(10), np.arange(5, 15)]))
    low, high = ranges.epsilon_range(lambda e: make_mechanism(name, space, e), target)
    assert 1 < low < high
    with pytest.raises(DxError, match="no solution"):
        make_mechanism(name, space, 1.0)


def test_a_range_ends_where_a_larger_epsilon_changes_little(space, target):
    """dx.SanTextPlus.v1 leaves most words alone at any epsilon, and never leaves all."""
    name = "dx.SanTextPlus.v1"
    low, high = ranges.epsilon_range(lambda e: make_mechanism(name, space, e), target)
    assert 0.01 < low < high < 1000
    ends = [unchanged(space, target, name, e) for e in (1e-4, low, high, 1e6)]
    assert ends[1] - ends[0] < 0.06 and ends[3] - ends[2] < 0.06


def test_a_mechanism_without_a_solution_raises_its_own_error(target):
    def make(epsilon):
        raise DxError("no solution at all")

    with pytest.raises(DxError, match="no solution at all"):
        ranges.epsilon_range(make, target)


class Curve:
    """In place of an attack: a share that rises from a floor, around an epsilon."""

    def __init__(self, middle, floor=0.0):
        self.middle, self.floor, self.tried = middle, floor, []

    def point(self, label, mechanism, target):
        from types import SimpleNamespace

        epsilon = mechanism
        self.tried.append(epsilon)
        share = self.floor + (1 - self.floor) / (1 + (self.middle / epsilon) ** 2)
        return SimpleNamespace(mechanism=label, epsilon=epsilon, found=share)


@pytest.mark.parametrize("middle", [0.003, 0.7, 9.0, 4e4])
@pytest.mark.parametrize("floor", [0.0, 0.2, 0.55])
def test_every_share_within_reach_is_met_in_few_attacks(monkeypatch, middle, floor):
    curve = Curve(middle, floor)
    monkeypatch.setattr(ranges, "point", curve.point)
    monkeypatch.setattr(ranges, "epsilon_range", lambda *_: (middle / 30, middle * 30))
    points = [*ranges.points_at("m", lambda e: e, None, [0.35, 0.5, 0.6])]
    shares = np.array([p.found for p in points])
    assert [p.epsilon for p in points] == curve.tried and len(points) <= 14
    assert (np.diff(np.sort(shares)) > 0).all()
    for wanted in (0.35, 0.5, 0.6):
        if wanted > floor + 0.01:
            assert np.abs(shares - wanted).min() <= 0.06


def test_all_stands_for_every_registered_mechanism_with_an_epsilon_and_each_projection():
    names = {name for name in registry.dx_mechanisms.get_all() if name.startswith("dx.")}
    configs = all_tunable()
    assert {c["@dx_mechanisms"] for c in configs.values()} >= names - {"dx.Identity.v1"}
    projections = {
        c["projection"]["@dx_projections"] for c in configs.values() if "projection" in c
    }
    assert projections == {*registry.dx_projections.get_all()} - {"dx.Nearest.v1"}
