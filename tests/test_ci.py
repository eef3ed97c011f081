"""What .ci/run leaves from one step to another."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "skipped.py"
pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="the scripts are not here")

WHOLE = """
import pytest
pytest.importorskip("a_package_that_nobody_has")
def test_of_it(): pass
"""
SOME = """
import pytest
@pytest.mark.parametrize("text", ["a word", "other"])
def test_a(text):
    if text == "a word": pytest.skip("it is not here")
def test_b(): pass
"""


def test_skipped_tests_and_files_are_listed_once(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "tests" / "test_whole.py").write_text(WHOLE)
    (tmp_path / "tests" / "test_some.py").write_text(SOME)

    def run(*arguments):
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    junit = ["-o", "junit_family=xunit1", "--junitxml=report.xml"]
    assert run("-m", "pytest", "-p", "no:cacheprovider", *junit).returncode == 0
    listed = run(SCRIPT, "report.xml").stdout.splitlines()
    assert listed == ["tests/test_whole.py", "tests/test_some.py::test_a[a word]"]
    again = run("-m", "pytest", "-q", "-p", "no:cacheprovider", *listed).stdout
    assert "2 skipped" in again
