"""Mechanisms by name with settings: `-m "laplace projection=RankSampling c=0.04"`."""

import pytest
from conftest import run_dx

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.io.build import mechanism_config, parse_mechanism
from spacy_dxprivacy.lab.mechanisms import parse_tunable

RANKED = "laplace projection=RankSampling c=0.04"


@pytest.mark.parametrize(
    ("text", "label", "settings"),
    [
        ("mahalanobis lam=1", "dx.Mahalanobis.v1 lam=1", {"lam": 1}),
        (
            "nadp noise=paper tau=0.5",
            "dx.NADP.v1 noise=paper tau=0.5",
            {"noise": "paper", "tau": 0.5},
        ),
        (
            "dx.NADP.v1 delta=null  m=3",
            "dx.NADP.v1 delta=null m=3",
            {"delta": None, "m": 3},
        ),
        (
            RANKED,
            "dx.Laplace.v1 projection=RankSampling c=0.04",
            {"projection": {"@dx_projections": "dx.RankSampling.v1", "c": 0.04}},
        ),
        (
            "laplace projection=dx.Nearest.v1 index=exact",
            "dx.Laplace.v1 projection=dx.Nearest.v1 index=exact",
            {"projection": {"@dx_projections": "dx.Nearest.v1",
                            "index": {"@dx_indexes": "dx.Exact.v1"}}},
        ),
    ],
)  # fmt: skip
def test_settings_follow_the_name(text, label, settings):
    name = label.split()[0]
    assert parse_mechanism(text) == (label, {"@dx_mechanisms": name, **settings})


def test_the_default_has_its_prior_unless_another_is_set():
    assert parse_mechanism("path")[1]["prior"] == {"@dx_priors": "dx.WordPairs.v1"}
    config = parse_mechanism("path prior=clinical policy=clinical")[1]
    assert config["prior"]["domain"] == config["policy"] == "clinical"


def test_a_pipeline_takes_the_settings_and_epsilon():
    config = mechanism_config("mahalanobis lam=1", 12)
    assert config == {"@dx_mechanisms": "dx.Mahalanobis.v1", "lam": 1, "epsilon": 12.0}
    assert mechanism_config("path policy=plain", None)["epsilon"] == 0.8


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no mechanism ''"),
        ("laplce", "Did you mean laplace?"),
        ("nadp tau", "settings of a mechanism are NAME=VALUE, got 'tau'"),
        ("nadp =0.5", "settings of a mechanism are NAME=VALUE"),
        ("mahalanobis lamb=1", "dx.Mahalanobis.v1 has no setting 'lamb'. It has: lam, projection."),
        ("laplace c=0.04", "dx.Laplace.v1 has no setting 'c'. It has: projection."),
        ("laplace c=0.04 projection=RankSampling", "dx.Laplace.v1 has no setting 'c'"),
        ("laplace projection=Rank", "no projection 'Rank'."),
        ("laplace projection=nearest index=flat", "no index 'flat'."),
        ("laplace epsilon=3", "give epsilon by `epsilon`"),
    ],
)
def test_wrong_names_and_settings_are_named(text, why):
    with pytest.raises(UsageError, match=None) as error:
        parse_mechanism(text)
    assert why in str(error.value)


def test_a_mechanism_without_epsilon_has_no_range_of_it():
    with pytest.raises(UsageError, match="has no epsilon"):
        parse_tunable("identity")


def test_an_audit_takes_a_config_or_a_name():
    for extra in ([], ["configs/laplace.cfg", "-m", "laplace", "-e", "2"]):
        done = run_dx("audit", "mechanism", *extra)
        assert done.exit_code == 2
        assert "give CONFIG or --mechanism" in done.output
