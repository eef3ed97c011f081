"""Every mechanism has a complete config."""

import inspect
import warnings
from pathlib import Path
from typing import get_type_hints

import pytest
import spacy
from spacy.util import load_config

from spacy_dxprivacy import registry
from spacy_dxprivacy.registries import REGISTRIES

ROOT = Path(__file__).parent.parent
CONFIGS = sorted((ROOT / "configs").glob("*.cfg"))
FACTORIES = (
    "dx_sanitizer", "dx_entity_sanitizer", "dx_entity_ruler", "dx_entity_recognizer", "dx_models",
    "dx_language_models", "dx_presidio",
)  # fmt: skip


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
    blocks = [block for path in CONFIGS if (block := sanitizer(path)["mechanism"]) is not None]
    mechanisms = {block["@dx_mechanisms"] for block in blocks}
    rules = {b["projection"]["@dx_projections"] for b in blocks if "projection" in b}
    ours = {n for n in registry.dx_mechanisms.get_all() if n.startswith("dx.")}
    assert mechanisms == ours - {"dx.Identity.v1"}
    assert rules == {n for n in registry.dx_projections.get_all() if n.startswith("dx.")}


PARTS = [
    (kind, name)
    for kind in REGISTRIES
    for name in getattr(registry, kind).names()
    if name.startswith("dx.")
] + [("factories", name) for name in FACTORIES]


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_spacy_knows_the_types_of_all_settings(kind, name):
    spacy.blank("en").add_pipe("dx_entity_ruler")  # imports all factories
    make = getattr(spacy.registry, kind).get(name)
    types = get_type_hints(make)
    settings = inspect.signature(make).parameters.values()
    assert [s.name for s in settings if isinstance(types.get(s.name, s.annotation), str)] == []
