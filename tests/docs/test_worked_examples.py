"""The worked examples of docs/reference/architecture.md, in a copy of the repository.

A block with a title is a file, or a diff of one; a block of bash is run in the copy. What pip would
write of setup.cfg is written by hand: no installer is needed.
"""

import configparser
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import spacy_dxprivacy

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "architecture.md"
THIRD_PARTY = ROOT / "examples" / "third_party_mechanism"
HOUSE = Path(spacy_dxprivacy.__file__).parent
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S)
PYTEST = re.compile(r"(python -m pytest -q) ([\w/ ]+?)(?: -k \"?([\w ]+?)\"?)?")
# What examples and scripts/reference.py write into.
COPIED = ("configs", "docs", "scripts", "tests", "pyproject.toml", "setup.cfg")
ALL_PARTS = "Add a part"  # what is run after each example
EXAMPLES = [
    "Add a mechanism", "Add a stage", "Add a surrogate", "Add a format", "Add an attack",
]  # fmt: skip
INSTALL = "pip install -e ."

pytestmark = [
    pytest.mark.posix,
    pytest.mark.skipif(not PAGE.exists(), reason="the docs are not beside the tests"),
]


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


@pytest.fixture
def copy(tmp_path):
    ignored = shutil.ignore_patterns("data", "__pycache__")
    shutil.copytree(HOUSE, tmp_path / "spacy_dxprivacy", ignore=ignored)
    (tmp_path / "spacy_dxprivacy" / "data").symlink_to(HOUSE / "data")
    for source in ROOT.iterdir():
        target = tmp_path / source.name
        if source.name in COPIED and source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.name in COPIED:
            shutil.copy(source, target)
        elif source.name[0] != "." and not target.exists() and source.suffix != ".egg-info":
            target.symlink_to(source)
    return tmp_path


def install(source, folder, version):
    """Write what pip writes of a package's setup.cfg into a folder of installed packages."""
    name = declared(source)["metadata"]["name"]
    about = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    lines = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (about / "METADATA").write_text(lines, encoding="utf8")
    points = declared(source)["options.entry_points"]
    text = "".join(f"[{group}]\n{lines.strip()}\n" for group, lines in points.items())
    (about / "entry_points.txt").write_text(text, encoding="utf8")


def run(arguments, folder, *also_on_the_path):
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = filter(None, [folder, *also_on_the_path, *inherited])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=600,
    )  # fmt: skip


def test_a_mechanism_is_four_files():
    titles = [title for _, title, _ in blocks("Add a mechanism") if title]
    assert titles == [
        "spacy_dxprivacy/mechanisms/capped.py",
        "configs/capped.cfg",
        "tests/mechanisms/test_capped.py",
        "setup.cfg",
    ]


def own_tests(heading):
    return [title for _, title, _ in blocks(heading) if title.startswith("tests/")]


def test_each_example_ends_with_tests_that_exist_once_its_files_do():
    for heading in EXAMPLES:
        (test,) = own_tests(heading)
        (command,) = (text.strip() for language, _, text in blocks(heading) if language == "bash")
        program, places, word = PYTEST.fullmatch(command).groups()
        assert program and all((ROOT / place).is_dir() for place in places.split())
        assert word is None or any(one in test for one in word.split(" or "))


@pytest.mark.slow
def test_the_examples_pass_their_own_tests_and_those_of_all_parts(copy):
    """All of them in one copy, and in few runs of pytest."""
    words = defaultdict(list)  # by the folders of tests
    for heading in EXAMPLES:
        (command,) = carry_out(heading, copy)
        (test,) = own_tests(heading)
        _, places, word = PYTEST.fullmatch(command).groups()
        words["tests" if places == "tests" else "tests/lab tests/io"].append(
            word or Path(test).stem
        )
    pip, *commands = carry_out(ALL_PARTS, copy)
    assert pip == INSTALL
    install(copy, copy, spacy_dxprivacy.__version__)
    commands += [f"python -m pytest -q {at} -k '{' or '.join(of)}'" for at, of in words.items()]
    for command in commands:
        done = run(shlex.split(command)[1:], copy)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    files = [title for h in EXAMPLES for _, title, _ in blocks(h) if title.endswith(".py")]
    checks = {"ruff": (["check"], ["format", "--check"]), "mypy": ([],)}
    for tool in filter(importlib.util.find_spec, checks):
        typed = [file for file in files if tool == "ruff" or not file.startswith("tests/")]
        for check in checks[tool]:
            done = run(["-m", tool, *check, *dict.fromkeys(typed)], copy)
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
    third_party, installed = tmp_path / "source", tmp_path / "installed"
    shutil.copytree(THIRD_PARTY, third_party, ignore=shutil.ignore_patterns("__pycache__"))
    install(third_party, installed, declared(third_party)["metadata"]["version"])
    done = run(["-m", "pytest", "-q", "tests"], third_party, installed)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert re.search(r"^1\d passed", done.stdout, re.M)
