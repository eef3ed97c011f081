"""Docstrings of exported names and of registered factories: the summary and Args."""

import inspect
import re

import pytest

import spacy_dxprivacy
from spacy_dxprivacy import registry

GROUPS = [name for name in dir(registry) if name.startswith("dx_")]
FACTORIES = {
    name: make
    for group in GROUPS
    for name, make in getattr(registry, group).get_all().items()
    if name.startswith("dx.")
}
EXPORTED = {name: getattr(spacy_dxprivacy, name) for name in spacy_dxprivacy.__all__}
DOCUMENTED = {
    name: thing
    for name, thing in {**EXPORTED, **FACTORIES}.items()
    if not isinstance(thing, str) and thing is not registry  # spaCy's
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_summary_is_one_line(name):
    text = inspect.getdoc(DOCUMENTED[name]) or ""
    summary, *rest = text.splitlines() or [""]
    assert summary.endswith("."), summary
    assert not rest or not rest[0], f"no blank line after: {summary}"


@pytest.mark.parametrize("name", FACTORIES)
def test_args_name_every_setting_of_a_factory(name):
    settings = inspect.signature(FACTORIES[name]).parameters
    _, _, args = (inspect.getdoc(FACTORIES[name]) or "").partition("Args:\n")
    assert set(re.findall(r"^    (\w+):", args, re.M)) >= set(settings)
