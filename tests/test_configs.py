"""Every mechanism has a complete config."""

import warnings
from pathlib import Path

import pytest
import spacy
from spacy.util import load_config

from spacy_dxprivacy import registry

ROOT = Path(__file__).parent.parent
CONFIGS = sorted((ROOT / "configs").glob("*.cfg"))


def sanitizer(path):
    (name,) = [n for n in load_config(path)["nlp"]["pipeline"] if "sanitizer" in n]
    return load_config(path)["components"][name]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_a_config_is_complete_and_makes_a_pipeline(path):
    config = load_config(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    filled = nlp.config["components"]
    for name, block in config["components"].items():
        assert set(filled[name]) == set(block), f"auto_fill added settings to {name}"


def test_every_mechanism_but_identity_and_every_rule_has_one():
    blocks = [sanitizer(path)["mechanism"] for path in CONFIGS]
    mechanisms = {block["@dx_mechanisms"] for block in blocks}
    rules = {b["projection"]["@dx_projections"] for b in blocks if "projection" in b}
    ours = {n for n in registry.dx_mechanisms.get_all() if n.startswith("dx.")}
    assert mechanisms == ours - {"dx.Identity.v1"}
    assert rules == {n for n in registry.dx_projections.get_all() if n.startswith("dx.")}
