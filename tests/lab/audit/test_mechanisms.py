"""Quick audits refute what is false and leave alone what is true."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms.found import made, names, settings_of

from spacy_dxprivacy import DxError, Guarantee, Space
from spacy_dxprivacy.lab.audit import (
    INCONCLUSIVE,
    NOT_REFUTED,
    REFUTED,
    Finding,
    Report,
    audit,
    contest,
)
from spacy_dxprivacy.lab.audit.claims import Claim, claim_of
from spacy_dxprivacy.lab.audit.contest import cloud, plane, unreachable
from spacy_dxprivacy.lab.audit.mechanism import EFFORTS
from spacy_dxprivacy.lab.audit.tiers import AuditTrial, noise_radius
from spacy_dxprivacy.lab.results import lower, upper
from spacy_dxprivacy.ty import facts_of

from .doubles import LIARS, Double

pytestmark = pytest.mark.filterwarnings("ignore:.*DX101")

OTHERS = {"dx.Exponential.v1": {"epsilon": 2.0, "calibration": "exact"}}


def of_config(name):
    return made(name, **OTHERS.get(name, settings_of(name)))


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_what_is_proven_or_computed_is_not_refuted(name):
    mechanism = of_config(name)
    report = audit(mechanism, effort="quick", seed=1)
    if mechanism.guarantee.kind == "none":
        assert report.verdict == INCONCLUSIVE and "nothing to refute" in report.findings[0].what
    elif mechanism.guarantee.status in ("proven", "computed"):
        assert report.verdict == NOT_REFUTED
        assert {"plane", "black box"} <= {finding.tier for finding in report.findings}
    else:
        assert report.verdict == REFUTED


@pytest.mark.slow
@pytest.mark.parametrize("liar", sorted(LIARS))
def test_what_is_false_is_refuted_with_a_pair_an_event_and_a_bound(liar):
    report = audit(LIARS[liar](), effort="quick", seed=1)
    assert report.verdict == REFUTED
    boxes = [f for f in report.findings if f.tier in ("plane", "black box", "independence")]
    found = [f for f in boxes if f.verdict == REFUTED]
    assert found, "the black box has to see it, whatever closed forms say"
    for finding in found:
        assert finding.event and finding.pair[0] != finding.pair[1]
        assert finding.tier == "independence" or finding.bound > finding.claimed


@pytest.mark.slow
@pytest.mark.parametrize(
    "projection",
    [{"@dx_projections": "dx.RankSampling.v1", "c": 0.5}, {"@dx_projections": "dx.Vickrey.v1"}],
)
def test_rules_from_vector_to_word_are_free(projection):
    mechanism = made("dx.Laplace.v1", epsilon=2.0, projection=projection)
    assert audit(mechanism, effort="quick", seed=1).verdict == NOT_REFUTED
    with pytest.raises(DxError, match="DX003"):  # a copy was fitted
        mechanism.sample(np.array([0]), None)


def stating(mechanism, loss_range):
    """The mechanism, which states another range of its loss."""
    build = mechanism.build

    def stated(space, guarantee):
        built = build(space, guarantee)
        return replace(built, guarantee=replace(built.guarantee, loss_range=loss_range))

    mechanism.build = stated
    return mechanism


@pytest.mark.parametrize(
    ("name", "settings", "states"),
    [
        ("dx.Exponential.v1", {"calibration": "exact"}, 1.0),  # almost all of epsilon is beta
        ("dx.Exponential.v1", {}, 0.9),
        ("dx.Diffractor.v1", {}, 1.0),
    ],
)
def test_a_range_that_is_stated_too_small_is_refuted(name, settings, states):
    report = audit(stating(made(name, epsilon=2.0, **settings), states), effort="quick", seed=1)
    assert report.verdict == REFUTED
    wrong = [finding for finding in report.findings if finding.verdict == REFUTED]
    assert {finding.tier for finding in wrong} == {"exact"}
    assert all("loss_range" in finding.what for finding in wrong)
    assert all(finding.bound > finding.claimed for finding in wrong)
    assert audit(made(name, epsilon=2.0, **settings), effort="quick", seed=1).verdict == NOT_REFUTED


@pytest.mark.parametrize("noise", ["adjacent", "paper"])
def test_a_promise_for_some_pairs_is_audited_on_these_alone(noise):
    report = audit(made("dx.NADP.v1", epsilon=2.0, noise=noise), effort="quick", seed=1)
    assert report.verdict == NOT_REFUTED


@pytest.mark.parametrize("alpha", [1e-2, 1e-4])
def test_the_errors_of_all_bounds_of_an_audit_are_its_alpha_together(monkeypatch, alpha):
    """Bonferroni: two vocabularies, all their pairs in both orders, a bound from either side."""
    errors = []

    def counting(bound):
        def counted(hits, n, error):
            errors.append(error)
            return bound(hits, n, error)

        return counted

    for bound in (lower, upper):
        monkeypatch.setattr(f"{contest.__name__}.{bound.__name__}", counting(bound))
    report = audit(Double(), effort="quick", seed=1, alpha=alpha)
    assert report.alpha == alpha and sum(f.tests for f in report.findings) * 2 > len(errors) > 100
    assert sum(errors) == pytest.approx(alpha)


def test_a_verdict_is_never_passed_and_one_refutation_is_enough():
    def verdict(*verdicts):
        return Report("m", {}, 0.1, [Finding("t", v, "") for v in verdicts]).verdict

    assert verdict() == verdict(INCONCLUSIVE) == INCONCLUSIVE
    assert verdict(INCONCLUSIVE, NOT_REFUTED) == NOT_REFUTED
    assert verdict(NOT_REFUTED, REFUTED, INCONCLUSIVE) == REFUTED


def test_a_promise_beyond_what_draws_can_tell_is_inconclusive():
    loud = Double()
    loud.guarantee = Guarantee("approx-dp", 300.0, covers="all", status="claimed")
    report = audit(loud, effort="quick", seed=1)
    assert report.verdict == INCONCLUSIVE
    assert any("nothing can be refuted" in finding.what for finding in report.findings)


def test_ones_own_space_is_one_more_exact_tier():
    own = Space.from_vectors(["a", "b", "c"], np.eye(3))
    report = audit(made("dx.Exponential.v1", epsilon=2.0), effort="quick", space=own, seed=1)
    assert report.findings[-1].tier == "exact" and set(report.findings[-1].pair) <= set("abc")


def test_a_metric_that_nobody_computes_cannot_be_audited():
    odd = Double()
    odd.guarantee = replace(odd.guarantee, metric="semantic")
    assert "not computed" in claim_of(odd, plane(1.0))
    assert audit(odd, effort="quick").verdict == INCONCLUSIVE
    claim = Claim(0.0, lambda rows: np.full((len(rows), 3), np.nan))
    assert np.isinf(claim.epsilons([0])).all()  # a distance of nan promises nothing


def test_a_mechanism_can_name_the_pairs_that_it_covers():
    shy = Double()
    shy.guarantee = Guarantee("approx-dp", 0.01, adjacency="friends", status="claimed")
    assert audit(shy, effort="quick").verdict == INCONCLUSIVE
    space = plane(1.0)
    shy.fit(space).covers = lambda rows: np.eye(len(space), dtype=bool)[rows]
    assert np.isfinite(claim_of(shy, space).epsilons([0, 1])).sum() == 2


@pytest.mark.parametrize("n", [10, 1000])
def test_clopper_pearson_covers_what_it_says(n):
    from scipy.stats import binom

    k = np.arange(n + 1)
    for p in (0.001, 0.1, 0.5, 0.9):
        mass = binom.pmf(k, n, p)
        assert mass[lower(k, n, 0.05) > p].sum() <= 0.05
        assert mass[upper(k, n, 0.05) < p].sum() <= 0.05


def test_low_bits_clear_the_word_and_convict_others():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2, 50)).astype(np.float32).astype(np.float64)
    Z = X[0] + 8 * rng.standard_normal((200, 50))
    assert not unreachable(Z, X[0]).any()
    assert (unreachable(Z, X[1]) > 0).mean() > 0.5
    grid = np.rint(Z * 64) / 64
    assert not unreachable(grid, X[1]).any()


@pytest.mark.parametrize("name", names())
def test_noise_of_another_scale_by_3_percent_breaks_its_law(name):
    """No black box sees so little."""
    space = cloud(0.5, 500, 20)
    mechanism = of_config(name)
    if facts_of(mechanism.fit(space)).noise_distribution() is None:
        pytest.skip("it states no distribution of its noise")
    on = AuditTrial(mechanism, claim_of(mechanism, space), space, EFFORTS["quick"], seed=2)
    assert noise_radius(on).verdict == NOT_REFUTED
    build = mechanism.build

    def weaker(*given):
        noise = build(*given)
        return replace(noise, draw=lambda rows, rng: 0.97 * noise.draw(rows, rng))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mechanism, "build", weaker)
        mechanism.fit(space)
        assert noise_radius(on).verdict == REFUTED
