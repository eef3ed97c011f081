"""The commands as their --help needs them: names, options and words, without what they work with.

`spacy_dxprivacy.cli` is read as it stands, but what it imports is not: spaCy alone takes longer
than anybody waits for help. A name from elsewhere is a stand-in, or, where it is a constant, is
read from its file. So there is one table of options, that of the commands; nothing here can be run.
"""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = "spacy_dxprivacy"
CLI = f"{HERE}.cli"
APART = ("spacy", "thinc", "numpy", "tqdm", "wasabi", "pydantic")  # what cli and typer import


class Later:
    """In place of a class, a function or a value that help does not need."""

    def __init__(self, *given: Any, **named: Any) -> None: ...

    def __class_getitem__(cls, item: Any) -> type[Later]:
        return cls

    def __getattr__(self, name: str) -> Any:
        return Later()

    def __call__(self, *given: Any, **named: Any) -> Any:
        return Later()


class Outline(ModuleType):
    """In place of a module. Its upper-case names are read from its file."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.isupper() and self.__name__.startswith(HERE):
            return _constant(self.__name__, name)
        return Later() if self.__name__.startswith("spacy.") else Later


class Finder:
    """Of what an outline is made."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> Any:
        if name == CLI or name.startswith(f"{CLI}."):
            return None  # as it is
        if name.partition(".")[0] not in (HERE, *APART):
            return None
        return importlib.machinery.ModuleSpec(name, Finder, is_package=True)

    @staticmethod
    def create_module(spec: Any) -> ModuleType:
        module = Outline(spec.name)
        module.__path__ = [str(folder())] if spec.name == HERE else []
        return module

    @staticmethod
    def exec_module(module: ModuleType) -> None: ...


@cache
def folder() -> Path:
    """Where the package is, which is not imported for it."""
    for finder in sys.meta_path:
        spec = None if finder is Finder else finder.find_spec(HERE, None)
        if spec is not None and spec.submodule_search_locations:
            return Path(spec.submodule_search_locations[0])
    raise ImportError(HERE)


def of(command: str = "") -> None:
    """Reads this command, or all, of `spacy_dxprivacy.cli` for --help and nothing else. Leaves
    nothing behind where the commands use their imports in a way that it does not know."""
    before = set(sys.modules)
    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]
    try:
        commands = importlib.import_module(CLI).DxGroup.homes
        for name in [command] if command else commands.homes:
            commands.app(name)
    except Exception:
        sys.meta_path.remove(Finder)  # type: ignore[arg-type]
        for name in set(sys.modules) - before:
            del sys.modules[name]


def _constant(module: str, name: str) -> Any:
    """What a module assigns to a name, or imports under it. Raises ImportError where it is neither,
    or anything but strings, numbers, and containers of them."""
    place = folder().joinpath(*module.split(".")[1:])
    file, package = place.with_suffix(".py"), module.rpartition(".")[0]
    if place.is_dir():
        file, package = place / "__init__.py", module
    for node in _parsed(file).body:
        if isinstance(node, ast.ImportFrom) and name in [(a.asname or a.name) for a in node.names]:
            first = next(a.name for a in node.names if (a.asname or a.name) == name)
            above = package.rsplit(".", node.level - 1)[0]
            return _constant(f"{above}.{node.module}" if node.module else above, first)
        found = _assigned(node)
        if name in found:
            return _value(found[name])
    raise ImportError(f"{module}.{name}")


@cache
def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf8"))


def _assigned(node: ast.stmt) -> dict[str, ast.expr]:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
        return {node.target.id: node.value}
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return {}
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Name):
        return {target.id: value}
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        names = [each.id for each in target.elts if isinstance(each, ast.Name)]
        return dict(zip(names, value.elts, strict=False))
    return {}


def _value(node: ast.expr) -> Any:
    """A literal; the values of a table are stand-ins where they are none."""
    if isinstance(node, ast.Dict):
        return {_value(key): Later for key in node.keys if key is not None}
    try:
        return ast.literal_eval(node)
    except ValueError:
        return Later
