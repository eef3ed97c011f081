"""Mechanisms by name with settings: `-m "laplace projection=RankSampling c=0.04"`."""

from pathlib import Path

import pytest
import srsly
from conftest import run_dx

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.lab.mechanisms import parse_tunable
from spacy_dxprivacy.mechanisms.named import mechanism_config, parse_mechanism

CASES = srsly.read_yaml(Path(__file__).with_suffix(".yaml"))


@pytest.mark.parametrize(("text", "label", "settings"), CASES["right"])
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


@pytest.mark.parametrize(("text", "why"), CASES["wrong"])
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
