"""The worked examples of docs/reference/architecture.md, in a copy of the package.

A block with a title is a file, or a diff of one; a block of bash is run in the copy.
"""

import configparser
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import spacy_dxprivacy

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "architecture.md"
THIRD_PARTY = ROOT / "examples" / "third_party_mechanism"
HOUSE = Path(spacy_dxprivacy.__file__).parent
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S)
OURS = ("tests/conftest.py", "tests/mechanisms", "tests/test_configs.py", "configs")
EXAMPLES = [
    "Add a mechanism", "Add a stage", "Add a surrogate", "Add a format", "Add an attack",
]  # fmt: skip

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the docs are not beside the tests")


def blocks(heading):
    section = PAGE.read_text(encoding="utf8").partition(f"\n## {heading}\n")[2]
    assert section, f"no heading {heading!r}"
    return BLOCK.findall(section.partition("\n## ")[0])


def carry_out(heading, folder):
    """Write the files of a section; return its commands."""
    commands = []
    for language, title, text in blocks(heading):
        if language == "bash":
            commands += text.splitlines()
        elif language == "diff":
            path, lines = folder / title, text.splitlines()
            old, new = ("".join(line[1:] + "\n" for line in lines if line[0] in marks)
                        for marks in (" -", " +"))  # fmt: skip
            whole = path.read_text(encoding="utf8")
            assert whole.count(old) == 1, f"{title} has {old!r} {whole.count(old)} times"
            path.write_text(whole.replace(old, new), encoding="utf8")
        elif title:
            assert not (folder / title).exists(), f"{title} is there already"
            (folder / title).parent.mkdir(exist_ok=True)
            (folder / title).write_text(text, encoding="utf8")
    return commands


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("data", "__pycache__")
    shutil.copytree(HOUSE, folder / "spacy_dxprivacy", ignore=ignored)
    data = folder / "spacy_dxprivacy" / "data"
    data.mkdir()
    for source in (HOUSE / "data").iterdir():
        if source.suffix == ".txt":  # examples write into some of these
            shutil.copy(source, data)
        else:
            (data / source.name).symlink_to(source)
    for name in OURS:
        source = ROOT / name
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def run(arguments, folder, *also_on_the_path):
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = filter(None, [folder, *also_on_the_path, *inherited])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip


def test_a_mechanism_is_four_files():
    titles = [title for _, title, _ in blocks("Add a mechanism") if title]
    assert titles == [
        "spacy_dxprivacy/mechanisms/capped.py",
        "configs/capped.cfg",
        "tests/mechanisms/test_capped.py",
        "spacy_dxprivacy/data/registered.txt",
    ]


@pytest.mark.slow
def test_the_examples_pass_their_own_tests_and_the_contract(copy):
    commands = [command for heading in EXAMPLES for command in carry_out(heading, copy)]
    assert len(commands) == 7
    files, words = [], []  # one run of pytest in place of several
    for command in commands:
        *program, file = shlex.split(command)[:5]
        assert program == ["python", "-m", "pytest", "-q"], command
        files.append(file)
        words.append((shlex.split(command)[6:] or [Path(file).stem])[0])
    done = run(["-m", "pytest", "-q", *files, "-k", " or ".join(words)], copy)
    assert done.returncode == 0, done.stdout[-3000:]
    found = re.search(r"(\d+) passed", done.stdout)
    assert int(found[1]) > 25, done.stdout[-300:]
    if importlib.util.find_spec("ruff"):
        files = [title for h in EXAMPLES for _, title, _ in blocks(h) if title.endswith(".py")]
        for check in (["check"], ["format", "--check"]):
            done = run(["-m", "ruff", *check, *dict.fromkeys(files)], copy)
            assert done.returncode == 0, done.stdout


def declared(folder):
    parser = configparser.ConfigParser()
    parser.read(folder / "setup.cfg", encoding="utf8")
    return parser


def test_the_page_says_what_the_package_says():
    ini, python = (text for _, title, text in blocks("A mechanism in a package of its own"))
    shown = configparser.ConfigParser()
    shown.read_string(ini)
    section = "options.entry_points"
    assert dict(shown[section]) == dict(declared(THIRD_PARTY)[section])
    assert python in (THIRD_PARTY / "tests" / "test_contract.py").read_text(encoding="utf8")


@pytest.mark.slow
def test_a_package_with_an_entry_point_keeps_the_contract(tmp_path):
    """What pip would write of setup.cfg is written by hand: no installer is needed."""
    third_party = tmp_path / "source"
    shutil.copytree(THIRD_PARTY, third_party, ignore=shutil.ignore_patterns("__pycache__"))
    about = tmp_path / "installed" / "dx_randomized_response-0.1.0.dist-info"
    about.mkdir(parents=True)
    name, version = (declared(third_party)["metadata"][key] for key in ("name", "version"))
    lines = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (about / "METADATA").write_text(lines, encoding="utf8")
    points = declared(third_party)["options.entry_points"]
    text = "".join(f"[{group}]\n{lines.strip()}\n" for group, lines in points.items())
    (about / "entry_points.txt").write_text(text, encoding="utf8")
    done = run(["-m", "pytest", "-q", "tests"], third_party, about.parent)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert re.search(r"^1\d passed", done.stdout, re.M)
