"""The front of the package: its names, and what importing it costs."""

import pkgutil
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from importlib.metadata import entry_points

import catalogue
import pytest

import spacy_dxprivacy
from spacy_dxprivacy import Space
from spacy_dxprivacy.registries import REGISTRIES
from spacy_dxprivacy.space import BUILTIN


def run(code, given=None):
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=given, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().split()


@pytest.mark.parametrize("name", spacy_dxprivacy.__all__)
def test_every_name_of_the_front_leads_somewhere(name):
    value = getattr(spacy_dxprivacy, name)
    assert getattr(value, "__name__", name).rpartition(".")[2] == name or name in (
        "Draw", "__version__", "registry"
    )  # fmt: skip
    assert name in dir(spacy_dxprivacy)


def test_importing_it_loads_what_docs_carry_and_no_more():
    code = "import sys, spacy_dxprivacy; print(*(m for m in sys.modules if 'dxprivacy.' in m))"
    rooms = {name.split(".")[1] for name in run(code)}
    carried = {"pipeline", "privacy"}
    assert rooms == carried | {"about", "arrays", "errors", "registries", "validate"}


def test_a_doc_from_a_file_shows_its_receipt_after_this_import_alone():
    run("import spacy, spacy_dxprivacy; assert spacy.blank('en')('a')._.dx is None")


def points_of(name):
    """The entry points of this package for a registry."""
    found = entry_points(group=f"spacy_{name}")
    return {one.name: one for one in found if one.value.startswith("spacy_dxprivacy.")}


PARTS = [name for name in REGISTRIES if name != "dx_commands"]


@pytest.mark.parametrize("name", PARTS)
def test_each_registered_part_has_an_entry_point_that_loads_it(name):
    modules = {point.module for point in points_of(name).values()}
    for module in modules:
        room = import_module(import_module(module).__package__)
        for beside in pkgutil.iter_modules(room.__path__):
            with suppress(ImportError):  # an extra is missing
                import_module(f"{room.__name__}.{beside.name}")
    # catalogue has what decorators registered, under the name of its registry.
    registered = {
        keys[-1]: make for keys, make in catalogue.REGISTRY.items() if keys[:-1] == ("spacy", name)
    }
    ours = {key: make for key, make in registered.items() if key.startswith("dx.")}
    assert ours == {key: point.load() for key, point in points_of(name).items()}


def test_a_name_that_is_asked_for_imports_no_other_mechanism():
    loaded = run(
        "import sys; from spacy_dxprivacy import registry; registry.dx_mechanisms.get('dx.TEM.v1');"
        "print(*[m for m in sys.modules if m.startswith('spacy_dxprivacy.mechanisms.')])"
    )
    files = {name.split(".")[2] for name in loaded}
    registered = {point.module.split(".")[2] for point in points_of("dx_mechanisms").values()}
    assert files & registered == {"tem"}


@pytest.mark.slow
@pytest.mark.parametrize("ask", ["get({!r})", "get_all()[{!r}]"])
def test_a_registry_that_is_asked_first_has_all_of_its_own(ask):
    lines = ["from spacy_dxprivacy.registries import registry as r"]
    for reg in filter(points_of, PARTS):
        name = min(getattr(spacy_dxprivacy.registry, reg).get_all())
        lines.append(f"assert {name!r} in r.{reg}; r.{reg}.{ask.format(name)}")
    run("\n".join(lines))


LEARNED = "import spacy_dxprivacy.space.learned as l; print(*l.writers(s))"


@pytest.mark.parametrize(
    "load",
    ["builtin()", pytest.param("from_bytes(sys.stdin.buffer.read())", marks=pytest.mark.slow)],
)
def test_a_space_that_is_loaded_first_has_all_that_was_learned_of_it(load):
    found = run(
        f"import sys; from spacy_dxprivacy import Space; s = Space.{load}; {LEARNED}",
        Space.builtin().to_bytes() if "bytes" in load else None,
    )
    folders = {folder.name for folder in BUILTIN.iterdir() if folder.is_dir()}
    assert {"graph"} < set(found) if "bytes" in load else set(found) == folders
