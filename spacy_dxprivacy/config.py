"""Settings of a run: their names, defaults, checks and help texts.

The command line makes its options of these fields; `dx serve` and `spacy_dxprivacy.clean` take a
SanitizeConfig. A setting has a path: `level`, `files.encoding`, `run.n_process`. Settings of the
pipeline's parts (`mechanism.epsilon`, `space.max_words`) have their path in a spaCy config, below
the sanitizer's block.
"""

from __future__ import annotations

import configparser
import dataclasses
import json
import math
import multiprocessing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from .errors import UsageError, did_you_mean
from .io.files.limits import MOST_CONFIG, TooLarge, check_size
from .machine.hosts import is_loopback

# Blocks and settings of the component, whose paths may be set: `mechanism.epsilon`, `casing`.
COMPONENT = (
    "mechanism", "selector", "space", "unknown", "numbers", "editor", "surrogates", "casing",
    "vectors", "carry", "max_epsilon_per_doc", "max_epsilon_per_person",
)  # fmt: skip
DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}


def _setting(default: Any, help: str, *flags: str, least: int = 1) -> Any:
    """Return a field. flags: more names of its option. least: 0 lets it be 0."""
    return field(default=default, metadata={"help": help, "flags": flags, "least": least})


def _kind_of(one: Any) -> str:
    """Return the type of a setting, a key of KINDS."""
    return str(one.type).removesuffix(" | None")


class _Checked:
    """Settings whose values are checked and converted by the constructor."""

    def __post_init__(self) -> None:
        for one in fields(self):  # type: ignore[arg-type]
            if "help" in one.metadata:
                object.__setattr__(self, one.name, _checked(one, getattr(self, one.name)))


@dataclass(frozen=True)
class FileConfig(_Checked):
    """How files are read and written."""

    # A name, a number from 1, or a path into nested JSON (a.b, items[].text).
    field: tuple[str, ...] = _setting(("text",), "Field or column to sanitise")
    keep_fields: tuple[str, ...] | None = _setting(
        None, "Other fields to write unmodified, or none"
    )
    format: str = _setting("", "Input format: txt, jsonl, csv, ...")
    output_format: str = _setting("", "Output format, such as jsonl or csv")
    encoding: str | None = _setting(None, "Input encoding, such as latin-1")
    delimiter: str | None = _setting(None, "CSV delimiter: a character, or a name such as tab")
    receipt_field: str | None = _setting(None, "Field to add with the receipt of each record")
    person_field: str | None = _setting(
        None, "Field that identifies the person of a record", "--user-field"
    )

    accept_changes: bool = _setting(False, "Accept the tracked changes of a .docx file")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.keep_fields == ("none",):
            object.__setattr__(self, "keep_fields", ())
        delimiter = DELIMITERS.get(self.delimiter or "", self.delimiter)
        object.__setattr__(self, "delimiter", delimiter)
        if delimiter is not None and len(delimiter) != 1:
            raise UsageError(
                f"`delimiter` must be one character, or one of {', '.join(DELIMITERS)}, "
                f"got {delimiter!r}."
            )
        if delimiter in ('"', "\n", "\r"):
            raise UsageError("`delimiter` cannot be a quote or the end of a line.")


@dataclass(frozen=True)
class RunConfig(_Checked):
    """How a run works, and what it writes besides."""

    n_process: int = _setting(1, "Worker processes; -1 for one per core", "-n", least=-1)
    batch_size: int = _setting(128, "Documents per batch")
    receipt: Path | None = _setting(None, "Write the receipt to this .json file")
    language: str | None = _setting(None, "Language of the texts: en, de, fr, es, nl, it")
    table: Path | None = _setting(None, "Write the table of surrogates, encrypted")
    table_key: Path | None = _setting(None, "Key that encrypts run.table")
    preview: int = _setting(0, "Print the first N documents; write nothing", least=0)
    dry_run: bool = _setting(False, "Print what would be done; write nothing")
    quiet: bool = _setting(False, "Print no receipt", "-q")
    force: bool = _setting(False, "Overwrite existing files", "-F")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_process == 0:
            raise UsageError("`n_process` must be 1 or more, or -1, got 0.")

    @property
    def processes(self) -> int:
        """How many processes; -1 stands for one per core."""
        return multiprocessing.cpu_count() if self.n_process == -1 else self.n_process


