"""The accessor `.dx` of the libraries of tables that are in use: none is imported for it."""

from __future__ import annotations

import importlib.util
import sys
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

ON = {"pandas": "on_pandas", "polars": "on_polars"}


def accessors(*, imported: bool = False) -> list[str]:
    """Give Series of pandas and polars their `.dx`, and name the libraries that have it now.

    This is done by itself, as spacy_dxprivacy is imported or they are, whichever comes later; call
    it to know. imported: of those alone that this process has imported already.
    """
    done = []
    for library, module in ON.items():
        loaded = sys.modules.get(library)
        # One that is only half imported asks for this package itself: it has to wait.
        if loaded is not None and not hasattr(loaded, "Series"):
            continue
        if loaded is None and (imported or importlib.util.find_spec(library) is None):
            continue
        importlib.import_module(f".{module}", __package__)
        done.append(library)
    return done


class Later(MetaPathFinder):
    """Waits for libraries that are imported after this package, and gives them their `.dx` then."""

    def __init__(self) -> None:
        self._looking = False

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """What the others find, with a last step more."""
        if name not in ON or self._looking:
            return None
        self._looking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking = False
        if spec is not None and spec.loader is not None:
            _then(spec.loader)
        return spec


def _then(loader: Any) -> None:
    """Let the loader end with the accessors, once."""
    run = loader.exec_module

    def exec_module(module: Any) -> None:
        del loader.exec_module
        run(module)
        with suppress(Exception):  # whatever it is, the library was imported and is whole
            accessors(imported=True)

    loader.exec_module = exec_module


def wait() -> None:
    """Let libraries that are imported later have their `.dx`, too."""
    if not any(isinstance(finder, Later) for finder in sys.meta_path):
        sys.meta_path.insert(0, Later())
