"""The plan of docs/reference/architecture.md as a test: which room may import which."""

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
ROW = re.compile(r"^\| `([\w/]+)` \| \S.* \|$", re.M)

ONLY_IN = {
    "typer": ("cli", "lab/commands"),
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
    path = module.removeprefix(PACKAGE).strip(".").replace(".", "/")
    rooms = [room for room in plan() if path == room or path.startswith(room + "/")]
    return max(rooms, key=len, default=path.split("/")[0])


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


def test_every_folder_and_loose_module_has_a_line_in_the_plan():
    folders = {file.rpartition("/")[0] for file in trees() if "/" in file}
    loose = {file.removesuffix(".py") for file in trees() if "/" not in file} - {"__init__"}
    modules = {file.removesuffix(".py") for file in trees()}
    assert len(plan()) == len(set(plan())), "a room has two lines"
    assert folders | loose <= set(plan()), f"no line in the table of {PAGE.name}"
    assert set(plan()) <= folders | modules, f"no such room, but a line in the table of {PAGE.name}"


def test_an_import_goes_down():
    height = {room: place for place, room in enumerate(plan())}

    def goes_up(i):
        above, below = room_of(i.importer), room_of(i.imported)
        return above and above != below and height.get(below, -1) <= height.get(above, -1)

    wrong = [i for i in imports() if i.ours and goes_up(i)]
    assert not wrong, listed(
        f"{i}: {room_of(i.importer)!r} lies below {room_of(i.imported) or 'the front'!r}. Move "
        "what is needed further down, or let the caller hand it in."
        for i in wrong
    )


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
        if f"{i.imported}.".startswith(f"{PACKAGE}.lab.")
        and not room_of(i.importer).startswith("lab")
    ]
    assert not wrong, listed(wrong)