@dataclass(frozen=True)
class ServiceConfig(_Checked):
    """Where the service listens, whom it answers, and how much."""

    address: str = _setting(
        "127.0.0.1", "Address to listen on; others than loopback need tokens, host"
    )
    port: int = _setting(8000, "Port to listen on", "-p", least=0)
    host: tuple[str, ...] = _setting((), "Host names to accept besides loopback; * for any")
    tokens: Path | None = _setting(None, "File of callers (mode 600), one NAME TOKEN per line")
    budget: float | None = _setting(None, "Privacy budget of each caller, as epsilon")
    ledger: Path | None = _setting(None, "SQLite file that records what each caller spent")
    upstream: str | None = _setting(None, "OpenAI-compatible API that `dx proxy` asks")
    upstream_seconds: float = _setting(300.0, "Seconds until the upstream times out")
    max_requests: int = _setting(1024, "Maximum number of connections of a worker")
    max_bytes: int = _setting(2**20, "Maximum size of a request body in bytes")
    max_seconds: float = _setting(30.0, "Seconds until a request times out")
    workers: int = _setting(1, "Worker processes, each with a pipeline of its own")

    def __post_init__(self) -> None:
        super().__post_init__()
        reach = "other machines can reach this `address`: give"
        if not is_loopback(self.address) and self.tokens is None:
            raise UsageError(f"{reach} `tokens`, a file of callers.")
        if not is_loopback(self.address) and not self.host:
            raise UsageError(f"{reach} `host`, the host names to accept.")
        if self.upstream and not self.upstream.startswith(("http://", "https://")):
            raise UsageError("`upstream` must begin with http:// or https://.")
        if self.budget is not None and self.ledger is None:
            raise UsageError("`budget` needs `ledger`, a file that records what each caller spent.")


SECTIONS = {
    "files": FileConfig, "run": RunConfig, "service": ServiceConfig,
}  # fmt: skip


@dataclass(frozen=True)
class SanitizeConfig(_Checked):
    """All settings of a run. None is the component's default; wrong values raise UsageError."""

    config: Path | None = _setting(None, "Config file: a pipeline, settings, or both", "-c")
    model: str | None = _setting(None, "spaCy pipeline with a recogniser, or rules")
    mechanism: str | None = _setting(None, "Mechanism: path (default), laplace, ...", "-m")
    epsilon: float | None = _setting(None, "Privacy parameter: smaller is more private", "-e")
    level: str | None = _setting(None, "Privacy level instead of epsilon: light, balanced, strong")
    policy: str | None = _setting(None, "Word classes to protect most: general, clinical, ...")
    prior: str | None = _setting(None, "Language model to draw sentences from: word-pairs, ...")
    space: str | None = _setting(None, "Word vectors: builtin, a file, or a saved space")
    entities: tuple[str, ...] = _setting((), "Replace only these entities: person,date")
    surrogates: str | None = _setting(
        None, "Surrogates of entities: standard, clinical, none, a file"
    )
    key: Path | None = _setting(None, "Secret key: same original, same surrogate")
    unknown: str | None = _setting(None, "Policy for unknown words: context, redact, ...")
    scope: str | None = _setting(None, "Draw each token, or each type once per document")
    numbers: str | None = _setting(None, "Add noise to numbers: relative, absolute:5")
    code: Path | None = _setting(None, "Python file to run first, with your own components")
    edit: bool = _setting(False, "Edit the output by public knowledge")
    overrides: tuple[tuple[str, str], ...] = ()  # paths below the component, values as JSON
    files: FileConfig = field(default_factory=FileConfig)
    run: RunConfig = field(default_factory=RunConfig)
    service: ServiceConfig = field(default_factory=ServiceConfig)

    def with_settings(self, settings: Mapping[str, Any]) -> SanitizeConfig:
        """Return a copy with other values, by path: "level", "files.encoding", "mechanism.epsilon".

        An unknown path raises UsageError with the nearest one that there is.
        """
        changes: dict[str, Any] = {}
        parts: dict[str, dict[str, Any]] = {}
        overrides = dict(self.overrides)
        for path, value in settings.items():
            section, _, name = path.partition(".")
            if section == "sanitize" and name in SETTINGS:
                section, name = name, ""
            if not name and section in SETTINGS:
                changes[section] = value
            elif f"{section}.{name}" in SETTINGS:
                parts.setdefault(section, {})[name] = value
            elif section in COMPONENT or section in ("components", "nlp"):
                overrides[path] = json.dumps(value)
            else:
                raise unknown_key(path, [*SETTINGS, *COMPONENT])
        for section, values in parts.items():
            changes[section] = dataclasses.replace(getattr(self, section), **values)
        return dataclasses.replace(self, **changes, overrides=tuple(overrides.items()))

    def pipeline_settings(self) -> dict[str, Any]:
        """Return the settings of the pipeline that are given, by name."""
        values = {name: getattr(self, name) for name in settings_of_pipeline()}
        return {
            name: value
            for name, value in values.items()
            if value not in (None, (), False) and name not in ("config", "code")
        }


