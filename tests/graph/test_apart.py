"""What is looked up of the built-in space is what would be measured."""

from dataclasses import asdict

import pytest

from spacy_dxprivacy import Space
from spacy_dxprivacy.mechanisms.path_v2 import make_path_v2
from spacy_dxprivacy.metric.policy import PRESETS, Policy, known_apart
from spacy_dxprivacy.privacy.levels import measured_apart, scale_of


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_known_distances_are_the_measured_ones(name):
    space = Space.builtin()
    mechanism = make_path_v2(0.5, policy=name).fit(space)
    assert dict(mechanism.apart) == measured_apart(mechanism, len(space))


def test_other_policies_and_other_spaces_are_measured(space):
    assert known_apart(Space.builtin(), asdict(PRESETS["general"]))["nearest"] > 0
    assert known_apart(Space.builtin(), asdict(Policy(0.5))) is None
    assert known_apart(space, asdict(PRESETS["plain"])) is None
    mechanism = make_path_v2(0.5, policy="plain").fit(space)
    told = {name: at["distance"] for name, at in scale_of(mechanism, len(space)).items()}
    measured = measured_apart(mechanism, len(space))
    assert mechanism.apart is None and told["nearest"] == measured["nearest"]
