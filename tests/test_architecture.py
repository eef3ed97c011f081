"""The list of rooms in docs/reference/architecture.md as a test: imports go down it."""

import ast
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import spacy_dxprivacy

PACKAGE = "spacy_dxprivacy"
HOUSE = Path(spacy_dxprivacy.__file__).parent
PAGE = Path(__file__).parent.parent / "docs" / "reference" / "architecture.md"
ROW = re.compile(r"^\| `(\w+)` \| \S.* \|$", re.M)

ONLY_IN = {
    "typer": ("cli", "lab"),
    "click": ("cli",),
    "pytest": ("testing",),
    "ray": (),
    "pyspark": (),
}

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the docs are not beside the tests")


@dataclass(frozen=True)
class Import:
    file: str
    line: int
    importer: str
    imported: str

    def __str__(self):
        return f"{PACKAGE}/{self.file}:{self.line}: {self.importer} imports {self.imported}"

    @property
    def ours(self):
        return self.imported.split(".")[0] == PACKAGE


@cache
def plan():
    """The rooms, bottom up. A room is a folder or a module at the top of the package."""
    return ROW.findall(PAGE.read_text(encoding="utf8")) if PAGE.exists() else []


@cache
def trees():
    return {
        path.relative_to(HOUSE).as_posix(): ast.parse(path.read_text(encoding="utf8"))
        for path in sorted(HOUSE.rglob("*.py"))
    }


def module_of(file):
    parts = [PACKAGE, *file.removesuffix(".py").split("/")]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module):
    """The room of a module; "" for the front, which is above all rooms."""
    return f"{module}..".split(".")[1]


def base_of(file, node):
    if not node.level:
        return node.module
    here = module_of(file).split(".")
    above = node.level - (file.endswith("__init__.py"))
    parts = here[: len(here) - above]
    return ".".join([*parts, node.module] if node.module else parts)


@cache
def imports():
    """Every import of every module, those inside functions and under TYPE_CHECKING included."""
    modules = {module_of(file) for file in trees()}
    found = []
    for file, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = base_of(file, node)
                names = [f"{base}.{alias.name}" for alias in node.names]
                names = [name if name in modules else base for name in names]
            else:
                continue
            found += [Import(file, node.lineno, module_of(file), n) for n in dict.fromkeys(names)]
    return found


def listed(lines):
    return "\n".join(["", *map(str, lines)])


def test_the_list_has_each_room_once():
    rooms = {file.removesuffix(".py").split("/")[0] for file in trees()} - {"__init__"}
    assert sorted(plan()) == sorted(rooms)


def test_a_folder_of_modules_is_a_package():
    """setuptools leaves other folders out of what it builds; a checkout works without."""
    folders = {(HOUSE / file).parent for file in trees()}
    assert {folder for folder in folders if not (folder / "__init__.py").is_file()} == set()


def test_an_import_goes_down():
    height = {room: place for place, room in enumerate([*plan(), ""])}
    wrong = [
        i
        for i in imports()
        if i.ours
        and room_of(i.importer) != room_of(i.imported)
        and height[room_of(i.imported)] > height[room_of(i.importer)]
    ]
    assert not wrong, listed(
        f"{i}: {room_of(i.importer)!r} lies below {room_of(i.imported) or 'the front'!r}. Move "
        "what is needed further down, or let the caller hand it in."
        for i in wrong
    )


def test_no_module_of_ours_is_imported_by_a_string():
    """From each name, go-to-definition reaches its module. Other packages may be missing."""
    wrong = []
    for file, tree in trees().items():
        for node in ast.walk(tree):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name.rpartition(".")[2] not in ("import_module", "__import__"):
                continue
            argument = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            if argument is None or argument.startswith((".", PACKAGE)):
                wrong.append(f"{PACKAGE}/{file}:{node.lineno}: {ast.unparse(node)}")
    assert not wrong, listed(wrong)


def test_no_circle_of_modules():
    graph = defaultdict(set)
    for i in imports():
        if i.ours and i.imported != i.importer:
            graph[i.importer].add(i.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # graphlib lists each module before the one that imports it.
        steps = set(zip(error.args[1][1:], error.args[1], strict=False))
        lines = [i for i in imports() if (i.importer, i.imported) in steps]
        pytest.fail("a circle; one of these has to go:" + listed(lines))


@pytest.mark.parametrize(("package", "rooms"), ONLY_IN.items())
def test_few_rooms_know_of(package, rooms):
    wrong = [
        i
        for i in imports()
        if i.imported.split(".")[0] == package and room_of(i.importer) not in rooms
    ]
    assert not wrong, f"{package} is for {rooms} alone:" + listed(wrong)


def test_the_core_does_not_import_the_lab():
    wrong = [
        i
        for i in imports()
        if f"{i.imported}.".startswith(f"{PACKAGE}.lab.") and room_of(i.importer) not in ("lab", "")
    ]
    assert not wrong, listed(wrong)


def test_tests_of_a_room_stand_in_a_folder_of_its_name():
    folders = {path.name for path in Path(__file__).parent.iterdir() if path.is_dir()}
    others = {"docs", "golden", "projects", "__pycache__"}
    assert folders - others <= set(plan())
