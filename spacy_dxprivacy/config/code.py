"""Run the Python file of the option `code`, in this process and in its workers.

The file registers parts of a pipeline, as for `spacy train --code`. Workers run it before they make
or unpickle a pipeline, so it must be readable for them. It is executed with all rights of the user.
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
from ..files.limits import regular

_paths: dict[str, str] = {}  # paths of the files that this process has run, by module name


def import_code(path: str | Path | None) -> None:
    """Run a Python file, once per process. Raise UsageError if it fails. None does nothing."""
    if path is None:
        return
    file = Path(path).resolve()
    try:
        content = regular(file).read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}.") from None
    # Pickles of classes in the file refer to this module name, so it must be the same in every
    # process, and another one after the file has changed.
    name = f"dx_code_{hashlib.sha256(str(file).encode() + content).hexdigest()[:16]}"
    if name in _paths:
        return
    loader = SourceFileLoader(name, str(file))
    spec = ModuleSpec(name, loader, origin=str(file))
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise UsageError(f"{file}: failed with {why}") from None
    _paths[name] = str(file)


class Imported:
    """An object whose unpickling in a worker imports the files that were imported here."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _import_all, (tuple(_paths.values()),)


def _import_all(paths: Sequence[str]) -> Imported:
    for path in paths:
        import_code(path)
    return Imported()
