"""Options of pipelines, files and the service, checked by their constructors; config files, and the
Python file of a user.

The file registers parts of a pipeline, as `spacy train --code` takes it. Workers import it before
they make or unpickle a pipeline that needs it, so it has to be where they see it. It is run: it can
do all that the user can.
"""

from __future__ import annotations

import configparser
import hashlib
import importlib.util
import multiprocessing
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import Any

from .errors import UsageError, did_you_mean
from .io.files.limits import MOST_CONFIG, TooLarge, check_size, regular
from .machine import is_loopback


@dataclass(frozen=True)
class PipelineOptions:
    """What makes a pipeline that sanitises. None is the default of the component.

    Attributes:
        config: The whole pipeline, as a config file of spaCy. It stands alone, but for `code`,
            `language` and `overrides`.
        model: A spaCy pipeline with an entity recogniser, or "rules".
        mechanism: A short or a registered name.
        epsilon: Nats per unit of the mechanism's metric; or light, balanced or strong, for the
            default mechanism.
        space: "builtin", or the path of a saved space.
        entities: Labels. All other words stay as they are.
        surrogates: standard, clinical, none, or a file with a section for each label.
        key: A key file: the same original gets the same surrogate.
        code: A Python file that registers components, run first.
        language: Of the texts; detected if None.
        overrides: Values by path, in the pipeline (`nlp.batch_size`) or below the component
            (`mechanism.epsilon`).
    """

    config: Path | str | None = None
    model: Path | str | None = None
    mechanism: str | None = None
    epsilon: float | str | None = None
    space: Path | str | None = None
    entities: tuple[str, ...] | list[str] | str | None = ()
    surrogates: Path | str | None = None
    key: Path | str | None = None
    code: Path | str | None = None
    language: str | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "entities", names_of(self.entities or ()))
        for name in ("config", "key", "code"):
            if (path := getattr(self, name)) is not None:
                object.__setattr__(self, name, Path(path).expanduser())

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> PipelineOptions:
        """Return options by name. Raise UsageError for an unknown name, with the nearest one."""
        for name in settings:
            if name not in cls.__dataclass_fields__:
                raise unknown_key(name, cls.__dataclass_fields__)
        return cls(**settings)

    def of_component(self) -> dict[str, Any]:
        """Return the options that a whole config has no place for, and that are given."""
        others = ("config", "code", "language", "overrides")
        named = {name: value for name, value in vars(self).items() if name not in others}
        return {name: value for name, value in named.items() if value not in (None, ())}


@dataclass(frozen=True)
class FileOptions:
    """How files are read and written.

    Attributes:
        field: What is sanitised: names, numbers from 1, or paths into JSON (a.b, items[].text).
        keep_fields: Other fields to write unmodified; all of them if None.
        format: Of the input; the name of the file says it if "".
        person_field: The field that says whose record it is.
        delimiter: Of a table; the first row says it if None.
    """

    field: tuple[str, ...] = ("text",)
    keep_fields: tuple[str, ...] | None = None
    format: str = ""
    person_field: str | None = None
    delimiter: str | None = None


@dataclass(frozen=True)
class ServiceOptions:
    """Where the service listens, whom it answers, and how much."""

    address: str = "127.0.0.1"
    port: int = 8000
    host: tuple[str, ...] = ()  # names that are accepted besides loopback; * for any
    tokens: Path | None = None  # a file of callers
    budget: float | None = None  # epsilon of each caller
    ledger: Path | None = None  # a file that records what each caller spent
    upstream: str | None = None  # an API of OpenAI's kind, which the proxy asks
    upstream_seconds: float = 300.0
    tools: tuple[str, ...] = ()  # functions whose arguments get originals; * for all
    models: tuple[str, ...] = ()  # names of models besides those whose words are public
    max_requests: int = 1024  # connections of a worker
    max_bytes: int = 2**20  # of a request
    max_seconds: float = 30.0  # of a request, its body included
    workers: int = 1  # processes, each with a pipeline of its own

    def __post_init__(self) -> None:
        for name in ("host", "tools", "models"):
            object.__setattr__(self, name, names_of(getattr(self, name)))
        reach = "other machines can reach this `address`: give"
        if not is_loopback(self.address) and self.tokens is None:
            raise UsageError(f"{reach} `tokens`, a file of callers.")
        if not is_loopback(self.address) and not self.host:
            raise UsageError(f"{reach} `host`, the host names to accept.")
        if self.upstream and not self.upstream.startswith(("http://", "https://")):
            raise UsageError("`upstream` must begin with http:// or https://.")
        if (self.tools or self.models) and not self.upstream:
            raise UsageError("`tools` and `models` need `upstream`, the URL of an API.")
        if self.budget is not None and self.ledger is None:
            raise UsageError("`budget` needs `ledger`, a file that records what each caller spent.")


def read_config(path: Path | str) -> dict[str, Any]:
    """Return the sections of a config file of spaCy.

    A file that is missing, too large, or no config raises UsageError.
    """
    from spacy import util

    path = Path(path).expanduser()
    if not path.is_file():
        raise UsageError(f"{path}: no such config file.")
    try:
        check_size(path, MOST_CONFIG)
        return dict(util.load_config(path, interpolate=False))
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except (ValueError, configparser.Error):
        # The parser quotes the line that it stumbles over, and this may be a text.
        raise UsageError(f"{path}: is not a config file of spaCy.") from None


def unknown_key(path: str, known: Iterable[str]) -> UsageError:
    """Return the error for an unknown key, with the nearest known one."""
    return UsageError(f"there is no setting `{path}`.{did_you_mean(path, known)}")


def names_of(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return ("a", "b") for "a, b", and for a list with such strings."""
    strings = [given] if isinstance(given, str) else given
    return tuple(name.strip() for one in strings for name in str(one).split(",") if name.strip())


def process_count(n_process: int) -> int:
    """Return how many processes to start; -1 stands for one per core, as spaCy has it."""
    if n_process == 0 or n_process < -1:
        raise UsageError(f"`n_process` must be 1 or more, or -1, got {n_process}.")
    return multiprocessing.cpu_count() if n_process == -1 else n_process


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
