"""`spacy package` makes wheels of our pipelines, which install, load and sanitise."""

import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import catalogue
import pytest
import spacy
import srsly
from spacy.cli.package import get_meta

from spacy_dxprivacy import DxError, registry
from spacy_dxprivacy.registries import REGISTRIES

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "project.yml"
COMPONENTS = (
    "dx_entity_ruler", "dx_entity_recognizer", "dx_models", "dx_language_models", "dx_sanitizer",
    "dx_entity_sanitizer",
)  # fmt: skip


@pytest.mark.parametrize("name", COMPONENTS)
def test_each_component_is_packaged_and_requires_this_package(tmp_path, name):
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler")
    nlp.to_disk(tmp_path / "other")
    config = {"models": [str(tmp_path / "other")]} if name == "dx_models" else {}
    config = {"models": {}} if name == "dx_language_models" else config
    nlp.add_pipe(name, config=config)
    nlp.to_disk(tmp_path / "pipeline")
    meta = get_meta(tmp_path / "pipeline", {})
    assert [r.split(">=")[0] for r in meta["requirements"]] == ["spacy-dxprivacy"]
    assert meta["components"] == ["entity_ruler", name]


@pytest.mark.parametrize("kind", REGISTRIES)
def test_an_unknown_name_is_an_error_of_catalogue_and_of_ours(kind):
    parts = getattr(registry, kind)
    known = min(parts.names(), default="dx.Some.v1")
    for name in (f"en.{known}", "", known.upper(), f"{known} "):
        assert name not in parts
        with pytest.raises(catalogue.RegistryError):
            spacy.registry.find(kind, name)
        with pytest.raises(DxError, match="DX007"):
            parts.get(name)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheels of the command `package` of project.yml, by the name of the package."""
    if not PROJECT.exists():
        pytest.skip("project.yml is not beside the tests")
    pytest.importorskip("build", reason="needs the extra dev")
    folder = tmp_path_factory.mktemp("project")
    for name in ("configs", "LICENSE", "NOTICE"):
        (folder / name).symlink_to(ROOT / name)
    (command,) = [c for c in srsly.read_yaml(PROJECT)["commands"] if c["name"] == "package"]
    for line in command["script"]:
        words = [sys.executable if word == "python" else word for word in shlex.split(line)]
        subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=300)
    return {wheel.name.split("-")[0]: wheel for wheel in folder.rglob("*.whl")}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["en_dx_deid", "en_dx_words"])
def test_a_wheel_of_the_project_is_installed_loaded_and_sanitises(wheels, name, tmp_path):
    site, text = tmp_path / "site", "Dr. Lopez saw Maria Whitcombe in Leeds on 3 May 2021."
    shutil.unpack_archive(wheels[name], site, "zip")
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        "import spacy, spacy_dxprivacy\n"
        f"nlp = spacy.load({name!r})\n"
        f"doc = nlp({text!r})\n"
        "spacy_dxprivacy.assert_sanitized(doc)\n"
        "print(nlp.meta['license'], len(nlp.meta['sources']), doc.text)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("MIT ") and "Whitcombe" not in done.stdout


@pytest.mark.slow
def test_a_wheel_of_the_project_carries_licences_and_a_card(wheels):
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as file:
            names = {Path(name).name for name in file.namelist()}
            metadata = next(name for name in file.namelist() if name.endswith("METADATA"))
            assert b"Requires-Dist: spacy-dxprivacy" in file.read(metadata)
        assert {"LICENSE", "LICENSES_SOURCES", "README.md", "meta.json"} <= names
