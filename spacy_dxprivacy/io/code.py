"""A Python file of the user that registers parts of a pipeline, as `spacy train --code` takes it.

Workers import it before they make or unpickle a pipeline that needs it, so it has to be where they
see it. It is run: it can do all that the user can.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .files.limits import regular

_paths: dict[str, str] = {}  # of the files that this process has run, by the names of their modules


def import_code(path: str | Path | None) -> None:
    """Run the file, once a process; None is no file. If it fails, UsageError has its message."""
    if path is None:
        return
    found = Path(path).resolve()
    try:
        content = regular(found).read_bytes()
    except OSError as error:
        raise UsageError(f"{found}: {error.strerror}.") from None
    # The same in every process, and another one for a file that has been changed: pickles of what
    # the file defines find it by this name.
    name = f"dx_code_{hashlib.sha256(str(found).encode() + content).hexdigest()[:16]}"
    if name in _paths:
        return
    loader = SourceFileLoader(name, str(found))
    spec = ModuleSpec(name, loader, origin=str(found))
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise UsageError(f"{found}: it failed with {why}") from None
    _paths[name] = str(found)


class Imported:
    """Unpickled in a worker, before all else, it imports there what has been imported here."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _import_all, (tuple(_paths.values()),)


def _import_all(paths: Sequence[str]) -> Imported:
    for path in paths:
        import_code(path)
    return Imported()
