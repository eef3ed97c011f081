"""Old module paths keep working (a contract): importing one gives the module at its new path."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from .about import table

PACKAGE = __package__
MOVED = table("moved")  # old path -> new path, below the package; the longest match counts


class MovedModules(MetaPathFinder, Loader):
    """Finds modules by their old paths.

    It is the first finder of sys.meta_path: the others would find the modules of a moved package in
    its new folder, and import them again under their old names.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for an old path; None for every other name."""
        return ModuleSpec(name, self) if new_path(name) else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of the new path where the import system looks for the old one."""
        sys.modules[module.__name__] = import_module(str(new_path(module.__name__)))


def new_path(name: str) -> str | None:
    """Return the new path of a module, or None where it has not moved."""
    package, _, start = name.partition(".")
    end = ""
    while package == PACKAGE and start:
        if start in MOVED:
            return f"{PACKAGE}.{MOVED[start]}{end}"
        start, _, last = start.rpartition(".")
        end = f".{last}{end}"
    return None


def install() -> None:
    """Add the finder, once."""
    if not any(isinstance(finder, MovedModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, MovedModules())