def settings_of_pipeline() -> list[str]:
    """Return the names of the settings that make a pipeline."""
    return [one.name for one in fields(SanitizeConfig) if "help" in one.metadata]


SETTINGS: dict[str, Mapping[str, Any]] = {  # by path: kind, help, flags, least
    f"{section}.{one.name}".lstrip("."): {**one.metadata, "kind": _kind_of(one)}
    for section, kind in {"": SanitizeConfig, **SECTIONS}.items()
    for one in fields(kind)
    if "help" in one.metadata
}


def read_config(path: Path | None, settings: Mapping[str, Any]) -> SanitizeConfig:
    """Return the settings of a config file, with those that are given, by path, in their place.

    [sanitize], [files], [run] and [service] hold settings; all other sections belong to
    a spaCy pipeline.
    """
    config = SanitizeConfig()
    if path is not None:
        own, pipeline = sections_of(path)
        config = config.with_settings(own)
        config = dataclasses.replace(config, config=path if pipeline else None)
    return config.with_settings(settings)


def sections_of(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of a config file by path, and its pipeline as spaCy has it ({} for none).

    A file that is missing, too large, or no config raises UsageError.
    """
    from spacy import util

    path = Path(path).expanduser()
    if not path.is_file():
        raise UsageError(f"{path}: no such config file.")
    try:
        check_size(path, MOST_CONFIG)
        whole = util.load_config(path, interpolate=False)
    except TooLarge as error:
        raise UsageError(str(error)) from None
    except (ValueError, configparser.Error):
        # The parser quotes the line that it stumbles over, and this may be a text.
        raise UsageError(f"{path}: is not a config file of spaCy.") from None
    own = {
        (name if section == "sanitize" else f"{section}.{name}"): value
        for section in ("sanitize", *SECTIONS)
        for name, value in whole.pop(section, {}).items()
    }
    return own, whole


def parse_assignments(given: Iterable[str]) -> dict[str, Any]:
    """Return {"mechanism.epsilon": 0.5} for "mechanism.epsilon=0.5". Values are JSON, else text."""
    settings: dict[str, Any] = {}
    for assignment in given:
        path, equals, value = assignment.partition("=")
        if not equals or not path.strip():
            raise UsageError("`set` takes KEY=VALUE, such as files.encoding=latin-1.")
        try:
            settings[path.strip()] = json.loads(value)
        except ValueError:
            settings[path.strip()] = value
    return settings


def unknown_key(path: str, known: Iterable[str]) -> UsageError:
    """Return the error for an unknown key, with the nearest known one."""
    return UsageError(f"there is no setting `{path}`.{did_you_mean(path, known)}")


def names_of(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return ("a", "b") for "a, b", and for a list with such strings."""
    some = [given] if isinstance(given, str) else given
    return tuple(name.strip() for one in some for name in str(one).split(",") if name.strip())


def _checked(one: Any, value: Any) -> Any:
    """Return a value as its kind has it, else raise; no message shows what might be a text."""
    kind, least = _kind_of(one), one.metadata["least"]
    if value is None or value == () or value == "":
        return value if value != "" or kind == "str" else None
    made = KINDS[kind][1](value)
    small = kind == "int" and made is not None and made < least
    if made is None or small or (made == 0 and kind == "float" and least):
        limit = f", {least} or more" if small else ""
        got = f", got {value}" if isinstance(value, int | float) else ""
        raise UsageError(f"`{one.name}` must be {KINDS[kind][0]}{limit}{got}.")
    return made


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) and value >= 0 else None


def _names(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str | int) and not isinstance(value, bool):
        return names_of(str(value))
    return names_of(value) if isinstance(value, Sequence) else None


# What is expected, and what converts it; None for anything else.
KINDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "str": ("text", lambda v: str(v) if isinstance(v, str | int | float | Path) else None),
    "Path": ("a path", lambda v: Path(v).expanduser() if isinstance(v, str | Path) else None),
    "float": ("a finite number above 0", _number),
    "int": ("a whole number", lambda v: v if type(v) is int else None),
    "bool": ("true or false", lambda v: v if isinstance(v, bool) else None),
    "tuple[str, ...]": ("names, with commas between them", _names),
}
