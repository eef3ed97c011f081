"""`dx verify`: files that differ from their listed digest stop what follows."""

import hashlib
from pathlib import Path

import pytest
import srsly
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_dxprivacy import DxError
from spacy_dxprivacy.files.digests import digest_of, read_list, verify

ROOT = Path(__file__).parent.parent


def sha(data):
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def assets(tmp_path):
    """A folder with two files, and a list that knows one of them."""
    folder, listed = tmp_path / "assets", tmp_path / "list"
    folder.mkdir()
    (folder / "known.zip").write_bytes(b"known")
    (folder / "new.zip").write_bytes(b"new")
    listed.write_text(f"# a comment\n\n{sha(b'known')}  known.zip\n{sha(b'x')} *absent.zip")
    return folder, listed


def dx(*args):
    return CliRunner().invoke(app, ["dx", "verify", *map(str, args)])


@pytest.mark.parametrize("data", [b"", b"words", bytes(3 * 2**20 + 1)])
def test_the_digest_is_that_of_all_bytes(tmp_path, data):
    (tmp_path / "file").write_bytes(data)
    assert digest_of(tmp_path / "file") == sha(data)


def test_what_is_listed_is_compared_and_what_is_not_is_trusted_on_first_use(assets):
    folder, listed = assets
    assert verify(*assets) == ([folder / "known.zip"], [folder / "new.zip"])
    assert read_list(listed)["new.zip"] == sha(b"new")
    (folder / "new.zip").write_bytes(b"changed")
    with pytest.raises(DxError, match="DX088"):
        verify(*assets)


def test_a_file_that_differs_ends_with_one_line_and_adds_nothing(assets):
    folder, listed = assets
    before = listed.read_bytes()
    (folder / "known.zip").write_bytes(b"another")
    done = dx(*assets)
    assert done.exit_code == 1 and done.stderr.count("\n") == 1
    assert "known.zip" in done.stderr and sha(b"known") in done.stderr
    assert listed.read_bytes() == before


def test_what_is_not_there_is_no_mistake(tmp_path):
    done = dx(tmp_path / "nothing", tmp_path / "list")
    assert done.exit_code == 0 and "no file to verify" in done.stderr
    assert not (tmp_path / "list").exists()


@pytest.mark.parametrize("line", ["abc  file", f"{'0' * 63}g  file", f"{'0' * 64} "])
def test_a_list_of_another_kind_is_refused(assets, line):
    assets[1].write_text(line)
    done = dx(*assets)
    assert done.exit_code == 2 and "sha256sum" in done.stderr


def test_help_has_an_example():
    assert "python -m spacy dx verify" in " ".join(dx("--help").output.split())


def test_every_asset_of_the_project_is_listed_and_extra():
    project, listed = ROOT / "project.yml", ROOT / "configs" / "assets.sha256"
    if not project.exists():
        pytest.skip("project.yml is not beside the tests")
    assets = srsly.read_yaml(project)["assets"]
    assert {Path(asset["dest"]).name for asset in assets} == set(read_list(listed))
    assert all(asset["extra"] for asset in assets)
    assert srsly.read_yaml(project)["workflows"]["vectors"][0] == "verify"
