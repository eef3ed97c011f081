"""Docstrings of exported names and of registered factories: the summary, Args, and the words."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import spacy_dxprivacy
from spacy_dxprivacy import registry

# The project's old words for terms of the field.
OLD = re.compile(r"\b(told|laws?|stand-ins?|in clear|words alone|walk\w*|drawn anew)\b", re.I)
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
def test_a_summary_is_one_line_in_the_words_of_the_field(name):
    text = inspect.getdoc(DOCUMENTED[name]) or ""
    summary, *rest = text.splitlines() or [""]
    assert summary.endswith("."), summary
    assert not rest or not rest[0], f"no blank line after: {summary}"
    assert not OLD.search(text), OLD.search(text)


@pytest.mark.parametrize("name", FACTORIES)
def test_args_name_every_setting_of_a_factory(name):
    settings = inspect.signature(FACTORIES[name]).parameters
    _, _, args = (inspect.getdoc(FACTORIES[name]) or "").partition("Args:\n")
    assert set(re.findall(r"^    (\w+):", args, re.M)) >= set(settings)


# Names of contracts and machine-read fields.
STAY = {"law", "NoiseLaw", "stood_in"}
QUOTED = re.compile(r"Zipf's law|`?law(\(|`|:|\.npz)|\"law\"")
OLD_NAME = re.compile(
    r"(?:^|_)(told|said|laws?|stood_in|stand_ins?|standing|walk(ed|s)?|brothers?|tapes?|hurtful)(?:_|$)"
    r"|Law|StandIn|StoodIn"
)


def test_all_docstrings_and_identifiers_are_in_the_words_of_the_field():
    found = []
    for path in Path(spacy_dxprivacy.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            name = getattr(node, "name", None) or getattr(node, "arg", None)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                name = node.id
            if isinstance(name, str) and name not in STAY and OLD_NAME.search(name):
                found.append((path.name, name))
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                if old := OLD.search(QUOTED.sub("", ast.get_docstring(node) or "")):
                    found.append((path.name, getattr(node, "name", "module"), old[0]))
    assert found == []
